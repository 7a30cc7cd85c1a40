"""Compare: the call in hand under two to four policies side by side, and against the approved run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from gongmcp.errors import StartupRefusal, UnknownTool
from gongmcp.exposure.fields import Provenance
from gongmcp.preview.contrast import Line, figures, members, text_difference
from gongmcp.preview.model import Preview
from gongmcp.preview.structure import structure
from tui import keys
from tui.bench import Bench
from tui.literal import literal
from tui.ports import Handler, offers
from tui.screens.choose import Choice, Choose
from tui.screens.paned import PanedScreen, failure_words
from tui.screens.preflight import PROVENANCES
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes
from tui.widgets.text_pane import TextPane

MOST = 4
"""Policies side by side; the first is the one on show."""
_SHORT = 18


class Compare(PanedScreen):
    """Figures, members and text of the same call under each policy. Runs in a thread; nothing is kept."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PANES, *keys.CONTRAST, keys.HELP, keys.BACK, keys.QUIT]

    class Made(Message):
        """Round *number* ended: a preview for each policy (None = not offered), and what the lock holds."""

        def __init__(
            self,
            number: int,
            previews: Sequence[Preview | None],
            approved: Sequence[Line] | None,
            failure: Content | None = None,
        ) -> None:
            super().__init__()
            self.number = number
            self.previews = previews
            self.approved = approved
            self.failure = failure

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._number = 0
        self._policies = self._first()
        heads = ("", *(["-"] * MOST))
        self._figures = RowPane("Figures", heads, id="contrast-figures")
        self._members = RowPane("Members", heads, id="contrast-members")
        self._text = TextPane("Text", id="contrast-text")
        self._approved = RowPane("Since approval", ("", "member or rule"), id="contrast-approved")

    def _first(self) -> list[str]:
        """Return the policy on show and two presets: the first and the last that offer the tool, if any does."""
        bench = self._bench
        others = [name for name in bench.started.presets() if name != bench.preset]
        offering = [name for name in others if offers(bench.started.with_policy(preset=name), bench.tool)]
        chosen = offering or others
        return ["", *dict.fromkeys(f"preset:{name}" for name in (*chosen[:1], *chosen[-1:]))]

    @property
    def policies(self) -> list[str]:
        """The policies side by side: '' is the one on show, the others are ``preset:NAME`` or ``provenance:NAME``."""
        return list(self._policies)

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="contrast-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._figures, self._members, self._text, self._approved], id="contrast-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Run the call under each policy."""
        if not self._bench.tool:
            self.say_instead("Compare", Content("No tool is in hand.\n1 goes to the queue; enter on a tool takes it."))
            return
        self.action_reload()

    def action_reload(self) -> None:
        """Run again."""
        if not self._bench.tool:
            return
        self._number += 1
        self.say_instead("Compare", Content.styled("Running the call under each policy …", "$quiet"))
        number, policies = self._number, tuple(self._policies)
        self.run_worker(lambda: self._make(number, policies), thread=True, group="contrast", exit_on_error=False)

    def _make(self, number: int, policies: Sequence[str]) -> None:
        bench = self._bench
        try:
            previews = [self._preview(self._handler(policy)) for policy in policies]
            now = previews[0]
            approved = bench.reviewing.approved_run(bench.tool, bench.arguments) if now is not None else None
            lines = None if approved is None or now is None else _since(approved, now)
        except Exception as error:  # noqa: BLE001 - whatever failed is shown, and no content with it
            self.post_message(self.Made(number, [], None, failure_words(error)))
        else:
            self.post_message(self.Made(number, previews, lines))

    def _handler(self, policy: str) -> Handler:
        kind, _, name = policy.partition(":")
        if kind == "preset":
            return self._bench.handler.with_policy(preset=name)
        return self._bench.handler.with_policy(provenance=name) if kind == "provenance" else self._bench.handler

    def _preview(self, handler: Handler) -> Preview | None:
        bench = self._bench
        try:
            return bench.make(handler, bench.tool, bench.arguments, bench.settings, None)
        except UnknownTool:
            return None

    def on_compare_made(self, event: Made) -> None:
        """Show what the round gave, unless another has begun."""
        event.stop()
        if event.number != self._number:
            return
        if event.failure is not None:
            self.say_instead("The call cannot be compared", event.failure)
            return
        self._show_head()
        names = [self._label(policy) for policy in self._policies]
        for pane, lines in ((self._figures, figures(event.previews)), (self._members, members(event.previews))):
            pane.rename(("", *names))
            pane.entitle(len(lines), f"{sum(line.differs for line in lines)} not alike")
            pane.show([_row(line, names) for line in lines], Content("Nothing to compare: no policy offers this tool."))
        self._show_text(event.previews, names)
        self._show_approved(event.approved)
        self.offer([self._figures, self._members, self._text, self._approved])
        self.refresh_bindings()

    def _label(self, policy: str) -> str:
        return policy.partition(":")[2] or self._bench.preset or "on show"

    def _show_head(self) -> None:
        bench = self._bench
        arguments = json.dumps(dict(bench.arguments), ensure_ascii=False)
        told = f"{len(self._policies)} policies; a adds one, d takes the last away. Marked with ≠: not alike."
        self.query_one(Flow).flow([literal(bench.tool, "$primary bold"), literal(arguments)], tail=Content(told))

    def _show_text(self, previews: Sequence[Preview | None], names: Sequence[str]) -> None:
        lines: list[str] = []
        first = previews[0] if previews else None
        for name, other in zip(names[1:], previews[1:], strict=True):
            if first is None or other is None:
                lines += [f"{names[0]} and {name}: one of them does not offer the tool.", ""]
                continue
            difference = list(text_difference(first, other))[2:]
            lines.append(f"{names[0]} (-) and {name} (+): {'' if difference else 'the same text.'}")
            lines += [*difference, ""]
        self._text.show(lines or ["One policy only: a adds another."])

    def _show_approved(self, lines: Sequence[Line] | None) -> None:
        nothing = "As approved." if lines is not None else "The lock holds no run of this tool with these arguments."
        rows = [
            Row(
                (literal(line.cells[0], "bold"), literal(line.name)),
                literal(line.name),
                f"{line.cells[0]}\t{line.name}",
            )
            for line in lines or ()
        ]
        self._approved.entitle(None if lines is None else len(rows))
        self._approved.show(rows, Content(nothing))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer one policy more or less where there may be, and nothing without a tool."""
        count = len(self._policies)
        if action in ("reload", "add", "remove") and not self._bench.tool:
            return False
        if (action == "add" and count >= MOST) or (action == "remove" and count == 1):
            return False
        return super().check_action(action, parameters)

    def action_add(self) -> None:
        """Choose one more policy."""
        if len(self._policies) >= MOST:
            self.say(f"At most {MOST} policies stand side by side; d takes the last away.")
            return
        bench = self._bench
        choices = [
            Choice(f"preset:{name}", name, "a preset")
            for name in bench.started.presets()
            if f"preset:{name}" not in self._policies and name != bench.preset
        ]
        modes = [mode for mode in Provenance if mode is not Provenance.RAW or not bench.restricted]
        choices += [
            Choice(f"provenance:{mode.value}", f"provenance {mode.value}", PROVENANCES[mode])
            for mode in modes
            if f"provenance:{mode.value}" not in self._policies and mode is not bench.handler.policy.provenance
        ]
        remark = "For this comparison only: nothing is served or written."
        self.app.push_screen(Choose("Compare with", choices, "", remark), self._added)

    def _added(self, policy: str | None) -> None:
        if policy is None:
            return
        try:
            self._handler(policy)
        except StartupRefusal as refusal:
            self.say(refusal.message)
            return
        self._policies.append(policy)
        self.action_reload()

    def action_remove(self) -> None:
        """Take the last policy away."""
        if len(self._policies) > 1:
            self._policies.pop()
            self.action_reload()


