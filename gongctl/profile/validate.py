"""What a profile means, judged: references, buckets, rules, and whether a cache has what the profile names.

Two questions are answered apart: whether a profile may be imported (``validate``: no finding is an error), and
whether it says enough to be worth serving (``readiness``: what ``--strict`` asks for).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from gongctl.profile.document import ProfileDocument, nearest
from gongctl.profile.findings import Finding, finding, ordered, shown
from gongctl.profile.identifying import identifying, squashed
from gongctl.profile.inventory import FieldFacts, Inventory
from gongctl.profile.model import REQUIRED_BUCKETS, Condition, FieldConcept, Profile
from gongctl.profile.rules import MAX_PATTERN_BYTES, UNKNOWN, compiled, conditions, rule_path

LOW_CONFIDENCE: Final = 0.6
MANY_VALUES: Final = 50
"""Distinct values from which on a groupable concept is worth a warning."""
_CREATED: Final = frozenset({"createddate", "createdate", "createdat", "created", "hscreatedate", "datecreated"})
_LOSS_REASONS: Final = frozenset(
    {"lossreason", "lostreason", "closedlostreason", "reasonlost", "reasonforloss", "winlossreason", "deallossreason"}
)


def validate(document: ProfileDocument, inventory: Inventory | None = None) -> tuple[Finding, ...]:
    """Return everything found in *document*, in the order of ``findings.ordered``.

    With an *inventory*, names that no call of the cache has are found too. What may only follow from a fault of the
    document at the same place is left out.
    """
    if document.draft is None:
        return document.findings
    judge = _Judge(document, document.draft, inventory)
    judge.objects()
    judge.fields()
    judge.lifecycle()
    judge.methodology()
    return ordered((*document.findings, *judge.found))


class _Judge:
    """Collects findings in *found*."""

    def __init__(self, document: ProfileDocument, profile: Profile, inventory: Inventory | None) -> None:
        self._document = document
        self._profile = profile
        self._inventory = inventory
        self._aliases = {alias.name: alias.object_types for alias in profile.objects}
        self._concepts = {concept.name: concept for concept in profile.fields}
        self._faulty = [item.path for item in document.findings if item.severity == "error"]
        self.found: list[Finding] = []

    def objects(self) -> None:
        """Look at the object aliases."""
        if not self._profile.objects:
            self._report("no_objects", "Name the CRM objects that the profile speaks of.", "objects")
        for alias in self._profile.objects:
            path = f"objects.{alias.name}"
            if not alias.object_types:
                self._report("empty_object_alias", f"{alias.name} names no object type.", path)
            self._confidence(alias.confidence, path)
            if self._inventory is None or not alias.object_types:
                continue
            missing = [of for of in alias.object_types if of not in self._inventory.type_names]
            for of in missing:
                place = f"{path}.object_types[{alias.object_types.index(of)}]"
                hint = nearest(of, sorted(self._inventory.type_names)[:20])
                self._report("object_type_not_seen", f"No call has an object of type {shown(of)}. {hint}", place)
            if len(missing) == len(alias.object_types):
                message = f"No call has an object of any type of {alias.name}.{self._empty()}"
                self._report("object_alias_no_seen_types", message, path)

    def fields(self) -> None:
        """Look at the field concepts."""
        if not self._profile.fields:
            self._report("no_fields", "Name the CRM fields that the profile speaks of.", "fields")
        for concept in self._profile.fields:
            path = f"fields.{concept.name}"
            self._confidence(concept.confidence, path)
            if not concept.object:
                self._report("field_missing_object", f"{concept.name} needs an object.", path)
            elif concept.object not in self._aliases:
                self._unknown_alias(concept.object, f"{path}.object")
            if not concept.names:
                self._report("field_no_names", f"{concept.name} names no CRM field.", path)
            facts = self._seen(concept, path)
            if concept.groupable:
                self._groupable(concept, facts, path)

    def _seen(self, concept: FieldConcept, path: str) -> list[FieldFacts]:
        """Report names that no call has; return the facts of the others."""
        types = self._aliases.get(concept.object)
        if self._inventory is None or not types or not concept.names:
            return []
        found = {name: self._inventory.of(types, name) for name in concept.names}
        facts = [item for items in found.values() for item in items]
        if not facts:
            names = ", ".join(shown(name) for name in concept.names[:5])
            message = f"No call has {names} on {concept.object}.{self._in_schema(types, concept.names)}{self._empty()}"
            self._report("field_mapping_not_seen", message, path)
            return []
        for position, name in enumerate(concept.names):
            if not found[name]:
                place = f"{path}.names[{position}]"
                self._report("field_name_not_seen", f"No call has {shown(name)} on {concept.object}.", place)
        if not any(item.populated for item in facts):
            self._report("field_without_values", f"The fields of {concept.name} are blank on every call.", path)
        return facts

    def _groupable(self, concept: FieldConcept, facts: Iterable[FieldFacts], path: str) -> None:
        labels = {item.name: item.label for item in facts}
        masked = {item.name for item in facts if any("{redacted:" in value for value in item.samples)}
        for position, name in enumerate(concept.names):
            if name in masked or identifying(name, labels.get(name, "")):
                message = (
                    f"The values of {shown(name)} can name a person, a company or a record:"
                    f" remove groupable from {concept.name}, or the field."
                )
                self._report("groupable_identifying", message, f"{path}.names[{position}]")
        for item in facts:
            if item.distinct > MANY_VALUES and not identifying(item.name, item.label):
                message = (
                    f"{shown(item.name)} has {item.distinct:,} different values; groups are of use up to {MANY_VALUES}."
                )
                self._report("groupable_many_values", message, f"{path}.names[{concept.names.index(item.name)}]")

    def lifecycle(self) -> None:
        """Look at the buckets and their rules."""
        present = {bucket.name for bucket in self._profile.lifecycle}
        for name in REQUIRED_BUCKETS:
            if name not in present:
                self._report("missing_lifecycle_bucket", f"The bucket {name} is missing.", "lifecycle")
        for bucket in self._profile.lifecycle:
            path = f"lifecycle.{bucket.name}"
            self._confidence(bucket.confidence, path)
            if bucket.name == UNKNOWN:
                if bucket.rules:
                    message = "unknown takes what no other bucket takes; remove its rules."
                    self._report("unknown_has_rules", message, f"{path}.rules")
            elif not bucket.rules:
                self._report("lifecycle_no_rules", f"{bucket.name} has no rules and takes no call.", path)
            for position, rule in enumerate(bucket.rules):
                for place, condition in conditions(rule, rule_path(bucket.name, position)):
                    self._condition(condition, place)

    def _condition(self, rule: Condition, path: str) -> None:
        if rule.field and rule.field not in self._concepts:
            message = f"There is no field concept {shown(rule.field)}. {nearest(rule.field, list(self._concepts)[:20])}"
            self._report("unknown_field_concept", message, f"{path}.field")
        if rule.object and rule.object not in self._aliases:
            self._unknown_alias(rule.object, f"{path}.object")
        if rule.op == "regex":
            self._pattern(rule, path)
        elif rule.op in ("is_set", "is_empty"):
            if rule.values:
                self._report("rule_value_ignored", f"{rule.op} looks at no value; remove it.", path)
        elif not rule.values:
            self._report("rule_missing_value", f"{rule.op} needs a value.", path)
        types = self._aliases.get(rule.object or "")
        if self._inventory is not None and types and rule.field_name and not self._inventory.of(types, rule.field_name):
            name = rule.field_name
            message = f"No call has {shown(name)} on {rule.object}.{self._in_schema(types, (name,))}{self._empty()}"
            self._report("rule_field_not_seen", message, f"{path}.field_name")

    def _pattern(self, rule: Condition, path: str) -> None:
        if len(rule.values) != 1:
            message = f"regex needs exactly one pattern, given {len(rule.values)}; write alternatives as a|b."
            self._report("regex_value_count", message, path)
        for pattern in rule.values[:1]:
            size = len(pattern.encode("utf-8", "replace"))
            if size > MAX_PATTERN_BYTES:
                message = f"The pattern has {size:,} bytes; at most {MAX_PATTERN_BYTES} are allowed."
                self._report("regex_too_long", message, path)
                continue
            try:
                compiled(pattern)
            except ValueError as error:
                message = (
                    f"RE2 does not accept the pattern: {shown(str(error))}."
                    " Patterns run in linear time, so there are no back-references and no look-around."
                )
                self._report("regex_invalid", message, path)

    def methodology(self) -> None:
        """Look at the methodology concepts."""
        for concept in self._profile.methodology:
            path = f"methodology.{concept.name}"
            if not (concept.fields or concept.tracker_ids or concept.scorecard_question_ids):
                message = f"{concept.name} names no field, tracker or question."
                self._report("methodology_no_mapping", message, path)
            for position, reference in enumerate(concept.fields):
                place = f"{path}.fields[{position}]"
                types = self._aliases.get(reference.object)
                if types is None:
                    if reference.object:
                        self._unknown_alias(reference.object, f"{place}.object")
                elif self._inventory is not None and types and not self._inventory.of(types, reference.name):
                    message = f"No call has {shown(reference.name)} on {reference.object}."
                    self._report("methodology_field_not_seen", message, f"{place}.name")

    # --- what several parts have ---

    def _unknown_alias(self, name: str, path: str) -> None:
        message = f"There is no object alias {shown(name)}. {nearest(name, list(self._aliases)[:20])}"
        self._report("unknown_object_alias", message, path)

    def _confidence(self, confidence: float | None, path: str) -> None:
        if confidence is not None and 0 < confidence < LOW_CONFIDENCE:
            message = f"The confidence is {confidence:g}; look at the mapping, then raise or remove it."
            self._report("low_confidence_mapping", message, f"{path}.confidence")

    def _in_schema(self, types: Iterable[str], names: Iterable[str]) -> str:
        known = self._inventory.by_place if self._inventory is not None else {}
        return " The CRM schema has it." if any((of, name) in known for of in types for name in names) else ""

    def _empty(self) -> str:
        if self._inventory is not None and not self._inventory.object_types:
            return " The cache has no CRM objects yet: import calls and warm it first."
        return ""

    def _report(self, code: str, message: str, path: str) -> None:
        if any(fault == path or fault.startswith((f"{path}.", f"{path}[")) for fault in self._faulty):
            return
        self.found.append(finding(code, message, path, line_of(document=self._document, path=path)))


def line_of(document: ProfileDocument, path: str) -> int | None:
    """Return the line of the innermost place of *path* that the document has; 1 for the whole, None without a file."""
    place = path
    while place and place not in document.lines:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return document.lines[place] if place else 1


# --- readiness -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a profile says enough to be served. *blocking* are the sentences that ``--strict`` refuses for.

    Attributes:
        created_date_only_concepts: field concepts mapped to nothing but the date of creation.
        missing_lifecycle_buckets: required buckets that are missing.
        lifecycle_rules_missing: buckets without rules (but for ``unknown``).
        methodology_unmapped: there is no methodology concept that is mapped to anything.
        loss_reason_mapping_missing: nothing says where the reason of a loss is recorded.
        suspect_findings: codes of warnings that tell of a mapping that may be wrong.
    """

    created_date_only_concepts: tuple[str, ...]
    missing_lifecycle_buckets: tuple[str, ...]
    lifecycle_rules_missing: tuple[str, ...]
    methodology_unmapped: bool
    loss_reason_mapping_missing: bool
    suspect_findings: tuple[str, ...]
    blocking: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing blocks."""
        return not self.blocking

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl profile validate --strict --json`` prints."""
        checklist = asdict(self)
        blocking = checklist.pop("blocking")
        return {"passed": self.passed, "blocking": blocking, "checklist": checklist}


