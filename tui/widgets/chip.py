"""A word on the screen that is also a button: a click does what its key does."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets import Static

_BEHIND = 2


class Chip(Static):
    """Runs *action* of the screen when it is clicked."""

    DEFAULT_CSS = """
    Chip { width: auto; height: 1; padding: 0 2 0 0; }
    """

    def __init__(self, action: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._does = action
        self._wordings = (Content(""), Content(""))

    def say(self, key: str, words: Content, short: Content | None = None) -> None:
        """Show *words* behind the *key* that does the same; *short* ones where a row of chips has no room."""
        first = (f"{key} ", "$primary bold")
        self._wordings = (Content.assemble(first, words), Content.assemble(first, words if short is None else short))
        self.shorten(False)

    def shorten(self, short: bool) -> None:
        """Show the short words, or the long ones again."""
        self.update(self._wordings[short])

    def width(self, short: bool) -> int:
        """Return the cells that it takes with its short words, or its long ones, and with those behind it."""
        return self._wordings[short].cell_length + _BEHIND

    async def on_click(self, event: events.Click) -> None:
        """Do it."""
        event.stop()
        await self.screen.run_action(self._does)
