"""The SDK's client at both vCon servers, over a pipe and over HTTP: every reading tool answers, and by its schema.

    python docs/seen/vcon_clients.py CACHE STORE

CACHE is asked through ``gongmcp`` under each vCon preset, STORE through ``gongctl vcon serve``. Every answer is held
against the output schema that was listed, and both transports must say the same of what does not tell the time. Exit 1
when a point does not hold.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

CALLS: dict[str, list[dict[str, Any]]] = {
    "vcon_search": [
        {"limit": 3},
        {"mode": "keyword", "query": "revenue", "limit": 3, "include": ["core", "summary"]},
        {"mode": "metadata", "tags": {"gong_system": "Zoom"}, "limit": 2},
    ],
    "vcon_fetch": [{"id": "UUID"}, {"id": "UUID", "include": ["core", "dialog", "analysis"]}],
    "vcon_aggregate": [{"group_by": "month"}, {"group_by": "tag:gong_system"}],
    "get_unique_tags": [{"key_filter": "gong_system"}],
    "get_vcon": [{"uuid": "UUID"}],
    "get_tags": [{"vcon_uuid": "UUID"}],
    "search_by_tags": [{"tags": {"gong_system": "Zoom"}, "limit": 2}],
    "search_vcons": [{"limit": 2}],
    "search_vcons_content": [{"query": "revenue", "limit": 2}],
    "search_vcons_semantic": [{"query": "revenue growth", "limit": 2}],
    "search_vcons_hybrid": [{"query": "revenue growth", "limit": 2}],
    "get_examples": [{"example_type": "minimal"}],
    "get_schema": [{}],
    "analyze_query": [],
    "get_smart_search_limits": [{"query_type": "basic"}],
}
"""Arguments of each reading tool; one that is not named is called without any. UUID stands for a vCon that is there."""
TELLS_THE_TIME = {"analyze_query", "get_database_stats", "get_database_size_info", "get_database_health_metrics",
                  "get_database_analytics", "get_database_shape"}  # fmt: skip

Asked = dict[str, dict[str, Any]]


async def ask(client: Client) -> tuple[Asked, list[str]]:
    """Call every reading tool; return what was answered, and what is wrong with it."""
    tools: list[Any] = []
    cursor = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        if (cursor := page.next_cursor) is None:
            break
    reading = [tool for tool in tools if tool.annotations is not None and tool.annotations.read_only_hint]
    found = await client.call_tool("vcon_search", {"limit": 1})
    assert found.structured_content is not None
    uuid = found.structured_content["items"][0]["id"]
    answers: Asked = {}
    wrong = []
    for tool in reading:
        for number, given in enumerate(CALLS.get(tool.name, [{}])):
            arguments = {key: uuid if value == "UUID" else value for key, value in given.items()}
            result = await client.call_tool(tool.name, arguments)
            name = f"{tool.name} {number}" if number else tool.name
            structured = result.structured_content
            if not isinstance(structured, dict):
                wrong.append(f"{name}: no structured answer")
                continue
            answers[name] = structured
            try:
                jsonschema.validate(structured, tool.output_schema)
            except jsonschema.ValidationError as error:
                wrong.append(f"{name}: {'/'.join(map(str, error.path))} is not as its schema says")
    return answers, wrong


@asynccontextmanager
async def over_pipe(command: list[str]) -> AsyncIterator[Client]:
    """Give a client of the server that *command* starts."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        yield client


@asynccontextmanager
async def over_http(command: list[str], folder: Path) -> AsyncIterator[Client]:
    """The same over HTTP, with a token."""
    token, file = secrets.token_urlsafe(32), folder / "token"
    file.write_text(token)
    file.chmod(0o600)
    said = folder / "said"
    flags = ["--http", "127.0.0.1:0", "--bearer-token-file", str(file)]
    with said.open("w") as err:
        server = await asyncio.create_subprocess_exec(*command, *flags, stdin=asyncio.subprocess.DEVNULL, stderr=err)
    try:
        end = time.monotonic() + 60
        while (match := re.search(r"serving (http://\S+)", said.read_text())) is None:
            assert server.returncode is None, said.read_text()
            assert time.monotonic() < end, said.read_text()
            await asyncio.sleep(0.05)
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60)
        async with http, Client(streamable_http_client(match[1], http_client=http)) as client:
            yield client
    finally:
        server.terminate()
        await server.wait()


def without_moment(answer: dict[str, Any]) -> dict[str, Any]:
    """Return *answer* without what differs from one process to the next: sealed cursors."""
    if isinstance(answer.get("page"), dict):
        return {**answer, "page": {**answer["page"], "next_cursor": None}}
    return answer


async def both(name: str, command: list[str]) -> bool:
    """Ask one server over both transports and say what it answered."""
    async with over_pipe(command) as client:
        piped, wrong = await ask(client)
    with tempfile.TemporaryDirectory() as folder:
        async with over_http(command, Path(folder)) as client:
            served, more = await ask(client)
    told = {call for call in piped if call.partition(" ")[0] not in TELLS_THE_TIME}
    other = sorted(call for call in told if without_moment(piped[call]) != without_moment(served.get(call, {})))
    good = [call for call, answer in piped.items() if answer.get("ok", answer.get("success"))]
    print(f"   {name}: {len(piped)} calls of reading tools, {len(good)} succeeded; over HTTP {len(served)} calls")
    for call in sorted(piped.keys() - set(good)):
        error = piped[call].get("error")
        code = error["code"] if isinstance(error, dict) else piped[call]["details"].get("reason", piped[call]["code"])
        print(f"      {call}: {code}")
    for problem in dict.fromkeys([*wrong, *more]):
        print(f"      {problem}")
    for call in other:
        print(f"      {call}: not the same over HTTP")
    return not wrong and not more and not other and len(piped) == len(served)


async def main(cache: str, store: str) -> int:
    """Ask both servers."""
    python = sys.executable
    good = True
    for preset in ("vcon-readonly", "vcon-public", "vcon-admin"):
        good &= await both(f"gongmcp {preset}", [python, "-m", "gongmcp", "--db", cache, "--tool-preset", preset])
    good &= await both("gongctl vcon serve", [python, "-m", "gongctl", "vcon", "serve", "--db", store])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:3])))
