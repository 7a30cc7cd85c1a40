"""Queries over the CRM context of calls: kept counters, never scans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.store.calls import CallPage
from gongmcp.store.connection import ReadStore
from gongmcp.store.crm_names import kind_of

US = "\x1f"
"""Between the parts of a counter's key."""


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


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """Counts of one field of an object type.

    *objects* have it, *populated* of those are not blank; lengths are in characters of populated values;
    *label* and *field_type* come from the CRM schema, '' when it says nothing.
    """

    object_type: str
    field_name: str
    label: str
    field_type: str
    objects: int
    calls: int
    populated: int
    distinct_values: int
    min_length: int
    max_length: int
    avg_length: float

    @property
    def custom(self) -> bool:
        """True for a field that a customer added: its name can tell what a company does."""
        return self.field_name.casefold().endswith("__c") or not self.field_name.isascii()


def fields(store: ReadStore, object_type: str) -> list[FieldCounts]:
    """Return the counts of every field of *object_type*, most objects first."""
    counts = {
        counter: details(store, counter, object_type)
        for counter in ("crm_field", "crm_field_calls", "crm_field_populated", "crm_field_distinct", "crm_field_chars")
    }
    lengths = _lengths(store, object_type)
    schema = _schema(store, object_type)
    found = []
    for name, objects in counts["crm_field"].items():
        populated = counts["crm_field_populated"].get(name, 0)
        shortest, longest = lengths.get(name, (0, 0))
        label, field_type = schema.get(name, ("", ""))
        found.append(
            FieldCounts(
                object_type=object_type,
                field_name=name,
                label=label,
                field_type=field_type,
                objects=objects,
                calls=counts["crm_field_calls"].get(name, 0),
                populated=populated,
                distinct_values=counts["crm_field_distinct"].get(name, 0),
                min_length=shortest,
                max_length=longest,
                avg_length=counts["crm_field_chars"].get(name, 0) / populated if populated else 0.0,
            )
        )
    return sorted(found, key=lambda item: (-item.objects, item.field_name))


def all_fields(store: ReadStore) -> list[FieldCounts]:
    """Return the counts of the fields of every object type."""
    return [item for of in object_types(store) for item in fields(store, of.object_type)]


def labels(store: ReadStore, object_type: str) -> Mapping[str, str]:
    """Return the schema's labels of the fields of *object_type*, which may be a call's or the schema's name."""
    return {name: label for name, (label, _) in _schema(store, object_type).items()}


def details(store: ReadStore, counter: str, key: str) -> dict[str, int]:
    """Return the kept values of *counter* under *key*, by detail."""
    rows = store.rows(
        "SELECT detail, value FROM counters WHERE counter = :counter AND key = :key", {"counter": counter, "key": key}
    )
    return {row["detail"]: row["value"] for row in rows}


def _schema(store: ReadStore, object_type: str) -> dict[str, tuple[str, str]]:
    kind = kind_of(object_type)
    rows = store.rows(
        "SELECT field_name, field_label, field_type FROM crm_schema_fields"
        " WHERE object_type = :type OR (kind = :kind AND kind <> 'other') ORDER BY object_type",
        {"type": object_type, "kind": kind},
    )
    return {row["field_name"]: (row["field_label"], row["field_type"]) for row in rows}


def _lengths(store: ReadStore, object_type: str) -> dict[str, tuple[int, int]]:
    start = f"{object_type}{US}"
    rows = store.rows(
        "SELECT key, min(CAST(detail AS INTEGER)) AS shortest, max(CAST(detail AS INTEGER)) AS longest FROM counters"
        " WHERE counter = 'crm_field_length' AND key >= :low AND key < :high GROUP BY key",
        {"low": start, "high": f"{object_type}\x20"},
    )
    return {row["key"][len(start) :]: (row["shortest"], row["longest"]) for row in rows}


MIN_INDEXED = 3
"""Shortest text that the trigram index finds; a shorter one is looked for in the newest values only."""

LOOKED_AT = 20_000
"""Values that a text too short for the index is compared with, newest first."""


def search_values(
    store: ReadStore, object_type: str, field_name: str, text: str, limit: int, after: tuple[Any, ...] | None
) -> CallPage:
    """Return objects whose field contains *text* (any case), newest call first, behind the value number *after*."""
    parameters: dict[str, Any] = {
        "type": object_type,
        "field": field_name,
        "upper": int(after[0]) - 1 if after else (1 << 63) - 1,
        "like": "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%",
        "fetch": limit + 1,
    }
    if len(text) >= MIN_INDEXED:
        parameters["match"] = '"' + text.replace('"', '""') + '"'
        source = "crm_values_fts x JOIN crm_values v ON v.value_no = x.rowid"
        where = "crm_values_fts MATCH :match AND x.rowid <= :upper AND v.object_type = :type AND v.field_name = :field"
        order = "x.rowid DESC"
    else:
        parameters["look"] = LOOKED_AT
        source = "(SELECT * FROM crm_values WHERE value_no <= :upper ORDER BY value_no DESC LIMIT :look) v"
        where = "v.object_type = :type AND v.field_name = :field AND v.value LIKE :like ESCAPE '\\'"
        order = "v.value_no DESC"
    rows = store.rows(
        "SELECT v.value_no, v.field_name, v.value, v.value_spans, o.object_type, o.object_id, o.name, o.name_spans,"
        " c.call_no, c.call_id, c.call_ref, c.title, c.title_spans, c.started_at"
        f" FROM {source} JOIN crm_objects o ON o.object_no = v.object_no JOIN call_facts c ON c.call_no = o.call_no"
        f" WHERE {where} ORDER BY {order} LIMIT :fetch",
        parameters,
    )
    return CallPage(rows[:limit], len(rows) > limit)
