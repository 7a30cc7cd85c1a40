"""``CacheWriter``: the one way in which gongctl writes a cache.

While it is open the file is in WAL mode, so that a serving ``gongmcp`` goes on reading; when it closes
the log is checkpointed and the file returns to the rollback journal, because a read-only process cannot
open a WAL file in a folder that it may not write. Every change goes through ``transaction()``: short, atomic,
and counted in ``meta.generation``.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import BUSY_MS, connect, refusal, require_file
from gongctl.cache.lock import writer_lock
from gongctl.cache.migrations import MIGRATIONS, Migration, migrate
from gongctl.cache.secret import cache_secret, new_secret
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import APPLICATION_ID

PAGE_BYTES: Final = 4_096
CACHE_KIB: Final = 64 * 1024
"""SQLite's page cache of a writer."""
CLOSE_BUSY_MS: Final = 500
"""How long closing waits for readers before it leaves the log to the next writer."""


class CacheWriter:
    """An open cache: ``db`` (sqlite-utils), ``connection`` (the same, for bulk statements) and ``path``.

    Use ``CacheWriter.open``. One thread at a time; rows come as tuples.
    """

    def __init__(self, db: Database, path: Path) -> None:
        self.db = db
        self.path = path
        self.migrated: list[Migration] = []

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection behind ``db``: autocommit outside of ``transaction()``."""
        return self.db.conn

    @classmethod
    @contextmanager
    def open(
        cls,
        path: Path,
        *,
        create: bool = False,
        secret: bytes | None = None,
        migrating: Callable[[Migration], None] | None = None,
        application: int = APPLICATION_ID,
    ) -> Iterator[CacheWriter]:
        """Open the cache at *path* for writing, creating it (*create*) and bringing its schema up to date.

        *secret* is material for the aliases' secret of a new cache (see ``gongctl.cache.secret``); for
        an existing cache it must be the one that it was made with. *migrating* is called before each
        step of a schema migration. *application* is the id that the file bears.

        Raises:
            StartupRefusal: missing without *create*; a folder, an empty file, no database, damaged, of
                another program, of a newer schema; not writable; another writer at work; another secret.
        """
        path = real_path(path)
        if not create or path.exists():
            require_file(path)
        elif not path.parent.is_dir():
            raise StartupRefusal(
                f"The folder {path.parent} does not exist.", "Create it, or name another file with --db.", Exit.CACHE
            )
        with writer_lock(path):
            if not path.exists():
                if not create:
                    require_file(path)
                _create(path, secret, application)
            db = Database(connect(path, "rw", application), execute_plugins=False, recursive_triggers=False)
            writer = cls(db, path)
            try:
                writer._prepare(secret, migrating)
                yield writer
            except sqlite3.Error as error:
                raise refusal(error, path) from error
            finally:
                writer._close()

    def _prepare(self, secret: bytes | None, migrating: Callable[[Migration], None] | None) -> None:
        _enter_wal(self.connection)
        for pragma in (
            f"cache_size = -{CACHE_KIB}",
            "synchronous = NORMAL",
            "foreign_keys = OFF",
            "secure_delete = ON",
        ):
            self.connection.execute(f"PRAGMA {pragma}")
        self.migrated = migrate(self.db, migrations=MIGRATIONS, progress=migrating)
        stored = self.meta("secret")
        if stored is None:
            with self.transaction():
                self.set_meta("secret", (cache_secret(secret) if secret else new_secret()).hex())
        elif secret is not None and stored != cache_secret(secret).hex():
            raise StartupRefusal(
                f"The cache {self.path} was made with another secret, and its aliases depend on it.",
                "Leave the secret file out, or build a new cache with it.",
                Exit.USAGE,
            )

    @contextmanager
    def transaction(self) -> Iterator[int]:
        """Run the block in one transaction and yield its generation number (``meta.generation`` + 1).

        All or nothing: an exception undoes the block. The number is stored only if the block changed a
        row. Not to be nested.

        Raises:
            StartupRefusal: the database is held by another program, or the disk is full.
        """
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = connection.total_changes
                generation = self.generation + 1
                yield generation
                if connection.total_changes != before:
                    self.set_meta("generation", str(generation))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise refusal(error, self.path) from error

    @property
    def generation(self) -> int:
        """How many writing transactions the cache has seen."""
        return int(self.meta("generation") or 0)

    @property
    def secret(self) -> bytes:
        """The 32 bytes that key the cache's aliases."""
        stored = self.meta("secret")
        if stored is None:
            raise StartupRefusal(f"The cache {self.path} is damaged: it holds no secret.", "", Exit.CACHE)
        return bytes.fromhex(stored)

    def meta(self, key: str) -> str | None:
        """Return the stored value of *key*, None when there is none."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store *value* under *key*; inside a transaction, with what it describes."""
        self.connection.execute(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def require_space(self, needed: int, purpose: str) -> None:
        """Refuse when the cache's disk has fewer than *needed* bytes free.

        Raises:
            StartupRefusal: there is too little space; nothing was written.
        """
        free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise StartupRefusal(
                f"{purpose} needs about {_megabytes(needed)} of disk space; "
                f"{_megabytes(free)} are free at {self.path.parent}.",
                "Free some space and run this again; nothing was changed.",
                Exit.FAILED,
            )

    def _close(self) -> None:
        connection = self.connection
        try:
            connection.execute(f"PRAGMA busy_timeout = {CLOSE_BUSY_MS}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            # A connected reader keeps the file in WAL mode: then the next writer takes it back. What else
            # went wrong (a full disk, a damaged page) was already raised by the statement that met it.
            if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL}:
                raise refusal(error, self.path) from error
        finally:
            connection.close()


def real_path(path: Path) -> Path:
    """Return the cache file that *path* names, links followed; it need not exist.

    Raises:
        StartupRefusal: the links go round in a circle.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a loop of symbolic links
        raise StartupRefusal(f"{path} cannot be resolved.", "Name another file with --db.", Exit.CACHE) from error


def _create(path: Path, secret: bytes | None, application: int) -> None:
    """Build the whole empty cache beside *path* and move it there: nobody ever sees half of one."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    os.close(handle)
    try:
        connection = sqlite3.connect(name, isolation_level=None)
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute(f"PRAGMA application_id = {application}")
            migrate(Database(connection, execute_plugins=False, recursive_triggers=False))
            connection.executemany(
                "INSERT INTO meta (key, value) VALUES (?, ?)",
                [
                    ("secret", (cache_secret(secret) if secret else new_secret()).hex()),
                    ("created_at", utc_now()),
                    ("generation", "0"),
                    ("data_generation", "0"),
                ],
            )
        finally:
            connection.close()
        Path(name).replace(path)
    except sqlite3.Error as error:
        raise refusal(error, path) from error
    finally:
        Path(name).unlink(missing_ok=True)


def _enter_wal(connection: sqlite3.Connection) -> None:
    # Changing the journal mode needs the file alone for a moment and does not wait by itself.
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"
