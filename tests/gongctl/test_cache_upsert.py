"""Storing records: new, changed, unchanged; what is kept, counted and marked; interruption at any point."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.cache.upsert import BATCH_RECORDS, WAITING, ImportReport, import_records, unpack
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import KINDS, Place, Record, Rejected, Skipped, read_paths
from gongctl.ingest.kinds import CRM_SCHEMA_KEY, kind_of
from gongctl.ingest.normalise import records_of

HERE = Place("x.json")


@pytest.fixture
def writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CacheWriter]:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    with CacheWriter.open(tmp_path / "c.db", create=True) as opened:
        yield opened


def record(value: dict[str, Any]) -> Record:
    kind = "crm_schema" if CRM_SCHEMA_KEY in value else kind_of(value)
    assert kind is not None
    (found,) = records_of(kind, json.loads(json.dumps(value)), HERE)
    return found


def call(number: int = 1, **parts: Any) -> Record:
    title = parts.pop("title", f"call {number}")
    return record({"metaData": {"id": str(number), "title": title}, **parts})


def transcript(number: int = 1, segments: int = 2, text: str = "hello") -> Record:
    sentences = [{"start": n, "end": n, "text": text} for n in range(segments)]
    return record({"callId": str(number), "transcript": [{"speakerId": "1", "sentences": sentences}]})


def outcome(report: ImportReport, kind: str) -> tuple[int, int, int, int]:
    count = report.kinds[kind]  # type: ignore[index]
    return count.new, count.changed, count.unchanged, count.rejected


def tallies(writer: CacheWriter) -> dict[str, int]:
    return {name: value for name, value in writer.connection.execute("SELECT name, value FROM tallies") if value}


def counted(writer: CacheWriter) -> dict[str, int]:
    """Count the raw half the slow way."""
    one = lambda sql: writer.connection.execute(sql).fetchone()[0]  # noqa: E731
    found = {
        "call": one("SELECT count(*) FROM raw_calls"),
        "transcript": one("SELECT count(*) FROM raw_transcripts"),
        "segment": one("SELECT coalesce(sum(segment_count), 0) FROM raw_transcripts"),
        WAITING: one("SELECT count(*) FROM raw_transcripts WHERE call_id NOT IN (SELECT call_id FROM raw_calls)"),
        **dict(writer.connection.execute("SELECT kind, count(*) FROM raw_records GROUP BY kind")),
    }
    return {name: value for name, value in found.items() if value}


def dirty(writer: CacheWriter) -> list[str]:
    return [call_id for (call_id,) in writer.connection.execute("SELECT call_id FROM dirty_calls ORDER BY call_id")]


def stored_call(writer: CacheWriter, number: int = 1) -> dict[str, Any]:
    row = writer.connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (str(number),)).fetchone()
    return unpack(row[0])


def test_the_sample_is_new_and_then_unchanged(writer: CacheWriter, sample_files: list[Path]) -> None:
    first = import_records(writer, read_paths(sample_files))
    assert outcome(first, "call") == (10, 0, 0, 0)
    assert outcome(first, "transcript") == (8, 0, 0, 0)
    assert first.segments == tallies(writer)["segment"] > 1000
    assert set(tallies(writer)) == {*KINDS, "segment"}
    assert tallies(writer) == counted(writer)
    assert len(dirty(writer)) == 10
    assert first.changed
    generation = writer.meta("data_generation")

    second = import_records(writer, read_paths(sample_files))
    assert not second.changed
    assert second.segments == 0
    assert second.accepted == first.accepted
    for kind in KINDS:
        new, _, _, _ = outcome(first, kind)
        assert outcome(second, kind) == (0, 0, new, 0)
    assert writer.meta("data_generation") == generation
    assert tallies(writer) == counted(writer)


def test_content_decides_not_order_of_keys_or_form_of_ids(writer: CacheWriter) -> None:
    import_records(writer, [record({"metaData": {"id": 6843152929075440037, "title": "x"}, "parties": [{"id": 5}]})])
    again = record({"parties": [{"id": "5"}], "metaData": {"title": "x", "id": "6843152929075440037"}})
    assert outcome(import_records(writer, [again]), "call") == (0, 0, 1, 0)
    other = record({"metaData": {"id": "6843152929075440000", "title": "x"}})
    assert outcome(import_records(writer, [other]), "call") == (1, 0, 0, 0)


def test_a_change_marks_its_call_and_raises_the_data_generation(writer: CacheWriter) -> None:
    import_records(writer, [call(1), call(2), transcript(1)])
    writer.connection.execute("DELETE FROM dirty_calls")
    before = int(writer.meta("data_generation") or 0)
    report = import_records(writer, [call(1), call(2, title="new title"), transcript(1, 3)])
    assert outcome(report, "call") == (0, 1, 1, 0)
    assert outcome(report, "transcript") == (0, 1, 0, 0)
    assert report.segments == 3
    assert dirty(writer) == ["1", "2"]
    assert int(writer.meta("data_generation") or 0) > before
    assert tallies(writer) == counted(writer) == {"call": 2, "transcript": 1, "segment": 3}
    rows = writer.connection.execute("SELECT call_id, generation FROM raw_calls ORDER BY call_id").fetchall()
    assert rows[0][1] <= before < rows[1][1]


def test_records_of_other_kinds_change_the_data_but_no_call(writer: CacheWriter) -> None:
    user = {"id": "1", "emailAddress": "a@b.example"}
    import_records(writer, [record(user)])
    assert dirty(writer) == []
    assert outcome(import_records(writer, [record({**user, "active": False})]), "user") == (0, 1, 0, 0)
    assert tallies(writer) == {"user": 1}
    same_id = [record({"id": "1", "name": "Sales"}), record({"trackerId": "1"}), record({"scorecardId": "1"})]
    import_records(writer, same_id)
    assert tallies(writer) == {"user": 1, "workspace": 1, "tracker": 1, "scorecard": 1} == counted(writer)


@pytest.mark.parametrize("together", [True, False])
def test_a_transcript_waits_for_its_call(writer: CacheWriter, together: bool) -> None:
    import_records(writer, [transcript(1), transcript(2)])
    assert tallies(writer)[WAITING] == 2
    later = [transcript(3), call(3), call(1)]
    for batch in [later] if together else [[item] for item in later]:
        import_records(writer, batch)
        assert tallies(writer) == counted(writer)
    assert tallies(writer)[WAITING] == 1
    assert dirty(writer) == ["1", "2", "3"]


def test_a_minimal_delivery_keeps_the_parts_it_lacks(writer: CacheWriter) -> None:
    full = call(1, context=[{"objects": []}], parties=[{"id": "5"}], content={"brief": "b"})
    import_records(writer, [full])
    assert outcome(import_records(writer, [call(1)]), "call") == (0, 0, 1, 0)
    assert outcome(import_records(writer, [call(1, title="t")]), "call") == (0, 1, 0, 0)
    kept = stored_call(writer)
    assert kept["metaData"]["title"] == "t"
    assert kept["context"] == [{"objects": []}]
    assert kept["content"] == {"brief": "b"}
    # an empty list means none, and is not undone by what was there before
    import_records(writer, [call(1, title="t", context=[], parties=[])])
    assert stored_call(writer)["context"] == []
    import_records(writer, [call(1, title="t")])
    assert stored_call(writer)["context"] == []
    assert stored_call(writer)["content"] == {"brief": "b"}


def test_equal_ids_within_one_batch_follow_each_other(writer: CacheWriter) -> None:
    report = import_records(
        writer, [call(1, context=[{"a": 1}]), call(1), call(1, title="t"), transcript(1, 5), transcript(1, 2)]
    )
    assert outcome(report, "call") == (1, 1, 1, 0)
    assert outcome(report, "transcript") == (1, 1, 0, 0)
    assert stored_call(writer) == {"metaData": {"id": "1", "title": "t"}, "context": [{"a": 1}]}
    assert tallies(writer) == counted(writer) == {"call": 1, "transcript": 1, "segment": 2}


def test_the_time_of_first_import_stays(writer: CacheWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    import_records(writer, [call(1)])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767229200")
    import_records(writer, [call(1, title="t"), call(2)])
    times = dict(writer.connection.execute("SELECT call_id, imported_at FROM raw_calls"))
    assert times == {"1": "2026-01-01T00:00:00Z", "2": "2026-01-01T01:00:00Z"}
    assert writer.meta("last_import_at") == "2026-01-01T01:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767232800")
    import_records(writer, [call(2)])
    assert writer.meta("last_import_at") == "2026-01-01T02:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767236400")
    import_records(writer, [Rejected(HERE, "bad")])
    assert writer.meta("last_import_at") == "2026-01-01T02:00:00Z"


def test_what_was_rejected_or_passed_over_is_reported(writer: CacheWriter) -> None:
    report = import_records(
        writer, [Rejected(HERE, "a", "call"), call(1), Rejected(HERE, "b"), Skipped("README", "it is not JSON")]
    )
    assert outcome(report, "call") == (1, 0, 0, 1)
    assert (report.rejected_count, report.unknown_rejected) == (2, 1)
    assert [item.reason for item in report.rejected] == ["a", "b"]
    assert [item.path for item in report.skipped] == ["README"]


def test_many_rejections_are_counted_but_not_all_kept(writer: CacheWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongctl.cache.upsert.REJECTED_KEPT", 3)
    report = import_records(writer, (Rejected(HERE, "x", "user") for _ in range(10)))
    assert (report.rejected_count, len(report.rejected)) == (10, 3)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 4), st.integers(0, 3), st.booleans()),
        max_size=12,
    ),
    st.integers(1, 4),
)
def test_kept_counts_are_the_counts_after_any_history(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, int, int, bool]], size: int
) -> None:
    records = [
        transcript(number, variant)
        if is_transcript
        else call(number, title=f"v{variant}", **({"parties": []} if p else {}))
        for is_transcript, number, variant, p in steps
    ]
    with CacheWriter.open(tmp_path_factory.mktemp("c") / "c.db", create=True) as writer:
        for at in range(0, len(records), size):
            import_records(writer, records[at : at + size])
        assert tallies(writer) == counted(writer)
        written = {record.record_id for record in records}
        assert set(dirty(writer)) == written


def test_an_interruption_between_batches_keeps_what_was_counted(writer: CacheWriter) -> None:
    def stream() -> Iterator[Record]:
        for number in range(3 * BATCH_RECORDS):
            if number == 2 * BATCH_RECORDS + 7:
                raise KeyboardInterrupt
            yield call(number)

    report = ImportReport()
    with pytest.raises(KeyboardInterrupt):
        import_records(writer, stream(), report=report)
    assert outcome(report, "call") == (2 * BATCH_RECORDS, 0, 0, 0)
    assert tallies(writer) == counted(writer) == {"call": 2 * BATCH_RECORDS}
    assert len(dirty(writer)) == 2 * BATCH_RECORDS
    assert writer.meta("last_import_at")


KILLED = """
import os, signal, sys
from pathlib import Path
from gongctl.cache import upsert
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths

