"""A file with secrets, read again when it changes, and refused while others than its owner may read it."""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

log = logging.getLogger("gongmcp")

T = TypeVar("T")

MAX_BYTES = 4 * 1024 * 1024

_Mark = tuple[int, ...] | None


class BadFile(ValueError):
    """A file that may not be used; the text says why and holds nothing of it, not even its folder."""


def read_private(path: Path) -> bytes:
    """Return the content of a regular file that nobody but its owner may read or write.

    Raises:
        BadFile: it cannot be read, is no regular file, is too long, or is open to others.
    """
    return _read(path, private=True)


def read_public(path: Path) -> bytes:
    """Return the content of a regular file that holds no secret.

    Raises:
        BadFile: it cannot be read, is no regular file, or is too long.
    """
    return _read(path, private=False)


def _read(path: Path, *, private: bool) -> bytes:
    try:
        # Without O_NONBLOCK, a pipe would be waited for, and with it every other client.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BadFile("it is no regular file")
            if private and found.st_mode & 0o077:
                raise BadFile("others than its owner may read it; set it to mode 0600")
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(f"it cannot be read: {(error.strerror or 'unknown').lower()}") from None
    if len(data) > MAX_BYTES:
        raise BadFile(f"it is longer than {MAX_BYTES} bytes")
    return data


class WatchedFile(Generic[T]):
    """What *parse* makes of a file's content, as it is now. Thread-safe.

    A file that has become unusable gives None until it is mended: what an operator took away must not be
    accepted from memory. *read* is how it is read.
    """

    def __init__(self, path: Path, parse: Callable[[bytes], T], read: Callable[[Path], bytes] = read_private) -> None:
        self._path = path
        self._parse = parse
        self._read = read
        self._lock = threading.Lock()
        self._mark: _Mark = None
        self._value: T | None = None

    def require(self) -> T:
        """Return what it holds now.

        Raises:
            BadFile: it is not usable.
        """
        with self._lock:
            self._mark = _mark(self._path)
            self._value = None
            self._value = self._parse(self._read(self._path))
            return self._value

    def current(self) -> T | None:
        """Return what it holds, read again if it changed; None, and a line in the log, when it is not usable."""
        mark = _mark(self._path)
        with self._lock:
            if mark is not None and mark == self._mark:
                return self._value
        try:
            return self.require()
        except BadFile as bad:
            log.error("%s is not accepted: %s", self._path.name, bad)
            return None


def _mark(path: Path) -> _Mark:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
