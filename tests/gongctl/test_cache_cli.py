"""``gongctl import gong`` and ``gongctl cache``: what they print, their exit codes, their JSON."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl import sample
from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongmcp.errors import Exit
from gongmcp.store.model import ModelRules
from gongmcp.store.schema import APPLICATION_ID, SCHEMA_VERSION

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gongctl:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    monkeypatch.delenv("GONGCTL_DB", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call


def checked(name: str, done: Done) -> Any:
    value = json.loads(done.out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def test_importing_twice_and_what_is_said_to_do_next(gongctl: Gongctl) -> None:
    first = gongctl("import", "gong", sample.directory(), "--db", "c.db")
    assert first.code == Exit.OK
    lines = [line.split() for line in first.out.splitlines()]
    assert ["call", "10", "0", "0", "0"] in lines
    assert ["answered", "scorecard"] in [line[:2] for line in lines]
    assert "now holds 10 calls, 8 transcripts" in first.out
    assert "Run: gongctl cache warm --db c.db" in first.err
    assert "Passed over, no JSON: " in first.err
    second = gongctl("import", "gong", sample.directory(), "--db", "c.db")
    assert second.code == Exit.OK
    assert ["call", "0", "0", "10", "0"] in [line.split() for line in second.out.splitlines()]
    assert "Nothing has changed." in second.out


def test_the_json_of_an_import(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("bad.jsonl").write_text('{"metaData":{"id":"1"}}\n{"metaData":{}}\noops\n{"callId":"2","transcript":[]}\n')
    monkeypatch.setenv("GONGCTL_DB", "c.db")
    done = gongctl("import", "gong", "bad.jsonl", "--json")
    assert done.code == Exit.FAILED
    value = checked("import-gong", done)
    assert value["kinds"]["call"] == {"new": 1, "changed": 0, "unchanged": 0, "rejected": 1}
    assert value["rejected_count"] == 2
    assert [(item["file"], item["line"], item["kind"]) for item in value["rejected"]] == [
        ("bad.jsonl", 2, "call"),
        ("bad.jsonl", 3, None),
    ]
    assert value["cache"]["waiting_transcripts"] == 1
    assert value["freshness"] == "missing"
    assert value["next"] == ["gongctl cache warm --db c.db"]
    assert "Rejected bad.jsonl:2: it has no id" in done.err
    assert "Rejected bad.jsonl:3: it is not JSON" in done.err


def test_the_text_of_an_import_with_rejections_and_waiting_transcripts(gongctl: Gongctl) -> None:
    lines = ["oops"] * 25
    lines[0] = '{"callId":"2","transcript":[]}'
    Path("many.jsonl").write_text("\n".join(lines))
    done = gongctl("import", "gong", "many.jsonl", "--db", "c.db")
    assert done.code == Exit.FAILED
    assert done.err.count("Rejected many.jsonl:") == 20
    assert "and 4 more" in done.err
    assert "1 transcripts wait for their calls" in done.out
    assert ["(unknown)", "0", "0", "0", "24"] in [line.split() for line in done.out.splitlines()]


def test_file_names_are_drawn_literally(gongctl: Gongctl) -> None:
    Path("\x1b[31mevil.json").write_text("oops")
    done = gongctl("import", "gong", ".", "--db", "c.db")
    assert done.code == Exit.FAILED
    assert "\x1b" not in done.err + done.out
    assert "evil.json" in done.err


@pytest.mark.parametrize("what", ["missing", "empty-folder"])
def test_paths_without_anything_are_wrong_usage_and_make_no_cache(gongctl: Gongctl, what: str) -> None:
    Path("empty-folder").mkdir()
    done = gongctl("import", "gong", what, "--db", "c.db")
    assert done.code == Exit.USAGE
    assert not Path("c.db").exists()
    assert gongctl("import", "gong", "--db", "c.db").code == Exit.USAGE
    assert gongctl("import", "gong", "empty-folder").code == Exit.USAGE


def test_a_cache_in_the_folder_of_its_files_is_no_input(gongctl: Gongctl) -> None:
    Path("one.json").write_text('{"metaData":{"id":"1"}}')
    for _ in range(2):
        done = gongctl("import", "gong", ".", "--db", "c.db")
        assert done.code == Exit.OK
        assert "c.db" not in done.err.replace("--db c.db", "")
    assert gongctl("import", "gong", "c.db", "--db", "c.db").code == Exit.USAGE


def test_a_cache_whose_links_go_round_in_a_circle_is_refused(gongctl: Gongctl) -> None:
    Path("loop.db").symlink_to("loop.db")
    done = gongctl("import", "gong", str(sample.files()[0]), "--db", "loop.db")
    assert done.code == 4
    assert "loop.db cannot be resolved." in done.err


def test_commands_on_no_cache_end_with_4(gongctl: Gongctl) -> None:
    Path("notes.txt").write_text("x" * 2000)
    for command in ("status", "inventory", "warm"):
        done = gongctl("cache", command, "--db", "nothing.db")
        assert (done.code, done.out) == (Exit.CACHE, "")
        assert "There is no cache at" in done.err
        assert gongctl("cache", command, "--db", "notes.txt").code == Exit.CACHE
    assert gongctl("import", "gong", sample.directory(), "--db", "notes.txt").code == Exit.CACHE
    assert not Path("nothing.db").exists()


def test_init_creates_and_then_says_that_it_is_there(gongctl: Gongctl) -> None:
    done = gongctl("cache", "init", "--db", "c.db", "--secret-file", "secret", "--json")
    assert done.code == Exit.OK
    value = checked("cache-init", done)
    assert value == {
        "db": "c.db",
        "created": True,
        "migrations": [],
        "schema_version": SCHEMA_VERSION,
        "next": ["gongctl import gong PATH --db c.db"],
    }
    assert Path("secret").stat().st_mode & 0o777 == 0o600
    again = gongctl("cache", "init", "--db", "c.db", "--secret-file", "secret")
    assert again.code == Exit.OK
    assert "already" in again.out
    other = gongctl("cache", "init", "--db", "c.db", "--secret-file", "other")
    assert other.code == Exit.USAGE
    Path("secret").chmod(0o644)
    refused = gongctl("cache", "init", "--db", "d.db", "--secret-file", "secret")
    assert refused.code == Exit.USAGE
    assert not Path("d.db").exists()


def older_cache(path: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.close()


def test_status_works_on_an_older_schema_and_init_migrates_it(gongctl: Gongctl) -> None:
    older_cache("c.db")
    before = Path("c.db").read_bytes()
    done = gongctl("cache", "status", "--db", "c.db")
    assert done.code == Exit.OK
    assert f"version 0 of {SCHEMA_VERSION}" in done.out
    assert "Next: gongctl cache init --db c.db" in done.err
    value = checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))
    assert value["migration_needed"] is True
    checked("cache-inventory", gongctl("cache", "inventory", "--db", "c.db", "--json"))
    assert Path("c.db").read_bytes() == before
    migrated = gongctl("cache", "init", "--db", "c.db")
    assert migrated.code == Exit.OK
    assert "now at schema version" in migrated.out
    assert "Bringing the schema to version 1" in migrated.err
    assert checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))["migration_needed"] is False


def served(path: str, *, data_generation: int, complete: bool, digest: str | None = None) -> None:
    """Put a small read model into the cache, as ``warm`` would."""
    with CacheWriter.open(Path(path)) as writer, writer.transaction() as generation:
        writer.connection.execute(
            "INSERT OR REPLACE INTO read_model VALUES (1, ?, 1, ?, ?, '2026-01-01T00:00:00Z', ?, 'base', '', '[]')",
            (digest or ModelRules().digest, generation, data_generation, complete),
        )
        writer.connection.execute("DELETE FROM counters")
        writer.connection.executemany(
            "INSERT INTO counters VALUES (?, ?, ?, ?)",
            [("total", "calls", "", 10), ("total", "transcripts", "", 8), ("total", "segments", "", 99),
             ("object_type", "Account", "objects", 5), ("object_type", "Account", "calls", 4),
             ("object_type", "Account", "distinct_object_ids", 3)],
        )  # fmt: skip
        if complete:
            writer.connection.execute("DELETE FROM dirty_calls")


def test_status_tells_freshness_and_what_to_run(gongctl: Gongctl) -> None:
    gongctl("import", "gong", sample.directory(), "--db", "c.db")
    value = checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))
    assert (value["freshness"], value["read_model"], value["dirty_calls"]) == ("missing", None, 10)
    assert value["raw"]["calls"] == 10
    assert value["last_import_at"] == "2026-01-01T00:00:00Z"
    with CacheWriter.open(Path("c.db")) as writer:
        held = int(writer.meta("data_generation") or 0)
    served("c.db", data_generation=held, complete=False)
    assert checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))["freshness"] == "missing"
    served("c.db", data_generation=held, complete=True, digest="of other rules")
    value = checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))
    assert (value["freshness"], value["read_model"]["current"]) == ("missing", False)
    assert "other rules" in gongctl("cache", "status", "--db", "c.db").out
    served("c.db", data_generation=held, complete=True)
    value = checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))
    assert (value["freshness"], value["next"]) == ("fresh", [])
    assert value["read_model"]["segments"] == 99
    text = gongctl("cache", "status", "--db", "c.db")
    assert "Read model: fresh, as of 2026-01-01T00:00:00Z." in text.out
    rows = {line.split()[0]: line.split()[1:] for line in text.out.splitlines() if line.strip()}
    assert rows["segments"][1] == "99"
    Path("new.json").write_text('{"metaData":{"id":"77"}}')
    imported = gongctl("import", "gong", "new.json", "--db", "c.db")
    assert "does not hold this data yet. Run: gongctl cache warm --db c.db" in imported.err
    value = checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))
    assert (value["freshness"], value["dirty_calls"]) == ("stale", 1)
    assert value["next"] == ["gongctl cache warm --db c.db"]


def test_warm_makes_it_fresh_and_redoes_only_what_changed(gongctl: Gongctl) -> None:
    gongctl("import", "gong", sample.directory(), "--db", "c.db")
    first = checked("cache-warm", gongctl("cache", "warm", "--db", "c.db", "--json"))
    assert (first["redone"], first["freshness"], first["next"]) == (9, "fresh", [])
    assert first["segments"] == gongctl_status(gongctl)["read_model"]["segments"] > 1000
    Path("new.json").write_text('{"metaData":{"id":"77","started":"2026-01-01T00:00:00Z"}}')
    gongctl("import", "gong", "new.json", "--db", "c.db")
    second = gongctl("cache", "warm", "--db", "c.db")
    assert second.code == Exit.OK
    assert "Redone: 1 of 1 call " in second.out
    assert "fresh" in second.out
    assert gongctl_status(gongctl)["read_model"]["calls"] == 10


def gongctl_status(gongctl: Gongctl) -> Any:
    return checked("cache-status", gongctl("cache", "status", "--db", "c.db", "--json"))


STOPPED = """
import os, signal, sys
from gongctl.cache import warm
from gongctl.cli import progress
from gongctl.cli.root import run

