"""Queries over the lifecycle columns of call facts."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from gongmcp.store.calls import CallFilter, CallPage
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import TIE_BITS

NARROW_DAYS = 100
"""A range of dates of up to so many days is read whole and sorted."""

DAY = 86_400 << TIE_BITS
"""Numbers that the calls of one day can have."""


@dataclass(frozen=True, slots=True)
class BucketText:
    """What a builtin bucket is called, what it means, and what puts a call into it."""

    bucket: str
    label: str
    description: str
    signals: tuple[str, ...]


BUCKETS = (
    BucketText(
        "outbound_prospecting",
        "Outbound prospecting",
        "Outbound calls of a dialer without an opportunity.",
        ("call system is a dialer upload", "call direction is outbound"),
    ),
    BucketText(
        "active_sales_pipeline",
        "Active pipeline",
        "Calls with an open opportunity that is in no late stage.",
        ("an opportunity is attached",),
    ),
    BucketText(
        "late_stage_sales",
        "Late stage",
        "Calls whose opportunity is in a late stage: proposal, negotiation, contract.",
        ("opportunity stage is a late one",),
    ),
    BucketText(
        "closed_won_lost_review",
        "Closed",
        "Calls whose opportunity is won or lost.",
        ("opportunity stage is closed",),
    ),
    BucketText("renewal", "Renewal", "Calls about a renewal.", ("opportunity type is a renewal",)),
    BucketText(
        "upsell_expansion",
        "Expansion",
        "Calls about selling more to a customer.",
        ("opportunity type is an expansion", "expansion bookings are filled"),
    ),
    BucketText(
        "customer_success_account",
        "Customer",
        "Calls with a customer and no opportunity.",
        ("account type says customer",),
    ),
    BucketText(
        "partner",
        "Partner",
        "Calls with a partner.",
        ("opportunity type is a partnership", "account type says partner"),
    ),
    BucketText("unknown", "Unknown", "Calls without any lifecycle signal.", ("none of the above",)),
)
"""Builtin buckets in the order in which they are listed; the order in which rules are tried differs."""

BUCKET_ORDER = tuple(item.bucket for item in BUCKETS)


def summarize(store: ReadStore, bucket: str | None = None) -> list[sqlite3.Row]:
    """Return counts per bucket (all, or just *bucket*), in bucket order; buckets without a call are left out."""
    rows = store.rows(
        "SELECT g.*, l.started_at AS latest_call_at FROM ("
        "SELECT lifecycle_bucket, count(*) AS call_count, sum(transcript_present) AS transcript_count,"
        " sum(opportunity_count > 0) AS opportunity_call_count, sum(account_count > 0) AS account_call_count,"
        " sum(duration_seconds) AS total_duration_seconds,"
        " sum(lifecycle_confidence = 'high') AS high_confidence_calls,"
        " sum(lifecycle_confidence = 'medium') AS medium_confidence_calls,"
        " sum(lifecycle_confidence = 'low') AS low_confidence_calls, max(call_no) AS latest_no"
        " FROM call_facts WHERE :bucket IS NULL OR lifecycle_bucket = :bucket GROUP BY lifecycle_bucket"
        ") g JOIN call_facts l ON l.call_no = g.latest_no",
        {"bucket": bucket},
    )
    return sorted(rows, key=lambda row: BUCKET_ORDER.index(row["lifecycle_bucket"]))


def backlog(store: ReadStore, wanted: CallFilter, limit: int, after: tuple[Any, ...] | None) -> CallPage:
    """Return calls without a transcript by descending priority, newest first among equals, from behind *after*
    (the score and number of the last call of the page before)."""
    where, parameters = wanted.sql("c")
    # The index by priority is walked until enough calls are found, which takes long when few of all calls
    # are in the dates. So the calls of a narrow range are read by their dates and sorted.
    narrow = parameters["call_high"] - parameters["call_low"] < NARROW_DAYS * DAY
    by_index, by_priority = (
        ("", "+c.priority_score") if narrow else ("INDEXED BY call_facts_backlog", "c.priority_score")
    )
    behind = ""
    if after is not None:
        behind = " AND (c.priority_score, c.call_no) < (:score, :number)"
        parameters |= {"score": int(after[0]), "number": int(after[1])}
    rows = store.rows(
        f"SELECT c.* FROM call_facts c {by_index} WHERE {where}{behind}"
        f" ORDER BY {by_priority} DESC, c.call_no DESC LIMIT :fetch",
        {**parameters, "fetch": limit + 1},
    )
    return CallPage(rows[:limit], len(rows) > limit)


def evidence_fields(row: sqlite3.Row) -> list[str]:
    """Return the CRM fields that a call's lifecycle was read from."""
    return list(json.loads(row["lifecycle_evidence_fields"]))
