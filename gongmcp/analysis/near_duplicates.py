"""Near duplicates: texts that say the same in nearly the same words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

ALIKE: Final = 0.6
"""Share of common shingles from which on two texts count as the same."""

_SHINGLE: Final = 3


def shingles(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Return the runs of three words of a text; a shorter one is a run by itself."""
    if len(words) < _SHINGLE:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))


def similarity(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Return the share of shingles that *a* and *b* have in common, 0 to 1; two empty ones have nothing in common."""
    together = len(a | b)
    return len(a & b) / together if together else 0.0


class SeenTexts:
    """The texts that were kept so far."""

    def __init__(self, alike: float = ALIKE) -> None:
        self._alike = alike
        self._kept: list[frozenset[tuple[str, ...]]] = []
        self._of: dict[tuple[str, ...], list[int]] = {}

    def is_new(self, words: Iterable[str]) -> bool:
        """Tell whether a text of *words* is like none that was kept; if so it is kept."""
        made = shingles(list(words))
        near = {at for shingle in made for at in self._of.get(shingle, ())}
        if any(similarity(made, self._kept[at]) >= self._alike for at in near):
            return False
        for shingle in made:
            self._of.setdefault(shingle, []).append(len(self._kept))
        self._kept.append(made)
        return True
