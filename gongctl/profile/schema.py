"""The JSON Schema of a profile's YAML, for editors that complete and check while the author types.

It describes one document by its shape, as ``gongctl.profile.document`` reads it. What needs more than one place to
judge (two names that become one, references, patterns, the required buckets) is left to ``gongctl profile validate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongctl.profile.document import CALL_FIELDS, MAX_NAME, MAX_NUMBER, MAX_RULE_DEPTH, OPERATORS, VERSION
from gongctl.profile.model import DEFAULT_ORDER, REQUIRED_BUCKETS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def profile_json_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a profile."""
    return {
        "$schema": DIALECT,
        "title": "Business profile",
        "description": "Maps a company's own CRM onto lifecycle buckets and methodology concepts.",
        **_closed(
            {
                "version": {"const": VERSION, "type": "integer", "description": f"Always {VERSION}."},
                "name": _text("Name of the profile."),
                "objects": _named(
                    "object", "CRM objects by the profile's own names. deal and account are counted per call."
                ),
                "fields": _named("field", "Business concepts and the CRM fields that hold them."),
                "lifecycle": _named(
                    "bucket", f"Lifecycle buckets, tried by order. Required: {', '.join(REQUIRED_BUCKETS)}."
                ),
                "methodology": _named("methodology", "Concepts of a sales methodology and where they are recorded."),
            },
            required=("version",),
        ),
        "$defs": {
            "text": {
                "type": ["string", "number", "boolean"],
                "description": "A text. A number or a truth value is taken as it is written; better put it in quotes.",
            },
            "texts": {"type": "array", "items": {"$ref": "#/$defs/text"}},
            "confidence": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "A note: how sure the mapping is. Below 0.6 it is worth a warning.",
            },
            "evidence": _closed(
                {
                    "source": _text("Where it was looked."),
                    "matched_heuristic": _text("What in the name matched."),
                    "sample_size": _count("Objects looked at."),
                    "distinct_value_count": _count("Different values."),
                    "values": _texts("Some of the values."),
                },
                description="A note of discovery. It is not part of the meaning.",
            ),
            "object": _closed({"object_types": _texts("Object types, exactly as the CRM calls them."), **_grounds()}),
            "field": _closed(
                {
                    "object": _text("Name of the object in this profile."),
                    "names": _texts("CRM fields, exactly as the CRM calls them; the first that is not blank counts."),
                    "groupable": {
                        "type": "boolean",
                        "description": "Agents may count calls by the values. Not for fields that name somebody.",
                    },
                    **_grounds(),
                }
            ),
            "bucket": _closed(
                {
                    "label": _text("Name for people."),
                    "description": _text("What the bucket means."),
                    "order": _whole(
                        f"Buckets are tried from the lowest order on; {DEFAULT_ORDER} when there is none.", -MAX_NUMBER
                    ),
                    "rules": {
                        "type": "array",
                        "items": {"$ref": f"#/$defs/rule_{MAX_RULE_DEPTH}"},
                        "description": "A call that meets any of these rules is in the bucket.",
                    },
                    **_grounds(),
                }
            ),
            "methodology": _closed(
                {
                    "description": _text("What the concept means."),
                    "aliases": _texts("Other names of the concept."),
                    "fields": {
                        "type": "array",
                        "items": _closed(
                            {
                                "object": _text("Name of the object in this profile."),
                                "name": _text("CRM field, exactly as the CRM calls it."),
                            },
                            required=("object", "name"),
                        ),
                        "description": "CRM fields that hold it.",
                    },
                    "tracker_ids": _texts("Gong trackers that listen for it."),
                    "scorecard_question_ids": _texts("Questions of scorecards that ask for it."),
                }
            ),
            "condition": _condition(),
            **{f"rule_{depth}": _rule(depth) for depth in range(MAX_RULE_DEPTH, -1, -1)},
        },
    }


def _rule(depth: int) -> Schema:
    """Return a rule within which groups may be nested *depth* deep."""
    forms: list[Schema] = [{"$ref": "#/$defs/condition"}]
    if depth:
        inner = {"type": "array", "minItems": 1, "items": {"$ref": f"#/$defs/rule_{depth - 1}"}}
        for key, meaning in (("all", "Holds when every rule holds."), ("any", "Holds when one of the rules holds.")):
            forms.append(_closed({key: {**inner, "description": meaning}}, required=(key,)))
    return {"oneOf": forms}


def _condition() -> Schema:
    filled = {"pattern": r"\S"}
    shape = _closed(
        {
            "field": {**_text("A field concept of this profile."), **filled},
            "object": {**_text("An object of this profile; with field_name."), **filled},
            "field_name": {**_text("A CRM field, exactly as the CRM calls it; with object."), **filled},
            "call": _choice(CALL_FIELDS, "A fact of the call itself."),
            "op": _choice(OPERATORS, "How the value is tested; equals, in, prefix and regex mind the case."),
            "value": _text("What it is compared with; for regex an RE2 pattern."),
            "values": _texts("The same, several: one of them is enough."),
        },
        required=("op",),
        description="One test of a value.",
    )
    shape["oneOf"] = [
        {"required": ["field"], "not": {"anyOf": _each("object", "field_name", "call")}},
        {"required": ["object", "field_name"], "not": {"anyOf": _each("field", "call")}},
        {"required": ["call"], "not": {"anyOf": _each("field", "object", "field_name")}},
    ]
    return shape


def _each(*keys: str) -> list[Schema]:
    return [{"required": [key]} for key in keys]


def _closed(properties: Mapping[str, Schema], *, required: tuple[str, ...] = (), description: str = "") -> Schema:
    made: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if required:
        made["required"] = list(required)
    if description:
        made["description"] = description
    return made


def _named(part: str, description: str) -> Schema:
    """Return a map whose keys are names that the author chooses."""
    return {
        "type": "object",
        "propertyNames": {"pattern": r"\S", "maxLength": MAX_NAME},
        "additionalProperties": {"$ref": f"#/$defs/{part}"},
        "description": description,
    }


def _grounds() -> dict[str, Schema]:
    return {"confidence": {"$ref": "#/$defs/confidence"}, "evidence": {"$ref": "#/$defs/evidence"}}


def _text(description: str) -> Schema:
    return {"$ref": "#/$defs/text", "description": description}


def _texts(description: str) -> Schema:
    return {"$ref": "#/$defs/texts", "description": description}


def _whole(description: str, least: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": MAX_NUMBER, "description": description}


def _count(description: str) -> Schema:
    return _whole(description, 0)


def _choice(names: tuple[str, ...], description: str) -> Schema:
    """Return one of *names*: as editors offer it, or in another spelling that is read as the same name."""
    spellings = "|".join(
        "".join(r"[-_\s]" if char == "_" else f"[{char.lower()}{char.upper()}]" for char in name) for name in names
    )
    return {"anyOf": [{"enum": list(names)}, {"pattern": rf"^\s*(?:{spellings})\s*$"}], "type": "string"} | {
        "description": description
    }
