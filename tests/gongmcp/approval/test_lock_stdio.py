"""The lock over real pipes: what a client is offered and told, and what it is not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gongmcp.errors import Exit
from tests.gongmcp.approval.conftest import Approve
from tests.gongmcp.approval.later import FOREIGN, NEW_FIELD, WORDS
from tests.gongmcp.stdio_process import Server
from tests.gongmcp.test_refusals import started

GONGMCP = [sys.executable, "-m", "gongmcp"]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONGMCP_LOCK", raising=False)


def test_data_that_appeared_stays_inside(approved: Approve, later_cache: Path) -> None:
    lock = approved("search_transcript_segments", "list_crm_fields")
    for locked in (False, True):
        flags = ("--lock", str(lock)) if locked else ()
        with Server("--db", str(later_cache), *flags, command=GONGMCP) as server:
            server.send(server.request(1, "tools/list"))
            names = [tool["name"] for tool in server.answer(1)["result"]["tools"]]
            server.send(server.call(2, "search_transcript_segments", query=WORDS[FOREIGN]))
            found = server.answer(2)["result"]["structuredContent"]["results"]
            server.send(server.call(3, "list_crm_fields", object_type="Account"))
            fields = json.dumps(server.answer(3)["result"])
            server.send(server.call(4, "search_calls"))
            other = server.answer(4)
            server.hang_up()
            code, said = server.end()
        assert code == 0
        assert (f"lock: data.crm_field Account.{NEW_FIELD} appeared" in said) is locked
        assert (names == ["search_transcript_segments", "list_crm_fields"]) is locked
        assert (found == []) is locked
        assert (NEW_FIELD not in fields) is locked
        assert ("error" in other) is locked


def test_a_changed_tool_is_not_offered_and_said_on_stderr(approved: Approve, sample_cache: Path) -> None:
    lock = approved("search_transcript_segments", "get_sync_status")
    content = json.loads(lock.read_text(encoding="utf-8"))
    content["tools"]["search_transcript_segments"]["digest"] = "sha256:" + "0" * 64
    lock.write_text(json.dumps(content), encoding="utf-8")
    with Server("--db", str(sample_cache), "--lock", str(lock), command=GONGMCP) as server:
        server.send(server.request(1, "tools/list"))
        tools = server.answer(1)
        server.send(server.call(2, "search_transcript_segments", query="revenue"))
        call = server.answer(2)
        server.hang_up()
        code, said = server.end()
    assert [tool["name"] for tool in tools["result"]["tools"]] == ["get_sync_status"]
    assert call["error"]["code"] == -32602
    assert code == 0
    assert said == "gongmcp: lock: tool search_transcript_segments changed\n"


def test_a_looser_policy_refuses_or_is_brought_back(approved: Approve, sample_cache: Path, tmp_path: Path) -> None:
    lock = approved("search_calls")
    done = started("--db", str(sample_cache), "--lock", str(lock), "--max-search-results", "300", cwd=tmp_path)
    assert done.returncode == Exit.DRIFT
    assert done.stdout == ""
    assert "policy limits.search_results loosened (100 → 300)" in done.stderr
    raised = ("--db", str(sample_cache), "--max-search-results", "300")
    for locked, most in (((), 300), (("--lock", str(lock), "--lock-mode", "warn"), 100)):
        with Server(*raised, *locked, command=GONGMCP) as server:
            server.send(server.request(1, "tools/list"))
            tools = {tool["name"]: tool for tool in server.answer(1)["result"]["tools"]}
            server.hang_up()
            code, said = server.end()
        assert code == 0
        assert tools["search_calls"]["inputSchema"]["properties"]["limit"]["maximum"] == most
        assert ("policy limits.search_results loosened" in said) is bool(locked)


def test_the_lock_is_a_choice_of_tools_for_a_restricted_list(
    approved: Approve, sample_cache: Path, tmp_path: Path
) -> None:
    """A governed server that has a lock gets past the refusal that asks for a choice; the cache then decides."""
    lock = approved("search_calls")
    rules = tmp_path / "list.yaml"
    rules.write_text("version: 1\nlists: {no_ai: {customers: [{name: Zyxomatic}]}}", encoding="utf-8")
    flags = ("--db", str(sample_cache), "--ai-governance-config", str(rules))
    assert "the tools must be chosen" in started(*flags, cwd=tmp_path).stderr
    done = started(*flags, "--lock", str(lock), "--lock-mode", "warn", cwd=tmp_path)
    assert "no serving read model" in done.stderr
