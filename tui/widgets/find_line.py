"""The field of what to find, with what is wrong with it; there only while it is used."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from tui.finding import Bad, Path, Words, wanted
from tui.literal import literal
from tui.widgets.text_fields import Line


class FindLine(Horizontal):
    """Enter finds, escape closes. What cannot be found as it was typed says so beside the field."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.display = False

    def compose(self) -> ComposeResult:
        """Lay out the field and what is wrong with it."""
        yield Line(placeholder="words, /pattern/ or $.results[0].title · f next, F previous", id="find-words")
        yield Static(Content(""), id="find-problem")

    @property
    def value(self) -> str:
        """What was typed."""
        return self.query_one(Line).value

    @property
    def wanted(self) -> Words | Path | Bad | None:
        """What is to be found."""
        return wanted(self.value)

    def open(self) -> None:
        """Show the field and go there."""
        self.display = True
        self.query_one(Line).focus()

    def close(self) -> None:
        """Hide the field; what was typed stays."""
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong with what is typed."""
        event.stop()
        self.say("")

    def say(self, problem: str) -> None:
        """Show *problem*, or else what is wrong with what was typed."""
        found = self.wanted
        words = problem or (found.problem if isinstance(found, Bad) else "")
        told = self.query_one("#find-problem", Static)
        told.update(literal(f"! {words}" if words else "", "$error"))
        told.display = bool(words)
