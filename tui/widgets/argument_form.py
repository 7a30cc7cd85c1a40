"""The form of a tool's arguments, made from its schema, and its twin in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static, TextArea

from tui.literal import literal
from tui.messages import DraftChanged
from tui.ports import ToolInfo
from tui.schema import FieldSpec, assemble, json_problem, parse, read_form, take_apart, to_draft, to_json
from tui.widgets.field_row import FieldRow
from tui.widgets.text_fields import Block

_NO_ARGUMENTS = "This tool takes no arguments. Press r to run it."
_NO_FORM = "This tool's schema has a form that only JSON can express."


Complete = Callable[[str, str, dict[str, str]], list[str]]
"""Values of an argument (name, what was typed, other arguments); blocks, and is asked in a thread."""


class Drafts:
    """What the operator has typed for one tool, kept while other tools are looked at.

    *fields* are drafts by argument; *text* is the JSON draft, which is in force while *as_json* is
    true, and stays exactly as it was typed.
    """

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.text = "{}"
        self.as_json = False


class ArgumentForm(VerticalScroll, can_focus=False):
    """Fields or a JSON editor for one tool."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._specs: tuple[FieldSpec, ...] | None = ()
        self._drafts = Drafts()
        self._complete: Complete | None = None

    async def load(self, tool: ToolInfo, drafts: Drafts, complete: Complete | None = None) -> None:
        """Show the form of *tool* filled with *drafts*; *complete* gives the values that an argument may take."""
        self._complete = complete
        self._specs = read_form(tool.input_schema, tool.limits)
        self._drafts = drafts
        if self._specs is None:
            drafts.as_json = True
        await self._rebuild()

    async def _rebuild(self) -> None:
        with self.app.batch_update():
            await self.remove_children()
            if self._drafts.as_json:
                remark = _NO_FORM if self._specs is None else "Arguments as JSON; e goes back to the form."
                await self.mount(
                    Label(literal(remark), classes="form-remark"),
                    Block(self._drafts.text, id="json-editor"),
                    Label(Content(""), id="json-problem", classes="field-problem"),
                )
                self._check_text()
            elif not self._specs:
                await self.mount(Static(literal(_NO_ARGUMENTS), classes="form-remark"))
            else:
                # A listing of widgets keeps the order; names are data and never become ids.
                await self.mount(*(self._row(spec) for spec in self._specs))
        self.scroll_home(animate=False)

    def _row(self, spec: FieldSpec) -> FieldRow:
        complete = self._complete
        draft = self._drafts.fields.get(spec.key, "")
        if complete is None or len(spec.path) > 1:
            return FieldRow(spec, draft)
        return FieldRow(spec, draft, lambda typed: complete(spec.name, typed, dict(self._drafts.fields)))

    @property
    def rows(self) -> list[FieldRow]:
        """The rows of the form; none while arguments are written as JSON."""
        return list(self.query(FieldRow))

    def focus_first(self) -> bool:
        """Focus the first control, the first bad or missing one before others; False without one."""
        if self._drafts.as_json:
            self.query_one("#json-editor").focus()
            return True
        rows = self.rows
        if not rows:
            return False
        next((row for row in rows if row.parsed.problem), rows[0]).control.focus()
        return True

    def collect(self) -> dict[str, Any] | None:
        """Return the arguments to send, or None after showing what is wrong with them."""
        if self._drafts.as_json:
            value = self._check_text()
            return value if isinstance(value, dict) else None
        rows = self.rows
        given = {row.field.path[:-1] for row in rows if row.draft}
        # Every row shows its problem, not only the first. What an object needs is missing only where it is given.
        good = [row.check(needed=_is_needed(row.field, given)) for row in rows]
        if not all(good):
            return None
        return assemble([row.field for row in rows], {r.field.key: r.parsed.value for r in rows if r.parsed.is_set})

    async def clear(self) -> None:
        """Unset all arguments."""
        self._drafts.fields.clear()
        self._drafts.text = "{}"
        await self._rebuild()

    async def toggle_json(self) -> str:
        """Go from form to JSON or back; returns why it cannot, or the empty string."""
        if not self._drafts.as_json:
            self._drafts.text = to_json(self._draft_arguments(), indent=2)
            self._drafts.as_json = True
            await self._rebuild()
            return ""
        if self._specs is None:
            return _NO_FORM
        value = self._check_text()
        if not isinstance(value, Mapping):
            return "Correct the JSON first."
        specs = {spec.key: spec for spec in self._specs}
        fields: dict[str, str] = {}
        parts = take_apart(self._specs, value)
        if isinstance(parts, str):
            return f"The form cannot hold {parts} as it stands; it stays in JSON."
        for key, item in parts.items():
            draft = to_draft(specs[key], item)
            if draft is None:
                return f"The form cannot hold {specs[key].name} as it stands; it stays in JSON."
            fields[key] = draft
        self._drafts.fields = fields
        self._drafts.as_json = False
        await self._rebuild()
        return ""

    def _draft_arguments(self) -> dict[str, Any]:
        """What the form holds, invalid drafts as the text that was typed."""
        values: dict[str, Any] = {}
        for spec in self._specs or ():
            draft = self._drafts.fields.get(spec.key, "")
            parsed = parse(spec, draft)
            if parsed.is_set or draft:
                values[spec.key] = parsed.value if parsed.is_set else draft
        return assemble(self._specs or (), values)

    def on_draft_changed(self, event: DraftChanged) -> None:
        """Keep the drafts of the fields."""
        self._drafts.fields = {row.field.key: row.draft for row in self.rows if row.draft}

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep the JSON draft and show whether it can be read."""
        if event.text_area.id == "json-editor":
            event.stop()
            self._drafts.text = event.text_area.text
            self._check_text()
            self.post_message(DraftChanged())

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep the focused row whole in view."""
        for row in self.rows:
            if row.has_focus_within:
                self.scroll_to_widget(row, animate=False)

    def _check_text(self) -> Any:
        problem = ""
        value: Any = None
        try:
            value = json.loads(self._drafts.text)
        except ValueError as error:
            problem = json_problem(error)
        except RecursionError:
            problem = "nested too deeply"
        else:
            problem = "" if isinstance(value, dict) else "arguments are an object: { … }"
        label = self.query_one("#json-problem", Label)
        label.update(literal(f"! {problem}" if problem else ""))
        label.set_class(bool(problem), "-shown")
        return None if problem else value

    @property
    def focused_field(self) -> FieldSpec | None:
        """The field whose control has the focus."""
        return next((row.field for row in self.rows if row.has_focus_within), None)


def _is_needed(spec: FieldSpec, given: set[tuple[str, ...]]) -> bool:
    """Whether a required member is missing when it is empty: its object must be given, or something in it is."""
    around = spec.path[:-1]
    return spec.within or any(path[: len(around)] == around for path in given)
