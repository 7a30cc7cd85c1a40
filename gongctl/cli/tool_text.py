"""Tools and presets printed for people: the list, one tool's contract, the cost of the list."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gongctl.cli.output import emit_text, heading, paragraph, table


def tool_list(infos: Sequence[Mapping[str, Any]]) -> None:
    """Print one line a tool: name, what it is, how much of a call it can show, row limits."""
    table(
        ["tool", "what", "shows", "rows", "at most", "hard cap"],
        [
            [info["name"], info["title"], info["exposure"], *(str(number) for number in _numbers(info))]
            for info in infos
        ],
    )


def tool_contract(info: Mapping[str, Any]) -> None:
    """Print one tool's contract: description, arguments, what a row can hold, limits, presets."""
    heading(f"{info['name']} - {info['title']}")
    paragraph(info["description"])
    emit_text("")
    properties = info["inputSchema"].get("properties", {})
    heading("Arguments")
    if properties:
        required = info["inputSchema"].get("required", ())
        table(
            ["name", "type", "allowed", "default", "meaning"],
            [
                [
                    name + (" *" if name in required else ""),
                    _type(schema),
                    _allowed(schema),
                    json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else "",
                    schema.get("description", ""),
                ]
                for name, schema in properties.items()
            ],
        )
        if required:
            emit_text("* required")
    else:
        emit_text("None.")
    emit_text("")
    heading("What an answer can hold under this policy")
    emit_text(_columns(info["outputSchema"]))
    emit_text("")
    emit_text(f"Shows at most: {info['exposure']}. Rows: {_limits(info) or 'no limit argument'}.")
    if info.get("aliases"):
        emit_text(f"Also called: {', '.join(info['aliases'])}.")
    emit_text(f"Presets: {', '.join(info['presets'])}. Schema version: {info['schema_version']}.")


def _count(preset: Mapping[str, Any]) -> str:
    """Return how many tools are listed, and of how many where a facade lists less than it allows."""
    listed, allowed = preset["listed_count"], preset["tool_count"]
    return str(listed) if listed == allowed else f"{listed} of {allowed}"


def preset_list(presets: Sequence[Mapping[str, Any]]) -> None:
    """Print the presets: name, other names, number of tools, what else it does, purpose."""
    table(
        ["preset", "also called", "tools", "turns on", "governance", "purpose"],
        [
            [
                preset["name"],
                ", ".join(preset["aliases"]),
                _count(preset),
                ", ".join(preset["switches"]),
                "suits" if preset["governance_compatible"] else "",
                preset["purpose"],
            ]
            for preset in presets
        ],
    )


def stats_list(stats: Mapping[str, Any]) -> None:
    """Print what the tool list costs a model: one line a tool, the total, the estimator."""
    table(
        ["tool", "tokens", "bytes"],
        [[tool["name"], f"{tool['tokens_estimate']:,}", f"{tool['bytes']:,}"] for tool in stats["tools"]],
    )
    emit_text("")
    total = stats["total"]
    emit_text(f"{total['tools']} tools, about {total['tokens_estimate']:,} tokens, {total['bytes']:,} bytes.")
    paragraph(f"Counted on {stats['counted_on']}; estimator: {stats['estimator']}.")


def _numbers(info: Mapping[str, Any]) -> Sequence[int | str]:
    limits = info["limits"]
    return [limits["default"], limits["ceiling"], limits["hard"]] if limits else ["", "", ""]


def _limits(info: Mapping[str, Any]) -> str:
    limits = info["limits"]
    if not limits:
        return ""
    return f"{limits['default']}, at most {limits['ceiling']} (hard cap {limits['hard']})"


def _type(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "array":
        return f"{_type(schema['items'])} list" if "items" in schema else "list"
    return str(schema.get("format", schema["type"]))


def _allowed(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "array" and "items" in schema:
        return _allowed(schema["items"])
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if "maxLength" in schema:
        return f"up to {schema['maxLength']} characters"
    return f"at least {low}" if low is not None else ""


def _columns(schema: Mapping[str, Any], depth: int = 0) -> str:
    lines = []
    for name, column in schema.get("properties", {}).items():
        kind = column["items"] if column["type"] == "array" and "items" in column else column
        many = " list" if column["type"] == "array" else ""
        choices = " | ".join(str(value) for value in kind.get("enum", ()))
        lines.append("  " * depth + f"{name}: {choices or kind['type']}{many}")
        if kind["type"] == "object":
            inner = _columns(kind, depth + 1)
            lines += [inner] if inner else []
    return "\n".join(lines)
