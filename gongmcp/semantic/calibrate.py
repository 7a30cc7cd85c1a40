"""What a likeness means: from the cosine of one model to a score from 0 to 1.

Models differ in how like each other they find unlike texts. Here 0.5 is what chance seldom reaches in a thousand
windows, and from 0.7 on a text is, as a rule, about what was asked.
"""

from __future__ import annotations

import math
from typing import Final

from gongmcp.semantic.model import MODEL
from gongmcp.semantic.quantised import STEPS

_MIDDLE: Final = 0.28
_STEEPNESS: Final = 7.06
"""So that a cosine of 0.28 gives 0.5, and one of 0.40 gives 0.7."""

CHANCE: Final = 0.3
"""Evidence below it is as near as anything: it is not shown."""


def calibrated(likeness: int, model: str = MODEL) -> float:
    """Return the score of a *likeness* (whole number, ``quantised.STEPS``) of *model*, to four digits.

    A model whose vectors were imported is not known here: its cosine is its score, none below zero.
    """
    cosine = likeness / STEPS
    if model != MODEL:
        return round(max(cosine, 0.0), 4)
    return round(1 / (1 + math.exp(-_STEEPNESS * (cosine - _MIDDLE))), 4)
