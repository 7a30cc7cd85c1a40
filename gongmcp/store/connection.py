"""The one way to the cache: a read-only SQLite connection that can see the serving read model alone.

``StorePool.store_scope()`` lends a ``ReadStore`` for one call; there is no other ``sqlite3.connect``
in this package. What keeps it read-only: the URI's ``mode=ro``, ``query_only``, an attach limit of
zero and an authorizer that also denies the raw half of the cache.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gongmcp.cancel import Cancel
from gongmcp.errors import Exit, StartupRefusal, Unavailable
from gongmcp.store.schema import APPLICATION_ID, RAW_TABLES, SCHEMA_VERSION

PROGRESS_STEPS = 1000
"""SQLite VM instructions between two looks at the deadline."""

_ALLOWED_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_ALLOWED_PRAGMAS = frozenset({"data_version"})


def _authorize(action: int, first: str | None, second: str | None, _db: str | None, _trigger: str | None) -> int:
    if action in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ:
        return sqlite3.SQLITE_DENY if first in RAW_TABLES else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _ALLOWED_PRAGMAS and second is None:
        return sqlite3.SQLITE_OK
    # FTS5 asks for this while its virtual table connects; mode=ro keeps the write itself impossible.
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


class ReadStore:
    """The read model for the length of one call, inside its deadline.

    Every query uses named parameters. Raises ``Unavailable`` when the deadline passes, the client
    cancels or the file is locked by a writer for longer than the busy timeout.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[sqlite3.Row]:
        """Return all rows of *sql*."""
        try:
            return self._connection.execute(sql, parameters or {}).fetchall()
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from error

    def stream(self, sql: str, parameters: dict[str, Any] | None = None) -> Iterator[sqlite3.Row]:
        """Yield the rows of *sql* one by one."""
        try:
            yield from self._connection.execute(sql, parameters or {})
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from error

    def one(self, sql: str, parameters: dict[str, Any] | None = None) -> sqlite3.Row | None:
        """Return the first row of *sql*, None when there is none."""
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None

    def total(self, key: str) -> int:
        """Return the kept counter ``total/key`` of the read model."""
        sql = "SELECT value FROM counters WHERE counter = 'total' AND key = :key AND detail = ''"
        row = self.one(sql, {"key": key})
        return int(row[0]) if row else 0


def _unavailable(error: sqlite3.OperationalError) -> Exception:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_INTERRUPT":
        return Unavailable("The time limit for one call ran out.", "Narrow the dates or filters and call again.")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Unavailable("The cache is being written at this moment.", "Call again in a few seconds.")
    return error


class StorePool:
    """Lends read-only connections to one cache file; keeps a few open between calls.

    Opening checks that the file is a gongctl cache of this schema version and raises
    ``StartupRefusal`` (exit 4) otherwise, with one sentence and the command that mends it.
    """

    def __init__(self, path: Path, *, keep: int = 4) -> None:
        self._path = path
        self._keep = keep
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        check_cache_file(path)
        self._idle.append(self._open())

    @contextmanager
    def store_scope(
        self, *, deadline: float | None = None, cancel: Cancel | None = None, steps: Callable[[], None] | None = None
    ) -> Iterator[ReadStore]:
        """Lend a ``ReadStore``; one read transaction spans the scope, so that a call sees one state.

        *deadline* is a ``time.monotonic()`` value; *cancel* interrupts the running query; *steps* is
        called once per VM instruction batch of 1 (measurements only).
        """
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._open()

        def expired() -> bool:
            return (deadline is not None and time.monotonic() > deadline) or (cancel is not None and cancel.cancelled)

        if steps is not None:
            count = steps
            connection.set_progress_handler(lambda: count(), 1)
        else:
            connection.set_progress_handler(expired, PROGRESS_STEPS)
        unhook = cancel.on_cancel(connection.interrupt) if cancel is not None else None
        try:
            with self._snapshot(connection):
                yield ReadStore(connection)
        finally:
            if unhook is not None:
                unhook()
            connection.set_progress_handler(None, 0)
            with self._lock:
                keep = len(self._idle) < self._keep
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    @contextmanager
    def _snapshot(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.set_authorizer(None)
        try:
            connection.execute("BEGIN")
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from error
        connection.set_authorizer(_authorize)
        try:
            yield
        finally:
            connection.set_authorizer(None)
            connection.rollback()
            connection.set_authorizer(_authorize)

    def _open(self) -> sqlite3.Connection:
        connection = _connect(self._path)
        connection.set_authorizer(_authorize)
        return connection

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None, timeout=5)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -8192")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    return connection


def check_cache_file(path: Path) -> None:
    """Refuse (exit 4) a cache that is missing, no file, empty, foreign, older, newer or damaged."""

    def refuse(message: str, hint: str) -> StartupRefusal:
        return StartupRefusal(message, hint, Exit.CACHE)

    rebuild = "Give the path of a cache made by gongctl, or make one: gongctl import gong PATH --db DB."
    if not path.exists():
        raise refuse("The cache file does not exist.", rebuild)
    if not path.is_file():
        raise refuse("The cache path is not a file.", rebuild)
    if path.stat().st_size == 0:
        raise refuse("The cache file is empty.", rebuild)
    with path.open("rb") as file:
        header = file.read(16)
    if header != b"SQLite format 3\x00":
        raise refuse("The cache file is not an SQLite database.", rebuild)
    try:
        connection = _connect(path)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            columns = {row[1] for row in connection.execute("PRAGMA table_info(call_facts)")}
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        if "readonly" in str(error) or "unable to open" in str(error):
            raise refuse(
                "The cache cannot be opened: a writer left its log (-wal) beside it and this folder is read-only.",
                "Run gongctl cache status --db DB once where the folder is writable, then copy the file.",
            ) from error
        raise refuse("The cache file is damaged.", "Restore a backup, or import again into a new file.") from error
    if application != APPLICATION_ID:
        raise refuse("The file is an SQLite database of another application.", rebuild)
    if version > SCHEMA_VERSION:
        raise refuse(
            f"The cache has schema version {version}; this program knows {SCHEMA_VERSION}.", "Upgrade gongctl."
        )
    if version < SCHEMA_VERSION:
        raise refuse(
            f"The cache has schema version {version}; this program needs {SCHEMA_VERSION}.",
            "Run: gongctl cache init --db DB.",
        )
    needed = {"meta", "read_model", "call_facts", "segments", "segments_fts", "parties", "crm_objects", "counters"}
    if not needed <= tables or "call_ref" not in columns:
        raise refuse("The cache file is damaged: a table or column is missing.", "Import again into a new file.")
    if path.stat().st_size < pages * size and not Path(f"{path}-wal").exists():
        raise refuse("The cache file is truncated.", "Restore a backup, or import again into a new file.")
