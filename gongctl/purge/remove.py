"""Removing calls with everything that hangs on them, in short transactions, each with its tombstones.

A call goes whole: its payloads, its answered scorecards, what is served of it, its part of every counter and index,
its verdict, what sync knows of it. Tables that hold a call's id are found in the schema, so that a table of tomorrow
is not forgotten. A purge that was killed has done whole batches; run again, it goes on with the rest.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Final

from gongctl.cache.serving import US, ServingWriter
from gongctl.cache.tombstones import Reason, bury
from gongctl.cache.upsert import WAITING
from gongctl.cache.writer import CacheWriter
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import INDEX_BITS

BATCH_CALLS: Final = 100
PENDING: Final = "purge_pending"
"""Key of ``meta``: '1' while removed calls may still be found in the file's free space or in an index."""

_IDS: Final = "(SELECT value FROM json_each(:ids))"
_NUMBERS: Final = f"(SELECT call_no FROM call_facts WHERE call_id IN {_IDS})"
_COUNTS: Final = {
    "calls": f"SELECT count(*) FROM raw_calls WHERE call_id IN {_IDS}",
    "transcripts": f"SELECT count(*) FROM raw_transcripts WHERE call_id IN {_IDS}",
    "segments": f"SELECT coalesce(sum(segment_count), 0) FROM raw_transcripts WHERE call_id IN {_IDS}",
    "answered_scorecards": f"SELECT count(*) FROM raw_records WHERE call_id IN {_IDS}",
    "served_calls": f"SELECT count(*) FROM call_facts WHERE call_id IN {_IDS}",
    "served_segments": f"SELECT coalesce(sum(segment_count), 0) FROM call_facts WHERE call_id IN {_IDS}",
    "vectors": f"SELECT coalesce(sum(window_count), 0) FROM segment_vectors WHERE call_no IN {_NUMBERS}",
    "participants": f"SELECT count(*) FROM parties WHERE call_no IN {_NUMBERS}",
    "crm_objects": f"SELECT count(*) FROM crm_objects WHERE call_no IN {_NUMBERS}",
    "crm_values": f"""SELECT coalesce(sum(field_count), 0) FROM crm_objects WHERE call_no IN {_NUMBERS}""",
    "profile_facts": f"SELECT count(*) FROM profile_facts WHERE call_no IN {_NUMBERS}",
    "profile_values": f"SELECT count(*) FROM profile_values WHERE call_no IN {_NUMBERS}",
    "verdicts": f"SELECT count(*) FROM verdicts WHERE call_id IN {_IDS}",
}


@dataclass(slots=True)
class Removed:
    """How much hung on the calls: rows by kind. *participants*, *crm_…*, *profile_…* and *served_…* count what was
    served; *segments* and the kinds before it count what Gong delivered."""

    calls: int = 0
    transcripts: int = 0
    segments: int = 0
    answered_scorecards: int = 0
    served_calls: int = 0
    served_segments: int = 0
    vectors: int = 0
    participants: int = 0
    crm_objects: int = 0
    crm_values: int = 0
    profile_facts: int = 0
    profile_values: int = 0
    verdicts: int = 0

    def add(self, other: Removed) -> None:
        """Add the counts of *other*."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def as_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def counted(connection: sqlite3.Connection, call_ids: Sequence[str]) -> Removed:
    """Return how much hangs on *call_ids*; nothing is changed."""
    total = Removed()
    for start in range(0, len(call_ids), BATCH_CALLS):
        ids = {"ids": json.dumps(call_ids[start : start + BATCH_CALLS])}
        total.add(Removed(**{name: int(connection.execute(sql, ids).fetchone()[0]) for name, sql in _COUNTS.items()}))
    return total


def remove_calls(
    writer: CacheWriter,
    call_ids: Sequence[str],
    reason: Reason = "purged",
    *,
    removed: Removed | None = None,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Removed:
    """Remove the calls *call_ids* and keep them out from now on; return what went.

    *removed* is added to as batches are committed, so that it is true after an interruption; *progress* is called
    with the calls done and to do, *should_stop* is asked between batches. What the calls left in free pages and in
    full-text indexes is taken care of by ``gongctl.purge.reclaim``.

    Raises:
        StartupRefusal: the cache is busy or its disk is full; what was committed stays removed.
    """
    removed = removed if removed is not None else Removed()
    connection = writer.connection
    connection.execute("PRAGMA secure_delete = ON")
    tables = tables_of_calls(connection)
    serving = ServingWriter(connection, _names(connection))
    for start in range(0, len(call_ids), BATCH_CALLS):
        if should_stop is not None and should_stop():
            break
        ids = list(call_ids[start : start + BATCH_CALLS])
        with writer.transaction() as generation:
            gone = counted(connection, ids)
            _forget(connection, serving, tables, ids, gone)
            bury(connection, writer.secret, ids, reason)
            connection.execute("UPDATE read_model SET generation = ? WHERE id = 1", (generation,))
            writer.set_meta(PENDING, "1")
        removed.add(gone)
        if progress is not None:
            progress(min(start + BATCH_CALLS, len(call_ids)), len(call_ids))
    return removed


def tables_of_calls(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables that have a column ``call_id``."""
    rows = connection.execute(
        """SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
           WHERE m.type = 'table' AND c.name = 'call_id' ORDER BY m.name"""
    )
    return [str(name) for (name,) in rows]


