"""What sensitive data a cache holds: how much, of which kind and month. Never a value of it."""

from __future__ import annotations

import sqlite3
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.ingest.records import KINDS

_WHAT: Final[dict[str, str]] = {
    "call": "titles, participants (names, e-mail addresses, phone numbers), CRM context, AI summaries",
    "transcript": "every spoken sentence, unmasked",
    "user": "names, e-mail addresses and phone numbers of Gong users",
    "workspace": "names of workspaces",
    "tracker": "keywords that are listened for",
    "scorecard": "questions and guides",
    "answered_scorecard": "who was reviewed by whom, scores, answers",
    "crm_integration": "the owner's e-mail address",
    "crm_schema": "names of CRM fields and their options",
    "vcon": "imported conversations as they came: people, what was said, files",
}


@dataclass(frozen=True, slots=True)
class KindInventory:
    """Records of one *kind* in the raw half, their compressed *payload_bytes*, and *what* they hold."""

    kind: str
    records: int
    payload_bytes: int
    what: str


@dataclass(frozen=True, slots=True)
class MonthInventory:
    """Warmed calls that began in *month* (UTC), with their transcripts and masked segments."""

    month: str
    calls: int
    transcripts: int
    segments: int


@dataclass(frozen=True, slots=True)
class ObjectTypeInventory:
    """CRM objects of one type in the read model."""

    object_type: str
    objects: int
    calls: int


@dataclass(frozen=True, slots=True)
class CacheInventory:
    """The inventory. *months* and *object_types* come from the read model; *calls_not_in_months* are
    imported calls that it does not hold (yet). *mode* is the file's permissions in octal."""

    db: str
    file_bytes: int
    mode: str
    readable_by_others: bool
    kinds: list[KindInventory]
    months: list[MonthInventory]
    calls_not_in_months: int
    object_types: list[ObjectTypeInventory]

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl cache inventory --json`` prints."""
        return asdict(self)


def cache_inventory(path: Path) -> CacheInventory:
    """Return the inventory of the cache at *path*. It looks at every row's size, but reads no payload.

    Raises:
        StartupRefusal: there is no cache that can be read.
    """
    with reading(path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        sizes = _sizes(connection) if {"raw_calls", "raw_transcripts", "raw_records"} <= tables else {}
        if "raw_vcons" in tables:
            held = connection.execute("SELECT count(*), coalesce(sum(length(payload)), 0) FROM raw_vcons").fetchone()
            sizes["vcon"] = (int(held[0]), int(held[1]))
        months: list[MonthInventory] = []
        types: list[ObjectTypeInventory] = []
        missing = 0
        if {"call_facts", "counters"} <= tables:
            months = [
                MonthInventory(*row)
                for row in connection.execute(
                    """SELECT call_month, count(*), sum(transcript_present), sum(segment_count)
                       FROM call_facts GROUP BY call_month ORDER BY call_month"""
                )
            ]
            types = [
                ObjectTypeInventory(*row)
                for row in connection.execute(
                    """SELECT key, sum(value) FILTER (WHERE detail = 'objects'),
                              sum(value) FILTER (WHERE detail = 'calls')
                       FROM counters WHERE counter = 'object_type' GROUP BY key ORDER BY key"""
                )
            ]
            missing = connection.execute(
                """SELECT count(*) FROM raw_calls AS raw
                   WHERE NOT EXISTS (SELECT 1 FROM call_facts WHERE call_facts.call_id = raw.call_id)"""
            ).fetchone()[0]
    info = path.stat()
    mode = stat.S_IMODE(info.st_mode)
    return CacheInventory(
        db=str(path),
        file_bytes=info.st_size,
        mode=f"{mode:04o}",
        readable_by_others=bool(mode & 0o044),
        kinds=[
            KindInventory(kind, *sizes.get(kind, (0, 0)), _WHAT[kind])
            for kind in (*KINDS, *(("vcon",) if sizes.get("vcon", (0, 0))[0] else ()))
        ],
        months=months,
        calls_not_in_months=missing,
        object_types=types,
    )


def _sizes(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return (records, payload bytes) a kind; SQLite tells a blob's length without reading it."""
    rows = connection.execute(
        """SELECT 'call', count(*), coalesce(sum(length(payload)), 0) FROM raw_calls
           UNION ALL SELECT 'transcript', count(*), coalesce(sum(length(payload)), 0) FROM raw_transcripts
           UNION ALL SELECT kind, count(*), sum(length(payload)) FROM raw_records GROUP BY kind"""
    )
    return {kind: (records, size) for kind, records, size in rows}
