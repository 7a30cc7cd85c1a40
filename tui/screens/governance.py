"""Governance: what scope and restricted list take from agents, whom they miss, and why one call is not served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.governing import Governing
from tui.literal import literal
from tui.messages import RunRequested
from tui.operations import CallVerdict, GovernanceView, Operations, RuleCount
from tui.screens.paned import PanedScreen, failure_words
from tui.screens.warm import Warm
from tui.widgets.bars import Bar
from tui.widgets.call_pane import CallPane, verdict_words
from tui.widgets.flow import DOT, Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import ChartPane, Row, RowPane
from tui.widgets.panes import Panes

_STATES = {"fresh": "$success bold", "stale": "$warning bold", "missing": "$error bold"}
_NO_LIST = (
    "No restricted list is given: no customer is kept from agents.\n"
    "gongctl tui --ai-governance-config FILE opens with one; docs/restricted-names.md shows what it holds."
)


class Governance(PanedScreen):
    """Four panes under one line on the list and the state of the verdicts.

    It shows names of customers and words of calls, so it keeps nothing once it is left.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.PANES,
        *keys.GOVERNANCE,
        keys.HELP,
        keys.WARM,
        keys.BACK,
        keys.QUIT,
    ]

    class Read(Message):
        """Reading number *number* ended: with what governs, or with what went wrong."""

        def __init__(self, number: int, view: GovernanceView | None, failure: Content | None = None) -> None:
            super().__init__()
            self.number = number
            self.view = view
            self.failure = failure

    class Judged(Message):
        """Question number *number* about a call was answered, in words."""

        def __init__(self, number: int, words: Content) -> None:
            super().__init__()
            self.number = number
            self.words = words

    def __init__(self, operations: Operations, settings: Sequence[Governing], *, restricted: bool = False) -> None:
        """*settings* are shown as they are; *restricted* is restricted mode, in which no call is looked into."""
        super().__init__()
        self._operations = operations
        self._settings = settings
        self._number = 0
        self._question = 0
        self._coverage = ChartPane("Coverage", id="governance-coverage")
        self._policy = RowPane("Settings", ("setting", "value", "layer"), id="governance-settings")
        # The clipboard outlives the screen, so no name goes there.
        self._unmatched = RowPane("Unmatched", ("customer",), id="governance-unmatched", copies=False)
        self._call = CallPane("One call", blocked=restricted, id="governance-call")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="governance-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._coverage, self._unmatched, self._call, self._policy], id="governance-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read what governs."""
        self.say_instead("Governance", Content.styled("Reading …", "$quiet"))
        self._policy.entitle(len(self._settings), "as the server was configured")
        self._policy.show([_setting(item) for item in self._settings], Content(""))
        self._read()

    def on_unmount(self) -> None:
        """Let no answer arrive any more."""
        self._number += 1
        self._question += 1

    # What governs

    def action_reload(self) -> None:
        """Read again."""
        self._read()

    def _read(self) -> None:
        self._number += 1
        number = self._number
        self.run_worker(lambda: self._fetch(number), thread=True, group="governance", exit_on_error=False)

    def _fetch(self, number: int) -> None:
        try:
            view = self._operations.governance()
        except Exception as error:  # noqa: BLE001 - an operation's failure is shown, whatever it is
            self.post_message(self.Read(number, None, failure_words(error)))
        else:
            self.post_message(self.Read(number, view))

    def on_governance_read(self, event: Read) -> None:
        """Show what was read, unless it is being read anew."""
        event.stop()
        if event.number != self._number:
            return
        if event.view is None:
            self.say_instead("Governance cannot be read", event.failure or Content(""))
        else:
            self._show(event.view)

    def _show(self, view: GovernanceView) -> None:
        self._show_head(view)
        self._show_coverage(view)
        self._show_unmatched(view)
        self.offer([self._coverage, self._unmatched, self._call, self._policy])

    def _show_head(self, view: GovernanceView) -> None:
        tail = literal(view.reason)
        if view.state != "fresh":
            command = Content.assemble(" or run: ", literal(view.next)) if view.next else Content("")
            tail = Content.assemble(tail, (" Next: ", "bold"), "w warms the cache", command)
        name = literal(view.list_name, "$primary bold") if view.list_name else Content("no restricted list")
        customers = f"{view.customers:,} customer{'' if view.customers == 1 else 's'}"
        self.query_one(Flow).flow(
            [
                Content.assemble(("list ", "$quiet"), name) if view.list_name else name,
                *([Content(customers)] if view.list_name else []),
                Content.assemble(("verdicts ", "$quiet"), literal(view.state, _STATES.get(view.state, "bold"))),
                Content(f"{view.served:,} of {view.calls:,} calls served"),
            ],
            tail=tail,
        )

    def _show_coverage(self, view: GovernanceView) -> None:
        if view.state == "missing":
            self._coverage.entitle(0, "not counted")
            self._coverage.show(
                [],
                Content(""),
                Content("The calls are not judged by this scope and list, so agents get none and no rule is counted."),
            )
            return
        restricted = sorted(
            (item for item in view.restricted if item.calls), key=lambda item: (-item.calls, item.rule.casefold())
        )
        bars = [Bar(_rule(item), item.calls) for item in (*view.scope, *restricted)]
        self._coverage.entitle(len(bars), f"{view.outside:,} of {view.calls:,} calls outside")
        remarks = [Content("calls that each rule takes, of all calls of the cache")]
        if view.state == "stale":
            remarks.insert(0, Content.styled("as of the last warm", "$warning"))
        if not view.outside:
            remarks.insert(0, Content.styled("nothing is taken from agents", "bold"))
        elif view.restricted and not restricted:
            remarks.insert(0, Content.styled("no customer of the list is named", "bold"))
        if len(restricted) > 1:
            remarks.append(Content("one that names two customers counts under both"))
        places = sum((Counter(dict(item.where)) for item in restricted), Counter[str]())
        lines = [DOT.join(remarks)]
        if places:
            lines.append(Content.assemble(("named in ", "$quiet"), _places(places.most_common())))
        self._coverage.show(
            bars,
            Content("\n").join(lines),
            Content("No rule takes a call: every judged call is served."),
            of=view.calls,
        )

    def _show_unmatched(self, view: GovernanceView) -> None:
        if not view.list_name:
            self._unmatched.entitle()
            nothing = _NO_LIST
        elif view.state != "fresh":
            self._unmatched.entitle()
            nothing = "Known when every call is judged by this list: w warms the cache."
        else:
            self._unmatched.entitle(len(view.unmatched), "no call names them")
            nothing = "Every customer of the list is named by a call."
        self._unmatched.show([_customer(name) for name in view.unmatched], Content(nothing))

    # One call

    def action_call(self) -> None:
        """Go to the field for a call."""
        if self.panes.display:
            self.panes.turn_to(self._call)
            if self._call.field is not None:
                self.call_after_refresh(self._call.field.focus)

    def on_run_requested(self, event: RunRequested) -> None:
        """Ask about the call that was typed."""
        event.stop()
        field = self._call.field
        if field is None:
            return
        reference = field.value.strip()
        if not reference:
            self.say("Type a call id or an alias first.")
            return
        self._question += 1
        number = self._question
        self._call.say(Content.styled("Looking …", "$quiet"))
        self.run_worker(lambda: self._judge(number, reference), thread=True, group="call", exit_on_error=False)

    def _judge(self, number: int, reference: str) -> None:
        try:
            verdict: CallVerdict | None = self._operations.call_verdict(reference)
        except Exception as error:  # noqa: BLE001 - an operation's failure is shown, whatever it is
            self.post_message(self.Judged(number, failure_words(error)))
        else:
            self.post_message(self.Judged(number, verdict_words(reference, verdict)))

    def on_governance_judged(self, event: Judged) -> None:
        """Show the answer, unless another call was asked about meanwhile."""
        event.stop()
        if event.number == self._question:
            self._call.say(event.words)

    # Going about

    def action_back(self) -> None:
        """Leave the field; else forget everything and go back."""
        field = self._call.field
        if field is not None and field.has_focus:
            self._call.body.focus()
            return
        self.on_unmount()
        self.say_instead("Governance", Content(""))
        self._coverage.show([], Content(""), Content(""))
        self._unmatched.show([], Content(""))
        self._call.forget()
        self.dismiss()

    def action_warm(self) -> None:
        """Warm the cache, then read again."""
        self.app.push_screen(Warm(self._operations), self._warmed)

    def _warmed(self, report: str | None) -> None:
        self._question += 1
        self._call.forget()
        self._read()
        if report is not None:
            self.say(report)


def _rule(item: RuleCount) -> Content:
    places = Content.assemble("  ", _places(item.where)) if item.where else Content("")
    return Content.assemble(literal(item.rule, "bold"), places)


def _places(where: Sequence[tuple[str, int]]) -> Content:
    return Content.styled(", ", "$quiet").join([literal(f"{place} {count:,}", "$quiet") for place, count in where])


def _customer(name: str) -> Row:
    told = literal(name, "bold")
    hint = Content.styled("Another spelling, an alias or a domain may be missing in the list.", "$quiet")
    return Row((told,), Content("\n").join([told, hint]), "")


def _setting(item: Governing) -> Row:
    colour = "$quiet" if item.layer == "default" else "$warning bold"
    place = "" if item.layer == "default" else f" {item.origin}"
    over = f", over {', '.join(item.overrides)}" if item.overrides else ""
    return Row(
        (literal(item.name), literal(item.value, "bold"), literal(item.layer, colour)),
        Content.assemble(
            literal(item.name), " = ", literal(item.value, "bold"), literal(f"  {item.layer}{place}{over}", "$quiet")
        ),
        "\t".join((item.name, item.value, item.layer, item.origin)),
    )
