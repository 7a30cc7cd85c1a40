"""Saying less where there is less room: whole wordings in place of words that are cut."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len


def fitting(wordings: Sequence[str], room: int) -> str:
    """Return the first of *wordings*, of which each says less than the one before, that fits in *room* cells.

    The last one where none does.
    """
    return next((words for words in wordings if cell_len(words) <= room), wordings[-1])


def thousands(low: int, high: int) -> str:
    """Return the range from *low* to *high* in few characters, rounded outwards: ``640–960``, ``1.0–1.7k``."""
    if high < 1_000:
        return f"{low}–{high}"
    if high < 10_000:
        return f"{math.floor(low / 100) / 10:.1f}–{math.ceil(high / 100) / 10:.1f}k"
    return f"{low // 1_000:,}–{-(-high // 1_000):,}k"


def middle_out(name: str, room: int) -> str:
    """Return *name* in *room* cells; what goes is its middle, as names of a family begin alike. *name* is plain."""
    if cell_len(name) <= room:
        return name
    kept = max(room - 1, 1)
    return name[: kept - kept // 2] + "…" + name[len(name) - kept // 2 :]
