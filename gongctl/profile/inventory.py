"""What CRM context a warmed cache holds, as far as profiles need it: object types, fields, sample values.

Counts come from the kept counters. Values are those that are served, so masked. Of a field that population
matrices group by they are exact (the counters hold them); of another that discovery looks for they are those of the
newest objects. Nothing reads all values, however many calls there are.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gongctl.profile.sought import looked_for
from gongmcp.store.crm_names import kind_of

MAX_SAMPLES: Final = 50
"""Distinct values that are kept of a field, the most frequent first."""
SAMPLED_OBJECTS: Final = 2_000
"""Newest objects of a type that values are looked for on."""
_US: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class ObjectTypeFacts:
    """An object type as delivered: how many *objects* are attached, to how many *calls*."""

    name: str
    objects: int
    calls: int


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A field of an object type.

    *objects* have it, on *populated* of them it is not blank, with *distinct* values. *label* is that of the CRM
    schema, '' when there is none; a field that only the schema knows has counts of 0. *samples* are values, most
    frequent first, of fields that discovery looks for.
    """

    object_type: str
    name: str
    label: str = ""
    populated: int = 0
    objects: int = 0
    distinct: int = 0
    samples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inventory:
    """The object types, most objects first, and their fields, most populated first."""

    object_types: tuple[ObjectTypeFacts, ...]
    fields: tuple[FieldFacts, ...]

    @cached_property
    def by_place(self) -> Mapping[tuple[str, str], FieldFacts]:
        """The fields by (object type, field name)."""
        return {(item.object_type, item.name): item for item in self.fields}

    @cached_property
    def type_names(self) -> frozenset[str]:
        """The names of the object types."""
        return frozenset(item.name for item in self.object_types)

    def of(self, object_types: Iterable[str], name: str) -> list[FieldFacts]:
        """Return the facts of the field *name* on each of *object_types* that calls have it on."""
        found = (self.by_place.get((of, name)) for of in object_types)
        return [item for item in found if item is not None and item.objects]


def read_inventory(connection: sqlite3.Connection) -> Inventory:
    """Return the inventory of the cache behind *connection*; empty when nothing is warmed."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for name, detail, value in connection.execute(
        "SELECT key, detail, value FROM counters WHERE counter = 'object_type'"
    ):
        counts[name][detail] = value
    types = [ObjectTypeFacts(name, values.get("objects", 0), values.get("calls", 0)) for name, values in counts.items()]
    labels = _labels(connection, [item.name for item in types])
    seen, populated, distinct = (
        {
            (of, name): int(value)
            for of, name, value in connection.execute(
                "SELECT key, detail, value FROM counters WHERE counter = ?", (counter,)
            )
        }
        for counter in ("crm_field", "crm_field_populated", "crm_field_distinct")
    )
    fields = []
    for of, name in {**seen, **labels}:
        label = labels.get((of, name), "")
        wanted = populated.get((of, name)) and looked_for(name, label)
        fields.append(
            FieldFacts(
                object_type=of,
                name=name,
                label=label,
                populated=populated.get((of, name), 0),
                objects=seen.get((of, name), 0),
                distinct=distinct.get((of, name), 0),
                samples=_samples(connection, of, name) if wanted else (),
            )
        )
    return Inventory(
        tuple(sorted(types, key=lambda item: (-item.objects, item.name))),
        tuple(sorted(fields, key=lambda item: (-item.populated, item.object_type, item.name))),
    )


def _labels(connection: sqlite3.Connection, types: list[str]) -> dict[tuple[str, str], str]:
    """Return the schema's labels of the fields of *types*; schema and calls may call a type differently."""
    by_schema: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for of, kind, name, label in connection.execute(
        "SELECT object_type, kind, field_name, field_label FROM crm_schema_fields ORDER BY object_type, field_name"
    ):
        by_schema[of, kind].append((name, label))
    found: dict[tuple[str, str], str] = {}
    for of in types:
        for (schema_type, kind), fields in by_schema.items():
            if schema_type == of or (kind != "other" and kind == kind_of(of)):
                found.update({(of, name): label for name, label in fields})
    return found


def _samples(connection: sqlite3.Connection, object_type: str, name: str) -> tuple[str, ...]:
    exact = connection.execute(
        """SELECT detail FROM counters WHERE counter = 'matrix_objects' AND key = ? AND detail <> ''
           ORDER BY value DESC, detail LIMIT ?""",
        (object_type + _US + name, MAX_SAMPLES),
    ).fetchall()
    rows = exact or connection.execute(
        """SELECT v.value FROM (
               SELECT object_no FROM crm_objects WHERE object_type = ? ORDER BY call_no DESC LIMIT ?) o
           CROSS JOIN crm_values v ON v.object_no = o.object_no AND v.field_name = ?
           WHERE v.value <> '' GROUP BY v.value ORDER BY count(*) DESC, v.value LIMIT ?""",
        (object_type, SAMPLED_OBJECTS, name, MAX_SAMPLES),
    )
    return tuple(str(row[0]) for row in rows)
