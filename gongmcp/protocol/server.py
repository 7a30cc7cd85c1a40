"""A handler as an MCP server, for every transport: ``create_mcp_server``."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import PurePath
from typing import Any, ParamSpec, TypeVar

import anyio
import mcp_types as wire
from anyio import CapacityLimiter, to_thread

from gongmcp import __version__
from gongmcp.cancel import Cancel
from gongmcp.errors import UnknownTool
from gongmcp.protocol.ports import Handler, ToolInfo
from gongmcp.protocol.sdk import HandlerResult, MCPError, Proceed, Server, ValidationError, set_middleware
from gongmcp.render.answer import Answer
from gongmcp.render.wire import in_order, result_bytes, result_object

CALLS_AT_ONCE = 4
"""Tool calls that run at the same time; further ones wait their turn."""

ERROR_META = "gongctl/error"
"""Key in a tool error's ``_meta`` of the error as an object: code, message, hint."""

_ANNOTATIONS = wire.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_UNKNOWN_TOOL = "Unknown tool: it does not exist or is not allowed here. tools/list has those that are."
_GREETINGS = frozenset({"initialize", "server/discover"})

log = logging.getLogger("gongmcp")

P = ParamSpec("P")
T = TypeVar("T")


def create_mcp_server(get_handler: Callable[[], Handler]) -> Server[Any]:
    """Return the MCP server of the handler that *get_handler* gives, which is asked at the first request only.

    *get_handler* is called for each request, never by two threads at once. One server may serve many
    connections; the limit of calls at once is over all of them.
    """
    server: Server[Any] = Server("gongmcp", version=__version__)
    door = Door(get_handler)
    set_middleware(server, partial(_around, door))
    register_tools(server, door)
    return server


class Door:
    """Asks the handler from async code: off the event loop, and interrupted when the asker is cancelled."""

    def __init__(self, get_handler: Callable[[], Handler]) -> None:
        self._get_handler = get_handler
        self._resolving = threading.Lock()
        self._calls = CapacityLimiter(CALLS_AT_ONCE)
        # Apart from the calls, so that four long ones do not keep a client from listing or greeting.
        self._questions = CapacityLimiter(CALLS_AT_ONCE)

    async def ask(self, question: Callable[[Handler], T]) -> T:
        """Return the answer to a short question that runs no tool (lists, instructions)."""
        return await to_thread.run_sync(lambda: question(self._handler()), limiter=self._questions)

    async def call(self, work: Callable[[Handler, Cancel], T]) -> T:
        """Return what *work* returns, which may take long: it is interrupted when this call is cancelled.

        A cancelled call keeps its place among the calls at once until its thread is really done.
        """
        cancel = Cancel()
        done = False

        async def interrupt() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                if not done:
                    cancel.cancel()

        def run() -> T:
            return work(self._handler(), cancel)

        failure: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(interrupt)
            try:
                result = await to_thread.run_sync(run, limiter=self._calls)
            except Exception as error:  # noqa: BLE001 - raised below, outside the group that would wrap it
                failure = error
            done = True
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return result

    def _handler(self) -> Handler:
        with self._resolving:
            return self._get_handler()


def register_tools(server: Server[Any], door: Door) -> None:
    """Serve ``tools/list`` and ``tools/call``."""

    @_shielded
    async def list_tools(_ctx: object, params: wire.PaginatedRequestParams) -> wire.ListToolsResult:
        _refuse_cursor(params)
        return wire.ListToolsResult(tools=[_tool(info) for info in await door.ask(lambda handler: handler.tools())])

    @_shielded
    async def call_tool(_ctx: object, params: wire.CallToolRequestParams) -> wire.CallToolResult:
        try:
            answer = await door.call(lambda handler, cancel: handler.answer(params.name, params.arguments, cancel))
        except UnknownTool:
            raise MCPError(wire.INVALID_PARAMS, _UNKNOWN_TOOL) from None
        return _result(answer)

    server.add_request_handler("tools/list", wire.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", wire.CallToolRequestParams, call_tool)


def _tool(info: ToolInfo) -> wire.Tool:
    return wire.Tool(
        name=info.name,
        title=info.title,
        description=info.description,
        input_schema=info.input_schema,
        output_schema=info.output_schema,
        annotations=_ANNOTATIONS,
    )


def _result(answer: Answer) -> wire.CallToolResult:
    # The SDK would turn NaN and infinities into null without a word; this refuses them.
    result_bytes(answer)
    body = result_object(answer)
    if answer.error is not None:
        body["_meta"] = {ERROR_META: answer.error}
    return wire.CallToolResult.model_validate(body)


def _refuse_cursor(params: wire.PaginatedRequestParams) -> None:
    """Lists have one page, so no cursor of ours exists."""
    if params.cursor is not None:
        raise MCPError(wire.INVALID_PARAMS, "Unknown cursor: the list has one page.")


async def _around(door: Door, method: str, proceed: Proceed) -> HandlerResult:
    """Add the instructions to greetings, put results into the order in which we write them, and let no
    exception but a protocol error out (older clients would be shown its text)."""
    try:
        result = await proceed()
        if method in _GREETINGS and isinstance(result, dict):
            result = result | await _instructions(door)
        elif method == "tools/call" and isinstance(result, dict):
            result = in_order(result)
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
        raise internal_error(error) from None
    return result


async def _instructions(door: Door) -> dict[str, str]:
    """Return the greeting's instructions; without them rather than no greeting when they cannot be made."""
    try:
        return {"instructions": await door.ask(lambda handler: handler.instructions())}
    except Exception as error:  # noqa: BLE001 - logged under a reference
        internal_error(error)
        return {}


def _shielded(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Turn any exception of *method* but a protocol error into an internal error with a reference.

    Around the handlers themselves, because the SDK takes a pydantic error of ours for a bad request.
    """

    async def shielded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
            raise internal_error(error) from None

    return shielded


def internal_error(error: Exception) -> MCPError:
    """Log *error* under a reference and return the protocol error that names the reference and nothing else.

    The reference is made of the exception's type and places in the code: the same fault has the same
    one each time, and nothing of what was asked or found goes into it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    trail = [type(error).__qualname__, *(f"{PurePath(f.filename).name}:{f.lineno}:{f.name}" for f in frames)]
    reference = hashlib.blake2s("\n".join(trail).encode(), digest_size=4).hexdigest()
    log.error("internal error %s\n%s", reference, _printable("".join(traceback.format_exception(error)).rstrip()))
    return MCPError(
        wire.INTERNAL_ERROR,
        f"Something unexpected happened; the operator finds it in the log under reference {reference}.",
        {"code": "internal_error", "reference": reference},
    )


def _printable(text: str) -> str:
    """An exception's text may quote data, and the log may be a terminal."""
    return re.sub(r"[^\n\x20-\x7e\xa0-\U0010ffff]", lambda sign: f"\\x{ord(sign.group()):02x}", text)
