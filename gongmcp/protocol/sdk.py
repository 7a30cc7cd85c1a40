"""Every name of the SDK that is private, provisional or not documented for users is used here, and only here.

``tests/gongmcp/test_sdk_names.py`` lists them with what we rely on, so that an SDK release that
changes one of them fails there, under its name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.runner import serve_one
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ToolsListChanged,
)
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data, progress_token_from_params
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    LOG_LEVEL_META_KEY,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SubscriptionsListenRequestParams,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

__all__ = [
    "Around",
    "HandlerResult",
    "Incoming",
    "MCPError",
    "McpOverHttp",
    "McpServer",
    "Outlet",
    "Proceed",
    "RequestContext",
    "Server",
    "SessionMessage",
    "ValidationError",
    "answer_once",
    "asked_level",
    "connect",
    "has_handshake",
    "incoming",
    "is_modern",
    "send_log",
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


RequestContext = ServerRequestContext[Any, Any]
"""What a request handler is given besides its parameters."""

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
        if ctx.request is None and isinstance(server, McpServer):
            server.pipe = ctx
        message = Incoming(
            ctx.method,
            ctx.protocol_version,
            info.name if info is not None else "",
            info.version if info is not None else "",
            ctx.request.scope if ctx.request is not None else None,
        )
        return await around(message, partial(call_next, ctx))

    server.middleware[:] = [middleware]


FIRST_MODERN = "2026-07-28"
"""First version of the protocol without a handshake; versions are dates."""


def is_modern(ctx: RequestContext) -> bool:
    """Return whether a request belongs to a version of the protocol without a handshake."""
    return ctx.protocol_version >= FIRST_MODERN


def asked_level(ctx: RequestContext) -> str | None:
    """Return the level of log messages that a request without a handshake asks for, None = none."""
    level = (ctx.meta or {}).get(LOG_LEVEL_META_KEY)
    return level if isinstance(level, str) else None


async def send_log(ctx: RequestContext, level: LoggingLevel, data: Any) -> None:
    """Send a log message on the stream of the request that it is about, whether it was asked for or not."""
    params = LoggingMessageNotificationParams(level=level, data=data, logger="gongmcp")
    await ctx.session.send_notification(LoggingMessageNotification(params=params), related_request_id=ctx.request_id)


def has_handshake(version: str | None) -> bool:
    """Return whether a request with this ``MCP-Protocol-Version`` header is of a version with a handshake."""
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


Tell = Callable[[dict[str, Any]], Awaitable[None]]
"""Sends one notification to the client on the stream of its request."""


_NO_WAY_BACK = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass(slots=True)
class _OneRequest:
    """What the SDK is given of a request that stands alone: notifications go to its own stream, and the server cannot
    ask its client anything, for there is no way back."""

    request_id: str | int
    message_metadata: ServerMessageMetadata
    progress_token: str | int | None
    tell: Tell
    transport: TransportContext = _NO_WAY_BACK
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(self, method: str, _params: object, _opts: object = None) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, _opts: object = None) -> None:
        await self.tell({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": dict(params)}))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self.progress_token is not None:
            told = {"progressToken": self.progress_token, "progress": progress, "total": total, "message": message}
            await self.notify(
                "notifications/progress", {name: value for name, value in told.items() if value is not None}
            )


async def answer_once(
    server: Server[Any], message: dict[str, Any], version: str | None, scope: Scope, tell: Tell
) -> dict[str, Any]:
    """Return the answer to one request of a version with a handshake, as a JSON-RPC message.

    *message* is decoded (``lines.decode``); *version* is what its header says. The SDK's own way runs a connection of
    eleven tasks for each request that belongs to no session; this is the same without them.
    """
    request_id, params = message["id"], message.get("params")
    metadata = ServerMessageMetadata(request_context=Request(scope), can_send_request=False)
    context = _OneRequest(request_id, metadata, progress_token_from_params(params), tell)
    connection = Connection.from_envelope(version or DEFAULT_NEGOTIATED_VERSION, None, None)
    try:
        result = await serve_one(server, context, message["method"], params, connection=connection, lifespan_state=None)
    except (MCPError, ValidationError) as error:
        data = handler_exception_to_error_data(error)
        assert data is not None
        return JSONRPCError(jsonrpc="2.0", id=request_id, error=data).model_dump(by_alias=True, exclude_unset=True)
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


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


class McpServer(Server[Any]):
    """The SDK's server, which tells its clients when its lists have changed."""

    def __init__(self, name: str, version: str) -> None:
        # None of our schemas has parameters that clients repeat in headers; without this, each call lists all tools.
        super().__init__(name, version=version, get_tool_input_schema=lambda _name: None)
        self.pipe: RequestContext | None = None
        self.bus = InMemorySubscriptionBus()
        self.listening = ListenHandler(self.bus)
        self.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, self.listening)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what the server says of itself; the SDK's transports ask without options of their own."""
        changing = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        return super().create_initialization_options(
            notification_options or changing, experimental_capabilities, extensions
        )

    async def tell_changed(self) -> None:
        """Tell the client of a pipe, and every one of a version without a handshake that listens. HTTP clients of
        the other versions have a stream of their own (``http.changes``)."""
        for event in (ToolsListChanged(), ResourcesListChanged(), PromptsListChanged()):
            await self.bus.publish(event)
        if self.pipe is not None and not is_modern(self.pipe):
            session = self.pipe.session
            await session.send_tool_list_changed()
            await session.send_resource_list_changed()
            await session.send_prompt_list_changed()


class McpOverHttp:
    """The SDK's streamable HTTP for versions without a handshake, as an ASGI application."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        # Host, Origin and the length of bodies were looked at before; the SDK looks at the content type.
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, json_response=False, security_settings=_CHECKED_BEFORE
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return the life of the application; requests are answered inside it."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._manager.handle_request(scope, receive, send)

    async def tell_changed(self) -> None:
        """Tell every client that listens that the lists may have changed."""
        await self._server.tell_changed()

    def end_listening(self) -> None:
        """End the streams of those who listen."""
        self._server.listening.close()


_CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
