"""How well a spoken sentence stands by itself as a quotation, and whether it asks something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_FILLERS: Final = frozenset(["uh", "um", "er", "ah", "hmm", "mhm", "yeah", "okay", "ok", "äh", "ähm", "euh", "eh"])
_SHORT, _LONG = 8, 45
_MARK: Final = "{redacted:"
_ENDS: Final = (".", "!", "?", "…", "。", "？", "！", "؟")

QUESTION_SIGNS: Final = ("?", "？", "؟", ";")  # the last one is the Greek question mark
_LEAST_WORDS: Final = 4
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LOGISTICS: Final = re.compile(
    r"\b(can|could) you (all |guys )?(hear|see) (me|us|my|the)\b|\bam i (on mute|audible)\b|\bhow are you\b"
    r"|\bnext (question|slide)\b|\b(any|other) (other |more )?questions\b|\bis (this|that|it) (okay|ok|all right)\?"
    r"|\byou know what i mean\b|\bdoes that (make sense|help|answer)\b",
    re.IGNORECASE,
)


def clarity(text: str, words: Sequence[str]) -> float:
    """Return from 0 to 1 how well *text*, whose folded words are *words*, is understood by itself: long enough to say
    something, a whole sentence, few fillers and repetitions, nothing masked."""
    spoken = [word for word in words if word]
    if not spoken:
        return 0.0
    length = min(len(spoken) / _SHORT, _LONG / len(spoken), 1.0)
    whole = (text.rstrip().endswith(_ENDS) + (text[:1].isupper() or not text[:1].islower())) / 2
    fillers = sum(word in _FILLERS for word in spoken) / len(spoken)
    repeated = sum(a == b for a, b in pairwise(spoken)) / len(spoken)
    plain = 0.0 if _MARK in text else 1.0
    return 0.5 * length + 0.2 * whole + 0.2 * max(0.0, 1 - 5 * (fillers + repeated)) + 0.1 * plain


def asks(text: str) -> bool:
    """Tell whether *text* asks about a subject: it holds a question mark behind a sentence of some words, and is not
    about the call itself."""
    for sentence in re.split(r"(?<=[?？؟;])\s*|(?<=[.!。！])\s+", text):
        stripped = sentence.strip()
        if not stripped.endswith(QUESTION_SIGNS[:3]) and not _is_greek(stripped):
            continue
        enough = len(stripped.split()) >= _LEAST_WORDS or (_UNSPACED.search(stripped) and len(stripped) >= 5)
        if enough and not _LOGISTICS.search(stripped):
            return True
    return False


def _is_greek(sentence: str) -> bool:
    return sentence.endswith(";") and re.search("[\u0370-\u03ff]", sentence) is not None
