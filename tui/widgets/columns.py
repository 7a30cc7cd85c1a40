"""How wide each column of rows may be: what is cut last, and what is left out whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

GAP: Final = "  "
_READABLE: Final = 12
"""Cells below which no column is made narrower while another one can be left out."""
_NARROWEST: Final = 6


def fitted(widths: Sequence[int], room: int, whole: Collection[int] = (), spare: Sequence[int] = ()) -> list[int]:
    """Return *widths* made to fit in *room*, 0 for a column that is left out.

    The widest column gives first, and those of *whole* (times, figures, signs: half of them says nothing) not before
    all others. Columns of *spare* are left out, in their order, before the others become unreadable.
    """
    found = list(widths)
    for left_out in (None, *spare):
        if left_out is not None:
            found[left_out] = 0
        narrowed = _narrowed(found, room, [n for n in range(len(found)) if n not in whole], _READABLE)
        if _over(narrowed, room) <= 0:
            return narrowed
    narrowed = _narrowed(found, room, [n for n in range(len(found)) if n not in whole], _NARROWEST)
    return _narrowed(narrowed, room, range(len(found)), _NARROWEST)


def _over(widths: Sequence[int], room: int) -> int:
    shown = [width for width in widths if width]
    return sum(shown) + len(GAP) * (len(shown) - 1) - room


def _narrowed(widths: Sequence[int], room: int, among: Collection[int], least: int) -> list[int]:
    found = list(widths)
    over = _over(found, room)
    while over > 0:
        widest = max(among, key=found.__getitem__, default=None)
        if widest is None or found[widest] <= least:
            break
        found[widest] -= 1
        over -= 1
    return found
