"""What a corpus of vCons is made of: kinds with how many vCons have them, months of tags and attachments, sizes."""

from __future__ import annotations

import sqlite3
from typing import Final

from gongmcp.store.connection import ReadStore

_NODES: Final = """
SELECT 'analysis_type' AS kind, analysis_type AS label, count(DISTINCT vcon_no) AS vcons FROM vcon_analyses
  GROUP BY analysis_type
UNION ALL
SELECT 'attachment_purpose', purpose, count(DISTINCT vcon_no) FROM vcon_attachments WHERE purpose <> '' GROUP BY purpose
UNION ALL
SELECT 'attachment_type_legacy', legacy_type, count(DISTINCT vcon_no) FROM vcon_attachments
  WHERE purpose = '' AND legacy_type <> '' GROUP BY legacy_type
UNION ALL
SELECT 'tag_key', tag_key, count(*) FROM vcon_tags GROUP BY tag_key
"""


def shape_nodes(store: ReadStore, *, limit: int) -> list[sqlite3.Row]:
    """Return (kind, label, vcons) of what vCons hold, by kind, the most frequent first; *limit* of each kind."""
    return store.rows(
        f"""SELECT kind, label, vcons FROM (
              SELECT *, row_number() OVER (PARTITION BY kind ORDER BY vcons DESC, label) AS place FROM ({_NODES}))
            WHERE place <= :limit ORDER BY kind, vcons DESC, label""",
        {"limit": limit},
    )


def tag_cardinality(store: ReadStore) -> dict[str, int]:
    """Return how many different values each tag key has."""
    rows = store.rows("SELECT tag_key, count(DISTINCT tag_value) AS found FROM vcon_tags GROUP BY tag_key")
    return {row["tag_key"]: int(row["found"]) for row in rows}


def coverage(store: ReadStore, *, tag: str = "", account: str = "") -> int:
    """Return how many vCons have the *tag*, or an attachment *account* that names one."""
    row = (
        store.one("SELECT count(*) FROM vcon_tags WHERE tag_key = :key", {"key": tag})
        if tag
        else store.one("SELECT count(*) FROM vcon_accounts WHERE source = :key", {"key": account})
    )
    return int(row[0]) if row else 0


def tag_value_count(store: ReadStore, tag: str, value: str) -> int:
    """Return how many vCons have the tag with exactly this value."""
    row = store.one(
        "SELECT count(*) FROM vcon_tags WHERE tag_key = :key AND tag_value = :value", {"key": tag, "value": value}
    )
    return int(row[0]) if row else 0


def created(store: ReadStore, number: int) -> tuple[int, int] | None:
    """Return the sort key of a vCon in the order of creation."""
    row = store.one("SELECT created_ms, vcon_no FROM vcons WHERE vcon_no = :no", {"no": number})
    return None if row is None else (int(row[0]), int(row[1]))


# --- figures of analytics ------------------------------------------------------------------------------------


def conversation_figures(store: ReadStore) -> sqlite3.Row:
    """Return averages and maxima over vCons: one row, nulls without a vCon."""
    row = store.one(
        """SELECT count(*) AS vcons, avg(party_count) AS parties, avg(dialog_count) AS dialogs,
                  avg(analysis_count) AS analyses, avg(attachment_count) AS attachments,
                  avg(duration_seconds) AS duration, avg(size_bytes) AS size, max(party_count) AS max_parties,
                  max(dialog_count) AS max_dialogs, coalesce(sum(dialog_count = 0), 0) AS without_dialog,
                  coalesce(sum(analysis_count = 0), 0) AS without_analysis FROM vcons"""
    )
    assert row is not None
    return row


def duration_figures(store: ReadStore) -> sqlite3.Row:
    """Return (total, measured): seconds of all dialogs that say how long they are, and how many do."""
    row = store.one(
        """SELECT coalesce(sum(duration_seconds), 0) AS total, count(nullif(duration_seconds, 0)) AS measured
           FROM vcon_dialogs WHERE placeholder = 0"""
    )
    assert row is not None
    return row


