"""A few words in a dialog: a question before what should not happen by a slip of the hand, or why it did not happen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui import keys
from tui.literal import literal
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine


class Words(Dialog[bool]):
    """Says *words* under a title, with the remark of its kind."""

    REMARK: ClassVar = ""

    def __init__(self, title: str, words: Content) -> None:
        super().__init__()
        self._heading = title
        self._words = words

    def compose(self) -> ComposeResult:
        """Lay out the words over the remark."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = literal(self._heading)
            yield Static(self._words)
            yield Static(Content.styled(self.REMARK, "$quiet"), classes="dialog-remark")
        yield KeyLine()


class Confirm(Words):
    """Gives True when it is confirmed by enter, None when it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.CONFIRM]
    REMARK = "enter does it · esc does not"

    def action_confirm(self) -> None:
        """Say yes."""
        self.dismiss(True)


class Refusal(Words):
    """Why something is not done. Gives None."""

    REMARK = "Nothing was changed · esc goes back"
