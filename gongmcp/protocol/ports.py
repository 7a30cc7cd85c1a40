"""What the MCP side needs of a handler, and nothing more: plain data, in which there is no room for a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from gongmcp.cancel import Cancel
from gongmcp.render.answer import Answer
from gongmcp.render.offers import PromptInfo, PromptText, ResourceBody, ResourceInfo


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


@runtime_checkable
class HasHints(Protocol):
    """A tool that says by itself what it does; one that does not only reads."""

    @property
    def annotations(self) -> Mapping[str, bool]:
        """MCP's hints: whether it reads only, destroys, may be repeated, reaches the world outside."""


class Handler(Protocol):
    """Runs tools, and gives what stands for tools. Every method may block and may be called from several
    threads at once."""

    def tools(self) -> Sequence[ToolInfo]:
        """Return the allowed tools in a fixed order."""

    def answer(self, name: str, arguments: dict[str, Any] | None, cancel: Cancel) -> Answer:
        """Run tool *name*; *cancel* interrupts it. Raises ``UnknownTool`` only; keeps its own deadline."""

    def instructions(self) -> str:
        """Return what a client's model should know before the first call."""

    def resources(self) -> Sequence[ResourceInfo]:
        """Return the resources whose tool is allowed."""

    def resource_templates(self) -> Sequence[ResourceInfo]:
        """Return the templates of resources whose tool is allowed."""

    def read_resource(self, uri: str, cancel: Cancel) -> ResourceBody:
        """Return a resource. Raises ``UnknownResource``, and ``ToolFault`` as its tool would answer."""

    def prompts(self) -> Sequence[PromptInfo]:
        """Return the prompts of which every tool is allowed."""

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None) -> PromptText:
        """Return a prompt made ready. Raises ``UnknownPrompt``, and ``ToolFault`` for bad arguments."""

    def complete_prompt(
        self, name: str, argument: str, prefix: str, *, given: Mapping[str, str] | None, cancel: Cancel
    ) -> Sequence[str]:
        """Return values of a prompt's argument. Raises ``UnknownPrompt`` and ``ToolFault``."""

    def complete_template(self, uri: str, variable: str, prefix: str, *, cancel: Cancel) -> Sequence[str]:
        """Return values of a template's variable. Raises ``UnknownResource`` and ``ToolFault``."""
