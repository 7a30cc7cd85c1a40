"""Sync over real HTTP makes the cache that ``import gong`` makes of the same data: row by row, one secret."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gongctl import sample
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import find_files, read
from tests.fake_gong.app import FakeGong, Moods
from tests.fake_gong.data import read_company
from tests.gongctl.sync.world import RUN_ALL, Gongctl, World, rows, world

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warmed cache of the sample, imported from its files."""
    db = tmp_path_factory.mktemp("imported") / "c.db"
    with CacheWriter.open(db, create=True, secret=SECRET.encode()) as writer:
        import_records(writer, read(find_files(sample.files())))
        warm(writer)
    return db


def empty(home: Path) -> Path:
    """Make an empty cache of the same secret, and the file of a run."""
    db = home / "c.db"
    with CacheWriter.open(db, create=True, secret=SECRET.encode()):
        pass
    (home / "run.yaml").write_text(RUN_ALL)
    return db


def assert_same(db: Path, imported: Path) -> None:
    ours, theirs = rows(db), rows(imported)
    assert ours.keys() == theirs.keys()
    for table, expected in theirs.items():
        assert ours[table] == expected, table
    assert len(theirs["raw_calls"]) == 10
    assert theirs["segments"]
    assert theirs["crm_schema_fields"]


@pytest.mark.parametrize("page_size", [2, 100])
def test_a_run_makes_the_cache_that_an_import_makes(
    page_size: int, home: Path, imported: Path, gongctl_of: Callable[[World], Gongctl]
) -> None:
    with world(read_company(sample.directory()), home, Moods(page_size=page_size)) as there:
        gongctl = gongctl_of(there)
        db = empty(home)
        done = gongctl("sync", "run", "--config", "run.yaml", "--db", db, "--json")
        assert done.code == 0, done.err
        assert done.json["ok"] is True
        assert_same(db, imported)
        before = len(there.fake.seen)
        again = gongctl("sync", "run", "--config", "run.yaml", "--db", db, "--json")
        assert again.code == 0
        assert [step["records"]["new"] + step["records"]["changed"] for step in again.json["steps"]] == [0] * 7
        assert_same(db, imported)
        assert len(there.fake.seen) - before < before, "what is settled is not listed again"


def test_chaos_changes_nothing_in_the_cache(
    home: Path, imported: Path, gongctl_of: Callable[[World], Gongctl], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gongctl.gong.retry.Patience.back_off", lambda self, attempt: 0.01)
    moods = Moods(page_size=1, share_429=0.1, share_500=0.1, share_dropped=0.1, seed=7)
    with world(read_company(sample.directory()), home, moods) as there:
        gongctl = gongctl_of(there)
        db = empty(home)
        done = gongctl("sync", "run", "--config", "run.yaml", "--db", db, "--json")
        assert done.code == 0, done.err
        assert_same(db, imported)
        statuses = [item.status for item in there.fake.seen]
        assert {0, 429, 500} <= set(statuses), "the chaos took place"


def test_killed_anywhere_and_resumed_it_ends_in_the_same_cache(
    home: Path, imported: Path, gongctl_of: Callable[[World], Gongctl]
) -> None:
    chance = random.Random(11)
    with world(read_company(sample.directory()), home, Moods(page_size=2)) as there:
        db = empty(home)
        killed = 0
        for _ in range(6):
            child = there.fork("sync", "run", "--config", "run.yaml", "--db", db)
            until = there.fake.requests + chance.randrange(3, 22)
            ended, status = 0, 0
            while there.fake.requests < until and not ended:
                time.sleep(0.0005)
                ended, status = os.waitpid(child, os.WNOHANG)
            time.sleep(chance.random() * 0.01)
            if not ended:
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
        done = gongctl_of(there)("sync", "run", "--config", "run.yaml", "--db", db, "--json")
        assert done.code == 0, done.err
        assert killed >= 3
        assert_same(db, imported)


def test_cursors_that_expire_start_their_window_over(
    home: Path, imported: Path, gongctl_of: Callable[[World], Gongctl]
) -> None:
    def expire(fake: FakeGong, number: int) -> None:
        fake.moods.cursor_life = 0 if number % 7 == 0 else None

    with world(read_company(sample.directory()), home, Moods(page_size=4)) as there:
        there.fake.before_answer = expire
        gongctl = gongctl_of(there)
        db = empty(home)
        done = gongctl("sync", "run", "--config", "run.yaml", "--db", db, "--json")
        assert done.code == 0, done.err
        assert_same(db, imported)
        assert any(item.status == 400 for item in there.fake.seen), "a cursor expired"


def test_ids_as_integers_are_the_same_ids(home: Path, imported: Path, gongctl_of: Callable[[World], Gongctl]) -> None:
    company = read_company(sample.directory())
    for call in company.calls:
        for key in ("id", "primaryUserId", "workspaceId"):
            if call["metaData"].get(key):
                call["metaData"][key] = int(call["metaData"][key])
    with world(company, home) as there:
        gongctl = gongctl_of(there)
        db = empty(home)
        assert gongctl("sync", "run", "--config", "run.yaml", "--db", db).code == 0
        assert_same(db, imported)
