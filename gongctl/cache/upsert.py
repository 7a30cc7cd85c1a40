"""Records -> the raw half of the cache: idempotent, in short transactions, with the kept counts.

A record is *unchanged* when its canonical JSON has the digest that is stored. Whatever is new or changed
marks its call as dirty in the same transaction, so that ``warm`` knows exactly what to redo, and an import
killed at any moment leaves nothing that warm would miss.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from gongctl.cache.clock import utc_now
from gongctl.cache.tombstones import kept_out, raise_gone
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.decode import canonical
from gongctl.ingest.records import KINDS, Kind, Record, Rejected, Skipped

BATCH_RECORDS: Final = 200
BATCH_BYTES: Final = 8 << 20
"""A transaction ends after so many records or bytes, whichever comes first."""
ZLIB_LEVEL: Final = 1
"""Level 3 makes the payloads 8 % smaller and packing a third slower."""
KEPT_KEYS: Final = ("context", "parties", "content", "interaction", "collaboration")
"""Parts of a call that Gong delivers only when asked for: absent means not asked, an empty list means none."""
REJECTED_KEPT: Final = 1_000
"""Rejections that a report keeps with place and reason; beyond that they are counted only."""

WAITING: Final = "waiting_transcript"
"""Tally of transcripts whose call has not been imported yet."""


@dataclass(slots=True)
class KindCount:
    """What became of the records of one kind."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    rejected: int = 0


@dataclass(slots=True)
class ImportReport:
    """What an import did. Counts hold committed work only, so they are true after an interruption.

    *kinds* has an entry for every kind of Gong's, *vcons* counts vCons; *unknown_rejected* counts what was not even of
    a known kind; *segments* are the sentences of the new and changed transcripts; *parts* are seconds spent on
    ``parse``, ``pack`` (digest and compression) and ``rows``. *kept_out* counts the records of calls that a tombstone
    keeps out: they were not stored.
    """

    kinds: dict[Kind, KindCount] = field(default_factory=lambda: {kind: KindCount() for kind in KINDS})
    unknown_rejected: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    vcons: KindCount = field(default_factory=KindCount)
    kept_out: int = 0
    segments: int = 0
    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=lambda: {"parse": 0.0, "pack": 0.0, "rows": 0.0})

    def count_of(self, kind: Kind) -> KindCount:
        """Return the count of *kind*."""
        return self.vcons if kind == "vcon" else self.kinds[kind]

    @property
    def rejected_count(self) -> int:
        """How much was rejected, whether it is listed or not."""
        return self.unknown_rejected + sum(count.rejected for count in (*self.kinds.values(), self.vcons))

    @property
    def changed(self) -> bool:
        """Whether the cache holds anything that it did not hold before."""
        return any(count.new or count.changed for count in (*self.kinds.values(), self.vcons))

    @property
    def accepted(self) -> int:
        """How many records were stored, or were there already."""
        return sum(count.new + count.changed + count.unchanged for count in (*self.kinds.values(), self.vcons))


@dataclass(frozen=True, slots=True)
class _Packed:
    record_id: str
    payload: bytes
    digest: bytes
    segments: int


def import_records(
    writer: CacheWriter,
    stream: Iterable[Record | Rejected | Skipped],
    *,
    report: ImportReport | None = None,
    on_batch: Callable[[ImportReport], None] | None = None,
) -> ImportReport:
    """Store every record of *stream* and return what became of them.

    *report* (filled while it goes) lets the caller say what was kept when it is interrupted; *on_batch*
    is called after each committed batch.

    Raises:
        StartupRefusal: the cache is busy or its disk is full; what *report* counts is safe.
    """
    report = report if report is not None else ImportReport()
    started = time.perf_counter()
    batch: list[Record] = []
    size = 0
    read_since = started
    for item in stream:
        if isinstance(item, Record):
            batch.append(item)
            size += len(item.canonical)
            if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
                report.parts["parse"] += time.perf_counter() - read_since
                store_records(writer, batch, report)
                batch, size = [], 0
                if on_batch is not None:
                    on_batch(report)
                read_since = time.perf_counter()
        elif isinstance(item, Rejected):
            _note_rejected(report, item)
        else:
            report.skipped.append(item)
    report.parts["parse"] += time.perf_counter() - read_since
    if batch:
        store_records(writer, batch, report)
    if report.accepted:
        with writer.transaction():
            writer.set_meta("last_import_at", utc_now())
    report.seconds = time.perf_counter() - started
    if on_batch is not None:
        on_batch(report)
    return report


