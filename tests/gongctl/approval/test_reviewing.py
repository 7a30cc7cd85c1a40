"""``CacheReviewing``: what the screens of a review stand on."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from gongctl.approval.reviewing import CacheReviewing
from gongctl.approval.state import MOST_KEPT, MOST_PINNED, ReviewState
from gongmcp.approval.lock import read_lock
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.handler import build_handler
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file
from tests.gongctl.approval.conftest import Gongctl
from tests.gongmcp import canary
from tests.gongmcp.approval.later import NEW_LANGUAGE
from tests.gongmcp.conftest import build_cache
from tui.reviewing import HistoryItem, Reviewing, SampleRun, Standing

SMOKE = "operator-smoke"
Open = Callable[..., CacheReviewing]


@pytest.fixture(scope="session")
def canary_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canary")
    return build_cache(folder / "canary.db", canary.write_files(folder))


@pytest.fixture
def opened(sample_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")

    def make(db: Path | None = None, *, restricted: bool = False, file: str = "", **flags: str) -> CacheReviewing:
        settings_file = None
        if file:
            Path("s.toml").write_text(file)
            settings_file = read_settings_file(Path("s.toml"))
        settings = ServerSettings.resolve(flags, {}, settings_file)
        state = ReviewState(tmp_path / "state")
        return CacheReviewing(db or sample_cache, settings, state, restricted=restricted)

    return make


def run(reviewing: CacheReviewing, tool: str, preset: str = SMOKE) -> list[SampleRun]:
    return list(reviewing.samples(preset, tool, lambda done, total: None, lambda: False))


def approve(reviewing: CacheReviewing, *tools: str) -> None:
    for tool in tools:
        samples = [item.arguments for item in run(reviewing, tool) if item.preview is not None]
        reviewing.decide(tool, Standing.APPROVED, samples)


def standings(reviewing: CacheReviewing, preset: str = SMOKE) -> dict[str, str]:
    return {item.tool: item.standing.name for item in reviewing.queue(preset)}


def test_the_queue_begins_with_the_riskiest(opened: Open) -> None:
    reviewing: Reviewing = opened()
    items = reviewing.queue(SMOKE)
    assert [item.risk for item in items] == sorted((item.risk for item in items), reverse=True)
    assert (items[0].tool, items[-1].tool) == ("search_transcript_segments", "get_sync_status")
    assert all(item.reasons and item.definition_tokens for item in items)
    raw = {item.tool: item.risk for item in opened(provenance="raw").queue(SMOKE)}
    assert raw["search_transcript_segments"] > items[0].risk, "more can be opted into"
    hidden = opened(policy_switches="hide_call_titles,hide_raw_call_ids").queue(SMOKE)
    assert {item.tool: item.risk for item in hidden}["search_calls"] < {i.tool: i.risk for i in items}["search_calls"]


def test_samples_worst_case_first_and_a_set_without_a_member_says_so(opened: Open) -> None:
    reviewing = opened()
    told: list[tuple[int, int]] = []
    runs = reviewing.samples(SMOKE, "search_calls", lambda done, total: told.append((done, total)), lambda: False)
    sizes = [len(item.preview.wire) for item in runs if item.preview is not None]
    assert sizes == sorted(sizes, reverse=True)
    assert {item.set_name for item in runs if item.preview is None} == {"non_english", "pinned"}
    assert next(item.why for item in runs if item.set_name == "non_english") == "Every call is in English."
    assert told[-1] == (len(runs), len(runs))
    largest = {item.tool: item.reasons for item in reviewing.queue(SMOKE)}["search_calls"]
    assert f"largest sample: {sizes[0]:,} bytes" in largest
    assert reviewing.samples(SMOKE, "search_calls", lambda *_: None, lambda: True) == []


def test_another_language_and_a_pin_are_members(opened: Open, later_cache: Path) -> None:
    reviewing = opened(later_cache)
    reviewing.pin("search_calls", {"limit": 2})
    reviewing.pin("search_calls", {"limit": 2})
    runs = {item.set_name: item for item in run(reviewing, "search_calls")}
    assert runs["pinned"].arguments == {"limit": 2}
    made = runs["non_english"].preview
    assert made is not None
    assert made.outcome.rows == 1


def test_a_review_ends_in_lock_and_record(opened: Open) -> None:
    reviewing = opened()
    approve(reviewing, "search_calls", "get_call")
    reviewing.decide("get_sync_status", Standing.EXEMPT, ())
    reviewing.decide("rank_transcript_backlog", Standing.DROPPED, ())
    assert reviewing.undo() == "rank_transcript_backlog"
    change = reviewing.change()
    assert change.added == ("get_call", "get_sync_status", "search_calls")
    assert '+    "search_calls": {' in change.diff
    assert not Path("gongmcp.lock.json").exists(), "nothing is written before"
    said = reviewing.write("Sam Example")
    assert said == "3 tools are approved in gongmcp.lock.json; the record is gongmcp.review.md."
    lock = read_lock(Path("gongmcp.lock.json"))
    assert {tool.approved_by for tool in lock.tools.values()} == {lock.approved_by} == {"Sam Example"}
    assert {sample.set_name for sample in lock.tools["search_calls"].samples} >= {"latest", "largest", "example"}
    assert "### search_calls" in Path("gongmcp.review.md").read_text()
    assert standings(reviewing) == {
        "search_transcript_segments": "OPEN",
        "get_call": "APPROVED",
        "rank_transcript_backlog": "OPEN",
        "search_calls": "APPROVED",
        "get_sync_status": "EXEMPT",
    }
    assert [item.decision for item in reviewing.history(9)] == ["exempt", "approved", "approved"]
    with pytest.raises(StartupRefusal):
        reviewing.change()
    run_of = reviewing.approved_run("search_calls", {})
    assert run_of is not None
    assert run_of["status"] == "ok"
    assert reviewing.approved_run("search_calls", {"limit": 77}) is None


def test_the_command_line_approves_the_same(opened: Open, gongctl: Gongctl) -> None:
    reviewing = opened()
    approve(reviewing, "search_calls")
    reviewing.write("a")
    screens = read_lock(Path("gongmcp.lock.json"))
    Path("gongmcp.lock.json").unlink()
    assert gongctl("mcp", "approve", "search_calls", "--by", "a").code == 0
    shell = read_lock(Path("gongmcp.lock.json"))
    key = lambda tool: sorted((s.set_name, json.dumps(s.arguments), s.digest) for s in tool.samples)  # noqa: E731
    assert key(screens.tools["search_calls"]) == key(shell.tools["search_calls"])
    assert shell.shape == screens.shape


def test_drift_is_in_the_queue(opened: Open, later_cache: Path) -> None:
    reviewing = opened()
    approve(reviewing, "search_calls")
    reviewing.write("a")
    loosened = opened(max_search_results="300")
    (item,) = [item for item in loosened.queue(SMOKE) if item.tool == "search_calls"]
    assert item.standing is Standing.DRIFTED
    assert any("limits.search_results loosened" in sentence for sentence in item.drift)
    assert "its definition changed" in item.drift
    (item,) = [item for item in opened(later_cache).queue(SMOKE) if item.tool == "search_calls"]
    assert f"data.language {NEW_LANGUAGE} appeared" in item.drift


def first(made: Preview, state: str, kind: str = "") -> int:
    return next(n for n, span in enumerate(made.spans) if span.state == state and (not kind or span.kind == kind))


def searched(db: Path, tool: str, arguments: dict[str, Any], **flags: str) -> Preview:
    settings = ServerSettings.resolve(flags, {})
    return preview(build_handler(settings, db), tool, arguments, settings)


def test_a_withheld_id_is_that_of_its_row(opened: Open, sample_cache: Path) -> None:
    made = searched(sample_cache, "search_transcript_segments", {"query": "revenue", "limit": 9})
    known = searched(
        sample_cache,
        "search_transcript_segments",
        {"query": "revenue", "limit": 9, "include_call_ids": True},
        provenance="raw",
    )
    reviewing = opened()
    spans = [(n, span) for n, span in enumerate(made.spans) if span.place[-1:] == ("call_id",)]
    assert len(spans) == 9
    assert known.outcome.answer.structured is not None
    for number, span in spans:
        revealed = reviewing.reveal(made, number)
        assert revealed is not None
        assert revealed.value == known.outcome.answer.structured["results"][span.place[1]]["call_id"]


def test_what_was_masked_is_read_from_the_raw_half(opened: Open, canary_cache: Path, tmp_path: Path) -> None:
    reviewing = opened(canary_cache)
    found: set[str] = set()
    for tool, arguments in (
        ("search_transcript_segments", {"query": "CANARYSENTENCE OR call OR mail"}),
        ("search_transcripts_by_call_facts", {"query": "CANARYSENTENCE OR call OR mail"}),
        ("search_calls", {"include_call_titles": True}),
    ):
        made = searched(canary_cache, tool, arguments)
        for number, span in enumerate(made.spans):
            if span.state == "redacted":
                revealed = reviewing.reveal(made, number)
                assert revealed is not None, span
                assert revealed.value.encode() not in made.wire
                found.add(revealed.value)
    assert any("canaryspoken" in value for value in found)
    lines = (tmp_path / "state" / "review-reveals.jsonl").read_text()
    assert lines.count("\n") >= len(found)
    assert not any(value in lines for value in found)


def test_there_is_nothing_behind_what_is_kept_or_over_other_data(
    opened: Open, sample_cache: Path, later_cache: Path
) -> None:
    made = searched(sample_cache, "search_transcript_segments", {"query": "revenue"})
    assert opened().reveal(made, first(made, "kept")) is None
    assert opened(later_cache).reveal(made, first(made, "omitted", "call_id")) is None
    assert not Path("state/review-reveals.jsonl").exists(), "no look, no line"


@pytest.mark.parametrize("how", [{"restricted": True}, {"file": '[review]\nreveal = "never"\n'}])
def test_revealing_can_be_off(how: dict[str, Any], opened: Open, sample_cache: Path) -> None:
    made = searched(sample_cache, "search_transcript_segments", {"query": "revenue"})
    with pytest.raises(StartupRefusal) as caught:
        opened(**how).reveal(made, first(made, "omitted", "call_id"))
    assert caught.value.exit_code is Exit.REFUSED


def test_without_a_line_there_is_no_look(opened: Open, sample_cache: Path, tmp_path: Path) -> None:
    made = searched(sample_cache, "search_transcript_segments", {"query": "revenue"})
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.raises(StartupRefusal):
        opened().reveal(made, first(made, "omitted", "call_id"))


def test_reviews_that_pin_at_once_lose_no_pin(tmp_path: Path) -> None:
    def pin(number: int) -> None:
        ReviewState(tmp_path / "state").pin("search_calls", {"limit": number})

    with ThreadPoolExecutor(8) as reviews:
        list(reviews.map(pin, range(MOST_PINNED)))
    pinned = ReviewState(tmp_path / "state").pins()["search_calls"]
    assert sorted(arguments["limit"] for arguments in pinned) == list(range(MOST_PINNED))


def test_state_is_the_users_alone_and_bounded(tmp_path: Path) -> None:
    state = ReviewState(tmp_path / "state")
    for number in range(MOST_KEPT + MOST_KEPT // 10 + 5):
        state.remember(HistoryItem("t", "search_calls", {"limit": number}, SMOKE, "d", 1, 2, "ok", "", 1.0))
    kept = state.history(10_000)
    assert MOST_KEPT <= len(kept) <= MOST_KEPT + MOST_KEPT // 10
    assert kept[0].arguments == {"limit": MOST_KEPT + MOST_KEPT // 10 + 4}
    for number in range(MOST_PINNED):
        state.pin("search_calls", {"limit": number})
    with pytest.raises(StartupRefusal):
        state.pin("search_calls", {"limit": MOST_PINNED})
    for path in (tmp_path / "state").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "state" / "review-pins.json").write_text("[[[")
    (tmp_path / "state" / "review-history.jsonl").write_bytes(b'{"at": 1}\n\xff\n')
    assert (state.pins(), state.history(5)) == ({}, [])


def test_exports(opened: Open, gongctl: Gongctl) -> None:
    reviewing = opened(min_cell="3")
    approve(reviewing, "search_calls")
    with pytest.raises(StartupRefusal):
        reviewing.export("record")
    reviewing.write("a")
    contents = {target.name: reviewing.export(target.name) for target in reviewing.exports()}
    assert contents.keys() == {*("settings", "claude-desktop", "claude-code", "cursor", "vscode", "codex", "record")}
    name, text = contents["settings"]
    Path(name).write_text(text)
    assert tomllib.loads(text)["policy"]["min_cell"] == 3
    settings = ServerSettings.resolve({}, {}, read_settings_file(Path(name)))
    assert settings.lock == Path("gongmcp.lock.json").resolve()
    assert build_handler(settings, Path(os.environ["GONGCTL_DB"])).tools()
    desktop = json.loads(contents["claude-desktop"][1])["mcpServers"]["gong"]
    assert desktop["args"][-2:] == ["--lock", str(Path("gongmcp.lock.json").resolve())]
    assert tomllib.loads(contents["codex"][1])["mcp_servers"]["gong"]["command"]


def test_nothing_of_an_answer_is_in_what_a_review_leaves_behind(opened: Open, canary_cache: Path) -> None:
    reviewing = opened(canary_cache)
    reviewing.pin("search_transcript_segments", {"query": "number OR pricing"})
    shown = b""
    for tool in ("search_calls", "search_transcript_segments", "search_transcript_quotes_with_attribution"):
        runs = [item for item in run(reviewing, tool, "all-readonly") if item.preview is not None]
        shown += b"".join(item.preview.wire for item in runs if item.preview is not None)
        reviewing.decide(tool, Standing.APPROVED, [item.arguments for item in runs])
    assert b"CANARYTITLE" in shown, "the samples opt into titles"
    assert b"CANARYSENTENCE" in shown
    reviewing.queue("all-readonly")
    reviewing.change()
    reviewing.write("a")
    left = [path.read_text() for path in Path().rglob("*") if path.is_file()]
    left += [reviewing.export(target.name)[1] for target in reviewing.exports()]
    assert len(left) > 9
    for planted in (*canary.PLANTED.values(), "CANARYSENTENCE"):
        assert not any(planted in text for text in left), planted


def test_the_cache_is_shown_by_day(opened: Open, sample_cache: Path, tmp_path: Path) -> None:
    view = opened().cache()
    assert (view.state, view.next) == ("fresh", "")
    served = build_handler(ServerSettings(), sample_cache).freshness()
    assert sum(day.calls for day in view.days) == served["calls"]
    assert sum(day.transcripts for day in view.days) == served["transcripts"]
    assert {item.entity: item.rows for item in view.entities}["calls"] > served["calls"], "a private one is kept"
    assert [day.day for day in view.days] == sorted(day.day for day in view.days)
    assert any(day.transcripts < day.calls for day in view.days)
    with pytest.raises(StartupRefusal):
        opened(tmp_path / "none.db").cache()


def test_the_queue_without_a_terminal(gongctl: Gongctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONGCTL_STATE", str(tmp_path / "state"))
    said = gongctl("review", "--preset", SMOKE, "--json").json("review")
    assert [item["standing"] for item in said["queue"]] == ["open"] * 5
    assert said["samples"] == []
    assert "1 of 1 tool waits for a decision" in gongctl("review", "get_sync_status", "--preset", SMOKE).out
    gongctl("mcp", "approve", "get_sync_status", "--preset", SMOKE)
    gongctl("mcp", "approve", "--preset", SMOKE, "--exempt", "get_call")
    one = gongctl("review", "get_call", "--preset", SMOKE, "--json").json("review")
    assert [(item["tool"], item["standing"]) for item in one["queue"]] == [("get_call", "exempt")]
    assert one["samples"][-1]["run"] is None
    text = gongctl("review", "search_calls", "--preset", SMOKE)
    assert text.code == 0
    assert "Every call is in English." in text.out
    assert "all pass" in text.out
    assert "No tool waits for a decision." in text.out
    for wrong in (
        ["nobody"],
        ["--preset", "nobody"],
        ["--preset", SMOKE, "--tool-preset", "all"],
        ["--text", "--json"],
    ):
        assert gongctl("review", *wrong).code == Exit.USAGE


def test_the_keys_are_listed_with_their_ids(gongctl: Gongctl) -> None:
    listed = gongctl("keys", "--json").json("keys")
    assert {"theme", "run", "help"} <= {item["id"] for item in listed}
    text = gongctl("keys")
    assert text.code == 0
    assert all(item["id"] in text.out for item in listed)


HOSTILE = ("a\u2028b", "\x85\x0b\x1c", "\ud800", "\x1b[31m\u202e\x00", "x" * 10_000)


def test_arguments_of_any_signs_come_back_as_they_were(tmp_path: Path) -> None:
    state = ReviewState(tmp_path / "state")
    for text in HOSTILE:
        state.remember(HistoryItem("t", "search_calls", {"q": text}, SMOKE, "d", 1, 2, "ok", "", 1.0))
        state.pin("search_calls", {"q": text})
        state.revealed({"q": text})
    assert [item.arguments for item in state.history(9)] == [{"q": text} for text in HOSTILE[::-1]]
    assert state.pins() == {"search_calls": [{"q": text} for text in HOSTILE]}
    kept = (tmp_path / "state" / "review-reveals.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in kept] == [{"q": text} for text in HOSTILE]


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"at": 1',
        json.dumps({**asdict(HistoryItem("t", "x", {}, SMOKE, "d", 1, 2, "ok", "", 1.0)), "arguments": 3}),
        json.dumps({**asdict(HistoryItem("t", "x", {}, SMOKE, "d", 1, 2, "ok", "", 1.0)), "tool": []}),
        "\x00",
    ],
)
def test_a_line_that_is_none_of_ours_is_passed_over(line: str, tmp_path: Path) -> None:
    state = ReviewState(tmp_path / "state")
    state.remember(HistoryItem("t", "search_calls", {}, SMOKE, "d", 1, 2, "ok", "", 1.0))
    with (tmp_path / "state" / "review-history.jsonl").open("a") as file:
        file.write(line + "\n")
    assert [item.tool for item in state.history(9)] == ["search_calls"]


@pytest.mark.parametrize("found", ["[[[", "[" * 100_000, '{"search_calls": 1}', "\x00", "folder", "pipe"])
def test_pins_are_not_written_over_what_is_no_file_of_pins(found: str, tmp_path: Path) -> None:
    state = ReviewState(tmp_path)
    place = tmp_path / "review-pins.json"
    if found == "folder":
        place.mkdir()
    elif found == "pipe":
        os.mkfifo(place)
    else:
        place.write_text(found)
    assert state.pins() == {}
    with pytest.raises(StartupRefusal):
        state.pin("search_calls", {})
    assert not place.is_file() or place.read_text() == found
