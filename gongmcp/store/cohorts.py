"""Cohorts: the calls that a filter of many conditions describes, and counts over them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import INDEX_BITS


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a call in SQL, ``{c}`` being its row of ``call_facts``; names of parameters are its own."""

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CohortCalls(CallFilter):
    """A call filter with further conditions, all of them ANDed."""

    further: tuple[Condition, ...] = ()

    def _conditions(self, alias: str) -> tuple[list[str], dict[str, Any]]:
        where, parameters = CallFilter._conditions(self, alias)
        for condition in self.further:
            where.append(condition.sql.format(c=alias))
            parameters |= condition.parameters
        return where, parameters


@dataclass(frozen=True, slots=True)
class Part:
    """One condition of a cohort, in words and as what it adds to the filter: *fields* of ``CallFilter`` or *further*
    conditions."""

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    further: tuple[Condition, ...] = ()


def together(parts: Sequence[Part]) -> CohortCalls:
    """Return the calls that fulfil every one of *parts*."""
    fields: dict[str, Any] = {}
    for part in parts:
        fields |= part.fields
    return CohortCalls(**fields, further=tuple(condition for part in parts for condition in part.further))


def spoken(expression: str, parameter: str) -> Condition:
    """Return the condition that a segment of the call matches the full-text *expression*."""
    sql = f"{{c}}.call_no IN (SELECT rowid >> {INDEX_BITS} FROM segments_fts WHERE segments_fts MATCH :{parameter})"
    return Condition(sql, {parameter: expression})


def count(store: ReadStore, calls: CallFilter) -> int:
    """Return how many calls there are."""
    chosen = calls.select("c")
    row = store.one(f"SELECT count(*) FROM {chosen.source} WHERE {chosen.where}", chosen.parameters)
    return int(row[0]) if row else 0


COVERAGE = (
    *("call_count", "transcript_count", "account_call_count", "opportunity_call_count", "industry_call_count"),
    *("stage_call_count", "external_call_count", "titled_call_count"),
)
"""What ``coverage`` counts."""


def coverage(store: ReadStore, calls: CallFilter) -> dict[str, Any]:
    """Return the counts ``COVERAGE`` of the calls, and their total duration, first and last day (None without one)."""
    chosen = calls.select("c")
    row = store.one(
        "SELECT count(*) AS call_count, coalesce(sum(c.transcript_present), 0) AS transcript_count,"
        " coalesce(sum(c.account_count > 0), 0) AS account_call_count,"
        " coalesce(sum(c.opportunity_count > 0), 0) AS opportunity_call_count,"
        " coalesce(sum(c.account_industry <> ''), 0) AS industry_call_count,"
        " coalesce(sum(c.opportunity_stage <> ''), 0) AS stage_call_count,"
        " coalesce(sum(c.scope = 'External'), 0) AS external_call_count,"
        " coalesce(sum(EXISTS (SELECT 1 FROM parties t WHERE t.call_no = c.call_no AND t.matched"
        " AND t.affiliation <> 'internal' AND t.job_title <> '')), 0) AS titled_call_count,"
        " coalesce(sum(c.duration_seconds), 0) AS total_duration_seconds,"
        " min(c.call_date) AS first_day, max(c.call_date) AS last_day"
        f" FROM {chosen.source} WHERE {chosen.where}",
        chosen.parameters,
    )
    assert row is not None  # an aggregate without GROUP BY has one row
    return dict(row)


def numbers(store: ReadStore, calls: CallFilter, *, with_transcript: bool = False) -> set[int]:
    """Return the numbers of the calls; only of those *with_transcript* if asked for."""
    chosen = calls.select("c")
    said = " AND c.transcript_present = 1" if with_transcript else ""
    rows = store.rows(f"SELECT {chosen.number} FROM {chosen.source} WHERE {chosen.where}{said}", chosen.parameters)
    return {row[0] for row in rows}


def valued(store: ReadStore, calls: CallFilter, value: Condition) -> list[sqlite3.Row]:
    """Return (call_no, value, transcript_present, call_date) of each call, *value* being an SQL expression."""
    chosen = calls.select("c")
    return store.rows(
        f"SELECT {chosen.number} AS call_no, {value.sql.format(c='c')} AS value, c.transcript_present, c.call_date"
        f" FROM {chosen.source} WHERE {chosen.where}",
        {**chosen.parameters, **value.parameters},
    )


def shared(store: ReadStore, a: CallFilter, b: CallFilter) -> set[int]:
    """Return the numbers of the calls that *a* and *b* have in common."""
    return numbers(store, a) & numbers(store, b)


def coverage_of(store: ReadStore, calls: set[int]) -> dict[str, Any]:
    """Return what ``coverage`` does of the calls with the numbers *calls*."""
    among = Condition("{c}.call_no IN (SELECT value FROM json_each(:among))", {"among": json.dumps(sorted(calls))})
    return coverage(store, CohortCalls(further=(among,)))
