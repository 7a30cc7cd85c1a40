"""The review, driven by its keys, on a stage."""

from __future__ import annotations

import html
import re
import threading
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList, Static, TextArea

from gongmcp.errors import StartupRefusal
from gongmcp.exposure.ledger import Entry, Ledger
from gongmcp.preview.lens import lens_text
from gongmcp.preview.model import Lens
from tui.reviewing import Standing
from tui.screens import reveal
from tui.screens.arguments import Arguments
from tui.screens.choose import Choose
from tui.screens.confirm import Confirm
from tui.screens.cost import Cost
from tui.screens.export import Export
from tui.screens.lock import WriteLock
from tui.screens.preflight import Preflight
from tui.screens.reveal import Reveal
from tui.screens.review import Review
from tui.screens.samples import Samples
from tui.screens.segment import Segment
from tui.seen import Manner
from tui.widgets import sees
from tui.widgets.flow import Flow
from tui.widgets.gate_bar import GateBar
from tui.widgets.verdict_bar import VerdictBar

SEARCH, CALLS, STATUS = "search_transcript_segments", "search_calls", "get_sync_status"


def words(widget: Static) -> str:
    return str(widget.visual)


def said(pilot: Pilot[None]) -> str:
    """What the toasts say."""
    return "\n".join(note.message for note in pilot.app._notifications)


def play(theatre: Any, scene: Any, *, stage: Any = None, reviewing: Any = None, **more: Any) -> Any:
    stage = stage or theatre.Stage()
    reviewing = reviewing or theatre.Reviewing(stage)
    theatre.review(stage, reviewing, scene, **more)
    return reviewing


