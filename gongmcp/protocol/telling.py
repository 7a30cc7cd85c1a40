"""What a client is told beside the answer: that a long call goes on, and, at the level it asks for, how calls ended.

Neither says more than the answer does: a tool's own name, a code of the closed list, seconds since the client asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import anyio
import mcp_types as wire
from mcp_types import LoggingLevel

from gongmcp.identity.client import ASKER
from gongmcp.protocol.faults import shielded
from gongmcp.protocol.sdk import RequestContext, Server, asked_level, is_modern, send_log

T = TypeVar("T")

PROGRESS_SECONDS: Final = 1.0
"""How long a call runs before it is reported, and between two reports."""

LEVELS: Final[tuple[LoggingLevel, ...]] = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
_KEPT: Final = 1000

_LEVEL_OF: Final[dict[str, LoggingLevel]] = {"ok": "info", "not_found": "info", "internal_error": "error"}
"""The level of an outcome; of any other it is a warning."""


class LogLevels:
    """The level that each client asked for: a pipe, or a token (requests over HTTP share nothing else). A client that
    asked for none is told nothing."""

    def __init__(self) -> None:
        self._levels: dict[str, LoggingLevel] = {}

    def set(self, client: str, level: LoggingLevel) -> None:
        """Remember what a client asked for; the oldest is forgotten when there are too many."""
        self._levels.pop(client, None)
        self._levels[client] = level
        while len(self._levels) > _KEPT:
            del self._levels[next(iter(self._levels))]

    def of(self, client: str) -> LoggingLevel | None:
        """Return what a client asked for."""
        return self._levels.get(client)


def register_logging(server: Server[Any], levels: LogLevels) -> None:
    """Serve ``logging/setLevel``."""

    @shielded
    async def set_level(_ctx: object, params: wire.SetLevelRequestParams) -> wire.EmptyResult:
        levels.set(ASKER.get().client.key, params.level)
        return wire.EmptyResult()

    server.add_request_handler("logging/setLevel", wire.SetLevelRequestParams, set_level)


async def with_progress(ctx: RequestContext, work: Callable[[], Awaitable[T]]) -> T:
    """Return what *work* returns; meanwhile report progress to a client that asked for it."""
    loop = asyncio.get_running_loop()
    reporting: list[asyncio.Task[None]] = []
    # Most calls have ended by then, and cost no task.
    timer = loop.call_later(PROGRESS_SECONDS, lambda: reporting.append(loop.create_task(_report(ctx, loop.time()))))
    try:
        return await work()
    finally:
        timer.cancel()
        if reporting:
            reporting[0].cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait(reporting)  # the answer comes behind what is told of it


async def tell_outcome(ctx: RequestContext, tool: str, outcome: str, levels: LogLevels) -> None:
    """Say how a call ended to a client that wants to be told."""
    level = _LEVEL_OF.get(outcome, "warning")
    asked = asked_level(ctx) if is_modern(ctx) else levels.of(ASKER.get().client.key)
    if asked in LEVELS and LEVELS.index(level) >= LEVELS.index(asked):
        await send_log(ctx, level, {"tool": tool, "outcome": outcome})


async def _report(ctx: RequestContext, now: float) -> None:
    """Report, from PROGRESS_SECONDS behind the start on, until cancelled or until nobody listens."""
    started = now - PROGRESS_SECONDS
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while True:
            seconds = round(asyncio.get_running_loop().time() - started, 1)
            await ctx.session.report_progress(seconds, None, f"Still searching after {seconds:.0f} s.")
            await asyncio.sleep(PROGRESS_SECONDS)
