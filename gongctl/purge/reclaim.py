"""What removed rows leave behind in the file: in full-text indexes, in free pages, in the write-ahead log.

SQLite overwrites nothing by itself, and a full-text index notes what was taken off and keeps it until its pieces
are merged. So the indexes are merged into one piece each and the file is written anew; before that is done the
cache says so of itself (``meta.purge_pending``), and the next purge with --confirm goes on here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from gongctl.cache.connection import BUSY_MS
from gongctl.cache.writer import CacheWriter
from gongctl.purge.remove import PENDING
from gongmcp.store.vcon_schema import VCON_INDEXES

_INDEXES: Final = ("segments_fts", "crm_values_fts", "judged_words", *VCON_INDEXES)
_MERGED_PAGES: Final = 1_000
_READERS_MS: Final = 1_000
"""How long a reader that holds the log is waited for."""
SPACE_FACTOR: Final = 2
"""Writing the file anew takes a temporary copy and a log of the same size."""


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """Bytes of the file before and after; *left_in_log*: a reader keeps a log that may hold what was removed."""

    bytes_before: int
    bytes_after: int
    left_in_log: bool


def is_pending(connection: sqlite3.Connection) -> bool:
    """Tell whether an earlier purge removed calls and did not come to the end of its cleaning."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (PENDING,)).fetchone()
    return row is not None and row[0] == "1"


def reclaim(writer: CacheWriter, bytes_before: int) -> Reclaimed:
    """Clean indexes and free space, and give the bytes back.

    Raises:
        StartupRefusal: the disk is full or the cache is busy; what was removed is removed, and the cleaning is still
            to be done.
    """
    connection = writer.connection
    connection.execute("PRAGMA secure_delete = ON")
    _forget_words(writer)
    for index in _INDEXES:
        _merge(writer, index)
    _empty_log(connection)
    connection.execute("VACUUM")
    left = not _empty_log(connection)
    if not left:
        with writer.transaction():
            connection.execute("DELETE FROM meta WHERE key = ?", (PENDING,))
        left = not _empty_log(connection)
    return Reclaimed(bytes_before, writer.path.stat().st_size, left)


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and cut it to nothing; False when a reader still needs it."""
    connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return not busy


def _merge(writer: CacheWriter, index: str) -> None:
    """Make one piece of the index, step by step: what was taken off is then in none."""
    pages = -_MERGED_PAGES
    while True:
        before = writer.connection.total_changes
        with writer.transaction():
            writer.connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
            merged = writer.connection.total_changes - before
        if merged < 2:  # as the documentation of FTS5 says that it is done
            return
        pages = _MERGED_PAGES


def _forget_words(writer: CacheWriter) -> None:
    """Take the words of calls that are judged no more out of the index that a changed restricted list looks into.

    It holds no text to take off by: what it holds of a document is read from the index itself.
    """
    connection = writer.connection
    stale = "SELECT id FROM judged_words_docsize WHERE id NOT IN (SELECT doc_no FROM judged_calls)"
    if connection.execute(f"{stale} LIMIT 1").fetchone() is None:
        return
    with writer.transaction(), _vocabulary(connection) as vocabulary:
        # By way of a temporary table: SQLite sorts on the disk what memory need not hold.
        connection.execute(
            f"""CREATE TEMP TABLE stale_words AS SELECT doc, group_concat(term, ' ') AS words
                FROM {vocabulary} WHERE doc IN ({stale}) GROUP BY doc"""
        )
        connection.execute(
            """INSERT INTO judged_words (judged_words, rowid, words)
               SELECT 'delete', doc, words FROM temp.stale_words ORDER BY doc"""
        )
        connection.execute("DROP TABLE temp.stale_words")


@contextmanager
def _vocabulary(connection: sqlite3.Connection) -> Iterator[str]:
    connection.execute("CREATE VIRTUAL TABLE temp.judged_vocabulary USING fts5vocab(main, judged_words, instance)")
    try:
        yield "temp.judged_vocabulary"
    finally:
        connection.execute("DROP TABLE temp.judged_vocabulary")
