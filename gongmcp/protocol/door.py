"""How async code asks the handler, whose methods block."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import TypeVar

from anyio import CancelScope

from gongmcp.cancel import Cancel
from gongmcp.protocol.ports import Handler

CALLS_AT_ONCE = 4
"""Calls that read the cache at the same time; further ones wait their turn."""

BRIEF_AT_ONCE = 1
"""Of them, those that have just begun. The interpreter runs one thread at a time: two would take it from each other,
and both would be answered later, at a third more of processor time."""

BRIEF_SECONDS = 0.1
"""How long a call counts as one that has just begun: a long one does not keep short ones waiting."""

T = TypeVar("T")


class Door:
    """Asks the handler from async code: off the event loop, and interrupted when the asker is cancelled."""

    def __init__(self, get_handler: Callable[[], Handler]) -> None:
        self._get_handler = get_handler
        self._resolving = threading.Lock()
        self._brief = asyncio.Semaphore(BRIEF_AT_ONCE)
        self._calls = ThreadPoolExecutor(CALLS_AT_ONCE, "gongmcp call")
        # Apart from the calls, so that four long ones do not keep a client from listing or greeting.
        self._questions = ThreadPoolExecutor(CALLS_AT_ONCE, "gongmcp question")

    async def ask(self, question: Callable[[Handler], T]) -> T:
        """Return the answer to a short question that runs no tool (lists, instructions)."""
        return await asyncio.wrap_future(self._begun(self._questions, lambda: question(self._handler())))

    async def call(self, work: Callable[[Handler, Cancel], T]) -> T:
        """Return what *work* returns, which may take long: it is interrupted when this call is cancelled.

        A cancelled call keeps its place among the calls at once until its thread is really done.
        """
        cancel = Cancel()
        async with self._just_begun():
            running = self._begun(self._calls, lambda: work(self._handler(), cancel))
            try:
                return await asyncio.wrap_future(running)
            except asyncio.CancelledError:
                cancel.cancel()
                if not running.done():  # one that still waited for a thread is not begun any more
                    with CancelScope(shield=True):
                        await _settled(running)
                raise

    @asynccontextmanager
    async def _just_begun(self) -> AsyncIterator[None]:
        """Wait for a place among those that have just begun; it is given back after ``BRIEF_SECONDS`` at the latest."""
        await self._brief.acquire()
        has_place = True

        def give_back() -> None:
            nonlocal has_place
            if has_place:
                has_place = False
                self._brief.release()

        timer = asyncio.get_running_loop().call_later(BRIEF_SECONDS, give_back)
        try:
            yield
        finally:
            timer.cancel()
            give_back()

    @staticmethod
    def _begun(pool: ThreadPoolExecutor, work: Callable[[], T]) -> Future[T]:
        """Have *work* done by a thread, in the context of whoever asks."""
        return pool.submit(copy_context().run, work)

    def _handler(self) -> Handler:
        with self._resolving:
            return self._get_handler()


async def _settled(running: Future[T]) -> None:
    """Wait until *running* has ended, in whatever way."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    running.add_done_callback(lambda _: loop.call_soon_threadsafe(ended.set))
    await ended.wait()