_SUSPECT: Final = frozenset(
    {
        *("object_type_not_seen", "object_alias_no_seen_types", "field_without_values", "methodology_field_not_seen"),
        *("low_confidence_mapping", "groupable_many_values"),
    }
)


def readiness(profile: Profile, findings: Iterable[Finding] = ()) -> Readiness:
    """Return whether *profile*, with the *findings* of ``validate``, is ready to be served."""
    created = tuple(
        concept.name
        for concept in profile.fields
        if concept.names and all(squashed(name) in _CREATED for name in concept.names) and "creat" not in concept.name
    )
    present = {bucket.name for bucket in profile.lifecycle}
    missing = tuple(name for name in REQUIRED_BUCKETS if name not in present)
    mapped = [item for item in profile.methodology if item.fields or item.tracker_ids or item.scorecard_question_ids]
    loss = any(squashed(name) in _LOSS_REASONS for item in mapped for name in (item.name, *item.aliases)) or any(
        squashed(item.name) in _LOSS_REASONS and item.names for item in profile.fields
    )
    blocking = [
        *(f"{name} is mapped to the date of creation only." for name in created),
        *(f"The bucket {name} is missing." for name in missing),
        *(["No methodology concept is mapped to a field, a tracker or a question."] if not mapped else ()),
        *(["Nothing says where the reason of a loss is recorded."] if not loss else ()),
    ]
    return Readiness(
        created_date_only_concepts=created,
        missing_lifecycle_buckets=missing,
        lifecycle_rules_missing=tuple(
            bucket.name for bucket in profile.lifecycle if not bucket.rules and bucket.name != UNKNOWN
        ),
        methodology_unmapped=not mapped,
        loss_reason_mapping_missing=not loss,
        suspect_findings=tuple(sorted({item.code for item in findings} & _SUSPECT)),
        blocking=tuple(blocking),
    )
