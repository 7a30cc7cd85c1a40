"""A horizontal bar chart: a name, a bar, a count and a share for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_GAP = 2
_LEAST = 4
"""Cells of the longest bar; where not even these fit there are numbers only."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of the chart; *name* is content already, *count* is not negative."""

    name: Content
    count: int


def bar(count: int, most: int, cells: int) -> str:
    """Return a bar of at most *cells* cells for *count* out of *most*, in steps of an eighth of a cell.

    What is not zero is at least the thinnest bar, what is zero is none.
    """
    if count <= 0 or most <= 0 or cells <= 0:
        return ""
    eighths = max(1, round(cells * 8 * count / most))
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def share(count: int, total: int) -> str:
    """Return *count* of *total* in per cent; what is neither nothing nor all is never rounded to it."""
    if total <= 0:
        return "-"
    percent = 100 * count / total
    if 0 < percent < 0.1:
        return "<0.1%"
    if 99.9 < percent < 100:
        return ">99.9%"
    return f"{percent:.1f}%"


class Bars(Widget):
    """Draws its rows for the width that it has."""

    DEFAULT_CSS = """
    Bars { width: 1fr; height: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._bars: list[Bar] = []
        self._of: int | None = None

    def show(self, bars: Sequence[Bar], of: int | None = None) -> None:
        """Draw *bars*, in their order; see ``chart``."""
        self._bars, self._of = list(bars), of
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return one line a row."""
        return len(self._bars)

    def render(self) -> Content:
        """Draw the chart."""
        return chart(self._bars, self.content_size.width, self._of)


def chart(bars: Sequence[Bar], width: int, of: int | None = None) -> Content:
    """Return *bars* as lines of at most *width* cells: names are cut before bars vanish, counts never are.

    Shares and bars are of *of*; None = shares of the sum of the bars, and bars beside the longest.
    """
    if not bars:
        return Content("")
    most = max(item.count for item in bars) if of is None else of
    total = sum(item.count for item in bars) if of is None else of
    counts = [f"{item.count:,}" for item in bars]
    shares = [share(item.count, total) for item in bars]
    figures = max(map(len, counts)) + _GAP + max(map(len, shares))
    room = max(0, width - figures - _GAP)
    names = min(max(item.name.cell_length for item in bars), max(room * 3 // 5 - _GAP, 0))
    cells = room - names - _GAP
    if cells < _LEAST:
        names, cells = room, 0
    lines = []
    for item, count, part in zip(bars, counts, shares, strict=True):
        drawn = bar(item.count, most, cells)
        lines.append(
            Content.assemble(
                item.name.truncate(names, ellipsis=True, pad=True),
                " " * _GAP if cells else "",
                (drawn, "$primary"),
                " " * (cells - len(drawn) + _GAP),
                (count.rjust(max(map(len, counts))), "bold"),
                " " * _GAP,
                (part.rjust(max(map(len, shares))), "$quiet"),
            )
        )
    return Content("\n").join(lines)
