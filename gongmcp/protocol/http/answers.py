"""Answers that the HTTP door gives itself: short JSON, never cached, and saying no more than a stranger may know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Send

from gongmcp.protocol.lines import error_line
from gongmcp.render.wire import json_bytes

REFUSED = -32000
"""JSON-RPC code of a refusal at the door."""

ALWAYS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Headers of every answer."""


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """A request that goes no further: the HTTP *status*, a *reason* (``observe.REASONS``, or '' for a mere mistake),
    a sentence for the client, and *headers* of the answer."""

    status: int
    reason: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """Return it as a JSON-RPC error that answers no request."""
        return error_line(None, REFUSED, self.message, {"code": self.reason} if self.reason else None)


async def send_json(send: Send, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
    """Answer with *body* as JSON; bytes are JSON already."""
    data = body if isinstance(body, bytes) else json_bytes(body)
    await send_bytes(send, status, data, {"content-type": "application/json"} | dict(headers or {}))


async def send_bytes(send: Send, status: int, data: bytes, headers: Mapping[str, str]) -> None:
    """Answer with *data* as it is."""
    encoded = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
    if status != 204:
        encoded.append((b"content-length", str(len(data)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": data})
