"""``sync run --dry-run``: what a run would ask for, in requests and minutes, without asking.

A window costs a request for each page of calls, and at least one. How many calls a window holds is taken from the
cache where it was listed before; elsewhere from the cache's average; with nothing to go by the number is a lower
bound and says so.
"""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.migrations import version_of
from gongctl.gong.pace import Quota
from gongctl.sync.calls import WantedCalls
from gongctl.sync.config import (
    AnyStep,
    CallsStep,
    CrmStep,
    RunConfig,
    ScorecardsStep,
    SettingsStep,
    TranscriptsStep,
    step_name,
)
from gongctl.sync.coverage import Span, Window, beginning, plan_windows
from gongctl.sync.scorecards import WINDOW as REVIEW_WINDOW
from gongctl.sync.steps import wanted_calls, wanted_scorecards
from gongctl.sync.times import DAY, present, written
from gongctl.sync.transcripts import BATCH, count_due

PAGE: Final = 100
_SYNC_SCHEMA: Final = 3
"""Schema version from which a cache knows of sync."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What one step would do. *requests* are estimated; *at_least* tells that they may be more."""

    step: str
    what: str
    requests: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do; *seconds* is how long its requests take at the allowed rate."""

    db: str
    steps: tuple[PlannedStep, ...]
    requests: int
    at_least: bool
    seconds: float
    requests_per_day: int
    used_today: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``--json`` prints."""
        return asdict(self) | {"steps": [asdict(step) for step in self.steps]}


def plan_run(config: RunConfig, db: Path, base_url: str, quota: Quota, used_today: int | None) -> Plan:
    """Return what *config* would ask for with the cache *db*, which need not exist."""
    if db.exists():
        with reading(db) as connection:
            known = connection if version_of(connection) >= _SYNC_SCHEMA else None
            steps = _steps(config, known, base_url)
    else:
        steps = _steps(config, None, base_url)
    requests = sum(step.requests for step in steps)
    return Plan(
        str(db),
        tuple(steps),
        requests,
        any(step.at_least for step in steps),
        round(requests / quota.rate, 1),
        quota.daily,
        used_today,
    )


def _steps(config: RunConfig, connection: sqlite3.Connection | None, base_url: str) -> list[PlannedStep]:
    return [_step(step, config, connection, base_url) for step in config.steps]


def _step(step: AnyStep, config: RunConfig, connection: sqlite3.Connection | None, base_url: str) -> PlannedStep:
    name = step_name(step)
    if isinstance(step, CallsStep):
        return _calls(wanted_calls(step, config.private_calls), connection, base_url)
    if isinstance(step, TranscriptsStep):
        return _transcripts(step, connection)
    if isinstance(step, ScorecardsStep):
        wanted = wanted_scorecards(step)
        question = wanted.question(base_url)
        begin = wanted.from_at if wanted.from_at is not None else _beginning(connection, question)
        if begin is None:
            return PlannedStep(name, "needs a first day: from", 0)
        span = (begin, wanted.to_at)
        windows = _windows(connection, question, span, wanted.look_back, REVIEW_WINDOW)
        return PlannedStep(name, _told(windows), len(windows), True)
    if isinstance(step, SettingsStep):
        return PlannedStep(name, " and ".join(step.kinds), len(step.kinds))
    if isinstance(step, CrmStep):
        return PlannedStep(name, "integrations and their schema", 1 + len(step.object_types))
    return PlannedStep(name, "all of them", 1, name == "users")


def _beginning(connection: sqlite3.Connection | None, question: str) -> int | None:
    return None if connection is None else beginning(connection, question)


def _calls(wanted: WantedCalls, connection: sqlite3.Connection | None, base_url: str) -> PlannedStep:
    question = wanted.question(base_url)
    begin = wanted.from_at if wanted.from_at is not None else _beginning(connection, question)
    if begin is None:
        return PlannedStep("calls", "needs a first day: from", 0)
    span = (begin, min(wanted.to_at, present()))
    windows = _windows(connection, question, span, wanted.look_back, wanted.window)
    if connection is None:
        return PlannedStep("calls", _told(windows), len(windows), True)
    a_day = _calls_a_day(connection, question)
    pages = sum(
        max(1, -(-int((window.to_at - window.from_at) / DAY * (a_day or 0)) // PAGE) - window.pages)
        for window in windows
    )
    return PlannedStep("calls", _told(windows), pages, a_day is None and bool(windows))


def _windows(
    connection: sqlite3.Connection | None, question: str, span: Span, look_back: int, length: int
) -> list[Window]:
    if connection is None:
        return [Window(at, min(at + length, span[1])) for at in range(*span, length)]
    return plan_windows(connection, question, span, look_back=look_back, length=length, now=present())


def _told(windows: list[Window]) -> str:
    if not windows:
        return "nothing is due"
    first = written(min(window.from_at for window in windows))[:10]
    return f"{len(windows):,} window{'s' if len(windows) > 1 else ''} since {first}"


def _calls_a_day(connection: sqlite3.Connection, question: str) -> float | None:
    """Return how many calls a day of the settled time holds; None when none is settled."""
    row = connection.execute(
        "SELECT sum(to_at - from_at) FROM sync_coverage WHERE question = ?", (question,)
    ).fetchone()
    calls = connection.execute("SELECT value FROM tallies WHERE name = 'call'").fetchone()
    return calls[0] * DAY / row[0] if row[0] and calls else None


def _transcripts(step: TranscriptsStep, connection: sqlite3.Connection | None) -> PlannedStep:
    if connection is None:
        return PlannedStep("transcripts", "one request for 100 new calls", 0, True)
    due = count_due(connection, present())
    if step.limit is not None:
        due = min(due, step.limit)
    return PlannedStep("transcripts", f"{due:,} calls without one, and those that calls finds", -(-due // BATCH), True)
