"""Forward migrations: what brings a cache file from one ``user_version`` to the next.

A migration is done in steps. Each step runs in its own transaction and says whether another one is
needed; the version rises in the transaction of the last step. So a migration of a large table works
in batches, and one that was interrupted goes on where it stopped: a step finds what is left to do
from the data itself (rows that still lack something), never from memory.

To add one: raise ``SCHEMA_VERSION`` in ``gongmcp.store.schema``, write a step function and append a
``Migration`` to ``MIGRATIONS``.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gongmcp.store.schema import MODEL_DDL, RAW_DDL, SCHEMA_VERSION

if TYPE_CHECKING:
    from sqlite_utils import Database  # reading a cache must not pay for loading it


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered change of the schema.

    *step* is called inside a transaction and returns True while another step is needed.
    """

    number: int
    summary: str
    step: Callable[[Database], bool]


_CREATED = re.compile(r"^CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX) (\w+)", re.MULTILINE)


def _statements(script: str) -> Iterator[str]:
    """Split *script* into statements; ``executescript`` would commit the open transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError("the script ends inside a statement")


def _create_missing(db: Database) -> bool:
    """Create what is missing; a file whose version was set back keeps what it has."""
    present = {row[0] for row in db.conn.execute("SELECT name FROM sqlite_master")}
    for statement in _statements(RAW_DDL + MODEL_DDL):
        created = _CREATED.search(statement)
        if created is None or created[1] not in present:
            db.conn.execute(statement)
    return False


def _profiles_and_verdicts(db: Database) -> bool:
    """Make room for business profiles and verdicts. The tables that change are empty, or the next warm fills them."""
    if "profiles" not in {row[0] for row in db.conn.execute("SELECT name FROM sqlite_master")}:
        for table in ("active_profile", "read_model", "call_facts"):
            db.conn.execute(f"DROP TABLE IF EXISTS {table}")
    return _create_missing(db)


def _sync_and_addresses(db: Database) -> bool:
    """Make room for the state of sync and for keys of addresses, which the next warm fills."""
    columns = {row[1] for row in db.conn.execute("PRAGMA table_info(parties)")}
    if columns and "email_key" not in columns:
        db.conn.execute("DROP TABLE parties")
    return _create_missing(db)


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "raw tables and serving read model", _create_missing),
    Migration(2, "business profiles, and verdicts on calls", _profiles_and_verdicts),
    Migration(3, "tombstones, the state of sync, and keys of addresses", _sync_and_addresses),
)

if [migration.number for migration in MIGRATIONS] != list(range(1, SCHEMA_VERSION + 1)):
    raise RuntimeError("MIGRATIONS does not lead to SCHEMA_VERSION")


def version_of(connection: sqlite3.Connection) -> int:
    """Return how many migrations the cache behind *connection* has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    db: Database,
    *,
    migrations: tuple[Migration, ...] = MIGRATIONS,
    progress: Callable[[Migration], None] | None = None,
) -> list[Migration]:
    """Apply what is missing, step by step, and return the migrations that were finished.

    *progress* is called before each step. Interrupting it loses at most the step under way.
    """
    done: list[Migration] = []
    for migration in migrations[version_of(db.conn) :]:
        more = True
        while more:
            if progress is not None:
                progress(migration)
            db.conn.execute("BEGIN IMMEDIATE")
            with db.conn:
                more = migration.step(db)
                if not more:
                    db.conn.execute(f"PRAGMA user_version = {migration.number}")
        done.append(migration)
    return done
