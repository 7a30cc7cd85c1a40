"""One argument: its name, its control, whether it is set, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Label, Select, TextArea

from tui.literal import literal, literal_text, visible
from tui.messages import DraftChanged
from tui.schema import MANY, FieldSpec, Kind, Parsed, hint, parse, shown
from tui.widgets.completing import Completing, Values
from tui.widgets.text_fields import Block, Line
from tui.widgets.tri_state import TriState


class FieldRow(Vertical):
    """A row of the form. ``draft`` is what the control holds; the empty string is unset. *values* are offered
    while a line is typed."""

    def __init__(self, field: FieldSpec, draft: str = "", values: Values | None = None) -> None:
        super().__init__()
        self._values = values
        self.field = field
        self._draft = draft
        self._checked = False

    @property
    def draft(self) -> str:
        """What was typed or chosen."""
        return self._draft

    @property
    def parsed(self) -> Parsed:
        """What the draft means."""
        return parse(self.field, self._draft)

    @property
    def control(self) -> Widget:
        """The focusable control."""
        return self.query_one(".control")

    def compose(self) -> ComposeResult:
        """Lay out name, control and state on one line, the problem under it."""
        with Horizontal(classes="field-line"):
            yield Label(self._label(), classes="field-name")
            yield from self._make_control()
            yield Label(Content(""), classes="field-state")
        yield Label(Content(""), classes="field-problem")

    def _label(self) -> Content:
        required = (" *", "$warning bold") if self.field.required else ("", "")
        return Content.assemble(literal(self.field.name), required)

    def _make_control(self) -> Iterator[Widget]:
        placeholder = visible(hint(self.field))
        control: Widget
        match self.field.kind:
            case Kind.BOOLEAN:
                tri_state = TriState(classes="control")
                tri_state.set_reactive(TriState.value, json.loads(self._draft) if self._draft else None)
                control = tri_state
            case Kind.CHOICE if len(self.field.choices) <= MANY:
                options = [(literal_text(shown(choice)), choice) for choice in self.field.choices]
                value = self._draft if self._draft in self.field.choices else Select.NULL
                control = Select(options, prompt="unset", value=value, compact=True, classes="control")
            case Kind.LIST | Kind.JSON:
                control = Block(self._draft, placeholder=placeholder, classes="control")
            case _:
                values = self._among if self.field.kind is Kind.CHOICE else self._values
                suggester = Completing(values) if values is not None else None
                control = Line(value=self._draft, placeholder=placeholder, suggester=suggester, classes="control")
        yield control

    def _among(self, typed: str) -> list[str]:
        """Return the choices that go on from what was typed."""
        return [words for words in map(shown, self.field.choices) if words.startswith(typed)]

    def on_mount(self) -> None:
        """Show the state of the draft that was given."""
        self._refresh()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take over the line's text."""
        event.stop()
        self._take(event.value)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Take over the block's text."""
        event.stop()
        self._take(event.text_area.text)

    def on_select_changed(self, event: Select.Changed) -> None:
        """Take over the choice."""
        event.stop()
        self._take("" if event.value is Select.NULL else str(event.value))

    def on_tri_state_changed(self, event: TriState.Changed) -> None:
        """Take over yes, no or unset."""
        event.stop()
        value = self.query_one(TriState).value
        self._take("" if value is None else json.dumps(value))

    def _take(self, draft: str) -> None:
        if draft == self._draft:
            return
        self._draft = draft
        self._refresh()
        self.post_message(DraftChanged())

    def check(self, *, needed: bool = True) -> bool:
        """Show also what is missing, where it is *needed*; return whether the row may be sent."""
        self._checked = needed
        self._refresh()
        return not self.parsed.problem or not (needed or self._draft)

    def _refresh(self) -> None:
        parsed = self.parsed
        # An empty required field is no mistake yet while the form is being filled in.
        show = bool(parsed.problem) and (self._checked or bool(self._draft))
        self.set_class(show, "-bad")
        problem = self.query_one(".field-problem", Label)
        text = f"! {parsed.problem}" if show else parsed.note
        problem.update(literal(text))
        problem.set_class(bool(text), "-shown")
        self.query_one(".field-state", Label).update(self._state(parsed, show))

    def _state(self, parsed: Parsed, bad: bool) -> Content:
        if bad:
            return Content.styled("invalid", "$error")
        if parsed.is_set:
            return Content.styled("set", "$success")
        if parsed.problem:
            return Content.styled("required", "$warning")
        if self.field.default is not None:
            return Content.styled("default", "$quiet")
        return Content.styled("unset", "$quiet")
