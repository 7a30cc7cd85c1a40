"""Descriptions of the active policy: what may be called, how many rows, what leaves. They name no tool, preset or
column beyond what the policy allows, and hold nothing of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.presets import PRESETS
from gongmcp.catalog.schema import input_schema
from gongmcp.exposure.decisions import decide
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import SWITCHES, Expose
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, hints, strip


@dataclass(frozen=True, slots=True)
class Active:
    """What is served: the *policy*, the allowed *tools* by name, the seconds that a call may take."""

    policy: Policy
    tools: Mapping[str, Tool]
    tool_timeout: float


def describe_tools(active: Active) -> dict[str, Any]:
    """Return the allowed tools: what each answers, its arguments, further names and level of exposure."""
    return {
        "tools": [
            {
                "name": tool.name,
                **({"aliases": list(tool.aliases)} if tool.aliases else {}),
                "title": tool.title,
                "summary": tool.description.partition(". ")[0].removesuffix(".") + ".",
                "arguments": list(input_schema(tool, active.policy)["properties"]),
                "exposure": tool.level.value,
            }
            for tool in active.tools.values()
        ]
    }


def describe_presets(active: Active) -> dict[str, Any]:
    """Return the active preset, and every preset that allows nothing beyond what is allowed here."""
    described = [preset.describe() for preset in PRESETS]
    return {
        "active": active.policy.preset,
        "presets": [preset for preset in described if active.tools.keys() >= set(preset["tools"])],
    }


def describe_limits(active: Active) -> dict[str, Any]:
    """Return the bounds of one answer: bytes, seconds, and rows of each allowed tool that takes ``limit``."""
    rows = []
    for tool in active.tools.values():
        limits = tool.limits(active.policy)
        if limits is not None:
            rows.append(
                {"tool": tool.name, "default": limits.default, "ceiling": limits.ceiling, "hard_cap": limits.hard}
            )
    return {
        "response_bytes": active.policy.max_response_bytes,
        "call_seconds": active.tool_timeout,
        "rows": rows,
    }


def describe_exposure(active: Active) -> dict[str, Any]:
    """Return what identifies and leaves: provenance, switches, and for each allowed tool the columns that
    need a flag and those that no arguments show. All other columns of its output schema are shown."""
    policy = active.policy
    return {
        "provenance": policy.provenance.value,
        "switches": [
            {"name": name, "hides": sorted(field.title for field in SWITCHES[name])} for name in sorted(policy.switches)
        ],
        "tools": [
            {"name": tool.name, "exposure": tool.level.value, **_columns_of(tool, policy)}
            for tool in active.tools.values()
        ],
    }


def _columns_of(tool: Tool, policy: Policy) -> dict[str, Any]:
    by_flag: dict[str, list[str]] = {}
    withheld: list[str] = []
    for name, expose in exposed_columns(tool.row):
        flag = expose.opt_in if expose else None
        if not decide(expose, policy, {flag: True} if flag else {}).shown:
            withheld.append(name)
        elif flag is not None:
            by_flag.setdefault(flag, []).append(name)
    return {
        "shown_by_flag": [{"flag": flag, "columns": names} for flag, names in by_flag.items()],
        "withheld": withheld,
    }


def exposed_columns(model: type[Row], prefix: str = "") -> Iterator[tuple[str, Expose | None]]:
    """Yield each column of *model* by its path (``parties.name``) with its declaration, nested rows too."""
    for name, expose, nested in columns(model):
        if nested:
            hint, _ = strip(hints(model)[name])
            inner = strip(hint.__args__[0])[0] if hasattr(hint, "__args__") else hint
            yield from exposed_columns(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, expose
