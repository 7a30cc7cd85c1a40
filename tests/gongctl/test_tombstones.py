"""Tombstones and removal: what keeps a call out of the raw half, and what a removed call leaves."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.removal import remove_calls, remove_transcripts
from gongctl.cache.tombstones import bury, call_digest, kept_out
from gongctl.cache.upsert import ImportReport, import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import Place, Record
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind
from gongmcp.store.schema import SCHEMA_VERSION


def record(kind: Kind, value: dict[str, Any]) -> Record:
    return next(iter(records_of(kind, value, Place("test"))))


def call(call_id: str) -> Record:
    return record("call", {"metaData": {"id": call_id, "started": "2026-03-01T10:00:00Z", "title": f"Call {call_id}"}})


def transcript(call_id: str) -> Record:
    sentences = [{"start": 0, "end": 900, "text": "Hello there."}, {"start": 1000, "end": 1900, "text": "Good day."}]
    return record("transcript", {"callId": call_id, "transcript": [{"speakerId": "1", "sentences": sentences}]})


def answered(answered_id: str, call_id: str) -> Record:
    return record("answered_scorecard", {"answeredScorecardId": answered_id, "callId": call_id, "answers": []})


def whole(call_id: str) -> list[Record]:
    return [call(call_id), transcript(call_id), answered(f"s{call_id}", call_id)]


def stored(writer: CacheWriter) -> dict[str, set[str]]:
    query = "SELECT call_id FROM {}"
    return {
        table: {row[0] for row in writer.connection.execute(query.format(table))}
        for table in ("raw_calls", "raw_transcripts", "raw_records")
    }


def tallies(writer: CacheWriter) -> dict[str, int]:
    rows = writer.connection.execute("SELECT name, value FROM tallies WHERE value != 0")
    return dict(rows)


def test_a_purged_call_comes_back_by_no_import(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer:
        import_records(writer, whole("1") + whole("2"))
        with writer.transaction() as generation:
            removed = remove_calls(writer, generation, ["1"])
            bury(writer.connection, writer.secret, ["1"], "purged")
        assert (removed.calls, removed.transcripts, removed.segments, removed.answered_scorecards) == (1, 1, 2, 1)
        assert set(map(frozenset, stored(writer).values())) == {frozenset({"2"})}
        assert tallies(writer) == {"call": 1, "transcript": 1, "segment": 2, "answered_scorecard": 1}
        report = import_records(writer, whole("1") + whole("2"))
        assert report.kept_out == 3
        assert report.accepted == 3
        assert stored(writer)["raw_calls"] == {"2"}
        assert tallies(writer) == {"call": 1, "transcript": 1, "segment": 2, "answered_scorecard": 1}


def test_what_was_served_of_a_removed_call_goes_with_the_next_warm(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer:
        import_records(writer, whole("1") + whole("2"))
        warm(writer)
        with writer.transaction() as generation:
            remove_calls(writer, generation, ["1"])
        report = warm(writer)
        assert (report.removed, report.finished) == (1, True)
        assert writer.connection.execute("SELECT call_id FROM call_facts").fetchall() == [("2",)]


def test_a_transcript_alone_is_taken_out_and_the_call_stays(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer:
        import_records(writer, [*whole("1"), transcript("waiting")])
        with writer.transaction() as generation:
            remove_transcripts(writer, generation, ["1", "waiting", "unknown"])
        assert stored(writer) == {"raw_calls": {"1"}, "raw_transcripts": set(), "raw_records": {"1"}}
        assert tallies(writer) == {"call": 1, "answered_scorecard": 1}
        dirty = {row[0] for row in writer.connection.execute("SELECT call_id FROM dirty_calls")}
        assert dirty == {"1"}, "an id that no warm has seen is not kept"


def test_a_call_that_was_gone_is_stored_again_when_it_is_delivered(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer:
        with writer.transaction():
            bury(writer.connection, writer.secret, ["1"], "gone")
        assert import_records(writer, whole("1")).kept_out == 0
        assert stored(writer)["raw_calls"] == {"1"}
        assert writer.connection.execute("SELECT count(*) FROM tombstones").fetchone() == (0,)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("gone", "purged", "purged"),
        ("gone", "restricted", "restricted"),
        ("restricted", "purged", "purged"),
        ("restricted", "gone", "restricted"),
        ("purged", "gone", "purged"),
        ("purged", "restricted", "purged"),
    ],
)
def test_no_tombstone_is_replaced_by_a_weaker_one(tmp_path: Path, first: Any, then: Any, kept: str) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer, writer.transaction():
        bury(writer.connection, writer.secret, ["1"], first)
        bury(writer.connection, writer.secret, ["1"], then)
        assert writer.connection.execute("SELECT reason FROM tombstones").fetchall() == [(kept,)]


def test_a_tombstone_names_no_call_to_who_has_not_the_secret(tmp_path: Path) -> None:
    ids: Sequence[str] = [f"CANARY{number}" for number in range(1_200)]
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer:
        with writer.transaction():
            bury(writer.connection, writer.secret, ids, "purged")
        assert kept_out(writer.connection, writer.secret, [*ids, "other"]) == set(ids)
    assert b"CANARY" not in (tmp_path / "c.db").read_bytes()
    assert call_digest(b"a" * 32, "1") != call_digest(b"b" * 32, "1")


def test_a_cache_of_schema_2_gets_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with CacheWriter.open(path, create=True) as writer:
        import_records(writer, whole("1"))
    connection = sqlite3.connect(path)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table == "tombstones" or table.startswith("sync_"):
            connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 2")
    connection.commit()
    connection.close()
    with CacheWriter.open(path) as writer:
        assert [migration.number for migration in writer.migrated] == list(range(3, SCHEMA_VERSION + 1))
        assert import_records(writer, whole("1"), report=ImportReport()).accepted == 3
        assert stored(writer)["raw_calls"] == {"1"}
