"""What can be found wrong with a profile: a closed list of codes, each with its severity and meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

Severity = Literal["error", "warn", "info"]

_RANK: Final[dict[str, int]] = {"error": 0, "warn": 1, "info": 2}
MAX_FINDINGS: Final = 200
"""Findings that a report lists; of more, the last one tells how many are left out."""
_SHOWN: Final = 60

CODES: Final[dict[str, tuple[Severity, str]]] = {
    # the text
    "malformed_yaml": ("error", "The text is not one YAML document."),
    "too_large": ("error", "The text is too long, or has too many entries."),
    "too_deep": ("error", "The text is nested too deeply."),
    "yaml_alias": ("error", "An anchor, an alias or a merge key, which a profile may not have."),
    "yaml_tag": ("error", "A YAML tag, which a profile may not have."),
    "bad_character": ("error", "A text holds a character that cannot be stored."),
    "profile_nil": ("error", "The document is empty, or it is no map."),
    # its shape
    "unknown_key": ("error", "A key that does not exist there."),
    "duplicate_key": ("error", "The same key twice in one map."),
    "colliding_keys": ("error", "Two keys that become one name: case, hyphens and blanks do not tell names apart."),
    "empty_name": ("error", "A name of an object, a field or a methodology concept is blank."),
    "long_name": ("error", "A name is too long."),
    "wrong_type": ("error", "A value of another type than is expected there."),
    "out_of_range": ("error", "A number outside its range."),
    "missing_version": ("error", "The profile has no version."),
    "unsupported_version": ("error", "A version that this release does not know."),
    "missing_name": ("warn", "The profile has no name."),
    "value_not_text": ("info", "A number or a truth value stands where a text is expected; it is taken as written."),
    "blank_value": ("warn", "A blank text in a list; it is left out."),
    "order_zero": ("info", "An order of 0 counts as 500, the order of a bucket that names none."),
    # objects and fields
    "no_objects": ("warn", "The profile names no objects."),
    "no_fields": ("warn", "The profile names no field concepts."),
    "empty_object_alias": ("warn", "An object alias names no object type."),
    "field_missing_object": ("error", "A field concept does not say of which object it is."),
    "field_no_names": ("warn", "A field concept names no CRM field."),
    "unknown_object_alias": ("error", "A reference to an object alias that the profile does not have."),
    "groupable_identifying": ("error", "A groupable concept whose field can name a person, a company or a record."),
    "groupable_many_values": ("warn", "A groupable concept whose field has many different values."),
    "low_confidence_mapping": ("warn", "A confidence below 0.6: look at the mapping, then raise or remove it."),
    # buckets and rules
    "missing_lifecycle_bucket": ("error", "One of the buckets that every profile needs is missing."),
    "empty_lifecycle_bucket": ("error", "A bucket has a blank name."),
    "lifecycle_no_rules": ("warn", "A bucket without rules takes no call."),
    "unknown_has_rules": ("warn", "The rules of the bucket unknown are not looked at."),
    "unsupported_rule_operator": ("error", "A rule has no operator, or one that does not exist."),
    "rule_missing_field": ("error", "A rule does not say what it looks at."),
    "rule_ambiguous": ("error", "A rule says more than once what it looks at, or mixes a group with a test."),
    "rule_empty_group": ("error", "A group of rules (all, any) is empty."),
    "rule_too_deep": ("error", "Groups of rules are nested too deeply."),
    "unknown_call_field": ("error", "A rule looks at a fact of the call that does not exist."),
    "unknown_field_concept": ("error", "A rule looks at a field concept that the profile does not have."),
    "rule_missing_value": ("error", "A rule whose operator needs a value has none."),
    "rule_value_ignored": ("warn", "A rule has values that its operator does not look at."),
    "regex_value_count": ("error", "A regex rule needs exactly one pattern."),
    "regex_too_long": ("error", "A pattern is longer than 256 bytes."),
    "regex_invalid": ("error", "A pattern that RE2 does not accept; look-around and back-references do not exist."),
    # the profile beside the cache
    "object_type_not_seen": ("warn", "No call of the cache has an object of this type."),
    "object_alias_no_seen_types": ("warn", "No call of the cache has an object of any type of this alias."),
    "field_mapping_not_seen": ("error", "No call of the cache has any of the fields of this concept."),
    "field_name_not_seen": ("info", "No call of the cache has this field; other fields of the concept are there."),
    "field_without_values": ("warn", "The fields of this concept are blank on every call of the cache."),
    "rule_field_not_seen": ("error", "No call of the cache has the field that a rule looks at."),
    "methodology_field_not_seen": ("warn", "No call of the cache has this field of a methodology concept."),
    "methodology_no_mapping": ("info", "A methodology concept names no field, tracker or question."),
    # the report
    "more_findings": ("error", "There are more findings than are listed."),
}
"""Every code: (severity, meaning)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found.

    *path* is the place in the profile (``lifecycle.open.rules[0].op``, list positions from 0), '' for the whole;
    *line* and *column* count from 1 and are None when the place is not in a file. *message* holds texts of the
    profile only as ``shown`` gives them.
    """

    severity: Severity
    code: str
    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON values."""
        return asdict(self)


def finding(code: str, message: str, path: str = "", line: int | None = None, column: int | None = None) -> Finding:
    """Return a finding of *code*, which must be one of ``CODES``, with the severity of that code."""
    return Finding(CODES[code][0], code, message, path, line, column)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return *findings*, each once: errors, warnings, notes; within them by line, path and code.

    Beyond ``MAX_FINDINGS`` the least important are replaced by one that counts them.
    """
    found = sorted(
        set(findings),
        key=lambda item: (
            _RANK[item.severity],
            item.line is None,
            item.line or 0,
            item.path,
            item.code,
            item.column or 0,
            item.message,
        ),
    )
    if len(found) <= MAX_FINDINGS:
        return tuple(found)
    kept = found[: MAX_FINDINGS - 1]
    more = len(found) - len(kept)
    severity = found[MAX_FINDINGS - 1].severity
    note = Finding(severity, "more_findings", f"There are {more} more findings; correct these first.")
    return (*kept, note)


def valid(findings: Iterable[Finding]) -> bool:
    """Tell whether none of *findings* is an error."""
    return not any(item.severity == "error" for item in findings)


def shown(text: str) -> str:
    """Return a text of the profile for a message: quoted, short, without control characters or line breaks."""
    return f'"{cleaned(text, _SHOWN)}"'


def cleaned(text: str, length: int) -> str:
    """Return *text* on one line, with no character that cannot be seen, and cut to *length* characters."""
    cut = text if len(text) <= length else text[: length - 1] + "…"
    return "".join(char if char.isprintable() else "�" for char in cut)
