"""Other spellings of a person's name: what people are called for short, and letters that are written as two."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from gongmcp.exposure.detect.fold import fold
from gongmcp.exposure.detect.ordinary_words import ORDINARY_WORDS

_WRITTEN_AS_TWO: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})
_TWO_FOR_ONE: Final = (("ae", "a"), ("oe", "o"), ("ue", "u"))
_LEAST: Final = 5
"""Letters of a name in which two vowels may stand for one: Sue and Joe are no Su and Jo."""


@cache
def _table() -> dict[str, frozenset[str]]:
    text = (files("gongmcp.data") / "nicknames.toml").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for name, short in tomllib.loads(text)["nicknames"].items():
        found.setdefault(name, set()).update(short)
        for item in short:
            found.setdefault(item, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


def other_given_names(name: str) -> frozenset[str]:
    """Return what the bearer of a given *name* (folded) may be called: short forms, and names it is short for."""
    return _table().get(name, frozenset())


def other_spellings(word: str) -> frozenset[str]:
    """Return, folded, how a *word* of a name is spelt by who lacks a letter, or has it: Müller, Mueller."""
    folded = fold(word)
    found = {fold(word.lower().translate(_WRITTEN_AS_TWO))}
    if len(folded) >= _LEAST:
        for two, one in _TWO_FOR_ONE:
            found.add(folded.replace(two, one))
    return frozenset(found - {folded} - ORDINARY_WORDS)
