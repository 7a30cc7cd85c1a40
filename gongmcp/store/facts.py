"""Aggregates over call facts."""

from __future__ import annotations

import sqlite3
from typing import Any

from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore

BLANK = "<blank>"
"""How an empty group value is shown."""

_WORDS: dict[str, dict[Any, str]] = {
    "transcript_status": {0: "missing", 1: "present"},
    "calendar": {0: "no_calendar", 1: "calendar"},
}


def label(dimension: str, value: Any) -> str:
    """Return the group label of *value* under *dimension*."""
    if dimension in _WORDS:
        return _WORDS[dimension][value]
    return str(value) or BLANK


def summarize(store: ReadStore, column: str, wanted: CallFilter) -> list[sqlite3.Row]:
    """Return counts of the calls that *wanted* describes per value of *column* (a name from ``DIMENSIONS``),
    most calls first."""
    where, parameters = wanted.sql("f")
    return store.rows(
        "SELECT g.*, l.started_at AS latest_call_at FROM ("
        f"SELECT f.{column} AS value, count(*) AS call_count, sum(f.transcript_present) AS transcript_count,"
        " sum(f.opportunity_count > 0) AS opportunity_call_count, sum(f.account_count > 0) AS account_call_count,"
        " sum(f.scope = 'External') AS external_call_count, sum(f.scope = 'Internal') AS internal_call_count,"
        " sum(f.duration_seconds) AS total_duration_seconds, max(f.call_no) AS latest_no"
        f" FROM call_facts f WHERE {where} GROUP BY f.{column}"
        ") g JOIN call_facts l ON l.call_no = g.latest_no ORDER BY g.call_count DESC, g.value",
        parameters,
    )
