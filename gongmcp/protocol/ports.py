"""What the MCP side needs of a handler, and nothing more: an ``Answer`` has no room for a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gongmcp.cancel import Cancel
from gongmcp.render.answer import Answer


class ToolInfo(Protocol):
    """A tool as it is listed under the active policy."""

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def title(self) -> str:
        """Name for people."""

    @property
    def description(self) -> str:
        """When a model should use the tool, and what it will not get."""

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments; the root is an object."""

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the structured result; the root is an object."""


class Handler(Protocol):
    """Runs tools. Every method may block and may be called from several threads at once."""

    def tools(self) -> Sequence[ToolInfo]:
        """Return the allowed tools in a fixed order."""

    def answer(self, name: str, arguments: dict[str, Any] | None, cancel: Cancel) -> Answer:
        """Run tool *name*; *cancel* interrupts it. Raises ``UnknownTool`` only; keeps its own deadline."""

    def instructions(self) -> str:
        """Return what a client's model should know before the first call."""
