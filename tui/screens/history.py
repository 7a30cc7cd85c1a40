"""History: what was run and decided here, without any body; run again, or pin as a sample."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from gongmcp.errors import StartupRefusal
from tui import keys
from tui.bench import Bench
from tui.literal import literal
from tui.review_messages import CallWanted
from tui.reviewing import HistoryItem
from tui.screens.paned import PanedScreen, failure_words
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes

_KEYS = "enter runs again · p pins as a sample"
LIMIT = 200
"""Newest entries on show."""


class History(PanedScreen):
    """One pane of runs and one of decisions, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PANES, *keys.PAST, keys.HELP, keys.BACK, keys.QUIT]

    class Read(Message):
        """The history was read, or it failed."""

        def __init__(self, items: Sequence[HistoryItem], failure: Content | None = None) -> None:
            super().__init__()
            self.items = items
            self.failure = failure

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._items: list[HistoryItem] = []
        heads = ("at (UTC)", "tool", "arguments", "preset", "status", "bytes", "withheld", "ms")
        figures, least_asked = (5, 6, 7), (7, 5, 3, 4)
        self._runs = RowPane("Runs", heads, right=figures, whole=(0, 4), spare=least_asked, id="history-runs")
        decided = ("at (UTC)", "decision", "tool", "preset")
        self._decisions = RowPane("Decisions", decided, whole=(0, 1), id="history-decisions")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="history-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._runs, self._decisions], id="history-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the history."""
        self.say_instead("History", Content.styled("Reading …", "$quiet"))
        self.action_reload()

    def action_reload(self) -> None:
        """Read again."""
        self.run_worker(self._read, thread=True, group="history", exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self.post_message(self.Read(self._bench.reviewing.history(LIMIT)))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read((), failure_words(error)))

    def on_history_read(self, event: Read) -> None:
        """Show what was read."""
        event.stop()
        if event.failure is not None:
            self.say_instead("The history cannot be read", event.failure)
            return
        self._items = [item for item in event.items if not item.decision]
        decided = [item for item in event.items if item.decision]
        self.query_one(Flow).flow(
            [Content.styled("History", "$primary bold"), *([Content(_KEYS)] if self._items else [])],
            tail=Content.styled("Arguments, sizes and digests alone: no answer is kept.", "$quiet"),
        )
        self._runs.entitle(len(self._items))
        self._runs.show([_run_row(item) for item in self._items], Content("Nothing has been run yet."))
        self._decisions.entitle(len(decided))
        self._decisions.show([_decision_row(item) for item in decided], Content("Nothing has been decided yet."))
        self.offer([self._runs, self._decisions])
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to run again, and to pin, what the cursor of the runs is on."""
        if action in ("again", "pin"):
            return bool(self._items) and self.panes.current is self._runs
        return super().check_action(action, parameters)

    def on_row_pane_pointed(self, event: RowPane.Pointed) -> None:
        """Run the chosen call again, on the home screen."""
        event.stop()
        if event.chosen and event.pane is self._runs:
            self._run_again(self._items[event.at])

    def action_again(self) -> None:
        """Run the call under the cursor again."""
        at = self._runs.at
        if at is not None:
            self._run_again(self._items[at])

    def _run_again(self, item: HistoryItem) -> None:
        home = self.app.screen_stack[0]
        self.dismiss()
        home.post_message(CallWanted(item.tool, item.arguments))

    def action_pin(self) -> None:
        """Keep the arguments under the cursor as a pinned sample of their tool."""
        at = self._runs.at
        if at is None:
            self.say("There is no run to pin.")
            return
        item = self._items[at]
        try:
            self._bench.reviewing.pin(item.tool, item.arguments)
        except (StartupRefusal, OSError) as error:
            self.say(str(error))
        else:
            self.say(f"Pinned as a sample of {item.tool}.")


def _moment(at: str) -> str:
    return at[:16].replace("T", " ")


def _second(at: str) -> str:
    return f"{at[:19].replace('T', ' ')} UTC"


def _run_row(item: HistoryItem) -> Row:
    arguments = json.dumps(dict(item.arguments), ensure_ascii=False)
    preset = item.preset or "-"
    figures = (f"{item.bytes:,}", f"{item.withheld:,}", f"{item.milliseconds:,.0f}")
    texts = (_moment(item.at), item.tool, arguments, preset, item.status, *figures)
    told = f"preset {preset} · {item.status} · {figures[0]} bytes · {figures[1]} withheld · {figures[2]} ms"
    return Row(
        tuple(literal(text, "bold" if number == 1 else "") for number, text in enumerate(texts)),
        Content("\n").join([
            Content.assemble(literal(item.tool, "bold"), " ", literal(arguments)),
            literal(f"{_second(item.at)} · {told}"),
            literal(item.digest, "$quiet"),
        ]),
        "\t".join((_second(item.at), *texts[1:])),
    )  # fmt: skip


def _decision_row(item: HistoryItem) -> Row:
    texts = (_moment(item.at), item.decision, item.tool, item.preset or "-")
    told = Content.assemble(
        literal(f"{item.decision} {item.tool}", "bold"),
        literal(f"  {_second(item.at)} · preset {texts[3]}", "$quiet"),
        "\n",
        literal(item.digest, "$quiet"),
    )
    return Row(tuple(literal(text) for text in texts), told, "\t".join((_second(item.at), *texts[1:])))
