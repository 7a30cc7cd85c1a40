"""Policy: which tools are exposed and how they stand; of a tool its columns; of a column every rule, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from gongmcp.preview.why import ColumnReasons, Step, column_reasons
from tui import keys
from tui.bench import Bench
from tui.literal import literal
from tui.ports import ToolInfo
from tui.reviewing import HistoryItem, QueueItem, Standing
from tui.screens.paned import PanedScreen, failure_words
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes
from tui.widgets.queue import STANDINGS

_SAID = {"withholds": "$warning bold", "would withhold": "$warning", "nothing against it": "$quiet"}
_PAST = 200
"""How many entries of the history are looked through for a tool's last run."""


@dataclass(frozen=True, slots=True)
class _Seat:
    """One tool: what agents are told of it (None = not exposed), how it stands, and its last run."""

    name: str
    info: ToolInfo | None
    item: QueueItem | None
    last: HistoryItem | None


class PolicyMatrix(PanedScreen):
    """Tools, their columns, and why. The panes follow each other's cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PANES, *keys.MATRIX, keys.HELP, keys.BACK, keys.QUIT]

    class Read(Message):
        """The tools were read, or it failed."""

        def __init__(self, seats: Sequence[_Seat], events: Sequence[HistoryItem], failure: Content | None) -> None:
            super().__init__()
            self.seats = seats
            self.events = events
            self.failure = failure

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._seats: list[_Seat] = []
        self._columns: list[ColumnReasons] = []
        heads = ("", "tool", "exposure", "rows", "last run")
        self._tools = RowPane("Tools", heads, whole=(0, 4), spare=(3,), id="matrix-tools")
        self._fields = RowPane("Columns", ("", "column", "class", "rule"), whole=(0,), id="matrix-columns")
        self._why = RowPane("Why", ("asked", "says", "rule", "layer"), whole=(1,), id="matrix-why")
        self._events = RowPane("Decisions", ("at", "what", "tool"), whole=(0, 1), id="matrix-events")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="matrix-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._tools, self._fields, self._why, self._events], id="matrix-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the tools and how they stand."""
        self.say_instead("Policy", Content.styled("Reading …", "$quiet"))
        self.action_reload()

    def action_reload(self) -> None:
        """Read again."""
        self.run_worker(self._read, thread=True, group="matrix", exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        bench = self._bench
        try:
            offered = {tool.name: tool for tool in bench.handler.tools()}
            items = {item.tool: item for item in bench.reviewing.queue(bench.preset)}
            past = bench.reviewing.history(_PAST)
            last: dict[str, HistoryItem] = {}
            for entry in past:
                last.setdefault(entry.tool, entry)
            every = [tool.name for tool in bench.started.tools()]
            names = dict.fromkeys([*items, *offered, *every])
            seats = [_Seat(name, offered.get(name), items.get(name), last.get(name)) for name in names]
            self.post_message(self.Read(seats, [entry for entry in past if entry.decision], None))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read((), (), failure_words(error)))

    def on_policy_matrix_read(self, event: Read) -> None:
        """Show the tools, with the cursor on the one in hand."""
        event.stop()
        if event.failure is not None:
            self.say_instead("The policy cannot be read", event.failure)
            return
        self._seats = list(event.seats)
        self._show_head()
        exposed = sum(seat.info is not None for seat in self._seats)
        self._tools.entitle(len(self._seats), f"{exposed} exposed")
        self._tools.show([_tool_row(seat) for seat in self._seats], Content("This policy exposes no tool."))
        self._events.entitle(len(event.events))
        nothing = "No decision yet: approve, exempt or drop tools in the queue (1)."
        self._events.show([_event_row(item) for item in event.events], Content(nothing))
        names = [seat.name for seat in self._seats]
        at = names.index(self._bench.tool) if self._bench.tool in names else 0
        self.offer([self._tools, self._fields, self._why, self._events])
        if names:
            self._tools.point(at)
            self._show_columns(at)

    def _show_head(self) -> None:
        bench = self._bench
        policy = bench.handler.policy
        self.query_one(Flow).flow(
            [
                literal(bench.preset or "the settings' own tools", "$primary bold"),
                Content.assemble(("provenance ", "$quiet"), literal(policy.provenance.value)),
                Content.assemble(("switches ", "$quiet"), literal(", ".join(sorted(policy.switches)) or "none")),
                Content.assemble(("smallest cell ", "$quiet"), str(policy.min_cell)),
            ],
            tail=Content.styled("Rules are asked in the order shown; the first that withholds decides.", "$quiet"),
        )

    def on_row_pane_pointed(self, event: RowPane.Pointed) -> None:
        """Let the next pane follow the cursor; enter goes there."""
        event.stop()
        if event.pane is self._tools:
            self._show_columns(event.at)
        elif event.pane is self._fields:
            self._show_why(event.at)
        if event.chosen and event.pane in (self._tools, self._fields):
            self.panes.turn(1)

    def _arguments(self, tool: str) -> Mapping[str, object]:
        return self._bench.arguments if tool == self._bench.tool else {}

    def _show_columns(self, at: int) -> None:
        if at >= len(self._seats):
            return
        seat = self._seats[at]
        try:
            self._columns = column_reasons(
                seat.name, self._bench.handler.policy, self._arguments(seat.name), self._bench.settings
            )
        except KeyError:  # a tool that is not of the catalogue has no declared columns
            self._columns = []
        withheld = sum(not column.shown for column in self._columns)
        self._fields.entitle(len(self._columns), f"{withheld} withheld: {seat.name}")
        self._fields.show([_column_row(column) for column in self._columns], Content("No columns are declared."))
        first = next((n for n, column in enumerate(self._columns) if not column.shown), 0)
        if self._columns:
            self._fields.point(first)
        self._show_why(first)

    def _show_why(self, at: int) -> None:
        column = self._columns[at] if at < len(self._columns) else None
        self._why.entitle(None if column is None else len(column.steps), column.path if column else "")
        self._why.show([_step_row(step) for step in column.steps] if column else [], Content("No column is chosen."))
        if column is not None and not column.shown:
            self._why.point(next(n for n, step in enumerate(column.steps) if step.says == "withholds"))


