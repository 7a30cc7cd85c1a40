"""Intervals of shares: how far a share of few calls may be from that of all such calls."""

from __future__ import annotations

import math
from typing import Final

Z95: Final = 1.959963984540054
"""Standard deviations on either side that hold 95 of 100."""


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval of the share *successes* of *trials*, within 0 and 1; (0, 1) without a trial.

    Unlike the plain interval it is honest for few trials and for shares near 0 and 1.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = successes / trials
    square = z * z / trials
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / trials + square / (4 * trials)) / (1 + square)
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    high = 1.0 if successes >= trials else min(1.0, middle + half)
    return low, high
