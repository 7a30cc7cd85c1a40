"""What a business profile says, as checked data: the one form that every other module works on.

It is read from YAML by ``gongctl.profile.document`` and kept in the cache as the JSON of these structs.
Names (keys of the maps, references to them, operators) are normalised: trimmed, lower case, ``-`` and
blanks as ``_``. Lists and maps keep the order in which the author wrote them.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

REQUIRED_BUCKETS: Final = ("open", "closed_won", "closed_lost", "post_sales", "unknown")
"""Buckets that every profile must have; ``unknown`` needs no rule: it takes what no other bucket takes."""

DEFAULT_ORDER: Final = 500
"""Order of a bucket that names none."""

DEAL: Final = "deal"
ACCOUNT: Final = "account"
"""Aliases of object types from which opportunity and account counts come."""

Operator = Literal["equals", "in", "prefix", "iprefix", "regex", "is_set", "is_empty"]
CallField = Literal["system", "direction", "scope", "purpose"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Why discovery proposed a mapping. It is a note for the author: it is not part of the meaning."""

    source: str = ""
    matched_heuristic: str = ""
    sample_size: int = 0
    distinct_value_count: int = 0
    values: tuple[str, ...] = ()


class ObjectAlias(msgspec.Struct, frozen=True, kw_only=True):
    """A company's name for one or more CRM object types (compared exactly, as delivered)."""

    name: str
    object_types: tuple[str, ...]
    confidence: float | None = None
    evidence: Evidence | None = None


class FieldConcept(msgspec.Struct, frozen=True, kw_only=True):
    """A business concept and the CRM fields that hold it, in order of preference.

    *object* is the name of an ``ObjectAlias``. *groupable*: agents may count calls by its values
    (``summarize_call_facts``); off unless the author says so, for the values leave the cache as labels.
    """

    name: str
    object: str
    names: tuple[str, ...]
    groupable: bool = False
    confidence: float | None = None
    evidence: Evidence | None = None


class Condition(msgspec.Struct, frozen=True, kw_only=True, tag="condition"):
    """One test. Exactly one of: *field* (a concept), *object* (an alias) with *field_name*, *call* (a call's fact)."""

    op: Operator
    field: str | None = None
    object: str | None = None
    field_name: str | None = None
    call: CallField | None = None
    values: tuple[str, ...] = ()


class All(msgspec.Struct, frozen=True, kw_only=True, tag="all"):
    """Holds when every one of *rules* holds."""

    rules: tuple[Rule, ...]


class AnyOf(msgspec.Struct, frozen=True, kw_only=True, tag="any"):
    """Holds when one of *rules* holds."""

    rules: tuple[Rule, ...]


Rule = Condition | All | AnyOf


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """A lifecycle bucket; its *rules* are alternatives. Buckets are tried by (*order*, place in the file)."""

    name: str
    label: str = ""
    description: str = ""
    order: int = DEFAULT_ORDER
    rules: tuple[Rule, ...] = ()
    confidence: float | None = None
    evidence: Evidence | None = None


class FieldReference(msgspec.Struct, frozen=True, kw_only=True):
    """A CRM field: *object* is an alias of the profile, *name* the field as delivered."""

    object: str
    name: str


class MethodologyConcept(msgspec.Struct, frozen=True, kw_only=True):
    """A concept of a sales methodology (pain, economic buyer, loss reason, ...) and where it is recorded."""

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    fields: tuple[FieldReference, ...] = ()
    tracker_ids: tuple[str, ...] = ()
    scorecard_question_ids: tuple[str, ...] = ()


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A whole profile; the parts are in the author's order."""

    version: int
    name: str
    objects: tuple[ObjectAlias, ...] = ()
    fields: tuple[FieldConcept, ...] = ()
    lifecycle: tuple[Bucket, ...] = ()
    methodology: tuple[MethodologyConcept, ...] = ()

    def ordered_buckets(self) -> tuple[Bucket, ...]:
        """Return the buckets in the order in which they are tried; ``unknown`` is last."""
        return tuple(sorted(self.lifecycle, key=lambda bucket: (bucket.name == "unknown", bucket.order)))

    def object_alias(self, name: str) -> ObjectAlias | None:
        """Return the object alias *name*."""
        return next((item for item in self.objects if item.name == name), None)

    def field_concept(self, name: str) -> FieldConcept | None:
        """Return the field concept *name*."""
        return next((item for item in self.fields if item.name == name), None)

    def to_json(self) -> str:
        """Return the profile as JSON text, from which ``from_json`` makes an equal one."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Profile:
        """Return the profile that ``to_json`` wrote."""
        return msgspec.json.decode(text, type=cls)

    def plain(self) -> dict[str, Any]:
        """Return the profile as plain JSON values."""
        value: dict[str, Any] = msgspec.to_builtins(self)
        return value
