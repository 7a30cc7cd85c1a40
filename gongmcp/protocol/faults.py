"""What a client is told when something goes wrong: never an exception's own text."""

from __future__ import annotations

import hashlib
import logging
import re
import traceback
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import ParamSpec, TypeVar

import mcp_types as wire

from gongmcp.errors import ERRORS, Exit, ToolFault
from gongmcp.protocol.sdk import MCPError

log = logging.getLogger("gongmcp")

P = ParamSpec("P")
T = TypeVar("T")


def shielded(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Turn any exception of *method* but a protocol error into an internal error with a reference.

    Around the handlers themselves, because the SDK takes a pydantic error of ours for a bad request.
    """

    async def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - logged; the client gets a reference
            raise internal_error(error) from None

    return guarded


def internal_error(error: Exception) -> MCPError:
    """Log *error* under a reference and return the protocol error that names the reference and nothing else.

    The reference is made of the exception's type and places in the code: the same fault has the same
    one each time, and nothing of what was asked or found goes into it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    trail = [type(error).__qualname__, *(f"{PurePath(f.filename).name}:{f.lineno}:{f.name}" for f in frames)]
    reference = hashlib.blake2s("\n".join(trail).encode(), digest_size=4).hexdigest()
    log.error("internal error %s\n%s", reference, _printable("".join(traceback.format_exception(error)).rstrip()))
    return MCPError(
        wire.INTERNAL_ERROR,
        f"Something unexpected happened; the operator finds it in the log under reference {reference}.",
        {"code": "internal_error", "reference": reference},
    )


def _printable(text: str) -> str:
    """An exception's text may quote data, and the log may be a terminal."""
    return re.sub(r"[^\n\x20-\x7e\xa0-\U0010ffff]", lambda sign: f"\\x{ord(sign.group()):02x}", text)


def protocol_error(fault: ToolFault) -> MCPError:
    """Return *fault* as a protocol error, for what has no tool errors: resources, prompts, completions.

    What the client can mend is -32602, the rest -32603; its ``data`` is the error as an object.
    """
    mendable = ERRORS[fault.code].exit is Exit.USAGE
    return MCPError(
        wire.INVALID_PARAMS if mendable else wire.INTERNAL_ERROR,
        f"{fault.code}: {fault.message} {fault.hint}".rstrip(),
        {"code": fault.code, "message": fault.message, "hint": fault.hint},
    )
