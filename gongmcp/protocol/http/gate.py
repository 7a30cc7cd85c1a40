"""The gate: what every request passes before any code of the protocol runs.

In this order: ``Host`` and ``Origin`` (no page may reach the server by a name that it made up), the route, what a
browser asks beforehand, anything in the address behind the path, the method, the token, how many at once, the rate. A
route says whether it needs a token; one ``Resolver`` decides about all of them.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gongmcp.errors import Unavailable
from gongmcp.identity.client import Client
from gongmcp.identity.resolver import Denied, Resolver
from gongmcp.protocol.faults import internal_error
from gongmcp.protocol.http.answers import ALWAYS, Refused, send_bytes, send_json
from gongmcp.protocol.http.origins import Addresses
from gongmcp.protocol.lines import error_line
from gongmcp.protocol.observe import Observer, RefusedRequest
from gongmcp.protocol.sdk import FIRST_MODERN
from gongmcp.protocol.server import CLIENT

log = logging.getLogger("gongmcp")

PREFLIGHT_SECONDS: Final = 600
RECHECK_SECONDS: Final = 2.0
"""How often the token of an open stream of news is looked at again."""
STREAMS: Final = 100
"""Streams of news that one token may hold open, in each worker. They wait, so they are no requests at once."""

ASKED_HEADERS: Final = (
    "authorization",
    "content-type",
    "accept",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
)
"""Headers that a page may send."""


class Access(Enum):
    """Who may use a route."""

    TOKEN = "token"
    ANYBODY = "anybody"
    MORE_WITH_TOKEN = "more with a token"


@dataclass(frozen=True, slots=True)
class RouteRule:
    """One path: its *methods*, who may use it, and whether pages of allowed origins may."""

    methods: tuple[str, ...]
    access: Access
    pages: bool = False


@dataclass(slots=True)
class Counts:
    """What happened at the gate since the process began, for metrics."""

    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    at_once: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """By client, and whether it is a stream of news."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one client may ask: *per_minute* requests unless its token says otherwise, *at_once* at the same time;
    *wait_of* counts one (``StateFile.wait_of``)."""

    per_minute: int
    at_once: int
    wait_of: Callable[[str, int], float]


class Gate:
    """ASGI middleware around everything that the server answers."""

    def __init__(
        self,
        app: ASGIApp,
        rules: Mapping[str, RouteRule],
        addresses: Addresses,
        resolver: Resolver,
        limits: Limits,
        *,
        challenge: str,
        observer: Observer | None = None,
        leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """Let through to *app* what the *rules* of the paths allow. *challenge* is the ``WWW-Authenticate`` header;
        *leaving* tells whether the server is about to end."""
        self.app = app
        self.rules = rules
        self.counts = Counts()
        self._addresses = addresses
        self._resolver = resolver
        self._limits = limits
        self._challenge = challenge
        self._observer = observer
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or pass the life of the application on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _Headers(scope)
        rule = self.rules.get(scope["path"])
        origin = headers.one(b"origin")
        send = self._dressed(scope, send, origin if rule is not None and rule.pages else None)
        client: Client | None = None
        try:
            self._check_addresses(headers)
            if rule is None:
                raise Refused(404, "", "There is nothing here; MCP is served at /mcp.")
            if scope["method"] == "OPTIONS" and origin is not None and rule.pages:
                await self._preflight(headers, rule, send)
                return
            if scope["query_string"]:
                raise Refused(
                    400, "token_in_query", "Nothing is taken from the address: send the token as Authorization header."
                )
            if scope["method"] not in rule.methods:
                raise Refused(405, "", "Not with this method.", {"allow": ", ".join(rule.methods)})
            client = self._client(headers, rule)
            if client is None:
                await self._answered(scope, receive, send)
                return
            self._count(client, waits := headers.open_a_stream(scope["method"]))
        except Refused as refused:
            self._tell(refused, client)
            await send_json(send, refused.status, refused.body(), refused.headers)
            return
        except Exception as error:  # noqa: BLE001 - logged; nobody is let in, and a stranger gets a reference
            await _send_fault(send, error)
            return
        await self._let_in(client, waits, scope, receive, send)

    def _check_addresses(self, headers: _Headers) -> None:
        if not self._addresses.allows_host(headers.all(b"host")):
            raise Refused(
                421, "bad_host", "The server is not known by this Host; the operator allows names by --allowed-hosts."
            )
        origins = headers.all(b"origin")
        if len(origins) > 1 or (origins and not self._addresses.allows_origin(origins[0])):
            raise Refused(
                403, "bad_origin", "Pages of this Origin may not ask; the operator allows them by --allowed-origins."
            )

    async def _preflight(self, headers: _Headers, rule: RouteRule, send: Send) -> None:
        method = headers.one(b"access-control-request-method") or ""
        asked = {name.strip().lower() for name in (headers.one(b"access-control-request-headers") or "").split(",")}
        if method not in rule.methods or not asked - {""} <= set(ASKED_HEADERS):
            raise Refused(405, "", "A page may not ask so.", {"allow": ", ".join(rule.methods)})
        answer = {
            "access-control-allow-methods": ", ".join((*rule.methods, "OPTIONS")),
            "access-control-allow-headers": ", ".join(ASKED_HEADERS),
            "access-control-max-age": str(PREFLIGHT_SECONDS),
        }
        await send_bytes(send, 204, b"", answer)

    def _client(self, headers: _Headers, rule: RouteRule) -> Client | None:
        """Return who asks; None for a stranger on a route that is open to strangers."""
        if rule.access is Access.ANYBODY:
            return None
        try:
            return self._resolver.resolve(headers.authorization())
        except Denied as denied:
            if rule.access is Access.MORE_WITH_TOKEN:
                return None
            if denied.genuine:
                words = f'{self._challenge}, error="insufficient_scope"'
                raise Refused(
                    403, denied.reason, "The token does not open this server.", {"www-authenticate": words}
                ) from None
            given = ', error="invalid_token"' if denied.reason != "no_token" else ""
            raise Refused(
                401,
                denied.reason,
                "A valid token is needed: Authorization: Bearer TOKEN.",
                {"www-authenticate": self._challenge + given},
            ) from None

    def _count(self, client: Client, waits: bool) -> None:
        if self._leaving():
            raise Refused(503, "leaving", "The server is about to end.", {"retry-after": "5", "connection": "close"})
        most = STREAMS if waits else self._limits.at_once
        if self.counts.at_once[client.key, waits] >= most:
            words = "streams of one token are open" if waits else "requests of one token are answered"
            raise Refused(429, "too_many_at_once", f"At most {most} {words} at the same time.", {"retry-after": "1"})
        try:
            wait = self._limits.wait_of(client.key, client.per_minute or self._limits.per_minute)
        except Unavailable as snag:
            raise Refused(503, "", snag.reason, {"retry-after": "1"}) from None
        if wait:
            raise Refused(
                429, "rate_limited", "The token has sent too many requests.", {"retry-after": str(int(wait) + 1)}
            )

    async def _let_in(self, client: Client, waits: bool, scope: Scope, receive: Receive, send: Send) -> None:
        counted = self.counts.at_once
        counted[client.key, waits] += 1
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                counted[client.key, waits] -= 1
                if not counted[client.key, waits]:
                    del counted[client.key, waits]

        async def watched(message: Message) -> None:
            # Before the last of it is sent: a client that has its answer may send the next request.
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                leave()
            await send(message)

        inner = {**scope, CLIENT: client}
        try:
            if waits:
                await self._answered_while_valid(client, inner, receive, watched)
            else:
                await self._answered(inner, receive, watched)
        except Refused as refused:
            self._tell(refused, client)
            await send_json(watched, refused.status, refused.body(), refused.headers)
        finally:
            leave()

    async def _answered_while_valid(self, client: Client, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer by a stream that never ends by itself, until its token opens the server no more.

        A token that was taken back, has expired, or gets less or more than when the stream began ends it.
        """
        is_open = False
        refused: Refused | None = None

        async def watched(message: Message) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or bool(message.get("more_body", False))
            await send(message)

        async with anyio.create_task_group() as tasks:

            async def until_denied() -> None:
                while True:
                    await anyio.sleep(RECHECK_SECONDS)
                    if not self._is_still(client, scope):
                        break
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_denied)
            try:
                await self._answered(scope, receive, watched)
            except Refused as error:  # raised below, outside the group that would wrap it
                refused = error
            tasks.cancel_scope.cancel()
        if refused is not None:
            raise refused
        if is_open:
            await send({"type": "http.response.body", "body": b""})

    def _is_still(self, client: Client, scope: Scope) -> bool:
        try:
            return self._resolver.resolve(_Headers(scope).authorization()) == client
        except Denied:
            return False
        except Exception as error:  # noqa: BLE001 - logged; who cannot be looked at is not let in either
            internal_error(error)
            return False

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer; what goes wrong in it is answered with a reference to the log."""
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Refused:
            raise
        except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
            if started:
                internal_error(error)
            else:
                await _send_fault(send, error)

    def _tell(self, refused: Refused, client: Client | None) -> None:
        if not refused.reason:
            return
        self.counts.refused[refused.reason] += 1
        if self._observer is not None:
            try:
                label = client.label if client is not None else ""
                self._observer.on_refused(RefusedRequest(time.time(), refused.status, refused.reason, label))
            except Exception as error:  # noqa: BLE001 - the request is refused in any case
                log.error("a refused request was not recorded: %s", type(error).__name__)

    def _dressed(self, scope: Scope, send: Send, origin: str | None) -> Send:
        """Return *send* with the headers of every answer, and counted."""
        path = scope["path"] if scope["path"] in self.rules else "other"
        allowed = origin is not None and self._addresses.allows_origin(origin)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.counts.answered[path, message["status"]] += 1
                own = {name.lower() for name, _ in message.get("headers", ())}
                added = [pair for pair in ALWAYS if pair[0] not in own]
                if allowed:
                    assert origin is not None
                    added += [
                        (b"access-control-allow-origin", origin.encode("latin-1")),
                        (b"access-control-expose-headers", b"mcp-session-id, www-authenticate, retry-after"),
                        (b"vary", b"origin"),
                    ]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        return dressed


async def _send_fault(send: Send, error: Exception) -> None:
    fault = internal_error(error)
    await send_json(send, 500, error_line(None, fault.code, fault.message, fault.data))


class _Headers:
    """The headers of a request, each as often as it was sent."""

    def __init__(self, scope: Scope) -> None:
        self.raw: list[tuple[bytes, bytes]] = scope["headers"]

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for found, value in self.raw if found == name]

    def authorization(self) -> list[bytes]:
        return [value for name, value in self.raw if name == b"authorization"]

    def one(self, name: bytes) -> str | None:
        values = self.all(name)
        return values[0] if values else None

    def open_a_stream(self, method: str) -> bool:
        """Return whether the request asks for a stream of news rather than for an answer.

        A client of a version without a handshake says so in a header, which the SDK holds to the body.
        """
        if method == "GET":
            return True
        version = self.one(b"mcp-protocol-version") or ""
        return self.one(b"mcp-method") == "subscriptions/listen" and version == FIRST_MODERN
