"""Windows: neighbouring texts of one speaker that are short enough to be about one thing."""

from __future__ import annotations

import struct
import textwrap
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

WINDOW_CHARACTERS: Final = 400
"""A window ends before it would have more; a longer text is cut into several windows of its own."""

WINDOW_TEXTS: Final = 4

Spoken = tuple[int, Hashable, str]
"""A text: its number, who says it, what is said (masked)."""


@dataclass(frozen=True, slots=True)
class Window:
    """What the texts from the number *first* to *last* say together, or a part of one."""

    first: int
    last: int
    text: str


def windows(texts: Iterable[Spoken]) -> Iterator[Window]:
    """Yield *texts*, which are in order, in windows: one speaker, numbers without a gap, no text in two of them."""
    gathered: list[Spoken] = []
    characters = 0
    for text in texts:
        number, speaker, said = text
        fits = (
            bool(gathered)
            and gathered[-1][1] == speaker
            and gathered[-1][0] + 1 == number
            and len(gathered) < WINDOW_TEXTS
            and characters + len(said) <= WINDOW_CHARACTERS
        )
        if gathered and not fits:
            yield from _cut(gathered)
            gathered, characters = [], 0
        gathered.append(text)
        characters += len(said)
    if gathered:
        yield from _cut(gathered)


def parts_of(text: str) -> list[str]:
    """Return a text that is too long for one window in parts that are not."""
    return textwrap.wrap(text, WINDOW_CHARACTERS, break_on_hyphens=False)


def _cut(gathered: list[Spoken]) -> Iterator[Window]:
    first, last = gathered[0][0], gathered[-1][0]
    if len(gathered) == 1 and len(gathered[0][2]) > WINDOW_CHARACTERS:
        for part in parts_of(gathered[0][2]):
            yield Window(first, last, part)
    else:
        yield Window(first, last, " ".join(said for _, _, said in gathered))


def pack_places(cut: Iterable[Window]) -> bytes:
    """Return first and last of each window as they are stored: two uint32, little-endian."""
    return b"".join(struct.pack("<II", window.first, window.last) for window in cut)
