"""The arguments of the operator's own run: a form made from the schema, and its twin in JSON."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui import keys
from tui.editor import is_at_hand
from tui.literal import literal, visible
from tui.messages import RunRequested
from tui.ports import ToolInfo
from tui.schema import hint
from tui.screens.dialog import Dialog
from tui.widgets.argument_form import ArgumentForm, Complete, Drafts
from tui.widgets.key_line import KeyLine
from tui.widgets.tool_head import ToolHead

_KEYS = "enter or r runs · tab next field · e JSON · u clears · esc leaves the field, then closes"


class Arguments(Dialog[dict[str, Any]]):
    """Gives the arguments to run with; what was typed stays in *drafts* however it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [keys.RUN, keys.JSON, keys.RESET, keys.EDITOR]

    def __init__(self, tool: ToolInfo, drafts: Drafts, complete: Complete) -> None:
        super().__init__()
        self._tool = tool
        self._drafts = drafts
        self._complete = complete

    def compose(self) -> ComposeResult:
        """Lay out what the tool is for, the form, and the help of a field."""
        with Vertical(classes="dialog -form") as frame:
            frame.border_title = literal(self._tool.name)
            yield ToolHead(id="tool-head")
            yield ArgumentForm(id="form")
            yield Static(Content(""), id="field-help")
        yield KeyLine()

    async def on_mount(self) -> None:
        """Fill the form."""
        self.query_one(ToolHead).show(self._tool)
        await self.form.load(self._tool, self._drafts, self._complete)
        self.form.focus_first()
        self._explain()

    @property
    def form(self) -> ArgumentForm:
        """The form."""
        return self.query_one(ArgumentForm)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain the field that has the focus."""
        self._explain()

    def _explain(self) -> None:
        field = self.form.focused_field
        words = Content.styled(_KEYS, "$quiet")
        if field is not None:
            parts = [literal(part) for part in (field.description, field.kind.value, hint(field)) if part]
            words = Content.styled(" · ", "$quiet").join(parts)
        self.query_one("#field-help", Static).update(words)

    def on_run_requested(self, event: RunRequested) -> None:
        """Run from a field."""
        event.stop()
        self.action_run()

    def action_run(self) -> None:
        """Give the arguments, unless one is missing or wrong: then that is shown."""
        arguments = self.form.collect()
        if arguments is None:
            self.form.focus_first()
            return
        self.dismiss(arguments)

    async def action_json(self) -> None:
        """Turn the form into JSON or back."""
        problem = await self.form.toggle_json()
        if problem:
            self.notify(visible(problem), markup=False, timeout=4)
        else:
            self.form.focus_first()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the editor where there is one."""
        return action != "editor" or is_at_hand(self.app)

    async def action_editor(self) -> None:
        """Edit the arguments as JSON in the operator's editor."""
        problem = await self.form.edit_outside()
        if problem:
            self.notify(visible(problem), markup=False, timeout=6)

    async def action_reset(self) -> None:
        """Unset all arguments."""
        await self.form.clear()
        self.form.focus_first()

    def action_back(self) -> None:
        """Leave the field, so that letters are keys again."""
        self.set_focus(None)
        self._explain()
