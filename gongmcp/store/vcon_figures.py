"""Counts over vCons: tags, types, growth by period, and groups with their rates; never multiplied by a join."""

from __future__ import annotations

import sqlite3
from typing import Final, Literal

from gongmcp.store.connection import ReadStore
from gongmcp.store.vcon_search import VconFilters

Period = Literal["monthly", "weekly", "daily"]

_MOMENT: Final = "created_ms / 1000, 'unixepoch'"
# SQLite before 3.46 knows no %G and %V: the Thursday of the week tells year and number.
_THURSDAY: Final = f"{_MOMENT}, 'weekday 0', '-3 days'"
_PERIODS: Final[dict[Period, str]] = {
    "monthly": "created_month",
    "weekly": f"strftime('%Y', {_THURSDAY}) || '-W' || substr('0' || ((strftime('%j', {_THURSDAY}) - 1) / 7 + 1), -2)",
    "daily": f"strftime('%Y-%m-%d', {_MOMENT})",
}

GROUPS: Final = ("account", "analysis_type", "attachment_purpose", "dialog_type", "month", "party_domain", "party_role")
"""What ``groups`` counts by, besides ``tag:<key>``; ``account`` is that of *source*."""


def totals(store: ReadStore) -> dict[str, int]:
    """Return how many vCons, parties, dialogs, analyses, attachments and placeholders there are, and ``size_bytes``."""
    row = store.one(
        """SELECT count(*) AS vcons,
                  coalesce(sum(party_count), 0) AS parties, coalesce(sum(dialog_count), 0) AS dialogs,
                  coalesce(sum(analysis_count), 0) AS analyses, coalesce(sum(attachment_count), 0) AS attachments,
                  coalesce(sum(placeholder_count), 0) AS placeholders, coalesce(sum(size_bytes), 0) AS size_bytes
           FROM vcons"""
    )
    return dict(row) if row is not None else {}


def tag_values(store: ReadStore, *, key_filter: str = "", min_count: int = 1) -> list[sqlite3.Row]:
    """Return (tag_key, tag_value, count) of every tag that *min_count* vCons have, by key, the most frequent first.

    *key_filter* is a part of the key, whatever the case.
    """
    return store.rows(
        """SELECT tag_key, tag_value, count(*) AS count FROM vcon_tags
           WHERE :filter = '' OR instr(lower(tag_key), lower(:filter))
           GROUP BY tag_key, tag_value HAVING count(*) >= :least ORDER BY tag_key, count(*) DESC, tag_value""",
        {"filter": key_filter, "least": min_count},
    )


def tag_keys(store: ReadStore) -> list[sqlite3.Row]:
    """Return (tag_key, vcons, distinct_values) of every key, the most frequent first."""
    return store.rows(
        """SELECT tag_key, count(*) AS vcons, count(DISTINCT tag_value) AS distinct_values FROM vcon_tags
           GROUP BY tag_key ORDER BY count(*) DESC, tag_key"""
    )


def tagged(store: ReadStore) -> int:
    """Return how many vCons have a tag."""
    row = store.one("SELECT count(DISTINCT vcon_no) FROM vcon_tags")
    return int(row[0]) if row else 0


def dialog_types(store: ReadStore) -> list[sqlite3.Row]:
    """Return (dialog_type, count, with_duration, total_duration, size_bytes, vcons); placeholders are left out."""
    return store.rows(
        """SELECT dialog_type, count(*) AS count, count(duration_seconds) AS with_duration,
                  coalesce(sum(duration_seconds), 0) AS total_duration, sum(body_bytes) AS size_bytes,
                  count(DISTINCT vcon_no) AS vcons
           FROM vcon_dialogs WHERE placeholder = 0 GROUP BY dialog_type ORDER BY count(*) DESC, dialog_type"""
    )


def analysis_types(store: ReadStore) -> list[sqlite3.Row]:
    """Return (analysis_type, vendor, count, vcons), the most frequent first."""
    return store.rows(
        """SELECT analysis_type, vendor, count(*) AS count, count(DISTINCT vcon_no) AS vcons FROM vcon_analyses
           GROUP BY analysis_type, vendor ORDER BY count(*) DESC, analysis_type, vendor"""
    )


def attachment_kinds(store: ReadStore) -> list[sqlite3.Row]:
    """Return (purpose, legacy_type, count, vcons, size_bytes), the most frequent first."""
    return store.rows(
        """SELECT purpose, legacy_type, count(*) AS count, count(DISTINCT vcon_no) AS vcons,
                  sum(body_bytes) AS size_bytes FROM vcon_attachments
           GROUP BY purpose, legacy_type ORDER BY count(*) DESC, purpose, legacy_type"""
    )


