"""The pre-flight screen, driven by its keys."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Select, Static, TextArea

from gongmcp.handler import Outcome
from tui.answer import Spot
from tui.screens.choose import Choose
from tui.screens.help import Help
from tui.screens.preflight import Preflight
from tui.screens.warm import Warm
from tui.widgets.field_row import FieldRow
from tui.widgets.policy_bar import PolicyBar
from tui.widgets.text_fields import Line
from tui.widgets.tri_state import TriState
from tui.widgets.verdict_bar import VerdictBar


def words(widget: Static) -> str:
    """What a static widget says."""
    return str(widget.visual)


def verdict(screen: Preflight) -> str:
    return words(screen.query_one(VerdictBar))


def policy(screen: Preflight) -> str:
    return words(screen.query_one(PolicyBar))


def rows(screen: Preflight) -> dict[str, FieldRow]:
    return {row.field.name: row for row in screen.query(FieldRow)}


async def type_text(pilot: Pilot[None], text: str) -> None:
    names = {" ": "space", "/": "slash", '"': "quotation_mark"}
    await pilot.press(*(names.get(character, character) for character in text))


def test_a_run_shows_what_the_agent_receives_and_what_was_withheld(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await type_text(pilot, "free cash")
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert [call[:2] for call in stage.calls] == [("search_transcript_segments", {"query": "free cash"})]
        assert screen.receives.lines.text == theatre.found().answer.text
        assert "3 rows, more exist · 2,148 bytes, 4% of 48 KiB · est. 540 tokens" in verdict(screen)
        shown = [str(option.prompt) for option in screen.withheld.options.options]
        assert any("omitted call id" in row and "×3" in row for row in shown)
        assert any("redacted email" in row and "×1" in row for row in shown)
        assert screen.receives.has_focus_within
        await pilot.press("t")
        assert json.loads(screen.receives.lines.text) == theatre.found().answer.structured
        await pilot.press("t")
        assert json.loads(screen.receives.exact)["structuredContent"] == theatre.found().answer.structured
        await pilot.press("t")
        assert json.loads(screen.receives.lines.text) == theatre.SEARCH.wire()

    theatre.play(stage, scene)


def test_withheld_things_are_walked_and_pointed_at(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.press("t")
        view = screen.receives.shown
        seen: list[Spot] = []
        for _ in theatre.found().ledger.entries:
            await pilot.press("n")
            spot = screen.receives.lines.spot
            assert spot is not None
            seen.append(spot)
        marked = [view.lines[spot.line][spot.start : spot.end] for spot in seen if spot.end > spot.start]
        assert marked == ["{redacted:email}"]
        objects = {view.at["results", row] for row in range(3)}
        assert objects < {spot.line for spot in seen}
        await pilot.press("n")
        assert screen.receives.lines.spot == seen[0]
        await pilot.press("p")
        assert screen.receives.lines.spot == seen[-1]
        await pilot.press("s", "up", "up")
        detail = words(screen.query_one("#withheld-detail", Static))
        assert "/results/" in detail
        assert "1 of " in detail

    theatre.play(theatre.Stage(), scene)


def test_a_missing_or_bad_argument_is_shown_and_nothing_runs(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await theatre.settle(pilot)
        assert stage.calls == []
        row = rows(screen)["query"]
        assert row.has_class("-bad")
        assert row.has_focus_within
        await pilot.press("x", "tab")
        assert not row.has_class("-bad")
        await type_text(pilot, "2021-13-01")
        await pilot.press("f5")
        await theatre.settle(pilot)
        assert stage.calls == []
        assert rows(screen)["from_date"].has_class("-bad")
        assert "a date, YYYY-MM-DD" in words(rows(screen)["from_date"].query_one(".field-problem", Static))

    theatre.play(stage, scene)


def test_each_kind_of_argument_is_sent_as_what_it_is(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x")
        fields = rows(screen)
        select = fields["scope"].query_one(Select)
        select.focus()
        await pilot.press("enter", "down", "enter")
        fields["limit"].query_one(Input).focus()
        await type_text(pilot, "500")
        assert "will be served as 100" in words(fields["limit"].query_one(".field-problem", Static))
        tri_state = fields["include_call_ids"].query_one(TriState)
        tri_state.focus()
        await pilot.press("right", "right")
        assert fields["include_call_ids"].draft == "false"
        await pilot.press("r")
        await theatre.settle(pilot)
        assert stage.calls[-1][1] == {"query": "x", "scope": "External", "limit": 500, "include_call_ids": False}
        tri_state.focus()
        await pilot.press("right", "r")
        await theatre.settle(pilot)
        assert "include_call_ids" not in stage.calls[-1][1]

    theatre.play(stage, scene)


def test_lists_numbers_and_json_fields(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "enter", "tab")
        await type_text(pilot, "Gong Connect")
        await pilot.press("enter")
        await type_text(pilot, "Zoom, Meet")
        await pilot.press("tab")
        await type_text(pilot, "1.5")
        rows(screen)["filters"].query_one(TextArea).text = '{"deep": [1, null]}'
        await pilot.pause()
        await pilot.press("f5")
        await theatre.settle(pilot)
        assert stage.calls == [
            (
                "search_calls",
                {"systems": ["Gong Connect", "Zoom, Meet"], "minutes": 1.5, "filters": {"deep": [1, None]}},
                stage.policy,
            )
        ]

    theatre.play(stage, scene)


def test_members_of_an_object_have_rows_and_are_needed_only_where_it_is_given(theatre: Any) -> None:
    window = {
        "type": "object",
        "properties": {"first": {"type": "string", "format": "date"}, "days": {"type": "integer"}},
        "required": ["first"],
    }
    tool = theatre.Tool("nested", "Nested", "Has an object.", "metadata", theatre.arguments(window=window))
    stage = theatre.Stage(all_tools=[tool])

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await theatre.settle(pilot)
        assert stage.calls[-1][1] == {}
        rows(screen)["window.days"].control.focus()
        await pilot.press("7", "f5")
        await theatre.settle(pilot)
        assert len(stage.calls) == 1
        assert rows(screen)["window.first"].has_class("-bad")
        await type_text(pilot, "2021-05-01")
        await pilot.press("f5")
        await theatre.settle(pilot)
        assert stage.calls[-1][1] == {"window": {"first": "2021-05-01", "days": 7}}
        await pilot.press("e")
        editor = screen.query_one("#json-editor", TextArea)
        assert json.loads(editor.text) == stage.calls[-1][1]
        editor.text = '{"window": {"first": "2021-06-01"}}'
        await pilot.press("escape", "e")
        assert rows(screen)["window.first"].draft == "2021-06-01"
        assert rows(screen)["window.days"].draft == ""

    theatre.play(stage, scene)


def test_a_schema_without_a_form_gets_a_json_editor(theatre: Any) -> None:
    stage = theatre.Stage(all_tools=[theatre.STRANGE])

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        editor = screen.query_one("#json-editor", TextArea)
        editor.text = '{"a": [1, {"b": null}]}'
        await pilot.press("r")
        await theatre.settle(pilot)
        assert stage.calls[-1][1] == {"a": [1, {"b": None}]}
        await pilot.press("a")
        for bad, problem in (("[1]", "arguments are an object"), ("{", "line 1, column 2")):
            editor.text = bad
            await pilot.press("f5")
            await theatre.settle(pilot)
            assert len(stage.calls) == 1
            assert problem in words(screen.query_one("#json-problem", Static))

    theatre.play(stage, scene)


def test_form_and_json_are_twins_and_the_draft_text_is_kept(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await type_text(pilot, "cash")
        await pilot.press("escape", "e")
        editor = screen.query_one("#json-editor", TextArea)
        assert json.loads(editor.text) == {"query": "cash"}
        odd = '{"query" :   "cash", "limit": 7, "include_call_ids": true}'
        editor.text = odd
        await pilot.press("escape", "down", "up")
        assert screen.query_one("#json-editor", TextArea).text == odd
        await pilot.press("e")
        fields = rows(screen)
        assert {name: row.draft for name, row in fields.items() if row.draft} == {
            "query": "cash", "limit": "7", "include_call_ids": "true",
        }  # fmt: skip

    theatre.play(theatre.Stage(), scene)


@pytest.mark.parametrize("text", ['{"unknown": 1}', '{"limit": "7"}', '{"query": "a\\u001bb"}', "{"])
def test_what_the_form_cannot_hold_stays_in_json(theatre: Any, text: str) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("e")
        screen.query_one("#json-editor", TextArea).text = text
        await pilot.press("escape", "e")
        assert screen.query_one("#json-editor", TextArea).text == text

    theatre.play(theatre.Stage(), scene)


def test_drafts_and_results_are_kept_by_tool(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.press("escape", "escape", "down")
        assert "Not run yet" in verdict(screen)
        await pilot.press("up")
        assert rows(screen)["query"].draft == "x"
        assert "OK" in verdict(screen)
        await pilot.press("enter", "y")
        assert "arguments changed since this run" in verdict(screen)
        await pilot.press("escape", "u")
        assert rows(screen)["query"].draft == ""

    theatre.play(theatre.Stage(), scene)


def test_search_filters_and_escape_clears_it(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("slash")
        await type_text(pilot, "cache how")
        names = [str(option.prompt).strip() for option in screen.tool_list.options.options if not option.disabled]
        assert names == ["get_sync_status"]
        await pilot.press("enter")
        assert screen.tool_list.options.has_focus
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert "OK" in verdict(screen)
        await pilot.press("slash")
        await type_text(pilot, " zzz")
        assert "No tool matches" in str(screen.tool_list.options.options[0].prompt)
        await pilot.press("escape")
        assert screen.tool_list.search.value == ""
        assert len([option for option in screen.tool_list.options.options if not option.disabled]) == 3

    theatre.play(theatre.Stage(), scene)


def test_letters_are_inert_while_typing(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await type_text(pilot, "quPvr/?")
        assert rows(screen)["query"].draft == "quPvr/?"
        assert pilot.app.screen is screen

    theatre.play(theatre.Stage(), scene)


def test_escape_interrupts_the_query_and_nothing_is_shown(theatre: Any) -> None:
    slow = theatre.Slow()
    stage = theatre.Stage(replies={"search_calls": slow})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        while not slow.started.is_set():
            await pilot.pause()
        assert "RUNNING" in verdict(screen)
        assert "esc cancels" in verdict(screen)
        await pilot.press("escape")
        assert slow.cancelled.is_set()
        await theatre.settle(pilot)
        assert "CANCELLED" in verdict(screen)
        assert screen.receives.lines.text == "" or not screen.receives.lines.display

    theatre.play(stage, scene)


def test_leaving_interrupts_the_query(theatre: Any) -> None:
    slow = theatre.Slow()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        while not slow.started.is_set():
            await pilot.pause()
        await pilot.press("q")

    theatre.play(theatre.Stage(replies={"search_calls": slow}), scene)
    assert slow.cancelled.is_set()


def test_the_preset_changes_for_this_preview_only(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.press("P")
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert "preset operator-smoke*" in policy(screen)
        assert "* in this preview only" in policy(screen)
        names = [str(option.prompt).strip() for option in screen.tool_list.options.options if not option.disabled]
        assert names == ["get_sync_status"]
        assert "Not run yet" in verdict(screen)
        await pilot.press("P", "up", "enter")
        await pilot.pause()
        assert "preset full catalogue" in policy(screen)
        assert "*" not in policy(screen)
        assert stage.policy.preset is None

    theatre.play(stage, scene)


def test_the_provenance_changes_what_is_called(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("v", "down", "enter")
        await pilot.pause()
        assert "provenance alias*" in policy(screen)
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        assert stage.calls[-1][2].provenance.value == "alias"
        await pilot.press("v", "escape")
        assert "provenance alias*" in policy(screen)

    theatre.play(stage, scene)


def test_under_another_policy_a_narrow_screen_goes_back_to_the_tools(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await type_text(pilot, "free cash")
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert screen.has_class("-page-result")
        await pilot.press("v", "down", "enter")
        await pilot.pause()
        assert screen.has_class("-page-tools")
        assert screen.focused is not None, "a key must not go to a field that is out of sight"
        assert screen.focused.region.area > 0
        assert not isinstance(screen.focused, Input)

    theatre.play(stage, scene, size=(80, 24))


@pytest.mark.parametrize(
    ("reply", "state", "expected"),
    [
        ("empty", {}, ["EMPTY", "10 calls in range", "Next: Widen"]),
        ("all_withheld", {}, ["ALL WITHHELD", "2 rows without any content", "Next: "]),
        ("fault", {}, ["TOOL ERROR", "invalid_argument", "limit is not in the allowed range."]),
    ],
)
def test_each_ending_has_its_state_and_its_next_step(
    theatre: Any, reply: str, state: dict[str, Any], expected: list[str]
) -> None:
    answer: Callable[[], Outcome] = getattr(theatre, reply)
    stage = theatre.Stage(replies={"search_calls": lambda _arguments, _cancel: answer()})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        for text in expected:
            assert text in verdict(screen)

    theatre.play(stage, scene)


def test_no_cache_and_a_stale_cache_say_what_to_do(theatre: Any) -> None:
    missing = {"freshness": "missing", "as_of": "", "calls": 0, "transcripts": 0, "segments": 0}
    fault = theatre.fault("cache_not_ready", "The cache holds no serving read model.")
    stage = theatre.Stage(state=missing, replies={"search_calls": lambda _a, _c: fault})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        assert "cache missing, w warms it" in policy(screen)
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        assert "gongctl cache warm" in verdict(screen)
        stage.state.update(freshness="stale", as_of="2026-03-02T09:30:00Z", calls=10)
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "cache stale as of 2026-03-02 09:30, w warms it" in policy(screen)

    theatre.play(stage, scene)


def test_a_handler_that_breaks_shows_no_content(theatre: Any) -> None:
    def broken(_arguments: dict[str, Any], _cancel: Any) -> Outcome:
        raise RuntimeError("secret value")

    stage = theatre.Stage(replies={"search_calls": broken})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        assert "PREVIEW FAILED" in verdict(screen)
        assert "RuntimeError" in verdict(screen)
        assert "secret value" not in verdict(screen)

    theatre.play(stage, scene)


class Warmer:
    """An operation that warms three calls, or fails."""

    def __init__(self, failure: Exception | None = None, *, endless: bool = False) -> None:
        self.failure = failure
        self.endless = endless
        self.stopped = False

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        done = 0
        while done < 3 or self.endless:
            if should_stop():
                self.stopped = True
                return f"Stopped after {done} calls."
            if self.failure is not None:
                raise self.failure
            done += 1
            progress(done, 10**9 if self.endless else 3)
            time.sleep(0.001)
        return "Warmed 3 calls."


def notes(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


def test_warming_reports_what_was_done(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("w")
        await theatre.settle(pilot)
        assert pilot.app.screen is screen
        assert notes(pilot) == ["Warmed 3 calls. Press r to run again."]

    theatre.play(theatre.Stage(), scene, operations=Warmer())


def test_warming_can_be_stopped(theatre: Any) -> None:
    warmer = Warmer(endless=True)

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("w")
        assert isinstance(pilot.app.screen, Warm)
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert warmer.stopped
        assert words(pilot.app.screen.query_one("#warm-words", Static)).startswith("Stopped at ")
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert pilot.app.screen is screen
        assert notes(pilot)[0].startswith("Stopped after")

    theatre.play(theatre.Stage(), scene, operations=warmer)


def test_a_failed_warm_stays_until_it_is_read(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("w")
        await theatre.settle(pilot)
        assert "OSError: disk full" in words(pilot.app.screen.query_one("#warm-words", Static))
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is screen

    theatre.play(theatre.Stage(), scene, operations=Warmer(OSError("disk full")))


def test_without_operations_the_command_is_named(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("w")
        assert notes(pilot) == ["This preview cannot write. Run: gongctl cache warm --db PATH"]

    theatre.play(theatre.Stage(), scene)


def test_escape_never_quits_and_q_does(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.press("z")
        assert screen.has_class("-zoomed")
        await pilot.press(*["escape"] * 6)
        assert not screen.has_class("-zoomed")
        assert screen.tool_list.options.has_focus
        assert not has_quit(pilot)
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("q")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("escape", "q")
        await pilot.pause()
        assert has_quit(pilot)

    theatre.play(theatre.Stage(), scene)


def test_copy_takes_the_exact_text(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("y")
        assert pilot.app.clipboard == ""
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.press("y")
        assert pilot.app.clipboard == theatre.found().answer.text

    theatre.play(theatre.Stage(), scene)


def displayed(screen: Preflight) -> set[str]:
    """Which parts can be seen."""
    parts = ("tools", "arguments", "receives", "withheld", "too-small")
    return {part for part in parts if screen.query_one(f"#{part}").region.area and shows(screen, part)}


def shows(screen: Preflight, part: str) -> bool:
    return all(node.display for node in screen.query_one(f"#{part}").ancestors_with_self if hasattr(node, "display"))


@pytest.mark.parametrize(
    ("size", "first", "form", "result"),
    [
        ((140, 45), {"tools", "arguments", "receives", "withheld"}, None, None),
        ((120, 40), {"tools", "arguments", "receives", "withheld"}, None, None),
        ((100, 30), {"tools", "arguments"}, {"tools", "arguments"}, {"receives", "withheld"}),
        ((80, 24), {"tools", "arguments"}, {"tools", "arguments"}, {"receives", "withheld"}),
        ((60, 20), {"tools"}, {"arguments"}, {"receives"}),
        ((40, 12), {"tools"}, {"arguments"}, {"receives"}),
    ],
)
def test_the_layout_follows_the_terminal(
    theatre: Any, size: tuple[int, int], first: set[str], form: set[str] | None, result: set[str] | None
) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        assert displayed(screen) == first
        await pilot.press("enter", "x")
        assert displayed(screen) == (form or first)
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert displayed(screen) == (result or first)
        if size[0] < 72:
            await pilot.press("s")
            await pilot.pause()
            assert displayed(screen) == {"withheld"}
            assert screen.withheld.options.has_focus
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert displayed(screen) == first
        await pilot.press("r")
        await theatre.settle(pilot)
        await pilot.press("z")
        await pilot.pause()
        assert len(displayed(screen)) == 1

    theatre.play(theatre.Stage(), scene, size=size)


@pytest.mark.parametrize("size", [(39, 12), (40, 11), (20, 5), (1, 1)])
def test_a_tiny_terminal_says_what_it_needs_and_still_answers(theatre: Any, size: tuple[int, int]) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        assert displayed(screen) == {"too-small"}
        assert "40x12" in words(screen.query_one("#too-small", Static))
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("escape")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "tools" in displayed(screen)
        await pilot.resize_terminal(*size)
        await pilot.press("q")
        await pilot.pause()
        assert has_quit(pilot)

    theatre.play(theatre.Stage(), scene, size=size)


def has_quit(pilot: Pilot[None]) -> bool:
    return pilot.app.return_code is not None


def test_pasted_text_loses_what_cannot_be_seen_and_says_so(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        line = rows(screen)["query"].query_one(Line)
        line.post_message(events.Paste("one\ntwo\x1b[31m\u202e three"))
        await pilot.pause()
        assert line.value == "one two[31m three"
        assert len(notes(pilot)) == 1
        await pilot.press("escape", "e")
        block = screen.query_one("#json-editor", TextArea)
        block.text = ""
        block.post_message(events.Paste('{"query":\r\n"\u200bx"}'))
        await pilot.pause()
        assert block.text == '{"query":\n"x"}'

    theatre.play(theatre.Stage(), scene)


def test_clicks_do_what_keys_do(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "x", "enter")
        await theatre.settle(pilot)
        await pilot.click(screen.query(".view-tab")[1])
        assert screen.receives.view == "json"
        await pilot.click(rows(screen)["include_call_ids"].query_one(TriState))
        assert rows(screen)["include_call_ids"].draft == "true"
        await pilot.click(screen.query_one("#withheld-groups", OptionList), offset=(2, 1))
        assert screen.receives.lines.spot is not None

    theatre.play(theatre.Stage(), scene)


def test_no_tools_is_a_state_of_its_own(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("r", "a", "n", "y", "t", "u", "e")
        await theatre.settle(pilot)
        assert "No tool" in str(screen.tool_list.options.options[0].prompt)

    theatre.play(theatre.Stage(all_tools=[]), scene)
