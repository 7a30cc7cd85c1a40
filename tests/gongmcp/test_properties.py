"""Generated arguments for every tool: no unexpected error, valid answers, enough of them with rows.

An answer is validated by its shape (``shape``): the schemas of answers use only keywords on which two answers
of one shape agree, which a test of its own holds, so each shape is validated once.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gongmcp.catalog.arguments import validate
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault
from gongmcp.exposure.policy import MIN_RESPONSE_BYTES
from gongmcp.handler import ToolHandler
from tests.gongmcp.conftest import MakeHandler
from tests.gongmcp.generated import Generator, Values

VALID, WRONG = (340, 160) if os.environ.get("EVERY_SAMPLE") else (136, 64)
"""Argument sets for each tool."""

WORDS_ARE_READ = {"discover_themes_in_cohort", "extract_business_questions", "search_transcripts_by_filters"}
"""Tools that read many texts for each answer: they get a tenth of the argument sets."""

ROWS_SHARE = 0.3
NEEDS_PROFILE = {"get_business_profile", "list_business_concepts", "list_unmapped_crm_fields"}
"""Tools that refuse without a business profile, which the sample has not: they have no rows to give."""

POLICIES: list[dict[str, str]] = [
    {},
    {"provenance": "alias"},
    {"provenance": "raw"},
    {"provenance": "raw", "max_response_bytes": str(MIN_RESPONSE_BYTES)},
]


@pytest.fixture(scope="module")
def values(sample_cache: Path) -> Values:
    return Values.of(sample_cache)


def shape(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return all of *value* that *schema* can tell apart: types, names, and words of enumerations."""
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        return tuple(sorted((name, shape(item, inner.get(name, {}))) for name, item in value.items()))
    if isinstance(value, list):
        return frozenset(shape(item, schema.get("items", {})) for item in value)
    return value if "enum" in schema else type(value).__name__


def without_repeats(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return *value* with one item of each shape in every list: as valid as *value*, and quicker to validate."""
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        return {name: without_repeats(item, inner.get(name, {})) for name, item in value.items()}
    if isinstance(value, list):
        items = schema.get("items", {})
        return [*{shape(item, items): without_repeats(item, items) for item in value}.values()]
    return value


def test_answers_of_one_shape_are_equally_valid(handler: ToolHandler) -> None:
    known = {"type", "properties", "required", "additionalProperties", "items", "enum"}

    def walk(schema: Mapping[str, Any]) -> None:
        assert schema.keys() <= known
        for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            walk(inner)

    for info in handler.tools():
        walk(info.output_schema)


@pytest.mark.parametrize("name", list(catalog()))
def test_generated_arguments(
    name: str, make_handler: MakeHandler, values: Values, caplog: pytest.LogCaptureFixture
) -> None:
    handlers = [make_handler(**policy) for policy in POLICIES]
    validators = [Draft202012Validator(handler.tool(name).output_schema) for handler in handlers]
    generator = Generator(name, handlers[0].tool(name).input_schema, values)
    seen: set[Any] = set()
    with_rows = 0
    valid, wrong = (VALID // 10, WRONG // 10) if name in WORDS_ARE_READ else (VALID, WRONG)
    with caplog.at_level(logging.ERROR):
        for number in range(valid + wrong):
            at = number % len(handlers)
            handler = handlers[at]
            arguments = generator.valid() if number < valid else generator.wrong()
            outcome = handler.call(name, arguments)
            answer = outcome.answer
            assert outcome.bytes <= handler.policy.max_response_bytes, arguments
            assert not _is_json(answer.text), arguments
            if answer.is_error:
                assert answer.error is not None
                assert answer.error["code"] != "internal_error", arguments
                assert answer.structured is None
                continue
            assert answer.structured is not None
            assert answer.structured["status"] != "unavailable", arguments
            schema = handler.tool(name).output_schema
            if (key := (at, shape(answer.structured, schema))) not in seen:
                seen.add(key)
                validators[at].validate(without_repeats(answer.structured, schema))
            if number < valid:
                with_rows += bool(answer.structured.get("results") if catalog()[name].many else outcome.rows)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    if catalog()[name].facade:
        return  # what stands inside its arguments is another tool's, and generated for that one
    if name not in NEEDS_PROFILE:
        assert with_rows >= ROWS_SHARE * valid, with_rows
        assert seen


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", list(catalog()))
def test_the_validator_agrees_with_the_published_schema(name: str, handler: ToolHandler, values: Values) -> None:
    """Both say the same of every generated argument set, what is forgiven (``forgiven``) and ``limit`` apart."""
    tool, schema = catalog()[name], handler.tool(name).input_schema
    published = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    generator = Generator(f"{name} verdicts", schema, values)
    verdicts = {True: 0, False: 0}
    for number in range(400):
        arguments = generator.valid() if number % 4 == 0 else generator.wrong()
        arguments.pop("limit", None)
        if any(forgiven(value, schema["properties"].get(key)) for key, value in arguments.items()):
            continue
        allowed = not has_nul(arguments) and published.is_valid(arguments)
        try:
            validate(tool, handler.policy, schema, arguments)
            accepted = True
        except ToolFault as fault:
            # A rule between two arguments, which no schema says: dates, a filter that needs its flag.
            accepted = "is later than" in fault.message or fault.code == "refused_by_policy"
        assert accepted is allowed, arguments
        verdicts[accepted] += 1
    assert verdicts[True]
    assert verdicts[False]


def has_nul(arguments: Mapping[str, Any]) -> bool:
    """NUL and lone surrogates are refused though a schema cannot say so."""
    return any(isinstance(value, str) and ("\x00" in value or "\ud800" in value) for value in arguments.values())


def forgiven(value: Any, rule: Mapping[str, Any] | None) -> bool:
    """Return whether *value* has one of the forms that are read though the schema does not allow them:
    null for something left out, numbers and booleans in words, whole numbers with a point, an array as text,
    another case of an enumeration, blanks around a text, and a blank text for something left out."""
    if rule is None:
        return False
    if value is None:
        return True
    kind = rule["type"]
    if isinstance(value, str):
        if kind == "string":
            near = any(
                option != value and option.casefold() == value.strip().casefold() for option in rule.get("enum", ())
            )
            return value != value.strip() or not value or near
        if kind == "boolean":
            return value.strip().lower() in ("true", "false")
        return True
    if isinstance(value, list) and kind == "array":
        return any(forgiven(item, rule["items"]) for item in value)
    return False
