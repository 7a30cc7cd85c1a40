"""Aggregates over call facts, and over a profile's facts beside them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore

BLANK = "<blank>"
"""How an empty group value is shown."""

_WORDS: dict[str, dict[Any, str]] = {
    "transcript_status": {0: "missing", 1: "present"},
    "calendar": {0: "no_calendar", 1: "calendar"},
}


BUCKET = "lifecycle_bucket"
"""The column that a profile's bucket takes the place of."""


@dataclass(frozen=True, slots=True)
class Group:
    """What calls are counted by: a *column* of ``call_facts``, or a field *concept* of the profile."""

    column: str
    concept: str | None = None


def label(dimension: str, value: Any) -> str:
    """Return the group label of *value* under *dimension*."""
    if dimension in _WORDS:
        return _WORDS[dimension][value]
    return str(value) or BLANK


def summarize(store: ReadStore, group: Group, wanted: CallFilter) -> list[sqlite3.Row]:
    """Return counts of the calls that *wanted* describes per value of *group*, most calls first.

    Accounts and opportunities are counted as the lifecycle of *wanted* counts them: builtin or its profile's.
    """
    calls = wanted.select("f")
    source, value = calls.source, f"f.{group.column}"
    of = "f" if wanted.profile_no is None else "p"
    parameters = dict(calls.parameters)
    if group.concept is not None:
        of_call = "v.profile_no = p.profile_no AND v.call_no = p.call_no AND v.concept = :concept"
        source += f" LEFT JOIN profile_values v ON {of_call}"
        value = "coalesce(v.value, '')"
        parameters["concept"] = group.concept
    elif group.column == BUCKET and wanted.profile_no is not None:
        value = "p.bucket"
    return store.rows(
        "SELECT g.*, l.started_at AS latest_call_at FROM ("
        f"SELECT {value} AS value, count(*) AS call_count, sum(f.transcript_present) AS transcript_count,"
        f" sum({of}.opportunity_count > 0) AS opportunity_call_count,"
        f" sum({of}.account_count > 0) AS account_call_count,"
        " sum(f.scope = 'External') AS external_call_count, sum(f.scope = 'Internal') AS internal_call_count,"
        " sum(f.duration_seconds) AS total_duration_seconds, max(f.call_no) AS latest_no"
        f" FROM {source} WHERE {calls.where} GROUP BY 1"
        ") g JOIN call_facts l ON l.call_no = g.latest_no ORDER BY g.call_count DESC, g.value",
        parameters,
    )
