"""The one place that makes the bytes of a result, and of every line that carries one."""

from __future__ import annotations

import json
from typing import Any

from gongmcp.render.answer import Answer

_MEMBERS = ("content", "structuredContent", "isError")

# Line separators to some readers of "one message a line", though JSON allows them raw in strings.
_LINE_ENDS = {sign: f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}


def result_object(answer: Answer) -> dict[str, Any]:
    """Return what an MCP client receives as the result of the call, in the order of the wire.

    ``content``, ``structuredContent`` (absent where the answer has none: tool errors), ``isError``.
    What the protocol adds around it (``_meta``, ``resultType``) is not part of it.
    """
    result: dict[str, Any] = {"content": [{"type": "text", "text": answer.text}]}
    if answer.structured is not None:
        result["structuredContent"] = answer.structured
    result["isError"] = answer.is_error
    return result


def result_bytes(answer: Answer) -> bytes:
    """Return the bytes of ``result_object(answer)``; see ``json_bytes`` for the form and the errors."""
    return json_bytes(result_object(answer))


def in_order(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call with its members in our order and what the protocol added after them.

    The SDK sorts members by name; put back, the bytes of ``result_bytes`` are found on the wire as they are.
    """
    content = [{"type": block["type"]} | block for block in result["content"]]
    ours = {name: result[name] for name in _MEMBERS if name in result}
    return ours | result | {"content": content}


def json_bytes(value: Any) -> bytes:
    """Return *value* as compact JSON in UTF-8, on one line for every reader of lines.

    Raises ``ValueError`` for NaN, infinities and lone surrogates: they have no form that every
    client reads alike.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not text.isascii():
        for sign, escaped in _LINE_ENDS.items():  # much faster than one translate()
            text = text.replace(sign, escaped)
    return text.encode()
