"""A word on the screen that is also a button: a click does what its key does."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets import Static


class Chip(Static):
    """Runs *action* of the screen when it is clicked."""

    DEFAULT_CSS = """
    Chip { width: auto; height: 1; padding: 0 2 0 0; }
    """

    def __init__(self, action: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._does = action

    def say(self, key: str, words: Content) -> None:
        """Show *words* behind the *key* that does the same."""
        self.update(Content.assemble((f"{key} ", "$primary bold"), words))

    async def on_click(self, event: events.Click) -> None:
        """Do it."""
        event.stop()
        await self.screen.run_action(self._does)
