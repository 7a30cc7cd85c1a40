"""Opening, creating, locking and closing a cache; what it refuses, and what a reader meets meanwhile."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
from sqlite_utils import Database

from gongctl.cache import migrations
from gongctl.cache import writer as writer_module
from gongctl.cache.clock import utc_now
from gongctl.cache.connection import reading
from gongctl.cache.lock import lock_path, writer_lock
from gongctl.cache.migrations import Migration, migrate, version_of
from gongctl.cache.secret import cache_secret, read_secret_file
from gongctl.cache.writer import CacheWriter
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import APPLICATION_ID, SCHEMA_VERSION


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    path = tmp_path / "c.db"
    with CacheWriter.open(path, create=True):
        pass
    return path


def pragma(path: Path, name: str) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        connection.close()


def beside(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_a_new_cache_is_a_complete_file_and_nothing_lies_beside_it(cache: Path) -> None:
    assert beside(cache) == ["c.db"]
    assert pragma(cache, "application_id") == APPLICATION_ID
    assert pragma(cache, "user_version") == SCHEMA_VERSION
    assert pragma(cache, "auto_vacuum") == 2
    assert int(str(pragma(cache, "page_size"))) >= 4096
    assert pragma(cache, "journal_mode") == "delete"
    assert cache.stat().st_mode & 0o077 == 0


def test_it_is_in_wal_mode_while_it_is_open(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        assert writer.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        with writer.transaction():
            writer.set_meta("x", "1")
        assert "c.db-wal" in beside(cache)
    assert beside(cache) == ["c.db"]


def test_a_transaction_is_all_or_nothing_and_counts(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        with writer.transaction() as first:
            writer.set_meta("x", "1")
        with contextlib.suppress(KeyError), writer.transaction():
            writer.set_meta("x", "2")
            raise KeyError
        with writer.transaction():
            pass
        with writer.transaction() as second:
            # sqlite-utils inside a transaction joins it
            writer.db["tallies"].insert({"name": "a", "value": 1})
            assert writer.connection.in_transaction
        assert (first, second, writer.generation, writer.meta("x")) == (1, 2, 2, "1")


def test_a_missing_cache_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(StartupRefusal) as refused, CacheWriter.open(tmp_path / "c.db"):
        pass
    assert refused.value.exit_code is Exit.CACHE
    assert "gongctl import gong PATH" in refused.value.hint
    assert beside(tmp_path / "x") == []
    with pytest.raises(StartupRefusal, match="folder"), CacheWriter.open(tmp_path / "no" / "c.db", create=True):
        pass


def other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()


def newer(path: Path) -> None:
    with CacheWriter.open(path, create=True) as writer:
        writer.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def damaged(path: Path) -> None:
    with CacheWriter.open(path, create=True):
        pass
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def scribbled(path: Path) -> None:
    with CacheWriter.open(path, create=True):
        pass
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 3000)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "folder"),
        (lambda path: path.touch(), "empty file"),
        (lambda path: path.write_text("not a database, but long enough for a header" * 20), "not a SQLite"),
        (lambda path: path.write_text("short"), "not a SQLite"),
        (other_database, "another program"),
        (newer, "schema version"),
        (damaged, "damaged"),
        (scribbled, "damaged"),
        (lambda path: os.mkfifo(path), "regular file"),
        (lambda path: path.symlink_to(path), "resolve"),
    ],
    ids=["folder", "empty", "text", "short", "other", "newer", "cut", "scribbled", "pipe", "loop"],
)
def test_what_is_no_cache_is_refused_in_one_sentence(tmp_path: Path, make, words: str, create: bool) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "c.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StartupRefusal, match=words) as refused, CacheWriter.open(path, create=create):
        pass
    assert refused.value.exit_code is Exit.CACHE
    if path.is_file():
        assert path.read_bytes() == before
    assert beside(path) == ["c.db"]
    if words != "resolve":
        with pytest.raises(StartupRefusal, match=words), reading(path):
            pass


def test_a_folder_that_cannot_be_written_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gongctl.cache.lock.os.open", denied)
    with pytest.raises(StartupRefusal, match="cannot be written: Permission denied") as refused:
        CacheWriter.open(cache).__enter__()
    assert refused.value.exit_code is Exit.CACHE


def test_a_second_writer_is_told_whom_to_wait_for(cache: Path) -> None:
    with CacheWriter.open(cache):
        with pytest.raises(StartupRefusal, match=f"process {os.getpid()}") as refused, CacheWriter.open(cache):
            pass
        assert refused.value.exit_code is Exit.FAILED
        link = cache.with_name("link.db")
        link.symlink_to(cache)
        with pytest.raises(StartupRefusal, match="Another gongctl"), CacheWriter.open(link):
            pass
    with CacheWriter.open(cache):
        pass


def test_a_lock_left_by_a_dead_process_holds_nobody(cache: Path) -> None:
    lock_path(cache).write_text("99999\n")
    with CacheWriter.open(cache):
        pass
    assert not lock_path(cache).exists()


def test_a_lock_file_that_was_replaced_meanwhile_is_not_taken_for_the_lock(cache: Path) -> None:
    with writer_lock(cache):
        lock_path(cache).unlink()
        with writer_lock(cache):
            assert lock_path(cache).exists()


def test_another_program_that_holds_the_file_is_waited_for_and_then_named(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "BUSY_MS", 50)
    monkeypatch.setattr("gongctl.cache.connection.BUSY_MS", 50)
    other = sqlite3.connect(cache, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StartupRefusal, match="busy") as refused, CacheWriter.open(cache):
        pass
    assert refused.value.exit_code is Exit.FAILED
    other.execute("ROLLBACK")
    with CacheWriter.open(cache) as writer:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StartupRefusal, match="busy"), writer.transaction():
            pass
        other.execute("ROLLBACK")
        with writer.transaction():
            writer.set_meta("x", "1")
    other.close()


def test_a_connected_reader_sees_before_or_after_and_the_next_writer_tidies_up(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        with writer.transaction():
            writer.set_meta("x", "old")
        reader = sqlite3.connect(f"file:{cache}?mode=ro", uri=True, isolation_level=None)
        reader.execute("BEGIN")
        assert reader.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("old",)
        with writer.transaction():
            writer.set_meta("x", "new")
        assert reader.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("old",)
        reader.execute("COMMIT")
        assert reader.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("new",)
    assert pragma(cache, "journal_mode") == "wal"  # a reader is connected: the next writer does it
    assert reader.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("new",)
    reader.close()
    with CacheWriter.open(cache):
        pass
    assert pragma(cache, "journal_mode") == "delete"
    assert beside(cache) == ["c.db"]


def test_a_killed_writer_leaves_what_it_committed_and_no_lock(cache: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from gongctl.cache.writer import CacheWriter\n"
        "with CacheWriter.open(Path(sys.argv[1])) as writer:\n"
        "    with writer.transaction():\n"
        "        writer.set_meta('x', 'kept')\n"
        "    with writer.transaction():\n"
        "        writer.set_meta('x', 'lost')\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(cache)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert "c.db-wal" in beside(cache)
    with reading(cache) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'x'").fetchone() == ("kept",)
    with CacheWriter.open(cache) as writer:
        assert writer.meta("x") == "kept"
    assert beside(cache) == ["c.db"]


def test_an_interrupted_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: Database, **_: object) -> list[Migration]:
        raise KeyboardInterrupt

    monkeypatch.setattr(writer_module, "migrate", broken)
    with pytest.raises(KeyboardInterrupt), CacheWriter.open(tmp_path / "c.db", create=True):
        pass
    assert beside(tmp_path / "c.db") == []


def test_too_little_disk_space_is_said_before_anything_is_written(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 5, 5_000_000))
    with CacheWriter.open(cache) as writer:
        writer.require_space(5_000_000, "This import")
        with pytest.raises(StartupRefusal, match=r"This import needs about 6 MB.*5 MB are free"):
            writer.require_space(6_000_000, "This import")


def test_a_full_disk_is_said_and_nothing_is_half_done(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
        writer.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StartupRefusal, match="full") as refused, writer.transaction():
            writer.connection.executemany(
                "INSERT INTO meta (key, value) VALUES (?, ?)", [(f"key {n}", "x" * 4000) for n in range(100)]
            )
        assert refused.value.exit_code is Exit.FAILED
        assert writer.meta("key 0") is None


CLOSE_FAILS = """
import resource, sys
from pathlib import Path
from gongctl.cache.writer import CacheWriter
from gongmcp.errors import StartupRefusal

