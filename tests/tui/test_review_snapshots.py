"""Pictures of the review's distinct states, wide to slim. ``pytest --snapshot-update`` redraws them: look at them."""

from __future__ import annotations

import getpass
import html
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from gongmcp.errors import StartupRefusal
from tui.app import PreflightApp
from tui.reviewing import Standing

Snap = Callable[..., bool]
WIDE, MEDIUM, SLIM = (140, 45), (100, 30), (60, 20)
SEARCH = "search_transcript_segments"


def keys(theatre: Any, presses: Sequence[str]) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press keys one after the other; ``settle`` waits for what they started."""

    async def play(pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        for key in presses:
            if key == "settle":
                await theatre.settle(pilot)
            else:
                await pilot.press(key)
        await theatre.settle(pilot)

    return play


SCENES: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "linked": (WIDE, ("n", "n", "n", "n", "s", "l")),
    "medium": (MEDIUM, ("enter", "down", "down", "down", "down", "down")),
    "slim": (SLIM, ("enter", "n")),
    "slim-queue": (SLIM, ()),
    "slim-withheld": (SLIM, ("s", "down")),
    "needs-more-room": ((39, 11), ()),
    "samples": (MEDIUM, ("x",)),
    "arguments": (MEDIUM, ("a",)),
    "detail": (MEDIUM, ("s", "end", "d")),
    "reveal-asked": (MEDIUM, ("s", "down", "down", "R")),
    "lock": (MEDIUM, ("A", "settle", "E", "settle", "L", "settle")),
    "help": ((140, 80), ("question_mark",)),
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_state(theatre: Any, snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, scene: str) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ana")
    size, presses = SCENES[scene]
    stage = theatre.Stage()
    app = PreflightApp(stage, clock=lambda: 0.0, reviewing=theatre.Reviewing(stage), make=theatre.make)
    assert snap_compare(app, terminal_size=size, run_before=keys(theatre, presses))


@pytest.mark.parametrize("state", ["gate-fails", "all-withheld", "drifted", "locked", "cost-over"])
def test_what_stands_against_it(theatre: Any, snap_compare: Snap, state: str) -> None:
    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage)
    presses: tuple[str, ...] = ()
    if state == "gate-fails":
        stage.failing["channels"] = "/results/0/title is not told alike. Look at it through both lenses."
        presses = ("A",)
    elif state == "all-withheld":
        stage.replies[SEARCH] = lambda _arguments, _cancel: theatre.all_withheld()
    elif state == "drifted":
        reviewing.standings |= {SEARCH: Standing.DRIFTED, "search_calls": Standing.APPROVED}
        stage.replies[SEARCH] = lambda _arguments, _cancel: theatre.empty()
    elif state == "locked":
        reviewing.refusal = StartupRefusal("The cache is being written.", "Wait for the import, then press r.")
    else:
        stage.replies[SEARCH] = lambda _arguments, _cancel: theatre.outcome(
            theatre.found().answer.structured, "x " * 20_000, tokens=21_000
        )
        presses = ("k",)
    app = PreflightApp(stage, clock=lambda: 0.0, reviewing=reviewing, make=theatre.make)
    assert snap_compare(app, terminal_size=MEDIUM, run_before=keys(theatre, presses))


@pytest.mark.parametrize("look", ["light", "contrast", "no-colour", "plain"])
def test_a_look(theatre: Any, snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
    if look == "no-colour":
        monkeypatch.setenv("NO_COLOR", "1")
    stage = theatre.Stage()
    app = PreflightApp(
        stage, clock=lambda: 0.0, reviewing=theatre.Reviewing(stage), make=theatre.make, ascii=look == "plain"
    )
    presses = {"light": ("n", "T"), "contrast": ("n", "T", "T")}.get(look, ("n",))
    assert snap_compare(app, terminal_size=(120, 30), run_before=keys(theatre, presses))


def test_no_two_pictures_are_alike_and_each_has_words() -> None:
    pictures = sorted((Path(__file__).parent / "__snapshots__" / "test_review_snapshots").iterdir())
    assert len(pictures) == len(SCENES) + 9
    texts = {}
    for picture in pictures:
        drawn = re.findall(r"<text [^>]*>([^<]*)</text>", picture.read_text())
        text = html.unescape(" ".join(drawn)).replace("\xa0", " ")
        assert len(text.split()) >= 5, picture.name
        texts[picture.name] = picture.read_text()
    assert len(set(texts.values())) == len(texts)
