"""One process at a time changes a file: a lock beside it, which others wait for."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Hold the file at *path* against every other process that asks in this way; waits for them.

    The lock file beside it stays: it holds nothing, and removing it would let two processes hold one lock each.

    Raises:
        OSError: the lock file cannot be opened.
    """
    lock = path.with_name(f".{path.name}.lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
