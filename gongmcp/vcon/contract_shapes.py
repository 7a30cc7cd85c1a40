"""``describe_response_shape``: the published schema of every tool that is served, and one example that fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.vcon.declaration import READING, VconTool, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Number, Word, Words, schema_of


class Shape(Row, kw_only=True):
    """One tool's answer; without a name, one line of the list."""

    tool_name: Word
    summary: Word
    response_schema: Anything = None
    example: Anything = None
    notes: Words | None = None


class ShapePage(Row, kw_only=True):
    """The list is whole."""

    count: Number
    total: Number


class Shapes(Row, kw_only=True):
    """Answer of ``describe_response_shape``: *item* of one tool, *items* of all."""

    item: Shape | None = None
    items: list[Shape] | None = None
    page: ShapePage | None = None


@vcon_tool(
    "describe_response_shape",
    title="Shape of an answer",
    description=(
        "The published JSON schema plus one concrete example of any tool's answer; without tool_name the list of tools."
    ),
    category="read",
    answer=Shapes,
    contract=True,
    properties={
        "tool_name": {"type": "string", "minLength": 1, "maxLength": 100},
        "include_example": switch(True),
    },
    example={"tool_name": "vcon_search"},
    into=READING,
)
def describe_response_shape(arguments: dict[str, Any], scope: Scope) -> Row:
    """Describe one tool's answer, or list the tools."""
    name = arguments.get("tool_name")
    if not name:
        lines = [Shape(tool_name=tool.name, summary=_summary(tool)) for tool in scope.tools.values()]
        return Shapes(items=lines, page=ShapePage(count=len(lines), total=len(lines)))
    tool = scope.tools.get(name)
    if tool is None:
        raise VconFault("UNKNOWN_TOOL", "No such tool is here.", available_tools=list(scope.tools))
    schema = output_schema(tool, verbatim=scope.verbatim)
    notes = ["On failure: ok is false and error holds code and message."]
    if not tool.contract:
        notes = ["On failure: success is false, with error, code and sometimes details."]
    return Shapes(
        item=Shape(
            tool_name=tool.name,
            summary=_summary(tool),
            response_schema=schema,
            example=example_of(tool, schema) if arguments["include_example"] else None,
            notes=notes,
        )
    )


def _summary(tool: VconTool) -> str:
    return tool.description.partition(". ")[0].removesuffix(".") + "."


def output_schema(tool: VconTool, *, verbatim: bool) -> dict[str, Any]:
    """Return the JSON Schema of what *tool* answers: nothing is required but the key that tells success."""
    body = schema_of(tool.answer, verbatim=verbatim)
    failure: dict[str, Any] = (
        {"error": {"type": "object", "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}}
        if tool.contract
        else {"error": {"type": "string"}, "code": {"type": "string"}, "details": {"type": "object"}}
    )
    return {
        "type": "object",
        "properties": {
            tool.flag: {"type": "boolean"},
            **body["properties"],
            **failure,
            "as_of": {"type": "string"},
            "withheld_fields": {"type": "array", "items": {"type": "string"}},
        },
        "required": [tool.flag],
    }


_SAMPLES: Final[Mapping[str, Any]] = {
    "id": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b",
    "uuid": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b",
    "vcon_id": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b",
    "vcon_uuid": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b",
    "deleted_uuid": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b",
    "vcon": "0.4.0",
    "vcon_version": "0.4.0",
    "created_at": "2026-01-15T10:00:00Z",
    "updated_at": "2026-01-15T10:05:00Z",
    "started_at": "2026-01-15T09:00:00Z",
    "start": "2026-01-15T09:00:00Z",
    "timestamp": "2026-01-15T10:00:00Z",
    "month": "2026-01",
    "period": "2026-01",
    "subject": "A question about an invoice",
    "mode": "metadata",
    "snippet": "…the «invoice» of last month…",
    "content_type": "dialog",
    "vendor": "example",
    "tags": {"department": "support"},
}
_KEPT_OUT: Final = frozenset({"error", "code", "details", "withheld_fields", "as_of"})


def example_of(tool: VconTool, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer that fits *schema*."""
    properties = {name: rule for name, rule in schema["properties"].items() if name not in _KEPT_OUT}
    body = {name: _sample(name, rule) for name, rule in properties.items() if name != tool.flag}
    return {tool.flag: True, **body}


def _sample(name: str, rule: Mapping[str, Any]) -> Any:
    kind = rule.get("type")
    sample = _SAMPLES.get(name)
    if kind == "string":
        return sample if isinstance(sample, str) else "text"
    if kind == "object":
        if "properties" in rule:
            return {key: _sample(key, inner) for key, inner in rule["properties"].items()}
        return sample if isinstance(sample, dict) else {"key": _sample("value", rule.get("additionalProperties", {}))}
    if kind == "array":
        return [_sample(name, rule.get("items", {}))]
    return {"integer": 1, "number": 0.5, "boolean": True}.get(kind or "", {})
