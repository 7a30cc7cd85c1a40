"""Classifying calls by a profile's rules.

Buckets are tried in the order of ``Profile.ordered_buckets``; the rules of a bucket are alternatives. The first
bucket with a rule that holds takes the call, with confidence ``high``. A call that no bucket takes is ``unknown``
with confidence ``low``; rules of the bucket ``unknown`` itself are not looked at.

What a rule looks at:

* ``field`` (a concept): its one value, the first that is not blank over the objects of the concept's alias
  (ordered by ``Type:id``) and, on each object, over the concept's names in the author's order;
* ``object`` with ``field_name``: the values of that field on every object of the alias, blank ones included;
* ``call``: the call's own system, direction, scope or purpose.

Object types and field names are compared exactly, as the CRM delivered them. A rule holds when one of the values
looked at passes its test:

=========  ===================================================================  ===========
op         test                                                                 case counts
=========  ===================================================================  ===========
equals     the trimmed value is one of the rule's values                        yes
in         the same as ``equals``                                               yes
prefix     the trimmed value begins with one of the rule's values               yes
iprefix    the same                                                             no
regex      the pattern is found anywhere in the value, which is not trimmed     by pattern
is_set     the value is not blank
is_empty   holds when there is no value at all, or every value is blank
=========  ===================================================================  ===========

Where there is no value (no such object, no such field, or a blank one), every operator but ``is_empty`` is false.
A regex is one pattern of at most 256 bytes in the syntax of RE2: its time grows with the length of the value only,
and it knows neither look-around nor back-references. ``(?i)`` makes it ignore case.

``all`` holds when each of its rules holds, ``any`` when one of them does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from gongctl.cache.crm_context import CrmObject
from gongctl.profile.model import ACCOUNT, DEAL, All, AnyOf, Condition, FieldConcept, Profile, Rule

MAX_PATTERN_BYTES: Final = 256
UNKNOWN: Final = "unknown"

Value = tuple[str, str]
"""(value, where it stands: ``Type.Field`` or ``call.system``)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The bucket of a call and why.

    *reason* and *evidence_fields* hold names of the profile and of CRM fields, never a value; *rule_path* is the
    rule's place in the profile ('' for unknown). *matched_value* is what met the rule, for the operator's eyes;
    of several tests, theirs joined by "; ".
    """

    bucket: str
    confidence: Literal["high", "low"]
    reason: str
    evidence_fields: tuple[str, ...] = ()
    rule_path: str = ""
    matched_value: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One rule of a trace: whether it held and the values that it read. A group reads nothing itself."""

    bucket: str
    rule_path: str
    held: bool
    read: tuple[Value, ...]


class _Call:
    """A call's objects by type, in the order of ``Type:id``, with the values of concepts once they were looked up."""

    __slots__ = ("_by_type", "concepts", "facts")

    def __init__(self, objects: Iterable[CrmObject], facts: Mapping[str, str]) -> None:
        self._by_type: dict[str, list[CrmObject]] = {}
        for item in sorted(objects, key=lambda item: f"{item.object_type}:{item.object_id}"):
            self._by_type.setdefault(item.object_type, []).append(item)
        self.facts = facts
        self.concepts: dict[str, Value | None] = {}

    def of(self, types: Sequence[str]) -> Sequence[CrmObject]:
        """Return the objects of *types*."""
        by_type = self._by_type
        if len(types) == 1:
            return by_type.get(types[0], ())
        present = [name for name in types if name in by_type]
        if len(present) < 2:
            return by_type[present[0]] if present else ()
        found = [item for name in present for item in by_type[name]]
        return sorted(found, key=lambda item: f"{item.object_type}:{item.object_id}")


_Test = Callable[[str], bool]
_Reader = Callable[[_Call], Sequence[Value]]