try:
    with CacheWriter.open(Path(sys.argv[1])) as writer:
        with writer.transaction():
            writer.set_meta("key", "x" * 1_000_000)
        # Python ignores SIGXFSZ: a write beyond the limit fails, as one beyond a quota does.
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
except StartupRefusal as refusal:
    print(refusal.message, int(refusal.exit_code))
"""


def test_a_disk_error_at_the_end_is_said_and_what_was_committed_is_kept(cache: Path) -> None:
    with CacheWriter.open(cache):
        pass
    done = subprocess.run([sys.executable, "-c", CLOSE_FAILS, str(cache)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"The disk that holds {cache} cannot be read or written. 1\n", "")
    with CacheWriter.open(cache) as writer:
        assert writer.meta("key") == "x" * 1_000_000


def test_a_name_that_is_no_utf8_is_a_name(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.db"))
    with CacheWriter.open(path, create=True) as writer:
        assert writer.generation == 0
    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM meta").fetchone()[0]


# --- secret and clock


def test_the_secret_is_random_unless_a_file_fixes_it(tmp_path: Path) -> None:
    secrets = []
    for name, material in (("a", None), ("b", None), ("c", b"0123456789abcdef"), ("d", b"0123456789abcdef")):
        with CacheWriter.open(tmp_path / name, create=True, secret=material) as writer:
            secrets.append(writer.secret)
            assert len(writer.secret) == 32
    assert secrets[2] == secrets[3] == cache_secret(b"0123456789abcdef")
    assert len(set(secrets)) == 3
    with CacheWriter.open(tmp_path / "c", secret=b"0123456789abcdef") as writer:
        assert writer.secret == secrets[2]
    with pytest.raises(StartupRefusal, match="another secret"), CacheWriter.open(tmp_path / "c", secret=b"x" * 16):
        pass


def test_a_secret_file_is_made_private_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    material = read_secret_file(path)
    assert len(material) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_secret_file(path) == material


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        ("x" * 40, 0o640, "chmod 600"),
        ("x" * 40, 0o604, "chmod 600"),
        ("x" * 15 + "\n\n", 0o600, "16"),
        ("", 0o600, "16"),
    ],
)
def test_a_secret_file_that_others_read_or_that_is_short_is_refused(
    tmp_path: Path, content: str, mode: int, words: str
) -> None:
    path = tmp_path / "secret"
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(StartupRefusal) as refused:
        read_secret_file(path)
    assert words in refused.value.message + refused.value.hint
    assert content not in refused.value.message or not content


def test_a_secret_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path, tmp_path / "no" / "secret", tmp_path / "pipe"):
        with pytest.raises(StartupRefusal):
            read_secret_file(path)


def test_the_writers_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert len(utc_now()) == 20
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert utc_now() == "2026-01-01T00:00:00Z"
    for bad in ("soon", "1e9", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", bad)
        with pytest.raises(StartupRefusal, match="SOURCE_DATE_EPOCH"):
            utc_now()


# --- migrations


def empty_cache(path: Path) -> None:
    """Make a cache of schema version 0: what it is before its first migration."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.close()


