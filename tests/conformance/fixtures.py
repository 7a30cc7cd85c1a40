"""The HTTP door of this program before a handler that has what the conformance suite asks for by name.

Run as a script: ``python fixtures.py PORT``. A test only: no such tool is in the catalogue.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from gongmcp.cancel import Cancel
from gongmcp.errors import UnknownPrompt, UnknownResource, UnknownTool
from gongmcp.http_settings import HttpSettings
from gongmcp.identity.resolver import Resolver
from gongmcp.protocol import telling
from gongmcp.protocol.http.app import Application
from gongmcp.protocol.http.connection import uvicorn_options
from gongmcp.render.answer import Answer
from gongmcp.render.offers import PromptArgument, PromptInfo, PromptText, ResourceBody, ResourceInfo
from gongmcp.state_file import StateFile

SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class FixtureTool:
    """A tool of the suite."""

    name: str
    input_schema: dict[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def title(self) -> str:
        """Name for people."""
        return self.name

    @property
    def description(self) -> str:
        """What it is."""
        return f"The tool {self.name} of the conformance suite."

    @property
    def output_schema(self) -> dict[str, Any]:
        """Schema of every answer here."""
        return {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}


TOOLS = (
    FixtureTool("test_simple_text"),
    FixtureTool("test_error_handling"),
    FixtureTool("test_tool_with_progress"),
    FixtureTool("json_schema_2020_12_tool", SCHEMA_2020_12),
)


class Fixtures:
    """The handler."""

    def tools(self) -> tuple[FixtureTool, ...]:
        """Return the tools."""
        return TOOLS

    def answer(self, name: str, _arguments: dict[str, Any] | None, _cancel: Cancel) -> Answer:
        """Run one."""
        match name:
            case "test_simple_text" | "json_schema_2020_12_tool":
                return Answer("This is a simple text response for testing.", {"status": "ok"})
            case "test_error_handling":
                error = {"code": "invalid_argument", "message": "It fails.", "hint": ""}
                return Answer("invalid_argument: It fails.", None, is_error=True, error=error)
            case "test_tool_with_progress":
                time.sleep(6 * telling.PROGRESS_SECONDS)
                return Answer("Done.", {"status": "ok"})
        raise UnknownTool(name)

    def instructions(self) -> str:
        """Return nothing of interest."""
        return "Fixtures of the conformance suite."

    def resources(self) -> list[ResourceInfo]:
        """Return the static one."""
        return [ResourceInfo("test://static-text", "static-text", "Static text", "A text.")]

    def resource_templates(self) -> list[ResourceInfo]:
        """Return the one."""
        return [ResourceInfo("test://template/{id}/data", "template", "Template", "A text by its id.")]

    def read_resource(self, uri: str, _cancel: Cancel) -> ResourceBody:
        """Return what the suite wants there."""
        if uri == "test://static-text":
            return ResourceBody(uri, "This is the content of the static text resource.")
        if uri.startswith("test://template/"):
            return ResourceBody(uri, f'{{"id": "{uri.split("/")[3]}"}}')
        raise UnknownResource(uri)

    def prompts(self) -> list[PromptInfo]:
        """Return two."""
        arguments = (PromptArgument("arg1", "The first.", True), PromptArgument("arg2", "The second.", True))
        return [
            PromptInfo("test_simple_prompt", "Simple", "A prompt.", ()),
            PromptInfo("test_prompt_with_arguments", "With arguments", "A prompt.", arguments),
        ]

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None) -> PromptText:
        """Return one made ready."""
        if name == "test_simple_prompt":
            return PromptText("A prompt.", "This is a simple prompt for testing.")
        if name == "test_prompt_with_arguments":
            given = arguments or {}
            return PromptText("A prompt.", f"arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        raise UnknownPrompt(name)

    def complete_prompt(
        self, name: str, _argument: str, _prefix: str, *, given: Mapping[str, str] | None, cancel: Cancel
    ) -> list[str]:
        """Return something."""
        return ["paris", "park"]

    def complete_template(self, uri: str, _variable: str, _prefix: str, *, cancel: Cancel) -> list[str]:
        """Return nothing."""
        return []


class FixtureServing:
    """Stands for ``Serving``: always ready."""

    server_name = "fixtures"

    is_ready = True
    base = None

    def __init__(self) -> None:
        self._handler = Fixtures()

    def handler(self) -> Fixtures:
        """Return the handler."""
        return self._handler


def main() -> None:
    """Serve on the port that the command line names."""
    telling.PROGRESS_SECONDS = 0.05  # type: ignore[misc]
    port = int(sys.argv[1])
    settings = HttpSettings("127.0.0.1", port, http_rate=100_000)
    application = Application(FixtureServing(), settings, Resolver([]), StateFile(None))  # type: ignore[arg-type]
    options = uvicorn_options()
    uvicorn.run(application.gate, host="127.0.0.1", port=port, lifespan="on", log_level="error", ws="none", **options)


if __name__ == "__main__":
    main()
