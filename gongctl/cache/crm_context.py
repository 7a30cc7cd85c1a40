"""CRM context of a call: Gong's payload -> objects with their fields as text, whatever CRM delivered them.

Salesforce and HubSpot differ in names only; ``gongmcp.store.crm_names`` knows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gongmcp.store.crm_names import CrmNames, kind_of

NAME_FIELDS: Final = ("Name", "dealname", "FullName")
_CONTEXT_KEYS: Final = ("context", "crmContext", "crm", "extendedContext", "crmObjects", "objects")
_MAX_DEPTH: Final = 12
_NO_VALUE: Final[tuple[object, ...]] = (None, "", [], {})
_PHONE_FIELD: Final = re.compile(r"phone|mobile|fax|telefon|\bcell\b", re.IGNORECASE)


@dataclass(slots=True)
class CrmObject:
    """One object of a call's context.

    *object_type* is as delivered, *object_id* is '' when there is none, *fields* maps names as delivered
    to text ('' = blank), *typed* holds the names whose value was no text (a number, a truth value), *names*
    are the names that CRM systems give to attributes.
    """

    object_type: str
    kind: str
    object_id: str
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)
    names: CrmNames = field(default_factory=CrmNames.default)

    def get(self, attribute: str) -> tuple[str, str]:
        """Return (value, field name) of a canonical *attribute* of its kind; ('', '') when it has none."""
        return self.first(self.names.fields(self.kind, attribute))

    def first(self, names: Iterable[str]) -> tuple[str, str]:
        """Return (value, field name) of the first of *names* that is populated."""
        by_name = {name.casefold(): name for name in self.fields}
        for wanted in names:
            found = by_name.get(wanted.casefold())
            if found is not None and self.fields[found]:
                return self.fields[found], found
        return "", ""


def is_phone_field(name: str) -> bool:
    """Tell whether a field of this *name* holds phone numbers."""
    return _PHONE_FIELD.search(name) is not None


def as_text(value: object) -> str:
    """Return a CRM or metadata value as text: numbers without noise, lists and objects as JSON, blank as ''."""
    if isinstance(value, str):
        return value.strip()
    if value in _NO_VALUE:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def crm_objects(call: Mapping[str, Any], names: CrmNames | None = None) -> list[CrmObject]:
    """Return the objects of *call* (the context in it) and of its parties, in order, one for each (type, id).

    An object delivered with its values of the time of the call and of now is one object: the present
    values win. Objects without an id cannot be told apart and stay as many as there are.
    """
    names = names or CrmNames.default()
    found: dict[tuple[str, str] | int, tuple[CrmObject, bool]] = {}
    for raw in _raw_objects(call):
        crm_object = _read(raw, names)
        present = as_text(raw.get("timing")).casefold() != "timeofcall"
        key = (crm_object.object_type, crm_object.object_id) if crm_object.object_id else len(found)
        earlier = found.get(key)
        if earlier is None:
            found[key] = (crm_object, present)
            continue
        kept, kept_present = earlier
        _merge(kept, crm_object, wins=present or not kept_present)
        found[key] = (kept, kept_present or present)
    return [crm_object for crm_object, _ in found.values()]


def _merge(kept: CrmObject, other: CrmObject, *, wins: bool) -> None:
    """Add the fields of *other* to *kept*; where both have one, the value of *other* stays if it *wins*."""
    for name, value in other.fields.items():
        if wins or name not in kept.fields:
            kept.fields[name] = value
            kept.typed.discard(name)
            if name in other.typed:
                kept.typed.add(name)
    if other.name and (wins or not kept.name):
        kept.name = other.name


def _raw_objects(call: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _walk(call, 0)
    parties = call.get("parties")
    for party in parties if isinstance(parties, list) else ():
        if isinstance(party, Mapping):
            yield from _walk(party, 0)


def _walk(holder: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
    for key in _CONTEXT_KEYS:
        if key in holder:
            yield from _objects_in(holder[key], depth)


def _objects_in(node: object, depth: int) -> Iterator[Mapping[str, Any]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, list):
        for item in node:
            yield from _objects_in(item, depth + 1)
    elif isinstance(node, Mapping):
        if isinstance(node.get("fields"), list | Mapping) or isinstance(node.get("properties"), list | Mapping):
            yield node
        elif _first(node, "objectType", "entityType") and _first(node, "objectId", "crmId", "id"):
            yield node  # links only: the object is attached, its fields were not asked for
        else:
            yield from _walk(node, depth + 1)


def _read(raw: Mapping[str, Any], names: CrmNames) -> CrmObject:
    object_type = _first(raw, "objectType", "type", "entityType") or "Unknown"
    crm_object = CrmObject(
        object_type,
        kind_of(object_type),
        _first(raw, "objectId", "crmId", "id"),
        _first(raw, "name", "displayName", "label", "title"),
        names=names,
    )
    for source in (raw.get("fields"), raw.get("properties")):
        for name, value in _pairs(source):
            crm_object.fields[name] = as_text(value)
            if isinstance(value, bool | int | float):
                crm_object.typed.add(name)
    if not crm_object.name:
        crm_object.name = crm_object.first(NAME_FIELDS)[0] or _full_name(crm_object)
    return crm_object


def _full_name(crm_object: CrmObject) -> str:
    parts = (crm_object.first(("FirstName",))[0], crm_object.first(("LastName",))[0])
    return " ".join(part for part in parts if part)


def _pairs(source: object) -> Iterator[tuple[str, object]]:
    if isinstance(source, Mapping):
        for name, value in source.items():
            # HubSpot's own API wraps a property: {"dealstage": {"value": "closedwon", "timestamp": 0}}
            yield str(name), value["value"] if isinstance(value, Mapping) and "value" in value else value
    elif isinstance(source, list):
        for item in source:
            if isinstance(item, Mapping):
                name = _first(item, "name", "fieldName", "key")
                if name:
                    yield name, item.get("value")


def _first(holder: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        text = as_text(holder.get(key))
        if text:
            return text
    return ""
