"""The governance screen, the line of calls outside, and what withheld what, on operations that are made up."""

from __future__ import annotations

import gc
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from gongmcp.errors import StartupRefusal
from gongmcp.exposure.ledger import Entry, Ledger
from gongmcp.exposure.policy import Policy
from gongmcp.render.visible import visible
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file
from tui.app import PreflightApp
from tui.causes import CAUSES, OTHER, cause_of
from tui.governing import governing, in_short
from tui.operations import CallVerdict, GovernanceView, RuleCount
from tui.screens.governance import Governance
from tui.screens.help import Help
from tui.screens.preflight import Preflight
from tui.widgets.pane import Pane
from tui.widgets.policy_bar import PolicyBar
from tui.widgets.text_fields import Line
from tui.widgets.withheld import Withheld

LARGE, MEDIUM, NARROW, SLIM, HUGE = (140, 45), (100, 30), (80, 24), (60, 20), (400, 60)

VIEW = GovernanceView(
    list_name="restricted.yaml",
    customers=5,
    state="fresh",
    reason="Every call is judged.",
    next="",
    calls=3187,
    served=2900,
    scope=(RuleCount("scope.private_calls", 212), RuleCount("scope.deny_languages", 0)),
    restricted=(
        RuleCount("Harbour Analytics", 9, (("title", 2), ("transcript", 9))),
        RuleCount("Northwind Freight", 70, (("title", 41), ("party", 66), ("crm", 70), ("transcript", 12))),
        RuleCount("Acme Rockets", 0),
        RuleCount("Blue Finch & Daughters", 1, (("ai", 1),)),
        RuleCount("Contoso Orchards", 0),
    ),
    unmatched=("Acme Rockets", "Contoso Orchards"),
)
NO_LIST = replace(VIEW, list_name="", customers=0, served=2975, restricted=(), unmatched=())
COMMAND = "gongctl cache warm --db gong.db --ai-governance-config restricted.yaml"
STALE = replace(VIEW, state="stale", reason="12 calls are to be judged.", next=COMMAND, unmatched=())
MISSING = replace(
    VIEW, state="missing", reason="The calls were judged by another list than the one given.", next=COMMAND,
    served=0, scope=(), restricted=(), unmatched=(),
)  # fmt: skip
NOTHING = replace(
    VIEW, served=3187, scope=(RuleCount("scope.private_calls", 0),), restricted=(), unmatched=("Acme Rockets",)
)
OUT = CallVerdict("7782342274025937895", False, "Northwind Freight", "transcript", "we ship with [Northwind] since May")
ASKED = "call_k3v9q2"


@dataclass
class Desk:
    """Operations that answer as they are told; what is an exception is raised."""

    view: Any = VIEW
    verdict: Any = OUT
    after_warm: Any = None
    reads: int = 0
    taken: int = 0
    asked: list[str] = field(default_factory=list)

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        progress(3, 3)
        self.view = self.after_warm or self.view
        return "Warmed 3 calls."

    def profile(self) -> None:
        return None

    def compare_profile(self, *_: Any) -> Any:
        raise AssertionError("nothing is compared here")

    def outside(self) -> int:
        if isinstance(self.view, Exception):
            raise self.view
        return 0 if self.view.state == "missing" else int(self.view.outside)

    def ungoverned(self, tool: str, *_: Any) -> Ledger:
        taken = Ledger()
        if self.taken:
            taken.add(
                Entry("omitted", "call", "governance.scope.private_calls", ("results",), count=self.taken), "Why."
            )
        return taken

    def governance(self) -> GovernanceView:
        self.reads += 1
        if isinstance(self.view, Exception):
            raise self.view
        found: GovernanceView = self.view
        return found

    def call_verdict(self, reference: str) -> CallVerdict | None:
        self.asked.append(reference)
        if isinstance(self.verdict, Exception):
            raise self.verdict
        found: CallVerdict | None = self.verdict
        return found


Scene = Callable[[Governance, Pilot[None]], Awaitable[None]]


