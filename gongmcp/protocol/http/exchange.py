"""One request of a protocol version with a handshake, answered over HTTP as a stream of events.

The request belongs to no session. Its client is watched while it is answered: when it leaves, its query is interrupted.
An answer that is ready soon goes out in one piece; else the stream begins after ``BEGIN_SECONDS``, or with the first
notification, and is kept alive.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any, Final

import anyio
from starlette.types import Receive, Scope, Send

from gongmcp.protocol.faults import internal_error
from gongmcp.protocol.http.answers import Refused, send_bytes
from gongmcp.protocol.lines import error_line
from gongmcp.protocol.sdk import McpServer, answer_once
from gongmcp.render.wire import json_bytes

BEGIN_SECONDS: Final = 1.0
"""How long an answer may take before the stream begins: some clients do not wait long for the head of an answer."""

KEEP_ALIVE_SECONDS: Final = 15.0

_HEADERS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
_COMMENT: Final = b": \r\n\r\n"


class Exchange:
    """Answers requests of versions with a handshake."""

    def __init__(self, server: McpServer) -> None:
        self._server = server

    async def __call__(
        self, message: dict[str, Any], version: str | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a decoded *message*, whose body was read; *version* is what its header says.

        Raises:
            Refused: the client takes no stream of events, or does not say that it sent JSON.
        """
        _check_headers(scope)
        if "id" not in message:
            # Nothing waits for it: a request without a session has no other one that it could speak of.
            await send_bytes(send, 202, b"", {})
            return
        stream = _Stream(send)
        leaving = anyio.CancelScope()
        watching = asyncio.ensure_future(_until_left(receive, leaving))
        try:
            with leaving:
                try:
                    line = json_bytes(await answer_once(self._server, message, version, scope, stream.tell))
                except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
                    fault = internal_error(error)
                    line = error_line(message["id"], fault.code, fault.message, fault.data)
                await stream.end(line)
        finally:
            watching.cancel()
            stream.close()


class _Stream:
    """The events of one answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self._turn = asyncio.Lock()
        self._alive: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(BEGIN_SECONDS, self._keep_alive)

    async def tell(self, notification: dict[str, Any]) -> None:
        """Send a notification ahead of the answer."""
        await self._piece(_event(json_bytes(notification)))

    async def end(self, line: bytes) -> None:
        """Send the answer and end."""
        self.close()
        async with self._turn:
            body = _event(line)
            if not self._begun:
                self._begun = True
                headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._send({"type": "http.response.body", "body": body})

    def close(self) -> None:
        """Keep it alive no longer."""
        self._timer.cancel()
        if self._alive is not None:
            self._alive.cancel()

    async def _piece(self, body: bytes) -> None:
        async with self._turn:
            if not self._begun:
                await self._send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
                # Not before: this task is cancelled when the answer is ready, perhaps while a slow reader holds it up.
                self._begun = True
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    def _keep_alive(self) -> None:
        self._alive = asyncio.ensure_future(self._comments())

    async def _comments(self) -> None:
        while True:
            await self._piece(_COMMENT)
            await asyncio.sleep(KEEP_ALIVE_SECONDS)


async def _until_left(receive: Receive, leaving: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    leaving.cancel()


def _event(data: bytes) -> bytes:
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


def _check_headers(scope: Scope) -> None:
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    if not _takes_both(accepted):
        raise Refused(406, "", "Accept both application/json and text/event-stream.")
    content_type = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if content_type.split(b";")[0].strip().lower() != b"application/json":
        raise Refused(415, "", "Content-Type must be application/json.")


@lru_cache(maxsize=64)
def _takes_both(accepted: bytes) -> bool:
    kinds = {part.split(b";")[0].strip().lower() for part in accepted.split(b",")}
    if b"*/*" in kinds:
        return True
    return bool(kinds & {b"application/json", b"application/*"}) and bool(kinds & {b"text/event-stream", b"text/*"})