def _note_rejected(report: ImportReport, item: Rejected) -> None:
    if item.kind is None:
        report.unknown_rejected += 1
    else:
        report.count_of(item.kind).rejected += 1
    if len(report.rejected) < REJECTED_KEPT:
        report.rejected.append(item)


def store_records(
    writer: CacheWriter,
    records: Sequence[Record],
    report: ImportReport,
    *,
    also: Callable[[int], None] | None = None,
) -> None:
    """Store *records* in one transaction; *report* learns of it once it is committed.

    *also* is called inside the transaction with its generation, after the rows: for what has to be written with
    them or not at all.

    Raises:
        StartupRefusal: the cache is busy or its disk is full; nothing was stored.
    """
    with writer.transaction() as generation:
        batch = _Batch(writer, generation, report.parts)
        permitted = batch.permitted(records)
        # Calls before transcripts: whether a transcript waits is decided on what is then there.
        for kind in KINDS:
            of_kind = [record for record in permitted if record.kind == kind]
            if not of_kind:
                continue
            if kind == "call":
                batch.calls(of_kind)
            elif kind == "transcript":
                batch.transcripts(of_kind)
            else:
                batch.others(kind, of_kind)
        vcons = [record for record in permitted if record.kind == "vcon"]
        if vcons:
            batch.vcons(vcons)
        batch.finish()
        if also is not None:
            also(generation)
    batch.clock.lap("rows")
    report.kept_out += len(records) - len(permitted)
    report.segments += batch.segments
    for kind, count in batch.counts.items():
        total = report.count_of(kind)
        total.new += count.new
        total.changed += count.changed
        total.unchanged += count.unchanged


class _Clock:
    """Adds the time since the last lap to a part of the report."""

    def __init__(self, parts: dict[str, float]) -> None:
        self._parts = parts
        self._since = time.perf_counter()

    def lap(self, part: str) -> None:
        now = time.perf_counter()
        self._parts[part] += now - self._since
        self._since = now


