"""A tool as it is listed: MCP's wire form, and what scripts and operators are told besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.catalog.limits import Limits
from gongmcp.catalog.schema import SCHEMA_VERSION

ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""MCP annotations of every tool over a cache."""


@dataclass(frozen=True, slots=True)
class ListedTool:
    """What MCP's ``tools/list`` says of a tool."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    annotations: Mapping[str, bool]

    def wire(self) -> dict[str, Any]:
        """Return MCP's wire form of the tool."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": dict(self.annotations),
        }


@dataclass(frozen=True, slots=True)
class ToolInfo(ListedTool):
    """A tool as listed under the active policy: *level* of exposure, *limits* of rows, *presets* that have it."""

    level: str
    limits: Limits | None
    presets: tuple[str, ...]
    aliases: tuple[str, ...] = ()

    def info(self) -> dict[str, Any]:
        """Return the wire form with what only scripts and operators need."""
        limits = self.limits
        return self.wire() | {
            "limits": None
            if limits is None
            else {"default": limits.default, "ceiling": limits.ceiling, "hard": limits.hard},
            "exposure": self.level,
            "presets": list(self.presets),
            "aliases": list(self.aliases),
            "schema_version": SCHEMA_VERSION,
        }
