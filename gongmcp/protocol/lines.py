"""Lines from a client to JSON-RPC messages; what is not one gets an answer, not silence.

The SDK drops a bad line without a word, and the client waits for ever. Imports nothing of the SDK.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gongmcp.render.wire import json_bytes

LINE_LIMIT = 4 * 2**20
"""Longest line that is read, in bytes; the same as the HTTP side's limit of a request body."""

SWITCH_SECONDS = 0.0005
"""How long one thread keeps the interpreter: a ping takes several turns of the event loop, and calls that run beside it
would hold up each by Python's own five milliseconds."""

_EDGE = 4096

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

# An id is certainly the message's own when only plain members stand between it and the line's edge.
_PLAIN = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID = rb'"id"\s*:\s*(?P<id>"[^"\\]*"|-?[0-9]+)'
_HEAD_ID = re.compile(rb"\s*\{\s*(?:" + _PLAIN + rb"\s*,\s*)*" + _ID + rb"\s*[,}]")
_TAIL_ID = re.compile(rb",\s*" + _ID + rb"\s*(?:,\s*" + _PLAIN + rb"\s*)*\}\s*\Z")

_SURROGATE = re.compile("[\ud800-\udfff]")


class BadLine(Exception):
    """A line that is no message for the server: a JSON-RPC error *code*, a sentence, the id if it is known."""

    def __init__(self, code: int, message: str, request_id: int | str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id

    def reply(self) -> bytes:
        """Return the answer as a JSON-RPC line without its end."""
        return error_line(self.request_id, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Oversized:
    """What is kept of a line that is too long: its two ends."""

    head: bytes
    tail: bytes


def error_line(request_id: int | str | None, code: int, message: str, data: Any = None) -> bytes:
    """Return a JSON-RPC error answer as a line without its end."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return json_bytes({"jsonrpc": "2.0", "id": request_id, "error": error})


def split_lines(read: Callable[[], bytes], limit: int = LINE_LIMIT) -> Iterator[bytes | Oversized]:
    """Yield the lines of what *read* returns until it returns nothing; the last may lack its end.

    Never holds more than *limit* and one piece.
    """
    kept = bytearray()
    head: bytes | None = None

    def line() -> bytes | Oversized:
        return bytes(kept) if head is None else Oversized(head, bytes(kept))

    while piece := read():
        *ended, rest = piece.split(b"\n")
        for part in (*ended, None):
            kept += rest if part is None else part
            if len(kept) > limit or head is not None:
                head = bytes(kept[:_EDGE]) if head is None else head
                del kept[:-_EDGE]
            if part is not None:
                yield line()
                kept.clear()
                head = None
    if kept:
        yield line()


def decode(line: bytes | Oversized) -> dict[str, Any] | None:
    """Return the request or notification on a line; None for what is to be passed over in silence.

    That is blank lines, answers (this server asks its client nothing), and notifications with
    malformed parameters, which JSON-RPC forbids to answer. Raises ``BadLine`` for all else.
    """
    if isinstance(line, Oversized):
        raise BadLine(INVALID_REQUEST, f"Line longer than {LINE_LIMIT} bytes.", _edge_id(line.head, line.tail))
    line = line.removeprefix(b"\xef\xbb\xbf").strip()
    if not line:
        return None
    message = _parse(line)
    if isinstance(message, list):
        raise BadLine(INVALID_REQUEST, "Batches are not served: send one message a line.")
    if not isinstance(message, dict):
        raise BadLine(INVALID_REQUEST, "A message is a JSON object.")
    return _checked(message)


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_once_each)
    except UnicodeDecodeError:
        fault = "The line is not UTF-8."
    except RecursionError:
        fault = "The line is nested too deeply."
    except ValueError:
        fault = "The line is not JSON."
    raise BadLine(PARSE_ERROR, fault, _edge_id(line[:_EDGE], line[-_EDGE:]))


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    # Each reader on the way would decide for itself which of the two counts.
    if len(found) != len(pairs):
        raise BadLine(INVALID_REQUEST, "A name stands twice in one object.")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _checked(message: dict[str, Any]) -> dict[str, Any] | None:
    if "method" not in message and ("result" in message or "error" in message):
        return None
    request_id = message.get("id")
    known = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    answer_to = request_id if known else None
    if known and not _is_unicode(request_id):
        raise BadLine(INVALID_REQUEST, "The id is not valid Unicode.")
    if message.get("jsonrpc") != "2.0":
        raise BadLine(INVALID_REQUEST, 'A message has "jsonrpc": "2.0".', answer_to)
    if not isinstance(message.get("method"), str):
        raise BadLine(INVALID_REQUEST, "A message has a method, a string.", answer_to)
    if not _is_unicode(message["method"]):
        raise BadLine(INVALID_REQUEST, "The method is not valid Unicode.", answer_to)
    if "id" in message and not known:
        raise BadLine(INVALID_REQUEST, "An id is a string or an integer.")
    if not isinstance(message.get("params"), dict | None):
        if "id" in message:
            raise BadLine(INVALID_PARAMS, "Parameters are an object.", answer_to)
        return None
    return message


def _is_unicode(value: object) -> bool:
    """Whether an answer can repeat *value*: half a surrogate pair, as JSON can escape it, is no UTF-8."""
    return not isinstance(value, str) or _SURROGATE.search(value) is None


def _edge_id(head: bytes, tail: bytes) -> int | str | None:
    """Return the id of a message of which only the ends can be read, or None when it is not certain."""
    match = _HEAD_ID.match(head) or _TAIL_ID.search(tail)
    if match is None:
        return None
    try:
        found = json.loads(match["id"].decode())
    except ValueError:
        return None
    return found if isinstance(found, str | int) else None
