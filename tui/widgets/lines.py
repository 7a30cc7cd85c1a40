"""Long text, drawn by lines: what is not on the screen is never rendered."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tui import keys
from tui.answer import Spot
from tui.literal import visible
from tui.wrap import Row, wrap_lines

_MARK = re.compile(r"\{redacted:[a-z_]+(?:-\d+)?\}")
_JSON = re.compile(r'^(?P<indent> *)(?P<key>"(?:[^"\\]|\\.)*")?(?P<colon>: )?(?P<value>.*)$', re.DOTALL)


class Lines(ScrollView, can_focus=True):
    """A read-only, wrapped view of many lines, with a margin for signs and one highlighted spot.

    Lines are data: control and invisible characters are drawn as glyphs here, whoever passes them.
    """

    GUTTER: ClassVar[int] = 2
    """Cells of the margin."""
    POINTER: ClassVar[str] = "»"
    """What stands in the margin beside the spot."""
    BINDINGS: ClassVar[list[BindingType]] = [*keys.LINES]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--sign",
        "lines--key",
        "lines--value",
        "lines--mark",
        "lines--quote",
        "lines--spot",
    }
    DEFAULT_CSS = """
    Lines {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        .lines--sign { color: $warning; text-style: bold; }
        .lines--key { color: $primary; }
        .lines--value { color: $foreground; }
        .lines--mark { color: $warning; text-style: underline; }
        .lines--quote { color: $secondary; }
        .lines--spot { text-style: reverse; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: list[str] = []
        self._rows: list[Row] = []
        self._signs: Mapping[int, str] = {}
        self._spot: Spot | None = None
        self._json = False
        self._width = 0
        self._styled: dict[int, list[tuple[int, int, str]]] = {}

    @property
    def text(self) -> str:
        """All lines as they are drawn, unwrapped."""
        return "\n".join(self._lines)

    @property
    def spot(self) -> Spot | None:
        """What is highlighted."""
        return self._spot

    def show(self, lines: Sequence[str], *, signs: Mapping[int, str] | None = None, json: bool = False) -> None:
        """Replace the text; *signs* stand in the margin of their lines; *json* colours keys and values."""
        self._lines = [visible(line) for line in lines]
        self._signs = signs or {}
        self._spot = None
        self._json = json
        self._styled.clear()
        self._wrap()
        self.scroll_to(0, 0, animate=False)

    def point_at(self, spot: Spot | None) -> None:
        """Highlight *spot* and scroll it into view."""
        self._spot = spot
        if spot is not None and self._rows:
            row = self.row_of(spot)
            top, height = self.scroll_offset.y, self.scrollable_content_region.height
            if not top <= row < top + max(height - 1, 1):
                # Forced: the scrollbar that allows it may only come with the next layout.
                self.scroll_to(0, max(0, row - height // 3), animate=False, force=True)
        self.refresh()

    def row_of(self, spot: Spot) -> int:
        """Return the number of the row in which *spot* begins."""
        first = bisect_left(self._rows, (spot.line, 0))
        inside = (row for row in range(first, len(self._rows)) if self._rows[row].end > spot.start)
        return min(next(inside, first), len(self._rows) - 1)

    def on_resize(self) -> None:
        """Wrap again when the width has changed; what was on top stays there."""
        if self.scrollable_content_region.width != self._width:
            top = self._rows[min(self.scroll_offset.y, len(self._rows) - 1)] if self._rows else None
            self._wrap()
            if top is not None:
                row = bisect_right(self._rows, (top.line, top.start, sys.maxsize)) - 1
                self.scroll_to(0, row, animate=False, force=True)

    def _wrap(self) -> None:
        self._width = self.scrollable_content_region.width
        room = max(8, self._width - self.GUTTER - 1)  # a blank cell before the scrollbar
        self._rows = wrap_lines(self._lines, room)
        self.virtual_size = Size(self._width, len(self._rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the row at *y* of the window."""
        number = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if number >= len(self._rows):
            return Strip.blank(width, base)
        row = self._rows[number]
        line = self._lines[row.line]
        here = self._spot is not None and self._spot.line == row.line
        sign = self._sign(row) or (self.POINTER if here and row.start == 0 else "")
        sign = sign or (self._signs.get(row.line, "") if row.start == 0 else "")
        segments = [
            Segment(sign.ljust(self.GUTTER), base + self._style("lines--sign")),
            Segment(" " * row.indent, base),
        ]
        segments += [Segment(line[a:b], style) for a, b, style in self._pieces(row, base)]
        strip = Strip(segments).adjust_cell_length(width, base)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(number)) is not None:
            start, end = span
            drawn = self.screen.get_component_rich_style("screen--selection")
            strip = _select(strip, start, width if end == -1 else end, drawn)
        return strip.apply_offsets(0, number)

    def _sign(self, row: Row) -> str:
        """Return what stands before anything else in the margin of *row*; '' = nothing does."""
        return ""

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)

    def _pieces(self, row: Row, base: Style) -> list[tuple[int, int, Style]]:
        """Return (start, end, style) of the pieces of *row*, in order, covering it."""
        if row.line not in self._styled:
            self._styled[row.line] = _spans(self._lines[row.line], self._json)
        spans = [span for span in self._styled[row.line] if span[0] < row.end and row.start < span[1]]
        if self._spot is not None and self._spot.line == row.line:
            whole = self._spot.start == self._spot.end
            line = self._lines[row.line]
            edge = len(line) - len(line.lstrip(" "))
            spans.append((edge if whole else self._spot.start, len(line) if whole else self._spot.end, "lines--spot"))
        edges = {row.start, row.end}
        for start, end, _ in spans:
            edges |= {edge for edge in (start, end) if row.start < edge < row.end}
        cuts = sorted(edges)
        pieces = []
        for a, b in pairwise(cuts):
            style = base
            for start, end, name in spans:
                if start <= a and b <= end:
                    style += self._style(name)
            pieces.append((a, b, style))
        return pieces

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text under the mouse selection, as it is drawn."""
        drawn = [" " * (self.GUTTER + row.indent) + self._lines[row.line][row.start : row.end] for row in self._rows]
        return selection.extract("\n".join(drawn)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()


def _select(strip: Strip, start: int, end: int, style: Style) -> Strip:
    return Strip.join([strip.crop(0, start), strip.crop(start, end).apply_style(style), strip.crop(end)])


def _spans(line: str, json: bool) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    if json:
        match = _JSON.match(line)
        if match and match["key"] and match["colon"]:
            spans.append((*match.span("key"), "lines--key"))
            spans.append((*match.span("value"), "lines--value"))
    elif re.match(r" *>", line):
        spans.append((0, len(line), "lines--quote"))
    return spans + [(*match.span(), "lines--mark") for match in _MARK.finditer(line)]
