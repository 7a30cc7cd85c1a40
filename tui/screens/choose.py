"""A choice out of a few, each with a line of explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.literal import literal
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine
from tui.widgets.option_rows import OptionRows


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice: what is answered, its name, and what it means."""

    value: str
    name: str
    meaning: str


class Choose(Dialog[str]):
    """Lets the operator pick one of *choices*; gives its value."""

    def __init__(self, title: str, choices: Sequence[Choice], current: str, remark: str) -> None:
        super().__init__()
        self._heading = title
        self._choices = list(choices)
        self._current = current
        self._remark = remark

    def compose(self) -> ComposeResult:
        """Lay out the choices over the remark."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = Content(self._heading)
            yield OptionRows(*(Option(self._row(choice)) for choice in self._choices), markup=False, compact=True)
            yield Static(literal(self._remark, "$quiet"), classes="dialog-remark")
        yield KeyLine()

    def _row(self, choice: Choice) -> Content:
        now = choice.value == self._current
        return Content.assemble(
            literal(("▸ " if now else "  ") + choice.name, "bold"),
            ("  in force" if now else "", "$success"),
            "\n  ",
            literal(choice.meaning, "$quiet"),
        )

    def on_mount(self) -> None:
        """Put the cursor on what is in force."""
        options = self.query_one(OptionList)
        values = [choice.value for choice in self._choices]
        options.highlighted = values.index(self._current) if self._current in values else 0
        options.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the choice."""
        event.stop()
        self.dismiss(self._choices[event.option_index].value)
