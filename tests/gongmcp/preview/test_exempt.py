"""A draft does what it says: taken as a settings file, it lets through what it is about, and its words hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gongmcp.handler import build_handler
from gongmcp.preview.exempt import Exemption, exemption
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview, Span
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file

SEARCH = "search_transcript_segments"
OF_A_FILE = [
    ('[policy]\nswitches = ["hide_call_titles"]', "search_calls", {"include_call_titles": True}, "switch."),
    ('[tools]\npreset = "business-pilot"', "rank_transcript_backlog", {"include_call_titles": True}, "switch."),
    ("", SEARCH, {"query": "revenue"}, "provenance."),
    ("[limits]\nsearch_results = 2", "search_calls", {}, "limit"),
    ("[evidence]\nper_answer = 1", SEARCH, {"query": "revenue"}, "evidence.per_answer"),
    ("[policy]\nmax_response_bytes = 16384", SEARCH, {"query": "the", "limit": 100}, "bytes."),
    ("[policy]\nmin_cell = 5", "summarize_calls_by_lifecycle", {}, "min_cell"),
]


def made(db: Path, file: Path, tool: str, arguments: dict[str, Any]) -> tuple[ServerSettings, Preview]:
    settings = ServerSettings.resolve({}, {}, read_settings_file(file))
    return settings, preview(build_handler(settings, db), tool, arguments, settings)


def withheld(shown: Preview, rule: str) -> list[Span]:
    return [span for span in shown.spans if span.state != "kept" and span.rule.startswith(rule)]


@pytest.mark.parametrize(("file", "tool", "arguments", "rule"), OF_A_FILE)
def test_the_draft_as_a_settings_file(
    file: str, tool: str, arguments: dict[str, Any], rule: str, sample_cache: Path, tmp_path: Path
) -> None:
    before, after = tmp_path / "before.toml", tmp_path / "after.toml"
    before.write_text(file, encoding="utf-8")
    settings, shown = made(sample_cache, before, tool, arguments)
    span = withheld(shown, rule)[0]
    draft = exemption(shown, span, settings.policy, settings)
    assert draft.settings
    after.write_text(draft.text(), encoding="utf-8")
    changed, then = made(sample_cache, after, tool, arguments)
    for name, value in read_settings_file(after).values.items():
        assert changed.sources[name] == "file", value
    same = [other for other in withheld(then, span.rule) if (other.place, other.kind) == (span.place, span.kind)]
    if rule == "limit":
        assert (shown.outcome.rows, then.outcome.rows) == (2, 3)  # the least that lets one more through
    elif rule.startswith(("evidence", "bytes")):
        assert then.outcome.rows > shown.outcome.rows
    else:
        assert same == []
    assert draft.words[-1].startswith("What was approved under the present settings drifts")
    assert all(line.startswith(("#", "[")) or " = " in line for line in draft.text().splitlines() if line)


def drafted(db: Path, tool: str, rule: str, arguments: dict[str, Any], **flags: str) -> Exemption:
    settings = ServerSettings.resolve(flags, {})
    shown = preview(build_handler(settings, db), tool, arguments, settings)
    return exemption(shown, withheld(shown, rule)[0], settings.policy, settings)


def test_what_else_can_leave_and_what_still_stands_against_it(sample_cache: Path) -> None:
    draft = drafted(sample_cache, "search_calls", "switch.", {}, policy_switches="hide_call_titles")
    words = " ".join(draft.words)
    assert "can then leave that cannot now" in words
    assert "search_calls title" in words
    assert "call_id" not in words
    assert "opt_in.include_call_titles" in words
    assert "policy.switches is given by the command line (--policy-switches), which is stronger" in words


def test_where_no_setting_does_it_the_words_say_what_does(sample_cache: Path) -> None:
    for rule, arguments, told in (
        ("opt_in.include_call_ids", {}, "include_call_ids=true"),
        ("limit", {"limit": 2}, "asks for a larger limit"),
    ):
        draft = drafted(sample_cache, "search_calls", rule, arguments)
        assert draft.settings == {}
        assert told in draft.words[0]
        assert "=" not in "".join(line for line in draft.text().splitlines() if not line.startswith("#"))


def test_a_cap_is_drafted_as_high_as_is_needed_and_no_higher(sample_cache: Path) -> None:
    asked = drafted(sample_cache, "search_calls", "limit", {"limit": 6}, max_search_results="3")
    assert asked.settings == {"limits.search_results": 6}
    assert "At least" not in " ".join(asked.words)
    next_row = drafted(sample_cache, "search_calls", "limit", {"limit": 3}, max_search_results="3")
    assert next_row.settings == {"limits.search_results": 4}
    assert "At least 4, for the next row" in " ".join(next_row.words)
    default = drafted(sample_cache, SEARCH, "limit", {"query": "the"})  # twenty rows of a hundred that are served
    assert default.settings == {}
    assert "whoever asks for a larger limit" in default.words[0]
    held = drafted(sample_cache, SEARCH, "evidence.per_answer", {"query": "the", "limit": 5}, evidence_per_answer="2")
    assert held.settings == {"evidence.per_answer": 5}  # an answer of five rows has no room for more
    assert "At least 3 are needed for the next" in " ".join(held.words)
