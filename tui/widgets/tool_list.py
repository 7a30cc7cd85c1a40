"""The tools under the active policy, what can show most first, with a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui import keys
from tui.literal import literal
from tui.messages import ToolChosen, ToolHighlighted
from tui.ports import ToolInfo
from tui.widgets.option_rows import OptionRows
from tui.widgets.text_fields import Line

LEVELS = {
    "identified": "names people and calls",
    "snippet": "quotes speech",
    "metadata": "describes calls",
    "aggregate": "counts only",
    "status": "state of the cache",
}
"""Exposure levels, most first, and what a tool of each can show at most."""


class SearchLine(Line):
    """The search field above the list."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.SEARCH]

    async def action_to_list(self) -> None:
        """Go on to the list."""
        self.screen.query_one("#tool-options").focus()


class ToolList(Vertical):
    """Search field and list; one row a tool, under headings by exposure."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tools: list[ToolInfo] = []
        self._rows: list[str | None] = []
        self._current: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the search over the list."""
        yield SearchLine(placeholder="/ search", id="tool-search")
        yield OptionRows(id="tool-options", compact=True, markup=False)

    @property
    def search(self) -> Line:
        """The search field."""
        return self.query_one(SearchLine)

    @property
    def options(self) -> OptionList:
        """The list."""
        return self.query_one(OptionList)

    def show(self, tools: Sequence[ToolInfo], current: str | None) -> None:
        """List *tools* and put the cursor on *current*, or on the first."""
        order = list(LEVELS)
        self._tools = sorted(tools, key=lambda t: order.index(t.level) if t.level in order else -1)
        self._current = current
        self._fill()

    def _fill(self) -> None:
        words = self.search.value.casefold().split()
        rows: list[str | None] = []
        options: list[Option] = []
        level = None
        for tool in self._tools:
            text = f"{tool.name} {tool.title} {tool.description} {tool.level}".casefold()
            if not all(word in text for word in words):
                continue
            if tool.level != level:
                level = tool.level
                rows.append(None)
                options.append(Option(_heading(level, first=len(rows) == 1), disabled=True))
            rows.append(tool.name)
            options.append(Option(literal(f" {tool.name}")))
        if not options:
            rows.append(None)
            options.append(Option(Content.styled("No tool matches. esc clears the search.", "$quiet"), disabled=True))
        self._rows = rows
        with self.prevent(OptionList.OptionHighlighted):
            self.options.clear_options()
            self.options.add_options(options)
        names = [name for name in rows if name is not None]
        if names:
            chosen = self._current if self._current in names else names[0]
            self.options.highlighted = rows.index(chosen)
            self._announce(chosen)

    def _announce(self, name: str) -> None:
        self._current = name
        self.post_message(ToolHighlighted(name))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        event.stop()
        self._fill()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell which tool the cursor is on."""
        event.stop()
        name = self._rows[event.option_index] if event.option_index < len(self._rows) else None
        if name is not None and name != self._current:
            self._announce(name)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell which tool was chosen."""
        event.stop()
        name = self._rows[event.option_index]
        if name is not None:
            self.post_message(ToolChosen(name))


def _heading(level: str, *, first: bool) -> Content:
    return Content.assemble(
        "" if first else "\n", literal(level.upper(), "$secondary bold"), ("  ", ""), (LEVELS.get(level, ""), "$quiet")
    )
