"""``gongctl mcp replay``: recorded requests under another policy, in figures."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gongmcp.audit.sealing import new_key
from gongmcp.errors import Exit
from gongmcp.exposure.evidence import EvidenceSession
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.audit.conftest import SCRIPT, Gongctl, Session
from tests.gongmcp.stdio_process import ROOT

SAME = ("--transcript-evidence-provenance", "alias", "--evidence-percent", "100")
REPLAYED = [(tool, arguments) for tool, arguments in SCRIPT if tool != "no_such_tool"]
SKIPPED = {"later_page": 1, "unknown_tool": 1}


def replay(gongctl: Gongctl, session: Session, *flags: str) -> Any:
    done = gongctl("mcp", "replay", session.log, "--key", session.key, "--json", *flags)
    assert done.code == 0, done.err
    return done.json("mcp-replay")


def test_under_the_policy_that_answered_nothing_would_change(gongctl: Gongctl, session: Session) -> None:
    found = replay(gongctl, session, *SAME)
    assert (found["replayed"], found["changed"], found["other_data"]) == (len(REPLAYED), 0, 0)
    assert found["requests"] == []
    assert found["skipped"] == SKIPPED
    assert list(found["recorded_policies"]) == [found["policy"]]
    assert found["rows"]["then"] == found["rows"]["now"] > 0
    assert all(both["then"] == both["now"] for both in found["withheld"].values())


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"provenance": "alias", "max_search_results": "2", "evidence_percent": "100"},
        {"tool_preset": "operator-smoke", "evidence_segments": "3", "evidence_percent": "1"},
        {"policy_switches": "hide_call_titles,hide_raw_call_ids", "min_cell": "5", "tool_preset": "analyst"},
    ],
)
def test_under_another_it_tells_what_the_handler_gives(
    gongctl: Gongctl, session: Session, flags: dict[str, str]
) -> None:
    options = {"provenance": "--transcript-evidence-provenance"}
    words = [
        word for name, value in flags.items() for word in (options.get(name, f"--{name.replace('_', '-')}"), value)
    ]
    found = replay(gongctl, session, *words)
    handler = build_handler(ServerSettings.resolve(flags, {}), session.db, session=EvidenceSession())
    rows = size = 0
    withheld: Counter[str] = Counter()
    allowed = {tool.name for tool in handler.tools()}
    for tool, arguments in REPLAYED:
        if tool in allowed:
            outcome = handler.call(tool, arguments)
            rows, size = rows + outcome.rows, size + outcome.bytes
            withheld.update(outcome.ledger.by_rule())
    assert (found["rows"]["now"], found["bytes"]["now"]) == (rows, size)
    assert {rule: both["now"] for rule, both in found["withheld"].items() if both["now"]} == withheld
    assert found["policy"] == handler.policy.digest()
    assert found["changed"] == len(found["requests"]) > 0
    missing = [one for one in found["requests"] if one["now"]["outcome"] == "unknown_tool"]
    assert Counter(one["tool"] for one in missing) == Counter(tool for tool, _ in REPLAYED if tool not in allowed)


def test_no_value_is_printed_unless_it_is_asked_for_and_never_in_restricted_mode(
    gongctl: Gongctl, session: Session
) -> None:
    line = ("mcp", "replay", session.log, "--key", session.key, "--max-search-results", "1")
    for words in ([], ["--json"]):
        for mode in ([], ["--restricted"]):
            done = gongctl(*mode, *line, *words)
            assert done.code == 0
            assert not any(word in done.out for word in ("revenue", "growth", "quarter", "qwxzvb"))
        shown = gongctl(*line, *words, "--show-arguments")
        assert "revenue" in shown.out
        refused = gongctl("--restricted", *line, *words, "--show-arguments")
        assert (refused.code, refused.out) == (Exit.REFUSED, "")


def test_without_the_key_nothing_is_replayed(gongctl: Gongctl, session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.touch(0o600)
    other.write_text(new_key())
    done = gongctl("mcp", "replay", session.log, "--key", other, *SAME)
    assert (done.code, done.out) == (0, "Nothing was replayed.\n")
    assert "another key" in done.err
    assert gongctl("mcp", "replay", session.log, "--key", "none", *SAME).code == Exit.USAGE


def test_the_lock_is_a_policy_too(gongctl: Gongctl, session: Session) -> None:
    assert gongctl("mcp", "approve", "search_calls", "get_sync_status", "--lock", "l.json", "--by", "x").code == 0
    found = replay(gongctl, session, "--lock", "l.json")
    gone = [one["tool"] for one in found["requests"] if one["now"]["outcome"] == "unknown_tool"]
    assert sorted(gone) == sorted(tool for tool, _ in REPLAYED if tool not in ("search_calls", "get_sync_status"))


def test_a_key_that_could_not_be_written_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "from gongctl.cli.root import run; sys.exit(run(['audit', 'key', sys.argv[1]]))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "key")], cwd=ROOT, timeout=60).returncode == 1
    assert not (tmp_path / "key").exists()
