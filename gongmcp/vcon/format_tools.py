"""``get_schema`` and ``get_examples``: the format, for whoever writes a client."""

from __future__ import annotations

import io
import json
from typing import Annotated, Any

from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.format import VERSION, examples, json_schema, openapi, typescript
from gongmcp.vcon.parameters import choice
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Word


class SchemaAnswer(Row, kw_only=True):
    """Answer of ``get_schema``: an object, or a text of TypeScript."""

    format: Word
    version: Word
    schema: Annotated[Any, shown(Field.CATEGORY)]


@vcon_tool(
    "get_schema",
    title="Schema of vCons",
    description="The vCon schema definition as JSON Schema, TypeScript or OpenAPI.",
    category="schema",
    answer=SchemaAnswer,
    properties={
        "format": choice("json_schema", "typescript", "openapi", default="json_schema"),
        "version": {"type": "string", "minLength": 1, "maxLength": 20, "default": "latest"},
    },
    instead="describe_response_shape",
    into=READING,
)
def get_schema(arguments: dict[str, Any], _scope: Scope) -> Row:
    """Return the schema."""
    if arguments["version"] not in ("latest", VERSION):
        raise VconFault("INVALID_ARGUMENT", "No such version.", argument="version", valid_values=["latest", VERSION])
    made: dict[str, Any] = {"json_schema": json_schema, "typescript": typescript, "openapi": openapi}
    return SchemaAnswer(format=arguments["format"], version=VERSION, schema=made[arguments["format"]]())


class ExampleAnswer(Row, kw_only=True):
    """Answer of ``get_examples``: an object, or a text of YAML."""

    example_type: Word
    format: Word
    vcon: Annotated[Any, shown(Field.CATEGORY)]


@vcon_tool(
    "get_examples",
    title="Example vCons",
    description="Valid example vCons with fixed ids and dates.",
    category="schema",
    answer=ExampleAnswer,
    properties={
        "example_type": choice(*examples()),
        "format": choice("json", "yaml", default="json"),
    },
    required=("example_type",),
    instead="describe_response_shape",
    example={"example_type": "phone_call"},
    into=READING,
)
def get_examples(arguments: dict[str, Any], _scope: Scope) -> Row:
    """Return one example."""
    vcon: Any = examples()[arguments["example_type"]]
    if arguments["format"] == "yaml":
        vcon = _yaml(vcon)
    return ExampleAnswer(example_type=arguments["example_type"], format=arguments["format"], vcon=vcon)


def _yaml(value: Any) -> str:
    from ruamel.yaml import YAML

    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    out = io.StringIO()
    writer.dump(json.loads(json.dumps(value)), out)
    return out.getvalue()
