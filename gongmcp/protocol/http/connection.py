"""Connections that do not get lost: limits on slow and on many clients, which uvicorn leaves to a proxy."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS: Final = 10.0
"""How long a client may take to send the head of a request."""

UNREAD_SECONDS: Final = 30.0
"""How long a client may leave an answer unread."""

CONNECTIONS: Final = 1000
"""Connections that one process holds."""

HEAD_BYTES: Final = 16 * 1024
"""Longest head of a request."""


class JoinedWrites:
    """A transport that sends what is written in one turn of the event loop in one piece: head, body and end of an
    answer would be three calls of the system."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send *data* at the end of this turn."""
        if not data:
            return
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)

    def close(self) -> None:
        """Close the connection when all is sent."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        held, self._held = self._held, []
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(H11Protocol):
    """One connection of uvicorn, ended when its client is too slow or one too many."""

    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it at once when there are too many."""
        if len(self.connections) >= CONNECTIONS:
            self.transport = transport
            transport.abort()
            return
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        if self.flow is not None:  # else it was never taken
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, and begin or end the wait for the head of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Go on to the next request."""
        super().on_response_complete()
        self._forget()

    def pause_writing(self) -> None:
        """The client does not read: give it some time."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        waits = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if waits and self._late is None:
            # From its first byte, not from the last: else one byte now and then would hold the connection for ever.
            self._late = self.loop.call_later(HEADER_SECONDS, self._give_up)
        elif not waits and self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self.transport.abort()

    def _forget(self) -> None:
        for timer in (self._late, self._unread):
            if timer is not None:
                timer.cancel()
        self._late = self._unread = None


def uvicorn_options() -> dict[str, Any]:
    """Return how uvicorn is to be configured for connections like these."""
    return {"http": Connection, "h11_max_incomplete_event_size": HEAD_BYTES, "timeout_keep_alive": 15, "backlog": 512}
