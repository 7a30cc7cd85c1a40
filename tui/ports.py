"""What the TUI needs from below: the shape of the handler, so that tests can stand in for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gongmcp.cancel import Cancel
from gongmcp.exposure.policy import Policy
from gongmcp.handler import Outcome


class RowLimits(Protocol):
    """Rows that one tool returns: when ``limit`` is left out, at most, and at most under any setting."""

    @property
    def default(self) -> int: ...
    @property
    def ceiling(self) -> int: ...
    @property
    def hard(self) -> int: ...


class ToolInfo(Protocol):
    """A tool as an agent is told of it, with what an operator wants to know beside it."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> Mapping[str, Any]: ...
    @property
    def output_schema(self) -> Mapping[str, Any]: ...
    @property
    def level(self) -> str: ...
    @property
    def limits(self) -> RowLimits | None: ...
    def wire(self) -> dict[str, Any]: ...


class Handler(Protocol):
    """The only way to run a tool (``gongmcp.handler.ToolHandler``).

    ``call`` blocks and is run in a thread; *cancel* interrupts its query. ``with_policy`` gives a
    handler over the same cache under another preset or provenance; what is None stays as it is.
    """

    @property
    def policy(self) -> Policy: ...
    def tools(self) -> Sequence[ToolInfo]: ...
    def call(self, name: str, arguments: dict[str, Any], cancel: Cancel | None = None) -> Outcome: ...
    def complete(
        self, tool: str, argument: str, prefix: str = "", *, given: Mapping[str, str] | None = None
    ) -> list[str]: ...
    def presets(self) -> Sequence[str]: ...
    def with_policy(self, *, preset: str | None = None, provenance: str | None = None) -> Handler: ...
    def freshness(self) -> Mapping[str, Any]: ...


def offers(handler: Handler, tool: str) -> bool:
    """Whether the policy of *handler* has *tool*; unlike ``tools()`` this makes no schemas, which costs time."""
    chosen = handler.policy.tools
    return any(info.name == tool for info in handler.tools()) if chosen is None else tool in chosen


def count_of_tools(handler: Handler) -> int:
    """How many tools the policy of *handler* has; makes no schemas where the policy names its tools."""
    chosen = handler.policy.tools
    return len(handler.tools()) if chosen is None else len(chosen)
