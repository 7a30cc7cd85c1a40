"""Find the files to read and open them as UTF-8 bytes, whatever they are packed or encoded in."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from gongctl.ingest.splitter import Broken

_JSON_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ".gz"})
_HEAD_BYTES: Final = 4096
_FOREIGN_PACKING: Final = (
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "packed with zstandard; unpack it first"),
    (b"BZh", "packed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "packed with xz; unpack it first"),
    (b"SQLite format 3\x00", "a SQLite database, not JSON"),
)
_ENCODINGS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


_FIRST: Final = (b"{", b"[", b" ", b"\t", b"\r", b"\n")


class Unreadable(Exception):
    """A file cannot be read; the message says why."""


class NotJson(Unreadable):
    """A file was read and is no JSON. In a folder it may lie there for its own reasons."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: its *path*, the *name* to show, its *size* in bytes.

    *claimed* is True when it was named, or its suffix promises JSON: then it must be readable.
    """

    path: Path
    name: str
    size: int
    claimed: bool


def find_files(paths: Iterable[Path]) -> Iterator[InputFile]:
    """Yield the files among *paths* and, sorted by name, below the folders among them.

    Hidden files and folders are left out, links to folders are not followed, and a file that is named
    twice is read once.

    Raises:
        OSError: a path does not exist, or a folder cannot be listed.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        for file, claimed in _walk(path):
            info = file.stat()
            if (info.st_dev, info.st_ino) not in seen:
                seen.add((info.st_dev, info.st_ino))
                yield InputFile(file, str(file), info.st_size, claimed)


def _walk(path: Path) -> Iterator[tuple[Path, bool]]:
    if not path.is_dir():
        path.stat()
        yield path, True
        return
    for folder, subfolders, names in os.walk(path, onerror=_raise):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if not name.startswith(".") and file.exists():
                yield file, file.suffix.lower() in _JSON_SUFFIXES


def _raise(error: OSError) -> None:
    """Say that a folder cannot be listed, which ``os.walk`` would pass over in silence."""
    raise error


class Source:
    """An open file as a stream of UTF-8 bytes that can be begun again once."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._broken: str | None = None
        self._stream = self._open()

    def _open(self) -> IO[bytes]:
        stream: IO[bytes] = self._raw
        if _head(stream).startswith(b"\x1f\x8b"):
            stream = cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb"))
        head = _head(stream)
        for magic, what in _FOREIGN_PACKING:
            if head.startswith(magic):
                raise NotJson(f"it is {what}")
        encoding = next((name for mark, name in _ENCODINGS if head.startswith(mark)), None) or _unmarked(head)
        if encoding is not None:
            stream = io.BufferedReader(_Transcoded(stream, encoding), 1 << 18)
            head = stream.peek(_HEAD_BYTES)
        text = head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
        if not text:
            if len(head) < _HEAD_BYTES:
                raise NotJson("it is empty")
        elif text[:1] not in (b"{", b"["):
            binary = b"\x00" in head
            raise NotJson("it is a binary file, not JSON" if binary else "it is not JSON")
        return stream

    def read(self, size: int) -> bytes:
        """Return *size* bytes, fewer before the end or a break, none at the end.

        Raises:
            Broken: the packed data ends early or is damaged; what came before it was returned.
        """
        if self._broken is None:
            data, self._broken = _read(self._stream, size)
            if data or self._broken is None:
                return data
        raise Broken(self._broken)

    def restart(self) -> None:
        """Begin again with the first byte."""
        self._raw.seek(0)
        self._broken = None
        self._stream = self._open()


def _read(stream: IO[bytes], size: int) -> tuple[bytes, str | None]:
    """Read up to *size* bytes; return them, and why no more can be read when the stream breaks.

    ``read1`` is what keeps the bytes before a break: ``read`` would lose them with its exception.
    """
    parts = []
    left = size
    broken = None
    while left:
        try:
            part = cast(io.BufferedReader, stream).read1(left)
        except EOFError:
            broken = "the compressed data ends early (cut off?)"
            break
        except (zlib.error, gzip.BadGzipFile):
            broken = "the compressed data is damaged"
            break
        except OSError as error:
            broken = f"the file cannot be read any further ({error.strerror})"
            break
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts), broken


def _head(stream: IO[bytes]) -> bytes:
    head, broken = _read(stream, _HEAD_BYTES)
    if broken is not None and not head:
        raise Unreadable(broken)
    stream.seek(0)
    return head


def _unmarked(head: bytes) -> str | None:
    """Recognise UTF-16 without a byte order mark by the ASCII character that JSON begins with."""
    if head[:1] == b"\x00" and head[1:2] in _FIRST:
        return "utf-16-be"
    if head[1:2] == b"\x00" and head[:1] in _FIRST:
        return "utf-16-le"
    return None


class _Transcoded(io.RawIOBase):
    """A stream in another encoding as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        # What is no text becomes U+FFFD: it spoils its own record and no other.
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._waiting:
            chunk, broken = _read(self._stream, 1 << 16)
            self._waiting = self._decoder.decode(chunk, final=not chunk).encode()
            if broken is not None and not self._waiting:
                raise EOFError
            if not chunk:
                break
        count = min(len(buffer), len(self._waiting))
        buffer[:count] = self._waiting[:count]
        self._waiting = self._waiting[count:]
        return count


class Meter:
    """How many of all bytes (as they lie on disk) have been read."""

    def __init__(self, total: int, report: Callable[[int, int], None] | None) -> None:
        self.total = total
        self.done = 0
        self._report = report

    @contextmanager
    def reading(self, file: InputFile) -> Iterator[IO[bytes]]:
        """Open *file*; what is read of it moves the meter, and closing it counts it as read.

        Raises:
            Unreadable: it is no regular file or access is denied.
        """
        begun = self.done
        try:
            if not stat.S_ISREG(file.path.stat().st_mode):
                raise Unreadable("it is not a regular file")
            raw = file.path.open("rb", buffering=0)
        except OSError as error:
            raise Unreadable(f"it cannot be opened ({error.strerror})") from error
        with raw, io.BufferedReader(_Metered(raw, self, begun), 1 << 18) as stream:
            yield stream
        self.at(begun + file.size)

    def at(self, done: int) -> None:
        """Say that *done* bytes of all have been read."""
        if done > self.done:
            self.done = done
            if self._report is not None:
                self._report(min(done, self.total), self.total)


class _Metered(io.RawIOBase):
    def __init__(self, raw: io.FileIO, meter: Meter, begun: int) -> None:
        self._raw = raw
        self._meter = meter
        self._begun = begun

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._raw.seek(offset, whence)

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = self._raw.readinto(buffer)
        self._meter.at(self._begun + self._raw.tell())
        return count or 0
