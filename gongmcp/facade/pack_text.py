"""A pack as formatted text: the same facts as its structure, quotations on lines that begin with ``>``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.operations import Operation
from gongmcp.render.text import QUOTED, render_row, scalar

ROWS = {
    "conditions": "build_call_cohort",
    "themes": "discover_themes_in_cohort",
    "evidence": "build_quote_pack",
    "counter_evidence": "build_quote_pack",
}
"""The lists of a pack, and the tool whose rows each holds."""

ROWS_COMPARED = "summarize_themes_by_dimension"
"""The tool whose rows stand under each dimension that is compared."""


def pack_text(operation: Operation, tools: Mapping[str, Tool], told: Mapping[str, Any]) -> str:
    """Return the text of *told*, the structured answer of the pack *operation*."""
    body: Mapping[str, Any] = told["result"]
    state = f"As of {told['as_of']}" + (" (stale)." if told.get("freshness") == "stale" else ".")
    lines = [
        " ".join(filter(None, [f"{operation.name}: {told['status']}.", told.get("message"), told.get("hint"), state]))
    ]
    if any(body.get(name) for name in ("evidence", "counter_evidence", "themes")):
        lines.append(QUOTED)
    for name in ("interpreted", "scope", "coverage", "found"):
        if name in body:
            lines.append(f"{name}:\n" + "\n".join(f"   > {key} {scalar(value)}" for key, value in body[name].items()))
    for name in ("evidence_status", "emptied_by", "base_share"):
        if body.get(name) is not None:
            lines.append(f"{name} {scalar(body[name])}")
    for name, tool in ROWS.items():
        if body.get(name):
            lines.append(f"{name}: {len(body[name])}")
            lines += [render_row(tools[tool], number, row) for number, row in enumerate(body[name], 1)]
    for dimension, rows in (body.get("compared") or {}).items():
        lines.append(f"by {dimension}: {len(rows)}")
        tool_of = tools[ROWS_COMPARED]
        lines += [render_row(tool_of, number, row) for number, row in enumerate(rows, 1)]
    lines += [f"Limitation: {line}" for line in body.get("limitations", ())]
    for step in body.get("follow_ups", ()):
        lines.append(f"Next: {step['operation']}, {step['why']}.")
    for item in body.get("omitted", ()):
        lines.append(f"Left out for size: {item['count']} of {item['field']}.")
    if body.get("withheld_fields"):
        lines.append("Withheld (not absent): " + ", ".join(body["withheld_fields"]) + ".")
    return "\n".join(lines)
