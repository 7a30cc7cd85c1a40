"""Cut a stream of JSON text into the records that it holds, without parsing them.

A streaming parser gives up at the first bad byte. An export of a year of calls must not be lost to one
record with ``NaN`` in it, so this module only follows strings and brackets: it finds where each record
begins and ends, and a real parser then reads record by record. Numbers are never touched here, so a
19-digit id stays what it is. What is held in memory is one chunk of the stream and one record.

Understood at the top: any number of values after one another (pages simply concatenated, JSON lines);
each an object, or an array of objects. An object with one of the ``containers`` (such as ``calls``) is a
page, and the items of that array are the records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

CHUNK_BYTES: Final = 1 << 20
MAX_RECORD_BYTES: Final = 256 << 20
_HEAD_BYTES: Final = 4096
_MAX_ARRAYS: Final = 4

_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
_PLAIN: Final = rb'[^"{}\[\]]++'
# The longest run without a bracket that must be counted, then that bracket. Objects and arrays without
# further ones inside (a sentence of a transcript) are run over whole, which halves the time.
_NEXT_BRACKET: Final = re.compile(
    rb"(?:%(plain)b|%(string)b|\{(?:%(plain)b|%(string)b)*+\}|\[(?:%(plain)b|%(string)b)*+\])*+([{}\[\]])"
    % {b"plain": _PLAIN, b"string": _STRING},
    re.DOTALL,
)
_WHOLE_STRING: Final = re.compile(_STRING, re.DOTALL)
_SCALAR: Final = re.compile(rb'[^\s,:"{}\[\]]++')
# A byte order mark is no white space of JSON, but it stands between concatenated files.
_BLANK: Final = re.compile(rb"(?:[ \t\r\n]++|\xef\xbb\xbf)*+")
_CLOSER: Final = {ord("{"): ord("}"), ord("["): ord("]")}


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of one value. *container* is the page's key it came from, *page* and *item* count from 1.

    *item* is None for a value that stands in no array.
    """

    data: bytes
    container: str | None
    page: int
    item: int | None


