"""Queries over scorecards and how calls were scored."""

from __future__ import annotations

import json
import sqlite3

from gongmcp.store.calls import masked
from gongmcp.store.connection import ReadStore
from gongmcp.store.facts import BLANK

__all__ = ["BLANK", "Record", "activity", "masked", "options", "questions", "scorecard", "scorecards"]

Record = sqlite3.Row
"""A row read by column name."""


def scorecards(store: ReadStore, *, active_only: bool) -> list[Record]:
    """Return all scorecards, active first, then by name."""
    return store.rows(
        "SELECT * FROM scorecards WHERE active OR NOT :active_only ORDER BY active DESC, name, scorecard_id",
        {"active_only": active_only},
    )


def scorecard(store: ReadStore, scorecard_id: str) -> Record | None:
    """Return one scorecard, None when it is not cached."""
    return store.one("SELECT * FROM scorecards WHERE scorecard_id = :id", {"id": scorecard_id})


def questions(store: ReadStore, scorecard_id: str) -> list[Record]:
    """Return the questions of a scorecard in order."""
    return store.rows(
        "SELECT * FROM scorecard_questions WHERE scorecard_id = :id ORDER BY position", {"id": scorecard_id}
    )


def options(row: Record) -> list[str]:
    """Return the answer options of a question."""
    return list(json.loads(row["options"]))


_GROUPS = {
    "total": ("''", "''"),
    "scorecard": ("s.scorecard_name", "s.scorecard_id"),
    "review_method": ("s.review_method", "''"),
    "lifecycle": ("f.lifecycle_bucket", "''"),
    "transcript_status": ("iif(f.transcript_present, 'present', 'missing')", "''"),
}


def activity(store: ReadStore, group: str, profile_no: int | None = None) -> list[Record]:
    """Return aggregates of answered scorecards per *group* (a key of ``_GROUPS``), most answered first.

    Averages are over scores other than 0; None when there is none. The lifecycle is that of the profile
    *profile_no*, the builtin one when that is None.
    """
    value, identity = _GROUPS[group]
    join = ""
    if group == "lifecycle" and profile_no is not None:
        value = "p.bucket"
        join = " JOIN profile_facts p ON p.profile_no = :profile_no AND p.call_no = s.call_no"
    grouping = "" if group == "total" else f" GROUP BY {value}, {identity} ORDER BY answered DESC, value, {identity}"
    return store.rows(
        f"SELECT {value} AS value, {identity} AS scorecard_id, count(*) AS answered,"
        " count(DISTINCT s.call_no) AS calls, count(DISTINCT s.scorecard_id) AS scorecards,"
        " count(DISTINCT nullif(s.reviewed_user, '')) AS users,"
        " coalesce(sum(upper(s.review_method) = 'MANUAL'), 0) AS manual,"
        " coalesce(sum(upper(s.review_method) = 'AUTOMATIC'), 0) AS automatic,"
        " coalesce(sum(f.transcript_present), 0) AS transcripts,"
        " avg(nullif(s.overall_score, 0)) AS overall,"
        " sum(s.answer_score_sum) / nullif(sum(s.answer_score_count), 0) AS answer_score,"
        " coalesce(max(s.review_time), '') AS latest"
        f" FROM answered_scorecards s JOIN call_facts f ON f.call_no = s.call_no{join}{grouping}",
        {"profile_no": profile_no},
    )
