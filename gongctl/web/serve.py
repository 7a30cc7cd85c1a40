"""Serves the TUI to one browser on this machine, by ``textual-serve`` behind a gate of our own.

The gate knows one secret, made at the start and printed once in the address. It has nothing to do with the tokens of
agents: it opens these pages and nothing else, and it is gone with the process. The first page that is opened with it
gives the browser a cookie; every other request without the cookie, from another origin or for another host is refused
before a page, a file or a terminal is reached.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import shlex
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from aiohttp import web
from textual_serve.server import Server

from gongmcp.errors import Exit, StartupRefusal

HOST: Final = "127.0.0.1"
COOKIE: Final = "gongctl_session"
MOST: Final = 4
"""Terminals at a time: each is a process."""
_TEMPLATES: Final = Path(__file__).with_name("templates")
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline';"
        " img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WebTui(Server):
    """``textual-serve`` with the gate before it and a page that names no other host."""

    def __init__(self, command: Sequence[str], port: int, tell: Callable[[str], None]) -> None:
        """Serve the TUI that *command* runs; *tell* is given the address, secret and all, when it is ready."""
        super().__init__(
            shlex.join(command), host=HOST, port=port, title="gongctl pre-flight", templates_path=_TEMPLATES
        )
        self.secret = secrets.token_urlsafe(32)
        self._tell = tell
        self._terminals = 0

    @property
    def address(self) -> str:
        """What to open: the only place where the secret is shown."""
        return f"{self.public_url}/enter/{self.secret}"

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing yet: nobody can connect before the port is open."""

    def serve(self, debug: bool = False) -> None:
        """Serve until interrupted. Nothing is logged: neither screens nor the secret belong into a log."""
        logging.getLogger("aiohttp.server").addFilter(_without_text)
        told = iter([self.address])

        def ready(*_: object) -> None:
            for address in told:
                self._tell(address)

        web.run_app(self._make_app(), host=HOST, port=self.port, print=ready, access_log=None)

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._gate)
        app.add_routes([web.get("/enter/{secret}", self._enter)])
        return app

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        if not self._is_secret(request.match_info["secret"]):
            raise web.HTTPForbidden(text="This is not the address that gongctl printed.")
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(COOKIE, self.secret, httponly=True, samesite="Strict", path="/")
        return response

    @web.middleware
    async def _gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        entering = request.match_info.route.resource is not None and request.path.startswith("/enter/")
        own = self.public_url
        if request.headers.get("Host") != own.removeprefix("http://"):
            raise web.HTTPMisdirectedRequest(text="This is another host.")
        if request.headers.get("Origin", own) != own:
            raise web.HTTPForbidden(text="This is another origin.")
        if not entering and not self._is_secret(request.cookies.get(COOKIE, "")):
            raise web.HTTPForbidden(text="Open the address that gongctl printed.")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _is_secret(self, given: str) -> bool:
        # Whatever bytes were sent: aiohttp hands those that are not UTF-8 on as surrogates.
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.secret.encode())

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run one terminal, unless too many run."""
        if "Origin" not in request.headers:  # a browser always sends it here
            raise web.HTTPForbidden(text="This is no browser's page.")
        if self._terminals >= MOST:
            raise web.HTTPServiceUnavailable(text=f"{MOST} terminals are open. Close one.")
        self._terminals += 1
        try:
            return await super().handle_websocket(request)
        finally:
            self._terminals -= 1


def _without_text(record: logging.LogRecord) -> bool:
    """Keep of what aiohttp logs that a request failed, and the kind of the failure: its text quotes the request."""
    kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
    record.msg, record.args = f"a request failed: {kind}" if kind else "a request failed", ()
    record.exc_info = record.exc_text = record.stack_info = None
    return True


def serve(command: Sequence[str], port: int, tell: Callable[[str], None]) -> None:
    """Serve the TUI that *command* runs on *port* of this machine (0 = any free one) until interrupted.

    Raises:
        StartupRefusal: the port is taken.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = error.strerror or "it cannot be bound"
            hint = "Give another one with --port, or 0 for any."
            raise StartupRefusal(f"Port {port} cannot be served: {reason}.", hint, Exit.FAILED) from None
        port = probe.getsockname()[1]
    WebTui(command, port, tell).serve()
