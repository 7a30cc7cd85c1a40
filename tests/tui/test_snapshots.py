"""Pictures of distinct states, narrow and wide. ``pytest --snapshot-update`` redraws them; look at them then."""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tui.app import PreflightApp

Snap = Callable[..., bool]
WIDE, MEDIUM, NARROW, SLIM = (120, 40), (100, 30), (80, 24), (60, 20)
FILLED = ("enter", "c", "a", "s", "h")
RUN = (*FILLED, "enter", "settle")


def keys(theatre: Any, presses: Sequence[str]) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press keys one after the other; ``settle`` waits for the call that they started."""

    async def play(pilot: Pilot[None]) -> None:
        await pilot.pause()
        for key in presses:
            if key == "settle":
                await theatre.settle(pilot)
            else:
                await pilot.press(key)
        await theatre.settle(pilot)

    return play


SCENES: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "before-a-run": (WIDE, FILLED),
    "result-with-a-withheld-place": (WIDE, (*RUN, "t", "n", "n")),
    "result-side-by-side": (MEDIUM, (*RUN, "s", "down", "down", "down", "down", "down")),
    "tools-narrow": (NARROW, ()),
    "result-narrow": (NARROW, RUN),
    "arguments-slim": (SLIM, FILLED),
    "needs-more-room": ((39, 11), ()),
    "help": (WIDE, ("question_mark",)),
    "preset": (NARROW, ("P",)),
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_state(theatre: Any, snap_compare: Snap, scene: str) -> None:
    size, presses = SCENES[scene]
    app = PreflightApp(theatre.Stage(), clock=lambda: 0.0)
    assert snap_compare(app, terminal_size=size, run_before=keys(theatre, presses))


@pytest.mark.parametrize("ending", ["empty", "all_withheld", "no_cache"])
def test_an_ending(theatre: Any, snap_compare: Snap, ending: str) -> None:
    stage = theatre.Stage()
    if ending == "no_cache":
        stage.state.update(freshness="missing")
        reply = theatre.fault("cache_not_ready", "The cache holds no serving read model for the active policy.")
    else:
        reply = getattr(theatre, ending)()
    stage.replies["search_calls"] = lambda _arguments, _cancel: reply
    app = PreflightApp(stage, clock=lambda: 0.0)
    assert snap_compare(app, terminal_size=MEDIUM, run_before=keys(theatre, ("down", "r", "settle")))


@pytest.mark.parametrize("look", ["light", "no-colour"])
def test_a_look(theatre: Any, snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
    if look == "no-colour":
        monkeypatch.setenv("NO_COLOR", "1")
    app = PreflightApp(theatre.Stage(), clock=lambda: 0.0)
    presses = (*RUN, "n", *(["T"] if look == "light" else []))
    assert snap_compare(app, terminal_size=WIDE, run_before=keys(theatre, presses))


def test_no_two_pictures_are_alike_and_each_has_words() -> None:
    pictures = sorted((Path(__file__).parent / "__snapshots__" / "test_snapshots").iterdir())
    assert len(pictures) == 14
    texts = {}
    for picture in pictures:
        drawn = re.findall(r"<text [^>]*>([^<]*)</text>", picture.read_text())
        text = html.unescape(" ".join(drawn)).replace("\xa0", " ")
        assert len(text.split()) >= 5, picture.name
        texts[picture.name] = picture.read_text()
    assert len(set(texts.values())) == len(texts)
