"""What a client is told when something goes wrong: never an exception's own text."""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Final, ParamSpec, TypeVar

import mcp_types as wire

from gongmcp.errors import ERRORS, Exit, ToolFault
from gongmcp.protocol.sdk import MCPError

log = logging.getLogger("gongmcp")

MAX_ERRORS: Final = 8
"""Exceptions of one chain that are logged."""

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

    Logged is where and what, as ``trail_of`` says it: an exception's text may quote the cache or the caller. The
    reference is made of the same, so that the same fault has the same one each time.
    """
    trail = trail_of(error)
    reference = hashlib.blake2s("\n".join(trail).encode(), digest_size=4).hexdigest()
    log.error("internal error %s: %s", reference, "\n  ".join(trail))
    return MCPError(
        wire.INTERNAL_ERROR,
        f"Something unexpected happened; the operator finds it in the log under reference {reference}.",
        {"code": "internal_error", "reference": reference},
    )


def trail_of(error: BaseException) -> list[str]:
    """Return the type of an exception, the places in the code that it passed (file, line, function), and the same of
    what it was raised from and of what a group of them holds; no line of it holds a value."""
    trail: list[str] = []
    seen: set[int] = set()
    waiting: list[tuple[str, BaseException]] = [("", error)]
    while waiting and len(seen) < MAX_ERRORS:
        how, found = waiting.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        trail.append(how + type(found).__qualname__)
        frames = traceback.walk_tb(found.__traceback__)
        trail += [f"{PurePath(f.f_code.co_filename).name}:{line}:{f.f_code.co_name}" for f, line in frames]
        before = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
        if before is not None:
            waiting.append(("from ", before))
        if isinstance(found, BaseExceptionGroup):
            waiting += [("one of them: ", item) for item in found.exceptions]
    return trail


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
