"""One withheld value, for one look: gone after some seconds, and as soon as anything else has the focus."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.literal import literal, literal_block
from tui.reviewing import RevealedValue
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine

SECONDS = 15.0
"""How long a value is to be seen."""


class _Value(Static):
    """The value. It cannot be selected, so no key copies it."""

    ALLOW_SELECT = False


class Reveal(Dialog[None]):
    """Shows a value and takes it away again. It is kept nowhere but in the widget that draws it."""

    def __init__(self, revealed: RevealedValue, where: str) -> None:
        super().__init__()
        self._words: Content | None = literal_block(revealed.value, "bold")
        self._what = revealed.kind
        self._where = where

    def compose(self) -> ComposeResult:
        """Lay out the value."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = literal(f"Revealed: {self._what}", "bold")
            yield _Value(self._words or Content(""), id="revealed")
            words = f"{self._where} · hidden again in {SECONDS:g} s, or when another window has the focus"
            yield Static(literal(words, "$quiet"), classes="dialog-remark")
        yield KeyLine()
        self._words = None

    def on_mount(self) -> None:
        """Set the limits."""
        self.set_timer(SECONDS, self._mask)
        self.watch(self.app, "app_focus", self._look_away, init=False)

    def _mask(self) -> None:
        self.query_one("#revealed", Static).update(Content(""))
        if self.is_current:
            self.dismiss(None)

    def _look_away(self, focused: bool) -> None:
        """Take the value away when another window has the focus."""
        if not focused:
            self._mask()

    def on_screen_suspend(self, event: events.ScreenSuspend) -> None:
        """Take the value away when anything is opened over it."""
        self.query_one("#revealed", Static).update(Content(""))

    def action_close(self) -> None:
        """Hide it."""
        self._mask()
