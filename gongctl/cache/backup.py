"""Copies of a cache that can be trusted: made while it is served, checked, never over another file.

A copy is made with SQLite's own backup, so that it is one state of the cache whoever reads or writes meanwhile. Beside
it lies its SHA-256 in the form of ``sha256sum``.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gongctl.cache.connection import connect, reading, refusal
from gongctl.cache.tombstones import KEEPS_OUT, call_digest
from gongmcp.errors import Exit, StartupRefusal

SUFFIX: Final = ".sha256"
_SIDECARS: Final = ("-wal", "-shm", "-journal", ".lock")
_STEP_PAGES: Final = 2_048
"""Pages copied at once: a writer waits for so many at most."""
_READ_BYTES: Final = 1 << 20

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that was made: where, its size and checksum, how many calls it holds."""

    path: Path
    file_bytes: int
    sha256: str
    calls: int


def back_up(cache: Path, target: Path, *, progress: Progress | None = None) -> Backup:
    """Copy the cache at *cache* to *target*, which must not exist, with its checksum beside it.

    Raises:
        StartupRefusal: *cache* is no cache, *target* exists or cannot be written, or the copy is not sound.
    """
    _require_free(target)
    if checksum_path(target).exists() or checksum_path(target).is_symlink():
        raise StartupRefusal(f"{checksum_path(target)} exists.", "Name another file.", Exit.USAGE)
    source = connect(cache, "ro")
    try:
        return _copied(source, cache, target, progress)
    finally:
        source.close()


def restore(backup: Path, target: Path, *, progress: Progress | None = None) -> Backup:
    """Make the copy *backup* a cache at *target*, which must not exist.

    The checksum beside it, when there is one, must be right.

    Raises:
        StartupRefusal: *backup* is no cache or damaged, its checksum differs, or *target* exists.
    """
    _require_free(target)
    if checksum_matches(backup) is False:
        raise StartupRefusal(
            f"{backup} is not what {checksum_path(backup)} says: it was changed or damaged.",
            "Restore another copy.",
            Exit.CACHE,
        )
    source = connect(backup, "ro")
    try:
        return _copied(source, backup, target, progress, with_checksum=False)
    finally:
        source.close()


def buried_since(present: Path, restored: Path) -> list[str]:
    """Return the ids of the calls in *restored* that the tombstones of *present* keep out, in order.

    Raises:
        StartupRefusal: one of the two is no cache that can be read.
    """
    with reading(present) as connection:
        row = connection.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        secret = bytes.fromhex(row[0]) if row is not None else b""
        buried = {
            digest for digest, reason in connection.execute("SELECT digest, reason FROM tombstones")
            if reason in KEEPS_OUT
        }  # fmt: skip
    with reading(restored) as connection:
        ids = connection.execute(
            """SELECT call_id FROM raw_calls UNION SELECT call_id FROM raw_transcripts
               UNION SELECT call_id FROM raw_records WHERE call_id IS NOT NULL ORDER BY 1"""
        )
        return [str(call_id) for (call_id,) in ids if call_digest(secret, call_id) in buried]


def checksum_path(copy: Path) -> Path:
    """Return where the checksum of *copy* lies."""
    return copy.with_name(copy.name + SUFFIX)


def checksum_matches(copy: Path) -> bool | None:
    """Return whether *copy* has the SHA-256 that lies beside it; None when none does.

    Raises:
        StartupRefusal: a file cannot be read.
    """
    try:
        text = checksum_path(copy).read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StartupRefusal(f"{checksum_path(copy)} cannot be read: {error.strerror}.", "", Exit.CACHE) from error
    return text.split(" ")[0].strip().lower() == sha256_of(copy)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.

    Raises:
        StartupRefusal: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while data := file.read(_READ_BYTES):
                digest.update(data)
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be read: {error.strerror}.", "", Exit.CACHE) from error
    return digest.hexdigest()


def _require_free(target: Path) -> None:
    if not target.absolute().parent.is_dir():
        raise StartupRefusal(
            f"The folder {target.absolute().parent} does not exist.", "Create it, or name another file.", Exit.USAGE
        )
    for taken in (target, *(target.with_name(target.name + suffix) for suffix in _SIDECARS)):
        if taken.exists() or taken.is_symlink():
            raise StartupRefusal(
                f"{taken} exists; nothing is written over it.", "Move it away, or name another file.", Exit.USAGE
            )


def _copied(
    source: sqlite3.Connection, path: Path, target: Path, progress: Progress | None, *, with_checksum: bool = True
) -> Backup:
    with _beside(target) as made:
        try:
            copy = sqlite3.connect(made, isolation_level=None)
            try:
                source.backup(copy, pages=_STEP_PAGES, progress=_told(progress), sleep=0)
                copy.execute("PRAGMA journal_mode = DELETE").fetchone()  # the state that a cache at rest is in
                found = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
                calls = copy.execute("SELECT count(*) FROM raw_calls").fetchone()[0]
            finally:
                copy.close()
        except sqlite3.Error as error:
            raise refusal(error, path) from error
        if found != "ok":
            raise StartupRefusal(
                f"The cache {path} is damaged; no copy was kept.", "Restore an older copy.", Exit.CACHE
            )
        digest = sha256_of(made)
        _put(made, target)
        if with_checksum:
            _put_checksum(target, digest)
    return Backup(target, target.stat().st_size, digest, int(calls))


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield the name of a new file beside *target*, readable by its owner alone, gone afterwards."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.absolute().parent)
    except OSError as error:
        raise StartupRefusal(f"{target} cannot be written: {error.strerror}.", "", Exit.FAILED) from error
    os.close(handle)
    made = Path(name)
    try:
        yield made
    finally:
        for file in (made, *(made.with_name(made.name + suffix) for suffix in _SIDECARS)):
            with suppress(FileNotFoundError):
                file.unlink()


def _put(made: Path, target: Path) -> None:
    """Give *made* the name *target*, which nobody may have taken meanwhile."""
    try:
        with made.open("rb") as file:
            os.fsync(file.fileno())
        os.link(made, target)
    except FileExistsError:
        raise StartupRefusal(
            f"{target} exists; nothing is written over it.", "Name another file.", Exit.USAGE
        ) from None
    except OSError as error:
        raise StartupRefusal(f"{target} cannot be written: {error.strerror}.", "", Exit.FAILED) from error


def _put_checksum(target: Path, digest: str) -> None:
    place = checksum_path(target)
    try:
        with place.open("xb") as file:
            file.write(f"{digest}  {target.name}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        if not isinstance(error, FileExistsError):
            with suppress(OSError):
                place.unlink()  # half of a checksum would speak against the copy
        raise StartupRefusal(
            f"{place} cannot be written: {error.strerror}. The copy {target} is sound and has no checksum.",
            "Move it away and make another one.",
            Exit.FAILED,
        ) from error


def _told(progress: Progress | None) -> Callable[[int, int, int], None] | None:
    if progress is None:
        return None
    return lambda status, remaining, total: progress(total - remaining, total)
