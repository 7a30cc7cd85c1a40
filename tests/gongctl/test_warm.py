"""Warm: incremental equals rebuilt, kept counts equal counted ones, and nothing is lost when it is stopped."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache import derive as derive_module
from gongctl.cache import warm as warm_module
from gongctl.cache.deriver import ProcessDeriver, RawCall, Rules, derive_batch
from gongctl.cache.serving import ServingWriter
from gongctl.cache.status import cache_status
from gongctl.cache.upsert import import_records
from gongctl.cache.verify import recount
from gongctl.cache.warm import WarmReport, warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongmcp.errors import StartupRefusal
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import MAX_SEGMENTS

SECRET = bytes(range(32))
RULES = Rules(SECRET, CrmNames.default())
SERVED = ("call_facts", "segments", "parties", "crm_objects", "crm_values", "counters")
WORDS = [
    "price",
    "renewal",
    "budget",
    "dana@example.com",
    "202 555 0142",
    "café",
    "the",
    "roadmap",
    "security",
    "\u200b",
]


@contextmanager
def opened(path: Path) -> Iterator[CacheWriter]:
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        yield writer


def store(writer: CacheWriter, *items: tuple[Kind, dict[str, Any]]) -> None:
    import_records(writer, [record for kind, value in items for record in records_of(kind, value, Place("test"))])


def call(number: int, *, started: str | None = "", title: str = "A call", **rest: Any) -> tuple[Kind, dict[str, Any]]:
    begun = f"2026-03-{number % 28 + 1:02d}T10:00:{number % 60:02d}Z" if started == "" else started
    return "call", {"metaData": {"id": str(number), "started": begun, "title": title, "duration": 600}, **rest}


def transcript(number: int, *texts: str, speaker: str | None = "5") -> tuple[Kind, dict[str, Any]]:
    sentences = [{"start": i * 10, "end": i * 10 + 9, "text": text} for i, text in enumerate(texts)]
    return "transcript", {"callId": str(number), "transcript": [{"speakerId": speaker, "sentences": sentences}]}


def crm(*objects: tuple[str, str | None, dict[str, Any]]) -> list[dict[str, Any]]:
    listed = [
        {"objectType": kind, "objectId": number, "fields": [{"name": k, "value": v} for k, v in fields.items()]}
        for kind, number, fields in objects
    ]
    return [{"system": "Salesforce", "objects": listed}]


def content(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return every served row, and what the index finds for some words."""
    rows = {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in SERVED}
    for word in ("price", "redacted", "cafe", "roadmap"):
        found = connection.execute("SELECT rowid FROM segments_fts WHERE segments_fts MATCH ? ORDER BY rowid", (word,))
        rows[f"found: {word}"] = found.fetchall()
    return rows


