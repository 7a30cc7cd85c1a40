"""One writer at a time: a lock file beside the cache, held while a writer works.

SQLite alone would let two imports take turns transaction by transaction; the second one would then
wait, fail or undo the first one's return to the rollback journal at moments that nobody expects.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gongmcp.errors import Exit, StartupRefusal

ANOTHER_WRITER: Final = "another_writer"
"""Name of the refusal that waiting may help against."""


def lock_path(cache: Path) -> Path:
    """Return where the writers' lock of *cache* lies."""
    return cache.with_name(cache.name + ".lock")


@contextmanager
def writer_lock(cache: Path) -> Iterator[None]:
    """Hold the writers' lock of *cache*; the file is gone afterwards, and freed by the system if we die.

    Raises:
        StartupRefusal: another process holds it, or the folder cannot be written.
    """
    path = lock_path(cache)
    handle = _acquire(path, cache)
    try:
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        # Removed while it is held: whoever opened it meanwhile sees that the name is gone and retries.
        path.unlink(missing_ok=True)
        os.close(handle)


def _acquire(path: Path, cache: Path) -> int:
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StartupRefusal(
                f"The cache {cache} cannot be written: {error.strerror} at {path}.",
                "Writing needs write access to the cache and to its folder.",
                Exit.CACHE,
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 32).decode("ascii", "replace").strip()
            os.close(handle)
            who = f" (process {holder})" if holder.isdigit() else ""
            raise StartupRefusal(
                f"Another gongctl{who} is writing the cache {cache}.",
                "Wait until it has finished, or stop it with Ctrl-C (it keeps what it has done); then run this again.",
                Exit.FAILED,
                ANOTHER_WRITER,
            ) from None
        if _is_current(handle, path):
            return handle
        os.close(handle)


def _is_current(handle: int, path: Path) -> bool:
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(handle), named)
