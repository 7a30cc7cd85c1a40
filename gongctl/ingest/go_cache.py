"""The SQLite cache of the Go program ``gongctl``: its payloads, as it got them from Gong.

It keeps each of Gong's records as JSON in a column ``raw_json``. Everything else in it is made from those and is not
read. The file is opened read-only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from gongctl.ingest.decode import decode
from gongctl.ingest.kinds import CRM_SCHEMA_KEY, kind_of
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import BadRecord, Kind, Place, Record, Rejected, Skipped

_TABLES: Final[Mapping[str, Kind]] = {
    "calls": "call",
    "transcripts": "transcript",
    "users": "user",
    "crm_integrations": "crm_integration",
    "scorecard_activity": "answered_scorecard",
}
_SETTINGS: Final[Mapping[str, Kind]] = {"workspace": "workspace", "tracker": "tracker", "scorecard": "scorecard"}
"""Beginnings of the kinds in ``gong_settings``."""


def is_go_cache(path: Path) -> bool:
    """Tell whether *path*, a SQLite database, is such a cache.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    with closing(_open(path)) as connection:
        return {"calls", "transcripts"} <= _with_payloads(connection)


def records_in_go_cache(path: Path, name: str) -> Iterator[Record | Rejected | Skipped]:
    """Yield the records that the cache at *path* keeps; *name* is what places call it."""
    try:
        with closing(_open(path)) as connection:
            yield from _records(connection, name)
    except sqlite3.Error as error:
        yield Rejected(Place(name), f"it cannot be read any further ({type(error).__name__})")


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _with_payloads(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute(
        """SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
           WHERE m.type = 'table' AND c.name = 'raw_json'"""
    )
    return {str(name) for (name,) in rows}


def _records(connection: sqlite3.Connection, name: str) -> Iterator[Record | Rejected | Skipped]:
    here = _with_payloads(connection)
    for table, kind in _TABLES.items():
        if table in here:
            for number, (raw,) in enumerate(connection.execute(f"SELECT raw_json FROM {table} ORDER BY rowid"), 1):
                yield from _record(kind, raw, Place(f"{name} ({table})", item=number))
    if "gong_settings" in here:
        rows = connection.execute("SELECT kind, raw_json FROM gong_settings ORDER BY kind, object_id")
        for number, (said, raw) in enumerate(rows, 1):
            wanted = next((known for begin, known in _SETTINGS.items() if str(said).lower().startswith(begin)), None)
            yield from _record(wanted, raw, Place(f"{name} (gong_settings)", item=number))
    if "crm_schema_fields" in here:
        yield from _crm_schema(connection, name)
    skipped = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'governance_ingest_skipped_calls'"
    ).fetchone()[0]
    if skipped and (count := connection.execute("SELECT count(*) FROM governance_ingest_skipped_calls").fetchone()[0]):
        yield Skipped(
            f"{name} ({count:,} calls that it kept out by its own list)", "nothing of them is in it", part=True
        )


def _crm_schema(connection: sqlite3.Connection, name: str) -> Iterator[Record | Rejected]:
    """Put the fields together that the cache keeps one by one: one record an integration and object type."""
    rows = connection.execute(
        "SELECT integration_id, object_type, raw_json FROM crm_schema_fields"
        " ORDER BY integration_id, object_type, field_name"
    )
    fields: dict[tuple[str, str], list[Any]] = {}
    place = Place(f"{name} (crm_schema_fields)")
    for number, (integration, object_type, raw) in enumerate(rows, 1):
        try:
            fields.setdefault((str(integration), str(object_type)), []).append(decode(_bytes(raw)))
        except BadRecord as error:
            yield Rejected(Place(place.path, item=number), str(error), "crm_schema")
    for (integration, object_type), kept in fields.items():
        try:
            value = {"integrationId": integration, CRM_SCHEMA_KEY: {object_type: kept}}
            yield from records_of("crm_schema", value, place)
        except BadRecord as error:
            yield Rejected(place, str(error), "crm_schema")


def _record(kind: Kind | None, raw: object, place: Place) -> Iterator[Record | Rejected]:
    try:
        value = decode(_bytes(raw))
        if not isinstance(value, dict):
            raise BadRecord("it is no JSON object")
        known = kind or kind_of(value)
        if known is None:
            raise BadRecord("it is no kind of record that is known here")
        yield from records_of(known, value, place)
    except BadRecord as error:
        yield Rejected(place, str(error), kind)


def _bytes(raw: object) -> bytes:
    if isinstance(raw, str):
        return raw.encode("utf-8", "surrogatepass")
    if not isinstance(raw, bytes):
        raise BadRecord("it holds no JSON")
    return raw
