"""Arguments that an audit log keeps for replay: those of requests that showed a purged call are taken out.

The line stays, with its figures and digests: that something left, when and to whom, is not the call's data. What the
log seals cannot be read without its key, so a request is known by the calls that it showed. Lines are otherwise kept
byte for byte. The file is written anew under its own lock, and a server that writes to it goes on with the new one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from gongctl.cli.output_file import write_whole
from gongmcp.audit.digests import AuditDigests
from gongmcp.audit.line_file import moved_aside
from gongmcp.audit.record import NewerLine, decode
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.aliases import call_ref


def digests_of(secret: bytes, call_ids: Iterable[str]) -> frozenset[str]:
    """Return what an audit log says in place of *call_ids*."""
    keyed = AuditDigests(secret)
    return frozenset(keyed.call(call_ref(secret, call_id)) for call_id in call_ids)


def sealed_records(path: Path, calls: Set[str], *, clear: bool) -> int:
    """Return how many records of the log at *path*, parts that were moved aside included, keep arguments of a
    request that showed one of *calls*; with *clear*, take those arguments out.

    Raises:
        StartupRefusal: a file cannot be read or written, or holds records of a newer version.
    """
    try:
        if not path.is_file():
            raise StartupRefusal(f"There is no audit log at {path}.", "Name the file that --audit names.", Exit.USAGE)
        found = 0
        # The current one first: what a server moves aside meanwhile is found among the others.
        with suppress(FileNotFoundError):
            found += _in_file(path, calls, clear)
        return found + sum(_in_file(file, calls, clear) for _, file in moved_aside(path))
    except OSError as error:
        raise StartupRefusal(f"The audit log {path} cannot be changed: {error.strerror}.", "", Exit.FAILED) from error


def _in_file(path: Path, calls: Set[str], clear: bool) -> int:
    with _locked(path) as handle:
        with os.fdopen(os.dup(handle), "rb") as file:
            lines = file.read().split(b"\n")
        found = [number for number, line in enumerate(lines) if _concerned(line, calls, path)]
        if found and clear:
            for number in found:
                lines[number] = _without_arguments(lines[number])
            write_whole(path, b"\n".join(lines))
            _give_to(path, os.fstat(handle))
    return len(found)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Yield a descriptor of the file that stands at the path; nobody writes to it meanwhile."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # A server may have moved it aside while the lock was waited for: another one stands there now.
            if os.path.samestat(os.fstat(handle), path.lstat()):
                yield handle
                return
        finally:
            os.close(handle)


def _give_to(path: Path, before: os.stat_result) -> None:
    """Give the new file to whom the old one belonged: a server writes to no log of somebody else."""
    if before.st_uid != os.geteuid():
        os.chown(path, before.st_uid, before.st_gid)


def _concerned(line: bytes, calls: Set[str], path: Path) -> bool:
    if b'"sealed"' not in line:
        return False
    try:
        record = decode(line)
    except NewerLine:
        raise StartupRefusal(
            f"{path} holds records of a newer version, which this gongctl cannot clear.",
            "Use the newer gongctl that wrote them.",
            Exit.FAILED,
        ) from None
    except msgspec.MsgspecError:  # torn: the beginning of a line that a killed process left
        return False
    return bool(record.sealed) and any(shown.call in calls for shown in record.calls)


def _without_arguments(line: bytes) -> bytes:
    fields = msgspec.json.decode(line)
    del fields["sealed"]
    return msgspec.json.encode(fields)
