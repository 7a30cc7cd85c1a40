"""A lock over the facade: it is approved by definition, and hands on only what is approved beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongmcp.errors import Exit, UnknownTool
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}


def test_only_approved_tools_are_behind_a_locked_facade(tmp_path: Path) -> None:
    db, lock = tmp_path / "sample.db", tmp_path / "gongmcp.lock"
    build_sample(db)
    tools = ["gong_query", "gong_analyze", "search_calls_by_filters"]
    assert run(["mcp", "approve", *tools, "--db", str(db), "--lock", str(lock), "--by", "Operator"]) == Exit.OK
    handler = build_handler(ServerSettings.resolve({"lock": str(lock)}, {}), db)
    assert [info.name for info in handler.tools()] == ["search_calls_by_filters", "gong_query"]
    asked = {"operation": "query.calls", "arguments": {"filter": YEAR, "limit": 1}}
    assert handler.call("gong_query", asked).code == "ok"
    asked["operation"] = "query.call_count"
    assert handler.call("gong_query", asked).code == "invalid_argument"
    with pytest.raises(UnknownTool):
        handler.call("gong_analyze", {"operation": "question.answer"})
