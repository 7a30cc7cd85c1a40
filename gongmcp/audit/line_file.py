"""``LineFile``: a file of JSON objects, one a line, that several processes append to; none is torn or lost.

A line is written under a lock on the file, as a whole; what could not be written whole is taken back. The file is
readable by its owner alone. When it is full it is moved to ``NAME.000001``, ``NAME.000002`` and so on and a new one
is begun; nothing is ever deleted. A file that is moved away by anybody is not followed: the next line begins a new one.

Lines are handed to the operating system before ``append`` returns. They survive the end of the process in any way;
a loss of power may take the last ones.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 64 * 1024 * 1024
"""Size beyond which a file is moved aside."""

LOCK_SECONDS: Final = 5.0
"""How long a line waits for other processes."""

_WAITS: Final = (0.0001, 0.0002, 0.0005, 0.001, 0.002)
"""Seconds between two looks at a lock: short ones first, for a line takes less than a tenth of a millisecond."""

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Unwritable(Exception):
    """The file cannot take a line; the text says why, without a path."""


class LineFile:
    """Appends lines to the file at *path*. Thread-safe, and safe after a fork."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        """Open the file, which is created when it is missing.

        Raises:
            Unwritable: it cannot be written, is no regular file, or others have access to it.
        """
        self._path = path
        self._max_bytes = max_bytes
        self._mutex = threading.Lock()
        self._handle = -1
        self._process = 0
        with self._mutex:
            try:
                self._release(self._locked())
            except OSError as error:
                raise Unwritable(_reason(error)) from error

    def append(self, line: bytes) -> None:
        """Write *line*, a JSON object without a line break, and its end.

        Raises:
            Unwritable: nothing of it was written.
        """
        with self._mutex:
            try:
                handle = self._locked()
                while self._is_full(handle, len(line)):
                    self._move_aside()
                    handle = self._locked()
                try:
                    _write_whole(handle, line)
                finally:
                    self._release(handle)
            except OSError as error:
                self._close()
                raise Unwritable(_reason(error)) from error

    def _locked(self) -> int:
        """Return the descriptor of the file that stands at the path now, locked."""
        until = time.monotonic() + LOCK_SECONDS
        if self._process != os.getpid():
            # A descriptor that a fork has copied shares its lock with the parent's.
            self._close()
        while True:
            if self._handle < 0:
                self._handle, self._process = _open(self._path), os.getpid()
            tries = 0
            while not _try_lock(self._handle):
                if time.monotonic() > until:
                    raise TimeoutError("another process holds it")
                time.sleep(_WAITS[min(tries, len(_WAITS) - 1)])
                tries += 1
            if _is_at(self._handle, self._path):
                return self._handle
            self._close()

    def _is_full(self, handle: int, length: int) -> bool:
        size = os.fstat(handle).st_size
        return size > 0 and size + length + 1 > self._max_bytes

    def _move_aside(self) -> None:
        """Move the locked file to the next number. Whoever waits for its lock finds another file at the path."""
        numbers = [number for number, _ in moved_aside(self._path)]
        self._path.rename(self._path.with_name(f"{self._path.name}.{max(numbers, default=0) + 1:06d}"))
        self._close()

    def _release(self, handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

    def _close(self) -> None:
        if self._handle >= 0:
            with suppress(OSError):
                os.close(self._handle)
        self._handle = -1


def moved_aside(path: Path) -> list[tuple[int, Path]]:
    """Return the full files beside *path* with their numbers, oldest first."""
    pattern = re.compile(re.escape(path.name) + r"\.(\d{6,})")
    found = ((pattern.fullmatch(item.name), item) for item in path.parent.iterdir())
    return sorted((int(match[1]), item) for match, item in found if match is not None)


def _open(path: Path) -> int:
    handle = os.open(path, _FLAGS, 0o600)
    found = os.fstat(handle)
    problem = ""
    if not stat.S_ISREG(found.st_mode):
        problem = "it is no regular file"
    elif found.st_uid != os.geteuid():
        problem = "it belongs to another user"
    elif found.st_mode & 0o077:
        problem = f"others have access to it (mode {found.st_mode & 0o777:04o})"
    elif found.st_size and os.pread(handle, 1, 0) != b"{":
        problem = "it holds something else"  # a cache, say, which a line would damage
    if problem:
        os.close(handle)
        raise PermissionError(problem)
    return handle


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _write_whole(handle: int, line: bytes) -> None:
    """Write *line* at the end of the locked file, or nothing."""
    size = os.fstat(handle).st_size
    # A process that was killed while it wrote has left the beginning of a line: it stays a line of its own.
    torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
    rest = memoryview((b"\n" if torn else b"") + line + b"\n")
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or "it cannot be written").lower()
