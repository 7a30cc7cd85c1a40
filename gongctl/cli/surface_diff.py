"""Comparisons of tool lists and of presets: reading a saved list, printing what differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongctl.cli.output import emit_text, heading, table
from gongmcp.compare.calls import seen_under
from gongmcp.compare.surface import compare_surfaces
from gongmcp.errors import StartupRefusal

if TYPE_CHECKING:
    from gongmcp.compare.surface import SurfaceDiff
    from gongmcp.handler import ToolHandler


def read_saved(source: str) -> list[dict[str, Any]]:
    """Return the tools of a saved list (``-`` for stdin): of ``gongctl mcp tools``, or MCP's ``tools/list``.

    Raises:
        StartupRefusal: no such file, no JSON, or no list of tools.
    """
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StartupRefusal(f"The saved list cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise StartupRefusal("The saved list is not UTF-8 text.") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise StartupRefusal("The saved list is no JSON.", _HOW) from None
    if isinstance(value, dict):
        value = value.get("tools")
    if not isinstance(value, list) or not all(map(_is_tool, value)):
        raise StartupRefusal("The saved list is no list of tools.", _HOW)
    return value


_HOW = "Save one with: gongctl mcp tools > tools.json"


def _is_tool(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and all(isinstance(value.get(key), dict | None) for key in ("inputSchema", "outputSchema", "annotations"))
    )


def surface_diff_text(diff: SurfaceDiff) -> None:
    """Print what differs between a saved and the present list of tools."""
    rows = [[name, "added", "", ""] for name in diff.added] + [[name, "removed", "", ""] for name in diff.removed]
    for name, changes in diff.changed.items():
        rows += [[name, change.direction, change.where, _from_to(change.saved, change.now)] for change in changes]
    if not rows:
        emit_text("Nothing differs.")
        return
    table(["tool", "is", "where", "saved → now"], rows)
    emit_text("")
    emit_text("Looser than saved." if diff.looser else "Not looser than saved.")


def _from_to(saved: Any, now: Any) -> str:
    return f"{_short(saved)} → {_short(now)}"


def _short(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def preset_diff(
    handler: ToolHandler, first: str, second: str, name: str | None, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what differs from the preset *first* to *second*, for JSON; all other settings are *handler*'s.

    With the *name* of a tool also what a client under each would see of a call of it.

    Raises:
        StartupRefusal: there is no such preset.
    """
    old, new = handler.with_policy(preset=first), handler.with_policy(preset=second)
    compared = compare_surfaces([tool.info() for tool in old.tools()], [tool.info() for tool in new.tools()]).as_dict()
    out: dict[str, Any] = {
        "from": old.policy.preset,
        "to": new.policy.preset,
        "tools": {
            "added": compared["added"],
            "removed": compared["removed"],
            "both": [tool.name for tool in new.tools() if tool.name not in compared["added"]],
        },
        "switches": {
            "added": sorted(new.policy.switches - old.policy.switches),
            "removed": sorted(old.policy.switches - new.policy.switches),
        },
        "changed": compared["changed"],
        "call": None,
    }
    if name is not None:
        before, after = (seen_under(handler, preset, name, arguments) for preset in (first, second))
        out["call"] = {
            "name": name,
            "arguments": dict(arguments),
            "under": [before.as_dict(), after.as_dict()],
            "columns_gained": [column for column in after.shown if column not in before.shown],
            "columns_lost": [column for column in before.shown if column not in after.shown],
        }
    return out


def preset_diff_text(diff: Mapping[str, Any]) -> None:
    """Print what differs between two presets, for people."""
    heading(f"From {diff['from']} to {diff['to']}")
    rows = [[name, word] for word in ("added", "removed") for name in diff["tools"][word]]
    rows += [[name, "switch turned on"] for name in diff["switches"]["added"]]
    rows += [[name, "switch turned off"] for name in diff["switches"]["removed"]]
    for tool in diff["changed"]:
        for change in tool["changes"]:
            what = f"{change['direction']}: {change['where']} {_from_to(change['saved'], change['now'])}"
            rows.append([tool["name"], what])
    if rows:
        table(["what", "is"], rows)
    else:
        emit_text("Nothing differs.")
    emit_text(f"{len(diff['tools']['both'])} tools are in both.")
    if diff["call"] is None:
        return
    emit_text("")
    heading(f"{diff['call']['name']} {json.dumps(diff['call']['arguments'], ensure_ascii=False)}")
    table(
        ["under", "answer", "rows", "bytes", "tokens", "columns shown", "columns withheld"],
        [_seen_row(one) for one in diff["call"]["under"]],
    )


def _seen_row(one: Mapping[str, Any]) -> list[str]:
    if not one["offered"]:
        return [one["preset"], "tool not offered", "", "", "", "", ""]
    return [
        one["preset"],
        one["error"] or one["status"],
        f"{one['rows']:,}",
        f"{one['bytes']:,}",
        f"{one['tokens_estimate']:,}",
        ", ".join(one["columns_shown"]),
        ", ".join(one["columns_withheld"]) or "none",
    ]