class _Batch:
    """What one transaction writes, and what it changes in the counts."""

    def __init__(self, writer: CacheWriter, generation: int, parts: dict[str, float]) -> None:
        self._writer = writer
        self._connection = writer.connection
        self._generation = generation
        self._now = utc_now()
        self._tallies: Counter[str] = Counter()
        self.clock = _Clock(parts)
        self.counts: dict[Kind, KindCount] = {kind: KindCount() for kind in (*KINDS, "vcon")}
        self.segments = 0

    def permitted(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return *records* without those of calls that a tombstone keeps out."""
        subjects = [_subject(record) for record in records]
        held = kept_out(self._connection, self._writer.secret, list({call for call in subjects if call}))
        if not held:
            return records
        return [record for record, subject in zip(records, subjects, strict=True) if subject not in held]

    def calls(self, records: Sequence[Record]) -> None:
        """Store calls; a part that this delivery lacks stays as it was."""
        stored: dict[str, bytes] = dict(
            self._connection.execute(
                "SELECT call_id, digest FROM raw_calls WHERE call_id IN (SELECT value FROM json_each(?))",
                (_id_list(records),),
            )
        )
        rows, new = self._pack_all("call", records, stored, _PartKeeper(self._connection))
        self._connection.executemany(
            # imported_at stays: it stands in for the start of a call that has none.
            """INSERT INTO raw_calls (call_id, payload, digest, imported_at, generation) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT (call_id) DO UPDATE
               SET payload = excluded.payload, digest = excluded.digest, generation = excluded.generation""",
            [(row.record_id, row.payload, row.digest, self._now, self._generation) for row in rows.values()],
        )
        self._mark_dirty(rows)
        raise_gone(self._connection, self._writer.secret, new)
        self._tallies[WAITING] -= self._count_present("raw_transcripts", new)

    def transcripts(self, records: Sequence[Record]) -> None:
        """Store transcripts; one whose call is not here yet waits for it."""
        before = {
            call_id: (digest, segments)
            for call_id, digest, segments in self._connection.execute(
                """SELECT call_id, digest, segment_count FROM raw_transcripts
                   WHERE call_id IN (SELECT value FROM json_each(?))""",
                (_id_list(records),),
            )
        }
        stored = {call_id: digest for call_id, (digest, _) in before.items()}
        rows, new = self._pack_all("transcript", records, stored, _as_delivered)
        self._connection.executemany(
            """INSERT INTO raw_transcripts (call_id, payload, digest, segment_count, imported_at, generation)
               VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT (call_id) DO UPDATE
               SET payload = excluded.payload, digest = excluded.digest, segment_count = excluded.segment_count,
                   generation = excluded.generation""",
            [
                (row.record_id, row.payload, row.digest, row.segments, self._now, self._generation)
                for row in rows.values()
            ],
        )
        self._mark_dirty(rows)
        self._tallies[WAITING] += len(new) - self._count_present("raw_calls", new)
        self.segments = sum(row.segments for row in rows.values())
        self._tallies["segment"] += self.segments - sum(before[key][1] for key in rows if key in before)

    def others(self, kind: Kind, records: Sequence[Record]) -> None:
        """Store records of any other kind, which are kept as delivered."""
        stored: dict[str, bytes] = dict(
            self._connection.execute(
                """SELECT record_id, digest FROM raw_records
                   WHERE kind = ? AND record_id IN (SELECT value FROM json_each(?))""",
                (kind, _id_list(records)),
            )
        )
        rows, _ = self._pack_all(kind, records, stored, _as_delivered)
        calls = {record.record_id: _call_of(record) for record in records} if kind == "answered_scorecard" else {}
        self._mark_dirty(self._calls_of(kind, rows))  # an answer may have moved from one call to another
        self._connection.executemany(
            """INSERT INTO raw_records (kind, record_id, payload, digest, call_id, imported_at, generation)
               VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (kind, record_id) DO UPDATE
               SET payload = excluded.payload, digest = excluded.digest, call_id = excluded.call_id,
                   generation = excluded.generation""",
            [
                (kind, row.record_id, row.payload, row.digest, calls.get(row.record_id), self._now, self._generation)
                for row in rows.values()
            ],
        )
        self._mark_dirty(self._calls_of(kind, rows))

    def vcons(self, records: Sequence[Record]) -> None:
        """Store vCons verbatim. Each is dirty with the call that stands for it, or stood for it before."""
        ids = _id_list(records)
        among = "uuid IN (SELECT value FROM json_each(?))"
        stored: dict[str, bytes] = dict(
            self._connection.execute(f"SELECT uuid, digest FROM raw_vcons WHERE {among}", (ids,))
        )
        rows, _ = self._pack_all("vcon", records, stored, _as_delivered)
        del self._tallies["vcon"]  # nothing asks for how many there are without looking
        before = self._connection.execute(f"SELECT call_id FROM raw_vcons WHERE {among}", (json.dumps(list(rows)),))
        calls = {record.record_id: _call_of(record) for record in records}
        self._mark_dirty([call_id for (call_id,) in before if call_id])
        self._connection.executemany(
            """INSERT INTO raw_vcons (uuid, call_id, payload, digest, imported_at, generation) VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT (uuid) DO UPDATE
               SET call_id = excluded.call_id, payload = excluded.payload, digest = excluded.digest,
                   generation = excluded.generation""",
            [
                (row.record_id, calls[row.record_id], row.payload, row.digest, self._now, self._generation)
                for row in rows.values()
            ],
        )
        self._mark_dirty(call_id for key in rows if (call_id := calls[key]))

    def _calls_of(self, kind: Kind, record_ids: Iterable[str]) -> list[str]:
        """Return the calls that stored answered scorecards speak of."""
        if kind != "answered_scorecard":
            return []
        found = self._connection.execute(
            """SELECT call_id FROM raw_records WHERE kind = ? AND call_id IS NOT NULL
               AND record_id IN (SELECT value FROM json_each(?))""",
            (kind, json.dumps(list(record_ids))),
        )
        return [call_id for (call_id,) in found]

    def finish(self) -> None:
        """Write the kept counts, and that the data has changed if it has."""
        if any(count.new or count.changed for count in self.counts.values()):
            self._writer.set_meta("data_generation", str(self._generation))
            self._writer.set_meta("last_import_at", self._now)
        self._connection.executemany(
            """INSERT INTO tallies (name, value) VALUES (?, ?)
               ON CONFLICT (name) DO UPDATE SET value = value + excluded.value""",
            [(name, value) for name, value in self._tallies.items() if value],
        )

    def _pack_all(
        self,
        kind: Kind,
        records: Sequence[Record],
        stored: Mapping[str, bytes],
        content: Callable[[Record], bytes],
    ) -> tuple[dict[str, _Packed], set[str]]:
        """Count each record; return the rows to write (the last of equal ids) and the ids that are new."""
        self.clock.lap("rows")
        count = self.counts[kind]
        rows: dict[str, _Packed] = {}
        new: set[str] = set()
        for record in records:
            record_id = record.record_id
            known = rows[record_id].digest if record_id in rows else stored.get(record_id)
            data = content(record)
            digest = hashlib.blake2b(data, digest_size=16).digest()
            if digest == known:
                count.unchanged += 1
                continue
            rows[record_id] = _Packed(record_id, zlib.compress(data, ZLIB_LEVEL), digest, record.segments)
            if known is None:
                new.add(record_id)
                count.new += 1
                self._tallies[kind] += 1
            else:
                count.changed += 1
        self.clock.lap("pack")
        return rows, new

    def _mark_dirty(self, call_ids: Iterable[str]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO dirty_calls (call_id) VALUES (?)", [(call_id,) for call_id in call_ids]
        )

    def _count_present(self, table: str, call_ids: Iterable[str]) -> int:
        row = self._connection.execute(
            f"SELECT count(*) FROM {table} WHERE call_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(call_ids)),),
        ).fetchone()
        return int(row[0])


def _call_of(record: Record) -> str | None:
    """Return the call that an answered scorecard speaks of, or a vCon stands for; None when it names none."""
    call_id = record.payload.get("callId")
    return call_id if isinstance(call_id, str) and call_id else None


def _subject(record: Record) -> str | None:
    """Return the call that *record* is, or is a part of; None when it belongs to none."""
    if record.kind in ("call", "transcript"):
        return record.record_id
    return _call_of(record) if record.kind in ("answered_scorecard", "vcon") else None


class _PartKeeper:
    """Gives a call's canonical JSON with the parts that this delivery lacks and an earlier one had."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seen: dict[str, dict[str, Any]] = {}

    def __call__(self, record: Record) -> bytes:
        lacking = [key for key in KEPT_KEYS if key not in record.payload]
        earlier = (self._seen.get(record.record_id) or self._stored(record.record_id)) if lacking else {}
        kept = {key: earlier[key] for key in lacking if key in earlier}
        payload = {**record.payload, **kept}
        self._seen[record.record_id] = payload
        return canonical(payload) if kept else record.canonical

    def _stored(self, call_id: str) -> dict[str, Any]:
        row = self._connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
        return unpack(row[0]) if row is not None else {}


def _as_delivered(record: Record) -> bytes:
    return record.canonical


def _id_list(records: Sequence[Record]) -> str:
    return json.dumps([record.record_id for record in records])


def unpack(payload: bytes) -> dict[str, Any]:
    """Return the JSON object of a stored *payload*."""
    value: dict[str, Any] = msgspec.json.decode(zlib.decompress(payload))
    return value


def space_needed(plain_bytes: int, packed_bytes: int) -> int:
    """Return how many bytes of disk an import of so many bytes of plain and of gzip'd files may take.

    Measured on real calls the file grows by 0.42 of the plain text, that is 1.7 of the gzip'd; beside it
    lies the write-ahead log of a few batches.
    """
    return plain_bytes // 2 + packed_bytes * 2 + 4 * BATCH_BYTES
