"""Long text with a cursor: the row that it is on is told, so that what belongs to it can be shown beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from tui.answer import Spot
from tui.finding import Words
from tui.widgets.lines import Lines
from tui.wrap import Row


class CursorLines(Lines):
    """``Lines`` with a cursor row that the keys of scrolling move; the view follows it."""

    GUTTER: ClassVar[int] = 3
    POINTER: ClassVar[str] = ">>"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor"}
    DEFAULT_CSS = """
    CursorLines .lines--cursor { background: $panel; }
    """

    class RowReached(Message):
        """The cursor came to characters *start* to *end* of line *line*."""

        def __init__(self, line: int, start: int, end: int) -> None:
            super().__init__()
            self.line = line
            self.start = start
            self.end = end

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._cursor = 0
        self._found: Spot | None = None

    @property
    def cursor(self) -> int:
        """The number of the row that the cursor is on."""
        return min(self._cursor, max(len(self._rows) - 1, 0))

    @property
    def line(self) -> int:
        """The number of the line that the cursor is on."""
        return self._rows[self.cursor].line if self._rows else 0

    def show(self, lines: Sequence[str], *, signs: Mapping[int, str] | None = None, json: bool = False) -> None:
        """Replace the text and put the cursor on its first row."""
        self._cursor = 0
        self._found = None
        super().show(lines, signs=signs, json=json)

    def point_at(self, spot: Spot | None) -> None:
        """Highlight *spot*, scroll it into view and put the cursor there."""
        super().point_at(spot)
        if spot is not None and self._rows:
            self._cursor = self.row_of(spot)

    def mark(self, spot: Spot | None) -> None:
        """Highlight *spot* and move nothing."""
        self._spot = spot
        self.refresh()

    def find(self, words: Words, step: int) -> bool:
        """Go to the next (1) or previous (-1) place of *words*, round the end; False where there is none."""
        if not self._rows:
            return False
        row = self._rows[self.cursor]
        line, column = row.line, row.start
        if self._found is not None and self._found == self._spot:
            line, column = self._found.line, self._found.start + (1 if step > 0 else 0)
        spot = next(self._ahead(words, line, column) if step > 0 else self._behind(words, line, column), None)
        if spot is not None:
            self._found = spot
            self.point_at(spot)
        return spot is not None

    def _ahead(self, words: Words, line: int, column: int) -> Iterator[Spot]:
        count = len(self._lines)
        for away in range(count + 1):
            at = (line + away) % count
            for start, end in words.spans(self._lines[at], column if away == 0 else 0):
                yield Spot(at, start, end)

    def _behind(self, words: Words, line: int, column: int) -> Iterator[Spot]:
        count = len(self._lines)
        for away in range(count + 1):
            at = (line - away) % count
            spans = words.spans(self._lines[at])
            before = list(spans if away else takewhile(lambda span: span[0] < column, spans))
            for start, end in reversed(before):
                yield Spot(at, start, end)

    def _sign(self, row: Row) -> str:
        spot = self._spot
        if spot is None or spot.line != row.line:
            return ""
        inside = row.start <= spot.start < row.end or (row.start == 0 and spot.start == spot.end)
        return self.POINTER if inside else ""

    def _move_to(self, row: int) -> None:
        if not self._rows:
            return
        self._cursor = max(0, min(row, len(self._rows) - 1))
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if self._cursor < top:
            self.scroll_to(0, self._cursor, animate=False)
        elif self._cursor >= top + height:
            self.scroll_to(0, self._cursor - height + 1, animate=False)
        self.refresh()
        reached = self._rows[self._cursor]
        self.post_message(self.RowReached(reached.line, reached.start, reached.end))

    def action_scroll_up(self) -> None:
        """One row up."""
        self._move_to(self.cursor - 1)

    def action_scroll_down(self) -> None:
        """One row down."""
        self._move_to(self.cursor + 1)

    def action_page_up(self) -> None:
        """One page up."""
        self._move_to(self.cursor - max(self.scrollable_content_region.height - 1, 1))

    def action_page_down(self) -> None:
        """One page down."""
        self._move_to(self.cursor + max(self.scrollable_content_region.height - 1, 1))

    def action_scroll_home(self) -> None:
        """To the first row."""
        self._move_to(0)

    def action_scroll_end(self) -> None:
        """To the last row."""
        self._move_to(len(self._rows) - 1)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where it was clicked."""
        self._move_to(self.scroll_offset.y + event.y)

    def render_line(self, y: int) -> Strip:
        """Draw the row, the one under the cursor on another ground while the keys come here."""
        strip = super().render_line(y)
        number = self.scroll_offset.y + y
        if not self.has_focus or number != self.cursor or number >= len(self._rows):
            return strip
        ground = self.get_component_rich_style("lines--cursor", partial=True)
        return Strip([Segment(s.text, (s.style or self.rich_style) + ground) for s in strip]).apply_offsets(0, number)
