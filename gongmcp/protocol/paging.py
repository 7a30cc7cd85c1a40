"""Lists in pages: tools, resources, templates and prompts, each with a cursor that goes on."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import mcp_types as wire

from gongmcp.protocol.sdk import MCPError

PAGE_ROWS: Final = 100
"""Rows of a page. Clients that ask for one page only see every list of today whole."""

T = TypeVar("T")


def page_of(items: Sequence[T], cursor: str | None, name: Callable[[T], str], rows: int) -> tuple[list[T], str | None]:
    """Return the page behind *cursor* (None = the first) and the cursor of the next one, None at the end.

    A cursor belongs to the list as it was: when it has changed since, the client begins anew.

    Raises:
        MCPError: the cursor is none of this list.
    """
    digest = hashlib.blake2s("\n".join(map(name, items)).encode(), digest_size=8).hexdigest()
    start = 0 if cursor is None else _position(cursor, digest)
    if start >= len(items) and cursor is not None:
        raise _unknown()
    end = start + rows
    return list(items[start:end]), _cursor(end, digest) if end < len(items) else None


def _cursor(position: int, digest: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([position, digest]).encode()).decode()


def _position(cursor: str, digest: str) -> int:
    try:
        position, of = json.loads(base64.b64decode(cursor, altchars=b"-_", validate=True))
    except (ValueError, TypeError, RecursionError):
        raise _unknown() from None
    if of != digest or not isinstance(position, int) or isinstance(position, bool) or position < 1:
        raise _unknown()
    return position


def _unknown() -> MCPError:
    return MCPError(
        wire.INVALID_PARAMS, "Unknown cursor: the list has changed, or it is of another one. List from the start."
    )
