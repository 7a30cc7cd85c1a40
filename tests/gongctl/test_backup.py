"""Copies of a cache: made while it is served and written, checked, never over another file."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from gongctl.cache.backup import back_up, checksum_path, restore
from gongctl.cache.connection import reading
from gongctl.cache.copies import known_copies
from gongctl.cache.soundness import faults_of
from gongctl.cache.writer import CacheWriter
from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongmcp.errors import Exit, StartupRefusal

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "gong.db"
    build_sample(path)
    return path


@pytest.fixture
def cache(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built, tmp_path / "gong.db"))


def contents(path: Path) -> list[str]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def checked(name: str, out: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def test_a_copy_holds_what_the_cache_holds_and_comes_back(cache: Path, tmp_path: Path) -> None:
    made = back_up(cache, tmp_path / "copy.db")
    assert contents(made.path) == contents(cache)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert checksum_path(made.path).read_text() == f"{made.sha256}  copy.db\n"
    assert contents(restore(made.path, tmp_path / "back.db").path) == contents(cache)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back.db", "copy.db", "copy.db.sha256", "gong.db"]


def test_a_copy_is_one_state_while_the_cache_is_read_and_written(cache: Path, tmp_path: Path) -> None:
    """Each transaction writes two equal values; a copy made meanwhile never holds two that differ."""
    reader = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
    stop = threading.Event()
    begun = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            with CacheWriter.open(cache) as writer:
                for _ in range(20):
                    number += 1
                    with writer.transaction():
                        writer.set_meta("first", str(number))
                        writer.set_meta("second", str(number))
                    begun.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert begun.wait(20)
        for number in range(5):
            made = back_up(cache, tmp_path / f"copy{number}.db")
            with reading(made.path) as connection:
                meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('first', 'second')"))
            assert meta["first"] == meta["second"]
            assert faults_of(made.path) == []
            assert reader.execute("SELECT count(*) FROM call_facts").fetchone()[0] == 9
    finally:
        stop.set()
        thread.join()
        reader.close()


@pytest.mark.parametrize("taken", ["copy.db", "copy.db-wal", "copy.db-journal", "copy.db.sha256"])
def test_nothing_is_written_over(cache: Path, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_bytes(b"mine")
    with pytest.raises(StartupRefusal, match="exists"):
        back_up(cache, tmp_path / "copy.db")
    assert (tmp_path / taken).read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({taken, "gong.db"})


def test_a_link_to_nowhere_is_not_followed(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StartupRefusal, match="exists"):
        back_up(cache, tmp_path / "copy.db")
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_changed_copy_is_not_restored(cache: Path, tmp_path: Path) -> None:
    made = back_up(cache, tmp_path / "copy.db").path
    with made.open("r+b") as file:
        file.seek(made.stat().st_size - 5)
        file.write(b"12345")
    with pytest.raises(StartupRefusal, match="changed or damaged"):
        restore(made, tmp_path / "back.db")
    assert not (tmp_path / "back.db").exists()


def _payload(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE raw_calls SET payload = x'00' WHERE call_id = (SELECT min(call_id) FROM raw_calls)")


def _tally(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE tallies SET value = value + 1 WHERE name = 'segment'")


def _row_not_in_index(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO segments SELECT max(segment_no) + 1, 0, 0, 0, 'more', NULL FROM segments")


def _other_text(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE crm_values SET value = 'zzzyzzy' WHERE value <> ''")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_payload, "1 payloads of raw_calls"),
        (_tally, "kept count of segment"),
        (_row_not_in_index, "full-text index of segments holds"),
        (_other_text, "full-text index of crm values does not find"),
    ],
)
def test_verify_finds_each_kind_of_damage(
    cache: Path, damage: Callable[[sqlite3.Connection], None], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["cache", "verify", "--db", str(cache), "--json"]) == Exit.OK
    assert checked("cache-verify", capfd.readouterr().out)["sound"] is True
    connection = sqlite3.connect(cache)
    with connection:
        damage(connection)
    connection.close()
    assert any(said in fault for fault in faults_of(cache))
    assert run(["cache", "verify", "--db", str(cache)]) == Exit.CACHE
    assert said in capfd.readouterr().out


def test_random_bytes_in_the_middle_are_found_or_do_not_matter(cache: Path, tmp_path: Path) -> None:
    """Whatever byte of a copy is changed, its checksum says so."""
    made = back_up(cache, tmp_path / "copy.db").path
    drawn = random.Random(7)
    whole = made.read_bytes()
    for _ in range(10):
        at = drawn.randrange(len(whole))
        made.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert run(["cache", "verify", "--db", str(made)]) == Exit.CACHE


def test_the_commands(cache: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    copy, back = tmp_path / "copy.db", tmp_path / "back.db"
    assert run(["cache", "backup", "--db", str(cache), "--out", str(copy), "--json"]) == Exit.OK
    assert checked("cache-backup", capfd.readouterr().out)["noted"] is True
    with reading(cache) as connection:
        assert [(made.kind, made.path) for made in known_copies(connection)] == [("backup", str(copy))]
        some = connection.execute("SELECT call_id FROM raw_calls LIMIT 1").fetchone()[0]
    assert run(["cache", "purge", "--db", str(cache), "--call", some, "--confirm"]) == Exit.OK
    assert str(copy) in capfd.readouterr().out, "the certificate names the copy"
    assert run(["cache", "restore", str(copy), "--db", str(back), "--json"]) == Exit.OK
    said = capfd.readouterr()
    assert checked("cache-restore", said.out)["purged_again"] == 0
    assert "--purged-since" in said.err
    back.unlink()
    assert run(["cache", "restore", str(copy), "--db", str(back), "--purged-since", str(cache), "--json"]) == Exit.OK
    assert checked("cache-restore", capfd.readouterr().out)["purged_again"] == 1
    with reading(back) as connection:
        assert connection.execute("SELECT count(*) FROM raw_calls WHERE call_id = ?", (some,)).fetchone()[0] == 0
    assert faults_of(back) == []
    assert run(["--restricted", "cache", "backup", "--db", str(cache), "--out", str(tmp_path / "x.db")]) == Exit.REFUSED
    assert not (tmp_path / "x.db").exists()


def test_a_cache_of_an_older_schema_is_copied_and_not_changed(
    cache: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(cache)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    before = cache.read_bytes()
    assert run(["cache", "backup", "--db", str(cache), "--out", str(tmp_path / "copy.db")]) == Exit.OK
    assert "older schema" in capfd.readouterr().err
    assert cache.read_bytes() == before
    assert contents(tmp_path / "copy.db") == contents(cache)


def test_what_is_no_cache_is_refused(tmp_path: Path) -> None:
    for name, data in (("text", b"hello"), ("empty", b""), ("other", b"SQLite format 3\x00" + bytes(200))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(StartupRefusal):
            back_up(tmp_path / name, tmp_path / "copy.db")
    with pytest.raises(StartupRefusal, match="no cache at"):
        back_up(tmp_path / "missing", tmp_path / "copy.db")
    with pytest.raises(StartupRefusal, match="does not exist"):
        back_up(tmp_path / "text", tmp_path / "no" / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_checksum_is_written_through_no_link(cache: Path, tmp_path: Path) -> None:
    target, elsewhere = tmp_path / "copy.db", tmp_path / "elsewhere"
    checksum_path(target).symlink_to(elsewhere)
    with pytest.raises(StartupRefusal):
        back_up(cache, target)
    assert not elsewhere.exists()
    assert not target.exists()
