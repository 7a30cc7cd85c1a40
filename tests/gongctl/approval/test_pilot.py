"""The pilot walks the whole pre-flight on a real cache: queue, samples, approval, lock, server, drift."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from gongctl.approval.reviewing import CacheReviewing
from gongctl.approval.state import ReviewState
from gongmcp.approval.lock import read_lock
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tui.app import PreflightApp
from tui.reviewing import Standing
from tui.screens.lock import WriteLock
from tui.screens.reveal import Reveal
from tui.screens.review import Review
from tui.screens.segment import Segment

PRESET = "operator-smoke"
MOST_KEYS, MOST_TO_A_REASON = 40, 6


class Keyboard:
    """Presses keys, counts them, and waits until nothing runs any more."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.pressed: list[str] = []

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.pressed.append(key)
            await self.pilot.press(key)
            await self.settle()

    async def settle(self) -> None:
        for _ in range(3):
            await self.pilot.app.workers.wait_for_complete()
            await self.pilot.pause()


Scene = Callable[[Review, Keyboard], Awaitable[None]]


def play(db: Path, folder: Path, scene: Scene, *, first: str = "", **flags: str) -> None:
    settings = ServerSettings.resolve({"tool_preset": PRESET, **flags}, {})
    reviewing = CacheReviewing(db, settings, ReviewState(folder / "state"), first=first)

    async def run() -> None:
        app = PreflightApp(build_handler(settings, db), settings=settings, reviewing=reviewing)
        async with app.run_test(size=(140, 45), notifications=True) as pilot:
            keyboard = Keyboard(pilot)
            await keyboard.settle()
            assert isinstance(app.screen, Review)
            await scene(app.screen, keyboard)

    asyncio.run(run())


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_start_to_a_lock_that_is_served_and_drifts(sample_cache: Path, here: Path) -> None:
    pressed: list[str] = []

    async def approve_all(screen: Review, keyboard: Keyboard) -> None:
        for _ in range(len(screen.queue.items)):
            assert isinstance(keyboard.pilot.app.screen, Review)
            await keyboard.press("A")
        assert isinstance(keyboard.pilot.app.screen, WriteLock)
        await keyboard.press("enter")
        pressed.extend(keyboard.pressed)

    play(sample_cache, here, approve_all)
    print(f"keys from start to a lock: {len(pressed)} ({' '.join(pressed)})")
    assert len(pressed) <= MOST_KEYS
    lock = read_lock(Path("gongmcp.lock.json"))
    settings = ServerSettings.resolve({"lock": "gongmcp.lock.json"}, {})
    served = build_handler(settings, sample_cache)
    assert {tool.name for tool in served.tools()} == lock.tools.keys()
    assert served.drift() == []
    assert served.call("search_calls", {}).code == "ok"
    with pytest.raises(StartupRefusal) as caught:
        build_handler(ServerSettings.resolve({"lock": "gongmcp.lock.json", "max_search_results": "300"}, {}))
    assert caught.value.exit_code is Exit.DRIFT

    async def look(screen: Review, keyboard: Keyboard) -> None:
        assert {item.standing for item in screen.queue.items} == {Standing.DRIFTED}
        assert any("limits.search_results loosened" in line for item in screen.queue.items for line in item.drift)

    play(sample_cache, here, look, max_search_results="300")


def test_the_queue_begins_with_the_tool_that_was_named(sample_cache: Path, here: Path) -> None:
    async def scene(screen: Review, keyboard: Keyboard) -> None:
        assert screen.queue.item is not None
        assert screen.queue.item.tool == "get_sync_status"

    play(sample_cache, here, scene, first="get_sync_status")


def test_why_a_field_is_missing_and_what_it_is(sample_cache: Path, here: Path) -> None:
    async def scene(screen: Review, keyboard: Keyboard) -> None:
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