warm.BATCH_CALLS = 3


class Poke:
    def __init__(self, label):
        pass

    def __enter__(self):
        return lambda done, total: done and os.kill(os.getpid(), signal.SIGINT)

    def __exit__(self, *_):
        pass


progress.items_progress = Poke
sys.exit(run(sys.argv[1:]))
"""


def test_ctrl_c_lets_the_warm_finish_its_batch(gongctl: Gongctl) -> None:
    gongctl("import", "gong", sample.directory(), "--db", "c.db")
    command = ["cache", "warm", "--db", "c.db", "--json"]
    done = subprocess.run([sys.executable, "-c", STOPPED, *command], check=False, capture_output=True, text=True)
    assert done.returncode == Exit.INTERRUPTED, done.stderr
    value = checked("cache-warm", Done(done.returncode, done.stdout, done.stderr))
    assert (value["interrupted"], value["redone"], value["dirty_calls"]) == (True, 3, 7)
    assert "7 calls are left" in done.stderr
    assert gongctl_status(gongctl)["freshness"] == "missing"
    assert "not finished" in gongctl("cache", "status", "--db", "c.db").out
    rest = checked("cache-warm", gongctl(*command))
    assert (rest["interrupted"], rest["redone"], rest["freshness"]) == (False, 6, "fresh")


def test_status_changes_no_byte_and_reads_while_a_writer_works(gongctl: Gongctl) -> None:
    gongctl("import", "gong", sample.directory(), "--db", "c.db")
    before = Path("c.db").read_bytes()
    gongctl("cache", "status", "--db", "c.db")
    gongctl("cache", "inventory", "--db", "c.db")
    assert Path("c.db").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["c.db"]
    with CacheWriter.open(Path("c.db")) as writer, writer.transaction():
        writer.set_meta("last_import_at", "later")
        assert gongctl("cache", "status", "--db", "c.db").code == Exit.OK


def test_the_commands_to_run_are_quoted_for_a_shell(gongctl: Gongctl) -> None:
    done = gongctl("cache", "init", "--db", "my cache.db")
    assert "--db 'my cache.db'" in done.err


def test_the_inventory_has_counts_and_no_values(gongctl: Gongctl) -> None:
    gongctl("import", "gong", sample.directory(), "--db", "c.db")
    served("c.db", data_generation=0, complete=True)
    done = gongctl("cache", "inventory", "--db", "c.db", "--json")
    value = checked("cache-inventory", done)
    kinds = {row["kind"]: row for row in value["kinds"]}
    assert kinds["call"]["records"] == 10
    assert kinds["transcript"]["payload_bytes"] > 10_000
    assert value["calls_not_in_months"] == 10
    assert value["object_types"] == [{"object_type": "Account", "objects": 5, "calls": 4}]
    assert value["mode"] == "0600"
    text = gongctl("cache", "inventory", "--db", "c.db").out
    with sqlite3.connect("c.db") as connection:
        for (call_id,) in connection.execute("SELECT call_id FROM raw_calls"):
            assert call_id not in text + done.out
    Path("c.db").chmod(0o644)
    assert "readable by other users" in gongctl("cache", "inventory", "--db", "c.db").out


def test_the_months_of_the_inventory_come_from_the_read_model(gongctl: Gongctl) -> None:
    gongctl("cache", "init", "--db", "c.db")
    with CacheWriter.open(Path("c.db")) as writer, writer.transaction():
        columns = [row[1:4] for row in writer.connection.execute("PRAGMA table_info(call_facts)")]
        for number, month, segments in ((1, "2026-01", 5), (2, "2026-01", 0), (3, "2026-02", 7)):
            own = {"call_no": number, "call_id": str(number), "call_ref": str(number), "call_month": month,
                   "segment_count": segments, "transcript_present": int(segments > 0)}  # fmt: skip
            row = [own.get(name, 0 if kind == "INTEGER" else "") for name, kind, _ in columns]
            writer.connection.execute(f"INSERT INTO call_facts VALUES ({','.join('?' * len(row))})", row)
    value = checked("cache-inventory", gongctl("cache", "inventory", "--db", "c.db", "--json"))
    assert value["months"] == [
        {"month": "2026-01", "calls": 2, "transcripts": 1, "segments": 5},
        {"month": "2026-02", "calls": 1, "transcripts": 1, "segments": 7},
    ]


INTERRUPTED = """
import os, signal, sys
from gongctl.cache import upsert
from gongctl.cli.root import run

