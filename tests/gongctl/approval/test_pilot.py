"""The pilot walks the whole pre-flight on a real cache: queue, samples, approval, lock, server, drift."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList, Static

from gongctl.approval.reviewing import CacheReviewing
from gongctl.approval.state import ReviewState
from gongmcp.approval.lock import read_lock
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.handler import build_handler
from gongmcp.preview.contrast import NOT_OFFERED
from gongmcp.settings import ServerSettings
from tests.gongmcp.stdio_process import Server
from tests.tui.headless import less_work
from tui.app import PreflightApp
from tui.reviewing import Standing
from tui.screens.choose import Choose
from tui.screens.compare import Compare
from tui.screens.lock import WriteLock
from tui.screens.reveal import Reveal
from tui.screens.review import Review
from tui.screens.segment import Segment
from tui.widgets.pane import RowPane

__all__ = ["less_work"]

PRESET, OTHER = "operator-smoke", "business-pilot"
MOST_KEYS, MOST_TO_A_REASON = 40, 6


class Keyboard:
    """Presses keys, counts them, and waits until nothing runs any more."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.pressed: list[str] = []

    async def press(self, *keys: str, settle: bool = True) -> None:
        for key in keys:
            self.pressed.append(key)
            await self.pilot.press(key)
            if settle:
                await self.settle()

    async def settle(self) -> None:
        for _ in range(3):
            await self.pilot.app.workers.wait_for_complete()
            await self.pilot.pause()


Scene = Callable[[Review, Keyboard], Awaitable[None]]


def play(db: Path, folder: Path, scene: Scene, *, first: str = "", preset: str = PRESET, **flags: str) -> None:
    settings = ServerSettings.resolve({"tool_preset": preset, **flags}, {})
    reviewing = CacheReviewing(db, settings, ReviewState(folder / "state"), first=first)

    async def run() -> None:
        app = PreflightApp(build_handler(settings, db), settings=settings, reviewing=reviewing)
        async with app.run_test(size=(140, 45), notifications=True) as pilot:
            keyboard = Keyboard(pilot)
            await pilot.pause()
            assert isinstance(app.screen, Review)
            await scene(app.screen, keyboard)

    asyncio.run(run())


def cells(screen: Screen[Any], pane: str) -> list[list[str]]:
    """Return the rows of a pane, as they are copied."""
    return [row.copied.split("\t") for row in screen.query_one(f"#{pane}", RowPane).rows]


def since_approval(screen: Screen[Any]) -> str:
    """Return what Compare says in place of changes since the approval, where there are none."""
    return str(screen.query_one("#contrast-approved .pane-empty", Static).visual)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_whole_pre_flight(sample_cache: Path, here: Path) -> None:
    """Choose a preset, run, look at what is withheld, compare, approve, serve, change a cap, see the drift."""
    pressed: list[str] = []
    to_a_reason = 0

    async def walk(screen: Review, keyboard: Keyboard) -> None:
        nonlocal to_a_reason
        app = keyboard.pilot.app
        await keyboard.press("P")
        assert isinstance(app.screen, Choose)
        listed = app.screen.query_one(OptionList)
        assert listed.highlighted is not None
        away = listed.highlighted - next(n for n, o in enumerate(listed.options) if PRESET in str(o.prompt))
        await keyboard.press(*["up" if away > 0 else "down"] * abs(away), "enter")
        assert screen.bench.preset == PRESET
        assert len(screen.queue.items) == len(screen.bench.handler.tools())
        await keyboard.press("home", "r")
        assert screen.look is not None
        assert screen.look.own is not None
        before = len(keyboard.pressed)
        await keyboard.press("n", "d")
        assert isinstance(app.screen, Segment)
        span = app.screen.span
        told = str(app.screen.query_one(Static).visual)
        assert span.rule in told
        assert span.reason in told
        to_a_reason = len(keyboard.pressed) - before
        await keyboard.press("escape", "2")
        compare = app.screen
        assert isinstance(compare, Compare)
        figures = {name: told for name, *told in cells(compare, "contrast-figures")}
        assert figures["status"][0] == "ok"
        assert set(figures["status"]) == {"ok", NOT_OFFERED} or len(set(figures["status"])) == 1
        assert len(figures["status"]) == len(compare.policies) >= 2
        assert int(figures["withheld"][0].replace(",", "")) > 0
        assert any(span.rule in told[1] for told in cells(compare, "contrast-members"))
        assert "holds no run" in since_approval(compare)
        await keyboard.press("escape")
        for _ in range(len(screen.queue.items)):
            assert app.screen is screen
            await keyboard.press("A")
        assert isinstance(app.screen, WriteLock)
        await keyboard.press("enter")
        pressed.extend(keyboard.pressed)
        await keyboard.press("2")
        assert isinstance(app.screen, Compare)
        assert "As approved." in since_approval(app.screen)

    play(sample_cache, here, walk, preset=OTHER)
    print(f"keys from start to a lock: {len(pressed)} ({' '.join(pressed)})")
    print(f"keys to why a field is missing: {to_a_reason}")
    assert len(pressed) <= MOST_KEYS
    assert to_a_reason <= MOST_TO_A_REASON

    lock = read_lock(Path("gongmcp.lock.json"))
    served = serve(sample_cache)
    assert served.keys() == lock.tools.keys()
    with pytest.raises(StartupRefusal) as caught:
        build_handler(ServerSettings.resolve({"lock": "gongmcp.lock.json", "max_search_results": "300"}, {}))
    assert caught.value.exit_code is Exit.DRIFT

    async def look(screen: Review, keyboard: Keyboard) -> None:
        await keyboard.settle()
        assert {item.standing for item in screen.queue.items} == {Standing.DRIFTED}
        assert any("limits.search_results loosened" in line for item in screen.queue.items for line in item.drift)

    play(sample_cache, here, look, max_search_results="300")


def serve(db: Path) -> dict[str, object]:
    """Start the server under the lock, and return the tools that it lists; it answers a call too."""
    command = [sys.executable, "-m", "gongmcp"]
    with Server("--db", str(db), "--lock", "gongmcp.lock.json", command=command) as server:
        server.send(server.request(1, "tools/list"), server.call(2, "search_calls"))
        answers = [json.loads(server.out.next()) for _ in range(2)]
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id[2]["structuredContent"]["status"] == "ok"
    return {tool["name"]: tool for tool in by_id[1]["tools"]}


def test_the_queue_begins_with_the_tool_that_was_named(sample_cache: Path, here: Path) -> None:
    async def scene(screen: Review, keyboard: Keyboard) -> None:
        await keyboard.settle()
        assert screen.queue.item is not None
        assert screen.queue.item.tool == "get_sync_status"

    play(sample_cache, here, scene, first="get_sync_status")


def test_why_a_field_is_missing_and_what_it_is(sample_cache: Path, here: Path) -> None:
    async def scene(screen: Review, keyboard: Keyboard) -> None:
        await keyboard.settle()
        await keyboard.press("n", "d")
        dialog = keyboard.pilot.app.screen
        assert isinstance(dialog, Segment)
        assert len(keyboard.pressed) <= MOST_TO_A_REASON
        await keyboard.press("escape", "R", "enter")
        shown = keyboard.pilot.app.screen
        lines = (here / "state" / "review-reveals.jsonl").read_text().splitlines()
        assert isinstance(shown, Reveal)
        assert len(lines) == 1
        await keyboard.press("escape")

    play(sample_cache, here, scene)
