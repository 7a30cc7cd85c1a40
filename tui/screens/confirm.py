"""A question before something that should not happen by a slip of the hand."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui import keys
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine


class Confirm(Dialog[bool]):
    """Gives True when it is confirmed by enter, None when it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.CONFIRM]

    def __init__(self, title: str, words: Content) -> None:
        super().__init__()
        self._heading = title
        self._words = words

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = Content(self._heading)
            yield Static(self._words)
            hint = Content.styled("enter does it · esc does not", "$quiet")
            yield Static(hint, classes="dialog-remark")
        yield KeyLine()

    def action_confirm(self) -> None:
        """Say yes."""
        self.dismiss(True)
