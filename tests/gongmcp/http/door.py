"""The HTTP door in this process: real sockets, a real handler or a fake one, tokens of every kind."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from gongmcp.http_settings import HttpSettings
from gongmcp.identity.resolver import Resolver
from gongmcp.protocol.http.app import Application
from gongmcp.protocol.http.connection import uvicorn_options
from gongmcp.protocol.http.serve import resolver_of
from gongmcp.protocol.observe import CallRecord, RefusedRequest
from gongmcp.serving import Serving
from gongmcp.settings import ServerSettings
from gongmcp.state_file import ClientEvidence, StateFile
from tests.gongmcp.fake_handler import FakeHandler
from tests.gongmcp.http.http_process import TOKEN

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MODERN = {"mcp-protocol-version": "2026-07-28"}


class FakeServing:
    """Stands for ``Serving`` with one fake handler for everybody."""

    server_name = "gongmcp"
    is_ready = True

    def __init__(self) -> None:
        self.fake = FakeHandler()

    def handler(self) -> FakeHandler:
        """Return it."""
        return self.fake


class Witness:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.calls: list[CallRecord] = []
        self.refused: list[RefusedRequest] = []
        self.broken = False

    def on_call(self, record: CallRecord) -> None:
        """Remember a call."""
        if self.broken:
            raise OSError("the disk is full")
        self.calls.append(record)

    def on_refused(self, refused: RefusedRequest) -> None:
        """Remember a refusal."""
        self.refused.append(refused)


@dataclass
class Door:
    """A server that runs in this process."""

    url: str
    application: Application
    serving: Any
    state: StateFile
    witness: Witness = field(default_factory=Witness)

    http: httpx2.AsyncClient = field(default_factory=lambda: httpx2.AsyncClient(timeout=60))

    def headers(self, token: str | None = TOKEN, **more: str) -> dict[str, str]:
        """Return the headers of a message with *token*; in the names of *more* underscores stand for dashes."""
        bearer = {} if token is None else {"authorization": f"Bearer {token}"}
        return {**ACCEPT, **bearer, **{name.replace("_", "-"): value for name, value in more.items()}}

    async def post(self, body: Any, token: str | None = TOKEN, path: str = "/mcp", **headers: str) -> httpx2.Response:
        """Send one message; what is neither text nor JSON is sent as it is."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        address = self.url.removesuffix("/mcp") + path
        return await self.http.post(address, content=content, headers=self.headers(token, **headers))

    async def get(self, path: str, token: str | None = TOKEN, method: str = "GET", **headers: str) -> httpx2.Response:
        """Ask for another path."""
        address = self.url.removesuffix("/mcp") + path
        return await self.http.request(method, address, headers=self.headers(token, **headers))


def call(tool: str, number: int | str = 1, **arguments: Any) -> dict[str, Any]:
    """Return the message of a tool call."""
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answer_of(response: httpx2.Response) -> dict[str, Any]:
    """Return the JSON-RPC message in a response, whether it came as JSON or as events."""
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
        return dict(json.loads(lines[-1]))
    return dict(response.json())


def token_file(folder: Path, name: str = "token", token: str = TOKEN) -> Path:
    """Write a token file."""
    path = folder / name
    path.write_text(token + "\n")
    path.chmod(0o600)
    return path


@asynccontextmanager
async def door(
    settings: HttpSettings,
    *,
    cache: Path | None = None,
    flags: dict[str, str] | None = None,
    resolver: Resolver | None = None,
    wait: bool = False,
) -> AsyncIterator[Door]:
    """Run a server: over *cache* under *flags*, or with a fake handler."""
    witness = Witness()
    state = StateFile(settings.state)
    serving: Any = FakeServing()
    if cache is not None:
        resolved = ServerSettings.resolve(flags or {}, {})
        serving = Serving(resolved, cache, session=ClientEvidence(state), observer=witness, wait=wait)
    application = Application(serving, settings, resolver or resolver_of(settings), state, observer=witness)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        application.gate,
        lifespan="on",
        log_config=None,
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=5,
        **uvicorn_options(),
    )
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals  # type: ignore[method-assign]
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            await asyncio.sleep(0.005)
        made = Door(f"http://127.0.0.1:{port}/mcp", application, serving, state, witness)
        try:
            yield made
        finally:
            await made.http.aclose()
    finally:
        application.leave()
        if cache is None:
            serving.fake.gate.set()
        server.should_exit = True
        await running
        state.close()


class _no_signals:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def with_token(folder: Path, **changes: Any) -> HttpSettings:
    """Return settings of a loopback server with one token file."""
    return replace(HttpSettings(bearer_token_file=token_file(folder), http_rate=1_000_000), **changes)
