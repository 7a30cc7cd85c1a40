"""Queries behind the status tools."""

from __future__ import annotations

from gongmcp.store.connection import ReadStore


def date_range(store: ReadStore) -> tuple[str | None, str | None]:
    """Return the UTC days of the oldest and the newest call, None when there is no call."""
    ends = []
    for order in ("ASC", "DESC"):
        row = store.one(f"SELECT call_date FROM call_facts ORDER BY call_no {order} LIMIT 1")
        ends.append(str(row[0]) if row else None)
    return ends[0], ends[1]
