"""What ``gongmcp.protocol.sdk`` takes from the SDK beyond its documented names, and what it relies on there.

When a release of the SDK changes one of these, the test that fails here says which, and ``sdk.py`` is
the only file to mend.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server import context
from mcp.server.lowlevel import Server
from mcp.shared import message
from mcp.shared.exceptions import MCPError
from mcp_types import version

import gongmcp.protocol
from gongmcp.protocol import sdk
from tests.gongmcp.stdio_process import ENVELOPE, INITIALIZE

NAMES = {
    "mcp.server.connection.Connection": "not documented: from_envelope, a client that is known from one request alone",
    "mcp.server.context.CallNext": "provisional: the second argument of a middleware",
    "mcp.server.context.HandlerResult": "provisional: what a middleware returns",
    "mcp.server.context.ServerRequestContext": "provisional: the first argument of a middleware, has .method",
    "mcp.server.lowlevel.NotificationOptions": "documented: which lists tell of changes",
    "mcp.server.lowlevel.Server": "documented, but its .middleware is provisional",
    "mcp.server.models.InitializationOptions": "documented: what create_initialization_options returns",
    "mcp.server.runner.serve_one": "not documented: one request, without a connection that is run",
    "mcp.server.streamable_http_manager.StreamableHTTPSessionManager": "documented",
    "mcp.server.subscriptions.InMemorySubscriptionBus": "documented",
    "mcp.server.subscriptions.ListenHandler": "documented",
    "mcp.server.subscriptions.PromptsListChanged": "documented",
    "mcp.server.subscriptions.ResourcesListChanged": "documented",
    "mcp.server.subscriptions.ToolsListChanged": "documented",
    "mcp.server.transport_security.TransportSecuritySettings": "documented",
    "mcp.shared.exceptions.MCPError": "documented",
    "mcp.shared.exceptions.NoBackChannelError": "documented",
    "mcp.shared.jsonrpc_dispatcher.handler_exception_to_error_data": "not documented: exceptions as errors",
    "mcp.shared.jsonrpc_dispatcher.progress_token_from_params": "not documented",
    "mcp.shared.message.ServerMessageMetadata": "not documented: .on_request_unanswered",
    "mcp.shared.message.SessionMessage": "not documented: .message and .metadata",
    "mcp.shared.transport_context.TransportContext": "not documented: what a transport can carry",
}
"""Every name of the package ``mcp`` that the server uses, with what it is."""

PROTOCOL = Path(gongmcp.protocol.__file__).parent


def imported(path: Path) -> set[str]:
    """Return the dotted names that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_one_module_uses_the_sdk_and_uses_these_names() -> None:
    used = {path.name: {n for n in imported(path) if n.split(".")[0] == "mcp"} for path in PROTOCOL.rglob("*.py")}
    assert used.pop("sdk.py") == set(NAMES)
    assert not set().union(*used.values())


def test_the_types_used_elsewhere_are_public() -> None:
    for path in PROTOCOL.rglob("*.py"):
        for name in imported(path):
            if name.startswith("mcp_types.version."):
                assert name.removeprefix("mcp_types.version.") in version.__all__, f"{path.name}: {name}"
            elif name.startswith("mcp_types."):
                assert name.removeprefix("mcp_types.") in mcp_types.__all__, f"{path.name}: {name}"


def test_message_metadata_has_a_hook_for_requests_that_are_not_answered() -> None:
    fields = {field.name: field for field in dataclasses.fields(message.ServerMessageMetadata)}
    assert fields["on_request_unanswered"].default is None
    assert all(field.default is not dataclasses.MISSING for field in fields.values())
    assert [field.name for field in dataclasses.fields(message.SessionMessage)] == ["message", "metadata"]


def test_a_context_tells_the_method() -> None:
    assert "method" in {field.name for field in dataclasses.fields(context.ServerRequestContext)}


def test_a_server_runs_over_two_streams_and_has_a_list_of_middleware() -> None:
    parameters = list(inspect.signature(Server.run).parameters)
    assert parameters[:4] == ["self", "read_stream", "write_stream", "initialization_options"]
    server: Server[Any] = Server("test")
    assert isinstance(server.middleware, list)
    # The one that it comes with, which is dropped.
    assert [type(entry).__name__ for entry in server.middleware] == ["OpenTelemetryMiddleware"]


