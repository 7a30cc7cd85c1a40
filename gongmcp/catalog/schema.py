"""JSON Schemas of a tool under the active policy, in the plain dialect that every client takes.

No ``$ref``, ``anyOf``, ``null`` or list-valued ``type``: an optional value is simply not required.
"""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from gongmcp.catalog.arguments import DimensionMark, LimitMark, OperationMark
from gongmcp.catalog.declaration import Level, Tool, declared
from gongmcp.catalog.dimensions import names_offered
from gongmcp.catalog.filters import withheld_arguments
from gongmcp.catalog.operations import offered
from gongmcp.exposure.decisions import possible
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, is_container, strip
from gongmcp.exposure.text import MaskedText

SCHEMA_VERSION = "1"
"""Version of the tools' contract, raised when an answer's shape changes incompatibly."""

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    MaskedText: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def input_schema(tool: Tool, policy: Policy) -> dict[str, Any]:
    """Return the schema of *tool*'s arguments; ``limit`` has the configured ceiling as maximum.

    Arguments that look for what *policy* withholds are not in it.
    """
    return _object(tool.arguments, tool, policy, "")


def _object(model: type[msgspec.Struct], tool: Tool, policy: Policy, path: str) -> dict[str, Any]:
    hints = get_type_hints(model, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    withheld = withheld_arguments(tool, policy)
    for field in msgspec.structs.fields(model):
        if path + field.name in withheld:
            continue
        schema = _argument(hints[field.name], tool, policy, path + field.name)
        if field.required:
            required.append(field.name)
        elif field.default not in (None, msgspec.NODEFAULT):
            schema["default"] = field.default
        properties[field.name] = schema
    out: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        out["required"] = required
    return out


def _argument(hint: Any, tool: Tool, policy: Policy, path: str) -> dict[str, Any]:
    marks: list[Any] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            marks = [*more, *marks]
        elif get_origin(hint) in (Union, types.UnionType):
            (hint,) = (arm for arm in get_args(hint) if arm is not type(None))
        else:
            break
    if get_origin(hint) is Literal:
        schema: dict[str, Any] = {"type": "string", "enum": list(get_args(hint))}
    elif get_origin(hint) is list:
        schema = {"type": "array", "items": _argument(get_args(hint)[0], tool, policy, path), "maxItems": 100}
    elif get_origin(hint) is dict:
        schema = {"type": "object"}
    elif isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        schema = _object(hint, tool, policy, f"{path}.")
    else:
        schema = dict(_PLAIN[hint])
    for mark in marks:
        if isinstance(mark, LimitMark):
            limits = tool.limits(policy)
            assert limits is not None
            schema |= {
                "minimum": 1,
                "maximum": limits.ceiling,
                "description": f"Rows to return; {limits.default} when omitted.",
            }
        elif isinstance(mark, DimensionMark):
            schema["enum"] = names_offered(policy.switches, analysis=mark.analysis)
        elif isinstance(mark, OperationMark):
            schema["enum"] = [operation.name for operation in offered(policy, declared(), mark.facade)]
        elif isinstance(mark, msgspec.Meta):
            schema |= _meta(mark, "Items" if schema["type"] == "array" else "Length")
    if schema["type"] == "string" and "enum" not in schema and "format" not in schema:
        schema.setdefault("maxLength", 512)
    return schema


def _meta(meta: msgspec.Meta, measure: str) -> dict[str, Any]:
    keys: dict[str, Any] = {"description": meta.description}
    keys |= {f"min{measure}": meta.min_length, f"max{measure}": meta.max_length}
    keys |= {"minimum": meta.ge, "maximum": meta.le, "examples": meta.examples}
    schema = {key: value for key, value in keys.items() if value is not None}
    return schema | (meta.extra_json_schema or {})


_ENVELOPE: dict[str, Any] = {
    "status": {"type": "string", "enum": ["ok", "not_found", "unavailable"]},
    "as_of": {"type": "string"},
    "freshness": {"type": "string", "enum": ["fresh", "stale"]},
    "message": {"type": "string"},
    "hint": {"type": "string"},
    "withheld_fields": {"type": "array", "items": {"type": "string"}},
}

_PAGE: dict[str, Any] = {
    "returned": {"type": "integer"},
    "limit": {"type": "integer"},
    "limit_clamped": {
        "type": "object",
        "properties": {"requested": {"type": "integer"}, "effective": {"type": "integer"}},
        "required": ["requested", "effective"],
    },
    "next_cursor": {"type": "string"},
    "cut_by": {"type": "string", "enum": ["limit", "bytes", "evidence"]},
    "suggested_refinements": {"type": "array", "items": {"type": "string"}},
}


_HELD_BACK: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "call_group": {"type": "integer"},
            "more_in_call": {"type": "integer"},
            "status": {"type": "string", "enum": ["evidence_budget_exhausted"]},
        },
        "additionalProperties": False,
    },
}


def output_schema(tool: Tool, policy: Policy) -> dict[str, Any]:
    """Return the schema of *tool*'s structured answers: what *policy* can show, nothing required
    but ``status`` and ``as_of``."""
    properties: dict[str, Any] = dict(_ENVELOPE)
    if tool.many:
        properties |= _PAGE
        properties["capped" if tool.cap_envelope else "truncated"] = {"type": "boolean"}
        if tool.level in (Level.SNIPPET, Level.IDENTIFIED):
            properties["evidence_held_back"] = _HELD_BACK
        properties["searched"] = _searched(tool, policy)
        if tool.notes is not None:
            properties |= row_schema(tool.notes, policy)["properties"]
        properties["results"] = {"type": "array", "items": row_schema(tool.row, policy)}
    else:
        properties |= {
            "truncated": {"type": "boolean"},
            "omitted": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"field": {"type": "string"}, "count": {"type": "integer"}},
                },
            },
        }
        properties |= row_schema(tool.row, policy)["properties"]
    if tool.facade:
        properties["result"] = {"type": "object"}
    return {
        "type": "object",
        "properties": properties,
        "required": ["status", "as_of"],
        "additionalProperties": False,
    }


def _searched(tool: Tool, policy: Policy) -> dict[str, Any]:
    """Schema of what an empty answer says it looked for: the filters as understood, calls in range."""
    echoed = {
        name: {"type": schema["type"]} | ({"items": {"type": schema["items"]["type"]}} if "items" in schema else {})
        for name, schema in input_schema(tool, policy)["properties"].items()
        if name not in ("limit", "cursor")
    }
    return {"type": "object", "properties": {**echoed, "calls_in_range": {"type": "integer"}}}


def row_schema(model: type[Row], policy: Policy) -> dict[str, Any]:
    """Return the schema of one disclosed row of *model*: the columns that *policy* can show."""
    hints = get_type_hints(model, include_extras=True)
    properties: dict[str, Any] = {}
    for field in msgspec.structs.fields(model):
        hint, expose = strip(hints[field.name])
        if not is_container(hint) and (expose is None or not possible(expose, policy)):
            continue
        properties[field.name] = _column(hint, policy)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _column(hint: Any, policy: Policy) -> dict[str, Any]:
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if get_origin(hint) is list:
        item, _ = strip(get_args(hint)[0])
        return {"type": "array", "items": _column(item, policy)}
    if isinstance(hint, type) and issubclass(hint, Row):
        return row_schema(hint, policy)
    return dict(_PLAIN[hint])
