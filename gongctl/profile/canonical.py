"""The hash of what a profile means: two profiles with the same hash classify every call alike.

It counts: the version; of each object alias the types (a set); of each field concept its object, its names in
order and whether it is groupable; the sequence in which buckets are tried, and their rules in order; of each
methodology concept the aliases and ids (sets) and the fields in order.

It does not count: the profile's name, labels, descriptions, confidence, evidence, comments, the order of map keys
(but where buckets have the same order number, for then their place decides the sequence), the order numbers
themselves, the order and repetition of a rule's values, and rules of the bucket ``unknown``, which are not looked
at. ``equals`` and ``in`` are one operator; values of ``iprefix`` differ only beyond case.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from gongctl.profile.model import All, Condition, Profile, Rule

_FORM: Final = 1
"""Of the hashed text; raise it when the meaning of a profile's parts changes."""


def canonical_sha256(profile: Profile) -> str:
    """Return the SHA-256, in hex, of what *profile* means."""
    text = json.dumps(_meaning(profile), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _meaning(profile: Profile) -> dict[str, Any]:
    return {
        "form": _FORM,
        "version": profile.version,
        "objects": {alias.name: sorted(set(alias.object_types)) for alias in profile.objects},
        "fields": {
            concept.name: [concept.object, list(concept.names), concept.groupable] for concept in profile.fields
        },
        "lifecycle": [
            [bucket.name, [] if bucket.name == "unknown" else [_rule(rule) for rule in bucket.rules]]
            for bucket in profile.ordered_buckets()
        ],
        "methodology": {
            concept.name: [
                sorted(set(concept.aliases)),
                [[field.object, field.name] for field in concept.fields],
                sorted(set(concept.tracker_ids)),
                sorted(set(concept.scorecard_question_ids)),
            ]
            for concept in profile.methodology
        },
    }


def _rule(rule: Rule) -> list[Any]:
    if isinstance(rule, Condition):
        op = "in" if rule.op == "equals" else rule.op
        values = () if op in ("is_set", "is_empty") else rule.values
        if op == "iprefix":
            values = tuple(value.casefold() for value in values)
        return [op, rule.field, rule.object, rule.field_name, rule.call, sorted(set(values))]
    return ["all" if isinstance(rule, All) else "any", [_rule(item) for item in rule.rules]]