def test_the_riskiest_tool_comes_first_with_its_worst_sample(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        rows = [str(option.prompt) for option in screen.queue.options.options]
        assert [row.split() for row in rows] == [["··", SEARCH, "270"], ["··", CALLS, "260"], ["··", STATUS, "210"]]
        assert screen.sees.lines.text == theatre.found().answer.text
        assert words(screen.query_one("#chip-samples", Static)) == "x largest, 1 of 3"
        assert "to be reviewed · risk 80: exposure snippet" in words(screen.query_one("#standing", Static))
        assert screen.look.looked_at == [{"query": "largest"}, {"query": "latest"}]
        assert screen.bench.tool == SEARCH
        assert screen.bench.preview is screen.preview

    play(theatre, scene)


def test_moving_among_reasons_moves_in_the_text_and_back(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        for lens in Lens:
            for manner in (Manner.READ, Manner.EXACT):
                screen.sees.turn(lens, manner)
                marks, seen = [], set()
                for _ in theatre.found().ledger.entries:
                    await pilot.press("n")
                    spot = screen.sees.lines.spot
                    assert spot is not None
                    seen.add(spot)
                    marks.append(screen.sees.seen.lines[spot.line][spot.start : spot.end])
                assert marks.count("{redacted:email}") == 1, (lens, manner)
                assert len(seen) > 3
        screen.sees.turn(Lens.CONTENT, Manner.READ)
        # and back: each row with a withheld thing selects its reason
        screen.sees.lines.focus()
        await pilot.press("home")
        reasons = set()
        for _ in range(len(screen.sees.lines._rows)):
            await pilot.press("down")
            entry = screen.withheld.pointed
            if screen.sees.lines.spot is not None and entry is not None:
                spot = screen.sees.seen.spots[screen.span_of[entry]]
                assert spot.line == screen.sees.lines._rows[screen.sees.lines.cursor].line
                reasons.add(entry)
        assert len(reasons) >= 4

    play(theatre, scene)


def test_a_lens_shows_what_a_host_hands_on_and_copies_it_to_the_byte(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        seen = set()
        for _ in Lens:
            lens = screen.sees.lens
            assert screen.preview is not None
            size = screen.preview.sizes[lens]
            title = str(screen.sees.border_title)
            assert f"{lens.value}  {size.bytes:,} bytes" in title
            assert f"{size.tokens_low:,}–{size.tokens_high:,} tokens" in title
            await pilot.press("y")
            assert pilot.app.clipboard == lens_text(screen.preview.outcome.answer, lens)
            assert len(pilot.app.clipboard.encode()) == size.bytes
            seen.add(lens)
            await pilot.press("l")
        assert seen == set(Lens)
        await pilot.press("l", "t")  # wire, exact
        while screen.sees.lens is not Lens.WIRE:
            await pilot.press("l")
        assert "\n".join(screen.sees.seen.lines).encode() == screen.preview.wire

    play(theatre, scene)


def test_disagreeing_channels_have_a_banner_and_cannot_be_approved(theatre: Any) -> None:
    stage = theatre.Stage(failing={"channels": "/results/0/title is not told alike."})

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        banner = screen.query_one("#review-banner", Flow)
        assert banner.display
        assert "Text and structure disagree: /results/0/title" in words(banner)
        assert "channels FAILS" in words(screen.query_one(GateBar))
        await pilot.press("A")
        assert "Gate channels fails" in said(pilot)

    assert play(theatre, scene, stage=stage).decided == []


def test_decisions_end_in_the_lock_and_nothing_is_written_before_it_was_shown(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("A")
        assert screen.queue.item.tool == CALLS
        await theatre.settle(pilot)
        await pilot.press("D")
        assert screen.queue.item.tool == STATUS
        await pilot.press("u")
        await theatre.settle(pilot)
        assert screen.queue.item.tool == CALLS
        assert screen._tool == CALLS
        await pilot.press("E")
        await theatre.settle(pilot)
        assert reviewing.written == []
        await pilot.press("A")
        await theatre.settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, WriteLock)
        assert SEARCH in dialog.query_one("#lock-diff").text
        assert reviewing.written == []
        await pilot.press("escape", "escape")
        assert pilot.app.screen is screen
        await pilot.press("L")
        await pilot.pause()
        pilot.app.screen.query_one("#lock-by").value = "ana"
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert "Wrote gongmcp.lock.json" in said(pilot)
        assert "3 of 3 decided" in str(screen.queue.border_title)

    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage)
    play(theatre, scene, stage=stage, reviewing=reviewing)
    assert reviewing.written == ["ana"]
    assert [(tool, standing) for tool, standing, _ in reviewing.decided] == [
        (SEARCH, Standing.APPROVED), (CALLS, Standing.EXEMPT), (STATUS, Standing.APPROVED)
    ]  # fmt: skip
    assert reviewing.decided[0][2] == [{"query": "largest"}, {"query": "latest"}]


def test_what_another_provenance_shows_is_not_approved(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("v", "down", "enter")
        await theatre.settle(pilot)
        await pilot.press("A")
        assert "Provenance was changed for this preview" in said(pilot)

    assert play(theatre, scene).decided == []


def test_an_own_run_by_the_form_is_kept_in_the_history_without_its_body(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("a")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Arguments)
        await pilot.press("enter")  # query is required
        assert isinstance(pilot.app.screen, Arguments)
        await pilot.press(*"cash", "enter")
        await theatre.settle(pilot)
        assert screen.look.arguments == {"query": "cash"}
        assert "own run" in words(screen.query_one("#chip-samples", Static))
        await pilot.press("a")
        await pilot.pause()
        await pilot.press("escape", "e")
        await pilot.pause()
        assert pilot.app.screen.query_one(TextArea).text == '{\n  "query": "cash"\n}'
        pilot.app.screen.query_one(TextArea).text = '{"query":  "flow"}'
        await pilot.press("escape", "escape")
        assert pilot.app.screen is screen
        await pilot.press("a")
        await pilot.pause()
        assert pilot.app.screen.query_one(TextArea).text == '{"query":  "flow"}'
        await pilot.press("escape", "escape", "Y")
        assert re.fullmatch(
            r"gongctl mcp call search_transcript_segments --args '\{\"query\": \"cash\"\}' .*--text",
            pilot.app.clipboard,
        )

    runs = play(theatre, scene).runs
    assert [(run.tool, dict(run.arguments), run.status, run.bytes) for run in runs] == [
        (SEARCH, {"query": "cash"}, "ok", 2148)
    ]
    assert "cash flow was up" not in repr(runs)


def test_a_running_call_is_interrupted_by_escape(theatre: Any) -> None:
    slow = theatre.Slow()
    stage = theatre.Stage()

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        stage.replies[SEARCH] = slow
        await pilot.press("r")
        while not slow.started.is_set():
            await pilot.pause()
        assert "RUNNING" in words(screen.query_one(VerdictBar))
        await pilot.press("escape")
        assert slow.cancelled.is_set()
        await theatre.settle(pilot)
        assert screen.look.own is None

    play(theatre, scene, stage=stage)


def test_samples_are_chosen_and_pinned(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("x")
        dialog = pilot.app.screen
        assert isinstance(dialog, Samples)
        rows = [str(option.prompt) for option in dialog.query_one(OptionList).options]
        assert "All calls on show are English." in rows[2]
        await pilot.press("down", "p", "enter")
        await pilot.pause()
        assert screen.look.arguments == {"query": "latest"}
        assert "latest, 2 of 3" in words(screen.query_one("#chip-samples", Static))

    assert play(theatre, scene).pinned == [(SEARCH, {"query": "latest"})]


def test_detail_and_cost_say_what_is_known(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        assert "Point at something withheld first" in said(pilot)
        await pilot.press("s", "end", "d")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Segment)
        told = words(pilot.app.screen.query_one(Static))
        for part in ("text.snippet", "default", "/results/2/snippet", "in 1 of 1 other samples"):
            assert part in told
        await pilot.press("escape", "k")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Cost)
        told = " ".join(words(static) for static in pilot.app.screen.query(Static))
        assert "740 in every session" in told
        assert "under 10,000" in told

    play(theatre, scene)


def test_a_value_is_revealed_after_a_question_and_hidden_again(theatre: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        async def ask() -> None:
            await pilot.press("R")
            await pilot.pause()
            assert isinstance(pilot.app.screen, Confirm)
            assert reviewing.value not in words(pilot.app.screen.query_one(Static))

        await pilot.press("s", "home", "down", "down")
        await ask()
        await pilot.press("escape")
        assert reviewing.revealed == []
        await ask()
        await pilot.press("enter")
        await theatre.settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, Reveal)
        value = dialog.query_one("#revealed", Static)
        assert words(value) == reviewing.value
        assert reviewing.value not in repr(vars(dialog))
        await pilot.press("y", "Y")
        assert reviewing.value not in pilot.app.clipboard
        pilot.app.post_message(events.AppBlur())
        await theatre.settle(pilot)
        assert pilot.app.screen is screen
        monkeypatch.setattr(reveal, "SECONDS", 0.01)
        await ask()
        await pilot.press("enter")
        await theatre.settle(pilot)
        for _ in range(100):
            await pilot.pause(0.02)
            if pilot.app.screen is screen:
                break
        assert pilot.app.screen is screen
        reviewing.refusal = StartupRefusal("Revealing is off.", "reveal = never in the settings file.")
        await ask()
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert "Revealing is off." in said(pilot)
        assert pilot.app.screen is screen

    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage)
    play(theatre, scene, stage=stage, reviewing=reviewing)


def test_a_changed_cache_is_told_and_never_swapped(theatre: Any) -> None:
    stage = theatre.Stage()

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        before = screen.preview
        stage.state.update(as_of="2026-03-03T00:00:00Z")
        screen._look_at_the_cache()
        await theatre.settle(pilot)
        assert "r runs it again" in words(screen.query_one("#review-banner", Flow))
        assert screen.preview is before
        await pilot.press("A")
        assert "The cache has changed" in said(pilot)
        await pilot.press("r")
        await theatre.settle(pilot)
        assert not screen.query_one("#review-banner", Flow).display
        assert screen.preview is not before
        assert screen.preview.freshness["as_of"] == "2026-03-03T00:00:00Z"

    assert play(theatre, scene, stage=stage).decided == []


@pytest.mark.parametrize(
    ("reply", "state", "step"),
    [
        ("empty", "EMPTY", "Widen the dates"),
        ("all_withheld", "ALL WITHHELD", "Set an include_* argument"),
        ("no_cache", "TOOL ERROR", "w to warm the cache"),
    ],
)
def test_each_ending_has_its_next_step(theatre: Any, reply: str, state: str, step: str) -> None:
    stage = theatre.Stage()
    made = theatre.fault("cache_not_ready", "There is no read model.") if reply == "no_cache" else None
    stage.replies[SEARCH] = lambda _arguments, _cancel: made or getattr(theatre, reply)()

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        verdict = words(screen.query_one(VerdictBar))
        assert state in verdict
        assert step in verdict

    play(theatre, scene, stage=stage)


def test_a_queue_that_cannot_be_read_says_why_and_what_to_do(theatre: Any) -> None:
    stage = theatre.Stage()
    reviewing = theatre.Reviewing(stage, refusal=StartupRefusal("The cache is locked.", "Wait for the import to end."))

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        told = words(screen.query_one("#sees-empty", Static))
        assert "The cache is locked." in told
        assert "Wait for the import" in told
        await pilot.press("A", "n", "s", "d", "x", "a", "k", "escape", "y", "r")
        reviewing.refusal = None
        await pilot.press("r")
        await theatre.settle(pilot)
        assert screen.preview is not None

    play(theatre, scene, stage=stage, reviewing=reviewing)


def test_what_governance_took_is_listed_too(theatre: Any) -> None:
    class Operations:
        def ungoverned(self, *given: Any) -> Ledger:
            taken = Ledger()
            entry = Entry("omitted", "call", "governance.scope.private_calls", ("results",), count=4)
            taken.add(entry, "Private calls do not exist for agents.")
            return taken

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        rows = [str(option.prompt) for option in screen.withheld.options.options]
        assert rows[0] == "Governance  ×4"
        assert str(screen.withheld.border_title) == "WITHHELD  29"
        assert screen.preview.outcome.ledger.summary() == theatre.found().ledger.summary()
        await pilot.press("s", "down", "y")
        assert pilot.app.clipboard.split("\t")[:4] == ["omitted", "call", "4", "governance.scope.private_calls"]
        await pilot.press("d", "R")
        assert pilot.app.screen is screen
        assert "Point at something withheld" in said(pilot)

    play(theatre, scene, operations=Operations())


def test_panes_are_resized_and_a_rail_comes_at_80_columns(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        def widths() -> tuple[int, ...]:
            return tuple(pane.outer_size.width for pane in (screen.queue, screen.sees, screen.withheld))

        queue = widths()[0]
        await pilot.press("]")
        assert widths()[0] > queue
        await pilot.press("[", "[")
        assert widths()[0] < queue
        await pilot.press("enter")
        await pilot.pause()
        before = widths()
        await pilot.press("]")
        assert widths()[1] > before[1]
        await pilot.press("s", "]", "]")
        assert widths()[2] > before[2]
        assert sum(widths()) == 140
        await pilot.resize_terminal(80, 30)
        await theatre.settle(pilot)
        assert widths()[0] + widths()[1] == 80
        assert screen.queue.display
        assert screen.withheld.region.y > screen.sees.region.y
        height = screen.withheld.outer_size.height
        await pilot.press("]")
        assert screen.withheld.outer_size.height > height
        await pilot.resize_terminal(79, 30)
        await theatre.settle(pilot)
        assert screen.queue.region.area == 0
        assert screen.sees.region.width == 79
        await pilot.resize_terminal(60, 20)
        await theatre.settle(pilot)
        assert screen.withheld.region.width == 60
        await pilot.press("]")
        assert "One pane has the whole window" in said(pilot)

    play(theatre, scene)


def test_a_draft_of_an_exemption_is_shown_and_nothing_is_applied(theatre: Any, monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("X")
        assert "Point at something withheld first" in said(pilot)
        policy = screen.bench.handler.policy
        await pilot.press("n", "X")
        await theatre.settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, Export)
        await pilot.press("y")
        assert pilot.app.clipboard.startswith("# A draft: nothing is changed by it.")
        assert '[provenance]\nmode = "' in pilot.app.clipboard
        assert list(tmp_path.iterdir()) == []
        await pilot.press("w", "escape")
        assert (tmp_path / "exempt.draft.toml").read_text() == pilot.app.clipboard
        assert screen.bench.handler.policy is policy
        assert screen.bench.started.policy is policy

    play(theatre, scene)


def test_an_export_is_shown_before_it_is_copied_or_written(theatre: Any, monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("O")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("enter")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, Export)
        await pilot.press("y")
        assert pilot.app.clipboard == "# record\n\nThree tools."
        assert list(tmp_path.iterdir()) == []
        await pilot.press("w")
        assert (tmp_path / "record.md").read_text() == "# record\n\nThree tools."
        (tmp_path / "record.md").write_text("mine")
        await pilot.press("w")
        assert (tmp_path / "record.md").read_text() == "mine"

    play(theatre, scene)


def test_the_mouse_does_what_the_keys_do(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.click("#chip-lens")
        assert screen.sees.lens is Lens.STRUCTURED
        await pilot.click("#manner-exact")
        assert screen.sees.manner.value == "Exact bytes"
        await pilot.click("#queue-options", offset=(5, 1))
        await theatre.settle(pilot)
        assert screen.queue.item.tool == CALLS
        await pilot.click("#chip-samples")
        assert isinstance(pilot.app.screen, Samples)

    play(theatre, scene)


def test_why_a_field_is_missing_takes_six_keys_at_most(theatre: Any) -> None:
    presses = ("s", "down", "down", "d")

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press(*presses)
        await pilot.pause()
        told = words(pilot.app.screen.query_one(Static))
        assert "speaker_id" in told
        assert "provenance.redacted" in told

    play(theatre, scene)
    assert len(presses) <= 6


@pytest.mark.parametrize("size", [(100, 30), (80, 24), (60, 20), (40, 12)])
def test_every_pane_is_reached_at_every_size(theatre: Any, size: tuple[int, int]) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        assert screen.queue.options.region.height >= 2
        await pilot.press("enter")
        await pilot.pause()
        assert screen.sees.lines.has_focus
        assert screen.sees.lines.region.height >= 1
        await pilot.press("s")
        await pilot.pause()
        assert screen.withheld.options.has_focus
        assert screen.withheld.options.region.height >= 1
        await pilot.press("s", "escape")
        await pilot.pause()
        assert screen.queue.options.has_focus

    play(theatre, scene, size=size)


def test_without_a_review_the_pre_flight_is_home_and_numbers_are_inert(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("1")
        assert pilot.app.screen is screen

    theatre.play(theatre.Stage(), scene)


def test_plain_signs_are_all_of_code_page_1252(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        for presses in ((), ("n",), ("l", "t"), ("k",), ("escape", "x"), ("escape", "a"), ("escape", "escape", "P")):
            await pilot.press(*presses)
            await pilot.pause()
            drawn = re.findall(r"<text [^>]*>([^<]*)</text>", pilot.app.export_screenshot())
            assert len(drawn) > 20
            assert html.unescape("".join(drawn)).encode("cp1252")

    play(theatre, scene, ascii=True)


def test_a_large_answer_is_laid_out_in_a_thread_and_scrolls(theatre: Any) -> None:
    rows = [{"call_group": n, "snippet": f"{n} " + "words of a call " * 12} for n in range(9000)]
    structured = {"status": "ok", "as_of": "2026-03-02T09:30:00Z", "returned": len(rows), "results": rows}
    stage = theatre.Stage()
    stage.replies[SEARCH] = lambda _arguments, _cancel: theatre.outcome(structured, "9000 rows")
    threads: list[int] = []
    real = sees.see

    def see(*given: Any) -> Any:
        threads.append(threading.get_ident())
        return real(*given)

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        assert len(screen.preview.wire) > 2_000_000
        await pilot.press("l")
        await theatre.settle(pilot)
        assert len(screen.sees.seen.lines) > 36_000
        screen.sees.lines.focus()
        await pilot.press("end")
        assert screen.sees.lines.cursor == len(screen.sees.lines._rows) - 1
        await pilot.press("t")
        await theatre.settle(pilot)
        assert "".join(screen.sees.seen.lines).encode() in screen.preview.wire
        assert threads
        assert threading.get_ident() not in threads

    sees.see = see
    try:
        play(theatre, scene, stage=stage)
    finally:
        sees.see = real
