"""Arguments drawn from a tool's published input schema, with values that exist in a cache, and near misses.

Seeded by the tool's name, so that a failure comes back. The values of one argument set belong together: they
are those of one call (its dates, system, one of its CRM objects with a field and a value of it), so that
filters leave something over.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gongmcp.catalog.dimensions import DIMENSIONS

_OTHERS_SAY = ("cohort_token", "cohort_token_a", "cohort_token_b", "topics", "filter", "filter_a", "filter_b")
"""Arguments that contradict others, or name what one of them chooses: not drawn by themselves."""

SHARE = 0.2
"""How often an argument that is not required is given."""


@dataclass(frozen=True)
class Values:
    """What a cache holds, read from its serving tables."""

    calls: list[dict[str, Any]]
    words: list[str]
    objects: Mapping[int, list[dict[str, str]]]
    scorecards: list[str]
    integrations: list[str]
    schema_types: list[str]
    buckets: list[str]
    stages: list[str]
    matrix: list[tuple[str, str]]

    @classmethod
    def of(cls, cache: Path) -> Values:
        """Read *cache*."""
        with closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row

            def rows(sql: str) -> list[dict[str, Any]]:
                return [dict(row) for row in connection.execute(sql)]

            def texts(sql: str) -> list[str]:
                return sorted({str(value) for row in rows(sql) for value in row.values() if value})

            objects: dict[int, list[dict[str, str]]] = {}
            for row in rows(
                "SELECT o.call_no, o.object_type, o.object_id, o.object_ref, v.field_name, v.value"
                " FROM crm_objects o JOIN crm_values v USING (object_no) WHERE v.value <> '' ORDER BY v.value_no"
            ):
                objects.setdefault(row.pop("call_no"), []).append(row)
            spoken = " ".join(texts("SELECT text FROM segments WHERE segment_no % 7 = 0"))
            words = sorted({word.lower() for word in re.findall(r"[A-Za-z]{4,12}", spoken)})
            group = "', '".join(("StageName", "Industry", "Type", "dealstage", "industry"))
            return cls(
                calls=rows("SELECT * FROM call_facts ORDER BY call_no"),
                words=words,
                objects=objects,
                scorecards=texts("SELECT scorecard_id FROM scorecards"),
                integrations=texts("SELECT integration_id FROM crm_integrations"),
                schema_types=texts("SELECT object_type FROM crm_schema_objects"),
                buckets=texts("SELECT lifecycle_bucket FROM call_facts"),
                stages=texts("SELECT stage FROM opportunities"),
                matrix=[
                    (row["object_type"], row["field_name"])
                    for row in rows(
                        f"SELECT DISTINCT object_type, field_name FROM crm_values WHERE field_name IN ('{group}')"
                    )
                ],
            )


@dataclass
class Generator:
    """Draws argument sets for one tool: ``valid`` ones, and ``wrong`` ones that are near misses of them."""

    name: str
    schema: Mapping[str, Any]
    values: Values
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.name)

    def valid(self) -> dict[str, Any]:
        """Return arguments that the schema allows, whose values exist in the cache."""
        draw, required = self.random, self.schema.get("required", ())
        call = draw.choice(self.values.calls)
        known = self._known(call)
        given: dict[str, Any] = {}
        for name, rule in self.schema["properties"].items():
            if name == "cursor" or name in _OTHERS_SAY or (name not in required and draw.random() > SHARE):
                continue
            given[name] = self._value(name, rule, known)
        for name, rule in self.schema["properties"].items():
            if rule["type"] == "object" and name.startswith("filter"):
                given[name] = self._filter(rule, known)
            elif name == "theme_query":
                given[name] = known[name]
        if {"call_id", "call_ref"} <= self.schema["properties"].keys():
            given.pop("call_id", None)
            given |= {"call_ref": call["call_ref"]} if draw.random() < 0.5 else {"call_id": call["call_id"]}
            given.pop("call_ref" if "call_id" in given else "call_id", None)
        if given.get("crm_object_id") and "crm_object_type" not in given:
            given["crm_object_type"] = known["crm_object_type"]
        if given.get("from_date", "") > given.get("to_date", "9"):
            given["from_date"], given["to_date"] = given["to_date"], given["from_date"]
        return given

    def _filter(self, rule: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
        """Return a cohort's filter: a period, and now and then a condition that the same call fulfils."""
        draw = self.random
        year = known["from_date"][:4]
        given: dict[str, Any] = {"from_date": f"{year}-01-01", "to_date": f"{year}-12-31"}
        if draw.random() < 0.5:
            name = draw.choice(["scope", "system", "industry", "opportunity_stage", "lifecycle_bucket", "query"])
            if name in rule["properties"] and known[name] != "none":
                given[name] = known[name]
        if draw.random() < 0.2:
            given["dimension_filters"] = [{"dimension": "scope", "values": [known["scope"]]}]
        return given

    def wrong(self) -> dict[str, Any]:
        """Return arguments with one thing that is unusual or not allowed."""
        draw, given = self.random, self.valid()
        names = list(self.schema["properties"])
        if not names or draw.random() < 0.1:
            name = draw.choice(["nonsense", "Limit", "query ", "from", "", "включить", "x" * 200, "__class__"])
            return {**given, name: draw.choice([1, "x", None])}
        name = draw.choice(names)
        if draw.random() < 0.1:
            given.pop(name, None)
            return given
        return {**given, name: draw.choice(_NEAR_MISSES)(draw)}

    def _known(self, call: Mapping[str, Any]) -> dict[str, Any]:
        draw = self.random
        item = draw.choice(self.values.objects.get(call["call_no"]) or self._any_object())
        bucket = call["lifecycle_bucket"]
        query = draw.choice(self.values.words)
        if self.schema["properties"].get("value_query"):
            start = draw.randrange(max(1, len(item["value"]) - 3))
            item = {**item, "part": item["value"][start : start + 12].strip() or item["value"][:12]}
        type_, field_name = draw.choice(self.values.matrix)
        return {
            "query": draw.choice([query, query, query[:3] + "*", f"{query} OR {draw.choice(self.values.words)}"]),
            "from_date": call["call_date"][:8] + "01",
            "to_date": call["call_date"][:8] + "28",
            "lifecycle_bucket": bucket,
            "bucket": bucket,
            "bucket_a": bucket,
            "bucket_b": draw.choice([other for other in self.values.buckets if other != bucket]),
            "system": call["system"] or "none",
            "direction": call["direction"] or "none",
            "scope": call["scope"],
            "call_id": call["call_id"],
            "call_ref": call["call_ref"],
            "crm_object_type": item["object_type"],
            "crm_object_id": draw.choice([item["object_id"], item["object_ref"]]),
            "object_type": item["object_type"] if "group_by_field" not in self.schema["properties"] else type_,
            "object_id": draw.choice([item["object_id"], item["object_ref"]]),
            "field_name": item["field_name"],
            "value_query": item.get("part", ""),
            "group_by_field": field_name,
            "stage_field": field_name,
            "scorecard_id": draw.choice(self.values.scorecards),
            "integration_id": draw.choice(self.values.integrations),
            "industry": call["account_industry"] or "none",
            "account_query": item["value"][:20],
            "opportunity_query": item["value"][:20],
            "opportunity_stage": call["opportunity_stage"] or "none",
            "stage_values": draw.sample(self.values.stages, min(2, len(self.values.stages))),
            "late_stage_values": draw.sample(self.values.stages, min(2, len(self.values.stages))),
            "lifecycle_source": draw.choice(["auto", "builtin", "auto", "builtin", "profile"]),
            "transcript_status": draw.choice(["present", "any", "missing"]),
            "group_by": draw.choice([*DIMENSIONS]),
            "theme_query": draw.choice([query, f"{query} OR {draw.choice(self.values.words)}", "revenue", "outlook"]),
            "call_refs": [call["call_ref"]],
            "topic_packs": ["generic_b2b"],
        }

    def _any_object(self) -> list[dict[str, str]]:
        return next(iter(self.values.objects.values()))

    def _value(self, name: str, rule: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
        draw = self.random
        if name in known and self._fits(known[name], rule):
            return known[name]
        if "enum" in rule:
            return draw.choice(rule["enum"])
        if rule["type"] == "boolean":
            return draw.random() < 0.5
        if rule["type"] == "integer":
            return draw.randint(rule.get("minimum", 0), min(rule.get("maximum", 50), 50))
        if rule["type"] == "number":
            return draw.randint(0, 10)
        if rule["type"] == "object":
            return {}
        if rule["type"] == "array":
            return [self._value(name, rule["items"], {}) for _ in range(draw.randint(1, 3))]
        return draw.choice(self.values.words)

    @staticmethod
    def _fits(value: Any, rule: Mapping[str, Any]) -> bool:
        if isinstance(value, list):
            return bool(rule["type"] == "array")
        return bool(value and rule["type"] == "string" and value in rule.get("enum", [value]))


_NEAR_MISSES: list[Callable[[random.Random], Any]] = [
    lambda draw: draw.choice([0, 1, -1, 7, 10.0, 2.5, 1e99, -0.0, 10**30, float("inf"), float("nan"), 99999]),
    lambda draw: draw.choice(["", " ", "\t\n", "\u00a0", "\u200b", " x ", "null", "None", "true", "TRUE", "0", "10"]),
    lambda draw: draw.choice([None, True, False, [], {}, [[]], [None], ["a", 1], {"a": {"b": []}}, "[]", '["a"]', "["]),
    lambda draw: draw.choice(["12px", "1e2", "+5", "٣", "９", "99999999999999999999", "0x10", "1_0", "²"]),
    lambda draw: draw.choice(
        ["2026-02-30", "2026-2-3", "20260203", "2026-02-03T00:00:00Z", "0000-01-01", "9999-12-31"]
    ),
    lambda draw: draw.choice(["\ud800", "a\x00b", "\x1b[31mred", "\u202etxt", "🙂", "naïve", "ﬀ", "İ", "ß", "e\u0301"]),
    lambda draw: draw.choice(["'", '"', "' OR 1=1 --", "%", "_", "*", "NEAR(", "a OR", "NOT x", "-x", "(", ")", '""']),
    lambda draw: draw.choice(
        ["x" * 64, "x" * 65, "x" * 513, "y " * 256, "z\n" * 30, "\\", "{x}", "^a", "a:b", "#" * 120]
    ),
    lambda draw: draw.choice(["External", "external", "CLOSED WON", "Closed Won", "Account", "DEAL", "No such thing"]),
    lambda draw: draw.choice(
        ["call_0000000000000000", "call_zzzz", "00712345", "9007199254740993", "../../etc/passwd"]
    ),
]
