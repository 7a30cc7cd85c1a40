"""The cohort builder: live counts that can be stopped, an empty cohort explained, the filter given to the review."""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual.pilot import Pilot

from gongmcp.cancel import Cancel
from gongmcp.exposure.policy import Policy
from gongmcp.handler import Outcome
from tests.tui.test_literal import drawn, evil, screen_text
from tui import cohort
from tui.app import PreflightApp
from tui.screens import cohort as screens
from tui.screens.arguments import Arguments
from tui.screens.choose import Choose
from tui.screens.cohort import CohortBuilder
from tui.screens.review import Review
from tui.widgets.field_row import FieldRow
from tui.widgets.text_fields import Line

FILTER = {
    "type": "object",
    "properties": {
        "from_date": {"type": "string", "format": "date"},
        "to_date": {"type": "string", "format": "date"},
        "query": {"type": "string", "maxLength": 512, "description": "Words that the call says."},
        "industry": {"type": "string"},
        "dimension_filters": {"type": "array", "items": {"type": "object"}},
    },
    "additionalProperties": False,
}
FLAG = {"type": "boolean", "default": False}
DIMENSION = {"type": "string", "enum": ["lifecycle", "industry", "month", "stage", "profile_concept"]}


@dataclass
class Cohorts:
    """What the cohort tools answer: *values* of the dimension, and words that no call says."""

    values: list[tuple[str, int, int]] = field(
        default_factory=lambda: [("renewal", 30, 21), ("active sales", 10, 10), ("<blank>", 2, 0)]
    )
    words: str = "query zebra"
    message: str = "filter chooses too little."
    stop_at: int = 0
    asked: int = 0
    slow: Any = None

    def counts(self, theatre: Any, arguments: dict[str, Any], cancel: Cancel | None) -> Outcome:
        self.asked += 1
        if self.asked == self.stop_at:
            return self.slow(arguments, cancel)  # type: ignore[no-any-return]
        empty = "zebra" in str(arguments.get("filter"))
        rows = [{"value": value, "call_count": calls, "transcript_count": heard} for value, calls, heard in self.values]
        matched = 0 if empty else sum(calls for _, calls, _ in self.values)
        structured = {"status": "ok", "matched_call_count": matched, "results": [] if empty else rows}
        return theatre.outcome(structured, "")  # type: ignore[no-any-return]

    def build(self, theatre: Any, arguments: dict[str, Any]) -> Outcome:
        if set(arguments["filter"]) <= {"from_date", "to_date"} and len(arguments["filter"]) < 2:
            return theatre.fault("invalid_argument", self.message, "Add a period.")  # type: ignore[no-any-return]
        empty = "zebra" in str(arguments["filter"])
        rows: list[dict[str, Any]] = [
            {"argument": "industry", "call_count": 50, "left_count": 42},
            {"argument": "query", "call_count": 7, "left_count": 0 if empty else 42},
        ]
        structured = {
            "status": "ok", "cohort_id": "cohort_0123456789abcdef", "normalized_filter": ["industry tech", self.words],
            "limitations": ["few_calls: so few."], "results": rows, "emptied_by": "query" if empty else None,
            "coverage": {"call_count": 0 if empty else 42, "transcript_count": 0 if empty else 31},
        }  # fmt: skip
        return theatre.outcome(structured, "")  # type: ignore[no-any-return]


def stage(theatre: Any, cohorts: Cohorts, *, status: bool = False) -> Any:
    def tool(name: str, required: tuple[str, ...] = (), **more: Any) -> Any:
        properties = {"filter": FILTER, "include_account_names": FLAG, **more}
        return theatre.Tool(name, name, "", "status", theatre.arguments(required, **properties))

    tools = [
        tool(cohort.BUILD),
        tool(cohort.COUNTS, dimension=DIMENSION),
        tool("build_quote_pack", ("theme_query",), theme_query={"type": "string"}),
    ]
    handler = theatre.Stage(Policy(), [*tools, theatre.STATUS] if status else tools)
    handler.replies[cohort.COUNTS] = lambda arguments, cancel: cohorts.counts(theatre, arguments, cancel)
    handler.replies[cohort.BUILD] = lambda arguments, _cancel: cohorts.build(theatre, arguments)
    dates = {"status": "ok", "first_call_date": "2026-01-01", "last_call_date": "2026-12-31"}
    handler.replies[cohort.STATUS] = lambda _arguments, _cancel: theatre.outcome(dates, "")
    return handler


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "DEBOUNCE", 0.01)


async def opened(theatre: Any, home: Review, pilot: Pilot[None], tool: str = "") -> CohortBuilder:
    home.bench.tool, home.bench.arguments = tool, {}
    await pilot.press("6")
    await theatre.settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, CohortBuilder)
    return screen


async def typed(theatre: Any, screen: CohortBuilder, pilot: Pilot[None], name: str, text: str) -> None:
    row = next(row for row in screen._filter.body.rows if row.field.name == name)
    row.control.focus()
    control = row.control
    assert isinstance(control, Line)
    control.value = text
    await pilot.pause(0.05)
    await theatre.settle(pilot)


