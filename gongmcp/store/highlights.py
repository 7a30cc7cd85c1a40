"""What Gong's AI wrote about calls."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gongmcp.store.connection import ReadStore


def highlights(
    store: ReadStore, calls: Sequence[int], limit: int, after: tuple[int, int] | None = None, kind: str | None = None
) -> list[sqlite3.Row]:
    """Return at most *limit* texts (0 = all) of *calls*, newest call first and in the AI's order, from behind *after*
    (number of a call, position); only those of *kind* if given. A call without one has one row, whose kind is None and
    whose position is -1."""
    names = {f"n{at}": number for at, number in enumerate(calls)}
    return store.rows(
        "SELECT c.call_no, c.call_id, c.call_ref, c.call_date, coalesce(h.position, -1) AS position, h.kind, h.heading,"
        " h.text, h.text_spans FROM call_facts c"
        " LEFT JOIN highlights h ON h.call_no = c.call_no AND (:kind IS NULL OR h.kind = :kind)"
        f" WHERE c.call_no IN ({', '.join(f':{name}' for name in names) or 'NULL'})"
        " AND (:call IS NULL OR c.call_no < :call"
        " OR (c.call_no = :call AND coalesce(h.position, -1) > :position))"
        " ORDER BY c.call_no DESC, position LIMIT :limit",
        {
            **names,
            "kind": kind,
            "call": after[0] if after else None,
            "position": after[1] if after else None,
            "limit": limit or -1,
        },
    )
