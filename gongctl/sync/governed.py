"""The restricted list at the door: calls that name a restricted customer are not stored, only a keyed digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from gongctl.cache.removal import remove_calls
from gongctl.cache.tombstones import bury
from gongctl.cache.upsert import unpack
from gongctl.cache.writer import CacheWriter
from gongctl.governance.judge import Judge
from gongctl.ingest.records import Record
from gongmcp.governance.restricted import RestrictedList

JUDGED_BY: Final = "ingest_list"
"""Key of ``meta``: digest of the list that judged every call of the cache when it came in by sync."""

_BATCH: Final = 200


@dataclass(slots=True)
class Door:
    """Judges what comes in. *calls* are the ids (in memory alone) of calls to take out; *records* counts the others."""

    judge: Judge
    basis: str
    calls: set[str] = field(default_factory=set)
    records: int = 0

    @classmethod
    def of(cls, restricted: RestrictedList | None) -> Door | None:
        """Return the door that *restricted* keeps; None without a list."""
        return None if restricted is None else cls(Judge(restricted), restricted.digest)

    def permitted(self, writer: CacheWriter, records: Sequence[Record]) -> list[Record]:
        """Return what of *records* may be stored; the calls of the rest are in ``calls``."""
        return [record for record in records if not self._names(writer, record)]

    def _names(self, writer: CacheWriter, record: Record) -> bool:
        subject = _call_of(record)
        if subject is None:
            named = self.judge.names(record.payload)
            self.records += named
            return named
        if subject in self.calls:
            return True
        if record.kind == "call":
            named = self.judge.find(record.payload, None) is not None
        elif record.kind == "transcript":
            named = self.judge.find(_stored_call(writer, subject), record.payload) is not None
        else:
            named = self.judge.find(_stored_call(writer, subject), None, (record.payload,)) is not None
        if named or self.judge.matcher.hits(subject):
            self.calls.add(subject)
            return True
        return False

    def close_behind(self, writer: CacheWriter, generation: int) -> int:
        """Take out the calls that were named, and bury them; wants the open transaction of *generation*.

        Returns how many there were.
        """
        ids = sorted(self.calls)
        if ids:
            remove_calls(writer, generation, ids)
            bury(writer.connection, writer.secret, ids, "restricted", self.basis)
        return len(ids)


def _call_of(record: Record) -> str | None:
    if record.kind in ("call", "transcript"):
        return record.record_id
    found = record.payload.get("callId") if record.kind == "answered_scorecard" else None
    return found if isinstance(found, str) and found else None


def _stored_call(writer: CacheWriter, call_id: str) -> dict[str, object]:
    row = writer.connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
    return unpack(row[0]) if row is not None else {"metaData": {"id": call_id}}


def sweep(writer: CacheWriter, restricted: RestrictedList, progress: Callable[[int, int], None] | None = None) -> int:
    """Judge what is stored already, once for a list; return how many calls were taken out.

    Killed in the middle, it begins again with the next run.
    """
    if writer.meta(JUDGED_BY) == restricted.digest:
        return 0
    judge = Judge(restricted)
    ids = [row[0] for row in writer.connection.execute("SELECT call_id FROM raw_calls ORDER BY call_id")]
    taken = 0
    for start in range(0, len(ids), _BATCH):
        named = list(_named(writer, judge, ids[start : start + _BATCH]))
        if named:
            with writer.transaction() as generation:
                remove_calls(writer, generation, named)
                bury(writer.connection, writer.secret, named, "restricted", restricted.digest)
            taken += len(named)
        if progress is not None:
            progress(min(start + _BATCH, len(ids)), len(ids))
    with writer.transaction():
        writer.set_meta(JUDGED_BY, restricted.digest)
    return taken


def _named(writer: CacheWriter, judge: Judge, ids: Sequence[str]) -> Iterable[str]:
    rows = writer.connection.execute(
        """SELECT c.call_id, c.payload, t.payload FROM raw_calls AS c
           LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id
           WHERE c.call_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(ids)),),
    ).fetchall()
    for call_id, call, transcript in rows:
        answers = writer.connection.execute("SELECT payload FROM raw_records WHERE call_id = ?", (call_id,))
        answered = [unpack(payload) for (payload,) in answers]
        spoken = None if transcript is None else unpack(transcript)
        if judge.matcher.hits(call_id) or judge.find(unpack(call), spoken, answered) is not None:
            yield call_id


def lift_former(writer: CacheWriter, basis: str) -> None:
    """Take away the tombstones of calls that other lists named: they are judged again when they are listed again."""
    with writer.transaction():
        writer.connection.execute("DELETE FROM tombstones WHERE reason = 'restricted' AND basis != ?", (basis,))
