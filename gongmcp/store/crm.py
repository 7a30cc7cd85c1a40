"""Queries over the CRM context of calls: kept counters, never scans."""

from __future__ import annotations

from dataclasses import dataclass

from gongmcp.store.connection import ReadStore


@dataclass(frozen=True, slots=True)
class ObjectTypeCounts:
    """Counts of one CRM object type: attached objects, calls with one, distinct field names, those
    populated somewhere, distinct object ids."""

    object_type: str
    objects: int
    calls: int
    fields: int
    populated_fields: int
    distinct_object_ids: int


def object_types(store: ReadStore) -> list[ObjectTypeCounts]:
    """Return the counts of every CRM object type, most objects first."""
    counts: dict[str, dict[str, int]] = {}
    for row in store.rows("SELECT key, detail, value FROM counters WHERE counter = 'object_type'"):
        counts.setdefault(row["key"], {})[row["detail"]] = row["value"]
    fields = _fields_per_type(store, "crm_field")
    populated = _fields_per_type(store, "crm_field_populated")
    found = [
        ObjectTypeCounts(
            object_type=name,
            objects=values.get("objects", 0),
            calls=values.get("calls", 0),
            fields=fields.get(name, 0),
            populated_fields=populated.get(name, 0),
            distinct_object_ids=values.get("distinct_object_ids", 0),
        )
        for name, values in counts.items()
    ]
    return sorted(found, key=lambda item: (-item.objects, item.object_type))


def _fields_per_type(store: ReadStore, counter: str) -> dict[str, int]:
    rows = store.rows(
        "SELECT key, count(*) AS fields FROM counters WHERE counter = :counter GROUP BY key", {"counter": counter}
    )
    return {row["key"]: row["fields"] for row in rows}
