"""A profile's YAML -> ``Profile``, with the line of everything that is wrong with it.

Keys of the format (``object_types``, ``op``) are exact; an unknown one is an error that names the nearest. Names
that the author chooses, references to them and operators are normalised: trimmed, lower case, hyphens and blanks
become ``_``. Two names that become one are an error. Texts are trimmed (a regex pattern is not), lists lose
repetitions; lists and maps keep the author's order. A number or a truth value where a text is expected is taken
as it is written (``01`` stays ``01``).

Two keys go beyond the format of the reference: ``groupable`` of a field concept, and ``call`` of a rule.
What is found here is the document's own fault; ``gongctl.profile.validate`` judges what it means.
"""

from __future__ import annotations

import difflib
import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, get_args

from gongctl.profile.findings import Finding, cleaned, finding, ordered, shown, valid
from gongctl.profile.model import (
    DEFAULT_ORDER,
    All,
    AnyOf,
    Bucket,
    CallField,
    Condition,
    Evidence,
    FieldConcept,
    FieldReference,
    MethodologyConcept,
    ObjectAlias,
    Operator,
    Profile,
    Rule,
)
from gongctl.profile.yaml_tree import Node, read_tree
from gongmcp.store.profile import normal_name

VERSION: Final = 1
MAX_NAME: Final = 100
"""Characters of a name."""
MAX_RULE_DEPTH: Final = 5
"""Groups (``all``, ``any``) within one another."""
MAX_NUMBER: Final = 1_000_000_000
OPERATORS: Final[tuple[Operator, ...]] = get_args(Operator)
CALL_FIELDS: Final[tuple[CallField, ...]] = get_args(CallField)

PROFILE_KEYS: Final = ("version", "name", "objects", "fields", "lifecycle", "methodology")
OBJECT_KEYS: Final = ("object_types", "confidence", "evidence")
FIELD_KEYS: Final = ("object", "names", "groupable", "confidence", "evidence")
BUCKET_KEYS: Final = ("label", "description", "order", "rules", "confidence", "evidence")
METHODOLOGY_KEYS: Final = ("description", "aliases", "fields", "tracker_ids", "scorecard_question_ids")
REFERENCE_KEYS: Final = ("object", "name")
EVIDENCE_KEYS: Final = ("source", "matched_heuristic", "sample_size", "distinct_value_count", "values")
GROUP_KEYS: Final = ("all", "any")
CONDITION_KEYS: Final = ("field", "object", "field_name", "call", "op", "value", "values")

_GIVEN: Final = {
    "list": "a list",
    "map": "a map",
    "text": "a text",
    "number": "a number",
    "truth": "true or false",
    "nothing": "nothing",
}
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,18}")
_UNTOLD: Final[Operator] = "is_set"
"""Stands in for an operator that cannot be read; the document then has an error and makes no profile."""

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class ProfileDocument:
    """A profile's text, read.

    Attributes:
        source_name: where it came from, for messages.
        profile: what it says; None when *findings* has an error.
        findings: what is wrong with the document itself, in the order of ``findings.ordered``.
        source_sha256: of the text's bytes, in hex.
        lines: the line (from 1) on which each place (``fields.deal_stage.names[0]``) begins.
        draft: what could be read in spite of errors, so that the rest can be judged; None when there is no map.
    """

    source_name: str
    profile: Profile | None
    findings: tuple[Finding, ...]
    source_sha256: str
    lines: Mapping[str, int]
    draft: Profile | None


def read_profile(text: str | bytes, source_name: str = "profile") -> ProfileDocument:
    """Read a profile. Whatever *text* is, the answer is a document: faults are findings, never exceptions."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    root, found = read_tree(text)
    reader = _Reader(found)
    draft = None
    if root is not None and root.kind == "map":
        draft = reader.profile(root)
    elif valid(found):
        line = root.line if root else 1
        given = f"is {_GIVEN[_kind(root)]}" if root else "is empty"
        found.append(finding("profile_nil", f"The document {given}; a profile is a map.", "", line))
    findings = ordered(found)
    return ProfileDocument(
        source_name,
        draft if valid(findings) else None,
        findings,
        hashlib.sha256(data).hexdigest(),
        reader.lines,
        draft,
    )


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a sentence that names the one of *known* that is nearest to *name*, or all of them."""
    near = difflib.get_close_matches(normal_name(name)[:MAX_NAME], known, 1, 0.6)
    if near:
        return f"Did you mean {near[0]}?"
    return f"Known here: {', '.join(known)}." if known else "There is none."


