"""Blocks about the tools: the README's table, and the reference in ``docs/mcp-server.md``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from docgen.exposure import column_table
from docgen.markdown import cell, code, codes, fence, json_fence, table
from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.presets import PRESETS
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler, ToolInfo
from gongmcp.protocol.server import create_mcp_server

EXAMPLES = Path(__file__).with_name("examples.json")
"""The arguments of each tool's example call."""

_SHOWN_ERRORS = {"profile_missing"}
"""Errors that an example may show: what a tool says of a cache that lacks what the sample cannot have."""

_ENVELOPE = {
    "status": "`ok`, `not_found` or `unavailable`.",
    "as_of": "Time of the last import that the answer fully holds, UTC.",
    "freshness": "`stale` when newer data waits to be warmed.",
    "message": "What there is to say about `not_found` and `unavailable`.",
    "hint": "What to do about it.",
    "withheld_fields": "Columns that policy or a flag that was not given keeps back. Computed from policy and "
    "arguments alone, never from a row.",
    "returned": "Number of rows in `results`.",
    "limit": "The row limit that applied.",
    "limit_clamped": "What was asked and what applied, when `limit` was above the ceiling.",
    "next_cursor": "Give it as `cursor` to get the next rows. Bound to tool, arguments, policy and state of the cache.",
    "cut_by": "What ended the page: the row limit, the byte budget, or that every call with more rows has its share "
    "of the answer (evidence).",
    "capped": "True when more rows exist (high-volume row tools).",
    "truncated": "True when more exists than is shown (other tools).",
    "suggested_refinements": "Filters that were not used and would narrow a capped result.",
    "evidence_held_back": "Calls of which rows were passed over, and how many were met: they come on later pages, or, "
    "with `evidence_budget_exhausted`, not again before the session ends (tools that quote).",
    "searched": "For an empty answer: the filters as understood and the calls in the date range.",
    "omitted": "For a single object that was too large: what was left out.",
    "results": "The rows.",
    "result": "Of the facade: what the tool answered that the call was handed on to, or a pack of several answers.",
}


def offers(handler: ToolHandler) -> dict[str, list[str]]:
    """Return the names of the tools, resources, resource templates and prompts that an MCP client is offered.

    Asked through the SDK's client, so that it counts what is served and not what is declared.
    """

    async def ask() -> dict[str, list[str]]:
        async with Client(create_mcp_server(lambda: handler)) as client:
            can = client.server_capabilities
            found = {"Tools": [tool.name for tool in (await client.list_tools()).tools]}
            found |= {"Resources": [], "Resource templates": [], "Prompts": []}
            if can.resources:
                found["Resources"] = [str(item.uri) for item in (await client.list_resources()).resources]
                templates = (await client.list_resource_templates()).resource_templates
                found["Resource templates"] = [item.uri_template for item in templates]
            if can.prompts:
                found["Prompts"] = [item.name for item in (await client.list_prompts()).prompts]
            return found

    return anyio.run(ask)


def surface(handler: ToolHandler) -> str:
    """Return the table of what is offered over MCP: kinds, counts, names."""
    return table(
        ["Kind", "Count", "Names"], [[kind, str(len(names)), codes(names)] for kind, names in offers(handler).items()]
    )


def mcp_table(handler: ToolHandler) -> str:
    """Return the README's MCP table: the counts, and, folded away, one row for each tool."""
    offered = offers(handler)
    counts = [[kind, str(len(names)), "below" if kind == "Tools" else codes(names)] for kind, names in offered.items()]
    rows = []
    for info in map(handler.tool, offered["Tools"]):
        rows.append([code(info.name), cell(_first_sentence(info)), info.level])
    choices = [[code(preset.name), str(preset.describe()["listed_count"]), cell(preset.purpose)] for preset in PRESETS]
    return "\n\n".join(
        [
            table(["Kind", "Count", "Names"], counts),
            table(["Preset", "Tools", "What for"], choices),
            f"<details>\n<summary>What each of the {len(rows)} tools answers</summary>",
            table(["Tool", "What it answers", "Exposure"], rows),
            "</details>",
        ]
    )


def _first_sentence(info: ToolInfo) -> str:
    return info.description.partition(". ")[0].rstrip(".") + "."


def presets() -> str:
    """Return the table of presets."""
    rows = []
    for preset in PRESETS:
        said = preset.describe()
        tools = f"{said['tool_count']}: {codes(said['tools'])}"
        rows.append(
            [
                code(preset.name),
                codes(said["aliases"]),
                cell(f"{preset.purpose} For: {preset.recommended_for}."),
                codes(said["switches"]),
                "yes" if said["governance_compatible"] else "no",
                tools,
            ]
        )
    return table(["Preset", "Other names", "Purpose", "Turns on", "Suits a governance list", "Tools"], rows)


