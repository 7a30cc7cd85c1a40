"""The business profile and the comparison with a candidate file, on operations that are made up."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from gongmcp.errors import StartupRefusal
from gongmcp.render.visible import visible
from tui.app import PreflightApp
from tui.operations import (
    BucketCount,
    BucketMove,
    MappedConcept,
    ProfileComparison,
    ProfileFinding,
    ProfileView,
    UnmappedField,
)
from tui.screens.compare_profile import CompareProfile, PathLine
from tui.screens.help import Help
from tui.screens.preflight import Preflight
from tui.screens.profile import BusinessProfile
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Pane
from tui.widgets.panes import PaneTab

LARGE, MEDIUM, SLIM = (140, 45), (100, 30), (60, 20)

VIEW = ProfileView(
    profile_id="profile_2",
    name="Harbour Analytics",
    imported="2026-03-02T09:30:00Z",
    facts="fresh",
    reason="Up to date.",
    concepts=(
        MappedConcept("object", "deal", "Opportunity", groupable=False),
        MappedConcept("object", "account", "Account", groupable=False),
        MappedConcept("field", "deal_stage", "deal.StageName", groupable=True),
        MappedConcept("field", "deal_type", "deal.Type, deal.Deal_Motion__c", groupable=True),
        MappedConcept("field", "deal_amount", "deal.Amount", groupable=False),
        MappedConcept("field", "account_industry", "account.Industry", groupable=True),
        MappedConcept("methodology", "loss_reason", "deal.Loss_Reason__c, deal.Loss_Reason_Detail__c", groupable=False),
        MappedConcept("methodology", "economic_buyer", "", groupable=False),
    ),
    unmapped=tuple(
        UnmappedField(of, name, filled)
        for of, name, filled in (
            ("Opportunity", "NextStep", 0.82),
            ("Opportunity", "ForecastCategoryName", 1.0),
            ("Opportunity", "Competitor_Named_In_The_Last_Business_Review__c", 0.07),
            ("Account", "AnnualRevenue", 0.41),
            ("Account", "Type", 0.0),
        )
    ),
    findings=(
        ProfileFinding(
            "error",
            "field_mapping_not_seen",
            'No call has a field of "account_industry".',
            "fields.account_industry",
            24,
        ),
        ProfileFinding(
            "warn", "groupable_many_values", "deal.Type has 212 different values.", "fields.deal_type.groupable", 17
        ),
        ProfileFinding("info", "methodology_no_mapping", "It names no field.", "methodology.economic_buyer", None),
    ),
    buckets=(
        BucketCount("renewal", "Renewals", 412),
        BucketCount("open_pipeline", "Open pipeline", 1833),
        BucketCount("closed_won", "Won", 96),
        BucketCount("closed_lost", "Lost", 1),
        BucketCount("post_sales", "Customer success and support", 702),
        BucketCount("partner", "", 0),
        BucketCount("unknown", "", 240),
    ),
)

COMPARED = ProfileComparison(
    candidate="Harbour Analytics (candidate.yaml)",
    against="Harbour Analytics (profile_2)",
    valid=True,
    same_meaning=False,
    findings=VIEW.findings[1:],
    moves=(
        BucketMove("renewal", "renewal", 380),
        BucketMove("renewal", "post_sales", 32),
        BucketMove("open_pipeline", "open_pipeline", 1600),
        BucketMove("open_pipeline", "renewal", 233),
        BucketMove("post_sales", "post_sales", 702),
        BucketMove("unknown", "unknown", 180),
        BucketMove("unknown", "expansion", 60),
    ),
    calls=3187,
    finished=True,
)

INVALID = replace(COMPARED, candidate="candidate.yaml", valid=False, findings=VIEW.findings, moves=(), calls=0)
PATH = "candidate.yaml"


@dataclass
class Desk:
    """Operations that answer as they are told; what is an exception is raised."""

    view: Any = VIEW
    comparison: Any = COMPARED
    endless: bool = False
    reads: int = 0
    compared: list[str] = field(default_factory=list)
    stopped: bool = False
    after_warm: Any = None

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        progress(3, 3)
        self.view = self.after_warm or self.view
        return "Warmed 3 calls."

    def profile(self) -> ProfileView | None:
        self.reads += 1
        if isinstance(self.view, Exception):
            raise self.view
        found: ProfileView | None = self.view
        return found

    def compare_profile(
        self, path: str, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> ProfileComparison:
        self.compared.append(path)
        if isinstance(self.comparison, Exception):
            raise self.comparison
        done = 0
        while self.endless and done < 20_000:
            if should_stop():
                self.stopped = True
                return replace(self.comparison, finished=False, calls=1000)
            done += 1
            progress(done, 20_000)
            time.sleep(0.001)
        progress(self.comparison.calls, self.comparison.calls)
        result: ProfileComparison = self.comparison
        return result


PlayIt = Callable[[BusinessProfile, Pilot[None]], Awaitable[None]]


def play(theatre: Any, desk: Desk, scene: PlayIt, size: tuple[int, int] = LARGE) -> None:
    """Open the profile from the main screen and run *scene* on it."""

    async def whole(_screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("b")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, BusinessProfile)
        await scene(pilot.app.screen, pilot)

    theatre.play(theatre.Stage(), whole, size=size, operations=desk)


def play_comparison(
    theatre: Any,
    desk: Desk,
    scene: Callable[[CompareProfile, Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = LARGE,
) -> None:
    """Open the comparison from the profile and run *scene* on it."""

    async def whole(_screen: BusinessProfile, pilot: Pilot[None]) -> None:
        await pilot.press("c")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, CompareProfile)
        await scene(pilot.app.screen, pilot)

    play(theatre, desk, whole, size)


def screen_text(pilot: Pilot[None]) -> str:
    """All cells on the screen as lines; fails when one of them would be acted on."""
    lines = []
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.text == visible(segment.text), f"raw control characters: {segment.text!r}"
            action = segment.style.meta.get("@click", "") if segment.style is not None else ""
            assert "quit" not in str(action)
        lines.append(strip.text)
    return "\n".join(lines)


def line_with(text: str, word: str) -> str:
    """The first line that holds *word*."""
    return next(line for line in text.split("\n") if word in line)


async def type_text(pilot: Pilot[None], text: str) -> None:
    names = {"/": "slash", ".": "full_stop", "~": "tilde", "_": "underscore", "-": "minus"}
    await pilot.press(*(names.get(character, character) for character in text))


async def compare(theatre: Any, pilot: Pilot[None], path: str = PATH) -> None:
    assert isinstance(pilot.app.screen, CompareProfile)
    pilot.app.screen.path.value = path
    await pilot.press("enter")
    await theatre.settle(pilot)


# The profile


def test_the_whole_profile_is_on_a_large_terminal(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        head = text.split("\n")[0]
        for word in (
            "Harbour Analytics",
            "profile_2",
            "imported 2026-03-02 09:30",
            "facts fresh",
            "1 error, 1 warning",
        ):
            assert word in head
        for word in ("Buckets 7", "Concepts 8, mapped", "Findings 3", "Unmapped 5", "3,284"):
            assert word in text
        assert "1,833  55.8%" in line_with(text, "open_pipeline")
        assert "0   0.0%" in line_with(text, "partner")
        assert "<0.1%" in line_with(text, "closed_lost")
        assert "deal.StageName" in line_with(text, "deal_stage")
        assert "82%" in line_with(text, "NextStep")

    play(theatre, Desk(), scene)


def test_a_bar_is_as_long_as_its_share_of_the_longest(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        full = line_with(text, "open_pipeline").count("█")
        assert full > 30
        assert abs(line_with(text, "post_sales").count("█") - full * 702 / 1833) <= 1
        assert line_with(text, "closed_lost").count("▏") == 1
        assert not set("▏▎▍▌▋▊▉█") & set(line_with(text, "partner"))

    play(theatre, Desk(), scene, MEDIUM)


@pytest.mark.parametrize("size", [MEDIUM, SLIM])
def test_small_terminals_show_one_pane_and_turn_through_all(theatre: Any, size: tuple[int, int]) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        seen = []
        for _ in range(4):
            shown = [pane for pane in screen.query(Pane) if pane.display]
            assert shown == [screen.panes.current]
            assert shown[0].has_focus_within
            seen.append(shown[0].called)
            assert f"▸ {shown[0].heading}" in screen_text(pilot)
            await pilot.press("t")
            await pilot.pause()
        assert seen == ["Buckets", "Concepts", "Findings", "Unmapped"]
        assert screen.panes.current.called == "Buckets"
        await pilot.press("left")
        assert screen.panes.current.called == "Unmapped"
        await pilot.click(screen.query(PaneTab)[1])
        await pilot.pause()
        assert screen.panes.current.called == "Concepts"

    play(theatre, Desk(), scene, size)


def test_a_finding_is_told_in_words_and_in_full(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        await pilot.press("t", "t")
        text = screen_text(pilot)
        assert line_with(text, "field_mapping_not").split()[1:3] == ["error", "24"]
        await pilot.press("down")
        text = screen_text(pilot)
        assert "warn groupable_many_values  line 17, fields.deal_type.groupable" in text
        assert "deal.Type has 212 different values." in text
        await pilot.press("y")
        assert pilot.app.clipboard.split("\t") == [
            "warn", "17", "groupable_many_values", "fields.deal_type.groupable", "deal.Type has 212 different values.",
        ]  # fmt: skip

    play(theatre, Desk(), scene, MEDIUM)


def test_without_a_profile_it_says_what_to_run(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "No business profile is active." in text
        for command in ("discover", "validate", "import"):
            assert f"gongctl profile {command}" in text
        assert not screen.panes.display
        assert "Next pane" not in text
        await pilot.press("t", "c")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, CompareProfile)

    play(theatre, Desk(view=None), scene, SLIM)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (StartupRefusal("There is no cache at gone.db.", "Make one: gongctl import gong PATH"), "Make one: gongctl"),
        (OSError("disk full"), "OSError: disk full"),
    ],
)
def test_a_cache_that_cannot_be_read_is_told_and_read_again(theatre: Any, failure: Exception, words: str) -> None:
    desk = Desk(view=failure)

    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        assert words in screen_text(pilot)
        assert not screen.panes.display
        desk.view = VIEW
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "Harbour Analytics" in screen_text(pilot)
        assert screen.panes.current.has_focus_within

    play(theatre, desk, scene, MEDIUM)


def test_missing_facts_are_no_empty_chart_and_a_warm_brings_them(theatre: Any) -> None:
    reason = "Not every call has facts of this profile."
    desk = Desk(view=replace(VIEW, facts="missing", reason=reason, buckets=()), after_warm=VIEW)

    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "facts missing" in text
        assert f"{reason} Next: w warms the cache." in text
        assert "Buckets, not counted" in text
        assert "so no call is counted" in text
        await pilot.press("w")
        await theatre.settle(pilot)
        assert pilot.app.screen is screen
        assert desk.reads == 2
        assert [note.message for note in pilot.app._notifications] == ["Warmed 3 calls."]
        text = screen_text(pilot)
        assert "facts fresh" in text
        assert "1,833" in text

    play(theatre, desk, scene)


def test_stale_facts_are_shown_as_those_of_the_last_warm(theatre: Any) -> None:
    desk = Desk(view=replace(VIEW, facts="stale", reason="Data was imported after the facts were made."))

    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "facts stale" in text
        assert "as of the last warm" in text
        assert "1,833" in text

    play(theatre, desk, scene)


def test_a_reading_that_was_overtaken_is_not_shown(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        screen.post_message(BusinessProfile.Read(0, replace(VIEW, name="Long ago")))
        await pilot.pause()
        assert "Long ago" not in screen_text(pilot)

    play(theatre, Desk(), scene)


def test_escape_goes_back_and_without_operations_the_command_is_named(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, Preflight)

    play(theatre, Desk(), scene)

    async def alone(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("b")
        assert pilot.app.screen is screen
        [note] = pilot.app._notifications
        assert note.message == "This preview shows no profile. Run: gongctl profile show --db PATH"

    theatre.play(theatre.Stage(), alone)


def test_keys_are_in_help_and_in_the_palette_and_can_be_given_away(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        titles = {command.title for command in pilot.app.get_system_commands(screen)}
        assert {"Compare with a candidate file", "Warm the cache", "Go to the next pane"} <= titles
        await pilot.press("t", "question_mark")
        assert isinstance(pilot.app.screen, Help)
        shown = str(pilot.app.screen.query_one(Static).visual)
        for words in ("Compare with a candidate file", "Go to the next pane", "Copy the row under the cursor", "Warm"):
            assert words in shown
        await pilot.press("escape", "escape")
        pilot.app.set_keymap({"profile": "B"})
        await pilot.press("b")
        assert isinstance(pilot.app.screen, Preflight)
        await pilot.press("B")
        assert isinstance(pilot.app.screen, BusinessProfile)

    play(theatre, Desk(), scene)


def test_no_room_is_said(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        assert "This needs 40x12." in screen_text(pilot)
        assert not screen.query_one(KeyLine).display

    play(theatre, Desk(), scene, (39, 11))


# The comparison


def test_a_comparison_shows_totals_and_moves(theatre: Any) -> None:
    desk = Desk()

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await compare(theatre, pilot)
        assert desk.compared == [PATH]
        text = screen_text(pilot)
        assert "COMPARED · 325 of 3,187 calls would move" in text
        assert "Harbour Analytics (candidate.yaml) · against Harbour Analytics (profile_2)" in text
        assert "Next: gongctl profile import candidate.yaml --db DB" in text
        totals = [line[: len(line) // 2].split()[1:5] for line in text.split("\n")]
        for row in (["renewal", "412", "613", "+201"], ["open_pipeline", "1,833", "1,600", "-233"]):
            assert row in totals
        assert ["post_sales", "702", "734", "+32"] in totals
        assert ["expansion", "0", "60", "+60"] in totals
        moves = [row.copied.split("\t") for row in screen._moves.rows]
        assert moves == [
            ["open_pipeline", "renewal", "233"], ["unknown", "expansion", "60"], ["renewal", "post_sales", "32"],
        ]  # fmt: skip
        assert "→ renewal" in text
        assert "7.3%" in line_with(text, "→ renewal")

    play_comparison(theatre, desk, scene)


def test_a_profile_that_means_the_same_moves_nothing(theatre: Any) -> None:
    stay = tuple(BucketMove(name, name, 5) for name in ("open", "unknown"))
    desk = Desk(comparison=replace(COMPARED, same_meaning=True, moves=stay, calls=10))

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await compare(theatre, pilot)
        text = screen_text(pilot)
        assert "0 of 10 calls would move" in text
        assert "Both mean the same" in text
        assert "No call moves to another bucket." in text
        assert ["open", "5", "5", "same"] in [line[: len(line) // 2].split()[1:5] for line in text.split("\n")]

    play_comparison(theatre, desk, scene)


@pytest.mark.parametrize("size", [LARGE, SLIM])
def test_an_invalid_candidate_shows_its_findings_alone(theatre: Any, size: tuple[int, int]) -> None:
    desk = Desk(comparison=INVALID)

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await compare(theatre, pilot)
        text = screen_text(pilot)
        assert "INVALID · 1 error, 1 warning, 1 note" in text
        assert "No call has a field of" in text
        assert [pane.called for pane in screen.query(Pane) if pane.display] == ["Findings"]
        await pilot.press("t")
        assert screen.panes.current.called == "Findings"
        desk.comparison = COMPARED
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "COMPARED" in screen_text(pilot)
        await pilot.press("left")
        assert screen.panes.current.called == "Moves"

    play_comparison(theatre, desk, scene, size)


def test_a_file_that_cannot_be_read_is_told_and_another_can_be_given(theatre: Any) -> None:
    desk = Desk(comparison=StartupRefusal("candidate.yaml cannot be read: No such file.", "Name a YAML file."))

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await compare(theatre, pilot)
        text = screen_text(pilot)
        assert "FAILED" in text
        assert "candidate.yaml cannot be read: No such file." in text
        assert "Next: Name a YAML file." in text
        assert screen.path.has_focus
        desk.comparison = COMPARED
        await pilot.press("backspace", "enter")
        await theatre.settle(pilot)
        assert desk.compared == [PATH, PATH[:-1]]
        assert "COMPARED" in screen_text(pilot)

    play_comparison(theatre, desk, scene)


def test_an_empty_path_is_not_compared(theatre: Any) -> None:
    desk = Desk()

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await pilot.press("space", "enter")
        await theatre.settle(pilot)
        assert desk.compared == []
        assert [note.message for note in pilot.app._notifications] == ["Type the path of a YAML file first."]

    play_comparison(theatre, desk, scene)


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it did not come about")


def test_a_comparison_that_runs_shows_progress_and_can_be_stopped(theatre: Any) -> None:
    desk = Desk(endless=True)

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        screen.path.value = PATH
        await pilot.press("enter")
        await until(pilot, lambda: " of 20,000 calls" in screen_text(pilot))
        assert "COMPARING" in screen_text(pilot)
        await pilot.press("r", "c")
        assert desk.compared == [PATH]
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert desk.stopped
        assert pilot.app.screen is screen
        text = screen_text(pilot)
        assert "STOPPED · 325 of the 1,000 calls looked at would move" in text
        assert "The rest was not counted." in text
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, BusinessProfile)

    play_comparison(theatre, desk, scene)


def test_no_comparison_outlives_its_screen(theatre: Any) -> None:
    desk = Desk(endless=True)

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        screen.path.value = PATH
        await pilot.press("enter")
        await until(pilot, lambda: bool(desk.compared))
        screen.dismiss()
        await until(pilot, lambda: desk.stopped)

    play_comparison(theatre, desk, scene)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two profiles, a folder with one more, and what must not be offered."""
    for name in ("candidate.yaml", "other.YML", "notes.txt", ".hidden.yaml", "team/second.yaml", "bad\u202ename.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("version: 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_chosen_from_the_list_without_typing(theatre: Any, folder: Path) -> None:
    desk = Desk()

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: screen.files.option_count == 3)
        assert [str(option.prompt) for option in screen.files.options] == ["candidate.yaml", "other.YML", "team/"]
        await pilot.press("down", "end", "enter")
        await until(pilot, lambda: screen.files.option_count == 1)
        assert screen.path.value == "team/"
        await pilot.press("down", "enter")
        await theatre.settle(pilot)
        assert desk.compared == ["team/second.yaml"]
        assert "COMPARED" in screen_text(pilot)
        await pilot.press("slash")
        await theatre.settle(pilot)
        assert screen.path.has_focus
        assert screen.files.display

    play_comparison(theatre, desk, scene)


