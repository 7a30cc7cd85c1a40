"""A vCon store: a file of its own, edited by any number of processes, one transaction for each change.

Unlike a cache it stays in WAL mode, and no lock file keeps a second writer out: SQLite lets writers take turns, and
whatever a change depends on is read inside its transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import connect, refusal, require_file
from gongctl.cache.migrations import version_of
from gongctl.cache.writer import CacheWriter, real_path
from gongctl.vcon import Vcon, rows
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.forms import open_form
from gongctl.vcon.project import TooLarge, project
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import SCHEMA_VERSION
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID

BUSY_MS: Final = 60_000
"""How long a change waits for those before it."""


class VconStore:
    """An open store: ``connection``, ``path``. Use ``VconStore.open``; one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path

    @classmethod
    @contextmanager
    def open(cls, path: Path, *, create: bool = False) -> Iterator[VconStore]:
        """Open the store at *path* for reading and writing, making it (*create*) and bringing its schema up to date.

        Raises:
            StartupRefusal: missing without *create*; a cache, another file; of a newer schema; not writable.
        """
        path = real_path(path)
        if _is_behind(path) if path.exists() else create:
            with CacheWriter.open(path, create=True, application=VCON_APPLICATION_ID):
                pass
        require_file(path)
        connection = connect(path, "rw", VCON_APPLICATION_ID)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            yield cls(connection, path)
        except sqlite3.Error as error:
            raise refusal(error, path) from error
        finally:
            connection.close()

    @contextmanager
    def transaction(self) -> Iterator[int]:
        """Run the block in one transaction that no other writer comes between; yield its generation number."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            before = connection.total_changes
            generation = int(self.meta("generation") or 0) + 1
            yield generation
            if connection.total_changes != before:
                self.set_meta("generation", str(generation))
                self.set_meta("data_generation", str(generation))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def meta(self, key: str) -> str | None:
        """Return the stored value of *key*."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store *value* under *key*; inside a transaction."""
        self.connection.execute(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def get(self, uuid: str) -> Vcon | None:
        """Return the vCon *uuid* verbatim, None when there is none; of a signed one the JWS."""
        return rows.stored(self.connection, uuid)

    def put(self, value: Vcon, generation: int) -> bool:
        """Store *value*, plain or signed, with all that is read of it; tells whether that changed anything.

        Inside a transaction of number *generation*.

        Raises:
            VconRefused: it is encrypted, no vCon, or has too many parts.
        """
        opened = open_form(value)
        uuid = str(opened.vcon["uuid"]).casefold()
        try:
            data = rows.encode(value)
        except (UnicodeEncodeError, OverflowError, RecursionError) as error:
            raise VconRefused(
                "VC_TEXT", "it cannot be written as JSON: half a character, or nested too deeply"
            ) from error
        known = self.connection.execute("SELECT digest FROM raw_vcons WHERE uuid = ?", (uuid,)).fetchone()
        if known is not None and known[0] == rows.digest_of(data):
            return False
        now = utc_now()
        try:
            projection = project(opened.vcon, form=opened.form, imported_at=now)
        except TooLarge as error:
            raise VconRefused("VC_TOO_LARGE", str(error)) from error
        rows.write_raw(self.connection, uuid, data, now=now, generation=generation)
        rows.write_rows(self.connection, [projection])
        return True

    def delete(self, uuid: str) -> bool:
        """Remove the vCon *uuid* and all that is read of it; tells whether there was one. Inside a transaction."""
        uuid = uuid.casefold()
        rows.forget(self.connection, [uuid])
        self.connection.execute("DELETE FROM vcon_removals WHERE uuid = ?", (uuid,))
        return self.connection.execute("DELETE FROM raw_vcons WHERE uuid = ?", (uuid,)).rowcount > 0

    def forget_removals(self, uuid: str) -> None:
        """Forget who removed elements of *uuid*, which was replaced as a whole. Inside a transaction."""
        self.connection.execute("DELETE FROM vcon_removals WHERE uuid = ?", (uuid.casefold(),))

    def uuids(self) -> Iterator[str]:
        """Yield the uuids of all vCons in order."""
        for (uuid,) in self.connection.execute("SELECT uuid FROM raw_vcons ORDER BY uuid"):
            yield str(uuid)


def is_store(path: Path) -> bool:
    """Tell whether *path* is a vCon store; False for a cache, and for what is no database."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\x00") and int.from_bytes(header[68:72], "big") == VCON_APPLICATION_ID


def require_store(path: Path) -> None:
    """Refuse a file that is there and is no vCon store.

    Raises:
        StartupRefusal: it is a cache, or of another program.
    """
    if path.exists() and not is_store(path):
        raise StartupRefusal(
            f"{path} is no vCon store.",
            "A cache is served by gongmcp --db FILE. A store is a file of its own: gongctl vcon import PATH --db FILE.",
            Exit.CACHE,
        )


def _is_behind(path: Path) -> bool:
    if not is_store(path):
        return False
    connection = connect(path, "ro", VCON_APPLICATION_ID)
    try:
        return version_of(connection) < SCHEMA_VERSION
    finally:
        connection.close()