@dataclass(frozen=True, slots=True)
class _Held:
    """Why a rule held: what it read and the values that met it."""

    fields: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Check:
    """A condition, made ready. *absent* are the fields that an ``is_empty`` names as evidence."""

    read: _Reader
    test: _Test | None
    absent: tuple[str, ...]

    def holds(self, call: _Call) -> _Held | None:
        test = self.test
        if test is None:
            read = self.read(call)
            if any(value.strip() for value, _ in read):
                return None
            return _Held(tuple(dict.fromkeys(where for _, where in read)) or self.absent, ())
        for value, where in self.read(call):
            if test(value):
                return _Held((where,), (value,))
        return None


@dataclass(frozen=True, slots=True)
class _Group:
    """``all`` or ``any`` over made-ready rules."""

    every: bool
    rules: tuple[_Check | _Group, ...]

    def holds(self, call: _Call) -> _Held | None:
        if not self.every:
            return next((held for rule in self.rules if (held := rule.holds(call)) is not None), None)
        fields: list[str] = []
        values: list[str] = []
        for rule in self.rules:
            held = rule.holds(call)
            if held is None:
                return None
            fields += held.fields
            values += held.values
        return _Held(tuple(dict.fromkeys(fields)), tuple(values))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rule of a bucket with what is said when it holds."""

    bucket: str
    path: str
    reason: str
    rule: _Check | _Group


class Classifier:
    """A profile made ready: its rules compiled once, for any number of calls. Safe to use from several threads."""

    def __init__(self, profile: Profile) -> None:
        """Make *profile* ready; it must be valid (``gongctl.profile.validate``).

        Raises:
            ValueError: a pattern is no RE2 pattern.
        """
        self._types = {alias.name: tuple(sorted(alias.object_types)) for alias in profile.objects}
        self._concepts = {concept.name: concept for concept in profile.fields}
        self._candidates = tuple(
            _Candidate(
                bucket.name,
                rule_path(bucket.name, position),
                f"matches rule {position + 1} of {bucket.name}",
                self._ready(rule),
            )
            for bucket in profile.ordered_buckets()
            if bucket.name != UNKNOWN
            for position, rule in enumerate(bucket.rules)
        )

    def classify(self, objects: Iterable[CrmObject], call: Mapping[str, str]) -> Verdict:
        """Return the bucket of a call with the CRM *objects* and the facts *call* (system, direction, ...)."""
        view = _Call(objects, call)
        for candidate in self._candidates:
            held = candidate.rule.holds(view)
            if held is not None:
                matched = "; ".join(held.values)
                return Verdict(candidate.bucket, "high", candidate.reason, held.fields, candidate.path, matched)
        return Verdict(UNKNOWN, "low", "no rule of the profile matches")

    def trace(self, objects: Iterable[CrmObject], call: Mapping[str, str]) -> list[Step]:
        """Return what every rule read and whether it held, in the order of trying, groups before their rules."""
        view = _Call(objects, call)
        return [
            step
            for candidate in self._candidates
            for step in _steps(candidate.bucket, candidate.path, candidate.rule, view)
        ]

    def concept_values(self, objects: Iterable[CrmObject]) -> dict[str, Value]:
        """Return (value, ``Type.Field``) of each field concept that has one, in the profile's order."""
        view = _Call(objects, {})
        found = {name: self._value_of(view, concept) for name, concept in self._concepts.items()}
        return {name: value for name, value in found.items() if value is not None}

    def opportunity_count(self, objects: Iterable[CrmObject]) -> int:
        """Return how many of *objects* are of the alias ``deal``."""
        return self._count(objects, DEAL)

    def account_count(self, objects: Iterable[CrmObject]) -> int:
        """Return how many of *objects* are of the alias ``account``."""
        return self._count(objects, ACCOUNT)

    def _count(self, objects: Iterable[CrmObject], alias: str) -> int:
        types = self._types.get(alias, ())
        return sum(item.object_type in types for item in objects)

    # --- making ready ---

    def _ready(self, rule: Rule) -> _Check | _Group:
        if isinstance(rule, Condition):
            read, absent = self._reader(rule)
            return _Check(read, None if rule.op == "is_empty" else _test(rule), absent)
        return _Group(isinstance(rule, All), tuple(self._ready(item) for item in rule.rules))

    def _reader(self, rule: Condition) -> tuple[_Reader, tuple[str, ...]]:
        """Return what gives the values that *rule* looks at, and the fields that stand for their absence."""
        if rule.call is not None:
            fact, where = rule.call, f"call.{rule.call}"
            return lambda call: ((call.facts.get(fact, ""), where),), (where,)
        if rule.field is not None:
            concept = self._concepts[rule.field]
            return lambda call: self._read_concept(call, concept), self._places(concept.object, concept.names[:1])
        types, name = self._types.get(rule.object or "", ()), rule.field_name or ""
        return (
            lambda call: [
                (item.fields[name], f"{item.object_type}.{name}") for item in call.of(types) if name in item.fields
            ],
            self._places(rule.object or "", (name,)),
        )

    def _places(self, alias: str, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{of}.{name}" for of in self._types.get(alias, ()) for name in names)

    def _read_concept(self, call: _Call, concept: FieldConcept) -> Sequence[Value]:
        if concept.name not in call.concepts:
            call.concepts[concept.name] = self._value_of(call, concept)
        value = call.concepts[concept.name]
        return () if value is None else (value,)

    def _value_of(self, call: _Call, concept: FieldConcept) -> Value | None:
        for item in call.of(self._types.get(concept.object, ())):
            for name in concept.names:
                value = item.fields.get(name, "")
                if value and not value.isspace():
                    return value, f"{item.object_type}.{name}"
        return None


def rule_path(bucket: str, position: int) -> str:
    """Return the place of a bucket's rule in the profile, as findings name it."""
    return f"lifecycle.{bucket}.rules[{position}]"


def compiled(pattern: str) -> Any:
    """Return the RE2 pattern, which searches bytes.

    Raises:
        ValueError: RE2 does not accept it; the message is RE2's.
    """
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False  # it would write the pattern to stderr
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise ValueError(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)) from None