def play(
    theatre: Any, desk: Any, scene: Scene, size: tuple[int, int] = LARGE, *, restricted: bool = False, **settings: str
) -> None:
    """Open governance from the main screen and run *scene* on it."""

    async def whole(_screen: Preflight, pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        await pilot.press("o")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, Governance)
        await scene(pilot.app.screen, pilot)

    theatre.play(theatre.Stage(), whole, size=size, operations=desk, restricted=restricted, settings=resolved(settings))


def resolved(flags: dict[str, str]) -> ServerSettings:
    return ServerSettings.resolve(flags, {})


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
    """The first line that holds *word*, with one space wherever there are more."""
    return next(" ".join(line.split()) for line in text.split("\n") if word in line)


async def ask(theatre: Any, pilot: Pilot[None], reference: str = ASKED) -> None:
    """Ask about a call, from wherever the cursor is."""
    await pilot.press("c")
    await pilot.pause()
    field = pilot.app.screen.query_one(Line)
    assert field.has_focus
    field.value = reference
    await pilot.press("enter")
    await theatre.settle(pilot)


# Coverage and the list


def test_everything_is_on_a_large_terminal(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        head = text.split("\n")[0]
        for words in ("list restricted.yaml", "5 customers", "verdicts fresh", "2,900 of 3,187 calls served"):
            assert words in head
        assert "Coverage 5, 287 of 3,187 calls outside" in text
        assert "212 6.7%" in line_with(text, "scope.private_calls")
        assert "0 0.0%" in line_with(text, "scope.deny_languages")
        assert "70 2.2%" in line_with(text, "Northwind Freight")
        assert "title 41, party 66" in line_with(text, "Northwind Freight")
        assert "named in crm 70, party 66, title 43, transcript 21, ai 1" in text
        assert "counts under both" in text
        assert "Unmatched 2, no call names them" in text
        lines = [line.lstrip("│┃ ") for line in text.split("\n")]
        order = ("scope.private_calls", "Northwind", "Harbour", "Blue Finch")
        places = [next(n for n, line in enumerate(lines) if line.startswith(name)) for name in order]
        assert places == sorted(places)

    play(theatre, Desk(), scene)


def test_a_customer_that_is_not_named_is_told_apart_and_never_copied(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await pilot.press("t")
        text = screen_text(pilot)
        assert "▸ Unmatched 2" in text
        assert "Acme Rockets" in text
        assert "Contoso Orchards" in text
        assert "Northwind" not in text
        await pilot.press("down", "y")
        assert pilot.app.clipboard == ""

    play(theatre, Desk(), scene, MEDIUM)


@pytest.mark.parametrize("size", [MEDIUM, SLIM])
def test_small_terminals_turn_through_all_panes(theatre: Any, size: tuple[int, int]) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        seen = []
        for _ in range(4):
            [shown] = [pane for pane in screen.query(Pane) if pane.display]
            assert shown.has_focus_within
            seen.append(shown.called)
            await pilot.press("t")
            await pilot.pause()
        assert seen == ["Coverage", "Unmatched", "One call", "Settings"]
        assert screen.panes.current.called == "Coverage"

    play(theatre, Desk(), scene, size)


def test_without_a_list_it_is_said_and_how_to_give_one(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "no restricted list" in text.split("\n")[0]
        assert "--ai-governance-config FILE" in text
        assert "212 6.7%" in line_with(text, "scope.private_calls")
        assert "customers" not in text.split("\n")[0]

    play(theatre, Desk(view=NO_LIST), scene)


def test_a_list_that_was_not_judged_counts_nothing_until_a_warm(theatre: Any) -> None:
    desk = Desk(view=MISSING, after_warm=VIEW)

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "verdicts missing" in text
        assert f"another list than the one given. Next: w warms the cache or run: {COMMAND}" in " ".join(text.split())
        assert "Coverage 0, not counted" in text
        assert "agents get none" in text
        assert "Known when every call is judged" in text
        reads = desk.reads
        await pilot.press("w")
        await theatre.settle(pilot)
        assert pilot.app.screen is screen
        assert desk.reads == reads + 1
        assert "verdicts fresh" in screen_text(pilot)
        assert "70 2.2%" in line_with(screen_text(pilot), "Northwind Freight")

    play(theatre, desk, scene)


def test_stale_verdicts_are_those_of_the_last_warm(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "verdicts stale" in text
        assert "12 calls are to be judged. Next: w warms the cache" in text
        assert "as of the last warm" in text
        assert "Known when every call is judged" in text
        assert "70 2.2%" in line_with(text, "Northwind Freight")

    play(theatre, Desk(view=STALE), scene)


def test_nothing_suppressed_is_said(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert "0 of 3,187 calls outside" in text
        assert "nothing is taken from agents" in text
        assert "3,187 of 3,187 calls served" in text

    play(theatre, Desk(view=NOTHING), scene)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (StartupRefusal("There is no cache at gone.db.", "Make one: gongctl import gong PATH"), "Make one: gongctl"),
        (OSError("disk full"), "OSError: disk full"),
    ],
)
def test_a_cache_that_cannot_be_read_is_told_and_read_again(theatre: Any, failure: Exception, words: str) -> None:
    desk = Desk(view=failure)

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        assert words in screen_text(pilot)
        assert not screen.panes.display
        await pilot.press("c")
        assert not screen.query_one(Line).has_focus
        desk.view = VIEW
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "Northwind Freight" in screen_text(pilot)

    play(theatre, desk, scene, MEDIUM)


def test_a_reading_that_was_overtaken_is_not_shown(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        screen.post_message(Governance.Read(0, replace(VIEW, list_name="old.yaml")))
        await pilot.pause()
        assert "old.yaml" not in screen_text(pilot)

    play(theatre, Desk(), scene)


# One call


def test_a_call_is_judged_with_its_words(theatre: Any) -> None:
    desk = Desk()

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await ask(theatre, pilot)
        assert desk.asked == [ASKED]
        text = screen_text(pilot)
        assert "NOT SERVED  7782342274025937895" in text
        assert "rule   Northwind Freight" in text
        assert "where  transcript" in text
        assert "words  we ship with [Northwind] since May" in text
        assert screen.panes.current.called == "One call"

    play(theatre, desk, scene, SLIM)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (None, "The cache holds no call of this id or alias."),
        (replace(OUT, served=True, rule="", source="", excerpt=""), "No rule of the scope and no customer"),
        (replace(OUT, rule="", source="", excerpt=""), "it is not judged yet: w warms the cache"),
        (replace(OUT, served=True), "Until the next warm (w)"),
        (StartupRefusal("The cache is busy.", "Close the other program."), "Close the other program."),
        (OSError("disk full"), "OSError: disk full"),
    ],
)
def test_every_verdict_is_told(theatre: Any, verdict: Any, words: str) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await ask(theatre, pilot)
        assert words in screen_text(pilot)

    play(theatre, Desk(verdict=verdict), scene, MEDIUM)


def test_an_empty_reference_is_not_asked(theatre: Any) -> None:
    desk = Desk()

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await ask(theatre, pilot, "  ")
        assert desk.asked == []
        assert [note.message for note in pilot.app._notifications] == ["Type a call id or an alias first."]
        await pilot.press("escape", "t")
        assert screen.panes.current.called == "Settings"

    play(theatre, desk, scene, MEDIUM)


def test_restricted_mode_looks_into_no_call(theatre: Any) -> None:
    desk = Desk()

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await pilot.press("c")
        await theatre.settle(pilot)
        pane = screen.panes.current
        assert pane.called == "One call"
        assert [str(part.visual) for part in pane.query(Static)] == ["blocked"]
        assert not screen.query(Line)
        await pilot.press("enter", "escape")
        assert isinstance(pilot.app.screen, Preflight)
        assert desk.asked == []
        await pilot.press("v")
        assert pilot.app.screen.query_one(OptionList).option_count == 2, "no raw ids either"

    play(theatre, desk, scene, MEDIUM, restricted=True)


# Leaving


NAMED = "Zephyrine Quillworks"


class Fresh(Desk):
    """Names a customer that no other test names, in objects that nobody else holds."""

    def governance(self) -> GovernanceView:
        return replace(VIEW, restricted=(RuleCount(NAMED, 3, (("crm", 3),)),), unmatched=(f"{NAMED} South",))

    def call_verdict(self, reference: str) -> CallVerdict | None:
        return replace(OUT, rule=NAMED)


def held() -> list[str]:
    """What is in memory that names the customer: contents of widgets, and what the operations told."""
    gc.collect()
    return [
        repr(thing)
        for thing in gc.get_objects()
        if type(thing) in (Content, GovernanceView, RuleCount, CallVerdict) and NAMED in repr(thing)
    ]


def test_nothing_is_kept_after_leaving(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await ask(theatre, pilot)
        assert held(), "the control: it is there while it is shown"
        await pilot.press("escape", "escape")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, Preflight)
        assert NAMED not in screen_text(pilot)
        assert screen._unmatched.rows == []
        assert held() == []

    play(theatre, Fresh(), scene)


def test_an_answer_that_comes_after_leaving_is_dropped(theatre: Any) -> None:
    let = threading.Event()

    class Late(Fresh):
        def call_verdict(self, reference: str) -> CallVerdict | None:
            assert let.wait(30)
            return replace(OUT, rule=NAMED)

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await pilot.press("c")
        await pilot.pause()
        screen.query_one(Line).value = ASKED
        await pilot.press("enter", "escape", "escape")
        assert isinstance(pilot.app.screen, Preflight)
        let.set()
        await theatre.settle(pilot)
        assert held() == []

    play(theatre, Late(), scene)


# Keys


def test_escape_goes_back_and_without_operations_the_command_is_named(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, Preflight)

    play(theatre, Desk(), scene)

    async def alone(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("o")
        assert pilot.app.screen is screen
        [note] = pilot.app._notifications
        assert note.message == "This preview shows no governance. Run: gongctl governance scope --db PATH"

    theatre.play(theatre.Stage(), alone)


def test_keys_are_in_help_and_in_the_palette_and_can_be_given_away(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        titles = {command.title for command in pilot.app.get_system_commands(screen)}
        assert {"Ask why a call is served or not", "Read the verdicts again", "Warm the cache"} <= titles
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Help)
        shown = str(pilot.app.screen.query_one(Static).visual)
        assert "Ask why a call is served or not" in shown
        await pilot.press("escape", "t", "question_mark")
        assert "Copy the row" not in str(pilot.app.screen.query_one(Static).visual)
        await pilot.press("escape", "escape")
        pilot.app.set_keymap({"governance": "O"})
        await pilot.press("o")
        assert isinstance(pilot.app.screen, Preflight)
        await pilot.press("O")
        assert isinstance(pilot.app.screen, Governance)

    play(theatre, Desk(), scene, MEDIUM)


# Settings and the policy bar


def test_settings_say_their_layer(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await pilot.press("left", "down", "down")
        text = screen_text(pilot)
        assert line_with(text, "policy.min_cell").split()[1:4] == ["policy.min_cell", "5", "flag"]
        assert line_with(text, "evidence.segments").split()[1:4] == ["evidence.segments", "20", "default"]
        assert "policy.min_cell = 5  flag --min-cell" in text
        await pilot.press("y")
        assert pilot.app.clipboard == "policy.min_cell\t5\tflag\t--min-cell"

    play(theatre, Desk(), scene, MEDIUM, min_cell="5")


def test_layers_and_scope_in_short(tmp_path: Path) -> None:
    file = tmp_path / "gong.toml"
    file.write_text('[scope]\nlanguages = ["en", "de"]\n[evidence]\nsegments = 30\n', encoding="utf-8")
    settings = ServerSettings.resolve({"evidence_percent": "20"}, {"GONGMCP_MIN_CELL": "5"}, read_settings_file(file))
    short = {item.name: (item.value, item.layer) for item in in_short(governing(settings))}
    assert short == {
        "evidence": ("12 an answer, max(30, 20%) a session", "file and flag"),
        "min_cell": ("5", "env"),
        "mask_participants": ("no", "default"),
        "scope": ("private_calls deny, languages 2 values", "file"),
        "list": ("none", "default"),
    }


def test_settings_without_layers_are_those_that_hold() -> None:
    bare = governing(ServerSettings(policy=Policy(min_cell=7)))
    assert {item.layer for item in bare} == {"default"}
    assert {item.name: item.value for item in bare}["policy.min_cell"] == "7"


def bar(screen: Preflight) -> str:
    return str(screen.query_one(PolicyBar).visual)


@pytest.mark.parametrize("size", [LARGE, NARROW, SLIM])
def test_the_policy_bar_tells_what_governs_and_how_many_calls_are_outside(theatre: Any, size: tuple[int, int]) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        told = bar(screen)
        assert "min_cell 5 (flag)" in told
        assert "287 calls of the cache are outside this policy" in told
        shown = screen_text(pilot)
        assert "287 calls of the cache are outside" in shown
        if size == LARGE:
            assert "evidence 12 an answer, max(20, 10%) a session (default)" in told
            assert "scope private_calls deny (default)" in told
            assert "list none (default)" in told
        else:
            assert "default evidence, mask_participants, scope, list" in told
        assert "Northwind" not in shown

    theatre.play(
        theatre.Stage(), scene, size=size, operations=Desk(), settings=resolved({"min_cell": "5"})
    )  # fmt: skip


@pytest.mark.parametrize("view", [replace(VIEW, served=3187), MISSING, OSError("disk full")])
def test_without_calls_outside_there_is_no_line(theatre: Any, view: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        assert "outside" not in bar(screen)

    theatre.play(theatre.Stage(), scene, operations=Desk(view=view))


def test_the_line_follows_a_warm(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await theatre.settle(pilot)
        assert "287 calls" in bar(screen)
        await pilot.press("w")
        await theatre.settle(pilot)
        await theatre.settle(pilot)
        assert "1 call of the cache is outside this policy" in bar(screen)

    theatre.play(theatre.Stage(), scene, operations=Desk(after_warm=replace(VIEW, served=3186)))


# What withheld what

RULES = {
    "governance.guard": "Governance",
    "switch.hide_call_titles": "Switches",
    "provenance.redacted": "Provenance",
    "mask.email": "Masking",
    "limit": "Caps",
    "bytes.max_response_bytes": "Caps",
    "evidence.session": "Caps",
    "evidence.per_answer": "Caps",
    "min_cell": "Caps",
    "opt_in.include_call_ids": "Not asked for",
    "field_profile.limited": "Not asked for",
    "text.snippet": "Text cut or cleaned",
    "never.email": "Never shown",
    "undeclared": "Never shown",
    "something.new": OTHER,
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_cause(rule: str) -> None:
    assert cause_of(rule) == RULES[rule]


def many_causes() -> Ledger:
    """A ledger with a thing of each rule, some of them several times."""
    ledger = Ledger()
    for number, rule in enumerate(RULES):
        ledger.add(
            Entry("rounded" if rule == "min_cell" else "omitted", "row", rule, ("results",), count=number + 1), "?"
        )
    return ledger


@pytest.mark.parametrize("taken", [0, 3])
def test_what_governance_took_joins_what_was_withheld(theatre: Any, taken: int) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        await theatre.settle(pilot)
        heads = [str(option.prompt) for option in screen.query_one(Withheld).options.options if option.disabled]
        assert ("Governance  ×3" in heads) == bool(taken)

    theatre.play(theatre.Stage(), scene, operations=Desk(taken=taken))


def test_the_ledger_is_grouped_by_cause_with_counts(theatre: Any) -> None:
    ledger = many_causes()
    stage = theatre.Stage()
    stage.replies["search_calls"] = lambda _arguments, _cancel: replace(theatre.found(), ledger=ledger)

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        options = screen.query_one(Withheld).options.options
        heads = [str(option.prompt) for option in options if option.disabled]
        names = [name for name, _ in CAUSES]
        assert [head.split("  ×")[0] for head in heads] == [*names, OTHER]
        totals = {head.split("  ×")[0]: int(head.split("×")[1]) for head in heads}
        for cause, total in totals.items():
            assert total == sum(number for number, rule in enumerate(RULES, 1) if RULES[rule] == cause), cause
        assert len(options) == len(heads) + len(RULES)
        caps = [str(option.prompt) for option in options]
        at = caps.index(next(head for head in heads if head.startswith("Caps")))
        assert all(any(rule in row for row in caps[at : at + 6]) for rule in RULES if RULES[rule] == "Caps")
        seen = []
        for _ in RULES:
            await pilot.press("n")
            seen.append(str(screen.query_one("#withheld-detail", Static).visual).split("\n")[1].split(" by ")[1])
        assert sorted(seen) == sorted(RULES)
        assert seen[0] == "governance.guard"

    theatre.play(stage, scene)


# Hostile texts


def evil(place: str) -> str:
    """A hostile text that can be told from others by *place*."""
    return f"[red]{place}[/] [@click=app.quit]go[/] \x1b[2J\x1b]0;t\x07\x9b \u202e\u2066\u200b"


HOSTILE = GovernanceView(
    evil("list"), 1, evil("state"), evil("reason"), evil("next"), 9, 5,
    (RuleCount(evil("scope"), 1),), (RuleCount(evil("customer"), 3, ((evil("place"), 3),)),), (evil("unmatched"),),
)  # fmt: skip


def test_hostile_names_are_inert(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        for place in ("list", "state", "reason", "next", "scope", "customer", "place"):
            assert f"[red]{place}[/]" in text, place
        assert visible(evil("reason")) in text

    play(theatre, Desk(view=HOSTILE), scene, HUGE)


def test_hostile_unmatched_names_are_inert(theatre: Any) -> None:
    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        assert visible(evil("unmatched")) in screen_text(pilot)

    play(theatre, Desk(view=replace(HOSTILE, state="fresh")), scene, HUGE)


def test_hostile_words_of_a_call_are_inert(theatre: Any) -> None:
    desk = Desk(verdict=CallVerdict(evil("id"), False, evil("rule"), evil("source"), evil("words")))

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        await ask(theatre, pilot, "[red]typed[@click=app.quit]x")
        text = screen_text(pilot)
        for place in ("id", "rule", "source", "words"):
            assert visible(evil(place)) in text, place
        assert "[red]typed[@click=app.quit]x" in text
        desk.verdict = None
        await ask(theatre, pilot, "[red]typed[@click=app.quit]x")
        assert "NO SUCH CALL  [red]typed[@click=app.quit]x" in screen_text(pilot)

    play(theatre, desk, scene, HUGE)


def test_hostile_errors_are_inert(theatre: Any) -> None:
    desk = Desk(view=StartupRefusal(evil("message"), evil("hint")))

    async def scene(screen: Governance, pilot: Pilot[None]) -> None:
        text = screen_text(pilot)
        assert visible(evil("message")) in text
        assert visible(evil("hint")) in text

    play(theatre, desk, scene, HUGE)


# Pictures

OPEN = ("settle", "o", "settle")
PICTURES: dict[str, tuple[tuple[int, int], Sequence[str], Desk]] = {
    "coverage": (LARGE, OPEN, Desk()),
    "coverage-slim": (SLIM, OPEN, Desk()),
    "no-list": (MEDIUM, (*OPEN, "t"), Desk(view=NO_LIST)),
    "not-judged": (MEDIUM, OPEN, Desk(view=MISSING)),
    "one-call": (MEDIUM, (*OPEN, "ask"), Desk()),
    "one-call-slim": (SLIM, (*OPEN, "ask"), Desk()),
    "policy-bar": (LARGE, ("enter", "x", "enter", "settle", "n"), Desk()),
    "policy-bar-narrow": (NARROW, ("settle",), Desk()),
}


@pytest.mark.parametrize("scene", PICTURES)
def test_a_picture(theatre: Any, snap_compare: Callable[..., bool], scene: str) -> None:
    size, presses, desk = PICTURES[scene]

    async def before(pilot: Pilot[None]) -> None:
        await pilot.pause()
        for key in presses:
            if key == "settle":
                await theatre.settle(pilot)
            elif key == "ask":
                await ask(theatre, pilot)
            else:
                await pilot.press(key)
        await theatre.settle(pilot)

    settings = resolved({"min_cell": "5", "evidence_segments": "40"})
    app = PreflightApp(theatre.Stage(), desk, clock=lambda: 0.0, settings=settings)
    assert snap_compare(app, terminal_size=size, run_before=before)
