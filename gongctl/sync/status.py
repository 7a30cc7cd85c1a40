"""``sync status``: what was listed, which transcripts are awaited, how the last runs ended. Reads the cache alone."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.lock import lock_path
from gongctl.sync.times import DAY, present, written

RUNS_SHOWN: Final = 20
_WAITING_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """One question: from when on it is settled to when, in how many stretches, and how many windows are begun."""

    question: str
    settled_from: str
    settled_to: str
    stretches: int
    begun_windows: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call whose transcript is awaited or was given up: how often it was asked for, and since how many days."""

    call_id: str
    outcome: str
    attempts: int
    days: float
    next_ask_at: str


@dataclass(frozen=True, slots=True)
class Run:
    """One row of the log of runs."""

    step: str
    started_at: str
    ended_at: str
    outcome: str
    requests: int
    records: int
    changed: int
    reason: str


@dataclass(slots=True)
class SyncStatus:
    """State of sync in a cache. *running* tells whether a writer holds the cache just now."""

    db: str
    running: bool
    listed: list[Listed] = field(default_factory=list)
    transcripts: dict[str, int] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    last_success: dict[str, str] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    tombstones: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``--json`` prints."""
        return asdict(self)


def sync_status(path: Path, *, waiting: int = 0) -> SyncStatus:
    """Return the state of sync in the cache at *path*, with the *waiting* calls that wait longest.

    Raises:
        StartupRefusal: there is no cache that can be read.
    """
    with reading(path) as connection:  # first, for it refuses links that go round in a circle
        status = SyncStatus(str(path), lock_path(path.resolve()).exists())
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "sync_runs" in tables:  # else the cache is of an older schema
            _fill(status, connection, waiting)
    return status


def _fill(status: SyncStatus, connection: sqlite3.Connection, waiting: int) -> None:
    status.listed = [
        Listed(question, written(start) if start else "", written(end) if end else "", stretches, begun)
        for question, start, end, stretches, begun in connection.execute(
            """SELECT question, min(nullif(from_at, 0)), max(to_at), sum(kind = 'settled'), sum(kind = 'begun') FROM (
                 SELECT question, from_at, to_at, 'settled' AS kind FROM sync_coverage
                 UNION ALL SELECT question, 0, 0, 'begun' FROM sync_windows)
               GROUP BY question ORDER BY question"""
        )
    ]
    outcomes = dict(connection.execute("SELECT outcome, count(*) FROM sync_transcripts GROUP BY outcome"))
    missing = connection.execute(
        """SELECT count(*) FROM raw_calls AS c LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id
           LEFT JOIN sync_transcripts AS s ON s.call_id = c.call_id WHERE t.call_id IS NULL AND s.call_id IS NULL"""
    ).fetchone()[0]
    stored = connection.execute("SELECT count(*) FROM raw_transcripts").fetchone()[0]
    status.transcripts = {"stored": stored, "not_asked_for": missing} | {
        name: outcomes.get(name, 0) for name in ("pending", "empty", "given_up", "private")
    }
    now = present()
    status.waiting = [
        Waiting(call_id, outcome, attempts, round((now - first) / DAY, 1), written(again))
        for call_id, outcome, attempts, first, again in connection.execute(
            """SELECT call_id, outcome, attempts, first_asked_at, next_ask_at FROM sync_transcripts
               WHERE outcome IN ('pending', 'empty', 'given_up') ORDER BY first_asked_at, call_id LIMIT ?""",
            (waiting,),
        )
    ]
    status.last_success = dict(
        connection.execute("SELECT step, max(ended_at) FROM sync_runs WHERE outcome = 'done' GROUP BY step")
    )
    status.runs = [
        Run(*row)
        for row in connection.execute(
            """SELECT step, started_at, ended_at,
                      iif(outcome = 'running' AND NOT ?, 'killed', outcome), requests, records, changed, reason
               FROM sync_runs ORDER BY run_no DESC LIMIT ?""",
            (status.running, RUNS_SHOWN),
        )
    ]
    status.tombstones = dict(connection.execute("SELECT reason, count(*) FROM tombstones GROUP BY reason"))