def _forget(
    connection: sqlite3.Connection, serving: ServingWriter, tables: Sequence[str], ids: list[str], gone: Removed
) -> None:
    """Remove the rows of *ids*, and take them off the kept counts; inside a transaction."""
    given = {"ids": json.dumps(ids)}
    served = [
        str(row[0]) for row in connection.execute(f"SELECT call_id FROM call_facts WHERE call_id IN {_IDS}", given)
    ]
    shared = _calls_of_shared_opportunities(connection, given)
    serving.replace((), served)
    waiting = connection.execute(
        f"""SELECT count(*) FROM raw_transcripts WHERE call_id IN {_IDS}
            AND call_id NOT IN (SELECT call_id FROM raw_calls)""",
        given,
    ).fetchone()[0]
    for table in tables:
        connection.execute(f"DELETE FROM {table} WHERE call_id IN {_IDS}", given)
    # The next warm tells these opportunities by the names that it is given.
    connection.executemany("INSERT OR IGNORE INTO dirty_calls (call_id) VALUES (?)", [(call,) for call in shared])
    less = {
        "call": gone.calls,
        "transcript": gone.transcripts,
        "segment": gone.segments,
        "answered_scorecard": gone.answered_scorecards,
        WAITING: int(waiting),
    }
    connection.executemany(
        "UPDATE tallies SET value = value - ? WHERE name = ?", [(count, name) for name, count in less.items() if count]
    )


def _calls_of_shared_opportunities(connection: sqlite3.Connection, given: dict[str, str]) -> list[str]:
    """Return the newest call that stays of each opportunity that a call to be removed is the newest of."""
    rows = connection.execute(
        f"""SELECT DISTINCT (
              SELECT f.call_id FROM crm_objects AS k JOIN call_facts AS f ON f.call_no = k.call_no
              WHERE k.object_type = o.object_type AND k.object_id = o.object_id AND f.call_id NOT IN {_IDS}
              ORDER BY k.call_no DESC LIMIT 1)
            FROM opportunities AS o WHERE o.latest_call_no IN {_NUMBERS}""",
        given,
    )
    return [str(call_id) for (call_id,) in rows if call_id is not None]


def _names(connection: sqlite3.Connection) -> CrmNames:
    """Return names whose group fields are those that the kept counters were made with."""
    fields_kept = {
        key.split(US, 1)[1]
        for (key,) in connection.execute("SELECT DISTINCT key FROM counters WHERE counter = 'matrix_objects'")
    }
    return replace(CrmNames.default(), matrix_group_fields=tuple(sorted(fields_kept)))


def orphans(connection: sqlite3.Connection, call_ids: Sequence[str]) -> int:
    """Return how many rows of any table still speak of *call_ids*: 0 after a purge."""
    found = 0
    for start in range(0, len(call_ids), BATCH_CALLS):
        ids = {"ids": json.dumps(call_ids[start : start + BATCH_CALLS])}
        for table in tables_of_calls(connection):
            found += int(connection.execute(f"SELECT count(*) FROM {table} WHERE call_id IN {_IDS}", ids).fetchone()[0])
    left = (
        f"""SELECT count(*) FROM segments
            WHERE NOT EXISTS (SELECT 1 FROM call_facts WHERE call_no = segment_no >> {INDEX_BITS})""",
        "SELECT count(*) FROM segment_vectors WHERE call_no NOT IN (SELECT call_no FROM call_facts)",
        "SELECT count(*) FROM call_words WHERE call_no NOT IN (SELECT call_no FROM call_facts)",
    )
    return found + sum(int(connection.execute(sql).fetchone()[0]) for sql in left)