def test_an_older_cache_is_brought_up_to_date_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    empty_cache(path)
    seen: list[int] = []
    with CacheWriter.open(path, migrating=lambda migration: seen.append(migration.number)) as writer:
        assert [migration.number for migration in writer.migrated] == list(range(1, SCHEMA_VERSION + 1))
        assert len(writer.secret) == 32
    assert seen == list(range(1, SCHEMA_VERSION + 1))
    assert pragma(path, "user_version") == SCHEMA_VERSION
    with CacheWriter.open(path) as writer:
        assert writer.migrated == []


def double(db: Database) -> bool:
    """Migrate two rows a step: those that still lack the new column's value."""
    if "twice" not in db["numbers"].columns_dict:
        db["numbers"].add_column("twice", int)
    db.conn.execute("UPDATE numbers SET twice = 2 * n WHERE n IN (SELECT n FROM numbers WHERE twice IS NULL LIMIT 2)")
    return bool(db.conn.execute("SELECT 1 FROM numbers WHERE twice IS NULL").fetchone())


def test_a_migration_works_in_batches_and_resumes_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    steps: list[Migration] = []

    def first(db: Database) -> bool:
        db["numbers"].insert_all({"n": n} for n in range(7))
        return False

    plan = (Migration(1, "numbers", first), Migration(2, "twice", double))

    def stop_at_third(migration: Migration) -> None:
        steps.append(migration)
        if len(steps) == 4:
            raise KeyboardInterrupt

    db = Database(sqlite3.connect(path, isolation_level=None), execute_plugins=False)
    with pytest.raises(KeyboardInterrupt):
        migrate(db, migrations=plan, progress=stop_at_third)
    db.conn.close()

    db = Database(sqlite3.connect(path, isolation_level=None), execute_plugins=False)
    assert version_of(db.conn) == 1
    assert db.conn.execute("SELECT count(twice) FROM numbers").fetchone() == (4,)
    assert migrate(db, migrations=plan) == [plan[1]]
    assert version_of(db.conn) == 2
    assert db.conn.execute("SELECT sum(twice) FROM numbers").fetchone() == (42,)
    db.conn.close()


def test_a_step_that_fails_leaves_the_version_and_the_data(tmp_path: Path) -> None:
    def broken(db: Database) -> bool:
        db.conn.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("no")

    db = Database(sqlite3.connect(tmp_path / "c.db", isolation_level=None), execute_plugins=False)
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, migrations=(Migration(1, "broken", broken),))
    assert version_of(db.conn) == 0
    assert db.table_names() == []
    db.conn.close()


def test_the_migrations_lead_to_the_schema_version() -> None:
    assert [migration.number for migration in migrations.MIGRATIONS] == list(range(1, SCHEMA_VERSION + 1))
