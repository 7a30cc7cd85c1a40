"""Long text is drawn by lines: the cost of a screen does not follow the length of the text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.selection import Selection

from tui.answer import Spot
from tui.screens.preflight import Preflight
from tui.widgets.lines import Lines

SENTENCE = "We said that free cash flow was up nine percent, and that is what counts. "


def long_outcome(theatre: Any, *, one_line: bool) -> Any:
    rows = [{"snippet": SENTENCE * 7} for _ in range(4000)]
    joint = " " if one_line else "\n"
    return theatre.outcome({"status": "ok", "results": rows}, joint.join(row["snippet"] for row in rows))


@pytest.mark.parametrize("one_line", [False, True])
def test_two_megabytes_scroll_and_only_what_is_seen_is_drawn(
    theatre: Any, monkeypatch: pytest.MonkeyPatch, one_line: bool
) -> None:
    outcome = long_outcome(theatre, one_line=one_line)
    assert len(outcome.answer.text) > 2_000_000
    stage = theatre.Stage(replies={"search_calls": lambda _a, _c: outcome})
    drawn: list[int] = []
    draw = Lines.render_line
    monkeypatch.setattr(Lines, "render_line", lambda self, y: (drawn.append(y), draw(self, y))[1])

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        lines = screen.receives.lines
        assert lines.virtual_size.height > 30_000
        drawn.clear()
        await pilot.press("end")
        assert lines.scroll_offset.y == lines.max_scroll_y
        last = "".join(lines.render_line(y).text for y in range(lines.size.height))
        assert "what counts." in last
        await pilot.press("pageup", "home", "pagedown")
        assert len(drawn) < 12 * lines.size.height
        await pilot.press("t")
        assert lines.virtual_size.height > 30_000

    theatre.play(stage, scene, size=(100, 30))


@pytest.mark.parametrize("joint", ["\n", " "])
def test_what_is_on_top_stays_there_when_the_width_changes(theatre: Any, joint: str) -> None:
    numbers = joint.join(f"{n}: {SENTENCE}" for n in range(200))
    stage = theatre.Stage(replies={"search_calls": lambda _a, _c: theatre.outcome({"status": "ok"}, numbers)})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        lines = screen.receives.lines

        def on_top() -> int:
            text = " ".join(lines.render_line(y).text for y in range(5))
            return int(re.findall(r"([0-9]+): We", text)[0])

        lines.scroll_to(0, 150, animate=False)
        before = on_top()
        assert before > 20
        await pilot.resize_terminal(118, 30)
        await theatre.settle(pilot)
        assert abs(on_top() - before) <= 1

    theatre.play(stage, scene, size=(100, 30))


def test_a_spot_is_scrolled_to_and_marked(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        lines = screen.receives.lines
        while not lines.size.height:
            await pilot.pause()
        lines.show([f"line {n} " + "word " * 60 for n in range(100)])
        lines.point_at(Spot(70, 200, 205))
        strips = [lines.render_line(y) for y in range(lines.size.height)]
        reversed_text = "".join(s.text for strip in strips for s in strip if s.style is not None and s.style.reverse)
        assert reversed_text == ("line 70 " + "word " * 60)[200:205]

    theatre.play(theatre.Stage(), scene)


def test_a_mouse_selection_gives_the_drawn_text(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        lines = screen.receives.lines
        lines.show(["[REDACTED] one", "two\x1b"])
        selected = lines.get_selection(Selection(None, None))
        assert selected is not None
        assert selected[0].split() == ["[REDACTED]", "one", "two␛"]

    theatre.play(theatre.Stage(), scene)
