"""The form of a tool's arguments, made from its schema, and its twin in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static, TextArea

from gongmcp.render.visible import escaped
from tui.editor import NotEdited, edited
from tui.literal import literal
from tui.messages import DraftChanged
from tui.ports import RowLimits
from tui.schema import FieldSpec, assemble, json_problem, parse, read_form, take_apart, to_draft, to_json
from tui.widgets.field_row import FieldRow
from tui.widgets.text_fields import Block

_NO_ARGUMENTS = "This tool takes no arguments. Press r to run it."
_MOST_TEXT = 100_000
"""Characters that are taken from an editor."""
_NO_FORM = "This tool's schema has a form that only JSON can express."


Complete = Callable[[str, str, dict[str, str]], list[str]]
"""Values of an argument (name, what was typed, other arguments); blocks, and is asked in a thread."""


class Asking(Protocol):
    """What a form is made from: the schema of the arguments, and the rows that one call returns."""

    @property
    def input_schema(self) -> Mapping[str, Any]: ...
    @property
    def limits(self) -> RowLimits | None: ...


class Drafts:
    """What the operator has typed for one tool, kept while other tools are looked at.

    *fields* are drafts by argument; *text* is the JSON draft, which is in force while *as_json* is
    true, and stays exactly as it was typed.
    """

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.text = "{}"
        self.as_json = False

    def take(self, specs: Sequence[FieldSpec], arguments: Mapping[str, Any]) -> str:
        """Hold *arguments* as drafts of the rows *specs*; returns what cannot be held, and then nothing is changed."""
        by = {spec.key: spec for spec in specs}
        fields: dict[str, str] = {}
        parts = take_apart(specs, arguments)
        if isinstance(parts, str):
            return f"The form cannot hold {parts} as it stands; it stays in JSON."
        for key, item in parts.items():
            draft = to_draft(by[key], item)
            if draft is None:
                return f"The form cannot hold {by[key].name} as it stands; it stays in JSON."
            fields[key] = draft
        self.fields = fields
        self.as_json = False
        return ""


def drafts_of(tool: Asking, arguments: Mapping[str, Any]) -> Drafts:
    """Return drafts that hold *arguments* of *tool*: as rows of its form, or as JSON where no rows can hold them."""
    drafts = Drafts()
    drafts.text = to_json(dict(arguments), indent=2)
    specs = read_form(tool.input_schema, tool.limits)
    drafts.as_json = specs is None or bool(drafts.take(specs, arguments))
    return drafts


class ArgumentForm(VerticalScroll, can_focus=False):
    """Fields or a JSON editor for one tool."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._specs: tuple[FieldSpec, ...] | None = ()
        self._drafts = Drafts()
        self._complete: Complete | None = None

    async def load(self, tool: Asking, drafts: Drafts, complete: Complete | None = None) -> None:
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
        problem = self._drafts.take(self._specs, value)
        if not problem:
            await self._rebuild()
        return problem

    async def fill(self, arguments: Mapping[str, Any]) -> None:
        """Replace what the form holds by *arguments*: as JSON where they were written so, or no rows can hold them."""
        self._drafts.text = to_json(dict(arguments), indent=2)
        if not self._drafts.as_json and self._specs is not None and self._drafts.take(self._specs, arguments):
            self._drafts.as_json = True
        await self._rebuild()

    def held(self) -> dict[str, Any] | None:
        """Return the arguments that are written so far, without what is wrong or missing in the form; None while JSON
        cannot be read."""
        if self._drafts.as_json:
            try:
                value = json.loads(self._drafts.text)
            except (ValueError, RecursionError):
                return None
            return value if isinstance(value, dict) else None
        rows = [row for row in self.rows if row.parsed.is_set]
        return assemble([row.field for row in rows], {row.field.key: row.parsed.value for row in rows})

    async def edit_outside(self) -> str:
        """Give the arguments as JSON to the operator's editor and go on with what it wrote.

        Returns why it could not, or the empty string. What cannot be seen stands there as JSON's escapes.
        """
        as_json = self._drafts.as_json
        before = self._drafts.text if as_json else to_json(self._draft_arguments(), indent=2)
        try:
            text = edited(self.app, before, "arguments.json")
        except NotEdited as problem:
            return str(problem)
        if text == before and not as_json:
            return ""
        if len(text) > _MOST_TEXT:
            return f"The text has {len(text):,} characters, more than {_MOST_TEXT:,}: it stays as it was."
        # At line feeds alone: within a text of JSON other separators may stand as they are.
        lines = text.removesuffix("\n").split("\n")
        self._drafts.text = "\n".join(escaped(line.replace("\t", "  ")) for line in lines)
        self._drafts.as_json = True
        await self._rebuild()
        self.focus_first()
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
    def problem(self) -> str:
        """What is wrong with what is written so far, empty fields aside: the field and the rule; '' = nothing."""
        if self._drafts.as_json:
            return "" if self.held() is not None else "the JSON cannot be read"
        wrong = ((row.field.name, row.parsed.problem) for row in self.rows if row.draft)
        return next((f"{name} is wrong: {problem}" for name, problem in wrong if problem), "")

    @property
    def focused_field(self) -> FieldSpec | None:
        """The field whose control has the focus."""
        return next((row.field for row in self.rows if row.has_focus_within), None)


def _is_needed(spec: FieldSpec, given: set[tuple[str, ...]]) -> bool:
    """Whether a required member is missing when it is empty: its object must be given, or something in it is."""
    around = spec.path[:-1]
    return spec.within or any(path[: len(around)] == around for path in given)