def rebuilt(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of the same cache when its read model is built from nothing."""
    copy = path.with_name("rebuilt.db")
    shutil.copy(path, copy)
    with opened(copy) as writer:
        with writer.transaction():
            writer.connection.execute("UPDATE read_model SET digest = 'of another masking'")
        report = warm(writer)
        assert report.finished
        found = content(writer.connection)
    copy.unlink()
    return found


def random_changes(rng: random.Random) -> list[tuple[Kind, dict[str, Any]]]:
    """Return some upserts of calls and transcripts among 12 ids: new, changed and equal ones."""
    changes: list[tuple[Kind, dict[str, Any]]] = []
    for _ in range(rng.randrange(1, 5)):
        number = rng.randrange(12)
        if rng.random() < 0.5:
            texts = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 8))) for _ in range(rng.randrange(4))]
            changes.append(transcript(number, *texts, speaker=rng.choice([None, "5", "6"])))
            continue
        objects = [
            (
                rng.choice(["Account", "Opportunity", "Deal"]),
                rng.choice([None, "1", "2"]),
                {"StageName": rng.choice(WORDS)},
            )
            for _ in range(rng.randrange(3))
        ]
        parties = [{"speakerId": rng.choice([None, "5"]), "affiliation": rng.choice(["External", "Internal", None])}]
        started = rng.choice(["", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", None])
        title = rng.choice(WORDS)
        changes.append(call(number, started=started, title=title, context=crm(*objects), parties=parties))
    return changes


@pytest.mark.parametrize("seed", range(12))
def test_any_sequence_of_imports_and_warms_ends_where_a_rebuild_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 3)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    rng = random.Random(seed)
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        for _ in range(8):
            store(writer, *random_changes(rng))
            warm(writer)
            assert recount(writer.connection) == []
        incremental = content(writer.connection)
    assert incremental == rebuilt(path)


def test_the_recount_sees_every_kind_of_fault(tmp_path: Path) -> None:
    """The control of the tests that call ``recount``: each damage is named."""
    damages = {
        "counter total": "UPDATE counters SET value = value + 1 WHERE key = 'segments'",
        "kept for something that is not there": "INSERT INTO counters VALUES ('crm_field', 'Account', 'Gone', 1)",
        "counter object_id": "DELETE FROM counters WHERE counter = 'object_id'",
        "counter object_type": "UPDATE counters SET value = 9 WHERE detail = 'distinct_object_ids'",
        "full-text index differs": "UPDATE segments SET text = 'other'",
        "segments without a call": "UPDATE call_facts SET call_no = call_no + 1",
        "index has a gap": "UPDATE segments SET segment_no = segment_no + 5 WHERE segment_no & 1",
        "another number of segments": "UPDATE call_facts SET segment_count = 7",
        "another number of parties": "UPDATE parties SET affiliation = 'internal'",
        "accounts or opportunities": "UPDATE call_facts SET account_count = 3",
        "field counts differ": "UPDATE crm_values SET value = ''",
        "CRM values without an object": "UPDATE crm_values SET object_no = 1",
        "speaker who is no party row": "UPDATE segments SET speaker_no = 9",
        "out of their second": "UPDATE call_facts SET call_date = '2020-01-01'",
    }
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        account = crm(("Account", "1", {"Name": "Acme"}))
        party = [{"speakerId": "5", "affiliation": "External"}]
        store(writer, call(1, context=account, parties=party), transcript(1, "One.", "Two.", "Three."))
        warm(writer)
        assert recount(writer.connection) == []
        for fault, damage in damages.items():
            writer.connection.execute("SAVEPOINT damaged")
            writer.connection.execute(damage)
            assert any(fault in line for line in recount(writer.connection)), fault
            writer.connection.execute("ROLLBACK TO damaged")
            writer.connection.execute("RELEASE damaged")


def test_only_what_changed_is_redone(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, *(call(n) for n in range(20)), *(transcript(n, "Hello.", "World.") for n in range(20)))
        first = warm(writer)
        assert (first.looked_at, first.redone, first.segments, first.finished) == (20, 20, 40, True)
        store(writer, *(call(n) for n in range(20)), transcript(3, "Hello.", "World."))
        again = warm(writer)
        assert (again.looked_at, again.redone) == (0, 0)
        store(writer, call(4, title="Renamed"), transcript(5, "Hello."))
        report = warm(writer)
        assert (report.looked_at, report.redone, report.segments) == (2, 2, 3)
        assert recount(writer.connection) == []


def test_the_index_is_left_alone_where_no_segment_changed(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, call(1), transcript(1, "Hello."))
        warm(writer)
        traced: list[str] = []
        writer.connection.set_trace_callback(traced.append)
        store(writer, call(1, title="Renamed"))
        warm(writer)
        writer.connection.set_trace_callback(None)
        assert not [sql for sql in traced if sql.startswith(("INSERT INTO segments", "DELETE FROM segments"))]
        assert writer.connection.execute("SELECT title, segment_count FROM call_facts").fetchall() == [("Renamed", 1)]


def test_a_call_whose_start_changes_is_renumbered(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, call(1, started="2026-01-01T00:00:00Z"), call(2), transcript(1, "One price.", "Two."))
        warm(writer)
        store(writer, call(1, started="2027-01-01T00:00:00Z"))
        warm(writer)
        order = [call_id for (call_id,) in writer.connection.execute("SELECT call_id FROM call_facts ORDER BY call_no")]
        assert order == ["2", "1"]
        assert recount(writer.connection) == []
        found = writer.connection.execute(
            """SELECT s.text FROM segments_fts AS f JOIN segments AS s ON s.segment_no = f.rowid
               WHERE f.text MATCH 'price'"""
        )
        assert found.fetchall() == [("One price.",)]
    assert cache_status(path).freshness == "fresh"


def test_calls_of_one_second_get_numbers_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive_module, "tie_breaker", lambda secret, call_id: 4094)
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 4)
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        same = "2026-01-01T00:00:00Z"
        store(writer, *(call(n, started=same) for n in range(10)), *(transcript(n, f"Call {n}.") for n in range(10)))
        store(writer, call(10, started="2026-01-01T00:00:01Z"))
        warm(writer)
        store(writer, call(3, started=same, title="Renamed"), call(11, started=same))
        warm(writer)
        numbers = [number for (number,) in writer.connection.execute("SELECT call_no FROM call_facts ORDER BY 1")]
        assert len(set(numbers)) == 12
        assert numbers[0] & 4095 == 4094
        said = writer.connection.execute(
            """SELECT c.call_id, s.text FROM call_facts AS c JOIN segments AS s ON s.segment_no >> 19 = c.call_no
               ORDER BY cast(c.call_id AS INTEGER)"""
        ).fetchall()
        assert said == [(str(n), f"Call {n}.") for n in range(10)]
        assert [line for line in recount(writer.connection) if "second" not in line] == []


def test_numbers_at_the_end_of_time_wrap_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive_module, "tie_breaker", lambda secret, call_id: 4095)
    with opened(tmp_path / "cache.db") as writer:
        store(writer, *(call(n, started="9999-01-01T00:00:00Z") for n in range(2)))
        store(writer, transcript(0, "Last."), transcript(1, "First."))
        warm(writer)
        numbers = [number for (number,) in writer.connection.execute("SELECT call_no FROM call_facts ORDER BY 1")]
        assert numbers == [0, (1 << 44) - 1]
        highest = writer.connection.execute("SELECT max(segment_no) FROM segments").fetchone()[0]
        assert highest == (1 << 63) - MAX_SEGMENTS


def test_a_transcript_that_waits_for_its_call_keeps_nothing_stale(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, call(1), transcript(2, "Waiting."))
        report = warm(writer)
        assert (report.looked_at, report.redone, report.removed) == (2, 1, 0)
    status = cache_status(path)
    assert (status.freshness, status.dirty_calls, status.raw["waiting_transcripts"]) == ("fresh", 0, 1)
    with opened(path) as writer:
        store(writer, call(2))
        assert warm(writer).segments == 1
        assert recount(writer.connection) == []


def test_a_call_that_is_gone_is_served_no_more(tmp_path: Path) -> None:
    with opened(tmp_path / "cache.db") as writer:
        account = crm(("Account", "1", {"Name": "Acme"}))
        store(writer, call(1, context=account), call(2, context=account), transcript(1, "Price."))
        warm(writer)
        with writer.transaction():
            writer.connection.execute("DELETE FROM raw_calls WHERE call_id = '1'")
            writer.connection.execute("INSERT INTO dirty_calls VALUES ('1')")
        report = warm(writer)
        assert (report.looked_at, report.redone, report.removed) == (1, 0, 1)
        assert recount(writer.connection) == []
        assert writer.connection.execute("SELECT count(*) FROM segments_fts WHERE text MATCH 'price'").fetchone() == (
            0,
        )


def test_state_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        assert warm(writer).finished  # an empty cache has an empty model
    assert cache_status(path).freshness == "fresh"
    with opened(path) as writer:
        store(writer, call(1), ("user", {"id": "1"}))
    assert cache_status(path).freshness == "stale"
    with opened(path) as writer:
        warm(writer)
        model = writer.connection.execute(
            "SELECT generation, data_generation, as_of, complete FROM read_model"
        ).fetchone()
        held = (int(writer.meta("data_generation") or 0), writer.meta("last_import_at"), 1)
        assert model == (writer.generation, *held)
        before = writer.generation
        warm(writer)
        assert writer.generation == before  # nothing to say, nothing written
        store(writer, ("user", {"id": "2"}))
    assert cache_status(path).freshness == "stale"
    with opened(path) as writer:
        assert warm(writer).looked_at == 0
        total = writer.connection.execute("SELECT value FROM counters WHERE counter = 'total' AND key = 'users'")
        assert total.fetchone() == (2,)
    assert cache_status(path).freshness == "fresh"


def test_a_model_of_another_digest_is_emptied_before_anything_is_served_of_it(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, call(1), call(2), transcript(1, "Price."))
        warm(writer)
        with writer.transaction():
            writer.connection.execute("UPDATE read_model SET digest = 'old'")
        report = warm(writer, should_stop=lambda: True)
        assert (report.redone, report.finished) == (0, False)
        assert writer.connection.execute("SELECT count(*) FROM call_facts").fetchone() == (0,)
        assert writer.connection.execute("SELECT count(*) FROM segments_fts WHERE text MATCH 'price'").fetchone() == (
            0,
        )
    assert cache_status(path).freshness == "missing"
    with opened(path) as writer:
        assert warm(writer).redone == 2
        assert recount(writer.connection) == []
    assert cache_status(path).freshness == "fresh"


def filled(path: Path) -> None:
    """Make a cache with 10 dirty calls, four of them changed since the last warm that knew them."""
    with opened(path) as writer:
        account = crm(("Account", "1", {"Name": "Acme"}))
        store(writer, *(call(n, context=account) for n in range(6)), *(transcript(n, "Price.") for n in range(6)))
        warm(writer)
        store(writer, *(call(n, title="New") for n in range(10)), *(transcript(n, "Roadmap.") for n in range(2, 8)))


def stop_after(batches: int) -> Callable[[], bool]:
    asked = iter([False] * batches)
    return lambda: next(asked, True)


@pytest.mark.parametrize("batches", range(5))
def test_a_stopped_warm_is_taken_up_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 3)
    path = tmp_path / "cache.db"
    filled(path)
    progress: list[tuple[int, int]] = []
    with opened(path) as writer:
        stopped = warm(writer, should_stop=stop_after(batches), progress=lambda *done: progress.append(done))
        assert stopped.looked_at == min(batches * 3, 10)
        assert progress[-1] == (stopped.looked_at, 10)
        assert not stopped.finished
    assert cache_status(path).freshness == "stale"
    with opened(path) as writer:
        rest = warm(writer)
        assert rest.looked_at == 10 - stopped.looked_at
        assert recount(writer.connection) == []
        found = content(writer.connection)
    assert found == rebuilt(path)
    assert cache_status(path).freshness == "fresh"


@pytest.mark.parametrize("batch", range(4))
def test_a_batch_that_fails_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 3)
    path = tmp_path / "cache.db"
    filled(path)
    counts: Callable[..., None] = ServingWriter.count
    calls = iter(range(100))

    def failing(self: ServingWriter, delta: Any) -> None:
        counts(self, delta)
        if next(calls) == batch:  # everything of the batch is written, nothing is committed
            raise RuntimeError("pulled the plug")

    with opened(path) as writer:
        with monkeypatch.context() as patched:
            patched.setattr(ServingWriter, "count", failing)
            with pytest.raises(RuntimeError, match="plug"):
                warm(writer)
        left = writer.connection.execute("SELECT count(*) FROM dirty_calls").fetchone()[0]
        assert left == 10 - 3 * batch
        assert recount(writer.connection) == []
        warm(writer)
        found = content(writer.connection)
    assert found == rebuilt(path)


KILLED = """
import os, sys
from pathlib import Path
from gongctl.cache import warm as module
from gongctl.cache.serving import ServingWriter
from gongctl.cache.writer import CacheWriter
module.BATCH_CALLS = 3
insert, calls = ServingWriter._insert_segments, iter(range(100))
def dying(self, rows):
    insert(self, rows)
    if next(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
ServingWriter._insert_segments = dying
with CacheWriter.open(Path(sys.argv[1])) as writer:
    module.warm(writer)
"""


@pytest.mark.parametrize("batch", [0, 2])
def test_a_killed_warm_loses_no_finished_batch(tmp_path: Path, batch: int) -> None:
    path = tmp_path / "cache.db"
    filled(path)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), str(batch)], capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr
    assert cache_status(path).freshness == "stale"
    with opened(path) as writer:
        assert recount(writer.connection) == []
        assert warm(writer).looked_at == 10 - 3 * batch
        assert recount(writer.connection) == []
        found = content(writer.connection)
    assert found == rebuilt(path)


def test_a_second_process_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 3)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    path, other = tmp_path / "cache.db", tmp_path / "other.db"
    started: list[ProcessDeriver] = []
    create = ProcessDeriver.__init__

    def noted(self: ProcessDeriver, rules: Rules) -> None:
        create(self, rules)
        started.append(self)

    monkeypatch.setattr(ProcessDeriver, "__init__", noted)
    filled(path)
    shutil.copy(path, other)
    with opened(path) as writer:
        warm(writer)
        here = content(writer.connection)
    assert not started
    monkeypatch.setattr(warm_module, "TWO_PROCESSES_FROM", 1)
    with opened(other) as writer:
        report = warm(writer)
        assert content(writer.connection) == here
        assert recount(writer.connection) == []
    assert isinstance(report, WarmReport)
    assert report.finished
    assert [deriver.process.poll() is not None for deriver in started] == [True]


def test_a_large_build_leaves_an_index_of_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 2)
    pieces = "SELECT count(DISTINCT segid) FROM segments_fts_idx"
    small, large = tmp_path / "small.db", tmp_path / "large.db"
    filled(small)
    shutil.copy(small, large)
    with opened(small) as writer:
        warm(writer)
        assert writer.connection.execute(pieces).fetchone()[0] > 1
        expected = content(writer.connection)
    monkeypatch.setattr(warm_module, "TWO_PROCESSES_FROM", 1)
    monkeypatch.setattr(warm_module, "_MERGED_PAGES", 1)
    with opened(large) as writer:
        warm(writer)
        assert writer.connection.execute(pieces).fetchone()[0] == 1
        writer.connection.execute("INSERT INTO segments_fts (segments_fts) VALUES ('integrity-check')")
        assert content(writer.connection) == expected
        assert recount(writer.connection) == []


def test_when_the_second_process_dies_the_first_one_does_its_work() -> None:
    payload = zlib.compress(b'{"metaData":{"id":"1"}}')
    batch = [RawCall("1", payload, "2026-01-01T00:00:00Z", None), RawCall("2", None, "", None)]
    deriver = ProcessDeriver(RULES)
    try:
        deriver.submit(batch)
        assert deriver.result().calls == derive_batch(batch, RULES).calls
        deriver.process.kill()
        deriver.process.wait()
        deriver.submit(batch)
        assert deriver.result().calls == derive_batch(batch, RULES).calls
    finally:
        deriver.close()


def test_a_payload_that_cannot_be_served_is_said_by_the_second_process_too() -> None:
    deriver = ProcessDeriver(RULES)
    try:
        deriver.submit([RawCall("1", zlib.compress(b"{}"), "", None)])
        with pytest.raises(ValueError, match="without an id"):
            deriver.result()
    finally:
        deriver.close()


def test_warming_without_space_refuses_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.db"
    with opened(path) as writer:
        store(writer, call(1))
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10))
        with pytest.raises(StartupRefusal, match="Warming needs"):
            warm(writer)
        assert writer.connection.execute("SELECT count(*) FROM dirty_calls").fetchone() == (1,)


def test_the_bundled_sample_is_warmed_whole(tmp_path: Path, sample_files: list[Path]) -> None:
    from gongctl.ingest import read_paths

    with opened(tmp_path / "cache.db") as writer:
        import_records(writer, read_paths(sample_files))
        report = warm(writer)
        assert (report.looked_at, report.redone, report.suppressed) == (10, 9, 1)  # one call is private
        assert recount(writer.connection) == []
        masked = writer.connection.execute("SELECT count(*) FROM segments WHERE spans IS NOT NULL").fetchone()[0]
        assert masked <= 5
