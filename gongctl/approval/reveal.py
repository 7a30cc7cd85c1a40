"""One withheld value, for one look of the operator: found by its place in the ledger, read from the raw half.

The handler, its outcome and the preview hold no such value. The call is run once more on the operator's side with an
ear at the rows before they are disclosed, which tells the call behind a row; the value is then read from the payload
as Gong delivered it. Where the run does not give the same bytes, the data has changed and there is no value.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gongctl.cache.connection import reading
from gongmcp.approval.gate import Gate, Look
from gongmcp.approval.shape import Shape
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.ledger import Entry, Place
from gongmcp.exposure.masking import mask
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText, parse_spans
from gongmcp.handler import ToolHandler
from gongmcp.preview.model import Preview
from gongmcp.render.wire import result_bytes
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import INDEX_BITS

_NEIGHBOURS = 1
"""Segments on either side of a hit that an excerpt shows."""


def withheld_value(handler: ToolHandler, shape: Shape, db: Path, preview: Preview, span: int) -> str | None:
    """Return the value behind span number *span* of *preview*, None where there is none.

    *handler* gives the bytes of the preview and serves the reviewed *shape*.

    Raises:
        StartupRefusal: the cache cannot be read.
    """
    wanted = preview.spans[span]
    if wanted.entry < 0:
        return None
    entry = preview.outcome.ledger.entries[wanted.entry]
    heard = _Listening(shape)
    listener = _with_gate(handler, heard)
    outcome = listener.call(preview.tool, preview.arguments)
    if result_bytes(outcome.answer) != preview.wire:
        return None
    place, row = _row_of(heard.rows, entry.place)
    if row is None:
        return None
    rest = entry.place[len(place) :]
    value = _inside(row, rest)
    if entry.action == "omitted":
        return _plain(value)
    if entry.action not in ("redacted", "removed") or not entry.length:
        return None
    return _taken_out(db, row, value, entry)


@dataclass(frozen=True, slots=True)
class _Heard(Look):
    """The look of the gate, and the rows that it was shown, by place."""

    rows: dict[Place, Row] = field(default_factory=dict)

    def listed(self, row: Row, place: Place) -> Row | None:
        kept = Look.listed(self, row, place)
        if kept is not None:
            self.rows[place] = kept  # of rows at one place the last one is shown: those before were passed over
        return kept

    def single(self, row: Row, place: Place = ()) -> Row | None:
        kept = Look.single(self, row, place)
        if kept is not None and not place:
            self.rows[()] = kept
        return kept


class _Listening(Gate):
    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.rows: dict[Place, Row] = {}

    def look(self, store: ReadStore, disclosure: Disclosure) -> Look:
        return _Heard(self, store, disclosure, self.rows)


def _with_gate(handler: ToolHandler, gate: Gate) -> ToolHandler:
    from gongmcp.approval.enforce import UnderLock

    nothing: frozenset[str] = frozenset()
    return handler.with_lock(
        UnderLock(policy=handler.policy, gate=gate, prompts=nothing, resources=nothing, says_instructions=False)
    )


def _row_of(rows: Mapping[Place, Row], place: Place) -> tuple[Place, Row | None]:
    for length in range(len(place) - 1, -1, -1):
        if place[:length] in rows:
            return place[:length], rows[place[:length]]
    return (), None


def _inside(row: Any, rest: Place) -> Any:
    for part in rest:
        try:
            row = row[part] if isinstance(part, int) else getattr(row, part)
        except (AttributeError, IndexError, TypeError):
            return None
    return row


def _plain(value: Any) -> str | None:
    if isinstance(value, MaskedText):
        return value.value
    if value is None or isinstance(value, Row | list):
        return None
    return str(value)


def _taken_out(db: Path, row: Row, value: Any, entry: Entry) -> str | None:
    call_id = getattr(row, "call_id", None)
    if not isinstance(call_id, str) or not call_id or not isinstance(value, MaskedText):
        return None
    with reading(db) as connection:
        index = getattr(row, "segment_index", None)
        if isinstance(index, int):
            return _spoken(connection, call_id, index, value, entry)
        return _written(connection, call_id, value, entry)


def _spoken(connection: sqlite3.Connection, call_id: str, index: int, value: MaskedText, entry: Entry) -> str | None:
    """Return what was taken out of a segment: of the hit, or of a neighbour that stands in the same excerpt."""
    number = connection.execute("SELECT call_no FROM call_facts WHERE call_id = ?", (call_id,)).fetchone()
    if number is None:
        return None
    for near in sorted(range(max(0, index - _NEIGHBOURS), index + _NEIGHBOURS + 1), key=lambda at: abs(at - index)):
        stored = connection.execute(
            "SELECT text, spans FROM segments WHERE segment_no = ?", ((number[0] << INDEX_BITS) + near,)
        ).fetchone()
        if stored is None or (entry.kind, entry.start, entry.length) not in _triples(stored[1]):
            continue
        sentence = _sentence(connection, call_id, near)
        if sentence is not None:
            return sentence[entry.start : entry.start + entry.length]
    return None


def _triples(spans: str | None) -> set[tuple[str, int, int]]:
    return {(span.kind, span.start, span.length) for span in parse_spans(spans)}


def _sentence(connection: sqlite3.Connection, call_id: str, index: int) -> str | None:
    row = connection.execute("SELECT payload FROM raw_transcripts WHERE call_id = ?", (call_id,)).fetchone()
    said = list(_sentences(_decoded(row))) if row is not None else []
    return said[index] if index < len(said) else None


def _sentences(transcript: Any) -> Iterator[str]:
    """Yield the sentences as warm numbers them."""
    monologues = transcript.get("transcript") if isinstance(transcript, Mapping) else None
    for monologue in monologues if isinstance(monologues, list) else ():
        sentences = monologue.get("sentences") if isinstance(monologue, Mapping) else None
        for sentence in sentences if isinstance(sentences, list) else ():
            if isinstance(sentence, dict) and isinstance(sentence.get("text"), str):
                yield sentence["text"]


def _written(connection: sqlite3.Connection, call_id: str, value: MaskedText, entry: Entry) -> str | None:
    """Return what was taken out of a title or a value of the CRM: the text of the call that masks to the same."""
    row = connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
    for text in _strings(_decoded(row)) if row is not None else ():
        if entry.start + entry.length > len(text):
            continue
        masked = mask(text)
        if (entry.kind, entry.start, entry.length) in {(s.kind, s.start, s.length) for s in masked.spans} and (
            value.value == masked.value or value.value in masked.value
        ):
            return text[entry.start : entry.start + entry.length]
    return None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _decoded(row: tuple[bytes]) -> Any:
    return json.loads(zlib.decompress(row[0]))
