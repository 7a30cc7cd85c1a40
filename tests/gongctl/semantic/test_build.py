"""Vectors in a cache: made of masked text for what is served, no longer than it is served, and made only once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache import derive
from gongctl.cache.upsert import import_records
from gongctl.cache.verify import recount
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.governance.export import export_filtered
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongmcp.semantic.model import MODEL
from gongmcp.store.schema import first_segment, last_segment
from tests.gongctl.governance.planted import SECRET, STAYING, build, call, listed, rewarm, rules_with

pytest.importorskip("wordllama")
from gongctl.semantic.build import VectorReport, build_vectors, pending_calls


def with_vectors(path: Path) -> VectorReport:
    with CacheWriter.open(path) as writer:
        return build_vectors(writer)


def rows(path: Path) -> dict[str, tuple[Any, ...]]:
    """Return, by call id, (model, windows, their places, scales, vectors) of the calls that have vectors."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        found = connection.execute(
            """SELECT coalesce(f.call_id, '?' || v.call_no), v.model, v.window_count, v.windows, v.scales, v.vectors
               FROM segment_vectors AS v LEFT JOIN call_facts AS f USING (call_no)"""
        )
        return {call_id: tuple(rest) for call_id, *rest in found}


def import_into(path: Path, *items: tuple[Kind, dict[str, Any]]) -> None:
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, [record for kind, value in items for record in records_of(kind, value, Place("test"))])
        assert warm(writer).finished


def test_every_served_call_has_vectors_and_none_that_is_withheld(tmp_path: Path) -> None:
    path = build(tmp_path / "c.db", listed(tmp_path))
    report = with_vectors(path)
    found = rows(path)
    assert set(found) == STAYING
    assert report.finished
    assert report.calls == len(STAYING)
    assert report.vectors == sum(row[1] for row in found.values())
    assert {row[0] for row in found.values()} == {MODEL}
    assert all(len(row[4]) == 256 * row[1] and len(row[3]) == 4 * row[1] for row in found.values())


def test_a_stricter_list_takes_the_vectors_with_the_call(tmp_path: Path) -> None:
    path = build(tmp_path / "c.db")
    with_vectors(path)
    before = rows(path)
    assert set(before) > STAYING  # the control: without a list the others have them
    rewarm(path, listed(tmp_path))
    assert rows(path) == {key: row for key, row in before.items() if key in STAYING}
    with CacheWriter.open(path) as writer:
        assert recount(writer.connection) == []


def test_a_filtered_copy_has_vectors_of_what_is_in_it_alone(tmp_path: Path) -> None:
    path, copy = build(tmp_path / "c.db"), tmp_path / "copy.db"
    with_vectors(path)
    restricted = listed(tmp_path)
    export_filtered(path, copy, rules_with(restricted), restricted)
    assert rows(copy) == {}
    with_vectors(copy)
    assert set(rows(copy)) == STAYING


def test_only_what_is_new_or_changed_is_made(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    import_into(path, *call("1", text="We talked about the price."), *call("2", text="The roof leaks again."))
    assert with_vectors(path).calls == 2
    before = rows(path)
    import_into(path, *call("2", text="The roof is mended."), *call("3", text="Lunch is at noon."))
    assert set(rows(path)) == {"1"}  # what was made of the old words is gone with them
    assert with_vectors(path).calls == 2
    after = rows(path)
    assert after["1"] == before["1"]
    assert after["2"] != before["2"]
    import_into(path, *call("1", title="Another title", text="We talked about the price."))
    assert rows(path) == after
    assert with_vectors(path).calls == 0


def test_a_build_that_is_stopped_goes_on_with_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gongctl.semantic import build as module

    monkeypatch.setattr(module, "_BATCH_ITEMS", 2)
    path = tmp_path / "c.db"
    import_into(path, *(item for number in range(1, 6) for item in call(str(number), text=f"This is call {number}.")))
    steps: list[tuple[int, int]] = []
    with CacheWriter.open(path) as writer:
        stopped = build_vectors(
            writer, progress=lambda done, total: steps.append((done, total)), should_stop=lambda: len(steps) == 2
        )
        assert not stopped.finished
        assert steps == [(2, 5), (4, 5)]
        assert pending_calls(writer.connection) == 1
        rest = build_vectors(writer)
        assert (rest.finished, rest.calls) == (True, 1)
        found = rows(path)
        with writer.transaction():
            writer.connection.execute("DELETE FROM segment_vectors")
        assert build_vectors(writer).calls == 5
    assert rows(path) == found


SPOKEN = "You reach me at {} any time. The invoice was wrong twice this year."


def vectors_of_text(path: Path, text: str) -> bytes:
    import_into(path, *call("1", text=text))
    with_vectors(path)
    vectors: bytes = rows(path)["1"][4]
    return vectors


def test_what_is_masked_has_no_part_in_a_vector(tmp_path: Path) -> None:
    first = vectors_of_text(tmp_path / "a.db", SPOKEN.format("kim@example.com"))
    assert vectors_of_text(tmp_path / "b.db", SPOKEN.format("robin.other@example.org")) == first


def test_control_without_masking_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "find_spans", lambda texts: None)
    first = vectors_of_text(tmp_path / "a.db", SPOKEN.format("kim@example.com"))
    assert vectors_of_text(tmp_path / "b.db", SPOKEN.format("robin.other@example.org")) != first


def test_windows_hold_every_segment_once_and_one_speaker(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    sentences = [
        {"speakerId": speaker, "sentences": [{"start": n, "end": n + 1, "text": f"Sentence {n} of many. " * size}]}
        for n, (speaker, size) in enumerate([("5", 1), ("5", 1), ("6", 1), ("6", 12), ("6", 80), ("5", 1)])
    ]
    import_into(path, call("1")[0], ("transcript", {"callId": "1", "transcript": sentences}))
    with_vectors(path)
    with closing(sqlite3.connect(path)) as connection:
        (number,) = connection.execute("SELECT call_no FROM call_facts").fetchone()
        speakers = dict(
            connection.execute(
                "SELECT segment_no - ?, speaker_no FROM segments WHERE segment_no BETWEEN ? AND ?",
                (first_segment(number), first_segment(number), last_segment(number)),
            ).fetchall()
        )
    places = memoryview(rows(path)["1"][2]).cast("I").tolist()
    spans = list(dict.fromkeys(zip(places[::2], places[1::2], strict=True)))
    assert [n for first, last in spans for n in range(first, last + 1)] == sorted(speakers)
    assert all(len({speakers[n] for n in range(first, last + 1)}) == 1 for first, last in spans)
    assert len(places) // 2 > len(spans)  # the longest was cut into several