def _tool_row(seat: _Seat) -> Row:
    standing = seat.item.standing if seat.item is not None else None
    sign = standing.value if standing is not None else "  "
    words = STANDINGS[standing] if standing is not None else "not in this review"
    if seat.info is None:
        exposure, rows = Content.styled("not exposed", "$quiet"), Content("")
    else:
        limits = seat.info.limits
        exposure = literal(seat.info.level)
        rows = Content("" if limits is None else f"{limits.default} of {limits.ceiling}")
    last = "" if seat.last is None else f"{seat.last.at[:16].replace('T', ' ')} {seat.last.status}"
    of = f" · {rows.plain} rows" if rows.plain else ""
    told = [Content.assemble(literal(seat.name, "bold"), f"  {words}{of}")]
    if seat.item is not None and seat.item.reasons:
        told.append(literal(f"risk {seat.item.risk}: {'; '.join(seat.item.reasons)}"))
    told += [literal(f"drift: {item}", "$error") for item in (seat.item.drift if seat.item is not None else ())]
    colour = "$error bold" if standing is Standing.DRIFTED else "bold"
    cells = (literal(sign, colour), literal(seat.name), exposure, rows, literal(last, "$quiet"))
    return Row(cells, Content("\n").join(told), "\t".join((seat.name, words, exposure.plain, rows.plain, last)))


def _column_row(column: ColumnReasons) -> Row:
    decided = column.decided
    sign = Content("  ") if decided is None else Content.styled("- ", "$warning bold")
    rule = "leaves" if decided is None else decided.rule
    reason = "Nothing is against it." if decided is None else decided.reason
    return Row(
        (sign, literal(column.path), literal(column.title, "$quiet"), literal(rule)),
        Content.assemble(literal(column.path, "bold"), f"  {column.title}\n", literal(reason)),
        "\t".join((column.path, column.title, rule)),
    )


def _step_row(step: Step) -> Row:
    return Row(
        (
            literal(step.asked),
            literal(step.says, _SAID[step.says]),
            literal(step.rule, "$quiet"),
            literal(step.layer, "$quiet"),
        ),
        literal(step.reason or "This rule has nothing against it."),
        "\t".join((step.asked, step.says, step.rule, step.layer, step.reason)),
    )


def _event_row(item: HistoryItem) -> Row:
    at = item.at[:16].replace("T", " ")
    return Row(
        (literal(at, "$quiet"), literal(item.decision, "bold"), literal(item.tool)),
        literal(f"{item.decision} {item.tool} at {at} UTC; digest {item.digest[:19]}"),
        "\t".join((item.at, item.decision, item.tool)),
    )
