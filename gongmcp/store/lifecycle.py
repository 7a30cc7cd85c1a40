"""Queries over the lifecycle facts of calls, builtin or a profile's."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from gongmcp.store.buckets import Lifecycle
from gongmcp.store.calls import CallFilter, CallPage, search_calls
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import TIE_BITS

NARROW_DAYS = 100
"""A range of dates of up to so many days is read whole and sorted."""

DAY = 86_400 << TIE_BITS
"""Numbers that the calls of one day can have."""


def summarize(store: ReadStore, lifecycle: Lifecycle, bucket: str | None = None) -> list[sqlite3.Row]:
    """Return counts per bucket (all, or just *bucket*), in bucket order; buckets without a call are left out."""
    if lifecycle.profile_no is None:
        of = (
            "SELECT lifecycle_bucket AS bucket, lifecycle_confidence AS confidence, opportunity_count, account_count,"
            " transcript_present, duration_seconds, call_no FROM call_facts"
        )
        where = ["lifecycle_bucket = :bucket"] if bucket is not None else []
    else:
        of = (
            "SELECT p.bucket, p.confidence, p.opportunity_count, p.account_count, p.transcript_present,"
            " f.duration_seconds, p.call_no FROM profile_facts p CROSS JOIN call_facts f ON f.call_no = p.call_no"
        )
        where = ["p.profile_no = :profile_no", *(["p.bucket = :bucket"] if bucket is not None else [])]
    of += f" WHERE {' AND '.join(where)}" if where else ""
    rows = store.rows(
        "SELECT g.*, l.started_at AS latest_call_at FROM ("
        "SELECT bucket, count(*) AS call_count, sum(transcript_present) AS transcript_count,"
        " sum(opportunity_count > 0) AS opportunity_call_count, sum(account_count > 0) AS account_call_count,"
        " sum(duration_seconds) AS total_duration_seconds,"
        " sum(confidence = 'high') AS high_confidence_calls,"
        " sum(confidence = 'medium') AS medium_confidence_calls,"
        " sum(confidence = 'low') AS low_confidence_calls, max(call_no) AS latest_no"
        f" FROM ({of}) GROUP BY bucket"
        ") g JOIN call_facts l ON l.call_no = g.latest_no",
        {"bucket": bucket, "profile_no": lifecycle.profile_no},
    )
    return sorted(rows, key=lambda row: lifecycle.order().index(row["bucket"]))


def backlog(store: ReadStore, wanted: CallFilter, limit: int, after: tuple[Any, ...] | None) -> CallPage:
    """Return calls without a transcript by descending priority, newest first among equals, from behind *after*
    (the score and number of the last call of the page before). The columns are those of ``lifecycle_columns``."""
    where, parameters = wanted.conditions("c")
    low, high = wanted.call_range()
    # The index by priority is walked until enough calls are found, which takes long when few of all calls
    # are in the dates. So the calls of a narrow range are read by their dates and sorted.
    narrow = high - low < NARROW_DAYS * DAY or store.is_narrowed
    if wanted.profile_no is None:
        number, score = "c.call_no", "c.priority_score"
        source = "call_facts c" + ("" if narrow else " INDEXED BY call_facts_backlog")
    else:
        number, score = "p.call_no", "p.priority_score"
        source = "profile_facts p" + ("" if narrow else " INDEXED BY profile_facts_backlog")
        source += " CROSS JOIN call_facts c ON c.call_no = p.call_no"
        where = ["p.profile_no = :profile_no", "p.transcript_present = 0", *where]
    if after is not None:
        where = [*where, f"({score}, {number}) < (:score, :number)"]
        parameters |= {"score": int(after[0]), "number": int(after[1])}
    rows = store.rows(
        f"SELECT c.*, {lifecycle_columns(wanted.profile_no)} FROM {source}"
        f" WHERE {' AND '.join([f'{number} BETWEEN :low AND :high', *where])}"
        f" ORDER BY {'+' if narrow else ''}{score} DESC, {number} DESC LIMIT :fetch",
        {**parameters, "profile_no": wanted.profile_no, "low": low, "high": high, "fetch": limit + 1},
    )
    return CallPage(rows[:limit], len(rows) > limit)


def calls_of_bucket(store: ReadStore, wanted: CallFilter, limit: int, before: int | None) -> CallPage:
    """Return calls by descending start, older than *before*, with the columns of ``lifecycle_columns``."""
    return search_calls(store, wanted, limit, before, columns=lifecycle_columns(wanted.profile_no))


def lifecycle_columns(profile_no: int | None) -> str:
    """Return SQL columns ``bucket, confidence, reason, evidence_fields, score, opportunities, accounts`` of the
    builtin facts (table ``c``) or of a profile's (table ``p``)."""
    if profile_no is None:
        return (
            "c.lifecycle_bucket AS bucket, c.lifecycle_confidence AS confidence, c.lifecycle_reason AS reason,"
            " c.lifecycle_evidence_fields AS evidence_fields, c.priority_score AS score,"
            " c.opportunity_count AS opportunities, c.account_count AS accounts"
        )
    return (
        "p.bucket, p.confidence, p.reason, p.evidence_fields, p.priority_score AS score,"
        " p.opportunity_count AS opportunities, p.account_count AS accounts"
    )


def evidence_fields(row: sqlite3.Row) -> list[str]:
    """Return the CRM fields that a call's lifecycle was read from."""
    return list(json.loads(row["evidence_fields"]))
