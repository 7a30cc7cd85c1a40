"""Pictures of a warm and of what can stand between an operator and a preview: few runs, wide and slim."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from gongmcp.errors import StartupRefusal
from tests.tui.pictures import Pictures, assert_all_different, pictures
from tui.reviewing import CacheView, CoverageDay, EntityCount
from tui.screens.review import Review

__all__ = ["pictures"]

WIDE, SLIM = (140, 45), (60, 20)
SEARCH = "search_transcript_segments"


class Warming:
    """An operation that stands at 120 of 400 calls until it is stopped, and then until it is let go."""

    def __init__(self) -> None:
        self.started, self.let_go = threading.Event(), threading.Event()

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        progress(120, 400)
        self.started.set()
        assert self.let_go.wait(30)
        assert should_stop()
        return "Redone: 120 of 400 calls looked at, 5,210 segments."

    def ungoverned(self, *given: Any) -> Any:
        raise StartupRefusal("There is no operator's model.", "")


def test_a_warm(theatre: Any, pictures: Pictures) -> None:
    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage)
    days = (CoverageDay("2026-01-12", 3, 2), CoverageDay("2026-01-13", 5, 5))
    counts = (EntityCount("calls", 400, "2026-01-14T08:00:00Z"),)
    why = "280 calls were imported since."
    reviewing.cache = lambda: CacheView("gong.db", "stale", why, "gongctl cache warm", days, counts, 5_000_000)
    warming = Warming()

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("4")
        await theatre.settle(pilot)
        await pilot.press("w")
        while not warming.started.is_set():
            await pilot.pause()
        await pilot.pause()
        for size, name in ((SLIM, "slim"), (WIDE, "wide")):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pictures.take(pilot, f"runs-{name}", "120 of 400 calls", "30%", "esc stops")
        await pilot.press("escape")
        await pictures.take(pilot, "stops", "120 of 400 calls", "Stopping after the call in hand")
        warming.let_go.set()
        await theatre.settle(pilot)
        for size, name in ((WIDE, "wide"), (SLIM, "slim")):
            told = ("Stopped at 120 of 400 calls", "w goes on from there")
            await pictures.take(pilot, f"was-cancelled-{name}", *told, size=size)

    theatre.review(stage, reviewing, scene, operations=warming)


def test_what_stands_between(theatre: Any, pictures: Pictures) -> None:
    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage)
    fault = theatre.fault("cache_not_ready", "The cache holds no serving read model for the active policy.")
    fresh = dict(stage.state)
    found = theatre.found()
    stale = theatre.outcome((found.answer.structured or {}) | {"freshness": "stale"}, found.answer.text)
    locked = StartupRefusal("Another process writes the cache.", "Wait until the import has ended, then press r.")

    def now(reply: Any, freshness: str = "fresh", refusal: Exception | None = None) -> None:
        stage.replies[SEARCH] = lambda _arguments, _cancel: reply
        stage.state.update(fresh, freshness=freshness)
        reviewing.refusal = refusal

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        for name, given, words in (
            ("no-cache", (fault, "missing"), ("cache_not_ready", "w to warm the cache")),
            ("stale", (stale, "stale"), ("The cache is newer than what is served", "Press w to warm it")),
            ("locked", (found, "fresh", locked), ("Another process writes the cache", "press r")),
            ("empty", (theatre.empty(),), ("EMPTY", "Widen the dates")),
            ("all-withheld", (theatre.all_withheld(),), ("ALL WITHHELD", "policy withholds every column")),
        ):
            now(*given)
            await screen.begin()
            await theatre.settle(pilot)
            screen.turn_page("work")
            for size, wide in ((WIDE, "wide"), (SLIM, "slim")):
                told = await pictures.take(pilot, f"{name}-{wide}", *words, size=size)
                # Where there is no answer, nothing of the one before it is left.
                assert (name == "locked") == ("risk 80" not in told and "est. " not in told and "largest" not in told)
        now(found)
        await screen.begin()
        await theatre.settle(pilot)
        stage.state.update(as_of="2026-03-03T00:00:00Z")
        screen._look_at_the_cache()
        await theatre.settle(pilot)
        for size, wide in ((SLIM, "slim"), (WIDE, "wide")):
            words = ("The cache has changed since this preview was made", "r runs it again")
            await pictures.take(pilot, f"changed-{wide}", *words, size=size)

    theatre.review(stage, reviewing, scene)


def test_no_two_pictures_are_alike_and_each_has_words() -> None:
    assert_all_different(Path(__file__).parent / "__snapshots__" / "test_states", 17)
