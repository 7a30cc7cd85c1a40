"""One handler, three doors: a preview, a dry run and an agent on stdio get the same result, to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from mcp import Client, StdioServerParameters

from gongmcp.render.wire import result_bytes
from tests.gongmcp.conftest import MakeHandler
from tests.gongmcp.examples import EXAMPLES

EVIDENCE = {"evidence_per_answer": "100000", "evidence_segments": "100000"}
"""A budget that all the calls of one session stay inside: ``test_evidence.py`` shows it biting."""
FLAGS = [text for name, value in EVIDENCE.items() for text in (f"--{name.replace('_', '-')}", value)]
CALLS = [(name, arguments) for name, examples in EXAMPLES.items() for arguments in examples]


@pytest.mark.parametrize(
    ("mode", "provenance"), [("legacy", "redacted"), ("auto", "redacted"), ("auto", "raw")], ids=str
)
async def test_the_sdks_client_receives_what_the_handler_answers(
    mode: Literal["legacy", "auto"], provenance: str, sample_cache: Path, make_handler: MakeHandler
) -> None:
    handler = make_handler(provenance=provenance, **EVIDENCE)
    arguments = ["-m", "gongmcp", "--db", str(sample_cache), *FLAGS, "--transcript-evidence-provenance", provenance]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments), mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [info.name for info in handler.tools()]
        for name, given in CALLS:
            answer = handler.call(name, dict(given)).answer
            result = await client.call_tool(name, dict(given))
            assert result.is_error == answer.is_error
            assert result.structured_content == answer.structured
            assert [block.text for block in result.content if block.type == "text"] == [answer.text]


def test_the_bytes_on_the_wire_are_those_of_the_dry_run(
    sample_cache: Path, make_handler: MakeHandler, tmp_path: Path
) -> None:
    handler = make_handler(**EVIDENCE)
    before = sample_cache.read_bytes()
    hello = {
        "jsonrpc": "2.0",
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines += [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate(CALLS)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "gongmcp", "--db", str(sample_cache), *FLAGS],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=tmp_path,
    )
    answers = {json.loads(line).get("id"): line for line in done.stdout.splitlines()}
    for number, (name, given) in enumerate(CALLS):
        expected = result_bytes(handler.call(name, dict(given)).answer).decode()
        assert expected.removesuffix("}") in answers[number], name
    assert sample_cache.read_bytes() == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", range(0, len(CALLS), 12))
def test_mcp_call_raw_prints_those_bytes(number: int, sample_cache: Path, make_handler: MakeHandler) -> None:
    name, given = CALLS[number]
    printed = subprocess.run(
        [sys.executable, "-m", "gongctl", "mcp", "call", name, "--db", str(sample_cache), "--raw", "--args", "-"],
        input=json.dumps(given).encode(),
        capture_output=True,
        timeout=60,
    )
    assert printed.stdout == result_bytes(make_handler().call(name, dict(given)).answer)
