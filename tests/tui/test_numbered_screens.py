"""The screens of the number keys: compare, policy, cache, history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from textual.pilot import Pilot

from gongmcp.exposure.policy import Policy
from tests.tui.pictures import Pictures, pictures
from tests.tui.test_literal import drawn, evil, screen_text
from tui.reviewing import CacheView, CoverageDay, EntityCount, HistoryItem, Standing
from tui.screens.cache import Cache
from tui.screens.compare import Compare
from tui.screens.history import History
from tui.screens.policy import PolicyMatrix
from tui.screens.review import Review
from tui.widgets.plot_pane import binned

__all__ = ["pictures"]

DAYS = (CoverageDay("2026-01-12", 3, 2), CoverageDay("2026-01-14", 1, 1), CoverageDay("2026-09-30", 40, 38))


def past(**more: Any) -> HistoryItem:
    values: dict[str, Any] = {
        "at": "2026-10-01T09:30:00Z", "tool": "search_calls", "arguments": {"limit": 3}, "preset": "business-pilot",
        "digest": "sha256:" + "1" * 64, "bytes": 1234, "withheld": 7, "status": "ok", "decision": "",
        "milliseconds": 8.0,
    }  # fmt: skip
    return HistoryItem(**(values | more))


@dataclass
class Review2:
    """Adds to the stage's review a cache, a history and an approved run."""

    under: Any
    approved: Any = None
    view: CacheView = field(
        default_factory=lambda: CacheView(
            "gong.db",
            "stale",
            "2 calls were imported since.",
            "gongctl cache warm",
            DAYS,
            (EntityCount("calls", 44, "2026-10-01T08:00:00Z"), EntityCount("users", 0, "")),
            5_000_000,
        )
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.under, name)

    def cache(self) -> CacheView:
        return self.view

    def approved_run(self, tool: str, arguments: Any) -> Any:
        return self.approved


def stage(theatre: Any) -> Any:
    return theatre.Stage(Policy(), (theatre.SEARCH, theatre.CALLS, theatre.STATUS))


async def rows(screen: Any, pane: str) -> list[str]:
    return [row.copied for row in screen.query_one(f"#{pane}").rows]


def test_compare_shows_policies_side_by_side_and_what_changed_since_approval(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.approved = {"status": "ok", "shown": ["as_of", "gone"], "withheld": []}

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        home.bench.tool, home.bench.arguments = "search_transcript_segments", {"query": "cash"}
        await pilot.press("2")
        await theatre.settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, Compare)
        figures = {line.split("\t")[0]: line.split("\t")[1:] for line in await rows(screen, "contrast-figures")}
        assert figures["status"] == ["ok", "ok"]  # of the presets of the stage one offers it
        since = await rows(screen, "contrast-approved")
        assert "-\tshown then: gone" in since
        assert any(line.startswith("+\tshown now: ") for line in since)
        assert any(line.startswith("+\twithheld now: omitted call_id provenance.redacted") for line in since)
        await pilot.press("d")
        await theatre.settle(pilot)
        assert screen.query_one("#contrast-figures").rows[0].cells[-1].plain == "ok"  # type: ignore[attr-defined]
        await pilot.press("a", "enter")
        await theatre.settle(pilot)
        assert len(screen.query_one("#contrast-figures").rows[0].cells) == 3  # type: ignore[attr-defined]
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert pilot.app.screen is home

    theatre.review(handler, reviewing, scene)


