"""Telling what a file is, whatever its name, and reading it as that: the sources of ``gongctl import auto``."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from gongctl.ingest.decode import decode
from gongctl.ingest.documents import numbered_lines, records_in
from gongctl.ingest.envelopes import envelope_of, records_in_lines
from gongctl.ingest.files import InputFile, Meter, Source, Unreadable
from gongctl.ingest.go_cache import is_go_cache, records_in_go_cache
from gongctl.ingest.kinds import CRM_SCHEMA_KEY, container_of, is_empty_page, kind_of
from gongctl.ingest.records import BadRecord, Place, Record, Rejected, Skipped
from gongctl.ingest.splitter import Broken
from gongctl.vcon.forms import form_of
from gongmcp.store.schema import APPLICATION_ID
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID

Origin = Literal["gong", "airbyte", "singer", "go_cache", "vcon", "vcon_store"]

SOURCES: Final[dict[Origin, str]] = {
    "gong": "answers of Gong's API",
    "airbyte": "Airbyte",
    "singer": "Singer or Meltano",
    "go_cache": "cache of the Go gongctl",
    "vcon": "vCons",
    "vcon_store": "vCon store",
}
"""What can be read, and what it is called."""

_MAGIC: Final = b"SQLite format 3\x00"
_HEAD_BYTES: Final = 1 << 16
_VCON_HEAD: Final = re.compile(
    rb'[\s\[]*\{\s*"(?:vcon|vcons|payload|ciphertext)"\s*:|[\s\[]*\{(?=[^{]*?"uuid"\s*:)(?=.*?"(?:vcon|parties)"\s*:)',
    re.DOTALL,
)
"""How a vCon begins: with its version or, where that is left out, with its uuid before its parties."""
_LINE_BYTES: Final = 8 << 20
_LINES: Final = 20


class Unknown(Exception):
    """A file is none of the sources; the message says what it seems to be."""


def read_detected(
    files: Iterable[InputFile],
    *,
    progress: Callable[[int, int], None] | None = None,
    found: Counter[Origin] | None = None,
) -> Iterator[Record | Rejected | Skipped]:
    """Yield the records of *files*, each read as what it is, with what had to be left out.

    *found* counts the files by source while they are read. A file that is none of them is rejected, or passed over
    when it lay in a folder and does not claim to be JSON.
    """
    files = list(files)
    meter = Meter(sum(file.size for file in files), progress)
    counted: Counter[Origin] = found if found is not None else Counter()
    done = 0
    for file in files:
        try:
            source = source_of(file)
            counted[source] += 1
            if source == "go_cache":
                yield from records_in_go_cache(file.path, file.name)
            elif source == "vcon_store":
                from gongctl.vcon.reading import records_in_store

                yield from records_in_store(file.path, file.name)
            else:
                with meter.reading(file) as raw:
                    stream = Source(raw)
                    if source == "gong":
                        yield from records_in(stream, file.name)
                    elif source == "vcon":
                        from gongctl.vcon.reading import records_in_vcons

                        yield from records_in_vcons(stream, file.name)
                    else:
                        yield from records_in_lines(stream, file.name)
        except (Unknown, Unreadable) as error:
            if file.claimed:
                yield Rejected(Place(file.name), str(error))
            else:
                yield Skipped(file.name, str(error))
        done += file.size
        meter.at(done)


def source_of(file: InputFile) -> Origin:
    """Return what *file* is.

    Raises:
        Unknown: none of the sources; the message says what it seems to be and what to do.
        Unreadable: it cannot be opened, or is packed in a way that is not read.
    """
    with Meter(file.size, None).reading(file) as raw:
        if raw.read(len(_MAGIC)) == _MAGIC:
            return _database(file.path)
        raw.seek(0)
        source = Source(raw)
        first = _first_object(source)
        if first is None and _is_vcon_document(source):
            return "vcon"
    if first is None:
        return "gong"  # a document over many lines, or a damaged one: the reader says what is wrong with it
    envelope = envelope_of(first)
    if envelope is not None:
        return "airbyte" if envelope.startswith("airbyte") else "singer"
    if form_of(first) is not None or "vcons" in first:
        return "vcon"
    if container_of(first) is not None or kind_of(first) is not None or is_empty_page(first) or CRM_SCHEMA_KEY in first:
        return "gong"
    if "errors" in first:
        return "gong"
    raise Unknown(f"it is JSON of another kind: {_known()}")


def _first_object(source: Source) -> dict[str, Any] | None:
    """Return the first line that is a whole object and says something of its kind; None when no line is one."""
    first = None
    try:
        for _, line in islice(numbered_lines(source, _LINE_BYTES), _LINES):
            value = decode(line)
            value = value[0] if isinstance(value, list) and value else value
            if not isinstance(value, dict):
                return first
            first = first or value
            if value.get("type") in ("LOG", "TRACE", "STATE"):  # Airbyte and Singer both may begin so
                first = value
                continue
            return value
    except (BadRecord, Broken):
        return first
    return first


def _is_vcon_document(source: Source) -> bool:
    """Tell whether a document that is laid out over many lines begins with a vCon, by its keys."""
    source.restart()
    try:
        head = source.read(_HEAD_BYTES)
    except Broken:
        return False
    return _VCON_HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _database(path: Path) -> Origin:
    try:
        if is_go_cache(path):
            return "go_cache"
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise Unknown(f"it is a SQLite database that cannot be read ({type(error).__name__})") from error
    if application == VCON_APPLICATION_ID:
        return "vcon_store"
    if application == APPLICATION_ID:
        raise Unknown("it is a cache of this program; use it with --db, or gongctl cache restore")
    raise Unknown(f"it is a SQLite database of another program: {_known()}")


def _known() -> str:
    return f"known are {json.dumps(list(SOURCES.values()))[1:-1]}".replace('"', "")