class Conversation:
    """A server over two streams in this process, without a transport."""

    def __init__(self, around: sdk.Around) -> None:
        self.unanswered = 0
        self.sent: list[tuple[dict[str, Any], bool]] = []
        self.started = anyio.Event()
        self.server: Server[Any] = Server("test", version="1")
        self.server.add_request_handler("tools/call", mcp_types.CallToolRequestParams, self._call)
        sdk.set_middleware(self.server, around)

    async def _call(self, _ctx: object, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        self.started.set()
        if params.name == "slow":
            await anyio.sleep_forever()
        if params.name == "refused":
            raise MCPError(1, "refused")
        content: list[mcp_types.ContentBlock] = [mcp_types.TextContent(type="text", text="t")]
        return mcp_types.CallToolResult(content=content, structured_content={"b": 1, "a": 2})

    async def send(self, item: message.SessionMessage) -> None:
        self.sent.append(sdk.wire_form(item))

    async def aclose(self) -> None:
        """The streams end with the test."""

    async def __aenter__(self) -> Conversation:
        return self

    async def __aexit__(self, *_exc_info: object) -> None:
        await self.aclose()

    async def _on_unanswered(self) -> None:
        self.unanswered += 1

    async def run(
        self, talk: Callable[[Callable[[dict[str, Any]], Awaitable[None]]], Awaitable[None]]
    ) -> list[tuple[dict[str, Any], bool]]:
        """Serve while *talk* sends decoded messages; returns what was sent back, and whether it settles a request."""
        to_server: MemoryObjectSendStream[message.SessionMessage | Exception]
        to_server, source = anyio.create_memory_object_stream[message.SessionMessage | Exception](0)

        async def say(decoded: dict[str, Any]) -> None:
            await to_server.send(sdk.incoming({"jsonrpc": "2.0"} | decoded, self._on_unanswered))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks, to_server:
                tasks.start_soon(sdk.connect, self.server, source, self)
                await talk(say)
                while len(self.sent) + self.unanswered < 2:
                    await anyio.sleep(0.001)
        return self.sent


async def plain(_method: str, proceed: sdk.Proceed) -> sdk.HandlerResult:
    return await proceed()


@pytest.mark.parametrize("modern", [False, True])
async def test_a_middleware_is_given_results_as_objects_of_the_wire(modern: bool) -> None:
    seen: dict[str, Any] = {}

    async def around(message: sdk.Incoming, proceed: sdk.Proceed) -> sdk.HandlerResult:
        result = await proceed()
        seen[message.method] = result
        return result | {"instructions": "added"} if isinstance(result, dict) else result

    meta = {"_meta": ENVELOPE} if modern else {}

    async def talk(say: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        if modern:
            await say({"id": 1, "method": "server/discover", "params": meta})
        else:
            await say({"id": 1, "method": "initialize", "params": INITIALIZE})
        await say({"id": 2, "method": "tools/call", "params": {"name": "x"} | meta})

    answers = {answer["id"]: answer["result"] for answer, _settles in await Conversation(around).run(talk)}
    assert answers[1]["instructions"] == "added"
    assert "capabilities" in answers[1]
    assert seen["tools/call"]["structuredContent"] == {"b": 1, "a": 2}
    assert list(seen["tools/call"]["structuredContent"]) == ["b", "a"]
    assert seen["tools/call"]["content"] == [{"type": "text", "text": "t"}]
    assert seen["tools/call"]["isError"] is False


@pytest.mark.parametrize("modern", [False, True])
async def test_a_cancelled_request_settles_by_its_hook_and_any_other_by_its_answer(modern: bool) -> None:
    meta = {"_meta": ENVELOPE} if modern else {}
    conversation = Conversation(plain)

    async def talk(say: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        if not modern:
            await say({"id": 0, "method": "initialize", "params": INITIALIZE})
        await say({"id": 1, "method": "tools/call", "params": {"name": "slow"} | meta})
        await conversation.started.wait()
        await say({"method": "notifications/cancelled", "params": {"requestId": 1}})
        await say({"id": 2, "method": "tools/call", "params": {"name": "refused"} | meta})
        while 2 not in [answer["id"] for answer, _settles in conversation.sent]:
            await anyio.sleep(0.001)

    sent = await conversation.run(talk)
    assert conversation.unanswered == 1
    assert [answer["id"] for answer, _settles in sent] == ([2] if modern else [0, 2])
    assert all(settles for _answer, settles in sent)
    assert sent[-1][0]["error"]["code"] == 1
