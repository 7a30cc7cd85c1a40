"""What appeared in the data after the approval, withheld: rows and names of kinds that the lock does not hold.

It looks at raw rows before they are disclosed, at the columns that would be shown. A row goes as a whole when its
call has a language, or its text a kind of personal data, or it stands for a CRM name or is a kind of AI-made text that
was not reviewed; of
lists inside it those items go. Counts over many calls are not made anew: they still count what is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from gongmcp.approval.drift import Drift, data_drift
from gongmcp.approval.shape import Shape, names_of, read_names, served, span_kind
from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.dimensions import dimension_named
from gongmcp.catalog.filters import filters_of, value_at
from gongmcp.errors import ToolFault
from gongmcp.exposure.engine import Disclosure, columns
from gongmcp.exposure.fields import Expose, Field
from gongmcp.exposure.ledger import Entry, Place
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import OTHER
from gongmcp.exposure.text import CONTROL, MaskedText
from gongmcp.store.connection import ReadStore
from gongmcp.store.facts import BLANK

RULE: Final = "approval.lock"
REASON: Final = "It appeared in the data after the approval; the lock withholds it until it was reviewed."

_MARK: Final = re.compile(r"\{redacted:([^{}\s]+)\}")
_FIELDS: Final = frozenset({"field_name", "standard_field_name", "field_names", "stage_field", "group_by_field"})
_WITHHELD: Final = object()


class Gate:
    """Holds answers to the reviewed *shape*. Keeps nothing of a call, so it is safe for threads."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        names = names_of(shape)
        self._fields = names["crm_field"]
        self.languages = names["language"]
        self._settings = names["setting"]
        self._ai_content = names["ai_content"]
        self._personal = names["personal_data"] | {CONTROL}
        self._crm = frozenset(
            (
                *shape.crm,
                *self._fields,
                *(field for fields in shape.crm.values() for field in fields),
                *shape.crm_labels,
                "",
            )
        )

    def drift(self, store: ReadStore) -> list[Drift]:
        """Return the CRM names and kinds of settings that appeared; the others cost a walk."""
        return [*data_drift(self._shape, read_names(store))]

    def refuse_arguments(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Raise ``ToolFault`` where *arguments* look for a CRM name that was not reviewed, whether it exists or not."""
        of = arguments.get("object_type")
        for name, marks in filters_of(tool.arguments).items():
            value = value_at(arguments, name)
            if value is not None and any(mark.field is Field.CRM_TYPE for mark in marks):
                self._refuse_name(name.rpartition(".")[2], value, of)

    def _refuse_name(self, name: str, value: Any, of: str | None) -> None:
        values = value if isinstance(value, list) else [value]
        if not all(self._is_crm(name, item, of) for item in values):
            raise ToolFault(
                "refused_by_policy", f"{name} is no CRM name that was approved.", "Use a name that a tool returned."
            )

    def values(self, store: ReadStore, field: Field, found: Iterable[str], of: str | None) -> list[str]:
        """Return those of the completions *found*, of class *field*, that were reviewed."""
        if field is Field.CALL_REF:
            return [value for value in found if self._has_language(store, value)]
        if field is Field.CRM_TYPE:
            return [value for value in found if f"{of}.{served(value)}" in self._fields or served(value) in self._crm]
        return [value for value in found if self._is_text(value)]

    def look(self, store: ReadStore, disclosure: Disclosure) -> Look:
        """Return the gate for one answer."""
        return Look(self, store, disclosure)

    def _is_crm(self, column: str, value: str, of: str | None, *, coarse: bool = False) -> bool:
        name = served(value)
        if coarse and name == OTHER:
            return True
        if column in _FIELDS and of is not None and name:
            return f"{served(of)}.{name}" in self._fields
        return name in self._crm

    def _is_text(self, text: str) -> bool:
        return "{redacted:" not in text or all(span_kind(kind) in self._personal for kind in _MARK.findall(text))

    def _is_masked(self, text: MaskedText) -> bool:
        return all(span_kind(span.kind) in self._personal for span in text.spans) and self._is_text(text.value)

    def _has_language(self, store: ReadStore, call_ref: str) -> bool:
        row = store.one("SELECT language FROM call_facts WHERE call_ref = :ref", {"ref": call_ref})
        return row is None or served(row[0]) in self.languages


@dataclass(frozen=True, slots=True)
class Look:
    """The gate over the rows of one answer, whose decisions go into the answer's ledger."""

    gate: Gate
    store: ReadStore
    disclosure: Disclosure

    def listed(self, row: Row, place: Place) -> Row | None:
        """Return one of many rows without what was not reviewed, None where it must go as a whole."""
        return self._row(row, place, as_whole=True)

    def single(self, row: Row, place: Place = ()) -> Row | None:
        """Return the row of an answer that is one object: what was not reviewed is absent from it.

        None where the object is a call that was not.
        """
        return self._row(row, place, as_whole=False)

    def _row(self, row: Row, place: Place, *, as_whole: bool) -> Row | None:
        if not self._is_row(row):
            return None
        of = getattr(row, "object_type", None) or self.disclosure.arguments.get("object_type")
        changes: dict[str, Any] = {}
        for name, expose, nested in columns(type(row)):
            value = getattr(row, name)
            kept = self._kept(name, expose, value, of, (*place, name), nested=nested)
            if kept is _WITHHELD:
                if as_whole and not name.endswith("_label"):
                    return None
                self._tell("name", (*place, name))
                kept = None
            if kept is not value:
                changes[name] = kept
        return msgspec.structs.replace(row, **changes) if changes else row

    def _is_row(self, row: Row) -> bool:
        call_ref = getattr(row, "call_ref", None)
        if isinstance(call_ref, str) and call_ref and not self.gate._has_language(self.store, call_ref):
            return False
        fields = {name: expose for name, expose, _ in columns(type(row))}
        if any(expose is not None and expose.field is Field.AI_TEXT for expose in fields.values()):
            kind = getattr(row, "kind", None)  # None: of this call nothing is cached
            if kind is not None and kind not in self.gate._ai_content:
                return False
        of_settings = (expose := fields.get("object_id")) is not None and expose.field is Field.SETTING_ID
        return not of_settings or getattr(row, "kind", "") in self.gate._settings

    def _kept(self, name: str, expose: Expose | None, value: Any, of: str | None, place: Place, *, nested: bool) -> Any:
        """Return *value* as it is, a shorter list, or ``_WITHHELD``."""
        if value is None:
            return value
        if nested:
            if isinstance(value, Row):
                return self.single(value, place)
            return self._items(value, [self.listed(item, (*place, at)) for at, item in enumerate(value)], place)
        decision = self.disclosure.decide(expose)
        if not decision.shown:
            return value
        if isinstance(value, list):
            kept = [item if self._is_value(name, expose, decision.field, item, of) else None for item in value]
            return self._items(value, kept, place)
        return value if self._is_value(name, expose, decision.field, value, of) else _WITHHELD

    def _items(self, value: list[Any], kept: list[Any], place: Place) -> list[Any]:
        left = [item for item in kept if item is not None]
        if len(left) < len(value):
            self._tell("item", place, len(value) - len(left))
        return value if all(a is b for a, b in zip(value, left, strict=False)) and len(left) == len(value) else left

    def _is_value(self, name: str, expose: Expose | None, field: Field, value: Any, of: str | None) -> bool:
        if isinstance(value, MaskedText):
            return self.gate._is_masked(value)
        if not isinstance(value, str) or field is Field.ECHO:
            return True
        if field is Field.CRM_TYPE:
            return self.gate._is_crm(name, value, of, coarse=self.disclosure.policy.min_cell > 1)
        if field is Field.CALL_REF:
            return self.gate._has_language(self.store, value)
        if expose is not None and expose.by is not None and self._groups_by_language(expose.by):
            language = "" if value == BLANK else served(value)
            return language in self.gate.languages or (self.disclosure.policy.min_cell > 1 and value == OTHER)
        return self.gate._is_text(value)

    def _groups_by_language(self, argument: str) -> bool:
        asked = self.disclosure.arguments.get(argument, "lifecycle")
        dimension = dimension_named(asked)
        return dimension is not None and dimension.column == "language"

    def _tell(self, kind: str, place: Place, count: int = 1) -> None:
        self.disclosure.ledger.add(Entry("omitted", kind, RULE, place, count=count), REASON)
