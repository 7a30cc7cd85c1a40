"""Read one file: decide whether it is JSON lines or one document, and turn its pieces into records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any, Final

from gongctl.ingest.decode import decode
from gongctl.ingest.files import Source
from gongctl.ingest.kinds import CONTAINERS, CRM_SCHEMA_KEY, container_of, is_empty_page, is_error_answer, kind_of
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import BadRecord, Kind, Place, Record, Rejected
from gongctl.ingest.splitter import CHUNK_BYTES, MAX_RECORD_BYTES, Broken, Splitter

_LOOKAHEAD_BYTES: Final = 8 << 20
"""How far a line is followed to decide whether the file is JSON lines."""
_LOOKAHEAD_LINES: Final = 5
_BOM: Final = b"\xef\xbb\xbf"


def records_in(source: Source, path: str) -> Iterator[Record | Rejected]:
    """Yield what *source* holds, in order. *path* is the name for places."""
    if _is_lines(source):
        source.restart()
        yield from _lines(source, path)
    else:
        source.restart()
        yield from _document(source.read, Place(path))


def records_in_answer(value: Any, place: Place) -> Iterator[Record | Rejected]:
    """Yield what *value* holds, a decoded answer of Gong's API; *place* names the endpoint and the page."""
    yield from _records(value, place, None)


def values_in(source: Source, path: str, containers: Collection[str]) -> Iterator[tuple[Place, Any] | Rejected]:
    """Yield the decoded JSON values in *source* with their places, whatever they are, in order.

    They may stand one a line, one after another, in an array, or in an array under one of *containers*. *path* is the
    name for places.
    """
    lines = _is_lines(source)
    source.restart()
    place = Place(path)
    try:
        if lines:
            for number, line in numbered_lines(source, MAX_RECORD_BYTES):
                place = Place(path, line=number)
                yield _decoded(line, place)
            return
        for piece in Splitter(source.read, containers).pieces():
            place = Place(path, None, piece.page if piece.page > 1 else None, piece.item)
            yield _decoded(piece.data, place)
    except Broken as broken:
        yield Rejected(place if lines else Place(path, None, broken.page, broken.item), broken.reason)


def _decoded(data: bytes, place: Place) -> tuple[Place, Any] | Rejected:
    try:
        return place, decode(data)
    except BadRecord as error:
        return Rejected(place, str(error))


def _is_lines(source: Source) -> bool:
    """Tell JSON lines from a document by the first lines.

    A first line that is a whole value, with more lines after it, is JSON lines. So is one that is broken
    while a later one is whole, unless it can be the beginning of a document.
    """
    lines = (line for _, line in numbered_lines(source, _LOOKAHEAD_BYTES))
    try:
        first = next(lines, b"")
        if _is_whole(first):
            return next(lines, b"[") not in (b"[", b"{")  # else pages that are laid out over lines follow
        if first.startswith(b"[") or first.endswith((b"{", b"[", b",", b":")):
            return False
        return any(_is_whole(line) for line in islice(lines, _LOOKAHEAD_LINES))
    except Broken:
        return False


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(decode(line), dict | list)
    except BadRecord:
        return False


def numbered_lines(source: Source, longest: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold something, with their numbers and without the blanks around them.

    Raises:
        Broken: a line is longer than *longest*, or the source breaks; the lines before are good.
    """
    number = 0
    rest: list[bytes] = []
    held = 0
    while True:
        broken: Broken | None = None
        try:
            chunk = source.read(CHUNK_BYTES)
        except Broken as error:
            broken, chunk = error, b""
        first, *others = chunk.split(b"\n")
        rest.append(first)
        held += len(first)
        if held > longest:
            raise Broken(f"line {number + 1} is longer than {longest >> 20} MiB")
        if others or not chunk:
            for line in (b"".join(rest), *others[:-1]):
                number += 1
                line = line.strip(b" \t\r\n").removeprefix(_BOM)
                if line:
                    yield number, line
            rest = others[-1:]
            held = len(rest[0]) if rest else 0
        if broken is not None:
            raise broken
        if not chunk:
            return


def _lines(source: Source, path: str) -> Iterator[Record | Rejected]:
    number = 0
    try:
        for number, line in numbered_lines(source, MAX_RECORD_BYTES):
            place = Place(path, line=number)
            try:
                value = decode(line)
            except BadRecord as error:
                yield from _damaged_line(line, place, str(error))
            else:
                yield from _records(value, place, None)
    except Broken as broken:
        yield Rejected(Place(path, line=number + 1), broken.reason)


def _damaged_line(line: bytes, place: Place, reason: str) -> Iterator[Record | Rejected]:
    """Save what can be read of a line that is no JSON: the good items of a page, several values."""
    found = list(_document(_reader(line), place))
    if any(isinstance(item, Record) for item in found):
        yield from found
    else:
        yield Rejected(place, reason)


def _reader(data: bytes) -> Callable[[int], bytes]:
    parts = iter((data,))
    return lambda size: next(parts, b"")


def _document(read: Callable[[int], bytes], place: Place) -> Iterator[Record | Rejected]:
    try:
        for piece in Splitter(read, CONTAINERS).pieces():
            here = Place(place.path, place.line, piece.page if piece.page > 1 else None, piece.item)
            kind = CONTAINERS[piece.container] if piece.container is not None else None
            try:
                value = decode(piece.data)
            except BadRecord as error:
                yield Rejected(here, str(error), kind)
            else:
                yield from _records(value, here, kind)
    except Broken as broken:
        page = broken.page if broken.page is not None and broken.page > 1 else None
        yield Rejected(Place(place.path, place.line, page, broken.item), broken.reason)


def _records(value: Any, place: Place, kind: Kind | None) -> Iterator[Record | Rejected]:
    """Yield the records of one decoded value; *kind* is known when it came out of a page's array."""
    if kind is None and isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from _records(item, Place(place.path, place.line, place.page, number), None)
        return
    if value is None and kind is not None:
        return  # null in a list is nothing
    if not isinstance(value, dict):
        yield Rejected(place, "it is no JSON object", kind)
        return
    if kind is None:
        container = container_of(value)
        if container is not None:
            for number, item in enumerate(value[container] or (), 1):
                page = place.item if place.page is None else place.page
                yield from _records(item, Place(place.path, place.line, page, number), CONTAINERS[container])
            return
        if is_empty_page(value):
            return
        if is_error_answer(value):
            yield Rejected(place, "it is an error answer of Gong's API, not data")
            return
        kind = "crm_schema" if CRM_SCHEMA_KEY in value else kind_of(value)
        if kind is None:
            yield Rejected(place, "it is no kind of record that is known here")
            return
    try:
        yield from records_of(kind, value, place)
    except BadRecord as error:
        yield Rejected(place, str(error), kind)
