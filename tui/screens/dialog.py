"""What all dialogs share: a frame over the dimmed screen, closed by escape."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.screen import ModalScreen

from tui import keys

T = TypeVar("T")


class Dialog(ModalScreen[T | None]):
    """A dialog that gives None when it is closed without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.DIALOG]

    def action_close(self) -> None:
        """Close without an answer."""
        self.dismiss(None)
