"""The body of a request: so long, within so many seconds, and one JSON-RPC message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
from starlette.types import Message, Receive

from gongmcp.protocol.http.answers import Refused
from gongmcp.protocol.lines import LINE_LIMIT, BadLine, decode

BODY_SECONDS = 20.0
"""How long a client may take to send a body."""

_PASS_OVER_SECONDS = 2.0


class Gone(Exception):
    """The client has left."""


async def read_body(receive: Receive, lengths: Sequence[bytes], *, limit: int = LINE_LIMIT) -> bytes:
    """Return the body of a request whose ``Content-Length`` headers are *lengths*.

    Raises:
        Refused: it is too long, also by its own account, or took too long.
        Gone: the client left before its end.
    """
    if any(not value.isdigit() or int(value[:20]) > limit for value in lengths):
        await _pass_over(receive, limit)
        raise _too_long(limit)
    body = bytearray()
    with anyio.move_on_after(BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            body += message.get("body", b"")
            if len(body) > limit:
                await _pass_over(receive, limit)
                raise _too_long(limit)
            if not message.get("more_body", False):
                return bytes(body)
    raise Refused(408, "too_slow", f"The body did not come within {BODY_SECONDS:.0f} seconds.", {"connection": "close"})


async def _pass_over(receive: Receive, most: int) -> None:
    """Take a little more of what is not wanted: a connection that ends with much unread loses the answer too."""
    with anyio.move_on_after(_PASS_OVER_SECONDS):
        while most > 0:
            message = await receive()
            most -= len(message.get("body", b""))
            if not message.get("more_body", False):
                return


def _too_long(limit: int) -> Refused:
    return Refused(413, "body_too_large", f"The body is longer than {limit} bytes.", {"connection": "close"})


def message_of(body: bytes) -> dict[str, Any] | None:
    """Return the request or notification in a body; None for what has no answer.

    Raises:
        BadLine: it is none.
    """
    return decode(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives *body* in one piece and then goes on with *receive*, which tells when the client leaves."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


__all__ = ["BODY_SECONDS", "BadLine", "Gone", "message_of", "read_body", "replayed"]