def growth(store: ReadStore, *, period: Period = "monthly", from_ms: int = 0) -> list[sqlite3.Row]:
    """Return (period, vcons, parties, dialogs, analyses, attachments, size_bytes, duration_seconds) by when vCons were
    made, oldest first, in UTC; periods without a vCon have no row. Weeks are those of ISO 8601."""
    return store.rows(
        f"""SELECT {_PERIODS[period]} AS period, count(*) AS vcons, sum(party_count) AS parties,
                   sum(dialog_count) AS dialogs, sum(analysis_count) AS analyses, sum(attachment_count) AS attachments,
                   sum(size_bytes) AS size_bytes, sum(duration_seconds) AS duration_seconds
            FROM vcons WHERE created_ms >= :from_ms GROUP BY 1 ORDER BY 1""",
        {"from_ms": from_ms},
    )


def groups(
    store: ReadStore,
    by: str,
    *,
    tags: tuple[tuple[str, str], ...] = (),
    filters: VconFilters | None = None,
    min_count: int = 1,
    limit: int = 20,
    source: str = "strolid_dealer",
) -> list[sqlite3.Row]:
    """Return (group_key, group_label, team_id, team_name, filtered_count, baseline_count) of each group of vCons.

    *by* is one of ``GROUPS`` or ``tag:<key>``. *filtered_count* are those that have all *tags*, *baseline_count* all of
    the group that pass *filters*; every vCon counts once in a group. Groups of fewer than *min_count* are left out.
    Order: the highest share, then the most, then by key.

    Raises:
        ValueError: *by* is no group.
    """
    where, values = (filters or VconFilters()).where()
    having, more = VconFilters(tags=tags).where("w")
    values |= {name.replace("f_", "t_", 1): value for name, value in more.items()}
    having = having.replace(":f_", ":t_")
    table, key, label, team, condition = _group_source(by)
    values |= {"source": source, "least": min_count, "limit": limit}
    if by.startswith("tag:"):
        values["tag"] = by.removeprefix("tag:")
    return store.rows(
        f"""WITH members AS (
              SELECT DISTINCT g.vcon_no, {key} AS group_key FROM {table} AS g WHERE {condition}),
            named AS (
              SELECT {key} AS group_key, max({label}) AS group_label, max({team[0]}) AS team_id,
                     max({team[1]}) AS team_name FROM {table} AS g WHERE {condition} GROUP BY 1)
            SELECT n.group_key, n.group_label, n.team_id, n.team_name,
                   sum(v.vcon_no IN (SELECT w.vcon_no FROM vcons AS w WHERE {having})) AS filtered_count,
                   count(*) AS baseline_count
            FROM members AS m JOIN vcons AS v ON v.vcon_no = m.vcon_no JOIN named AS n ON n.group_key = m.group_key
            WHERE {where} GROUP BY n.group_key HAVING count(*) >= :least
            ORDER BY filtered_count * 1.0 / count(*) DESC, filtered_count DESC, count(*) DESC, n.group_key
            LIMIT :limit""",
        values,
    )


def _group_source(by: str) -> tuple[str, str, str, tuple[str, str], str]:
    """Return table, key, label, (team id, team name) and condition of a group."""
    none = ("''", "''")
    if by == "account":
        return "vcon_accounts", "g.account_id", "g.account_name", ("g.team_id", "g.team_name"), "g.source = :source"
    if by.startswith("tag:") and by != "tag:":
        return "vcon_tags", "g.tag_value", "g.tag_value", none, "g.tag_key = :tag"
    simple = {
        "analysis_type": ("vcon_analyses", "g.analysis_type", "1"),
        "attachment_purpose": (
            "vcon_attachments",
            "coalesce(nullif(g.purpose, ''), g.legacy_type)",
            "g.purpose <> '' OR g.legacy_type <> ''",
        ),
        "dialog_type": ("vcon_dialogs", "g.dialog_type", "g.placeholder = 0"),
        "month": ("vcons", "g.created_month", "1"),
        "party_domain": ("vcon_parties", "g.domain", "g.domain <> ''"),
        "party_role": ("vcon_parties", "g.role", "g.role <> ''"),
    }
    if by not in simple:
        raise ValueError(f"{by!r} is no group")
    table, key, condition = simple[by]
    return table, key, key, none, condition


def joint_counts(store: ReadStore, *, limit: int = 400) -> list[sqlite3.Row]:
    """Return (analysis_type, purpose, vcons): how many vCons have both, the most first; purpose-less attachments do not
    count."""
    return store.rows(
        """SELECT a.analysis_type, t.purpose, count(DISTINCT a.vcon_no) AS vcons
           FROM (SELECT DISTINCT vcon_no, analysis_type FROM vcon_analyses) AS a
           JOIN (SELECT DISTINCT vcon_no, purpose FROM vcon_attachments WHERE purpose <> '') AS t
             ON t.vcon_no = a.vcon_no
           GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT :limit""",
        {"limit": limit},
    )
