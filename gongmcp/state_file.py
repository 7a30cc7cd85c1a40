"""The state file of a server over HTTP: what each client has seen of each call, and when it may ask again.

All worker processes share it, and it outlives a restart, so that neither gives a client a second budget. It is not the
cache and names nobody: calls stand in it by their alias. Without a file it lives in memory.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gongmcp.errors import Unavailable
from gongmcp.exposure.evidence import Evidence
from gongmcp.identity.client import ASKER
from gongmcp.refusals import refused

APPLICATION_ID: Final = 0x676D7374
BUSY_SECONDS: Final = 2.0

_DDL: Final = """
CREATE TABLE IF NOT EXISTS seen(
  client TEXT NOT NULL, day INTEGER NOT NULL, call_ref TEXT NOT NULL, segment INTEGER NOT NULL,
  chars INTEGER NOT NULL, PRIMARY KEY (client, day, call_ref, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rates(client TEXT PRIMARY KEY, due REAL NOT NULL) WITHOUT ROWID;
"""

_DAY: Final = 86400

_ALMOST: Final = 1e-9
_COUNT_ONE: Final = f"""
INSERT INTO rates VALUES (:client, :now + :gap)
ON CONFLICT (client) DO UPDATE SET due = min(max(due, :now), :now + :saved) + :gap
WHERE min(max(due, :now), :now + :saved) + :gap - :now <= :saved + {_ALMOST}
RETURNING due
"""
"""A clock that was set back must not lock anybody out: due is never later than what may be saved."""

log = logging.getLogger("gongmcp")


class StateFile:
    """Evidence and rates of every client. Thread-safe; several processes may open the same file.

    Rates are counted in the event loop, evidence in the threads of calls: each has a connection of its own, so that
    neither waits for the other. *clock* gives seconds since 1970.
    """

    def __init__(self, path: Path | None, *, clock: Callable[[], float] = time.time) -> None:
        """Open *path*, made if it is not there; None = in memory.

        Raises:
            StartupRefusal: it is no state file, open to others, or cannot be written.
        """
        self._clock = clock
        self._evidence = _Part(path, clock, "DELETE FROM seen WHERE day < :today")
        self._rates = _Part(path, clock, f"DELETE FROM rates WHERE due < (:today - 1) * {_DAY}")

    def close(self) -> None:
        """Close it."""
        self._evidence.close()
        self._rates.close()

    def wait_of(self, client: str, per_minute: int) -> float:
        """Count one request of *client*; returns 0, or, when it is one too many, the seconds until it may ask again.

        A client may save up a quarter of a minute's requests.
        """
        gap = 60.0 / per_minute
        saved = max(15.0, gap)
        now = self._clock()
        parameters = {"client": client, "now": now, "gap": gap, "saved": saved}
        with self._rates.asked() as connection:
            if connection.execute(_COUNT_ONE, parameters).fetchall():
                return 0.0
            row = connection.execute("SELECT due FROM rates WHERE client = ?", (client,)).fetchone()
        due = min(max(row[0], now), now + saved) if row is not None else now
        return max(due + gap - now - saved, _ALMOST)

    def seen(self, client: str, call_ref: str) -> dict[int, int]:
        """Return the segments of a call that *client* has seen today (UTC), with the characters of each."""
        with self._evidence.asked() as connection:
            return self._seen(connection, client, call_ref)

    def spend(self, client: str, shown: Sequence[Evidence], basis: Mapping[str, int]) -> bool:
        """Count what is about to be sent, as ``evidence.Session`` says."""
        with self._evidence.asked() as connection, _transaction(connection):
            if any(len(self._seen(connection, client, item.call_ref)) != basis[item.call_ref] for item in shown):
                return False
            rows = [
                (client, self._evidence.today, item.call_ref, segment, chars)
                for item in shown
                for segment, chars in item.segments.items()
            ]
            connection.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?)", rows)
        return True

    def _seen(self, connection: sqlite3.Connection, client: str, call_ref: str) -> dict[int, int]:
        sql = "SELECT segment, chars FROM seen WHERE client = ? AND day = ? AND call_ref = ?"
        return dict(connection.execute(sql, (client, self._evidence.today, call_ref)).fetchall())


class _Part:
    """One connection to the file, for one thread at a time. *forget* is run when a day begins."""

    def __init__(self, path: Path | None, clock: Callable[[], float], forget: str) -> None:
        self.today = -1
        self._clock = clock
        self._forget = forget
        self._lock = threading.Lock()
        self._failing = False
        self._path = path
        self._connection = _in_memory() if path is None else _opened(path)
        found = path.stat() if path is not None else None
        self._mark = (found.st_dev, found.st_ino) if found is not None else None

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def asked(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection.

        Raises:
            Unavailable: the file cannot be asked now.
        """
        with self._lock:
            try:
                self._require_place()
                self._turn_of_day()
                yield self._connection
                self._failing = False
            except sqlite3.Error as error:
                self._tell(error)
                # Not to know what was seen is not to have seen nothing.
                raise Unavailable("The server's state file is busy.", "Call again in a few seconds.") from None

    def _require_place(self) -> None:
        """Refuse a file that is no longer at its path: a worker that starts later would count in another one."""
        if self._path is None:
            return
        try:
            found = os.stat(self._path)  # noqa: PTH116 - asked for each request, at a third of the cost of Path.stat
        except OSError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._mark:
            raise sqlite3.OperationalError("it was moved away; put it back, or restart the server")

    def _tell(self, error: sqlite3.Error) -> None:
        """Say once why nothing can be counted, and leave no transaction open: it would refuse every later one."""
        if not self._failing:
            log.error("the state file cannot be asked: %s", error)
        self._failing = True
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _turn_of_day(self) -> None:
        today = int(self._clock() // _DAY)
        if today != self.today:
            self._connection.execute(self._forget, {"today": today})
            self.today = today


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("COMMIT")


class ClientEvidence:
    """The evidence session (``exposure.evidence.Session``) of whoever asks: a token and a day."""

    def __init__(self, state: StateFile) -> None:
        self._state = state

    def seen(self, call_ref: str) -> dict[int, int]:
        """Return what the client has seen of a call."""
        return self._state.seen(ASKER.get().client.key, call_ref)

    def spend(self, shown: Sequence[Evidence], basis: Mapping[str, int]) -> bool:
        """Count what is about to be sent."""
        return not shown or self._state.spend(ASKER.get().client.key, shown, basis)


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    connection.executescript(_DDL)
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            found = os.fstat(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise refused("state_file", file=path.name, reason=(error.strerror or "unknown").lower()) from None
    if not stat.S_ISREG(found.st_mode):
        raise refused("state_file", file=path.name, reason="it is no regular file")
    if found.st_uid != os.geteuid():
        raise refused("state_file", file=path.name, reason="it belongs to another user")
    if found.st_mode & 0o077:
        raise refused("state_file", file=path.name, reason="others than its owner may read it; set it to mode 0600")
    try:
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
        kind = connection.execute("PRAGMA application_id").fetchone()[0]
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if kind != APPLICATION_ID and not (kind == 0 and empty):
            connection.close()
            raise refused("state_file", file=path.name, reason="it is the database of something else")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA journal_size_limit = 1048576")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.executescript(_DDL)
        connection.execute("SELECT client, day, call_ref, segment, chars FROM seen LIMIT 0")
        connection.execute("SELECT client, due FROM rates LIMIT 0")
    except sqlite3.Error:
        raise refused("state_file", file=path.name, reason="it is no database, or cannot be written") from None
    return connection