def _since(approved: object, now: Preview) -> list[Line]:
    """Return what *now* shows and withholds that the approved run did not, and the other way round."""
    found = structure(now.outcome)
    held = approved if isinstance(approved, dict) else dict(approved)  # type: ignore[call-overload]
    lines = []
    if held["status"] != found.status:
        lines.append(Line(f"status: {held['status']} then, {found.status} now", ("≠",)))
    for word, before, after in (
        ("shown", set(held["shown"]), set(found.shown)),
        ("withheld", set(held["withheld"]), set(found.withheld)),
    ):
        lines += [Line(f"{word} now: {name}", ("+",)) for name in sorted(after - before)]
        lines += [Line(f"{word} then: {name}", ("-",)) for name in sorted(before - after)]
    return lines


def _row(line: Line, names: Sequence[str]) -> Row:
    sign = "≠ " if line.differs else "  "
    style = "bold" if line.differs else "$quiet"
    cells = (literal(sign + line.name, style), *(literal(cell[:200]) for cell in line.cells))
    told = [literal(line.name, "bold")]
    told += [
        Content.assemble(literal(name[:_SHORT], "$quiet"), "  ", literal(cell))
        for name, cell in zip(names, line.cells, strict=True)
    ]
    return Row(cells, Content("\n").join(told), "\t".join((line.name, *line.cells)))
