"""Taking calls out of the raw half: call, transcript, answered scorecards, and what sync noted of them.

What is served of them goes with the next warm, which finds them in ``dirty_calls``.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gongctl.cache.writer import CacheWriter


@dataclass(frozen=True, slots=True)
class Removed:
    """How much was taken out."""

    calls: int = 0
    transcripts: int = 0
    segments: int = 0
    answered_scorecards: int = 0


def remove_calls(writer: CacheWriter, generation: int, call_ids: Sequence[str]) -> Removed:
    """Take the raw rows of *call_ids* out, with the kept counts; wants the open transaction of *generation*."""
    return _remove(writer, generation, call_ids, calls=True)


def remove_transcripts(writer: CacheWriter, generation: int, call_ids: Sequence[str]) -> Removed:
    """Take out the transcripts of *call_ids* alone; wants the open transaction of *generation*."""
    return _remove(writer, generation, call_ids, calls=False)


def _remove(writer: CacheWriter, generation: int, call_ids: Sequence[str], *, calls: bool) -> Removed:
    connection = writer.connection
    ids = json.dumps(list(call_ids))
    among = "IN (SELECT value FROM json_each(?))"
    present = {row[0] for row in connection.execute(f"SELECT call_id FROM raw_calls WHERE call_id {among}", (ids,))}
    segments = dict(
        connection.execute(f"SELECT call_id, segment_count FROM raw_transcripts WHERE call_id {among}", (ids,))
    )
    connection.execute(f"DELETE FROM raw_transcripts WHERE call_id {among}", (ids,))
    answered = 0
    if calls:
        connection.execute(f"DELETE FROM raw_calls WHERE call_id {among}", (ids,))
        answered = connection.execute(
            f"DELETE FROM raw_records WHERE kind = 'answered_scorecard' AND call_id {among}", (ids,)
        ).rowcount
        connection.execute(f"DELETE FROM raw_vcons WHERE call_id {among}", (ids,))
        connection.execute(f"DELETE FROM sync_transcripts WHERE call_id {among}", (ids,))
    removed = Removed(len(present) if calls else 0, len(segments), sum(segments.values()), answered)
    tallies = Counter(
        {
            "call": removed.calls,
            "transcript": removed.transcripts,
            "segment": removed.segments,
            "answered_scorecard": removed.answered_scorecards,
            "waiting_transcript": sum(call_id not in present for call_id in segments),
        }
    )
    if any(tallies.values()):
        connection.executemany(
            "UPDATE tallies SET value = value - ? WHERE name = ?",
            [(count, name) for name, count in tallies.items() if count],
        )
        _settle_dirty(connection, present | set(segments), ids)
        writer.set_meta("data_generation", str(generation))
    return removed


def _settle_dirty(connection: sqlite3.Connection, touched: set[str], ids: str) -> None:
    """Leave to the next warm the calls that it knows of; of the others nothing is to be done, or to be remembered."""
    known = {
        row[0]
        for row in connection.execute(
            """SELECT value FROM json_each(?) WHERE value IN (SELECT call_id FROM call_facts)
               OR value IN (SELECT call_id FROM verdicts) OR value IN (SELECT call_id FROM judged_calls)
               OR value IN (SELECT call_id FROM raw_calls)""",
            (ids,),
        )
    }
    connection.executemany(
        "INSERT OR IGNORE INTO dirty_calls (call_id) VALUES (?)", [(call_id,) for call_id in touched & known]
    )
    connection.executemany("DELETE FROM dirty_calls WHERE call_id = ?", [(call_id,) for call_id in touched - known])
