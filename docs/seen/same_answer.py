"""Compare one tool call as three doors give it: MCP in both protocol eras, and ``gongctl mcp call``.

    python docs/seen/same_answer.py CACHE

Exit 1 when two of them differ.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

NAME = "search_transcript_segments"
ARGUMENTS = {"query": '"free cash flow"', "limit": 3}
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "same-answer", "version": "1"},
}


def server(db: str) -> list[str]:
    """Return the command line of the server over *db*."""
    return [sys.executable, "-m", "gongmcp", "--db", db]


async def through_client(db: str, mode: str) -> dict[str, Any]:
    """Return the result that the SDK's client gets over stdio in one protocol era."""
    command, *args = server(db)
    async with Client(StdioServerParameters(command=command, args=args), mode=mode) as client:
        print(f"{mode}: protocol {client.protocol_version}")
        result = await client.call_tool(NAME, ARGUMENTS)
        return {
            "content": [part.model_dump(exclude_none=True) for part in result.content],
            "structuredContent": result.structured_content,
            "isError": result.is_error,
        }


def on_the_wire(db: str) -> bytes:
    """Return the line that the server writes for the call."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": NAME, "arguments": ARGUMENTS}},
    ]
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    done = subprocess.run(server(db), input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return next(line for line in done.stdout.splitlines() if json.loads(line).get("id") == 2)


def dry_run(db: str) -> bytes:
    """Return what ``gongctl mcp call --raw`` prints."""
    command = [
        sys.executable,
        "-m",
        "gongctl",
        "mcp",
        "call",
        NAME,
        "--db",
        db,
        "--args",
        json.dumps(ARGUMENTS),
        "--raw",
    ]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def main(db: str) -> int:
    """Compare, print what was found, and return the exit code."""
    handshake = anyio.run(through_client, db, "legacy")
    modern = anyio.run(through_client, db, "auto")
    raw, line = dry_run(db), on_the_wire(db)
    checks = {
        "equal structuredContent in both eras": handshake["structuredContent"] == modern["structuredContent"],
        "equal content in both eras": handshake["content"] == modern["content"],
        "the dry run's result is equal to both": json.loads(raw) == handshake == modern,
        f"the dry run's {len(raw)} bytes stand on the wire as they are": raw[1:-1] in line,
    }
    for what, holds in checks.items():
        print(f"{'ok' if holds else 'NOT'}: {what}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
