"""What other programs copied of Gong becomes the same cache as Gong's own answers, record by record."""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl import sample
from gongctl.cache.upsert import import_records, unpack
from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.ingest import find_files, read
from gongctl.ingest.detect import Unknown, read_detected, source_of
from gongctl.ingest.files import Unreadable
from gongctl.ingest.records import Rejected, Skipped
from gongmcp.errors import Exit

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "import-auto.json"

AIRBYTE = {
    "call": "extensiveCalls",
    "transcript": "callTranscripts",
    "user": "users",
    "workspace": "workspaces",
    "tracker": "trackers",
    "scorecard": "scorecards",
    "answered_scorecard": "answeredScorecards",
}
SINGER = {"call": "calls", "transcript": "call_transcripts", "user": "users", "scorecard": "scorecards"}
GO_TABLES = {
    "call": "calls",
    "transcript": "transcripts",
    "user": "users",
    "answered_scorecard": "scorecard_activity",
    "crm_integration": "crm_integrations",
}

Rows = dict[tuple[str, str], bytes]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, dict[str, Any]]]:
    """The sample's records as (kind, payload): what Gong delivered."""
    path = tmp_path_factory.mktemp("direct") / "gong.db"
    with CacheWriter.open(path, create=True) as writer:
        import_records(writer, read(find_files(sample.files())))
        rows = writer.connection.execute(
            """SELECT 'call', payload FROM raw_calls UNION ALL SELECT 'transcript', payload FROM raw_transcripts
               UNION ALL SELECT kind, payload FROM raw_records"""
        )
        return [(kind, unpack(payload)) for kind, payload in rows]


def stored(path: Path) -> Rows:
    connection = sqlite3.connect(path)
    try:
        return {
            (kind, record_id): digest
            for kind, record_id, digest in connection.execute(
                """SELECT 'call', call_id, digest FROM raw_calls
                   UNION ALL SELECT 'transcript', call_id, digest FROM raw_transcripts
                   UNION ALL SELECT kind, record_id, digest FROM raw_records"""
            )
        }
    finally:
        connection.close()


def imported(files: Iterable[Path], db: Path) -> tuple[Rows, Any]:
    with CacheWriter.open(db, create=True) as writer:
        report = import_records(writer, read_detected(find_files(files)))
    return stored(db), report


def direct(records: Iterable[tuple[str, dict[str, Any]]], kinds: Iterable[str], folder: Path) -> Rows:
    """Return what ``import gong`` stores of the same records."""
    wanted = set(kinds)
    path = folder / "direct.jsonl"
    lines = [json.dumps(value) for kind, value in records if kind in wanted]
    path.write_text("\n".join(lines))
    with CacheWriter.open(folder / "direct.db", create=True) as writer:
        import_records(writer, read(find_files([path])))
    return stored(folder / "direct.db")


