"""Cache: what is in it by day and by kind of record, how fresh what agents see is, and warming it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.bench import Bench
from tui.literal import literal
from tui.reviewing import CacheView, CoverageDay, EntityCount
from tui.screens.paned import PanedScreen, failure_words
from tui.screens.warm import Warm
from tui.verdict import size
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes
from tui.widgets.plot_pane import PlotPane

_STATES = {"fresh": "$success bold", "stale": "$warning bold", "missing": "$error bold"}


class Cache(PanedScreen):
    """Coverage by day as a plot, days with gaps, kinds of records, and freshness as an agent receives it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PANES, *keys.STORE, keys.HELP, keys.WARM, keys.BACK, keys.QUIT]

    class Read(Message):
        """The cache was looked at, or it failed. *freshness* is what agents are told."""

        def __init__(
            self, view: CacheView | None, freshness: Mapping[str, Any], failure: Content | None = None
        ) -> None:
            super().__init__()
            self.view = view
            self.freshness = freshness
            self.failure = failure

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._plot = PlotPane("Coverage by day", id="cache-plot")
        self._gaps = RowPane(
            "Days without transcripts", ("day", "calls", "without"), right=(1, 2), whole=(0,), id="cache-gaps"
        )
        self._entities = RowPane(
            "Records", ("kind", "rows", "last import"), right=(1,), whole=(2,), id="cache-entities"
        )
        self._fresh = RowPane("Agents are told", ("", ""), id="cache-fresh")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="cache-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._plot, self._entities, self._gaps, self._fresh], id="cache-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Look at the cache."""
        self.say_instead("Cache", Content.styled("Reading …", "$quiet"))
        self.action_reload()

    def action_reload(self) -> None:
        """Look again."""
        self.run_worker(self._read, thread=True, group="cache", exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self.post_message(self.Read(self._bench.reviewing.cache(), self._bench.handler.freshness()))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read(None, {}, failure_words(error)))

    def on_cache_read(self, event: Read) -> None:
        """Show what was read."""
        event.stop()
        view = event.view
        if view is None:
            self.say_instead("The cache cannot be read", event.failure or Content(""))
            return
        self._show_head(view)
        self._plot.show(view.days)
        gaps = [day for day in view.days if day.calls > day.transcripts]
        self._gaps.entitle(len(gaps))
        self._gaps.show([_gap_row(day) for day in gaps], Content("Every call of the cache has its transcript."))
        self._entities.entitle(len(view.entities))
        self._entities.show([_entity_row(item) for item in view.entities], Content("The cache holds no records."))
        told = [(name, str(value)) for name, value in event.freshness.items()]
        self._fresh.show([_told_row(*item) for item in told], Content("Agents are told nothing: no cache is served."))
        self.offer([self._plot, self._entities, self._gaps, self._fresh])

    def _show_head(self, view: CacheView) -> None:
        tail = literal(view.reason)
        if view.next:
            tail = Content.assemble(tail, (" Next: ", "bold"), literal(view.next))
        self.query_one(Flow).flow(
            [
                literal(view.path, "$primary bold"),
                Content(size(view.bytes)),
                Content.assemble(("read model ", "$quiet"), literal(view.state, _STATES.get(view.state, "bold"))),
            ],
            tail=tail,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to warm where that is possible from here."""
        if action == "warm" and self._bench.operations is None:
            return False
        return super().check_action(action, parameters)

    def action_warm(self) -> None:
        """Warm the cache, then look again."""
        if self._bench.operations is None:
            self.say("The cache cannot be warmed from here. Run: gongctl cache warm --db PATH")
            return
        self.app.push_screen(Warm(self._bench.operations), self._warmed)

    def _warmed(self, report: str | None) -> None:
        self.action_reload()
        if report is not None:
            self.say(report)


def _gap_row(day: CoverageDay) -> Row:
    without = day.calls - day.transcripts
    return Row(
        (literal(day.day), Content(f"{day.calls:,}"), Content.styled(f"{without:,}", "$warning")),
        literal(f"{day.day}: calls {day.calls:,}, without a transcript {without:,}"),
        f"{day.day}\t{day.calls}\t{without}",
    )


def _entity_row(item: EntityCount) -> Row:
    last = item.last_import.replace("T", " ").removesuffix("Z")[:16] or "never"
    return Row(
        (literal(item.entity, "bold"), Content(f"{item.rows:,}"), literal(last, "$quiet")),
        literal(f"{item.entity}: {item.rows:,} rows, last import {last}"),
        f"{item.entity}\t{item.rows}\t{item.last_import}",
    )


def _told_row(name: str, value: str) -> Row:
    return Row((literal(name, "$quiet"), literal(value, "bold")), literal(f"{name}: {value}"), f"{name}\t{value}")
