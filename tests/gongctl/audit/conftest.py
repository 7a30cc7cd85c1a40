"""A session of a client with the real server, what it received, and the log that the server kept of it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl import sample
from gongctl.cli.root import run
from gongmcp.audit.sealing import new_key
from tests.gongmcp.conftest import build_cache
from tests.gongmcp.stdio_process import Server

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"

SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("search_transcript_segments", {"query": "revenue", "limit": 6}),
    ("search_transcript_segments", {"query": "growth", "limit": 6}),
    ("search_transcripts_by_call_facts", {"query": "quarter", "limit": 6}),
    ("search_calls", {"limit": 3}),
    ("search_transcript_segments", {"limit": 6, "query": "revenue"}),
    ("search_transcript_quotes_with_attribution", {"query": "thank you", "limit": 4}),
    ("search_transcript_segments", {"query": "revenue", "limt": 6}),
    ("get_sync_status", {}),
    ("no_such_tool", {"query": "revenue"}),
    ("search_transcript_segments", {"query": "qwxzvb"}),
    ("search_transcript_segments", {"query": "year", "to_date": "2026-02-20", "limit": 8}),
    ("search_transcripts_by_call_facts", {"query": "market", "to_date": "2026-04-30", "limit": 5}),
    ("search_transcript_segments", {"query": "company", "to_date": "2025-12-31", "limit": 5}),
]
CONTEXT = frozenset({"search_transcripts_by_call_facts", "search_transcript_quotes_with_attribution"})
"""Tools whose rows show the segments on either side, too."""


@dataclass
class Left:
    """What the client received of one call, counted from the answers alone."""

    answers: int = 0
    segments: set[int] = field(default_factory=set)
    tools: dict[str, int] = field(default_factory=lambda: defaultdict(int))


@dataclass(frozen=True)
class Session:
    """One client's session: *answers* on the wire, *left* by alias of call."""

    db: Path
    log: Path
    key: Path
    answers: list[dict[str, Any]]
    left: dict[str, Left]
    segment_counts: dict[str, int]
    ids: dict[str, str]


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The script above, then the second page of its first search, over the sample under provenance alias."""
    folder = tmp_path_factory.mktemp("audit")
    db = build_cache(folder / "sample.db", sample.files())
    log, key = folder / "audit.jsonl", folder / "key"
    key.touch(0o600)
    key.write_text(new_key())
    with closing(sqlite3.connect(db)) as connection:
        found = connection.execute("SELECT call_ref, segment_count, call_id FROM call_facts").fetchall()
    flags = ["--db", str(db), "--audit", str(log), "--audit-arguments", str(key)]
    flags += ["--transcript-evidence-provenance", "alias", "--evidence-percent", "100"]
    script, answers = list(SCRIPT), []
    with Server(command=[sys.executable, "-m", "gongmcp", *flags]) as server:
        for number, (tool, arguments) in enumerate(script, 1):
            server.send(server.call(number, tool, **arguments))
            answers.append(server.answer(number))
            if number == len(SCRIPT):
                cursor = answers[0]["result"]["structuredContent"]["next_cursor"]
                script.append(("search_transcript_segments", {**SCRIPT[0][1], "cursor": cursor}))
        server.hang_up()
        assert server.end()[0] == 0
    counts = {call_ref: count for call_ref, count, _ in found}
    left: dict[str, Left] = defaultdict(Left)
    for (tool, _), answer in zip(script, answers, strict=True):
        body = answer.get("result", {}).get("structuredContent", {})
        for call_ref in {row["call_ref"] for row in body.get("results", ()) if "call_ref" in row}:
            left[call_ref].answers += 1
            left[call_ref].tools[tool] += 1
        for row in body.get("results", ()):
            if "segment_index" in row:
                index, reach = row["segment_index"], int(tool in CONTEXT)
                around = range(max(index - reach, 0), min(index + reach + 1, counts[row["call_ref"]]))
                left[row["call_ref"]].segments.update(around)
    return Session(db, log, key, answers, left, counts, {call_ref: call_id for call_ref, _, call_id in found})


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """Return stdout as one JSON value that the published *schema* allows."""
        value = json.loads(self.out)
        rules = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(rules)
        jsonschema.Draft202012Validator(rules).validate(value)
        return value


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, session: Session
) -> Gongctl:
    """Run one command line beside the session's cache, without settings in the environment."""
    for name in [name for name in os.environ if name.startswith(("GONGMCP_", "GONGCTL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GONGCTL_DB", str(session.db))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call
