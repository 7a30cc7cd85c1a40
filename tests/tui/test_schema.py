"""From JSON Schema to fields, and from drafts to arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.catalog.limits import Limits
from tui.schema import FieldSpec, Kind, hint, parse, read_form, to_draft


def form(rule: Any, *, required: bool = False) -> FieldSpec:
    schema = {"type": "object", "properties": {"x": rule}, "required": ["x"] if required else []}
    fields = read_form(schema)
    assert fields is not None
    return fields[0]


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"type": "string"}, Kind.TEXT),
        ({"type": "string", "format": "date"}, Kind.TEXT),
        ({"type": "integer", "minimum": 1}, Kind.INTEGER),
        ({"type": "number"}, Kind.NUMBER),
        ({"type": "boolean", "default": False}, Kind.BOOLEAN),
        ({"type": "string", "enum": ["a", "b"]}, Kind.CHOICE),
        ({"enum": [1, "two", None]}, Kind.CHOICE),
        ({"const": "only"}, Kind.CHOICE),
        ({"type": ["string", "null"]}, Kind.TEXT),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, Kind.INTEGER),
        ({"type": "array", "items": {"type": "string"}}, Kind.LIST),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "maxItems": 3}, Kind.LIST),
        ({"type": "array", "items": {"type": "integer"}}, Kind.LIST),
    ],
)
def test_a_known_rule_gets_its_control(rule: Any, kind: Kind) -> None:
    assert form(rule).kind is kind


@pytest.mark.parametrize(
    "rule",
    [
        {"$ref": "#/defs/x"},
        {"type": "object", "properties": {"deep": {"type": "string"}}},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"oneOf": [{"type": "object"}, {"type": "object"}]},
        {"allOf": [{"type": "string"}]},
        {"type": ["string", "integer"]},
        {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "string", "contentMediaType": "text/html"},
        {"type": "string", "enum": [{"not": "a scalar"}]},
        {"type": "string", "enum": []},
        {"type": "nonsense"},
        {"not": {}},
        {},
        True,
        None,
        "text",
        7,
    ],
)
def test_an_unknown_rule_gets_a_json_editor(rule: Any) -> None:
    assert form(rule).kind is Kind.JSON


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": "object", "properties": []},
        {"type": "object", "oneOf": [{}, {}]},
        {"$ref": "#/defs/x"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
        {"type": "object", "patternProperties": {".*": {}}},
    ],
)
def test_a_schema_without_plain_properties_has_no_form(schema: dict[str, Any]) -> None:
    assert read_form(schema) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
words = st.sampled_from(
    ["type", "enum", "const", "items", "anyOf", "oneOf", "minimum", "maximum", "minLength", "maxLength", "pattern",
     "format", "default", "description", "minItems", "maxItems", "properties", "required", "$ref"]
)  # fmt: skip
types = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])


@given(st.dictionaries(words, json_values | types, max_size=5), st.text(max_size=12))
def test_no_schema_and_no_draft_break_the_form(rule: dict[str, Any], draft: str) -> None:
    field = form(rule)
    hint(field)
    parsed = parse(field, draft)
    assert not (parsed.problem and parsed.is_set)


def test_unset_default_and_set_are_different() -> None:
    field = form({"type": "boolean", "default": False})
    assert field.default == "false"
    assert not parse(field, "").is_set
    explicit = parse(field, "false")
    assert (explicit.is_set, explicit.value) == (True, False)
    assert parse(form({"type": "string"}, required=True), "").problem == "required"


@pytest.mark.parametrize(
    ("rule", "draft", "value"),
    [
        ({"type": "string"}, " kept as typed ", " kept as typed "),
        ({"type": "string"}, "123", "123"),
        ({"type": "string", "format": "date"}, "2021-05-01", "2021-05-01"),
        ({"type": "integer"}, " 7 ", 7),
        ({"type": "number"}, "-1.5e2", -150.0),
        ({"type": "boolean"}, "true", True),
        ({"type": "string", "enum": ["true", "null"]}, '"null"', "null"),
        ({"enum": [1, None]}, "null", None),
        ({"type": "array", "items": {"type": "string"}}, "one, two\n\n three", ["one, two", "three"]),
        ({"type": "array", "items": {"type": "integer"}}, "1\n2", [1, 2]),
        ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, "b\na", ["b", "a"]),
        ({"type": "object"}, '{"a": [1, null]}', {"a": [1, None]}),
    ],
)
def test_a_good_draft_means_a_typed_value_and_comes_back(rule: Any, draft: str, value: Any) -> None:
    field = form(rule)
    parsed = parse(field, draft)
    assert (parsed.problem, parsed.is_set) == ("", True)
    assert json.dumps(parsed.value) == json.dumps(value)
    again = to_draft(field, value)
    assert again is not None
    assert json.dumps(parse(field, again).value) == json.dumps(value)


@pytest.mark.parametrize(
    ("rule", "draft", "problem"),
    [
        ({"type": "string", "maxLength": 3}, "four", "at most 3 characters; this has 4"),
        ({"type": "string", "minLength": 3}, "ab", "at least 3 characters"),
        ({"type": "string", "format": "date"}, "2021-5-1", "a date, YYYY-MM-DD"),
        ({"type": "string", "format": "date"}, "20210501", "a date, YYYY-MM-DD"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A", "must match ^[a-z]+$"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "1.0", "a whole number from 1 to 9"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "10", "a number from 1 to 9"),
        ({"type": "integer", "minimum": 1}, "0", "a number, at least 1"),
        ({"type": "number"}, "1e999", "a finite number"),
        ({"type": "number"}, "nan", "a number"),
        ({"type": "array", "items": {"type": "integer"}}, "1\nx", "line 2: a whole number"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "z", "line 1: not one of the allowed values"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "a\nb", "at most 1 items"),
        ({"type": "object"}, '{"a": }', "not valid JSON: line 1, column 7: Expecting value"),
        ({"type": "object"}, "[" * 100_000, "not valid JSON: nested too deeply"),
    ],
)
def test_a_bad_draft_says_what_is_wrong(rule: Any, draft: str, problem: str) -> None:
    parsed = parse(form(rule), draft)
    assert (parsed.problem, parsed.is_set) == (problem, False)


def test_a_pattern_that_python_cannot_read_is_left_to_the_handler() -> None:
    assert parse(form({"type": "string", "pattern": r"\p{L}+("}), "x").is_set


def test_limit_knows_default_ceiling_and_hard_cap() -> None:
    schema = {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 100}}}
    fields = read_form(schema, Limits(default=20, ceiling=100, hard=1000))
    assert fields is not None
    (limit,) = fields
    assert hint(limit) == "20 · 1–100, hard cap 1000"
    assert parse(limit, "100").note == ""
    assert parse(limit, "101").note == "will be served as 100, the configured ceiling"
    assert parse(limit, "1001").problem == "a number from 1 to 1000"


@pytest.mark.parametrize("value", ["a\x1bb", "line\nbreak", "\u202e", ""])
def test_a_line_does_not_hold_what_it_cannot_show(value: str) -> None:
    field = form({"type": "string"})
    draft = to_draft(field, value)
    assert draft is None or draft == value == "line\nbreak"


def test_a_value_of_the_wrong_type_stays_in_json() -> None:
    assert to_draft(form({"type": "integer"}), "7") is None
    assert to_draft(form({"type": "string"}), 7) is None
    assert to_draft(form({"type": "array", "items": {"type": "string"}}), ["a\nb"]) is None
