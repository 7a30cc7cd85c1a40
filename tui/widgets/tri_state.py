"""A yes-or-no argument with a third state: not sent at all."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui import keys

_ORDER: tuple[bool | None, ...] = (None, True, False)
_WORDS = {None: "unset", True: "true", False: "false"}


class TriState(Widget, can_focus=True):
    """Turns through unset, true and false with space and the arrow keys, or by a click."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.TRI_STATE]
    DEFAULT_CSS = """
    TriState { width: 1fr; height: 1; padding: 0 1; }
    """
    value: reactive[bool | None] = reactive(None)

    class Changed(Message):
        """The value was turned."""

    def render(self) -> Content:
        """Draw the value between two arrows."""
        if self.has_focus and self.app.no_color:
            return Content.styled(f"‹ {_WORDS[self.value]} ›", "bold reverse")
        arrows = "$quiet" if self.value is None else "$primary"
        words = Content.styled(f" {_WORDS[self.value]} ", "$quiet" if self.value is None else "bold")
        return Content.assemble(("‹", arrows), words, ("›", arrows))

    def action_turn(self, step: int) -> None:
        """Go *step* values on."""
        self.value = _ORDER[(_ORDER.index(self.value) + step) % len(_ORDER)]
        self.post_message(self.Changed())

    def on_click(self, event: events.Click) -> None:
        """Go one value on."""
        event.stop()
        self.focus()
        self.action_turn(1)
