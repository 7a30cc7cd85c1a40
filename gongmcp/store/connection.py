"""The one way to the cache: a read-only SQLite connection that can see the serving read model alone.

``StorePool.store_scope()`` lends a ``ReadStore`` for one call; there is no other ``sqlite3.connect``
in this package. What keeps it read-only: the URI's ``mode=ro``, ``query_only``, an attach limit of
zero and an authorizer that also denies the raw half of the cache.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal, ToolFault, Unavailable
from gongmcp.governance.scope import Scope
from gongmcp.store.cache_file import check_cache_file
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import APPLICATION_ID, RAW_TABLES
from gongmcp.store.vcon_schema import RAW_VCON_TABLES, VCON_APPLICATION_ID

PROGRESS_STEPS = 1000
"""SQLite VM instructions between two looks at the deadline."""

MEASURED_STEPS = 10
"""The same while ``StorePool.on_steps`` measures a query."""

CACHE_KIB = 8192
"""Most memory for the pages of one connection."""

NARROWED_KIB, NARROWED_KEEP = 4096, 1
"""The same of a client of a narrower scope, and how many connections stay open for one scope: there may be many."""

_ALLOWED_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_ALLOWED_PRAGMAS = frozenset({"data_version"})

_File = tuple[int, int] | None
"""Which file stands at a path (device and inode); None when there is none."""

_UNCHECKED: _File = (-1, -1)

_Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


def _authorize(action: int, first: str | None, second: str | None, _db: str | None, _trigger: str | None) -> int:
    if action == sqlite3.SQLITE_READ:
        return sqlite3.SQLITE_DENY if first in RAW_TABLES else sqlite3.SQLITE_OK
    return _authorize_else(action, first, second)


def _authorize_vcons(action: int, first: str | None, second: str | None, _db: str | None, _trigger: str | None) -> int:
    """The same for a vCon store, which shows vCons as they are."""
    if action == sqlite3.SQLITE_READ:
        return sqlite3.SQLITE_DENY if first in RAW_TABLES - RAW_VCON_TABLES else sqlite3.SQLITE_OK
    return _authorize_else(action, first, second)


def _authorize_narrowed(action: int, first: str | None, second: str | None, db: str | None, view: str | None) -> int:
    """The same for a client of a narrower scope: what is of a call is read through a view or not at all."""
    from gongmcp.store.narrowed import WHOLE_CORPUS, may_read

    if action == sqlite3.SQLITE_READ and not may_read(first, second, db, view):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and second in WHOLE_CORPUS:
        return sqlite3.SQLITE_DENY
    return _authorize(action, first, second, db, view)


def _authorize_else(action: int, first: str | None, second: str | None) -> int:
    if action in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_OK
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

    def __init__(self, connection: sqlite3.Connection, *, is_narrowed: bool = False) -> None:
        """Read from *connection*; *is_narrowed*: its tables are views, whose indexes cannot be named in a query.

        *known* is what a dear query of this call has found, by what was asked: a tool is run again when rows of its
        page were passed over, and the cache that it reads is still in the same state.
        """
        self._connection = connection
        self.is_narrowed = is_narrowed
        self.known: dict[object, Any] = {}

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


@dataclass(frozen=True, slots=True)
class InScope:
    """Which calls a pool's connections see: those of *scope*. *names* are what the CRM calls things."""

    scope: Scope
    names: CrmNames


