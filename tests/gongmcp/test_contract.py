"""The contract that every tool keeps, whatever it does."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import msgspec
import pytest
from jsonschema import Draft202012Validator

from gongmcp.catalog.active import exposed_columns
from gongmcp.catalog.declaration import Level, Tool
from gongmcp.catalog.operations import OPERATIONS
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.fields import SWITCHES, Expose, Field
from gongmcp.exposure.rows import Row, is_container, strip
from gongmcp.handler import Outcome, ToolHandler
from tests.gongmcp.conftest import MakeHandler
from tests.gongmcp.examples import EXAMPLES

TOOLS = list(catalog())
POLICIES = [
    {},
    {"provenance": "alias"},
    {"provenance": "raw"},
    {"provenance": "raw", "policy_switches": ",".join(SWITCHES)},
    {"max_response_bytes": "16384"},
]


def run(handler: ToolHandler, name: str, arguments: dict[str, Any]) -> Outcome:
    outcome = handler.call(name, arguments)
    answer = outcome.answer
    if answer.is_error:
        assert answer.structured is None
        assert answer.error is not None
        assert answer.text.startswith(answer.error["code"])
        return outcome
    assert answer.structured is not None
    Draft202012Validator(handler.tool(name).output_schema).validate(answer.structured)
    assert json.loads(json.dumps(answer.structured, allow_nan=False)) == answer.structured
    with pytest.raises(ValueError):
        json.loads(answer.text)
    return outcome


def rows_of(model: type[Row]) -> list[tuple[str, Any, Expose | None]]:
    out = []
    hints = get_type_hints(model, include_extras=True)
    for field in msgspec.structs.fields(model):
        hint, expose = strip(hints[field.name])
        if is_container(hint):
            inner = hint if isinstance(hint, type) else strip(hint.__args__[0])[0]
            out += rows_of(inner)
        else:
            out.append((f"{model.__name__}.{field.name}", hint, expose))
    return out


@pytest.mark.parametrize("name", TOOLS)
def test_every_column_declares_its_exposure(name: str) -> None:
    tool = catalog()[name]
    for model in filter(None, (tool.row, tool.notes)):
        for column, _, expose in rows_of(model):
            assert expose is not None, f"{column} has no declared exposure"


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_an_example(name: str) -> None:
    assert EXAMPLES[name]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("name", TOOLS)
def test_answers_validate_against_the_published_schema(
    name: str, policy: dict[str, str], make_handler: MakeHandler
) -> None:
    handler = make_handler(**policy)
    info = handler.tool(name)
    Draft202012Validator.check_schema(info.input_schema)
    Draft202012Validator.check_schema(info.output_schema)
    answered = 0
    for arguments in EXAMPLES[name]:
        outcome = run(handler, name, dict(arguments))
        answered += not outcome.answer.is_error
        assert outcome.bytes <= handler.policy.max_response_bytes
    told = str(run(handler, name, {}).answer.error)
    assert answered or "profile" in told or "refused_by_policy" in told


def test_no_argument_or_answer_schema_uses_more_than_the_plain_dialect(handler: ToolHandler) -> None:
    banned = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "$schema", "not", "if"}

    def walk(schema: Any, path: str) -> None:
        if isinstance(schema, dict):
            assert not banned & schema.keys(), path
            if "type" in schema and not isinstance(schema["type"], dict):
                assert isinstance(schema["type"], str), path
                assert schema["type"] != "null", path
                assert schema["type"] != "array" or "type" in schema["items"], path
            for key, value in schema.items():
                if key != "additionalProperties":
                    assert not isinstance(value, bool) or key == "default", f"{path}/{key}"
                walk(value, f"{path}/{key}")
        elif isinstance(schema, list):
            for index, item in enumerate(schema):
                walk(item, f"{path}/{index}")

    for info in handler.tools():
        assert info.input_schema["type"] == "object"
        assert info.input_schema["additionalProperties"] is False
        assert info.output_schema["type"] == "object"
        assert info.output_schema["required"] == ["status", "as_of"]
        walk(info.input_schema, info.name)
        walk(info.output_schema, info.name)


@pytest.mark.parametrize("name", [name for name, tool in catalog().items() if tool.cursor and tool.cap])
def test_following_the_cursor_yields_every_row_once(name: str, handler: ToolHandler) -> None:
    for arguments in EXAMPLES[name]:
        whole = run(handler, name, {**arguments, "limit": 100})
        if whole.answer.structured is None:
            continue
        assert "next_cursor" not in whole.answer.structured or whole.answer.structured["returned"] > 0
        if "next_cursor" in whole.answer.structured:
            continue
        pages: list[dict[str, Any]] = []
        page = {**arguments, "limit": 2}
        for _ in range(200):
            structured = run(handler, name, page).answer.structured
            assert structured is not None
            pages += [{k: v for k, v in row.items() if k != "call_group"} for row in structured["results"]]
            if "next_cursor" not in structured:
                break
            page = {**arguments, "limit": 2, "cursor": structured["next_cursor"]}
        expected = [{k: v for k, v in row.items() if k != "call_group"} for row in whole.answer.structured["results"]]
        assert pages == expected


@pytest.mark.parametrize("name", TOOLS)
def test_a_preview_is_a_pure_function(name: str, handler: ToolHandler, make_handler: MakeHandler) -> None:
    for arguments in EXAMPLES[name]:
        first = handler.call(name, dict(arguments)).answer
        assert make_handler().call(name, dict(arguments)).answer == first


def test_what_a_result_holds_it_says_in_both_channels(handler: ToolHandler) -> None:
    for name in TOOLS:
        for arguments in EXAMPLES[name]:
            answer = handler.call(name, dict(arguments)).answer
            if answer.structured is None:
                continue
            for leaf in leaves(answer.structured.get("results", [])):
                assert leaf.replace("\n", "") in answer.text.replace("\n", ""), name


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if isinstance(value, str) else []


def test_an_unknown_and_a_disallowed_name_are_told_apart_by_nobody(make_handler: MakeHandler) -> None:
    from gongmcp.errors import UnknownTool

    handler = make_handler(tool_preset="business-pilot")
    for name in ("get_call", "no_such_tool", ""):
        with pytest.raises(UnknownTool):
            handler.call(name, {})
        with pytest.raises(UnknownTool):
            handler.tool(name)


def test_no_two_tools_give_the_same_answers(handler: ToolHandler) -> None:
    """Every tool is called with every tool's examples, as far as it takes them: where two tools find something for
    the same arguments, they do not find the same."""
    envelope = {"status", "as_of", "freshness", "returned", "limit", "withheld_fields", "next_cursor"}
    different = {json.dumps(item, sort_keys=True): item for name in TOOLS for item in EXAMPLES[name]}
    answered: set[str] = set()
    for arguments in different.values():
        found: dict[str, str] = {}
        for name in TOOLS:
            structured = handler.call(name, dict(arguments)).answer.structured
            if structured is None or structured["status"] != "ok" or structured.get("returned") == 0:
                continue
            shown = structured.get("results") or {k: v for k, v in structured.items() if k not in envelope}
            assert found.setdefault(json.dumps(shown, sort_keys=True), name) == name, arguments
            answered.add(name)
    needs_profile = {name for name in TOOLS if "profile_missing" in str(handler.call(name, {}).answer.error)}
    # Their examples name a call by the alias that one cache gives it; tests of their own ask for calls of this one.
    by_alias = {"get_call_drilldown", "list_call_highlights"}
    assert answered == set(TOOLS) - needs_profile - by_alias


def _classes(tool: Tool) -> tuple[set[Field], set[Field]]:
    """Return what a tool can show of what is said, and of what names a call whatever the provenance."""
    arguments = set(tool.arguments.__struct_fields__)
    exposed = [
        expose
        for model in (tool.row, tool.notes)
        if model is not None
        for _, expose in exposed_columns(model)
        if expose is not None and not expose.never and (expose.opt_in is None or expose.opt_in in arguments)
    ]
    said = {expose.field for expose in exposed} & {Field.SNIPPET, Field.EXCERPT, Field.AI_TEXT}
    names = {expose.field for expose in exposed if expose.modes is None}
    return said, names & {Field.CALL_ID, Field.CALL_TITLE, Field.ACCOUNT_NAME, Field.OPPORTUNITY_NAME}


@pytest.mark.parametrize("name", [name for name, tool in catalog().items() if not tool.facade])
def test_a_tool_that_quotes_is_identified_when_it_can_name_the_call(name: str) -> None:
    tool = catalog()[name]
    said, names = _classes(tool)
    if said:
        assert tool.level is (Level.IDENTIFIED if names else Level.SNIPPET)
    elif tool.level in (Level.STATUS, Level.AGGREGATE):
        assert not names


def test_a_tool_of_the_facade_has_the_level_of_what_stands_behind_it() -> None:
    order = list(Level)
    for facade in {operation.facade for operation in OPERATIONS.values()}:
        behind = [
            catalog()[inner].level
            for operation in OPERATIONS.values()
            if operation.facade == facade
            for inner in operation.needs
        ]
        assert order.index(catalog()[facade].level) >= max(map(order.index, behind)), facade
