"""Opening a cache file: what it may be, and one sentence for everything that it must not be."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote_from_bytes

from gongctl.cache.migrations import version_of
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import APPLICATION_ID, SCHEMA_VERSION

BUSY_MS: Final = 5_000
"""How long a statement waits for another connection's lock, in milliseconds."""

_IO: Final = frozenset({sqlite3.SQLITE_IOERR})
_FULL: Final = frozenset({sqlite3.SQLITE_FULL})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DENIED: Final = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT})


def refusal(error: sqlite3.Error, path: Path) -> StartupRefusal:
    """Return the refusal that says what *error* means for the cache at *path*."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return StartupRefusal(f"{path} is not a SQLite database.", "Name another file with --db.", Exit.CACHE)
    if code in _DAMAGED:
        return StartupRefusal(
            f"The cache {path} is damaged.", "Restore a copy, or import again into a new file.", Exit.CACHE
        )
    if code in _BUSY:
        return StartupRefusal(
            f"The cache {path} is busy: another program holds it.",
            "Close the program that has it open (a database browser, a backup), then run this again.",
            Exit.FAILED,
        )
    if code in _FULL:
        return StartupRefusal(
            f"The disk that holds {path} is full.", "Free some space and run this again: it resumes.", Exit.FAILED
        )
    if code in _IO:  # a quota or a limit of file sizes is told like a broken disk
        return StartupRefusal(
            f"The disk that holds {path} cannot be read or written.",
            "Check the disk, its quota and the limit of file sizes, then run this again: it resumes.",
            Exit.FAILED,
        )
    if code in _DENIED:
        return StartupRefusal(
            f"The cache {path} cannot be opened: access is denied.",
            "Check the permissions of the file and of its folder.",
            Exit.CACHE,
        )
    return StartupRefusal(f"The cache {path} cannot be used ({error}).", "", Exit.CACHE)


def require_file(path: Path) -> None:
    """Refuse what is no file with content, before SQLite would make one of it.

    Raises:
        StartupRefusal: *path* is missing, a folder, special or empty.
    """
    try:
        if path.is_dir():
            raise StartupRefusal(f"{path} is a folder, not a cache file.", "Name a file with --db.", Exit.CACHE)
        if not path.exists():
            raise StartupRefusal(
                f"There is no cache at {path}.",
                f"Make one: gongctl import gong PATH --db {shlex.quote(str(path))}",
                Exit.CACHE,
            )
        if not path.is_file():
            raise StartupRefusal(f"{path} is not a regular file.", "Name a file with --db.", Exit.CACHE)
        if path.stat().st_size == 0:
            raise StartupRefusal(
                f"{path} is an empty file, not a cache.", "Remove it, or name another file with --db.", Exit.CACHE
            )
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be read: {error.strerror}.", "", Exit.CACHE) from error


def file_uri(path: Path, mode: str) -> str:
    """Return SQLite's URI of *path* in *mode* (``ro`` or ``rw``)."""
    # The bytes of the name, which on POSIX need not be UTF-8.
    return f"file:{quote_from_bytes(os.fsencode(path.absolute()))}?mode={mode}"


def connect(path: Path, mode: str, application: int = APPLICATION_ID) -> sqlite3.Connection:
    """Open *path* in SQLite's URI *mode* (``ro`` or ``rw``), with a busy timeout, and check what it is.

    *application* is the id that the file must bear: that of a cache, or of an operator's model.

    Raises:
        StartupRefusal: not a database, damaged, of another application, or of a newer schema.
    """
    require_file(path)
    try:
        connection = sqlite3.connect(file_uri(path, mode), uri=True, timeout=BUSY_MS / 1000, isolation_level=None)
    except sqlite3.Error as error:
        raise refusal(error, path) from error
    try:
        _identify(connection, path, application)
    except sqlite3.Error as error:
        connection.close()
        raise refusal(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _identify(connection: sqlite3.Connection, path: Path, expected: int) -> None:
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != expected:
        raise StartupRefusal(
            f"{path} is a SQLite database of another program, not a gongctl cache.",
            "Name another file with --db.",
            Exit.CACHE,
        )
    version = version_of(connection)
    if version > SCHEMA_VERSION:
        raise StartupRefusal(
            f"The cache {path} has schema version {version}; this gongctl knows versions up to {SCHEMA_VERSION}.",
            "Use the newer gongctl that wrote it.",
            Exit.CACHE,
        )


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache at *path* for reading alone, whatever its schema version, inside one snapshot.

    Raises:
        StartupRefusal: the file is no cache that can be read.
    """
    connection = connect(path, "ro")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        yield connection
    except sqlite3.Error as error:
        raise refusal(error, path) from error
    finally:
        connection.close()
