"""One quotation against one place: the same words, other words, or words put together from apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from gongctl.evidence.spoken import Said, Window
from gongctl.evidence.words import Word
from gongmcp.analysis.ngrams import is_content
from gongmcp.analysis.stop_words import stop_words

LIKE: Final = 0.6
"""Of a quotation that is alike to so much of what was said it is told what was changed; below it is not found."""

SUBSTANCE: Final = 2 / 3
"""So much of a quotation's telling words must have been said where more than one word differs: stop words in the same
order are no likeness. Where one word differs, one telling word is enough."""

ELIDED: Final = 200
"""Most words that one ellipsis may stand for."""


SPLICED_WORDS: Final = 3
"""Fewest words that one of two places gives to a quotation."""


@dataclass(frozen=True, slots=True)
class Change:
    """Where a quotation differs: the words *said* on the call and those *written* instead; either may be ''."""

    said: str
    written: str

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        return {"said": self.said, "written": self.written}


@dataclass(frozen=True, slots=True)
class Alike:
    """The likest stretch of a window: its first word, how much of it is the same (0 to 1), what is not, and how much of
    the quotation's telling words is the same."""

    said: Said
    ratio: float
    changes: tuple[Change, ...]
    substance: float

    @property
    def is_like(self) -> bool:
        """Whether the quotation was made of what was said there."""
        one = self.changes[0] if len(self.changes) == 1 else None
        least = 0.0 if one is not None and max(map(len, (one.said.split(), one.written.split()))) < 2 else SUBSTANCE
        return self.ratio >= LIKE and self.substance >= least and self.substance > 0


def occurrences(keys: Sequence[str], part: Sequence[str]) -> Iterator[int]:
    """Yield each position at which *part* stands in *keys*."""
    for at in range(len(keys) - len(part) + 1):
        if keys[at] == part[0] and keys[at : at + len(part)] == list(part):
            yield at


def verbatim(window: Window, parts: Sequence[Sequence[Word]]) -> tuple[Said | None, bool]:
    """Return the first word of the place where *parts* stand in order, None where they do not, and whether one
    person said them all."""
    keys = window.keys
    wanted = [[word.key for word in part] for part in parts]
    several: Said | None = None
    for start in occurrences(keys, wanted[0]):
        taken = list(range(start, start + len(wanted[0])))
        for part in wanted[1:]:
            behind = taken[-1] + 1
            then = next(occurrences(keys[behind : behind + ELIDED + len(part)], part), None)
            if then is None:
                break
            taken += range(behind + then, behind + then + len(part))
        else:
            speakers = {window.words[at].speaker for at in taken}
            if len(speakers) == 1:
                return window.words[start], True
            several = several or window.words[start]
    return several, False


def alike(window: Window, words: Sequence[Word]) -> Alike | None:
    """Return the stretch of *window* that is most like *words*, None when they share nothing."""
    keys, wanted = window.keys, [word.key for word in words]
    longest = SequenceMatcher(None, keys, wanted, autojunk=False).find_longest_match()
    if not longest.size:
        return None
    slack = max(4, len(wanted) // 3)
    low = max(0, longest.a - longest.b - slack)
    high = min(len(keys), longest.a - longest.b + len(wanted) + slack)
    matcher = SequenceMatcher(None, keys[low:high], wanted, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    low, high = low + blocks[0].a, low + blocks[-1].a + blocks[-1].size
    # A wrong first or last word stands for the one beside what is the same.
    low = max(0, low - blocks[0].b)
    high = min(len(keys), high + len(wanted) - blocks[-1].b - blocks[-1].size)
    matcher = SequenceMatcher(None, keys[low:high], wanted, autojunk=False)
    changes = tuple(
        Change(
            " ".join(said.word.text for said in window.words[low + a : low + b]),
            " ".join(word.text for word in words[c:d]),
        )
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )
    same = {at for block in matcher.get_matching_blocks() for at in range(block.b, block.b + block.size)}
    telling = [at for at, key in enumerate(wanted) if is_telling(key)]
    # Of a quotation without such words all of them count.
    substance = len(same.intersection(telling)) / len(telling) if telling else len(same) / len(wanted)
    return Alike(window.words[low], matcher.ratio(), changes, substance)


def is_telling(key: str) -> bool:
    """Tell whether the word *key* says something by itself: a number, or no stop word of any language."""
    return key[:1].isdecimal() or is_content(key, stop_words())


def spliced(windows: Sequence[Window], words: Sequence[Word]) -> tuple[Said, Said] | None:
    """Return the first words of two places that *words* were put together from, None when they were not.

    Each gives ``SPLICED_WORDS`` at least, one of them telling; the shortest beginning that will do is taken.
    """
    wanted = [word.key for word in words]
    head: tuple[int, Said | None] = (0, None)
    tail: tuple[int, Said | None] = (0, None)
    for window in windows:
        keys = window.keys
        for at, key in enumerate(keys):
            if key == wanted[0]:
                size = _common(keys[at:], wanted)
                if size > head[0]:
                    head = (size, window.words[at])
            if key == wanted[-1]:
                size = _common(keys[at::-1], wanted[::-1])
                if size > tail[0]:
                    tail = (size, window.words[at - size + 1])
    if head[1] is None or tail[1] is None or head[0] + tail[0] < len(wanted):
        return None
    ends = (wanted[: head[0]], wanted[len(wanted) - tail[0] :])
    if any(len(part) < SPLICED_WORDS or not any(map(is_telling, part)) for part in ends):
        return None
    return head[1], tail[1]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    size = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        size += 1
    return size
