"""The TUI over the real handler and the bundled sample: what is shown is what an agent would get."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from gongctl.approval.reviewing import CacheReviewing
from gongctl.approval.state import ReviewState
from gongctl.cli.demo_cmd import build_sample
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.preview.lens import lens_text
from gongmcp.preview.model import Lens
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from tui.bench import make_preview
from tui.schema import Kind, read_form
from tui.screens.preflight import Preflight
from tui.screens.review import Review
from tui.verdict import State, judge
from tui.widgets.text_fields import Line
from tui.widgets.verdict_bar import VerdictBar


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the bundled sample."""
    path: Path = tmp_path_factory.mktemp("tui") / "sample.db"
    build_sample(path)
    return path


@pytest.fixture(scope="module")
def handler(db: Path) -> ToolHandler:
    """A handler with default settings over the sample."""
    return build_handler(ServerSettings(), db)


QUERY = "identiv"
SEARCH = "search_transcript_segments"


async def open_form(screen: Preflight, pilot: Pilot[None], handler: ToolHandler) -> None:
    """Go to the form of the tool that searches transcripts."""
    screen.tool_list.show(handler.tools(), SEARCH)
    await pilot.pause()
    await pilot.press("enter")


def test_what_is_shown_is_what_the_agent_gets(theatre: Any, handler: ToolHandler) -> None:
    outcome = handler.call(SEARCH, {"query": QUERY})
    assert outcome.rows

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await open_form(screen, pilot, handler)
        await pilot.press(*QUERY, "enter")
        await theatre.settle(pilot)
        assert screen.receives.exact == outcome.answer.text
        assert f"{outcome.bytes:,} bytes" in str(screen.query_one(VerdictBar).visual)
        await pilot.press("t", "t")
        assert screen.receives.exact.encode() == result_bytes(outcome.answer)
        await pilot.press("y")
        assert pilot.app.clipboard.encode() == result_bytes(outcome.answer)
        await pilot.press("t", "t", "t")
        view = screen.receives.shown
        assert all(view.spot(entry) is not None for entry in outcome.ledger.entries)
        counts = [str(option.prompt) for option in screen.withheld.options.options]
        for row in outcome.ledger.summary():
            words = f"{row['action']} {row['kind'].replace('_', ' ')}  ×{row['count']:,}"
            assert any(words in shown and row["rule"] in shown for shown in counts)

    theatre.play(handler, scene)


