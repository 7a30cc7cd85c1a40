"""``gongctl analyze`` and ``gongctl search``: the tools' own answers as JSON, tables with bars for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.figures import BAR, bar
from gongctl.cli.root import run
from gongmcp.errors import Exit
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
DATES = ["--from", YEAR["from_date"], "--to", YEAR["to_date"]]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("analyze") / "sample.db"
    build_sample(path)
    return path


COMMANDS: list[tuple[list[str], str, dict[str, Any]]] = [
    (["analyze", "coverage"], "explain_analysis_limitations", {}),
    (["analyze", "coverage", *DATES], "explain_analysis_limitations", {"filter": YEAR}),
    (
        ["analyze", "calls", "--by", "month", "--limit", "3"],
        "list_dimension_counts",
        {"dimension": "month", "limit": 3},
    ),
    (["analyze", "themes", "--industry", "tech"], "discover_themes_in_cohort", {"filter": {"industry": "tech"}}),
    (
        ["analyze", "themes", "demand", "--by", "industry", *DATES],
        "summarize_themes_by_dimension",
        {"theme_query": "demand", "dimension": "industry", "filter": YEAR},
    ),
    (["analyze", "backlog"], "rank_transcript_backlog", {}),
    (["analyze", "scorecards"], "summarize_scorecard_activity", {}),
    (
        ["search", "transcripts", "guidance", "--limit", "2"],
        "search_transcript_segments",
        {"query": "guidance", "limit": 2},
    ),
    (
        ["search", "transcripts", "guidance", *DATES, "--role", "external"],
        "search_transcripts_by_filters",
        {"theme_query": "guidance", "filter": YEAR, "speaker_role": "external"},
    ),
    (["search", "calls"], "search_calls", {}),
    (
        ["search", "calls", "--filter", '{"quarter": "2026-Q1"}', "--saying", "guidance"],
        "search_calls_by_filters",
        {"filter": {"quarter": "2026-Q1", "query": "guidance"}},
    ),
]


def test_what_is_wrong_with_the_calls_chosen_is_said_in_options(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "themes", "price", "--scope", "External", "--db", str(db)]) == Exit.USAGE
    said = capfd.readouterr().err
    assert "--quarter 2026-Q1" in said
    assert "{" not in said
    assert "dimension_filters" not in said
    assert run(["search", "calls", "--quarter", "2026-Q9", "--db", str(db)]) == Exit.USAGE
    assert "--quarter must be a quarter" in capfd.readouterr().err


@pytest.mark.parametrize(("line", "tool", "arguments"), COMMANDS)
def test_json_is_the_answer_of_the_tool_and_text_shows_its_rows(
    line: list[str], tool: str, arguments: dict[str, Any], db: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = build_handler(ServerSettings.resolve({}, {}), db).call(tool, arguments).answer.structured
    assert answer is not None
    assert run([*line, "--db", str(db), "--json"]) == Exit.OK
    assert json.loads(capfd.readouterr().out) == answer
    assert run([*line, "--db", str(db)]) == Exit.OK
    out = capfd.readouterr().out
    for row in answer.get("results", [])[:3]:
        shown = [str(row[name]) for name in ("value", "theme", "code", "call_ref", "snippet") if name in row]
        assert all(text in out for text in shown), (shown, out)


def test_policy_holds_and_faults_end_with_their_code(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = ["--db", str(db)]
    assert run(["analyze", "calls", *given, "--tool-preset", "operator-smoke"]) == Exit.REFUSED
    assert "does not offer the tool list_dimension_counts" in capfd.readouterr().err
    assert run(["analyze", "calls", *given, "--by", "nonsense"]) == Exit.USAGE
    assert run(["search", "calls", *given, "--filter", "{"]) == Exit.USAGE
    assert run(["search", "calls", *given, "--filter", "[]"]) == Exit.USAGE
    assert run(["--restricted", "search", "calls", *given, "--transcript-evidence-provenance", "raw"]) == Exit.REFUSED
    assert run(["--restricted", "search", "calls", *given]) == Exit.OK
    by_account = ["--filter", '{"account_query": "culp"}']
    assert run(["search", "calls", *given, *by_account]) == Exit.REFUSED
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err


def test_a_bar_is_as_long_as_its_share() -> None:
    assert bar(0, 10) == ""
    assert bar(10, 10) == "█" * BAR
    assert bar(5, 10) == "█" * (BAR // 2)
    assert bar(0.001, 10) == "▏"
    assert bar(3, 0) == "▏"


def test_months_stand_in_the_order_of_time(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "calls", "--by", "month", "--json", "--db", str(db)]) == Exit.OK
    months = [row["value"] for row in json.loads(capfd.readouterr().out)["results"]]
    assert months != sorted(months), "the tool gives the fullest first, so that the order here is the command's"
    assert run(["analyze", "calls", "--by", "month", "--db", str(db)]) == Exit.OK
    printed = [line[:7] for line in capfd.readouterr().out.splitlines() if line.startswith("20")]
    assert printed == sorted(months)


def test_no_call_is_said_with_what_to_widen(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "calls", "--from", "2001-01-01", "--to", "2001-01-02", "--db", str(db)]) == Exit.OK
    assert "No call matches: choose a longer period (--from and --to)" in capfd.readouterr().out


def test_a_word_for_a_number_is_told_from_a_number_out_of_range(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for given, said in (("abc", "limit is no whole number."), ("0", "limit is not in the allowed range.")):
        assert run(["mcp", "call", "search_calls", "--set", f"limit={given}", "--db", str(db)]) == Exit.USAGE
        out = capfd.readouterr().out
        assert said in out
        assert "limit must be a whole number from 1 to" in out