def test_a_path_is_completed_while_it_is_typed(theatre: Any, folder: Path) -> None:
    desk = Desk()

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await type_text(pilot, "team/s")
        await until(pilot, lambda: bool(screen.path._suggestion))
        await pilot.press("right", "enter")
        await theatre.settle(pilot)
        assert desk.compared == ["team/second.yaml"]

    play_comparison(theatre, desk, scene)


def test_a_path_that_nothing_goes_on_from_is_told(theatre: Any, folder: Path) -> None:
    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await type_text(pilot, "nowhere/")
        await theatre.settle(pilot)
        assert "No YAML file or folder begins so." in screen_text(pilot)
        await pilot.press("down")
        assert screen.path.has_focus

    play_comparison(theatre, Desk(), scene)


# Hostile texts


def evil(place: str) -> str:
    """A hostile text that can be told from others by *place*."""
    return f"[red]{place}[/] [@click=app.quit]go[/] \x1b[2J\x1b]0;t\x07\x9b \u202e\u2066\u200b"


HOSTILE_FINDING = ProfileFinding(evil("sev"), evil("code"), evil("message"), evil("path"), 3)
HOSTILE_VIEW = ProfileView(
    evil("id"), evil("name"), evil("imported"), evil("facts"), evil("reason"),
    (MappedConcept(evil("kind"), evil("concept"), evil("standing"), groupable=True),),
    (UnmappedField(evil("object"), evil("field"), 0.5),),
    (HOSTILE_FINDING,),
    (BucketCount(evil("bucket"), evil("label"), 3),),
)  # fmt: skip
HOSTILE_COMPARISON = ProfileComparison(
    evil("candidate"), evil("against"), True, False, (HOSTILE_FINDING,),
    (BucketMove(evil("from"), evil("to"), 3),), 3, True,
)  # fmt: skip
HUGE = (400, 60)


