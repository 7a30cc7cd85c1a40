"""Stems: the beginning that the forms of a word share, to look for them by it. Light, for languages with endings."""

from __future__ import annotations

from typing import Final

_ENDINGS: Final = (
    *("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ions", "ion", "ed", "es", "er", "ly"),
    *("en", "e", "s", "y", "n"),
)
LEAST: Final = 4
"""Letters that a stem has at least; a shorter word is its own stem."""


def stem(word: str) -> str:
    """Return the stem of a folded *word*: without its longest known ending, as long as four letters are left."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST:
            return word[: -len(ending)]
    return word