def test_from_the_start_to_a_lock_that_a_server_keeps_to_in_forty_keys(
    theatre: Any, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ServerSettings.resolve({}, {})
    reviewing = CacheReviewing(db, settings, ReviewState(tmp_path / "state"))
    presses = ["P", "down", "enter", "A", "A", "A", "A", "A", "enter"]

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        for key in presses:
            await theatre.settle(pilot)
            await pilot.press(key)
        await theatre.settle(pilot)

    theatre.review(build_handler(settings, db), reviewing, scene, make=make_preview, settings=settings)
    with capsys.disabled():
        print(f"\nFrom the start to a lock of operator-smoke: {len(presses)} keys")
    assert len(presses) <= 40
    locked = ServerSettings.resolve({"lock": str(tmp_path / "gongmcp.lock.json")}, {})
    offered = {tool.name for tool in build_handler(locked, db).tools()}
    assert offered == {tool.name for tool in build_handler(settings, db).with_policy(preset="operator-smoke").tools()}
    assert list(tmp_path.glob("*.md"))


def test_why_a_field_is_missing_in_six_keys(theatre: Any, handler: ToolHandler, db: Path, tmp_path: Path) -> None:
    settings = ServerSettings.resolve({}, {})
    reviewing = CacheReviewing(db, settings, ReviewState(tmp_path))
    presses = ["s", "down", "down", "d"]

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press(*presses)
        await theatre.settle(pilot)
        told = str(pilot.app.screen.query_one(Static).visual)
        for word in ("why", "rule", "set by", "place"):
            assert word in told

    tool = "search_transcript_segments"
    theatre.review(
        handler.with_policy(preset="operator-smoke"), reviewing, scene, make=make_preview, settings=settings, tool=tool
    )
    assert len(presses) <= 6


def test_what_the_review_shows_is_the_wire_for_every_lens(
    theatre: Any, handler: ToolHandler, db: Path, tmp_path: Path
) -> None:
    settings = ServerSettings.resolve({}, {})
    reviewing = CacheReviewing(db, settings, ReviewState(tmp_path))
    smoke = handler.with_policy(preset="operator-smoke")

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("t")
        answer = smoke.call(SEARCH, dict(screen.look.arguments)).answer
        for _ in Lens:
            assert "\n".join(screen.sees.seen.lines) == lens_text(answer, screen.sees.lens)
            await pilot.press("l")
        assert screen.preview.wire == result_bytes(answer)

    theatre.review(smoke, reviewing, scene, make=make_preview, settings=settings, tool=SEARCH)


def test_a_masked_word_is_found_in_text_and_structure(theatre: Any, handler: ToolHandler) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await open_form(screen, pilot, handler)
        await pilot.press(*'"relations team"', "enter")
        await theatre.settle(pilot)
        for _ in range(2):
            await pilot.press("s", "end")
            lines, spot = screen.receives.lines, screen.receives.lines.spot
            assert spot is not None
            assert lines.text.split("\n")[spot.line][spot.start : spot.end] == "{redacted:email}"
            await pilot.press("s", "t")

    theatre.play(handler, scene)


LISTS_OF_OBJECTS = {f"{name}.dimension_filters" for name in ("filter", "filter_a", "filter_b")}
"""Arguments that no rows can stand for: as many objects as the caller likes."""


def test_every_tool_has_a_form_without_json(handler: ToolHandler) -> None:
    for tool in handler.tools():
        fields = read_form(tool.input_schema, tool.limits)
        assert fields is not None, tool.name
        assert list(dict.fromkeys(field.path[0] for field in fields)) == list(tool.input_schema["properties"])
        in_json = {field.name for field in fields if field.kind is Kind.JSON}
        if catalog()[tool.name].facade:
            in_json -= {"arguments"}  # those of another tool: of which, the operation says
        assert in_json <= LISTS_OF_OBJECTS, tool.name


def test_every_tool_that_needs_no_argument_runs_and_is_judged(handler: ToolHandler) -> None:
    for tool in handler.tools():
        if not tool.input_schema.get("required"):
            verdict = judge(handler.call(tool.name, {}), handler.policy.max_response_bytes)
            assert verdict.state in set(State) - {State.FAILED, State.CANCELLED, State.UNAVAILABLE}, tool.name
            assert verdict.state in (State.OK, State.EMPTY) or verdict.next, tool.name


def test_the_whole_catalogue_is_walked_without_a_stumble(theatre: Any, handler: ToolHandler) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        seen = set()
        for _ in handler.tools():
            seen.add(str(screen.query_one("#arguments").border_title))
            assert {row.field.path[0] for row in screen.form.rows} == set(screen.tool.input_schema["properties"])
            await pilot.press("down")
        assert seen == {tool.name for tool in handler.tools()}

    theatre.play(handler, scene, size=(80, 24))


def test_provenance_raw_shows_the_id_that_is_asked_for(theatre: Any, handler: ToolHandler) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("v", "down", "down", "enter")
        await pilot.pause()
        await open_form(screen, pilot, handler)
        await pilot.press(*QUERY)
        row = next(row for row in screen.form.rows if row.field.name == "include_call_ids")
        row.control.focus()
        await pilot.press("space", "r")
        await theatre.settle(pilot)
        await pilot.press("t")
        assert '"call_id": ' in screen.receives.lines.text

    theatre.play(handler, scene)


def test_values_of_the_cache_are_offered_while_an_argument_is_typed(theatre: Any, handler: ToolHandler) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        screen.tool_list.options.focus()
        await pilot.press("slash", *"search_calls", "enter")
        await pilot.pause()
        assert screen.tool is not None
        assert screen.tool.name == "search_calls"
        row = next(row for row in screen.form.rows if row.field.name == "crm_object_type")
        row.control.focus()
        await pilot.press(*"Opp")
        assert isinstance(row.control, Line)
        for _ in range(100):
            await pilot.pause(0.05)
            if row.control._suggestion:
                break
        await pilot.press("right")
        assert row.draft == "Opportunity"

    theatre.play(handler, scene)


def test_without_a_cache_tools_are_listed_and_a_run_says_what_to_do(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        assert "cache missing" in str(screen.query_one("#policy").visual)
        screen.tool_list.options.focus()
        await pilot.press("slash", *"sync", "enter", "enter")
        await theatre.settle(pilot)
        assert "cache_not_ready" in str(screen.query_one(VerdictBar).visual)

    theatre.play(build_handler(ServerSettings()), scene)


def test_the_tui_knows_nothing_of_the_operators_command() -> None:
    code = (
        "import sys, tui.app; print([m for m in sys.modules if m.split('.')[0] in ('gongctl', 'mcp', 'sqlite_utils')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