def test_hostile_texts_of_a_profile_are_inert(theatre: Any) -> None:
    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        places = "id name facts reason kind concept standing object field sev code message path bucket label"
        for place in places.split():
            assert f"[red]{place}[/]" in text, place
        assert visible(evil("reason")) in text
        assert visible(evil("message")) in text

    play(theatre, Desk(view=HOSTILE_VIEW), scene, HUGE)


def test_hostile_texts_of_a_comparison_are_inert(theatre: Any) -> None:
    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await compare(theatre, pilot)
        text = screen_text(pilot)
        for place in ("candidate", "against", "sev", "code", "message", "path", "from", "to"):
            assert f"[red]{place}[/]" in text, place

    play_comparison(theatre, Desk(comparison=HOSTILE_COMPARISON), scene, HUGE)


def test_hostile_errors_and_reports_are_inert(theatre: Any) -> None:
    desk = Desk(view=StartupRefusal(evil("message"), evil("hint")), comparison=OSError(evil("failure")))

    async def scene(screen: BusinessProfile, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert visible(evil("message")) in text
        assert visible(evil("hint")) in text
        await pilot.press("c")
        await compare(theatre, pilot)
        assert visible(evil("failure")) in screen_text(pilot)

    play(theatre, desk, scene, HUGE)


def test_hostile_names_of_files_are_inert(theatre: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("[red]x[@click=app.quit]y.yaml", "esc\x1b[2J.yaml", "zero\u200bwidth.yaml"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    desk = Desk()

    async def scene(screen: CompareProfile, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: screen.files.option_count == 1)
        assert "[red]x[@click=app.quit]y.yaml" in screen_text(pilot)
        await pilot.press("down", "enter")
        await theatre.settle(pilot)
        assert desk.compared == ["[red]x[@click=app.quit]y.yaml"]
        assert "gongctl profile import '[red]x[@click=app.quit]y.yaml' --db DB" in screen_text(pilot)

    play_comparison(theatre, desk, scene)


# Pictures

CANDIDATE = ("b", "settle", "c", "settle", "path", "enter", "settle")
PICTURES: dict[str, tuple[tuple[int, int], Sequence[str], Desk]] = {
    "profile": (LARGE, ("b", "settle"), Desk()),
    "profile-medium-concepts": (MEDIUM, ("b", "settle", "t", "down"), Desk()),
    "profile-slim": (SLIM, ("b", "settle"), Desk()),
    "findings-slim": (SLIM, ("b", "settle", "t", "t"), Desk()),
    "no-profile": (MEDIUM, ("b", "settle"), Desk(view=None)),
    "stale-light": (
        LARGE,
        ("T", "b", "settle"),
        Desk(view=replace(VIEW, facts="stale", reason="Data was imported after the facts were made.")),
    ),
    "comparison": (LARGE, CANDIDATE, Desk()),
    "comparison-slim": (SLIM, CANDIDATE, Desk()),
    "invalid-candidate": (MEDIUM, CANDIDATE, Desk(comparison=INVALID)),
    "no-colour": (LARGE, ("b", "settle"), Desk()),
}


@pytest.mark.parametrize("scene", PICTURES)
def test_a_picture(
    theatre: Any, snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scene: str
) -> None:
    size, presses, desk = PICTURES[scene]
    monkeypatch.chdir(tmp_path)
    if scene == "no-colour":
        monkeypatch.setenv("NO_COLOR", "1")

    async def before(pilot: Pilot[None]) -> None:
        await pilot.pause()
        for key in presses:
            if key == "settle":
                await theatre.settle(pilot)
            elif key == "path":
                pilot.app.screen.query_one(PathLine).value = PATH
            else:
                await pilot.press(key)
        await theatre.settle(pilot)

    app = PreflightApp(theatre.Stage(), desk, clock=lambda: 0.0)
    assert snap_compare(app, terminal_size=size, run_before=before)