class Broken(Exception):
    """The text cannot be followed any further; the message says why. *item* is where, if in an array."""

    def __init__(self, reason: str, page: int | None = None, item: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.page = page
        self.item = item


class Splitter:
    """Cuts what *read* (bytes wanted -> bytes, empty at the end) delivers into pieces."""

    def __init__(self, read: Callable[[int], bytes], containers: Collection[str]) -> None:
        self._read = read
        self._containers = {f'"{name}"'.encode(): name for name in containers}
        self._page_head = re.compile(rb"(?:%b)\s*:\s*\[" % b"|".join(self._containers))
        self._buffer = b""
        self._at = 0
        self._kept: int | None = None  # where the part of the buffer begins that must not be dropped
        self._ended = False
        self._page = 0
        self._item: int | None = None

    def pieces(self) -> Iterator[Piece]:
        """Yield every piece in order.

        Raises:
            Broken: brackets do not match, the text ends inside a value, or a record is beyond
                ``MAX_RECORD_BYTES``. What was yielded before is good.
        """
        try:
            while self._peek() is not None:
                if self._take(b","):  # pages that were joined with commas
                    continue
                self._item = None
                self._page += 1
                if self._take(b"["):
                    yield from self._array(None)
                elif self._peek() != b"{":
                    raise Broken("what stands here is no JSON object or array")
                elif self._looks_like_page():
                    yield from self._object(None)
                else:
                    yield Piece(self._value(), None, self._page, None)
        except Broken as broken:
            broken.page, broken.item = self._page, self._item
            raise

    def _array(self, container: str | None, level: int = 1) -> Iterator[Piece]:
        """Follow an array whose opening bracket was taken; *level* counts arrays that hold it."""
        number = 0
        while not self._take(b"]"):
            if number and not self._take(b","):
                self._need("the comma or bracket after an item is missing")
            number += 1
            self._item = number
            if container is None and level < _MAX_ARRAYS and self._take(b"["):  # pages that are arrays themselves
                yield from self._array(None, level + 1)
            elif container is None and self._peek() == b"{" and self._looks_like_page():
                yield from self._object(number)
            else:
                yield Piece(self._value(), container, self._page, number)
        self._item = None

    def _looks_like_page(self) -> bool:
        """Tell whether a container is near the beginning of the object that begins here.

        Only a page is followed member by member: any other object is taken whole, so that a fault
        inside it is its own.
        """
        while len(self._buffer) - self._at < _HEAD_BYTES and self._fill():
            pass
        return self._page_head.search(self._buffer, self._at, self._at + _HEAD_BYTES) is not None

    def _object(self, item: int | None) -> Iterator[Piece]:
        """Follow an object: as the page that it is from the first container on, else as one piece."""
        self._kept = self._at
        self._at += 1
        first, is_page = True, False
        while not self._take(b"}"):
            if not first and not self._take(b","):
                self._need("the comma or brace after a member is missing")
            first = False
            key = self._string()
            if not self._take(b":"):
                self._need("the colon after a name is missing")
            name = self._containers.get(key)
            if name is not None and self._peek() == b"[":
                is_page = True
                self._kept = None
                self._at += 1
                if item is not None:
                    self._page = item
                yield from self._array(name)
                self._item = item
            else:
                self._value(keep=not is_page)
        if not is_page:
            start = self._kept
            assert start is not None  # only a page clears it
            self._kept = None
            yield Piece(self._buffer[start : self._at], None, self._page, item)

    def _value(self, *, keep: bool = False) -> bytes:
        """Run over one value and return its bytes (empty when an enclosing object is *keep*-ing them)."""
        opening = self._peek()
        if opening is None:
            raise Broken(_ENDS)
        if not keep:
            self._kept = self._at
        if opening in (b"{", b"["):
            self._brackets()
        elif opening == b'"':
            self._string()
        else:
            self._scalar()
        if keep:
            return b""
        start = self._kept
        assert start is not None  # set above, moved with the buffer
        self._kept = None
        return self._buffer[start : self._at]

    def _brackets(self) -> None:
        expected = bytearray((_CLOSER[self._buffer[self._at]],))
        self._at += 1
        while expected:
            match = _NEXT_BRACKET.match(self._buffer, self._at)
            if match is None:
                self._more(_ENDS)
                continue
            self._at = match.end()
            bracket = self._buffer[self._at - 1]
            closer = _CLOSER.get(bracket)
            if closer is not None:
                expected.append(closer)
            elif bracket != expected.pop():
                raise Broken("a bracket is closed that was not opened; nothing after it can be read")

    def _string(self) -> bytes:
        if self._peek() != b'"':
            self._need("a name in quotation marks is missing")
        while (match := _WHOLE_STRING.match(self._buffer, self._at)) is None:
            self._more(_ENDS)
        self._at = match.end()
        return match.group()

    def _scalar(self) -> None:
        length = 0
        while True:
            match = _SCALAR.match(self._buffer, self._at + length)
            length += len(match.group()) if match is not None else 0
            if self._at + length < len(self._buffer) or not self._fill():
                break
        if not length:
            self._need("a value is missing")
        self._at += length

    def _peek(self) -> bytes | None:
        """Return the next byte that is not blank, None at the end of the text."""
        while True:
            match = _BLANK.match(self._buffer, self._at)
            assert match is not None  # it matches nothing at all, too
            self._at = match.end()
            # Two bytes of a byte order mark at the end of the buffer are no reason to stop.
            if len(self._buffer) - self._at > 2 or not self._fill():
                return self._buffer[self._at : self._at + 1] or None

    def _take(self, byte: bytes) -> bool:
        if self._peek() != byte:
            return False
        self._at += 1
        return True

    def _need(self, reason: str) -> None:
        raise Broken(_ENDS if self._peek() is None else reason)

    def _more(self, reason: str) -> None:
        if not self._fill():
            raise Broken(reason)

    def _fill(self) -> bool:
        """Read more, dropping what is done with; False at the end of the text."""
        if self._ended:
            return False
        start = self._at if self._kept is None else self._kept
        waiting = len(self._buffer) - start
        if waiting > MAX_RECORD_BYTES:
            raise Broken(f"a single record is larger than {MAX_RECORD_BYTES >> 20} MiB")
        # At least as much again as there is: a record of many chunks is scanned a few times, not once a chunk.
        chunk = self._read(max(CHUNK_BYTES, waiting))
        if not chunk:
            self._ended = True
            return False
        self._buffer = self._buffer[start:] + chunk
        self._at -= start
        if self._kept is not None:
            self._kept = 0
        return True


_ENDS: Final = "the text ends in the middle of a value (cut off?)"
