"""How async code asks the handler, whose methods block."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from gongmcp.cancel import Cancel
from gongmcp.protocol.ports import Handler

CALLS_AT_ONCE = 4
"""Calls that read the cache at the same time; further ones wait their turn."""

T = TypeVar("T")


class Door:
    """Asks the handler from async code: off the event loop, and interrupted when the asker is cancelled."""

    def __init__(self, get_handler: Callable[[], Handler]) -> None:
        self._get_handler = get_handler
        self._resolving = threading.Lock()
        self._calls = CapacityLimiter(CALLS_AT_ONCE)
        # Apart from the calls, so that four long ones do not keep a client from listing or greeting.
        self._questions = CapacityLimiter(CALLS_AT_ONCE)

    async def ask(self, question: Callable[[Handler], T]) -> T:
        """Return the answer to a short question that runs no tool (lists, instructions)."""
        return await to_thread.run_sync(lambda: question(self._handler()), limiter=self._questions)

    async def call(self, work: Callable[[Handler, Cancel], T]) -> T:
        """Return what *work* returns, which may take long: it is interrupted when this call is cancelled.

        A cancelled call keeps its place among the calls at once until its thread is really done.
        """
        cancel = Cancel()
        done = False

        async def interrupt() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                if not done:
                    cancel.cancel()

        def run() -> T:
            return work(self._handler(), cancel)

        failure: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(interrupt)
            try:
                result = await to_thread.run_sync(run, limiter=self._calls)
            except Exception as error:  # noqa: BLE001 - raised below, outside the group that would wrap it
                failure = error
            done = True
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return result

    def _handler(self) -> Handler:
        with self._resolving:
            return self._get_handler()
