"""Text fields that never hold what cannot be seen."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input, TextArea

from gongmcp.render.visible import UNSAFE
from tui import keys
from tui.literal import literal
from tui.messages import RunRequested

_DROPPED = (
    "Characters that cannot be seen were left out of the pasted text. In JSON (e) they can be written as \\u escapes."
)

_PRINTABLE = {"slash": "/"}
"""Keys that type a character, though their names do not say so to Textual."""


class Line(Input):
    """A one-line field. Pasted line breaks become spaces; invisible characters are dropped, and that is said."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.TEXT_FIELD]

    def __init__(
        self,
        *,
        value: str = "",
        placeholder: str = "",
        suggester: Suggester | None = None,
        id: str | None = None,  # noqa: A002
        classes: str = "",
    ) -> None:
        super().__init__(
            value,
            placeholder=placeholder,
            suggester=suggester,
            id=id,
            classes=classes,
            compact=True,
            select_on_focus=False,
        )
        self.cursor_blink = False

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Whether the field takes *key* as text, so that no binding shows for it."""
        return super().check_consume_key(key, character or _PRINTABLE.get(key))

    def on_paste(self, event: events.Paste) -> None:
        """Insert the visible part of what was pasted."""
        event.prevent_default()
        event.stop()
        text = " ".join(event.text.split("\n")).replace("\r", "").replace("\t", " ")
        kept = UNSAFE.sub("", text)
        if self.selection.is_empty:
            self.insert_text_at_cursor(kept)
        else:
            self.replace(kept, *self.selection)
        if kept != text:
            self.notify(_DROPPED, severity="warning", markup=False)

    async def action_submit(self) -> None:
        """Ask for a run."""
        self.post_message(RunRequested())


class Block(TextArea):
    """A field of several lines; tab leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.TEXT_FIELD]

    def __init__(self, text: str = "", *, placeholder: str = "", id: str | None = None, classes: str = "") -> None:  # noqa: A002
        super().__init__(
            text, id=id, classes=classes, compact=True, tab_behavior="focus", placeholder=literal(placeholder)
        )
        self.cursor_blink = False

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Whether the field takes *key* as text, so that no binding shows for it."""
        return super().check_consume_key(key, character or _PRINTABLE.get(key))

    def on_paste(self, event: events.Paste) -> None:
        """Insert the visible part of what was pasted."""
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "  ")
        kept = "\n".join(UNSAFE.sub("", line) for line in text.split("\n"))
        self.replace(kept, *self.selection)
        if kept != text:
            self.notify(_DROPPED, severity="warning", markup=False)
