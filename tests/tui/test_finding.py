"""Finding words, patterns and paths in an answer."""

from __future__ import annotations

import time
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from gongmcp.preview.model import Lens
from tui.finding import Bad, Path, Words, wanted
from tui.screens.review import Review
from tui.seen import Manner
from tui.widgets.find_line import FindLine

LINE = "Straße (a.b) CASH flow, cash flow"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("cash flow", ["CASH flow", "cash flow"]),
        ("a.b", ["a.b"]),
        ("(", ["("]),
        ("/c.sh/", ["CASH", "cash"]),
        ("/(?-i:cash)/", ["cash"]),
        ("/x*/", []),
        ("//", []),
        ("STRASSE", []),
    ],
)
def test_words_and_patterns(typed: str, found: list[str]) -> None:
    sought = wanted(typed)
    assert isinstance(sought, Words)
    assert [LINE[start:end] for start, end in sought.spans(LINE)] == found
    assert list(sought.spans(LINE, 20)) == [span for span in sought.spans(LINE) if span[0] >= 20]


@pytest.mark.parametrize(
    "typed", ["/(/", "/a**/", r"/(a)\1/", "/a{9999}/", "$.", "$.a b", "$[x]", f"$[{'9' * 5000}]", "/((a{99}){99}){99}/"]
)
def test_what_cannot_be_sought_says_why(typed: str) -> None:
    sought = wanted(typed)
    assert isinstance(sought, Bad)
    assert len(sought.problem) > 10


def test_a_pattern_that_would_backtrack_does_not_hang() -> None:
    sought = wanted("/(a|a)*(a|aa)+$b/")
    assert isinstance(sought, Words)
    began = time.process_time()
    assert list(sought.spans("a" * 200_000)) == []
    assert time.process_time() - began < 5


def test_a_pattern_of_many_groups_captures_none() -> None:
    sought = wanted("/" + "(" * 1000 + "a" + ")" * 1000 + "/")
    assert isinstance(sought, Words)
    assert sought.pattern.groups == 0, "thousands of groups would be made for every match"
    assert list(sought.spans("ba")) == [(1, 2)]


def test_paths() -> None:
    for typed, steps in (
        ("$", ()),
        ("$.results[2].title", ("results", 2, "title")),
        ("$['a b'][\"c\"][*].*", ("a b", "c", "*", "*")),
    ):
        assert wanted(typed) == Path(steps)
    assert Path(("results", "*", "title")).leads_to(("results", 7, "title"))
    assert not Path(("results", "*")).leads_to(("results", 7, "title"))


def test_finding_on_the_screen(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        field, lines = screen.query_one(FindLine), screen.sees.lines

        def problem() -> str:
            told = field.query_one("#find-problem", Static)
            return str(told.visual) if told.display else ""

        def marked() -> str:
            spot = lines.spot
            assert spot is not None
            return screen.sees.seen.lines[spot.line][spot.start : spot.end]

        async def seek(typed: str) -> None:
            await pilot.press("slash")
            field.query_one("#find-words").value = typed  # type: ignore[attr-defined]
            await pilot.pause()
            await pilot.press("enter")

        await seek("CASH flow")
        assert lines.has_focus
        first = lines.spot
        assert marked() == "cash flow"
        await pilot.press("f")
        assert lines.spot.line > first.line  # type: ignore[union-attr]
        await pilot.press("F")
        assert lines.spot == first
        await seek("/free [a-z]+/")
        assert marked().lower() == "free cash"
        await seek("/(/")
        assert "not a pattern" in problem()
        assert field.has_focus_within
        await seek("nowhere at all")
        assert problem() == "! not found"
        await pilot.press("escape")
        assert not field.display
        # All of one line, to the byte: each place in it is gone to, and the end leads to the first again.
        screen.sees.turn(Lens.STRUCTURED, Manner.EXACT)
        await seek("snippet")
        found = [lines.spot]
        while True:
            await pilot.press("f")
            if lines.spot == found[0]:
                break
            found.append(lines.spot)
        assert len(found) == 3
        # A path turns to the structure, where it was the text that is on show.
        screen.sees.turn(Lens.CONTENT, Manner.READ)
        await seek("$.results[*].snippet")
        assert screen.sees.lens is Lens.STRUCTURED
        places = [lines.line]
        await pilot.press("f", "f")
        assert '"snippet"' in screen.sees.seen.lines[lines.line]
        assert lines.line > places[0]
        await pilot.press("f")
        assert lines.line == places[0]
        await seek("$.results[9]")
        assert problem() == "! not found"

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene)
