"""Arguments to probe tools with: drawn from their published schemas, with values that the cache holds, and near misses.

Deterministic: the same tool, cache and number give the same arguments.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.handler import ToolInfo

_CALLS: Final = 200
_WORDS: Final = 2_000
_SHARE: Final = 0.25
"""How often an argument that is not required is given."""

NEAR_MISSES: Final[tuple[Any, ...]] = (
    *("", " ", "\u200b", "*", '"', "' OR 1=1 --", "%", "a\0b", "\u202ex", "x" * 600, "NOT", "[]", "null"),
    *(0, -1, 2.5, 10**12, True, None, [], {}, ["a", 1]),
    *("2026-02-30", "0000-01-01", "call_0000000000000000", "../../etc/passwd", "AAAA"),
)
"""Values that a schema may or may not allow, and that no tool may stumble over."""


@dataclass(frozen=True, slots=True)
class CacheValues:
    """What a cache serves, as values of arguments: by name of the argument, one set for each call."""

    calls: Sequence[Mapping[str, Any]]
    words: Sequence[str]

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> CacheValues:
        """Read the newest calls and some words of their transcripts from a warmed cache."""
        calls = [dict(values) for values in _calls(connection)]
        texts = connection.execute("SELECT text FROM segments ORDER BY segment_no DESC LIMIT ?", (_WORDS,))
        words = sorted({word.lower() for (text,) in texts for word in re.findall(r"[^\W\d_]{4,14}", text)})
        return cls(calls or [{}], words or ["call"])


def _calls(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    columns = "call_no, call_id, call_ref, call_date, system, direction, scope, lifecycle_bucket, account_industry"
    rows = connection.execute(
        f"SELECT {columns}, opportunity_stage FROM call_facts ORDER BY call_no DESC LIMIT ?", (_CALLS,)
    ).fetchall()
    settings: dict[str, Any] = {}
    for name, sql in (
        ("scorecard_id", "SELECT scorecard_id FROM scorecards LIMIT 1"),
        ("integration_id", "SELECT integration_id FROM crm_integrations LIMIT 1"),
    ):
        row = connection.execute(sql).fetchone()
        settings |= {name: row[0]} if row else {}
    for number, call_id, call_ref, day, system, direction, scope, bucket, industry, stage in rows:
        found = settings | {
            "call_id": call_id,
            "call_ref": call_ref,
            "from_date": f"{day[:8]}01",
            "to_date": f"{day[:8]}28",
            "system": system,
            "direction": direction,
            "scope": scope,
            "industry": industry,
            "lifecycle_bucket": bucket,
            "bucket": bucket,
            "bucket_a": bucket,
            "opportunity_stage": stage,
            "stage_values": [stage],
            "late_stage_values": [stage],
        }
        value = connection.execute(
            """SELECT o.object_type, o.object_id, o.object_ref, v.field_name, v.value FROM crm_objects AS o
               JOIN crm_values AS v USING (object_no) WHERE o.call_no = ? AND v.value <> '' ORDER BY v.value_no
               LIMIT 1 OFFSET ?""",
            (number, number % 5),
        ).fetchone()
        if value is not None:
            kind, object_id, reference, name, text = value
            found |= {
                "object_type": kind,
                "crm_object_type": kind,
                "object_id": object_id,
                "crm_object_id": reference,
                "field_name": name,
                "group_by_field": name,
                "stage_field": name,
                "value_query": text[:12],
                "account_query": text[:16],
                "opportunity_query": text[:16],
            }
        yield {name: value for name, value in found.items() if value not in ("", [""])}


def argument_sets(info: ToolInfo, values: CacheValues, count: int) -> Iterator[dict[str, Any]]:
    """Yield *count* sets of arguments for a tool; every sixth has one near miss in it."""
    draw = random.Random(info.name)
    properties: Mapping[str, Mapping[str, Any]] = info.input_schema["properties"]
    required = info.input_schema.get("required", ())
    for number in range(count):
        known = {"query": draw.choice(values.words), **draw.choice(values.calls)}
        known |= {"bucket_b": draw.choice(values.calls).get("bucket", "unknown")}
        given = {
            name: known[name]
            if name in known and known[name] in rule.get("enum", [known[name]])
            else _drawn(draw, rule)
            for name, rule in properties.items()
            if name != "cursor" and (name in required or draw.random() < _SHARE)
        }
        if {"call_id", "call_ref"} <= properties.keys():  # one of them, not both
            name = draw.choice(["call_id", "call_ref"])
            given = {key: value for key, value in given.items() if not key.startswith("call_")}
            given |= {name: known.get(name, "call_0000000000000000")}
        if "crm_object_id" in given and "crm_object_type" in known:
            given["crm_object_type"] = known["crm_object_type"]
        if number % 6 == 5 and properties:
            given[draw.choice([*properties])] = draw.choice(NEAR_MISSES)
        yield given


def _value(name: str, rule: Mapping[str, Any], known: Mapping[str, Any], draw: random.Random) -> Any:
    if name in known and known[name] in rule.get("enum", [known[name]]):
        return known[name]
    return _drawn(draw, rule)


def _drawn(draw: random.Random, rule: Mapping[str, Any]) -> Any:
    if "enum" in rule:
        return draw.choice(rule["enum"])
    kind = rule.get("type")
    if kind == "boolean":
        return draw.random() < 0.7
    if kind in ("integer", "number"):
        return draw.randint(int(rule.get("minimum", 1)), min(int(rule.get("maximum", 20)), 20))
    if kind == "object":
        period = {"from_date": "2000-01-01", "to_date": "2099-12-31"}
        return period if period.keys() <= rule.get("properties", {}).keys() else {}
    return ["call"] if kind == "array" else "call"


def text_arguments(info: ToolInfo, text: str) -> Iterator[dict[str, Any]]:
    """Yield sets of arguments that hold *text*, one for each argument of the tool that takes free text."""
    properties: Mapping[str, Mapping[str, Any]] = info.input_schema["properties"]
    required = {
        name: properties[name]["enum"][0]
        if "enum" in properties[name]
        else "renewal"
        if "bucket" in name
        else "Account"
        for name in info.input_schema.get("required", ())
    }
    for name in (name for name, rule in properties.items() if rule.get("type") == "object" and rule.get("properties")):
        required[name] = {"from_date": "2000-01-01", "to_date": "2099-12-31"}  # else a cohort is asked for too little
    flags = {name: True for name in properties if name.startswith("include_")}
    for name, rule in properties.items():
        if rule.get("type") == "object":
            for inner, of in rule.get("properties", {}).items():
                if of.get("type") == "string" and "enum" not in of and "format" not in of:
                    yield {**required, **flags, name: {inner: text}}
            if "dimension_filters" in rule.get("properties", {}):
                for dimension in ("account_name", "industry"):
                    item = {"dimension": dimension, "values": [text]}
                    yield {**required, **flags, name: {"dimension_filters": [item]}}
        elif rule.get("type") == "array":
            yield {**required, name: [text]}
        elif rule.get("type") == "string" and "enum" not in rule and "pattern" not in rule:
            yield {**required, name: text}


def twin_of(name: str, draw: random.Random) -> str:
    """Return a name of the same shape that nobody has: every letter and digit another one."""
    consonants, vowels = "bcdfghjklmnpqrstvwxz", "aeiou"

    def other(character: str) -> str:
        if character.isdigit():
            return draw.choice("0123456789")
        if not character.isalpha():
            return character
        drawn = draw.choice(vowels if character.lower() in vowels else consonants)
        return drawn.upper() if character.isupper() else drawn

    return "".join(map(other, name))


def without_words(text: str, names: Sequence[str]) -> str:
    """Return *text* with a sign in place of each of *names* and each of their words, in any case.

    For comparing the answers to a name and to its twin: both are taken out of both answers, since a drawn word can be
    a word of our own messages too.
    """
    words = {word for name in names for word in (name, *re.findall(r"[^\W_]+", name))}
    for word in sorted(words, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "\0", text, flags=re.IGNORECASE)
    return text
