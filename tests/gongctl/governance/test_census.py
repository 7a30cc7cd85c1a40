"""The census: its counts are those of a recount by hand, and it can be stopped, killed and done by many."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.governance import census as module
from gongctl.governance.census import Tally, census
from gongctl.ingest import read_paths
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Place
from tests.gongctl.governance.planted import SECRET, account, call
from tests.gongmcp.stdio_process import ROOT, environment

E = "kim@example.com"
PHONE = "+1 202 555 0143"


def build(path: Path, records: list[Any]) -> Path:
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, [r for kind, value in records for r in records_of(kind, value, Place("test"))])
        assert warm(writer).finished
    return path


RECORDS = [
    *call("1", title=f"Mail {E}", text=f"Write to {E} or {E}.|It is {PHONE} for you.", meta={"language": "eng"}),
    *call("2", text="Schreiben Sie an kim at|example dot com bitte.", meta={"language": "deu"}),
    *call("3", text=f"A private word of {E}.", meta={"isPrivate": True}),
    *call("4", context=[account("Globex", Note=f"ask {E}", Phone="202 555 0143")]),
    *call("5", parties=[{"name": "Robin Example", "title": f"Boss {E}", "emailAddress": E, "phoneNumber": PHONE}]),
]


def plain(tally: Tally) -> dict[tuple[str, str, str, str], int]:
    """Return the finds by when, kind, field and language."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for (when, kind, month, language, where), count in tally.cells.items():
        assert month == "2026-03"
        found[when, kind, where, language] += count
    return dict(found)


def test_finds_are_counted_before_and_after_masking(tmp_path: Path) -> None:
    found = census(build(tmp_path / "c.db", RECORDS), processes=0)
    assert found.finished
    assert plain(found.tally) == {
        ("before", "email", "title", "eng"): 1,
        ("before", "email", "transcript", "eng"): 3,  # two of call 1, one of the private call
        ("before", "phone", "transcript", "eng"): 1,
        ("before", "email", "transcript", "deu"): 1,  # said over two sentences: one find
        ("before", "email", "crm_value", "eng"): 1,
        ("before", "phone", "crm_value", "eng"): 1,
        ("before", "email", "party", "eng"): 3 + 2,  # the party of calls 1, 3, 4; title and address of call 5
        ("before", "email", "party", "deu"): 1,
        ("before", "phone", "party", "eng"): 1,
    }
    assert (found.tally.calls, found.tally.served_calls) == (5, 4)
    assert (found.tally.segments, found.tally.served_segments) == (7, 6)


def test_what_masking_missed_is_counted_after(tmp_path: Path) -> None:
    path = build(tmp_path / "c.db", RECORDS)
    with CacheWriter.open(path) as writer, writer.transaction():
        writer.connection.execute("UPDATE segments SET text = ? WHERE text LIKE 'Write%'", (f"Write to {E}.",))
    found = plain(census(path, processes=0).tally)
    assert {key: count for key, count in found.items() if key[0] == "after"} == {
        ("after", "email", "transcript", "eng"): 1
    }


def test_names_that_nobody_explains_and_no_others(tmp_path: Path) -> None:
    said = (
        "Well we saw Wilhelmina Quist and then Wilhelmina Quist's boat.|Quist came by in June.|Today Robin said hello"
        " to Dana and Kim, and to Globex.|And I'm sure that Ünal Çelik agrees, as Robin Quist does."
    )
    path = build(
        tmp_path / "c.db",
        [
            *call("1", text=said, context=[account("Globex")]),
            ("user", {"id": "1", "firstName": "Kim", "lastName": "Example", "emailAddress": "dana@example.com"}),
        ],
    )
    found = census(path, processes=0).tally
    assert found.unexplained() == [("Wilhelmina Quist", 2), ("Robin Quist", 1), ("Ünal Çelik", 1)]
    assert found.unexplained(1) == [("Wilhelmina Quist", 2)]


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("census") / "sample.db"
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, read_paths(sample.files()))
        assert warm(writer).finished
    return path


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_CALLS", 2)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_many_processes_count_what_one_counts(bundled: Path, processes: int) -> None:
    alone = census(bundled, processes=0).tally
    assert alone.segments > 1_000
    assert census(bundled, processes=processes).tally == alone


@pytest.mark.usefixtures("small_chunks")
def test_a_process_that_dies_is_stood_in_for(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = census(bundled, processes=0).tally
    monkeypatch.setattr(module, "_CHILD", "import sys; sys.exit(3)")
    assert census(bundled, processes=2).tally == alone


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("processes", [0, 2])
def test_stopped_again_and_again_it_ends_with_the_same(bundled: Path, tmp_path: Path, processes: int) -> None:
    whole = census(bundled, processes=0).tally
    state = tmp_path / "census.part"
    runs = 0
    while True:
        asked = iter((False, False, *[True] * 100))
        found = census(bundled, state=state, processes=processes, should_stop=lambda it=asked: next(it))
        runs += 1
        if found.finished:
            break
        assert state.stat().st_mode & 0o777 == 0o600
    assert runs > 1
    assert found.resumed
    assert found.tally == whole
    assert not state.exists()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("text", ["", "{", '{"mark": "of another cache", "done": "5", "tally": {}}', "[]", "null"])
def test_a_state_that_is_not_ours_is_passed_over(bundled: Path, tmp_path: Path, text: str) -> None:
    state = tmp_path / "census.part"
    state.write_text(text)
    found = census(bundled, state=state, processes=0)
    assert not found.resumed
    assert found.tally == census(bundled, processes=0).tally


def test_the_rarest_names_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NAMES", 4)
    tally = Tally()
    tally.add(Tally(names=Counter({"Ann": 5, "Ben": 4, "Cid": 3, "Dan": 2})))
    assert not tally.forgotten
    tally.add(Tally(names=Counter({"Eve": 1})))
    assert tally.forgotten
    assert tally.names == {"Ann": 5, "Ben": 4}


def test_killed_it_goes_on(tmp_path: Path) -> None:
    """The whole command is killed with its state saved after each chunk; the next one takes it up."""
    path = build(tmp_path / "c.db", [item for n in range(1, 29) for item in call(str(n), text=f"Ask {E}." * 50)])
    out = tmp_path / "census.json"
    code = (
        "import sys; from gongctl.governance import census as m; m.CHUNK_CALLS = 1; m.SAVE_SECONDS = 0.0\n"
        "from gongctl.cli.root import run; sys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "governance", "census", "--db", str(path), "--out", str(out)]
    state = tmp_path / "census.json.part"
    process = subprocess.Popen(command, env=environment(), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not state.exists() and process.poll() is None:
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = subprocess.run(command, env=environment(), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text())
    assert (result["calls"], result["segments"]) == (28, 28)
    assert sum(cell["before"] for cell in result["cells"] if cell["field"] == "transcript") == 28 * 50
    assert re.search(r"28 segments of 28 calls", done.stderr)
    assert not state.exists()
