"""Which copies were made of a cache: so that a purge can say what else is to be deleted.

Known is what gongctl itself wrote while it could note it: newest first, at most a hundred, in ``meta.copies``.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import reading
from gongctl.cache.migrations import version_of
from gongctl.cache.writer import CacheWriter
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import SCHEMA_VERSION

KEY: Final = "copies"
_KEPT: Final = 100

Kind = Literal["backup", "filtered export", "operator's model"]


@dataclass(frozen=True, slots=True)
class KnownCopy:
    """A file made from the cache: its *kind*, its *path*, when it was made."""

    kind: str
    path: str
    at: str


def known_copies(connection: sqlite3.Connection) -> list[KnownCopy]:
    """Return the copies that the cache behind *connection* knows of, newest first."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (KEY,)).fetchone()
    return [KnownCopy(**item) for item in json.loads(row[0])] if row is not None else []


def note_copy(cache: Path, kind: Kind, copy: Path) -> None:
    """Note in *cache* that *copy* was made of it.

    Raises:
        StartupRefusal: the cache cannot be written now, or is of an older schema, which a copy is no reason to change.
    """
    with reading(cache) as connection:
        if version_of(connection) != SCHEMA_VERSION:
            raise StartupRefusal(f"The cache {cache} is of an older schema.", "", Exit.CACHE)
    with CacheWriter.open(cache) as writer:
        note_copy_in(writer, kind, copy)


def note_copy_in(writer: CacheWriter, kind: Kind, copy: Path) -> None:
    """Note in the open cache of *writer* that *copy* was made of it."""
    made = KnownCopy(kind, str(copy.absolute()), utc_now())
    kept = [item for item in known_copies(writer.connection) if item.path != made.path]
    with writer.transaction():
        writer.set_meta(KEY, json.dumps([asdict(item) for item in (made, *kept)][:_KEPT]))
