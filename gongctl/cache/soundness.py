"""Whether a cache file is sound: its pages, its payloads, its kept counts and its indexes. Only reads.

Unlike ``gongctl.cache.verify``, which recounts what is served and needs a connection that may write, this works on a
copy that lies in a read-only place.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from gongctl.cache.connection import reading
from gongctl.cache.migrations import version_of
from gongctl.cache.upsert import WAITING
from gongmcp.store.schema import SCHEMA_VERSION

Progress = Callable[[int, int], None]

_PAYLOADS: Final = ("raw_calls", "raw_transcripts", "raw_records", "raw_vcons")
_REPORT_EVERY: Final = 500
_SAMPLED: Final = 50
_TALLIES: Final = f"""
    SELECT 'call', count(*) FROM raw_calls
    UNION ALL SELECT 'transcript', count(*) FROM raw_transcripts
    UNION ALL SELECT 'segment', coalesce(sum(segment_count), 0) FROM raw_transcripts
    UNION ALL SELECT '{WAITING}', count(*) FROM raw_transcripts
              WHERE call_id NOT IN (SELECT call_id FROM raw_calls)
    UNION ALL SELECT kind, count(*) FROM raw_records GROUP BY kind"""


def faults_of(path: Path, *, progress: Progress | None = None) -> list[str]:
    """Return what is wrong with the cache at *path*, one sentence each without any text of the data; empty = sound.

    Every page and every payload is read. A cache of an older schema is checked for its pages and payloads alone.

    Raises:
        StartupRefusal: it is no cache, or so damaged that it cannot be opened.
    """
    with reading(path) as connection:
        faults = [f"SQLite: {said}" for (said,) in connection.execute("PRAGMA integrity_check(10)") if said != "ok"]
        if faults:
            return faults
        faults += _payload_faults(connection, progress)
        if version_of(connection) == SCHEMA_VERSION:
            faults += count_faults(connection)
            faults += index_faults(connection)
    return faults


def count_faults(connection: sqlite3.Connection) -> list[str]:
    """Return which kept counts of the raw half differ from the rows."""
    kept = {name: value for name, value in connection.execute("SELECT name, value FROM tallies") if value}
    true = {name: value for name, value in connection.execute(_TALLIES) if value}
    return [
        f"the kept count of {name.replace('_', ' ')} is {kept.get(name, 0)} where {true.get(name, 0)} are there"
        for name in sorted(kept.keys() | true.keys())
        if kept.get(name, 0) != true.get(name, 0)
    ]


def index_faults(connection: sqlite3.Connection) -> list[str]:
    """Return which full-text indexes lack rows or do not find some that are drawn evenly from all."""
    faults = []
    for index, table, number, column in (
        ("segments_fts", "segments", "segment_no", "text"),
        ("crm_values_fts", "crm_values", "value_no", "value"),
        ("vcons_fts", "vcons", "vcon_no", "subject_key"),
        ("vcon_texts_fts", "vcon_texts", "text_no", "text"),
    ):
        held = connection.execute(f"SELECT count(*) FROM {index}_docsize").fetchone()[0]
        there = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if held != there:
            faults.append(f"the full-text index of {table.replace('_', ' ')} holds {held} rows where {there} are there")
        elif missed := sum(1 for _ in _not_found(connection, index, table, number, column, there)):
            faults.append(f"the full-text index of {table.replace('_', ' ')} does not find {missed} rows of a sample")
    return faults


def _not_found(
    connection: sqlite3.Connection, index: str, table: str, number: str, column: str, count: int
) -> Iterator[int]:
    step = max(count // _SAMPLED, 1)
    for offset in range(0, count, step):
        row, text = connection.execute(
            f"SELECT {number}, {column} FROM {table} ORDER BY {number} LIMIT 1 OFFSET ?", (offset,)
        ).fetchone()
        word = max((w for w in text.split() if w.isascii() and w.isalnum()), key=len, default="")
        if len(word) < 3:  # the index of CRM values knows no shorter part
            continue
        found = connection.execute(
            f"SELECT 1 FROM {index} WHERE {index} MATCH ? AND rowid = ?", (f'"{word}"', row)
        ).fetchone()
        if found is None:
            yield row


def _payload_faults(connection: sqlite3.Connection, progress: Progress | None) -> list[str]:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    here = [table for table in _PAYLOADS if table in tables]
    total = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in here)
    faults = []
    done = 0
    for table in here:
        damaged = 0
        for payload, digest in connection.execute(f"SELECT payload, digest FROM {table}"):
            damaged += not _is_whole(payload, digest)
            done += 1
            if progress is not None and done % _REPORT_EVERY == 0:
                progress(done, total)
        if damaged:
            faults.append(f"{damaged} payloads of {table} are damaged")
    return faults


def _is_whole(payload: bytes, digest: bytes) -> bool:
    try:
        return hashlib.blake2b(zlib.decompress(payload), digest_size=16).digest() == digest
    except zlib.error:
        return False
