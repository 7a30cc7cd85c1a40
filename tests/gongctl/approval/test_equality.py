"""What the preview shows is the wire: for every tool, preset and sample, by three doors, byte for byte."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from gongmcp.catalog.presets import PRESETS
from gongmcp.handler import build_handler
from gongmcp.preview.make import preview
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from tests.gongctl.approval.conftest import Gongctl
from tests.gongmcp.examples import EXAMPLES
from tests.gongmcp.stdio_process import Server, environment

WHOLE = "all-readonly"
USABLE = [preset.name for preset in PRESETS]
# One session stands for many first calls: a server keeps count of what its client saw, a preview does not.
ROOM = ("--evidence-segments", "1000000", "--evidence-percent", "100")

# All of a tool's samples under the preset that has every tool, and under each other one too where EVERY_SAMPLE is set.
FEW = None if os.environ.get("EVERY_SAMPLE") else 2

Sampled = list[tuple[str, dict[str, Any], bytes]]


def sampled(db: Path, preset: str) -> Sampled:
    """Return (tool, arguments, bytes of the preview) of every tool of a preset."""
    flags = {"tool_preset": preset, "evidence_segments": "1000000", "evidence_percent": "100"}
    settings = ServerSettings.resolve(flags, {})
    handler = build_handler(settings, db)

    return [
        (info.name, given, preview(handler, info.name, given, settings).wire)
        for info in handler.tools()
        for given in EXAMPLES[info.name][: None if preset == WHOLE else FEW]
    ]


@pytest.mark.parametrize("preset", USABLE)
def test_the_bytes_of_the_server_and_of_a_dry_run(preset: str, sample_cache: Path, gongctl: Gongctl) -> None:
    calls = sampled(sample_cache, preset)
    assert len(calls) >= 5
    command = [sys.executable, "-m", "gongmcp"]
    with Server("--db", str(sample_cache), "--tool-preset", preset, *ROOM, command=command) as server:
        server.send(*(server.call(number, name, **given) for number, (name, given, _) in enumerate(calls)))
        for _ in calls:  # they are answered as they are ready
            line = server.out.next()
            number = json.loads(line)["id"]
            name, arguments, wire = calls[number]
            assert line.startswith(f'{{"jsonrpc":"2.0","id":{number},"result":'.encode() + wire[:-1]), (name, arguments)
            result = CallToolResult.model_validate(json.loads(line)["result"])
            assert received(result) == wire
    Path("calls.jsonl").write_text(
        "".join(json.dumps({"name": name, "arguments": given}) + "\n" for name, given, _ in calls), encoding="utf-8"
    )
    done = gongctl("mcp", "call", "--raw", "--batch", "calls.jsonl", "--tool-preset", preset, *ROOM)
    assert done.out.encode().split(b"\n") == [*(wire for _, _, wire in calls), b""]


async def test_the_sdks_client_gets_what_the_preview_shows(sample_cache: Path) -> None:
    calls = sampled(sample_cache, WHOLE)
    command = ["-m", "gongmcp", "--db", str(sample_cache), "--tool-preset", WHOLE, *ROOM]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment())
    async with Client(parameters) as client:
        for name, arguments, wire in calls:
            assert received(await client.call_tool(name, arguments)) == wire, (name, arguments)


def received(result: CallToolResult) -> bytes:
    """Return the bytes of what a client of the SDK holds."""
    (text,) = [block.text for block in result.content if block.type == "text"]
    return result_bytes(Answer(text, result.structured_content, bool(result.is_error)))


def test_a_single_call_prints_the_same_bytes(sample_cache: Path, gongctl: Gongctl) -> None:
    for name, arguments, wire in sampled(sample_cache, "operator-smoke")[:6]:
        args = ("--args", json.dumps(arguments), "--tool-preset", "operator-smoke", *ROOM)
        assert gongctl("mcp", "call", name, "--raw", *args).out.encode() == wire
