"""What the screens say and do where there is little room, or no colour, and which keys they offer then."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.test_cohort_builder import Cohorts, opened, typed
from tests.tui.test_cohort_builder import stage as cohort_stage
from tests.tui.test_literal import screen_text
from tests.tui.test_numbered_screens import Review2, past, stage
from tui.reviewing import Standing
from tui.screens.history import History
from tui.screens.paned import PanedScreen
from tui.screens.review import Review
from tui.widgets.panes import Panes


def reversed_words(pilot: Pilot[None]) -> str:
    strips = pilot.app.screen._compositor.render_strips()
    return "".join(s.text for strip in strips for s in strip if s.style is not None and s.style.reverse)


def test_the_review_cuts_no_words_at_80_columns(theatre: Any) -> None:
    handler = theatre.Stage()
    reviewing = theatre.Reviewing(handler)
    reviewing.standings["search_transcript_segments"] = Standing.DRIFTED

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        rows = screen_text(pilot).split("\n")
        drawn = "\n".join(row for row in rows if "search_tr" not in row)
        assert "a args  x 1 of 3  s 25 withheld  l content  k cost" in drawn
        assert "!! drifted since it was approved · drift: definition: changed · +2, see 3" in drawn
        assert "━ Queue  0 of 3 ━" in next(row for row in rows if "Queue" in row)
        await pilot.resize_terminal(44, 24)
        await theatre.settle(pilot)
        assert ", see 3" in screen_text(pilot)  # what has no room is counted
        assert "…" not in screen_text(pilot).split("\n")[-2]

    theatre.review(handler, reviewing, scene, size=(80, 24))


def test_times_of_the_history_are_whole_and_the_rest_is_in_the_detail(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs += [past(decision="approved"), past(arguments={"query": "a long phrase, " * 5})]

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await pilot.press("5")
        await theatre.settle(pilot)
        await pilot.pause()
        told = screen_text(pilot)
        assert "2026-10-01 09:30  search_calls" in told
        assert "only in the detail: ms, bytes, preset" in told
        assert "2026-10-01 09:30:00 UTC · preset business-pilot · ok · 1,234 bytes · 7 withheld · 8 ms" in " ".join(
            part.strip("┃ ") for part in told.split("\n")
        )

    theatre.review(handler, reviewing, scene, size=(80, 24))


def test_panes_of_the_numbered_screens_are_resized(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs += [past(decision="approved"), past()]

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        home.bench.tool, home.bench.arguments = "search_transcript_segments", {"query": "cash"}
        for number in "2345":
            await pilot.press(number)
            await theatre.settle(pilot)
            screen = pilot.app.screen
            assert isinstance(screen, PanedScreen)
            pane: Widget = screen.query_one(Panes).current
            side = "height" if number == "5" else "width"
            before = getattr(pane.size, side)
            await pilot.press("]")
            assert getattr(pane.size, side) > before, number
            await pilot.press("[", "[")
            assert getattr(pane.size, side) < before, number
            for _ in range(14):
                screen.panes.resize(-1)
                await pilot.pause(0)
            assert getattr(pane.size, side) >= (6 if number == "5" else 20)  # never too small to be read
        await pilot.resize_terminal(80, 24)
        await theatre.settle(pilot)
        await pilot.press("]")
        await theatre.settle(pilot)
        assert "One pane has the whole window" in screen_text(pilot)

    theatre.review(handler, reviewing, scene)


def test_without_colours_the_cursor_is_told_by_frame_and_reversal(theatre: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    handler = stage(theatre)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        assert "search_tr" in reversed_words(pilot)
        assert "┏━ Queue" in screen_text(pilot)
        await pilot.press("tab")
        await theatre.settle(pilot)
        assert "search_tr" not in reversed_words(pilot)
        assert "┏━ Queue" not in screen_text(pilot)
        assert screen_text(pilot).count("┏") == 1

    theatre.review(handler, theatre.Reviewing(handler), scene)


def test_a_filter_that_is_wrong_is_not_counted_as_another_one(theatre: Any) -> None:
    handler = cohort_stage(theatre, Cohorts())

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        screen = await opened(theatre, home, pilot)
        await typed(theatre, screen, pilot, "from_date", "2026-13-01")
        screen.action_count()
        await theatre.settle(pilot)
        told = screen_text(pilot)
        assert "Cohort │ not counted" in told
        assert "Not counted: from_date is wrong: a date, YYYY-MM-DD" in told
        assert "counting" not in told
        await typed(theatre, screen, pilot, "from_date", "2026-12-01")
        screen.action_count()
        await theatre.settle(pilot)
        assert "not counted" not in screen_text(pilot)

    theatre.review(handler, theatre.Reviewing(handler), scene)


def test_keys_that_cannot_work_are_not_offered(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs.append(past())

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        def offered() -> str:
            return screen_text(pilot).split("\n")[-1]

        await pilot.press("7")
        await theatre.settle(pilot)
        assert "Change" not in offered()  # there are no vCons to look at, let alone to change
        assert "Find" not in offered()
        await pilot.press("5")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, History)
        assert "Pin" in offered()
        await pilot.press("t")
        await theatre.settle(pilot)
        assert "Pin" not in offered()  # a decision is no run
        home.bench.tool = ""
        await pilot.press("2")
        await theatre.settle(pilot)
        assert "Add" not in offered()

    theatre.review(handler, reviewing, scene)


def test_the_last_field_of_a_long_form_is_in_view_on_a_low_terminal(theatre: Any) -> None:
    tool = theatre.Tool(
        "long", "long", "What it is for. " * 20, "status",
        theatre.arguments((), **{f"field_{n}": {"type": "string", "description": f"Field {n}."} for n in range(20)}),
    )  # fmt: skip
    handler = theatre.Stage(all_tools=(tool,))

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await pilot.press("a", "shift+tab")
        await theatre.settle(pilot)
        told = screen_text(pilot)
        assert "field_19" in told
        assert "Field 19." in told

    theatre.review(handler, theatre.Reviewing(handler), scene, size=(80, 24))