def asked(handler: Any, tool: str) -> list[dict[str, Any]]:
    return [arguments for name, arguments, _ in handler.calls if name == tool]


def test_counts_follow_what_is_typed_an_empty_cohort_is_explained_and_values_are_chosen(theatre: Any) -> None:
    handler = stage(theatre, Cohorts())

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        screen = await opened(theatre, home, pilot)
        assert "42 calls" in screen_text(pilot)  # of the whole cache: nothing is chosen yet
        assert "Every call is counted" in screen_text(pilot)
        await typed(theatre, screen, pilot, "from_date", "2026-01-01")
        told = screen_text(pilot)
        assert "42 calls" in told
        assert "filter chooses too little." in told
        await typed(theatre, screen, pilot, "from_date", "")
        await typed(theatre, screen, pilot, "industry", "tech")
        assert asked(handler, cohort.BUILD)[-1] == {"filter": {"industry": "tech"}}
        told = screen_text(pilot)
        assert "31 with a transcript" in told
        assert "cohort_0123456789abcdef" in told
        await typed(theatre, screen, pilot, "query", "zebra")
        told = screen_text(pilot)
        assert "Emptied by query zebra 7 calls hold it alone." in told
        assert [row.copied for row in screen._conditions.rows] == ["industry tech\t50\t42", "query zebra\t7\t0"]
        assert "!! query zebra" in told

        await typed(theatre, screen, pilot, "query", "horse")  # values go into the filter and out
        screen.panes.turn_to(screen._values)
        await theatre.settle(pilot)
        await pilot.press("enter")
        await theatre.settle(pilot)
        chosen = {"dimension_filters": [{"dimension": "lifecycle", "values": ["renewal"]}]}
        assert asked(handler, cohort.BUILD)[-1] == {"filter": chosen | {"industry": "tech", "query": "horse"}}
        assert screen._values.rows[0].cells[0].plain == "+"
        await pilot.press("down", "space")
        await theatre.settle(pilot)
        assert asked(handler, cohort.BUILD)[-1]["filter"]["dimension_filters"][0]["values"] == [
            "renewal",
            "active sales",
        ]
        await pilot.press("d")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("down", "down", "enter")
        await theatre.settle(pilot)
        assert asked(handler, cohort.COUNTS)[-1]["dimension"] == "month"

    theatre.review(handler, theatre.Reviewing(handler), scene)


def test_a_slow_count_goes_by_stretches_and_stopped_it_says_at_least(theatre: Any) -> None:
    cohorts = Cohorts(stop_at=10_000, slow=theatre.Slow())
    handler = stage(theatre, cohorts, status=True)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        screen = await opened(theatre, home, pilot)
        ticks = itertools.count()
        home.bench.clock = lambda: float(next(ticks))
        cohorts.stop_at = cohorts.asked + 3  # the third stretch does not end by itself
        await typed_without_end(screen, pilot)
        while not cohorts.slow.started.is_set():
            await pilot.pause(0.01)
        await pilot.pause()
        assert "≥ 84 calls" in screen_text(pilot)
        assert "2 of 8 stretches" in screen_text(pilot)
        await pilot.press("escape", "escape")  # out of the field, then stop
        await theatre.settle(pilot)
        assert "≥ 84 calls" in screen_text(pilot)
        assert "Stopped" in screen_text(pilot)
        stretches = [arguments["filter"] for arguments in asked(handler, cohort.COUNTS)[-3:]]
        assert [(one["from_date"], one["to_date"]) for one in stretches][:2] == [
            ("2026-11-16", "2026-12-31"), ("2026-10-01", "2026-11-15"),
        ]  # fmt: skip
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "42 calls" in screen_text(pilot)
        assert "≥" not in screen_text(pilot)

    async def typed_without_end(screen: CohortBuilder, pilot: Pilot[None]) -> None:
        row = next(row for row in screen._filter.body.rows if row.field.name == "industry")
        row.control.focus()
        await pilot.pause()
        await pilot.press("t")

    theatre.review(handler, theatre.Reviewing(handler), scene)


def test_stretches_cover_the_time_without_gap_or_overlap() -> None:
    class Dated:
        def tools(self) -> list[Any]:
            return [type("T", (), {"name": cohort.STATUS})()]

        def call(self, *_: Any) -> Any:
            answer = type("A", (), {"structured": {"first_call_date": "2025-03-07", "last_call_date": "2026-08-10"}})
            return type("O", (), {"answer": answer})()

    def spans(form: dict[str, Any]) -> list[tuple[str, str]]:
        handler: Any = Dated()
        return cohort.Counting(handler, form, "month", Cancel(), lambda _: None, lambda: 0.0)._stretches()

    whole = spans({})
    assert (whole[-1][0], whole[0][1]) == ("2025-03-07", "2026-08-10")
    for later, earlier in itertools.pairwise(whole):
        assert dt.date.fromisoformat(earlier[1]) + dt.timedelta(days=1) == dt.date.fromisoformat(later[0])
    assert spans({"from_date": "2026-01-01"})[-1][0] == "2026-01-01"
    assert spans({"from_date": "2026-08-06"}) == []
    assert spans({"quarter": "2026-Q1"}) == []
    assert spans({"from_date": "not a day"}) == []