class StorePool:
    """Lends read-only connections to one cache file; keeps a few open between calls.

    Opening checks that the file is a gongctl cache of this schema version and raises
    ``StartupRefusal`` (exit 4) otherwise, with one sentence and the command that mends it. Another file
    that is moved to the path later is checked the same and followed; calls already running finish on the
    file that they began with.

    *application* is the id that the file must bear. The server serves caches alone; the operator's door also opens
    a model of its own, and ``gongctl vcon serve`` a vCon store.

    With *narrowing* it is what ``narrowed_to`` makes: it looks at the file when it is first asked.

    *on_steps*, when it is set, is told of every ``MEASURED_STEPS`` VM instructions that a query runs:
    what a call costs, without a clock (measurements only, it makes queries slower).
    """

    def __init__(
        self, path: Path, *, keep: int = 4, application: int = APPLICATION_ID, narrowing: InScope | None = None
    ) -> None:
        self._path = path
        self._keep = keep
        self._application = application
        self._authorizer: _Authorizer = _authorize_vcons if application == VCON_APPLICATION_ID else _authorize
        self._narrowing = narrowing
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self.on_steps: Callable[[], None] | None = None
        if narrowing is not None:
            # Made while a request is answered: a file that is not there is no refusal to start, but its answer.
            self._authorizer, self._file = _authorize_narrowed, _UNCHECKED
            return
        self._file = _identity(path)
        check_cache_file(path, _connect, application)
        self._idle.append(self._open())

    def narrowed_to(self, scope: Scope | None, names: CrmNames) -> StorePool:
        """Return the pool of the same cache whose connections see the calls of *scope* alone; this one for None and
        for the scope that it is narrowed to already. *names* are what the CRM calls things.

        Raises ``ValueError`` for a second scope: one must not stand in the place of the other.
        """
        if scope is None or (self._narrowing is not None and self._narrowing.scope == scope):
            return self
        if self._narrowing is not None or self._application != APPLICATION_ID:
            raise ValueError("this pool cannot be narrowed")
        return StorePool(self._path, keep=NARROWED_KEEP, narrowing=InScope(scope, names))

    @contextmanager
    def store_scope(self, *, deadline: float | None = None, cancel: Cancel | None = None) -> Iterator[ReadStore]:
        """Lend a ``ReadStore``; one read transaction spans the scope, so that a call sees one state.

        *deadline* is a ``time.monotonic()`` value; *cancel* interrupts the running query. Raises
        ``ToolFault("cache_not_ready")`` when the path no longer holds a usable cache.
        """
        connection, file = self._lend()

        def expired() -> bool:
            return (deadline is not None and time.monotonic() > deadline) or (cancel is not None and cancel.cancelled)

        on_steps = self.on_steps

        def measured() -> bool:
            if on_steps is not None:
                on_steps()
            return expired()

        if on_steps is None:
            connection.set_progress_handler(expired, PROGRESS_STEPS)
        else:
            connection.set_progress_handler(measured, MEASURED_STEPS)
        unhook = cancel.on_cancel(connection.interrupt) if cancel is not None else None
        try:
            with self._snapshot(connection):
                yield ReadStore(connection, is_narrowed=self._narrowing is not None)
        finally:
            if unhook is not None:
                unhook()
            connection.set_progress_handler(None, 0)
            with self._lock:
                keep = file == self._file and len(self._idle) < self._keep
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
        connection.set_authorizer(self._authorizer)
        try:
            yield
        finally:
            connection.set_authorizer(None)
            connection.rollback()
            connection.set_authorizer(self._authorizer)

    def _lend(self) -> tuple[sqlite3.Connection, _File]:
        # An open connection goes on reading a file that was replaced or removed: what the operator took
        # away must not be served until the server happens to be started again.
        file = _identity(self._path)
        if file is None or file != self._file:
            self._follow(file)
        with self._lock:
            if file == self._file and self._idle:
                return self._idle.pop(), file
        return self._open(), file

    def _follow(self, file: _File) -> None:
        # Once nobody holds the old file open, the next one may get its inode.
        with self._lock:
            self._file = _UNCHECKED
        self.close()
        try:
            check_cache_file(self._path, _connect, self._application)
        except StartupRefusal as refusal:
            raise ToolFault("cache_not_ready", refusal.message, refusal.hint) from refusal
        with self._lock:
            self._file = file

    def _open(self) -> sqlite3.Connection:
        connection = _connect(self._path, self._narrowing)
        connection.set_authorizer(self._authorizer)
        return connection

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _identity(path: Path) -> _File:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: Path, narrowing: InScope | None = None) -> sqlite3.Connection:
    # The bytes of the name, which on POSIX need not be UTF-8.
    uri = f"file:{quote_from_bytes(os.fsencode(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None, timeout=5)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA temp_store = MEMORY")
    if narrowing is not None:
        from gongmcp.store.narrowed import narrow  # most servers have no client of a narrower scope

        narrow(connection, narrowing.scope, narrowing.names)
    connection.execute("PRAGMA query_only = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB if narrowing is None else NARROWED_KIB}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    return connection
