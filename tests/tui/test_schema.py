"""From JSON Schema to fields, and from drafts to arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.catalog.limits import Limits
from tui.schema import FieldSpec, Kind, assemble, hint, parse, read_form, take_apart, to_draft
from tui.schema_json import signature


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
        {"type": "object", "properties": {"deep": {"type": "string"}}, "minProperties": 1},
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


FILTERS = {
    "type": "object",
    "properties": {
        "from": {"type": "string", "format": "date"},
        "sizes": {"type": "object", "properties": {"least": {"type": "integer", "minimum": 1}}, "required": ["least"]},
    },
    "required": ["from"],
    "additionalProperties": False,
}


def test_an_object_is_a_row_for_each_member_and_is_put_together_again() -> None:
    schema = {"type": "object", "properties": {"filters": FILTERS, "query": {"type": "string"}}, "required": ["query"]}
    fields = read_form(schema)
    assert fields is not None
    assert [(row.name, row.required, row.within) for row in fields] == [
        ("filters.from", True, False), ("filters.sizes.least", True, False), ("query", True, True)
    ]  # fmt: skip
    given = {"query": "x", "filters": {"from": "2021-05-01", "sizes": {"least": 2}}}
    parts = take_apart(fields, given)
    assert isinstance(parts, dict)
    assert assemble(fields, parts) == given
    assert assemble(fields, {"query": "x"}) == {"query": "x"}
    for unknown, name in (
        ({"filters": {"until": 1}}, "filters.until"),
        ({"filters": {}}, "filters"),
        ({"filters": 3}, "filters"),
        ({"odd": 1}, "odd"),
    ):
        assert take_apart(fields, unknown) == name


@pytest.mark.parametrize(
    ("rule", "draft", "problem"),
    [
        ({"type": "array", "items": FILTERS}, '[{"from": 1}]', "/0/from: 1 is not of type 'string'"),
        ({"type": "array", "items": FILTERS}, "[{}]", "/0: 'from' is a required property"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "[]", "[] is not valid under any of the given schemas"),
        ({"type": "integer", "multipleOf": 5}, "7", "7 is not a multiple of 5"),
        ({"type": "string", "minLength": 3, "not": {"const": "abc"}}, '"ab"', "'ab' is too short"),
    ],
)
def test_what_only_json_holds_is_checked_against_its_rule(rule: Any, draft: str, problem: str) -> None:
    field = form(rule)
    assert field.kind is Kind.JSON
    assert parse(field, draft).problem == problem


@pytest.mark.parametrize("rule", [{"$ref": "https://example.test/x.json"}, {"$ref": "#/nowhere"}, {"type": 7}])
def test_a_rule_that_cannot_be_judged_is_left_to_the_handler(rule: Any) -> None:
    assert parse(form(rule), '{"a": 1}').is_set


def test_the_shape_is_told_in_short() -> None:
    list_of = {"type": "array", "items": {**FILTERS, "properties": {**FILTERS["properties"], "any": {}}}}  # type: ignore[dict-item]
    assert signature(list_of) == "[{from*: text, sizes: {least*: whole number}, any: anything}]"
    assert signature({"oneOf": [{"type": "string"}, {"const": 3}, {}]}) == "text | 3 | anything"
    assert hint(form({"type": "object"})) == "JSON: {…}"


def test_constants_and_long_lists_are_choices() -> None:
    field = form({"oneOf": [{"const": "a", "title": "First"}, {"const": 2}]})
    assert (field.kind, field.choices) == (Kind.CHOICE, ('"a"', "2"))
    many = form({"type": "string", "enum": [f"stage {n}" for n in range(500)]})
    assert parse(many, "stage 37").value == "stage 37"
    assert parse(many, "stage").problem == "not one of the allowed values"
    assert "one of 500" in hint(many)


nested = st.recursive(
    st.fixed_dictionaries({"type": types}),
    lambda inner: (
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.text(max_size=4), inner, max_size=3),
                "required": st.lists(st.text(max_size=4), max_size=2),
            }
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)})
    ),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=4), nested, max_size=3), json_values)
def test_no_generated_schema_breaks_the_form_and_what_comes_apart_goes_together(
    properties: dict[str, Any], value: Any
) -> None:
    fields = read_form({"type": "object", "properties": properties})
    assert fields is not None
    for row in fields:
        hint(row)
        parse(row, json.dumps(value))
    arguments = value if isinstance(value, dict) else {"a": value}
    parts = take_apart(fields, arguments)
    if isinstance(parts, dict):
        assert assemble(fields, parts) == arguments