def test_turning_a_value_keeps_other_conditions() -> None:
    other = {"dimension": "industry", "operator": "not_in", "values": ["x"]}
    form = {"query": "q", "dimension_filters": [other]}
    once = cohort.with_value_turned(form, "industry", "a")
    assert once == {"query": "q", "dimension_filters": [other, {"dimension": "industry", "values": ["a"]}]}
    assert cohort.values_of(once, "industry") == ["a"]
    assert cohort.with_value_turned(once, "industry", "a") == form
    assert cohort.with_value_turned({"dimension_filters": [{"dimension": "m", "values": ["a"]}]}, "m", "a") == {}


def test_the_filter_goes_to_the_tool_under_review(theatre: Any) -> None:
    handler = stage(theatre, Cohorts())
    reviewing = theatre.Reviewing(handler)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        screen = await opened(theatre, home, pilot, cohort.COUNTS)
        await typed(theatre, screen, pilot, "industry", "tech")
        await pilot.press("escape", "p")
        assert reviewing.pinned == [(cohort.COUNTS, {"filter": {"industry": "tech"}})]
        await pilot.press("g")
        await theatre.settle(pilot)
        assert pilot.app.screen is home
        assert (home.bench.tool, dict(home.bench.arguments)) == (cohort.COUNTS, {"filter": {"industry": "tech"}})

        screen = await opened(theatre, home, pilot, "build_quote_pack")  # what was typed is still there
        await pilot.press("p")
        assert len(reviewing.pinned) == 1  # it needs more than a filter
        await pilot.press("g")
        await theatre.settle(pilot)
        dialog: Any = pilot.app.screen  # mypy holds on to the screen of the assertion above
        assert isinstance(dialog, Arguments)
        rows = {row.field.name: row.draft for row in dialog.query(FieldRow)}
        assert (rows["filter.industry"], rows["theme_query"]) == ("tech", "")
        await pilot.press("escape", "escape")

        await opened(theatre, home, pilot, "get_sync_status")
        await pilot.press("g")
        await pilot.pause()
        dialog = pilot.app.screen
        assert isinstance(dialog, Choose)

    theatre.review(handler, reviewing, scene)


def test_where_the_preset_has_no_cohort_tools_another_one_counts_and_is_named(theatre: Any) -> None:
    handler = theatre.Stage()
    assert cohort.counting_handler(handler) is None

    class WithPreset(theatre.Stage):  # type: ignore[misc]
        def presets(self) -> list[str]:
            return [cohort.PRESET]

        def with_policy(self, *, preset: str | None = None, provenance: str | None = None) -> Any:
            return stage(theatre, Cohorts())

    found = cohort.counting_handler(WithPreset())
    assert found is not None
    assert found[1] == cohort.PRESET
    assert cohort.dimensions_of(found[0]) == ["lifecycle", "industry", "month"]


def test_hostile_text_is_inert(theatre: Any) -> None:
    cohorts = Cohorts(values=[(evil("value"), 3, 1)], words=evil("words"), message=evil("message"))
    handler = stage(theatre, cohorts)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        screen = await opened(theatre, home, pilot)
        assert "[red]value[/]" in screen_text(pilot)
        await typed(theatre, screen, pilot, "from_date", "2026-01-01")
        assert drawn("message") in screen_text(pilot)
        await typed(theatre, screen, pilot, "query", "zebra")
        assert "[red]words[/]" in screen_text(pilot)
        await typed(theatre, screen, pilot, "query", "horse")
        screen.panes.turn_to(screen._values)
        await theatre.settle(pilot)
        await pilot.press("enter")
        await theatre.settle(pilot)
        values = asked(handler, cohort.BUILD)[-1]["filter"]["dimension_filters"][0]["values"]
        assert values == [evil("value")]  # what is sent is the value itself
        screen_text(pilot)

    theatre.review(handler, theatre.Reviewing(handler), scene, size=(240, 60))


@pytest.mark.parametrize(("scene", "size"), [("counted", (140, 45)), ("emptied", (60, 20))])
def test_a_picture(theatre: Any, snap_compare: Any, scene: str, size: tuple[int, int]) -> None:
    handler = stage(theatre, Cohorts())
    app = PreflightApp(handler, clock=lambda: 0.0, reviewing=theatre.Reviewing(handler), make=theatre.make)

    async def play(pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        chosen = {"industry": "tech"} | ({"query": "zebra"} if scene == "emptied" else {})
        app.bench.tool, app.bench.arguments = cohort.COUNTS, {"filter": chosen}  # type: ignore[union-attr]
        await pilot.press("6")
        await theatre.settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CohortBuilder)
        screen.panes.turn_to(screen._plot if scene == "counted" else screen._conditions)
        await theatre.settle(pilot)
        await theatre.settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=play)
