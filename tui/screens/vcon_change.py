"""Changing vCons: a tool that writes is chosen, its arguments are given, what it would change is shown, and only then,
when that is confirmed, it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.literal import literal
from tui.ports import ToolInfo
from tui.screens.arguments import Arguments
from tui.screens.choose import Choice, Choose
from tui.screens.confirm import Refusal
from tui.screens.dialog import Dialog
from tui.screens.paned import PanedScreen, failure_words
from tui.vcons import ChangeRefused, VconChange, VconFinding, Vcons
from tui.widgets.argument_form import Drafts, drafts_of
from tui.widgets.key_line import KeyLine
from tui.widgets.lines import Lines

_UUIDS = ("vcon_uuid", "uuid")
"""Arguments that name the vCon."""


class Changing(PanedScreen):
    """A screen from which vCons are changed."""

    class Previewed(Message):
        """What was asked for was tried out: it would be *change*, or it is refused."""

        def __init__(self, tool: ToolInfo, arguments: Mapping[str, Any], result: VconChange | Content) -> None:
            super().__init__()
            self.tool = tool
            self.arguments = arguments
            self.result = result

    class Applied(Message):
        """It was done, or was refused after all."""

        def __init__(self, result: VconChange | Content) -> None:
            super().__init__()
            self.result = result

    def __init__(self, vcons: Vcons) -> None:
        super().__init__()
        self._vcons = vcons
        self._drafts = Drafts()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no change where no tool writes."""
        return (action != "change" or bool(self._vcons.tools())) and super().check_action(action, parameters)

    def change(self, given: Mapping[str, Any]) -> None:
        """Choose a tool; *given* are arguments that it begins with, where it has them: ``uuid``, ``index``."""
        tools = {tool.name: tool for tool in self._vcons.tools()}
        if not tools:
            self.say("Nothing is changed here: a cache is imported again, a store is edited.")
            return
        choices = [Choice(name, name, tool.description) for name, tool in tools.items()]
        remark = "What it would change is shown first; nothing is written before you confirm it."

        def chosen(name: str | None) -> None:
            if name is not None:
                self._drafts = drafts_of(tools[name], _begun(tools[name], given))
                self._ask(tools[name])

        self.app.push_screen(Choose("Change", choices, "", remark), chosen)

    def changed(self, change: VconChange) -> None:
        """Show what is there now."""

    def _ask(self, tool: ToolInfo) -> None:
        def given(arguments: dict[str, Any] | None) -> None:
            if arguments is not None:
                self.run_worker(
                    lambda: self._preview(tool, arguments), thread=True, group="change", exit_on_error=False
                )

        self.app.push_screen(Arguments(tool, self._drafts, lambda name, typed, others: []), given)

    def _preview(self, tool: ToolInfo, arguments: Mapping[str, Any]) -> None:
        result: VconChange | Content
        try:
            result = self._vcons.preview(tool.name, arguments)
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            result = _refusal(error)
        self.post_message(self.Previewed(tool, arguments, result))

    def on_changing_previewed(self, event: Previewed) -> None:
        """Show the difference, or why there is none; after a refusal the arguments can be mended."""
        event.stop()
        tool, change = event.tool, event.result
        if isinstance(change, Content):
            self.app.push_screen(Refusal(tool.name, change), lambda _closed: self._ask(tool))
            return
        previewed = change

        def confirmed(yes: bool | None) -> None:
            if yes:
                self.run_worker(
                    lambda: self._apply(tool.name, event.arguments, previewed),
                    thread=True,
                    group="change",
                    exit_on_error=False,
                )

        self.app.push_screen(ChangePreview(change), confirmed)

    def _apply(self, tool: str, arguments: Mapping[str, Any], previewed: VconChange) -> None:
        result: VconChange | Content
        try:
            result = self._vcons.apply(tool, arguments, previewed)
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            result = _refusal(error)
        self.post_message(self.Applied(result))

    def on_changing_applied(self, event: Applied) -> None:
        """Say that it is done."""
        event.stop()
        if isinstance(event.result, Content):
            self.app.push_screen(Refusal("Nothing was changed", event.result))
            return
        count = len(event.result.differences)
        self.say(f"Done: {event.result.tool}, {count} {'place' if count == 1 else 'places'} changed.")
        self.changed(event.result)


class ChangePreview(Dialog[bool]):
    """What a tool would change, place by place; gives True when it is confirmed."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.CONFIRM]

    def __init__(self, change: VconChange) -> None:
        super().__init__()
        self._shown = change

    def compose(self) -> ComposeResult:
        """Lay out the difference under what it is of."""
        change = self._shown
        with Vertical(classes="dialog -large") as frame:
            frame.border_title = literal(change.tool)
            yield Static(Content.assemble(("vCon ", "$quiet"), literal(change.uuid, "bold")))
            yield Static(self._summary())
            yield Lines(id="change-diff")
            yield Static(self._remark(), classes="dialog-remark")
        yield KeyLine()

    def _summary(self) -> Content:
        parts = []
        for kind, sign in (("added", "+"), ("changed", "~"), ("removed", "-")):
            count = sum(item.kind == kind for item in self._shown.differences)
            if count:
                parts.append(Content.assemble((f"{sign} ", "$warning bold"), f"{count:,} {kind}"))
        lines = [Content.styled(" · ", "$quiet").join(parts) if parts else Content("Nothing would change.")]
        lines += [_finding(item) for item in self._shown.findings]
        return Content("\n").join(lines)

    def _remark(self) -> Content:
        if not self._shown.differences:
            return Content.styled("There is nothing to do · esc closes", "$quiet")
        return Content.styled("enter does it · esc changes nothing", "$quiet")

    def on_mount(self) -> None:
        """Show the difference."""
        lines: list[str] = []
        signs: dict[int, str] = {}
        for item in self._shown.differences:
            lines.append(item.path or "/")
            for sign, texts in (("-", item.before), ("+", item.after)):
                for text in texts:
                    signs[len(lines)] = sign
                    lines.append(f"  {text}")
        shown = self.query_one(Lines)
        shown.show(lines, signs=signs)
        shown.focus()

    def action_confirm(self) -> None:
        """Say yes, where there is something to do."""
        self.dismiss(bool(self._shown.differences) or None)


def _begun(tool: ToolInfo, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of *given* that *tool* takes."""
    properties = tool.input_schema.get("properties", {})
    begun = {name: given["uuid"] for name in _UUIDS if name in properties and "uuid" in given}
    if "index" in properties and given.get("part") == tool.name.partition("_")[2]:
        begun["index"] = given["index"]
    return begun


def _refusal(error: Exception) -> Content:
    if not isinstance(error, ChangeRefused):
        return failure_words(error)
    lines = [Content.assemble(literal(error.code, "$error bold"), "  ", literal(error.message))]
    lines += [_finding(item) for item in error.findings]
    return Content("\n").join(lines)


def _finding(item: VconFinding) -> Content:
    colour = "$error bold" if item.severity == "error" else "$warning"
    return Content.assemble(
        literal(f"{item.code} ", colour), literal(item.path or "/", "bold"), " ", literal(item.message)
    )
