"""The operator's model: every call, opened by gongctl alone, and what a second run over it tells."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gongctl import sample
from gongctl.cache.connection import reading
from gongctl.cache.operator_model import OPERATOR_APPLICATION_ID, operator_path
from gongctl.cli.root import app
from gongctl.governance.ungoverned import FIGURES, LIST, Taken, taken_by_governance
from gongmcp import command
from gongmcp.errors import StartupRefusal
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.schema import RAW_TABLES

LISTED = """\
version: 1
lists:
  no_ai:
    customers:
      - name: Culp Inc
"""


@pytest.fixture(scope="module")
def run() -> Callable[..., Result]:
    """Run gongctl in this process."""

    def runs(*words: object, **env: str) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words], env=env)

    return runs


@pytest.fixture
def cache(tmp_path: Path, run: Callable[..., Result]) -> Path:
    db = tmp_path / "calls.db"
    assert run("import", "gong", Path(sample.__file__).parent, "--db", db).exit_code == 0
    return db


def counted(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM call_facts").fetchone()[0])


def taken(db: Path, tool: str, listed: Path | None = None, **arguments: Any) -> Taken | None:
    flags = {} if listed is None else {"ai_governance_config": str(listed), "tool_preset": "all-readonly"}
    settings = ServerSettings.resolve(flags, {})
    outcome = build_handler(settings, db).call(tool, arguments)
    return taken_by_governance(db, settings, settings.policy, tool, arguments, outcome)


def test_it_is_off_by_default_and_then_renewed_until_it_is_removed(cache: Path, run: Callable[..., Result]) -> None:
    beside = operator_path(cache)
    run("cache", "warm", "--db", cache)
    assert not beside.exists()
    assert taken(cache, "search_calls") is None
    done = run("cache", "warm", "--db", cache, "--operator-model")
    assert done.exit_code == 0, done.output
    assert (counted(cache), counted(beside)) == (9, 10)
    with closing(sqlite3.connect(cache)) as connection:
        connection.execute("DELETE FROM raw_calls WHERE call_id = (SELECT min(call_id) FROM call_facts)")
        connection.commit()
    assert run("cache", "warm", "--db", cache).exit_code == 0
    assert counted(beside) == 9, "what is gone from the cache is gone from the model"
    assert run("cache", "warm", "--db", cache, "--no-operator-model").exit_code == 0
    assert not beside.exists()


def test_nobody_but_the_operator_opens_it(cache: Path, run: Callable[..., Result], capsys: Any) -> None:
    run("cache", "warm", "--db", cache, "--operator-model")
    beside = operator_path(cache)
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert not [file for file in cache.parent.iterdir() if file not in (cache, beside)]
    assert command.run(["--db", str(beside), "--tool-preset", "analyst"]) == 4
    assert "another application" in capsys.readouterr().err
    refused = run("mcp", "call", "get_sync_status", "--db", beside)
    assert isinstance(refused.exception, StartupRefusal), refused.output
    with closing(sqlite3.connect(beside)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (OPERATOR_APPLICATION_ID,)
        for table in sorted(RAW_TABLES & {"raw_calls", "raw_transcripts", "raw_records"}):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), "payloads are kept once"


def test_restricted_mode_neither_makes_nor_reads_it(cache: Path, run: Callable[..., Result]) -> None:
    blocked = run("--restricted", "cache", "warm", "--db", cache, "--operator-model")
    assert blocked.exit_code == 3, blocked.output
    assert not operator_path(cache).exists()
    run("cache", "warm", "--db", cache, "--operator-model")
    call = ("mcp", "call", "search_calls", "--db", cache, "--explain", "--text")
    assert "governance.scope.private_calls" in run(*call).output
    shown = run("--restricted", *call).output
    assert "governance.scope." not in shown
    assert "1 call of the cache is outside this policy." in shown


def test_a_second_run_tells_calls_by_rule_and_figures(cache: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    listed = tmp_path / "list.yaml"
    listed.write_text(LISTED, encoding="utf-8")
    run("cache", "warm", "--db", cache, "--ai-governance-config", listed, "--operator-model")
    found = taken(cache, "search_calls", listed)
    assert found is not None
    assert found.calls == {"governance.scope.private_calls": 1, LIST: 10 - 1 - counted(cache)}
    assert found.calls[LIST] > 0
    status = taken(cache, "get_sync_status", listed)
    assert status is not None
    assert not status.calls
    calls = next(item for item in status.figures if item.name == "total_calls")
    assert (calls.here, calls.without) == (counted(cache), 10)
    told = status.ledger()
    assert f"total_calls {counted(cache)} of 10" in told.reasons[FIGURES]
    groups = taken(cache, "summarize_calls_by_lifecycle", listed)
    assert groups is not None
    assert sum(item.without - item.here for item in groups.figures if item.name.endswith(": call_count")) == (
        10 - counted(cache)
    )
    assert "Culp" not in json.dumps([found.ledger().as_dict(), told.as_dict(), groups.ledger().as_dict()])


def test_control_where_nothing_is_taken_nothing_is_told(cache: Path, run: Callable[..., Result]) -> None:
    run("cache", "warm", "--db", cache, "--operator-model")
    found = taken(cache, "search_calls", to_date="2026-01-20")
    assert found is not None
    explained = run("mcp", "call", "list_scorecards", "--db", cache, "--explain")
    assert "governance.figures" not in explained.output


def test_a_model_of_an_older_state_is_not_asked(cache: Path, run: Callable[..., Result], tmp_path: Path) -> None:
    run("cache", "warm", "--db", cache, "--operator-model")
    assert taken(cache, "search_calls") is not None
    with reading(cache) as connection:
        before = connection.execute("SELECT value FROM meta WHERE key = 'data_generation'").fetchone()
    more = tmp_path / "users.json"
    more.write_text('{"users": [{"id": "991", "emailAddress": "new@example.com"}]}', encoding="utf-8")
    assert run("import", "gong", more, "--db", cache).exit_code == 0
    with reading(cache) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'data_generation'").fetchone() != before
    run("--restricted", "cache", "warm", "--db", cache)
    assert taken(cache, "search_calls") is None, "in restricted mode it was not renewed"
    run("cache", "warm", "--db", cache)
    assert taken(cache, "search_calls") is not None
