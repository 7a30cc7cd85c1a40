"""What agents may read of a business profile: names, labels, CRM names, and what its rules look at.

No value that a rule compares with, no evidence, no path, nobody's name. Texts are masked like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gongctl.profile.model import ACCOUNT, DEAL, All, AnyOf, Condition, Profile, Rule
from gongmcp.exposure.masking import mask

USUAL_OBJECTS: Final = (DEAL, ACCOUNT)
USUAL_FIELDS: Final = (
    "deal_stage",
    "deal_type",
    "deal_amount",
    "deal_close_date",
    "account_type",
    "account_industry",
)
"""Concepts that answers usually need; those that a profile lacks are named as unavailable."""

_OPERATORS: Final = {
    "equals": "is",
    "in": "is one of",
    "prefix": "begins with",
    "iprefix": "begins with",
    "regex": "matches a pattern",
    "is_set": "is set",
    "is_empty": "is empty",
}


def served_document(profile: Profile, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of ``active_profile``; *warnings* are codes with paths, without any text of the data."""
    return {
        "object_concepts": [
            {"name": item.name, "object_types": [_text(name) for name in item.object_types]} for item in profile.objects
        ],
        "field_concepts": [
            {
                "name": item.name,
                "object": item.object,
                "field_names": [_text(name) for name in item.names],
                "groupable": item.groupable,
            }
            for item in profile.fields
        ],
        "lifecycle_buckets": [
            {
                "name": bucket.name,
                "label": _text(bucket.label),
                "description": _text(bucket.description),
                "signals": [" and ".join(_signals(rule)) for rule in bucket.rules] or ["nothing else holds"],
            }
            for bucket in profile.ordered_buckets()
        ],
        "methodology_concepts": [
            {
                "name": item.name,
                "description": _text(item.description),
                "aliases": [_text(alias) for alias in item.aliases],
                "fields": [{"object": field.object, "name": _text(field.name)} for field in item.fields],
                "field_names": [_text(field.name) for field in item.fields],
            }
            for item in profile.methodology
        ],
        "warnings": list(warnings),
        "unavailable_concepts": unavailable(profile),
    }


def unavailable(profile: Profile) -> list[str]:
    """Return the usual concepts that *profile* does not map, objects first."""
    return [name for name in USUAL_OBJECTS if profile.object_alias(name) is None] + [
        name for name in USUAL_FIELDS if profile.field_concept(name) is None
    ]


def _signals(rule: Rule) -> Iterator[str]:
    if isinstance(rule, Condition):
        yield _signal(rule)
    elif isinstance(rule, All):
        for inner in rule.rules:
            yield from _signals(inner)
    elif isinstance(rule, AnyOf):
        yield "any of (" + "; ".join(" and ".join(_signals(inner)) for inner in rule.rules) + ")"


def _signal(rule: Condition) -> str:
    what = rule.field or (f"{rule.object}.{_text(rule.field_name or '')}" if rule.object else f"call {rule.call}")
    count = len(rule.values)
    values = f" ({count} values)" if rule.op in ("in", "prefix", "iprefix", "equals") and count > 1 else ""
    return f"{what} {_OPERATORS[rule.op]}" + (values or (" a value" if count and rule.op != "regex" else ""))


def _text(text: str) -> str:
    return mask(text).value.strip()
