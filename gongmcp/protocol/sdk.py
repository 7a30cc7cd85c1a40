"""Every name of the SDK that is private, provisional or not documented for users is used here, and only here.

``tests/gongmcp/test_sdk_names.py`` lists them with what we rely on, so that an SDK release that
changes one of them fails there, under its name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

__all__ = [
    "Around",
    "HandlerResult",
    "Incoming",
    "MCPError",
    "Outlet",
    "Proceed",
    "Server",
    "SessionMessage",
    "ValidationError",
    "connect",
    "incoming",
    "set_middleware",
    "wire_form",
]


@dataclass(frozen=True, slots=True)
class Incoming:
    """What is known of a message: its *method*, the version of the *protocol*, what the client's program calls itself
    ('' where it does not say), and the ASGI *scope* of the HTTP request that brought it (None = a pipe)."""

    method: str
    protocol: str
    name: str = ""
    version: str = ""
    scope: Mapping[str, Any] | None = None


Proceed = Callable[[], Awaitable[HandlerResult]]
Around = Callable[[Incoming, Proceed], Awaitable[HandlerResult]]
"""``(message, proceed) -> result``: runs around every request and notification."""


class Outlet(Protocol):
    """Where the SDK's messages to the client go. *send* must not wait: a wait can be cancelled, and then
    nobody knows whether the request was answered."""

    async def send(self, item: SessionMessage, /) -> None:
        """Take one message."""

    async def aclose(self) -> None:
        """No more messages."""

    async def __aenter__(self) -> Any: ...

    async def __aexit__(self, *exc_info: object) -> None: ...


def set_middleware(server: Server[Any], around: Around) -> None:
    """Make *around* the only middleware of *server*.

    The SDK's own one reports every call to whatever OpenTelemetry exporter the environment configures;
    a server that opens no outgoing connection has no use for it.
    """

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        said = ctx.session.client_params
        info = said.client_info if said is not None else None
        message = Incoming(
            ctx.method,
            ctx.protocol_version,
            info.name if info is not None else "",
            info.version if info is not None else "",
            ctx.request.scope if ctx.request is not None else None,
        )
        return await around(message, partial(call_next, ctx))

    server.middleware[:] = [middleware]


def incoming(message: dict[str, Any], on_unanswered: Callable[[], Awaitable[None]]) -> SessionMessage:
    """Return a decoded request or notification (``lines.decode``) as the SDK takes it.

    *on_unanswered* runs when a request settles without an answer, because its client cancelled it.
    """
    if "id" in message:
        metadata = ServerMessageMetadata(on_request_unanswered=on_unanswered)
        return SessionMessage(JSONRPCRequest.model_validate(message), metadata)
    return SessionMessage(JSONRPCNotification.model_validate(message))


def wire_form(item: SessionMessage) -> tuple[dict[str, Any], bool]:
    """Return a message to the client as a JSON object, and whether it answers a request."""
    message = item.message
    settles = isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None
    return message.model_dump(by_alias=True, exclude_unset=True), settles


async def connect(
    server: Server[Any], source: MemoryObjectReceiveStream[SessionMessage | Exception], outlet: Outlet
) -> None:
    """Serve one client, in the protocol era that its first request opens, until *source* ends."""
    await server.run(source, outlet, server.create_initialization_options())