def airbyte_lines(records: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    yield json.dumps({"type": "LOG", "log": {"level": "INFO", "message": "Starting"}})
    yield json.dumps({"type": "TRACE", "trace": {"type": "STREAM_STATUS"}})
    for kind, value in records:
        if kind in AIRBYTE:
            data = (
                {**value, "id": value["metaData"]["id"], "context": value.get("context")} if kind == "call" else value
            )
            record = {"stream": AIRBYTE[kind], "data": data, "emitted_at": 1_767_225_600_000}
            yield json.dumps({"type": "RECORD", "record": record})
    yield json.dumps({"type": "STATE", "state": {"type": "STREAM"}})


def singer_lines(records: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    for kind, stream in SINGER.items():
        yield json.dumps({"type": "SCHEMA", "stream": stream, "schema": {"properties": {}}, "key_properties": ["id"]})
        for has, value in records:
            if has == kind:
                meta = value.get("metaData", {})
                more = {"id": meta["id"], "started": meta["started"]} if kind == "call" else {}
                yield json.dumps({"type": "RECORD", "stream": stream, "record": {**value, **more}})
    yield json.dumps({"type": "STATE", "value": {"bookmarks": {}}})


def test_airbyte_s_messages(records: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("\n".join(airbyte_lines(records)))
    rows, report = imported([file], tmp_path / "c.db")
    assert rows == direct(records, AIRBYTE, tmp_path)
    assert (report.rejected_count, report.skipped) == (0, [])
    assert len(rows) > 40


def test_singer_s_messages_gzip_d(records: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    file = tmp_path / "tap.out"
    file.write_bytes(gzip.compress("\n".join(singer_lines(records)).encode()))
    rows, report = imported([file], tmp_path / "c.db")
    assert rows == direct(records, SINGER, tmp_path)
    assert report.rejected_count == 0


@pytest.mark.parametrize("as_text", [False, True])
def test_airbyte_s_raw_files_by_their_names(
    records: list[tuple[str, dict[str, Any]]], tmp_path: Path, as_text: bool
) -> None:
    folder = tmp_path / "raw"
    folder.mkdir()
    for kind, stream in AIRBYTE.items():
        lines = [
            json.dumps(
                {
                    "_airbyte_raw_id": "a",
                    "_airbyte_extracted_at": 1,
                    "_airbyte_data": json.dumps(value) if as_text else value,
                }
            )
            for has, value in records
            if has == kind
        ]
        (folder / f"_airbyte_raw_{stream}.jsonl").write_text("\n".join(lines))
    (folder / "notes.txt").write_text("nothing")
    rows, report = imported([folder], tmp_path / "c.db")
    assert rows == direct(records, AIRBYTE, tmp_path)
    assert [Path(item.path).name for item in report.skipped] == ["notes.txt"]


def test_rows_of_a_singer_target_without_their_deleted_ones(
    records: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    calls = [value for kind, value in records if kind == "call"]
    file = tmp_path / "calls-20260101T000000.jsonl"
    marks = {"_sdc_extracted_at": "2026-01-01T00:00:00Z", "_sdc_deleted_at": None}
    gone = {**calls[0], **marks, "_sdc_deleted_at": "2026-01-02T00:00:00Z"}
    file.write_text("\n".join(json.dumps(row) for row in [*({**call, **marks} for call in calls[1:]), gone]))
    rows, _ = imported([file], tmp_path / "c.db")
    assert rows == direct([("call", call) for call in calls[1:]], ["call"], tmp_path)


def go_cache(path: Path, records: Iterable[tuple[str, dict[str, Any]]]) -> None:
    connection = sqlite3.connect(path)
    for table in GO_TABLES.values():
        connection.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY, raw_json BLOB NOT NULL, raw_sha256 TEXT)")
    connection.execute("CREATE TABLE gong_settings (kind TEXT, object_id TEXT, raw_json BLOB NOT NULL)")
    connection.execute(
        "CREATE TABLE crm_schema_fields (integration_id TEXT, object_type TEXT, field_name TEXT, raw_json BLOB)"
    )
    connection.execute("CREATE TABLE governance_ingest_skipped_calls (call_id TEXT PRIMARY KEY)")
    connection.execute("INSERT INTO governance_ingest_skipped_calls VALUES ('1')")
    for number, (kind, value) in enumerate(records):
        text = json.dumps(value)
        if kind in GO_TABLES:
            row = (str(number), text.encode() if number % 2 else text, "")
            connection.execute(f"INSERT INTO {GO_TABLES[kind]} VALUES (?, ?, ?)", row)
        elif kind == "crm_schema":
            for field in value["fields"]:
                name = field.get("uniqueName") or field.get("name")
                row = (value["integrationId"], value["objectType"], name, json.dumps(field))
                connection.execute("INSERT INTO crm_schema_fields VALUES (?, ?, ?, ?)", row)
        else:
            connection.execute("INSERT INTO gong_settings VALUES (?, ?, ?)", (f"{kind}s", str(number), text))
    connection.commit()
    connection.close()


def test_the_cache_of_the_go_program(records: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    file = tmp_path / "gong.sqlite"
    go_cache(file, records)
    before = file.read_bytes()
    rows, report = imported([file], tmp_path / "c.db")
    kinds = {kind for kind, _ in records} - {"crm_schema"}
    assert {key: digest for key, digest in rows.items() if key[0] != "crm_schema"} == direct(records, kinds, tmp_path)
    sorted_fields = {
        (value["integrationId"], value["objectType"], len(value["fields"]))
        for kind, value in records
        if kind == "crm_schema" and value["fields"]
    }
    assert len([key for key in rows if key[0] == "crm_schema"]) == len(sorted_fields) > 0
    assert [item.path for item in report.skipped] == [f"{file} (1 calls that it kept out by its own list)"]
    assert report.rejected_count == 0
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if "gong.sqlite" in path.name) == ["gong.sqlite"]


def test_a_stream_that_is_none_of_gong_s_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    lines = [{"type": "RECORD", "record": {"stream": "libraryFolders\x1b[0m", "data": {"x": n}}} for n in range(3)]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    (item,) = read_detected(find_files([file]))
    assert isinstance(item, Skipped)
    assert item.path.endswith("(stream libraryFolders??0m, 3 records)")


def test_bad_lines_are_told_by_their_place_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = {"type": "RECORD", "stream": "users", "record": {"id": 7, "emailAddress": "a@example.com"}}
    lines = [
        json.dumps(good),
        '{"type": "RECORD", "stream": "users", "record": {"id"',
        json.dumps({"type": "RECORD", "stream": "users", "record": {"id": None}}),
        json.dumps({"hello": 1}),
        json.dumps({"type": "RECORD", "stream": "users", "record": [1]}),
        json.dumps({**good, "record": {"id": 8}}),
    ]
    file = tmp_path / "tap.jsonl"
    file.write_text("\n".join(lines))
    found = list(read_detected(find_files([file])))
    rejected = [item for item in found if isinstance(item, Rejected)]
    assert [item.place.line for item in rejected] == [2, 3, 4, 5]
    assert [item.record_id for item in found if not isinstance(item, Rejected | Skipped)] == ["7", "8"]


UNKNOWN = {
    "b.json": (b'{"hello": 1}', "JSON of another kind"),
    "c.zip": (b"PK\x03\x04rest", "ZIP archive"),
    "d.csv": (b"id,title\n1,x\n", "not JSON"),
    "e": (b"", "empty"),
    "f.db": (b"SQLite format 3\x00" + bytes(84), "cannot be read"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_nothing_of_it_is_refused_with_what_it_seems_to_be(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data, said = UNKNOWN[name]
    (tmp_path / name).write_bytes(data)
    (file,) = find_files([tmp_path / name])
    with pytest.raises((Unknown, Unreadable), match=said):
        source_of(file)
    assert run(["import", "auto", str(tmp_path / name), "--db", str(tmp_path / "c.db")]) == Exit.USAGE
    assert said in capfd.readouterr().err
    assert not (tmp_path / "c.db").exists()


def test_other_databases_are_told_apart(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "own.db", create=True):
        pass
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    for name, said in (("own.db", "a cache of this program"), ("other.db", "of another program")):
        with pytest.raises(Unknown, match=said):
            source_of(next(find_files([tmp_path / name])))


def test_the_command_says_what_it_read(
    records: list[tuple[str, dict[str, Any]]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(airbyte_lines(records)))
    (folder / "b.jsonl").write_text("\n".join(singer_lines(records)))
    go_cache(folder / "c.sqlite", records)
    (folder / "d.json").write_bytes(gzip.decompress(sample.files()[0].read_bytes()))
    db = tmp_path / "c.db"
    assert run(["import", "auto", str(folder), "--db", str(db), "--json"]) == Exit.OK
    value = json.loads(capfd.readouterr().out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert sorted(value["sources"].values()) == [1, 1, 1, 1]
    assert value["kinds"]["call"]["new"] == 10
    assert value["kinds"]["call"]["changed"] == 0, "the same calls from four sources are the same"
    assert run(["import", "auto", str(folder), "--db", str(db)]) == Exit.OK
    assert "Nothing has changed." in capfd.readouterr().out


def test_cut_off_anywhere_it_keeps_what_was_whole(records: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    drawn = random.Random(3)
    whole = "\n".join(line for line in singer_lines(records) if len(line) < 5000).encode()
    for number in range(20):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(whole[: drawn.randrange(200, len(whole))])
        found = list(read_detected(find_files([file])))
        assert sum(isinstance(item, Rejected) for item in found) <= 1