upsert.BATCH_RECORDS = 10
store = upsert.store_records
seen = 0

def storing(writer, batch, report):
    global seen
    store(writer, batch, report)
    seen += 1
    if seen == 3:
        os.kill(os.getpid(), signal.SIGINT)

upsert.store_records = storing
sys.exit(run(sys.argv[1:]))
"""


def test_ctrl_c_says_what_is_kept_and_the_next_run_goes_on(gongctl: Gongctl) -> None:
    Path("calls.jsonl").write_text("\n".join(json.dumps({"metaData": {"id": str(n)}}) for n in range(100)))
    command = ["import", "gong", "calls.jsonl", "--db", "c.db", "--json"]
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, *command], check=False, capture_output=True, text=True)
    assert done.returncode == Exit.INTERRUPTED
    assert "30 records are safely in the cache" in done.stderr
    assert "Run the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    assert checked("import-gong", Done(done.returncode, done.stdout, done.stderr))["interrupted"] is True
    assert sorted(path.name for path in Path().iterdir()) == ["c.db", "calls.jsonl"]
    again = checked("import-gong", gongctl(*command))
    assert again["kinds"]["call"] == {"new": 70, "changed": 0, "unchanged": 30, "rejected": 0}


def test_a_second_import_at_the_same_time_is_refused(gongctl: Gongctl) -> None:
    with CacheWriter.open(Path("c.db"), create=True):
        done = gongctl("import", "gong", sample.directory(), "--db", "c.db")
    assert done.code == Exit.FAILED
    assert "is writing the cache" in done.err


def test_too_little_space_is_said_before_the_import(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 5, 1000))  # type: ignore[attr-defined]
    done = gongctl("import", "gong", sample.directory(), "--db", "c.db")
    assert done.code == Exit.FAILED
    assert "This import needs about" in done.err
