"""Settings, scorecards and CRM schema: from their raw records to the rows that are served.

They are few (tens to hundreds), so the tables are written anew whenever a warm ends with news.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from gongctl.cache.crm_context import as_text
from gongctl.governance.judge import Judge
from gongmcp.exposure.clean import clean
from gongmcp.exposure.masking import mask
from gongmcp.exposure.text import format_spans
from gongmcp.store.crm_names import kind_of

_TABLES = (
    *("settings", "scorecards", "scorecard_questions"),
    *("crm_integrations", "crm_schema_objects", "crm_schema_fields"),
)


SETTINGS_TOTALS: Final = {
    "workspace": "workspaces",
    "tracker": "trackers",
    "scorecard": "scorecards",
    "crm_integration": "crm_integrations",
    "crm_schema": "crm_schemas",
}
"""Kinds of raw records that are served as settings, and the names of their totals in the read model."""


def write_settings(connection: sqlite3.Connection, judge: Judge | None = None) -> dict[str, int]:
    """Replace the rows of every settings table by what the raw records say. Wants an open transaction.

    A record that names a restricted customer of *judge* is left out, of the CRM's schema the field that does.
    Returns how many of each kind are served, by the names of the read model's totals.
    """

    def names(item: object) -> bool:
        return judge is not None and judge.names(item)

    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")
    served: Counter[str] = Counter()
    for kind, total in SETTINGS_TOTALS.items():
        served[total] = 0
        for record_id, item, cached_at in _records(connection, kind):
            fields = item.get("fields") if kind == "crm_schema" else None
            if isinstance(fields, list):
                item = {**item, "fields": [field for field in fields if not names(field)]}
            if names(item):
                continue
            served[total] += 1
            if kind == "workspace":
                _setting(connection, kind, record_id, item, item.get("name"), active=True)
            elif kind == "tracker":
                _setting(connection, kind, record_id, item, item.get("trackerName"), active=True)
            elif kind == "scorecard":
                _setting(connection, kind, record_id, item, item.get("scorecardName"), active=_enabled(item))
                _scorecard(connection, record_id, item, cached_at)
            elif kind == "crm_integration":
                _integration(connection, record_id, item)
            else:
                _schema(connection, record_id, item)
    return dict(served)


def count_users(connection: sqlite3.Connection, judge: Judge | None = None) -> int:
    """Return how many users there are, those left out whose record names a restricted customer of *judge*."""
    return sum(judge is None or not judge.names(item) for _, item, _ in _records(connection, "user"))


def _integration(connection: sqlite3.Connection, record_id: str, item: Mapping[str, Any]) -> None:
    name, spans = _masked(item.get("name"))
    connection.execute(
        "INSERT INTO crm_integrations VALUES (?, ?, ?, ?, ?)",
        (record_id, name, spans, _plain(item.get("crmType") or item.get("provider")), _plain(item.get("updated"))),
    )


def _records(connection: sqlite3.Connection, kind: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    rows = connection.execute(
        "SELECT record_id, payload, imported_at FROM raw_records WHERE kind = ? ORDER BY record_id", (kind,)
    ).fetchall()
    for record_id, payload, imported_at in rows:
        yield record_id, msgspec.json.decode(zlib.decompress(payload), type=dict[str, Any]), imported_at


def _plain(value: object) -> str:
    return clean(as_text(value))[0].strip()


def _masked(value: object) -> tuple[str, str | None]:
    masked = mask(as_text(value))
    return masked.value, format_spans(masked.spans)


def _enabled(item: Mapping[str, Any]) -> bool:
    return item.get("enabled", True) is not False


def _setting(
    connection: sqlite3.Connection, kind: str, record_id: str, item: Mapping[str, Any], name: object, *, active: bool
) -> None:
    updated = _plain(item.get("updated")) or _plain(item.get("created"))
    connection.execute(
        "INSERT INTO settings VALUES (?, ?, ?, ?, ?, ?, ?)",
        (kind, record_id, *_masked(name), int(active), _plain(item.get("workspaceId")), updated),
    )


def _scorecard(connection: sqlite3.Connection, record_id: str, item: Mapping[str, Any], cached_at: str) -> None:
    raw = item.get("questions")
    questions = [question for question in raw if isinstance(question, Mapping)] if isinstance(raw, list) else []
    connection.execute(
        "INSERT INTO scorecards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record_id,
            *_masked(item.get("scorecardName")),
            int(_enabled(item)),
            _plain(item.get("reviewMethod")),
            _plain(item.get("workspaceId")),
            len(questions),
            _plain(item.get("created")),
            _plain(item.get("updated")),
            cached_at,
        ),
    )
    connection.executemany(
        "INSERT INTO scorecard_questions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                record_id,
                position,
                _plain(question.get("questionId")),
                *_masked(question.get("questionText")),
                _plain(question.get("questionType")),
                int(question.get("isOverall") is True),
                _whole(question.get("minRange")),
                _whole(question.get("maxRange")),
                *_masked(question.get("answerGuide")),
                json.dumps(_options(question.get("answerOptions")), ensure_ascii=False),
            )
            for position, question in enumerate(questions)
        ],
    )


def _options(raw: object) -> list[str]:
    if not isinstance(raw, list):
        return []
    return [_masked(item.get("text") if isinstance(item, Mapping) else item)[0] for item in raw]


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _schema(connection: sqlite3.Connection, record_id: str, item: Mapping[str, Any]) -> None:
    integration, _, object_type = record_id.rpartition(":")
    fields = _schema_fields(item)
    updated = max((_plain(field.get("lastModified")) for field in fields.values()), default="")
    kind = kind_of(object_type)
    connection.execute(
        "INSERT INTO crm_schema_objects VALUES (?, ?, ?, ?, ?)", (integration, object_type, kind, len(fields), updated)
    )
    connection.executemany(
        "INSERT INTO crm_schema_fields VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                integration,
                object_type,
                name,
                kind,
                _masked(field.get("label"))[0],
                _plain(field.get("type")),
                _plain(field.get("lastModified")),
            )
            for name, field in fields.items()
        ],
    )


def _schema_fields(item: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the fields by name; Gong's documentation calls the name ``uniqueName`` and ``name``."""
    raw = item.get("fields")
    named = {}
    for field in raw if isinstance(raw, list) else ():
        if isinstance(field, Mapping) and field.get("isDeleted") is not True:
            name = _plain(field.get("uniqueName") or field.get("name"))
            if name:
                named[name] = field
    return named