upsert.BATCH_RECORDS = 10
after = int(sys.argv[3])
seen = 0

def on_batch(report):
    global seen
    seen += 1
    print(report.kinds["call"].new, flush=True)
    if seen == after:
        # in the middle of the next transaction, after its first statements
        def killer(statement):
            if "raw_calls" in statement and "INSERT" in statement:
                os.kill(os.getpid(), signal.SIGKILL)
        writer.connection.set_trace_callback(killer)

with CacheWriter.open(Path(sys.argv[1]), create=True) as writer:
    upsert.import_records(writer, read_paths([Path(sys.argv[2])]), on_batch=on_batch)
"""


@pytest.mark.parametrize("after", [1, 3])
def test_a_kill_in_the_middle_of_a_batch_loses_nothing_that_was_acknowledged(tmp_path: Path, after: int) -> None:
    source = tmp_path / "calls.jsonl"
    source.write_text("\n".join(json.dumps({"metaData": {"id": str(n)}}) for n in range(100)))
    db = tmp_path / "c.db"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(db), str(source), str(after)], check=False, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    acknowledged = int(done.stdout.split()[-1])
    assert acknowledged == 10 * after
    with CacheWriter.open(db) as writer:
        assert tallies(writer) == counted(writer) == {"call": acknowledged}
        assert len(dirty(writer)) == acknowledged
        report = import_records(writer, read_paths([source]))
        assert outcome(report, "call") == (100 - acknowledged, 0, acknowledged, 0)
        assert tallies(writer) == counted(writer) == {"call": 100}
