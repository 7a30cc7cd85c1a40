"""Who spoke how much of a call."""

from __future__ import annotations

from typing import Any

from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import first_segment, last_segment


def talk_shares(store: ReadStore, call_no: int) -> list[dict[str, Any]]:
    """Return, for each role (internal, external, unknown) that spoke in the call: ``speaker_role``, ``speakers``,
    ``segment_count`` and ``talk_share``, the last by characters of what was said."""
    rows = store.rows(
        "SELECT coalesce(p.affiliation, 'unknown') AS role, count(DISTINCT s.speaker_no) AS speakers,"
        " count(*) AS segments, sum(length(s.text)) AS characters FROM segments s"
        " LEFT JOIN parties p ON p.call_no = :call_no AND p.party_no = s.speaker_no"
        " WHERE s.segment_no BETWEEN :low AND :high GROUP BY role ORDER BY characters DESC, role",
        {"call_no": call_no, "low": first_segment(call_no), "high": last_segment(call_no)},
    )
    total = sum(row["characters"] for row in rows)
    return [
        {
            "speaker_role": row["role"],
            "speakers": row["speakers"],
            "segment_count": row["segments"],
            "talk_share": row["characters"] / total if total else None,
        }
        for row in rows
    ]