def envelope(handler: ToolHandler) -> str:
    """Return the table of the keys that answers share, and which tools' schemas have each.

    Raises:
        KeyError: a schema has an envelope key that is not described.
    """
    tools = {name: _envelope_keys(tool, handler.tool(name)) for name, tool in catalog().items()}
    every = [key for key in _ENVELOPE if any(key in keys for keys in tools.values())]
    for name, keys in tools.items():
        for key in keys:
            if key not in _ENVELOPE:
                raise KeyError(f"{name}: the envelope key {key} is not described")
    rows = []
    for key in every:
        having = [name for name, keys in tools.items() if key in keys]
        if len(having) == len(tools):
            where = "all"
        elif having == [name for name, tool in catalog().items() if tool.many]:
            where = "row tools"
        else:
            where = codes(having)
        rows.append([code(key), _ENVELOPE[key], where])
    return table(["Key", "Meaning", "Tools"], rows)


def _envelope_keys(tool: Tool, info: ToolInfo) -> list[str]:
    own: set[str] = set(tool.notes.__struct_fields__) if tool.notes is not None else set()
    if not tool.many:
        own |= set(tool.row.__struct_fields__)
    return [key for key in info.output_schema["properties"] if key not in own]


def tools(handler: ToolHandler) -> str:
    """Return the reference: for each tool its contract and one call on the bundled sample.

    Raises:
        ValueError: the example of a tool is refused.
    """
    examples = read_examples()
    return "\n\n".join(
        _tool(tool, handler, examples.get(name, dict(*tool.examples[:1]))) for name, tool in catalog().items()
    )


def read_examples() -> dict[str, dict[str, Any]]:
    """Return the arguments of the example call of tools, by tool; a tool that needs none may be left out."""
    examples: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return examples


def _tool(tool: Tool, handler: ToolHandler, example: dict[str, Any]) -> str:
    info = handler.tool(tool.name)
    answer = handler.call(tool.name, example).answer
    if answer.error is not None and answer.error["code"] not in _SHOWN_ERRORS:
        raise ValueError(f"{EXAMPLES.name}: the example of {tool.name} is refused: {answer.text}")
    return "\n\n".join(
        [
            f"### {code(info.name)}",
            f"**{info.title}.** {info.description}",
            _facts(tool, info),
            "Arguments:",
            _arguments(info),
            "Columns:",
            column_table(tool),
            f"Example, with the arguments {code(json.dumps(example, ensure_ascii=False))}:",
            json_fence(answer.structured) if answer.structured is not None else fence(answer.text, "text"),
        ]
    )


def _facts(tool: Tool, info: ToolInfo) -> str:
    lines = [f"- Exposure: {info.level}.", f"- Presets: {codes(info.presets)}."]
    if tool.aliases:
        lines.append(f"- Also answers to: {codes(tool.aliases)} (not listed).")
    if tool.cap is not None and info.limits is not None:
        lines.append(
            f"- Rows: {info.limits.default} when `limit` is omitted, {info.limits.ceiling} at most "
            f"({code(tool.cap.flag)}, {code(tool.cap.env)}), hard cap {info.limits.hard}."
        )
    if tool.many:
        kind = "`capped` with `suggested_refinements`" if tool.cap_envelope else "`truncated`"
        lines.append(f"- A cut result says {kind}" + (" and gives `next_cursor`." if tool.cursor else "."))
    return "\n".join(lines)


def _arguments(info: ToolInfo) -> str:
    properties: dict[str, dict[str, Any]] = info.input_schema["properties"]
    if not properties:
        return "None."
    required = info.input_schema.get("required", [])
    rows = []
    for name, schema in properties.items():
        rows.append(
            [
                code(name) + (" (required)" if name in required else ""),
                _type(schema),
                code(json.dumps(schema["default"])) if "default" in schema else "–",
                _range(schema),
                cell(schema.get("description", "–")),
            ]
        )
    return table(["Argument", "Type", "Default", "Range or values", "Meaning"], rows)


def _type(schema: dict[str, Any]) -> str:
    if schema["type"] == "array":
        return f"array of {_type(schema['items'])}"
    return f"{schema['type']}, {schema['format']}" if "format" in schema else str(schema["type"])


def _range(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return codes(schema["enum"])
    parts = []
    if "minimum" in schema or "maximum" in schema:
        parts.append(f"{schema.get('minimum', '…')} to {schema.get('maximum', '…')}")
    if "maxLength" in schema:
        parts.append(f"{schema.get('minLength', 0)} to {schema['maxLength']} characters")
    if "maxItems" in schema:
        parts.append(f"{schema.get('minItems', 0)} to {schema['maxItems']} items")
    return ", ".join(parts) or "–"


def text_example(handler: ToolHandler) -> str:
    """Return the formatted text of the search example: the channel that an assistant reads."""
    name = "search_transcript_segments"
    return fence(handler.call(name, read_examples()[name]).answer.text, "text")


def ledger_example(handler: ToolHandler) -> str:
    """Return what the ledger of the search example says, as ``--explain`` prints it."""
    name = "search_transcript_segments"
    rows = [
        [str(row["count"]), code(row["kind"]), row["action"], code(row["rule"]), cell(row["reason"])]
        for row in handler.call(name, read_examples()[name]).ledger.summary()
    ]
    return table(["Count", "Kind", "Done", "Rule", "Reason"], rows)


def instructions_example(handler: ToolHandler) -> str:
    """Return the server's instructions over the bundled sample."""
    return fence(handler.instructions(), "text")