def test_policy_says_of_each_column_every_rule_in_order(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        reviewing.decide("search_calls", Standing.DRIFTED, [])
        home.bench.tool = "search_transcript_segments"
        await pilot.press("3")
        await theatre.settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, PolicyMatrix)
        tools = await rows(screen, "matrix-tools")
        assert tools[0].split("\t")[0] in ("search_calls", "search_transcript_segments")
        columns = await rows(screen, "matrix-columns")
        assert any(line.startswith("results[].call_id\t") and line.endswith("provenance.redacted") for line in columns)
        why = [line.split("\t") for line in await rows(screen, "matrix-why")]
        assert [step[0] for step in why] == [
            "declaration", "policy switches", "small cells", "field_profile", "provenance", "opt-in argument",
        ]  # fmt: skip
        assert [step[1] for step in why].count("withholds") == 1
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert screen.panes.current.id == "matrix-columns"

    theatre.review(handler, reviewing, scene)


def test_cache_draws_coverage_and_says_the_figures(theatre: Any) -> None:
    handler = stage(theatre)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await pilot.press("4")
        await theatre.settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, Cache)
        told = screen_text(pilot)
        assert "44 calls, 41 with transcript" in told
        assert "stale" in told
        assert "gongctl cache warm" in told
        assert await rows(screen, "cache-gaps") == ["2026-01-12\t3\t1", "2026-09-30\t40\t2"]
        assert (await rows(screen, "cache-entities"))[1] == "users\t0\t"

    theatre.review(handler, Review2(theatre.Reviewing(handler)), scene)


def test_history_runs_again_at_home_and_pins(theatre: Any) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs += [past(decision="approved"), past(arguments={"limit": 2})]

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await pilot.press("5")
        await theatre.settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, History)
        assert len(await rows(screen, "history-runs")) == 1
        assert len(await rows(screen, "history-decisions")) == 1
        await pilot.press("p")
        assert reviewing.pinned == [("search_calls", {"limit": 2})]
        handler.calls.clear()
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert pilot.app.screen is home
        assert ("search_calls", {"limit": 2}) in [(name, arguments) for name, arguments, _ in handler.calls]

    theatre.review(handler, reviewing, scene)


def test_hostile_text_is_inert_on_each(theatre: Any) -> None:
    handler = stage(theatre)
    handler.state = handler.state | {"as_of": evil("as-of")}
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs.append(past(arguments={"query": evil("argument")}, preset=evil("preset")))
    reviewing.runs.append(past(decision=evil("decision")))
    reviewing.approved = {"status": "ok", "shown": [evil("member")], "withheld": []}
    reviewing.view = CacheView(evil("path"), "stale", evil("reason"), evil("next"), DAYS, (), 1)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        home.bench.tool, home.bench.arguments = "search_transcript_segments", {"query": evil("query")}
        for number, places in (
            ("2", ["member"]), ("4", ["reason", "next"]), ("5", ["preset"]),
        ):  # fmt: skip
            await pilot.press(number)
            await theatre.settle(pilot)
            told = screen_text(pilot)
            for place in places:
                assert drawn(place)[:12] in told, (number, place)
            assert "\x1b" not in told
        assert pilot.app.is_running

    theatre.review(handler, reviewing, scene, size=(260, 60))


def test_a_picture(theatre: Any, pictures: Pictures) -> None:
    handler = stage(theatre)
    reviewing = Review2(theatre.Reviewing(handler))
    reviewing.runs += [past(decision="approved"), past(arguments={"limit": 2})]

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        home.bench.tool, home.bench.arguments = "search_transcript_segments", {"query": "cash"}
        for number in "2345":
            await pilot.resize_terminal(140, 45)
            await pilot.press(number)
            await theatre.settle(pilot)
            await theatre.settle(pilot)
            for place, size in enumerate(((140, 45), (60, 20))):
                await pictures.take(pilot, f"size{place}-{number}", size=size)

    theatre.review(handler, reviewing, scene)


def test_days_are_put_together_and_none_is_lost() -> None:
    labels, having, lacking, step = binned(DAYS)
    assert step > 1
    assert labels[0] == "2026-01-12"
    assert (sum(having), sum(lacking)) == (41, 3)
    assert having[0] == 3
    assert binned(DAYS[:1]) == (["2026-01-12"], [2], [1], 1)
