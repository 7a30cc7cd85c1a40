"""Windows: neighbouring texts of one speaker that are short enough to be about one thing."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

WINDOW_CHARACTERS: Final = 400
"""A window ends before it would have more; one text that is longer is a window of its own."""

WINDOW_TEXTS: Final = 4

Spoken = tuple[int, int | None, str]
"""A text: its number, who speaks, what is said (masked)."""


def windows(texts: Iterable[Spoken]) -> Iterator[list[Spoken]]:
    """Yield *texts*, which are in order, in windows that do not overlap: one speaker, numbers without a gap."""
    window: list[Spoken] = []
    characters = 0
    for text in texts:
        number, speaker, said = text
        fits = (
            window
            and window[-1][1] == speaker
            and window[-1][0] + 1 == number
            and len(window) < WINDOW_TEXTS
            and characters + len(said) <= WINDOW_CHARACTERS
        )
        if window and not fits:
            yield window
            window, characters = [], 0
        window.append(text)
        characters += len(said)
    if window:
        yield window


def text_of(window: Sequence[Spoken]) -> str:
    """Return what is said in a window as one text."""
    return " ".join(said for _, _, said in window)


def pack_places(places: Iterable[tuple[int, int]]) -> bytes:
    """Return (first, last) of each window as they are stored."""
    return b"".join(struct.pack("<II", first, last) for first, last in places)


def place(packed: bytes, at: int) -> tuple[int, int]:
    """Return (first, last) of the window number *at*."""
    first, last = struct.unpack_from("<II", packed, at * 8)
    return first, last
