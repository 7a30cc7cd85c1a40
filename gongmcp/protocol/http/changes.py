"""Telling clients that lists have changed: the stream that clients of the handshake versions open with GET."""

from __future__ import annotations

from typing import Final

import anyio
from starlette.types import Receive, Scope, Send

from gongmcp.protocol.http.answers import Refused
from gongmcp.render.wire import json_bytes

KEEP_ALIVE_SECONDS: Final = 15.0
STREAMS_AT_ONCE: Final = 256
"""Open streams in one process."""

LISTS = ("tools", "resources", "prompts")


class ChangeStreams:
    """The open streams; ``tell`` sends each the notification that every list may have changed."""

    def __init__(self) -> None:
        self._news: set[anyio.Event] = set()
        self._ended = False

    def tell(self) -> None:
        """Tell every open stream; runs in the event loop."""
        for news in self._news:
            news.set()

    def end(self) -> None:
        """End every stream, now and later."""
        self._ended = True
        self.tell()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Keep one stream open until its client leaves or the server ends."""
        accept = b",".join(value for name, value in scope["headers"] if name == b"accept").lower()
        if b"text/event-stream" not in accept and b"*/*" not in accept:
            raise Refused(406, "", "A stream needs Accept: text/event-stream.")
        if len(self._news) >= STREAMS_AT_ONCE:
            raise Refused(503, "", "Too many streams are open.", {"retry-after": "30"})
        headers = [
            (b"content-type", b"text/event-stream"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        async with anyio.create_task_group() as tasks:

            async def until_left() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_left)
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b": open\r\n\r\n", "more_body": True})
            await self._follow(send)
            await send({"type": "http.response.body", "body": b""})
            tasks.cancel_scope.cancel()

    async def _follow(self, send: Send) -> None:
        while not self._ended:
            news = anyio.Event()
            self._news.add(news)
            try:
                with anyio.move_on_after(KEEP_ALIVE_SECONDS):
                    await news.wait()
            finally:
                self._news.discard(news)
            changed = news.is_set() and not self._ended
            body = _changed() if changed else b": \r\n\r\n"
            if not self._ended:
                await send({"type": "http.response.body", "body": body, "more_body": True})


def _changed() -> bytes:
    messages = (json_bytes({"jsonrpc": "2.0", "method": f"notifications/{name}/list_changed"}) for name in LISTS)
    return b"".join(b"event: message\r\ndata: " + message + b"\r\n\r\n" for message in messages)
