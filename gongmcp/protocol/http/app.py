"""The application: routes, the gate around them, and the SDK's streamable HTTP behind ``/mcp``.

Requests are answered without a session of the protocol, as a stream of events: so any worker can answer any of them,
and a client that leaves takes its running query with it. Those of versions with a handshake are answered by
``exchange``, the others by the SDK.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from gongmcp.protocol.http.answers import send_bytes, send_json
from gongmcp.protocol.http.body import BadLine, Gone, message_of, read_body, replayed
from gongmcp.protocol.http.changes import ChangeStreams
from gongmcp.protocol.http.endpoints import Health, Metrics, ResourceMetadata, metadata_url
from gongmcp.protocol.http.exchange import Exchange
from gongmcp.protocol.http.gate import Access, Gate, Limits, RouteRule
from gongmcp.protocol.http.origins import Addresses
from gongmcp.protocol.lines import error_line
from gongmcp.protocol.sdk import McpOverHttp, has_handshake
from gongmcp.protocol.server import create_mcp_server

if TYPE_CHECKING:
    from gongmcp.http_settings import HttpSettings
    from gongmcp.identity.resolver import Resolver
    from gongmcp.protocol.observe import Observer
    from gongmcp.serving import Serving
    from gongmcp.state_file import StateFile

_MCP = RouteRule(("POST", "GET"), Access.TOKEN, pages=True)
RULES = {
    "/mcp": _MCP,
    "/mcp/": _MCP,
    "/healthz": RouteRule(("GET", "HEAD"), Access.MORE_WITH_TOKEN),
    "/metrics": RouteRule(("GET",), Access.TOKEN),
}
"""Every path of a server without an issuer, and who may use it."""

_METADATA = RouteRule(("GET",), Access.ANYBODY, pages=True)
VERSION_HEADER = b"mcp-protocol-version"
METADATA_PATHS = ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp")


class Application:
    """The ASGI application of one worker: *gate* is what uvicorn serves, *changes* tells clients of new lists."""

    def __init__(
        self,
        serving: Serving,
        settings: HttpSettings,
        resolver: Resolver,
        state: StateFile,
        *,
        observer: Observer | None = None,
    ) -> None:
        """Serve what *serving* gives to whom *resolver* lets in."""
        self.leaving = False
        self.changes = ChangeStreams()
        server = create_mcp_server(serving.handler, name=serving.server_name)
        self.mcp = McpOverHttp(server)
        rules = dict(RULES)
        endpoint = _Endpoint(Exchange(server), self.mcp, self.changes)
        routes = [
            Route("/mcp", endpoint, methods=list(_MCP.methods)),
            Route("/mcp/", endpoint, methods=list(_MCP.methods)),
            Route("/healthz", Health(serving), methods=["GET", "HEAD"]),
        ]
        challenge = 'Bearer realm="gongmcp"'
        if settings.oidc_issuer is not None:
            resource = settings.public_url or settings.oidc_audience or ""
            metadata = ResourceMetadata(resource, settings.oidc_issuer, settings.oidc_scope)
            for path in METADATA_PATHS:
                rules[path] = _METADATA
                routes.append(Route(path, metadata, methods=["GET"]))
            if where := metadata_url(resource):
                challenge += f', resource_metadata="{where}"'
        addresses = Addresses.of(
            settings.host, settings.allowed_hosts, settings.allowed_origins, loopback=settings.is_loopback
        )
        # A bare router: the gate answers what goes wrong, so that no failure is without its reference.
        inner = Router(redirect_slashes=False, lifespan=self._life)
        self.gate = Gate(
            inner,
            rules,
            addresses,
            resolver,
            Limits(settings.http_rate, settings.http_at_once, state.wait_of),
            challenge=challenge,
            observer=observer,
            leaving=lambda: self.leaving,
        )
        routes.append(Route("/metrics", Metrics(self.gate.counts), methods=["GET"]))
        inner.routes.extend(routes)

    @asynccontextmanager
    async def _life(self, _app: Router) -> AsyncIterator[None]:
        async with self.mcp.run():
            yield

    async def tell_changed(self) -> None:
        """Tell every client that listens that the lists may have changed."""
        self.changes.tell()
        await self.mcp.tell_changed()

    def leave(self) -> None:
        """Take no more requests, and end what never ends by itself."""
        self.leaving = True
        self.changes.end()
        self.mcp.end_listening()


class _Endpoint:
    """``/mcp``: POST is a message, GET a stream of news."""

    def __init__(self, exchange: Exchange, mcp: ASGIApp, changes: ChangeStreams) -> None:
        self._exchange = exchange
        self._mcp = mcp
        self._changes = changes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            await self._changes.serve(scope, receive, send)
            return
        version = next((value.decode("latin-1") for name, value in scope["headers"] if name == VERSION_HEADER), None)
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        try:
            body = await read_body(receive, lengths)
        except Gone:
            return
        try:
            message = message_of(body)
        except BadLine as bad:
            await send_json(send, 400, error_line(bad.request_id, bad.code, bad.message))
            return
        if message is None:
            await send_bytes(send, 202, b"", {})
            return
        if has_handshake(version):
            await self._exchange(message, version, scope, receive, send)
        else:
            await self._mcp(scope, replayed(body, receive), send)
