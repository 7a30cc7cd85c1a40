"""Reading an audit log: all its files in order, whatever a killed server has left in them."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from gongmcp.audit.line_file import moved_aside
from gongmcp.audit.record import AuditRecord, NewerLine, decode
from gongmcp.errors import Exit, StartupRefusal


class AuditLog:
    """The log at *path* with the files that were moved aside, oldest first, as it stands when it is opened.

    Iterating yields its records, of a time from *since* on; *torn* and *newer* then count the lines that are none:
    beginnings of lines that a killed server left, and lines of a newer version of this program.
    """

    def __init__(self, path: Path, since: dt.datetime | None = None) -> None:
        """Open the files.

        Raises:
            StartupRefusal: there is no log, or it cannot be read.
        """
        self.torn = 0
        self.newer = 0
        self._since = "" if since is None else since.astimezone(dt.UTC).isoformat(timespec="milliseconds")[:23]
        # The current file first: moved aside meanwhile, it would otherwise be read twice or not at all.
        self._files = [*reversed(_opened(path))]
        if not self._files:
            raise StartupRefusal(f"There is no audit log at {path}.", "Name the file that --audit names.", Exit.USAGE)

    def __iter__(self) -> Iterator[AuditRecord]:
        self.torn = self.newer = 0
        for file in self._files:
            yield from self._records(file)

    def _records(self, file: _Whole) -> Iterator[AuditRecord]:
        for line in file.lines():
            try:
                record = decode(line)
            except NewerLine:
                self.newer += 1
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self.torn += 1
            else:
                if record.time >= self._since:
                    yield record


class _Whole:
    """A file up to the end that it had when no line was being written."""

    def __init__(self, path: Path) -> None:
        self._file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
        fcntl.flock(self._file, fcntl.LOCK_SH)
        try:
            self._size = os.fstat(self._file.fileno()).st_size
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def is_same(self, path: Path) -> bool:
        """Tell whether the file at *path* is this one."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._file.fileno()), path.stat())
        return False

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that are not empty."""
        self._file.seek(0)
        left = self._size
        while left > 0 and (line := self._file.readline(left)):
            left -= len(line)
            if stripped := line.strip():
                yield stripped


def _opened(path: Path) -> list[_Whole]:
    """Return the files of the log, the newest first."""
    try:
        current = [_Whole(path)] if path.is_file() else []
        older = [
            _Whole(moved)
            for _, moved in reversed(moved_aside(path) if path.parent.is_dir() else [])
            if not any(file.is_same(moved) for file in current)
        ]
    except OSError as error:
        raise StartupRefusal(f"The audit log {path} cannot be read: {error.strerror}.", "", Exit.FAILED) from error
    return current + older


def moment(text: str) -> dt.datetime:
    """Return the time that *text* (a date, or a date and time, UTC unless it says otherwise) stands for.

    Raises:
        StartupRefusal: it is neither.
    """
    try:
        found = dt.datetime.fromisoformat(text)
        # In UTC already here: a time at the edge of the calendar has none there.
        return found.astimezone(dt.UTC) if found.tzinfo is not None else found.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError):
        raise StartupRefusal(
            "--since is no date or time.", "For example: 2026-06-01 or 2026-06-01T08:00:00Z.", Exit.USAGE
        ) from None
