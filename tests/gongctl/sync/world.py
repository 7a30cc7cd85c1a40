"""What the tests of sync share: a served fake Gong, gongctl against it, and the rows of a cache to compare."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gongctl.cli.root import run
from tests.fake_gong.app import KEY, SECRET, FakeGong, Moods
from tests.fake_gong.data import Company
from tests.fake_gong.server import served

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""The present of the tests, for gongctl and for the fake."""

_NOT_COMPARED = frozenset({"imported_at", "generation", "data_generation", "as_of", "cached_at"})
"""Columns that hold times and generations."""
_NOT_ROWS = ("sync_", "sqlite_", "meta", "read_model")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class World:
    """A fake Gong that is served at *url*, and gongctl with credentials for it in the folder *home*."""

    fake: FakeGong
    url: str
    home: Path
    now: datetime = NOW
    environ: dict[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        """Return the environment of a gongctl of this world."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GONG", "XDG_"))}
        root = str(Path(__file__).parents[3])
        own = {
            "PYTHONPATH": root,
            "HOME": str(self.home),
            "GONG_ACCESS_KEY": KEY,
            "GONG_ACCESS_KEY_SECRET": SECRET,
            "GONG_BASE_URL": self.url,
            "GONGCTL_STATE_DIR": str(self.home / "state"),
            "GONGCTL_GONG_RATE": "1000",
            "SOURCE_DATE_EPOCH": str(int(self.now.timestamp())),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        return inherited | own | self.environ

    def fork(self, *arguments: object) -> int:
        """Run gongctl in a child of this process, which costs no start of Python; return its process id."""
        child = os.fork()
        if child == 0:
            try:
                quiet = os.open(os.devnull, os.O_RDWR)
                os.dup2(quiet, 1)
                os.dup2(quiet, 2)
                os.environ.clear()
                os.environ.update(self.variables())
                os.chdir(self.home)
                os._exit(run([str(argument) for argument in arguments]))
            finally:
                os._exit(70)
        return child

    def spawn(self, *arguments: object) -> Done:
        """Run gongctl in a process of its own to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "gongctl", *map(str, arguments)],
            env=self.variables(),
            cwd=self.home,
            text=True,
            capture_output=True,
            timeout=1800,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def world(company: Company, home: Path, moods: Moods | None = None) -> Iterator[World]:
    """Serve *company* while the block runs."""
    fake = FakeGong(company, moods or Moods())
    with served(fake) as url:
        made = World(fake, url, home)
        fake.now = lambda: made.now
        yield made


Gongctl = Callable[..., Done]


def rows(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table of *db*, sorted, without times, generations and the state of sync."""
    connection = sqlite3.connect(db)
    try:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        found: dict[str, list[tuple[Any, ...]]] = {}
        for (table,) in tables:
            if table.startswith(_NOT_ROWS) or "_fts" in table or table.startswith("judged_words"):
                continue
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            compared = ", ".join(column for column in columns if column not in _NOT_COMPARED)
            found[table] = sorted(connection.execute(f"SELECT {compared} FROM {table}"), key=repr)
        found["tallies"] = [row for row in found["tallies"] if row[1]]
        return found
    finally:
        connection.close()


def one(db: Path, query: str, *values: Any) -> Any:
    """Return the first column of the first row of *query*."""
    connection = sqlite3.connect(db)
    try:
        row = connection.execute(query, values).fetchone()
        return None if row is None else row[0]
    finally:
        connection.close()


def ids(db: Path, table: str = "raw_calls") -> set[str]:
    """Return the ids of the calls in *table*."""
    connection = sqlite3.connect(db)
    try:
        return {row[0] for row in connection.execute(f"SELECT call_id FROM {table}")}
    finally:
        connection.close()


RUN_ALL = """
version: 1
private_calls: all
steps:
  - {sync: users}
  - {sync: workspaces}
  - {sync: settings}
  - {sync: crm}
  - {sync: calls, preset: all, from: 2025-12-01, window: 28d}
  - {sync: transcripts}
  - {sync: scorecards, from: 2025-12-01}
"""
"""A file for ``sync run`` that reads everything."""