def _kind(node: Node) -> str:
    return node.scalar if node.kind == "scalar" else node.kind


@dataclass(slots=True)
class _Entry:
    """A value of a map: its key's node, itself and its place."""

    key: Node
    value: Node
    path: str


class _Reader:
    """Reads nodes into the parts of a profile. A faulty part is reported and read as if it were not there."""

    def __init__(self, found: list[Finding]) -> None:
        self._found = found
        self.lines: dict[str, int] = {}

    # --- the parts ---

    def profile(self, root: Node) -> Profile:
        """Return what the map *root* says."""
        entries = self._keys(root, "", PROFILE_KEYS)
        version = self._version(entries.get("version"), root)
        name = self._text(entries.get("name"))
        if not name and ("name" not in entries or entries["name"].value.kind != "broken"):
            node = entries["name"].key if "name" in entries else root
            self._report("missing_name", "Give the profile a name.", "name", node)
        return Profile(
            version=version,
            name=name,
            objects=self._named(entries.get("objects"), self._object),
            fields=self._named(entries.get("fields"), self._field),
            lifecycle=self._named(entries.get("lifecycle"), self._bucket),
            methodology=self._named(entries.get("methodology"), self._methodology),
        )

    def _version(self, entry: _Entry | None, root: Node) -> int:
        if entry is None:
            self._report("missing_version", f"Add the line: version: {VERSION}", "version", root)
            return VERSION
        before = len(self._found)
        version = self._whole(entry, VERSION)
        if len(self._found) == before and version != VERSION:
            message = f"The version is {version}; this release reads version {VERSION}."
            self._report("unsupported_version", message, entry.path, entry.value)
        return version

    def _object(self, name: str, entry: _Entry) -> ObjectAlias:
        entries = self._keys(entry.value, entry.path, OBJECT_KEYS)
        return ObjectAlias(
            name=name,
            object_types=self._texts(entries.get("object_types")),
            confidence=self._confidence(entries.get("confidence")),
            evidence=self._evidence(entries.get("evidence")),
        )

    def _field(self, name: str, entry: _Entry) -> FieldConcept:
        entries = self._keys(entry.value, entry.path, FIELD_KEYS)
        return FieldConcept(
            name=name,
            object=normal_name(self._text(entries.get("object"))),
            names=self._texts(entries.get("names")),
            groupable=self._truth(entries.get("groupable")),
            confidence=self._confidence(entries.get("confidence")),
            evidence=self._evidence(entries.get("evidence")),
        )

    def _bucket(self, name: str, entry: _Entry) -> Bucket:
        entries = self._keys(entry.value, entry.path, BUCKET_KEYS)
        order = self._whole(entries.get("order"), DEFAULT_ORDER)
        if order == 0:
            self._report(
                "order_zero", f"An order of 0 counts as {DEFAULT_ORDER}.", entries["order"].path, entries["order"].value
            )
        return Bucket(
            name=name,
            label=self._text(entries.get("label")),
            description=self._text(entries.get("description")),
            order=order or DEFAULT_ORDER,
            rules=tuple(self._rule(item, 0) for item in self._items(entries.get("rules"))),
            confidence=self._confidence(entries.get("confidence")),
            evidence=self._evidence(entries.get("evidence")),
        )

    def _methodology(self, name: str, entry: _Entry) -> MethodologyConcept:
        entries = self._keys(entry.value, entry.path, METHODOLOGY_KEYS)
        return MethodologyConcept(
            name=name,
            description=self._text(entries.get("description")),
            aliases=self._texts(entries.get("aliases")),
            fields=tuple(self._reference(item) for item in self._items(entries.get("fields"))),
            tracker_ids=self._texts(entries.get("tracker_ids")),
            scorecard_question_ids=self._texts(entries.get("scorecard_question_ids")),
        )

    def _reference(self, entry: _Entry) -> FieldReference:
        entries = self._keys(entry.value, entry.path, REFERENCE_KEYS)
        if entry.value.kind == "map":
            for key in REFERENCE_KEYS:
                if key not in entries:
                    self._report("rule_missing_field", f"A reference to a field needs {key}.", entry.path, entry.value)
        return FieldReference(
            object=normal_name(self._text(entries.get("object"))), name=self._text(entries.get("name"))
        )

    def _evidence(self, entry: _Entry | None) -> Evidence | None:
        if entry is None:
            return None
        entries = self._keys(entry.value, entry.path, EVIDENCE_KEYS)
        return Evidence(
            source=self._text(entries.get("source")),
            matched_heuristic=self._text(entries.get("matched_heuristic")),
            sample_size=self._whole(entries.get("sample_size"), 0, least=0),
            distinct_value_count=self._whole(entries.get("distinct_value_count"), 0, least=0),
            values=self._texts(entries.get("values")),
        )

    # --- rules ---

    def _rule(self, entry: _Entry, depth: int) -> Rule:
        node = entry.value
        written = {key.text for key, _ in node.entries} if node.kind == "map" else set()
        if not written & set(GROUP_KEYS):
            return self._condition(entry)
        entries = self._keys(node, entry.path, (*GROUP_KEYS, *CONDITION_KEYS))
        groups = [key for key in GROUP_KEYS if key in entries]
        if len(entries) > 1:
            others = ", ".join(key for key in entries if key != groups[0])
            message = f"A rule with {groups[0]} holds nothing beside it; move {others} into a rule of its list."
            self._report("rule_ambiguous", message, entry.path, node)
        group = entries[groups[0]]
        if depth >= MAX_RULE_DEPTH:
            message = f"Groups of rules may be nested {MAX_RULE_DEPTH} deep."
            self._report("rule_too_deep", message, group.path, group.key)
            return All(rules=())
        items = self._items(group)
        if group.value.kind == "list" and not items:
            self._report("rule_empty_group", f"{groups[0]} needs at least one rule.", group.path, group.value)
        rules = tuple(self._rule(item, depth + 1) for item in items)
        return All(rules=rules) if groups[0] == "all" else AnyOf(rules=rules)

    def _condition(self, entry: _Entry) -> Condition:
        node = entry.value
        entries = self._keys(node, entry.path, CONDITION_KEYS)
        operator = self._operator(entries.get("op"), entry)
        trim = operator != "regex"
        values = dict.fromkeys(
            (*self._value(entries.get("value"), trim=trim), *self._texts(entries.get("values"), trim=trim))
        )
        if node.kind == "map":
            self._check_target(entries, entry)
        call = entries.get("call")
        return Condition(
            op=operator,
            field=normal_name(self._text(entries["field"])) if "field" in entries else None,
            object=normal_name(self._text(entries["object"])) if "object" in entries else None,
            field_name=self._text(entries["field_name"]) if "field_name" in entries else None,
            call=self._call_field(call) if call else None,
            values=tuple(values),
        )

    def _check_target(self, entries: Mapping[str, _Entry], entry: _Entry) -> None:
        targets = [key for key in ("field", "object", "call") if key in entries]
        if len(targets) > 1:
            message = f"A rule looks at one thing; this one names {' and '.join(targets)}."
            self._report("rule_ambiguous", message, entry.path, entry.value)
        elif "field_name" in entries and targets != ["object"]:
            self._report("rule_missing_field", "field_name needs object beside it.", entry.path, entry.value)
        elif targets == ["object"] and "field_name" not in entries:
            self._report("rule_missing_field", "object needs field_name beside it.", entry.path, entry.value)
        elif not targets:
            message = "Say what the rule looks at: field, or object with field_name, or call."
            self._report("rule_missing_field", message, entry.path, entry.value)
        else:
            for key in (*targets, *(("field_name",) if targets == ["object"] else ())):
                value = entries[key].value
                if value.kind == "scalar" and not value.text.strip():
                    self._report("rule_missing_field", f"{key} is blank.", entries[key].path, value)

    def _operator(self, op: _Entry | None, rule: _Entry) -> Operator:
        if op is None:
            if rule.value.kind == "map":
                message = f"Give the rule an op: {', '.join(OPERATORS)}."
                self._report("unsupported_rule_operator", message, rule.path, rule.value)
            return _UNTOLD
        written = self._text(op)
        name = normal_name(written)
        if name in OPERATORS:
            return name
        if op.value.kind == "scalar":
            message = f"There is no operator {shown(written)}. {nearest(written, OPERATORS)}"
            self._report("unsupported_rule_operator", message, op.path, op.value)
        return _UNTOLD

    def _call_field(self, entry: _Entry) -> CallField | None:
        written = self._text(entry)
        name = normal_name(written)
        if name in CALL_FIELDS:
            return name
        if entry.value.kind == "scalar" and written:
            message = f"A call has no {shown(written)} to look at. {nearest(written, CALL_FIELDS)}"
            self._report("unknown_call_field", message, entry.path, entry.value)
        return None

    def _value(self, entry: _Entry | None, *, trim: bool) -> tuple[str, ...]:
        if entry is None:
            return ()
        text = self._text(entry, trim=trim)
        if not text.strip():
            if entry.value.kind == "scalar" and entry.value.scalar != "nothing":
                message = "The value is blank and left out; the operator is_empty finds blank fields."
                self._report("blank_value", message, entry.path, entry.value)
            return ()
        return (text,)

    # --- maps and lists ---

    def _keys(self, node: Node, path: str, known: Sequence[str]) -> dict[str, _Entry]:
        """Return the entries of a map whose keys are of the format; others are reported."""
        entries: dict[str, _Entry] = {}
        if not self._expect(node, path, "map"):
            return entries
        for key, value in node.entries:
            if not self._is_key(key, path):
                continue
            place = f"{path}.{key.text}" if path else key.text
            if key.text not in known:
                place = f"{path}.{cleaned(key.text, MAX_NAME)}".lstrip(".")
                message = f"There is no key {shown(key.text)} here. {nearest(key.text, known)}"
                self._report("unknown_key", message, place, key)
            elif key.text in entries:
                self._twice("duplicate_key", entries[key.text].key, key, place)
            else:
                self.lines[place] = key.line
                entries[key.text] = _Entry(key, value, place)
        return entries

    def _named(self, entry: _Entry | None, build: Callable[[str, _Entry], Built]) -> tuple[Built, ...]:
        """Return what *build* makes of each entry of a map whose keys are names that the author chose."""
        if entry is None or not self._expect(entry.value, entry.path, "map"):
            return ()
        seen: dict[str, Node] = {}
        built = []
        for key, value in entry.value.entries:
            if not self._is_key(key, entry.path):
                continue
            name = normal_name(key.text)
            place = f"{entry.path}.{name}"
            if not name:
                code = "empty_lifecycle_bucket" if entry.path == "lifecycle" else "empty_name"
                self._report(code, "The name is blank.", entry.path, key)
            elif len(name) > MAX_NAME:
                message = f"The name has {len(name)} characters; at most {MAX_NAME} are read."
                self._report("long_name", message, entry.path, key)
            elif name in seen:
                same = seen[name].text == key.text
                self._twice("duplicate_key" if same else "colliding_keys", seen[name], key, place)
            else:
                seen[name] = key
                self.lines[place] = key.line
                built.append(build(name, _Entry(key, value, place)))
        return tuple(built)

    def _items(self, entry: _Entry | None) -> list[_Entry]:
        if entry is None or not self._expect(entry.value, entry.path, "list"):
            return []
        items = []
        for position, item in enumerate(entry.value.items):
            place = f"{entry.path}[{position}]"
            self.lines[place] = item.line
            items.append(_Entry(item, item, place))
        return items

    def _is_key(self, key: Node, path: str) -> bool:
        if key.kind == "broken":
            return False
        if key.kind == "scalar" and key.plain and key.text == "<<":
            self._report("yaml_alias", "A merge key is not allowed: write the entries out.", path, key)
            return False
        if key.kind != "scalar" or key.scalar == "nothing":
            self._report("wrong_type", f"A key is a text; this one is {_GIVEN[_kind(key)]}.", path, key)
            return False
        return True

    def _twice(self, code: str, first: Node, second: Node, path: str) -> None:
        if code == "duplicate_key":
            message = f"The key {shown(second.text)} stands on line {first.line} and again on line {second.line}."
        else:
            message = (
                f"{shown(first.text)} on line {first.line} and {shown(second.text)} on line {second.line}"
                " become the same name: rename one."
            )
        self._report(code, message, path, second)

    # --- scalars ---

    def _texts(self, entry: _Entry | None, *, trim: bool = True) -> tuple[str, ...]:
        """Return the texts of a list, each once, in order."""
        texts: dict[str, None] = {}
        for item in self._items(entry):
            text = self._text(item, trim=trim)
            if text.strip():
                texts[text] = None
            elif item.value.kind == "scalar" and item.value.scalar != "nothing":
                self._report("blank_value", "A blank text is left out.", item.path, item.value)
        return tuple(texts)

    def _text(self, entry: _Entry | None, *, trim: bool = True) -> str:
        """Return a text; '' when there is none or something else."""
        if entry is None:
            return ""
        node = entry.value
        kind = _kind(node)
        if kind in ("number", "truth"):
            message = f"{shown(node.text)} is {_GIVEN[kind]} to YAML and taken as a text; put it in quotes."
            self._report("value_not_text", message, entry.path, node)
        elif not self._expect(node, entry.path, "text"):
            return ""
        return node.text.strip() if trim else node.text

    def _truth(self, entry: _Entry | None) -> bool:
        if entry is None or not self._expect(entry.value, entry.path, "truth"):
            return False
        return entry.value.text.lower() == "true"

    def _whole(self, entry: _Entry | None, default: int, *, least: int = -MAX_NUMBER) -> int:
        if entry is None or not self._expect(entry.value, entry.path, "number"):
            return default
        text = entry.value.text
        if not _WHOLE.fullmatch(text):
            self._report("wrong_type", f"Expected a whole number, given {shown(text)}.", entry.path, entry.value)
            return default
        number = int(text)
        if not least <= number <= MAX_NUMBER:
            message = f"{shown(text)} is not between {least:,} and {MAX_NUMBER:,}."
            self._report("out_of_range", message, entry.path, entry.value)
            return default
        return number

    def _confidence(self, entry: _Entry | None) -> float | None:
        if entry is None or not self._expect(entry.value, entry.path, "number"):
            return None
        text = entry.value.text
        try:
            number = float(text)
        except ValueError:  # 0x1f, .nan: numbers to YAML
            number = math.nan
        if not 0 <= number <= 1:
            self._report("out_of_range", f"{shown(text)} is not between 0 and 1.", entry.path, entry.value)
            return None
        return number

    def _expect(self, node: Node, path: str, expected: str) -> bool:
        """Tell whether *node* is of the kind *expected*; report it when it is another."""
        kind = _kind(node)
        if kind == expected:
            return True
        if kind != "broken":
            hint = ""
            if expected == "list" and node.kind == "scalar" and kind != "nothing":
                hint = f"; write [{cleaned(node.text, 40)}]"
            elif kind == "nothing":
                hint = "; write it or remove the key"
            message = f"Expected {_GIVEN[expected]}, given {_GIVEN[kind]}{hint}."
            self._report("wrong_type", message, path, node)
        return False

    def _report(self, code: str, message: str, path: str, node: Node) -> None:
        self._found.append(finding(code, message, path, node.line, node.column))
