"""The published schema and the reader accept the same documents."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from gongctl.profile.document import CALL_FIELDS, OPERATORS, read_profile
from gongctl.profile.findings import valid
from gongctl.profile.schema import profile_json_schema

VALIDATOR = Draft202012Validator(profile_json_schema())


def written(value: Any) -> str:
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(value, stream)
    return stream.getvalue()


def agree(value: dict[str, Any]) -> bool:
    """Hold the two against each other on one document and return what both say."""
    document = read_profile(written(value))
    by_schema = VALIDATOR.is_valid(value)
    assert by_schema == valid(document.findings), (value, document.findings)
    return by_schema


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(profile_json_schema())


def test_every_object_is_closed_and_described() -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert "additionalProperties" in node
                for name, inner in node.get("properties", {}).items():
                    assert "description" in inner or "$ref" in inner, name
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(profile_json_schema())


def base(**parts: Any) -> dict[str, Any]:
    return {"version": 1, "name": "x", **parts}


def ruled(*rules: Any) -> dict[str, Any]:
    return base(lifecycle={"open": {"rules": list(rules)}})


TEST = {"field": "a", "op": "is_set"}


def nested(depth: int) -> dict[str, Any]:
    rule: dict[str, Any] = TEST
    for _ in range(depth):
        rule = {"any": [rule]}
    return ruled(rule)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (base(), True),
        ({"version": 1}, True),
        ({"name": "x"}, False),
        ({"version": 2}, False),
        ({"version": "1"}, False),
        (base(extra=1), False),
        (base(objects={}), True),
        (base(objects=[]), False),
        (base(objects=None), False),
        (base(objects={"deal": {"object_types": ["A"], "confidence": 0.5, "evidence": {"values": [1]}}}), True),
        (base(objects={"deal": {"object_types": "A"}}), False),
        (base(objects={"deal": {"confidence": 1.5}}), False),
        (base(objects={"deal": {"evidence": {"sample_size": -1}}}), False),
        (base(objects={"deal": {"evidence": {"sample_size": 1.5}}}), False),
        (base(objects={" ": {}}), False),
        (base(objects={"x" * 101: {}}), False),
        (base(fields={"a": {"object": "deal", "names": ["A", 7], "groupable": True}}), True),
        (base(fields={"a": {"groupable": "yes"}}), False),
        (base(lifecycle={"open": {"order": 10, "label": "Open"}}), True),
        (base(lifecycle={"open": {"order": 10**10}}), False),
        (base(lifecycle={"open": {"orders": 10}}), False),
        (base(methodology={"pain": {"fields": [{"object": "deal", "name": "Pain"}], "tracker_ids": [12]}}), True),
        (base(methodology={"pain": {"fields": [{"object": "deal"}]}}), False),
        (ruled(TEST), True),
        (ruled({"field": "a", "op": "Is Set"}), True),
        (ruled({"field": "a", "op": " I-PREFIX"}), False),
        (ruled({"field": "a", "op": "like"}), False),
        (ruled({"field": "a", "op": 1}), False),
        (ruled({"field": "a"}), False),
        (ruled({"field": "", "op": "is_set"}), False),
        (ruled({"op": "is_set"}), False),
        (ruled({"object": "deal", "op": "is_set"}), False),
        (ruled({"field_name": "A", "op": "is_set"}), False),
        (ruled({"object": "deal", "field_name": "A", "op": "in", "values": ["x"]}), True),
        (ruled({"object": "deal", "field_name": "A", "field": "b", "op": "is_set"}), False),
        (ruled({"call": "Direction", "op": "equals", "value": "x"}), True),
        (ruled({"call": "weather", "op": "is_set"}), False),
        (ruled({"call": "system", "field": "a", "op": "is_set"}), False),
        (ruled({"all": [TEST]}), True),
        (ruled({"all": []}), False),
        (ruled({"all": [TEST], "any": [TEST]}), False),
        (ruled({"all": [TEST], "op": "in"}), False),
        (ruled("x"), False),
        (nested(5), True),
        (nested(6), False),
    ],
)
def test_schema_and_reader_agree(value: dict[str, Any], expected: bool) -> None:
    assert agree(value) is expected


# Names are short and lower case, so that two of them never become one: that, no schema can say.
NAMES = st.sampled_from(["a", "b", "deal", " "])
TEXT = st.one_of(st.text("ab ", min_size=1, max_size=4), st.integers(0, 9), st.booleans())
LOOSE = st.one_of(TEXT, st.none(), st.lists(TEXT, max_size=2), st.just({}))
TEXTS = st.one_of(st.lists(TEXT, max_size=3), LOOSE)


def maps(**entries: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=entries)


CONDITIONS = maps(
    field=st.sampled_from(["a", "b"]),
    object=st.sampled_from(["deal"]),
    field_name=TEXT,
    call=st.sampled_from([*CALL_FIELDS, "weather"]),
    op=st.sampled_from([*OPERATORS, "IS-SET", "like"]),
    value=TEXT,
    values=TEXTS,
)
RULES: st.SearchStrategy[Any] = st.recursive(
    CONDITIONS, lambda inner: maps(all=st.lists(inner, max_size=2), any=st.lists(inner, max_size=2)), max_leaves=5
)
NOTES = {
    "confidence": st.one_of(st.floats(-1, 2), TEXT),
    "evidence": maps(source=LOOSE, sample_size=st.one_of(st.integers(-1, 5), LOOSE), values=TEXTS),
}
ORDERS = st.one_of(st.integers(-3, 9), LOOSE)
DOCUMENTS = maps(
    version=st.sampled_from([1, 1, 1, 2, "1"]),
    name=LOOSE,
    objects=st.dictionaries(NAMES, maps(object_types=TEXTS, **NOTES), max_size=2),
    fields=st.dictionaries(NAMES, maps(object=LOOSE, names=TEXTS, groupable=LOOSE), max_size=2),
    lifecycle=st.dictionaries(NAMES, maps(label=LOOSE, order=ORDERS, rules=st.lists(RULES, max_size=2)), max_size=2),
    methodology=st.dictionaries(NAMES, maps(aliases=TEXTS, fields=st.lists(maps(object=TEXT, name=TEXT))), max_size=2),
    wrong=st.just(1),
)


@settings(max_examples=400, deadline=None)
@given(DOCUMENTS)
def test_schema_and_reader_agree_on_any_document(value: dict[str, Any]) -> None:
    agree(value)


@settings(max_examples=400, deadline=None)
@given(RULES)
def test_schema_and_reader_agree_on_any_rule(rule: Any) -> None:
    agree(ruled(rule))