def party_figures(store: ReadStore) -> list[sqlite3.Row]:
    """Return (role, count, names, emails, phones, vcons) by role; '' = none is said. Placeholders are left out."""
    return store.rows(
        """SELECT role, count(*) AS count, count(DISTINCT nullif(name_key, '')) AS names,
                  count(DISTINCT nullif(mailto_key, '')) AS emails, count(DISTINCT nullif(tel_key, '')) AS phones,
                  count(DISTINCT vcon_no) AS vcons
           FROM vcon_parties WHERE placeholder = 0 GROUP BY role ORDER BY count(*) DESC, role"""
    )


_BUCKETS: Final = """CASE WHEN body_bytes < 1024 THEN '< 1KB' WHEN body_bytes < 1048576 THEN '1KB - 1MB'
  WHEN body_bytes < 10485760 THEN '1MB - 10MB' WHEN body_bytes < 104857600 THEN '10MB - 100MB' ELSE '> 100MB' END"""


def attachment_totals(store: ReadStore) -> sqlite3.Row:
    """Return (count, size, average, smallest, largest, kinds, vcons) of all attachments."""
    row = store.one(
        """SELECT count(*) AS count, coalesce(sum(body_bytes), 0) AS size, avg(body_bytes) AS average,
                  min(body_bytes) AS smallest, max(body_bytes) AS largest,
                  count(DISTINCT coalesce(nullif(purpose, ''), legacy_type)) AS kinds,
                  count(DISTINCT vcon_no) AS vcons FROM vcon_attachments"""
    )
    assert row is not None
    return row


def attachment_sizes(store: ReadStore) -> list[sqlite3.Row]:
    """Return (bucket, count, size) of attachments with a body, the smallest first."""
    return store.rows(
        f"""SELECT {_BUCKETS} AS bucket, count(*) AS count, sum(body_bytes) AS size FROM vcon_attachments
            WHERE body_bytes > 0 GROUP BY 1 ORDER BY min(body_bytes)"""
    )


def attachment_months(store: ReadStore, months: int) -> list[sqlite3.Row]:
    """Return (month, count, size) of attachments by the month of their vCon, for the last *months* of them."""
    return store.rows(
        """SELECT * FROM (
             SELECT v.created_month AS month, count(*) AS count, sum(a.body_bytes) AS size
             FROM vcon_attachments AS a JOIN vcons AS v ON v.vcon_no = a.vcon_no
             GROUP BY 1 ORDER BY 1 DESC LIMIT :months) ORDER BY month""",
        {"months": months},
    )


def tag_months(store: ReadStore, months: int) -> list[sqlite3.Row]:
    """Return (month, tag_key, count) by the month in which the vCon was made, the last *months* of them."""
    return store.rows(
        """SELECT v.created_month AS month, t.tag_key, count(*) AS count
           FROM vcon_tags AS t JOIN vcons AS v ON v.vcon_no = t.vcon_no
           WHERE v.created_month IN (SELECT DISTINCT created_month FROM vcons ORDER BY 1 DESC LIMIT :months)
           GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2""",
        {"months": months},
    )


def month_sizes(store: ReadStore) -> dict[str, tuple[int, int]]:
    """Return the bytes of dialogs and of attachments of the vCons made in each month."""
    out: dict[str, tuple[int, int]] = {}
    for table, place in (("vcon_dialogs", 0), ("vcon_attachments", 1)):
        for row in store.rows(
            f"""SELECT v.created_month AS month, sum(p.body_bytes) AS size FROM {table} AS p
                JOIN vcons AS v ON v.vcon_no = p.vcon_no GROUP BY 1"""
        ):
            pair = list(out.get(row["month"], (0, 0)))
            pair[place] = int(row["size"])
            out[row["month"]] = (pair[0], pair[1])
    return out
