"""A client of HTTP that costs next to nothing: it shares the cores with the server that it measures.

Requests are bytes made by the caller, one at a time on a connection; answers are cut out of the stream as they come.
Both forms of a body are known (``Content-Length`` and chunks), and both forms of an answer (JSON and events).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_END: Final = b"\r\n\r\n"
_LAST_CHUNK: Final = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: HTTP *status*, and the JSON of its message (b'' when there is none)."""

    status: int
    message: bytes


class Connection(asyncio.Protocol):
    """One connection that is kept open."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._held = bytearray()
        self._waiting: asyncio.Future[Reply] | None = None

    @classmethod
    async def to(cls, url: str) -> Connection:
        """Connect to the server at *url*."""
        parts = urlsplit(url)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, parts.hostname or "", parts.port or 80)
        return connection

    async def ask(self, request: bytes) -> Reply:
        """Send *request* and return its answer; raises ``ConnectionError`` when the server hangs up."""
        if self._transport is None:
            raise ConnectionError("the connection is closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiting

    def close(self) -> None:
        """Close it."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self._transport = None
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(ConnectionError("the server hung up"))

    def data_received(self, data: bytes) -> None:
        """Keep what came until the answer is whole."""
        self._held += data
        reply = _reply(self._held)
        if reply is not None and self._waiting is not None and not self._waiting.done():
            self._held.clear()
            self._waiting.set_result(reply)


def request_bytes(url: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a POST of *body* to *url* as it goes over the wire."""
    parts = urlsplit(url)
    lines = [f"POST {parts.path} HTTP/1.1", f"host: {parts.netloc}", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + _END + body


def _reply(held: bytearray) -> Reply | None:
    """Return the answer that *held* is, None while it is not whole."""
    end = held.find(_END)
    if end < 0:
        return None
    fields = dict(line.split(b": ", 1) for line in bytes(held[:end]).lower().split(b"\r\n")[1:])
    start = end + len(_END)
    body: bytes | None
    if (length := fields.get(b"content-length")) is not None:
        if len(held) - start < int(length):
            return None
        body = bytes(held[start:])
    elif not held.endswith(_LAST_CHUNK) or (body := _joined(held, start)) is None:
        return None
    if fields.get(b"content-type", b"").startswith(b"text/event-stream"):
        body = (b"\n" + body).rpartition(b"\ndata: ")[2].partition(b"\r")[0]
    return Reply(int(held[9:12]), body)


def _joined(held: bytearray, at: int) -> bytes | None:
    """Return the chunks from *at* on as one; None when the last has not come."""
    body = bytearray()
    while (line := held.find(b"\r\n", at)) >= 0:
        size = int(held[at:line], 16)
        if size == 0:
            return bytes(body)
        body += held[line + 2 : line + 2 + size]
        at = line + 2 + size + 2
    return None
