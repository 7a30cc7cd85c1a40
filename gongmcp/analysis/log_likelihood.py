"""Log-likelihood ratio (G²): how surely a word is more frequent in one text than in another."""

from __future__ import annotations

import math


def log_likelihood(count: int, total: int, other_count: int, other_total: int) -> float:
    """Return G² of a word that occurs *count* times among *total* words and *other_count* among *other_total*.

    0 where the two shares are the same, more the surer they differ; the sign tells which is greater: negative when the
    word is rarer here. Totals of 0 give 0.
    """
    if total <= 0 or other_total <= 0 or count + other_count == 0:
        return 0.0
    share = (count + other_count) / (total + other_total)
    here, there = total * share, other_total * share
    value = 2 * (_part(count, here) + _part(other_count, there))
    sign = 1 if count * other_total >= other_count * total else -1
    return sign * max(value, 0.0)  # rounding may leave a little less than nothing


def _part(count: int, expected: float) -> float:
    return count * math.log(count / expected) if count else 0.0


def lift(count: int, total: int, other_count: int, other_total: int) -> float:
    """Return how many times as frequent a word is here, half an occurrence added to both so that none is without."""
    if total <= 0 or other_total <= 0:
        return 1.0
    return ((count + 0.5) / (total + 0.5)) / ((other_count + 0.5) / (other_total + 0.5))
