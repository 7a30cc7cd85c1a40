"""The review queue: the tools of a preset, riskiest first, one row each: how it stands, its name, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.literal import literal, visible
from tui.reviewing import QueueItem, Standing
from tui.widgets.option_rows import OptionRows
from tui.wording import fitting, middle_out

STANDINGS = {
    Standing.OPEN: "to be reviewed",
    Standing.APPROVED: "approved",
    Standing.EXEMPT: "exempt from approval",
    Standing.DROPPED: "dropped: not served",
    Standing.DRIFTED: "drifted since it was approved",
}
"""What each sign of the list means."""

_COLOURS = {
    Standing.OPEN: "$quiet",
    Standing.APPROVED: "$success bold",
    Standing.EXEMPT: "$secondary bold",
    Standing.DROPPED: "$quiet",
    Standing.DRIFTED: "$error bold",
}
_FRAME = 6
"""Cells of the frame that no title takes."""
WAITING = (Standing.OPEN, Standing.DRIFTED)
"""Standings that wait for a decision."""


class Queue(Vertical):
    """The list of tools; tells which one the cursor is on."""

    class Reached(Message):
        """The cursor came to *tool*."""

        def __init__(self, tool: str) -> None:
            super().__init__()
            self.tool = tool

    class Chosen(Message):
        """The operator pressed enter on *tool*."""

        def __init__(self, tool: str) -> None:
            super().__init__()
            self.tool = tool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = Content("Queue")
        self._items: list[QueueItem] = []
        self._current = ""
        self._none = ""

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield OptionRows(id="queue-options", compact=True, markup=False)

    @property
    def options(self) -> OptionList:
        """The list."""
        return self.query_one(OptionList)

    @property
    def items(self) -> Sequence[QueueItem]:
        """The tools in their order."""
        return self._items

    @property
    def item(self) -> QueueItem | None:
        """The tool under the cursor; None when there is none."""
        return next((item for item in self._items if item.tool == self._current), None)

    def show(self, items: Sequence[QueueItem], current: str = "", none: str = "This preset has no tools.") -> None:
        """List *items* and put the cursor on *current*, or on the first that waits, or on the first.

        Where there are none, the list says *none*.
        """
        self._items, self._none = list(items), none
        names = [item.tool for item in items]
        waiting = (item.tool for item in items if item.standing in WAITING)
        self._current = current if current in names else next(waiting, names[0] if names else "")
        self._fill()

    def go_on(self) -> bool:
        """Put the cursor on the next tool that waits for a decision; False when none does."""
        names = [item.tool for item in self._items]
        here = names.index(self._current) if self._current in names else 0
        after = [*self._items[here + 1 :], *self._items[:here]]
        found = next((item.tool for item in after if item.standing in WAITING), None)
        if found is None:
            return False
        self.options.highlighted = names.index(found)
        return True

    def on_resize(self) -> None:
        """Fit the rows to the width."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.options.scrollable_content_region.width
        decided, all_ = sum(item.standing not in WAITING for item in self._items), len(self._items)
        wordings = (f"Queue  {decided} of {all_} decided", f"Queue  {decided} of {all_}", f"Queue {decided}/{all_}")
        self.border_title = Content(fitting(wordings, self.outer_size.width - _FRAME) if self._items else "Queue")
        rows = [Option(_row(item, width)) for item in self._items]
        with self.prevent(OptionList.OptionHighlighted):
            self.options.clear_options()
            if not rows:
                rows = [Option(Content.styled(self._none, "$quiet"), disabled=True)]
            self.options.add_options(rows)
            names = [item.tool for item in self._items]
            self.options.highlighted = names.index(self._current) if self._current in names else None

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell which tool the cursor is on."""
        event.stop()
        if event.option_index < len(self._items):
            tool = self._items[event.option_index].tool
            if tool != self._current:
                self._current = tool
                self.post_message(self.Reached(tool))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell which tool was chosen."""
        event.stop()
        if event.option_index < len(self._items):
            self.post_message(self.Chosen(self._items[event.option_index].tool))


def _row(item: QueueItem, width: int) -> Content:
    """Return sign, name and cost in *width* cells; the cost goes first where there is no room."""
    sign = Content.styled(f"{item.standing.value} ", _COLOURS[item.standing])
    cost = f"{item.definition_tokens:,}"
    room = width - sign.cell_length - len(cost) - 1
    if room < min(len(item.tool), 16):
        return Content.assemble(sign, literal(middle_out(visible(item.tool), max(width - sign.cell_length, 1))))
    name = literal(item.tool).truncate(room, ellipsis=True, pad=True)
    return Content.assemble(sign, name, " ", (cost, "$quiet"))