def _test(rule: Condition) -> _Test:
    """Return the test of one value; ``is_empty`` has none, for it is about all of them."""
    values = rule.values
    if rule.op in ("equals", "in"):
        wanted = frozenset(value.strip() for value in values)
        return lambda value: (text := value.strip()) != "" and text in wanted
    if rule.op == "prefix":
        starts = tuple(value.strip() for value in values)
        return lambda value: (text := value.strip()) != "" and text.startswith(starts)
    if rule.op == "iprefix":
        folded = tuple(value.strip().casefold() for value in values)
        return lambda value: (text := value.strip().casefold()) != "" and text.startswith(folded)
    if rule.op == "regex":
        pattern = compiled(values[0])
        # A value may hold half a surrogate pair, which has no UTF-8.
        return lambda value: value.strip() != "" and pattern.search(value.encode("utf-8", "replace")) is not None
    return lambda value: value.strip() != ""


def _steps(bucket: str, path: str, rule: _Check | _Group, call: _Call) -> Iterator[Step]:
    held = rule.holds(call) is not None
    if isinstance(rule, _Check):
        yield Step(bucket, path, held, tuple(rule.read(call)))
        return
    yield Step(bucket, path, held, ())
    for position, item in enumerate(rule.rules):
        yield from _steps(bucket, f"{path}.{'all' if rule.every else 'any'}[{position}]", item, call)


def conditions(rule: Rule, path: str) -> Iterator[tuple[str, Condition]]:
    """Yield every test in *rule* with its place, *path* being that of the rule."""
    if isinstance(rule, Condition):
        yield path, rule
        return
    key = "any" if isinstance(rule, AnyOf) else "all"
    for position, item in enumerate(rule.rules):
        yield from conditions(item, f"{path}.{key}[{position}]")
