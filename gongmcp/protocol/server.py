"""A handler as an MCP server, for every transport: ``create_mcp_server``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mcp_types as wire

from gongmcp import __version__
from gongmcp.errors import UnknownTool
from gongmcp.identity.client import ASKER, Asker, Client, of_the_pipe
from gongmcp.protocol.door import Door
from gongmcp.protocol.faults import internal_error, shielded
from gongmcp.protocol.offers import register_completions, register_prompts, register_resources
from gongmcp.protocol.paging import PAGE_ROWS, page_of
from gongmcp.protocol.ports import Handler, HasHints, ToolInfo
from gongmcp.protocol.sdk import (
    HandlerResult,
    Incoming,
    MCPError,
    McpServer,
    Proceed,
    RequestContext,
    Server,
    ValidationError,
    set_middleware,
)
from gongmcp.protocol.telling import LogLevels, register_logging, tell_outcome, with_progress
from gongmcp.render.answer import Answer
from gongmcp.render.wire import in_order, result_bytes, result_object

SERVER_NAME = "gongmcp"
"""What the server over a cache calls itself."""

ERROR_META = "gongctl/error"
"""Key in a tool error's ``_meta`` of the error as an object: code, message, hint."""

_READ_ONLY = wire.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_UNKNOWN_TOOL = "Unknown tool: it does not exist or is not allowed here. tools/list has those that are."
CLIENT = "gongmcp.client"
"""Key of the ASGI scope under which the HTTP door puts the client that it let in."""

_GREETINGS = frozenset({"initialize", "server/discover"})


def create_mcp_server(
    get_handler: Callable[[], Handler], *, page_rows: int = PAGE_ROWS, name: str = SERVER_NAME
) -> McpServer:
    """Return the MCP server of the handler that *get_handler* gives, which is asked at the first request only.

    *get_handler* is called for each request, never by two threads at once; who asks is in ``ASKER``. One server may
    serve many connections; the limit of calls at once is over all of them. What comes by HTTP brings its client in
    the ASGI scope, under ``CLIENT``; without one it is not answered. Lists come in pages of *page_rows*; *name* is what
    the server calls itself.
    """
    server = McpServer(name, __version__)
    door = Door(get_handler)
    set_middleware(server, partial(_around, door, of_the_pipe()))
    levels = LogLevels()
    register_logging(server, levels)
    register_tools(server, door, levels, page_rows)
    register_resources(server, door, page_rows)
    register_prompts(server, door, page_rows)
    register_completions(server, door)
    return server


def register_tools(server: Server[Any], door: Door, levels: LogLevels, page_rows: int) -> None:
    """Serve ``tools/list`` and ``tools/call``."""

    @shielded
    async def list_tools(_ctx: object, params: wire.PaginatedRequestParams) -> wire.ListToolsResult:
        tools = await door.ask(lambda handler: handler.tools())
        page, cursor = page_of(tools, params.cursor, lambda info: info.name, page_rows)
        return wire.ListToolsResult(tools=list(map(_tool, page)), next_cursor=cursor)

    @shielded
    async def call_tool(ctx: RequestContext, params: wire.CallToolRequestParams) -> dict[str, Any]:
        try:
            answer = await with_progress(
                ctx,
                lambda: door.call(lambda handler, cancel: handler.answer(params.name, params.arguments, cancel)),
            )
        except UnknownTool:
            raise MCPError(wire.INVALID_PARAMS, _UNKNOWN_TOOL) from None
        result = _result(answer)
        await tell_outcome(ctx, params.name, _outcome(answer), levels)
        return result

    server.add_request_handler("tools/list", wire.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", wire.CallToolRequestParams, call_tool)


def _outcome(answer: Answer) -> str:
    """Return how a call ended, as its answer says: ``ok``, ``not_found``, ``unavailable`` or the code of its error."""
    return str(answer.error["code"] if answer.error is not None else (answer.structured or {}).get("status", "ok"))


def _tool(info: ToolInfo) -> wire.Tool:
    return wire.Tool(
        name=info.name,
        title=info.title,
        description=info.description,
        input_schema=info.input_schema,
        output_schema=info.output_schema,
        annotations=_hints(info),
    )


def _hints(info: ToolInfo) -> wire.ToolAnnotations:
    if isinstance(info, HasHints):
        return wire.ToolAnnotations.model_validate(dict(info.annotations))
    return _READ_ONLY


def _result(answer: Answer) -> dict[str, Any]:
    # The SDK would turn NaN and infinities into null without a word; this refuses them.
    result_bytes(answer)
    body = result_object(answer)
    if answer.error is not None:
        body["_meta"] = {ERROR_META: answer.error}
    wire.CallToolResult.model_validate(body)
    # Not as the model, which the SDK would only take apart. Versions with a handshake know no type of a result.
    return body | {"resultType": "complete"}


async def _around(door: Door, pipe: Client, message: Incoming, proceed: Proceed) -> HandlerResult:
    """Say who asks, add the instructions to greetings, put results into the order in which we write them, and let no
    exception but a protocol error out (older clients would be shown its text)."""
    try:
        token = ASKER.set(_asker(pipe, message))
        try:
            result = await proceed()
            if message.method in _GREETINGS and isinstance(result, dict):
                result = result | await _instructions(door)
            elif message.method == "tools/call" and isinstance(result, dict):
                result = in_order(result)
        finally:
            ASKER.reset(token)
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
        raise internal_error(error) from None
    return result


def _asker(pipe: Client, message: Incoming) -> Asker:
    if message.scope is None:
        return Asker(pipe, "stdio", message.name, message.version, message.protocol)
    return Asker(message.scope[CLIENT], "http", message.name, message.version, message.protocol)


async def _instructions(door: Door) -> dict[str, str]:
    """Return the greeting's instructions; without them rather than no greeting when they cannot be made."""
    try:
        return {"instructions": await door.ask(lambda handler: handler.instructions())}
    except Exception as error:  # noqa: BLE001 - logged under a reference
        internal_error(error)
        return {}
