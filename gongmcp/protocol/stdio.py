"""MCP over standard input and output: one client, from its first line to the end of its input.

Nothing but the protocol reaches the client's end of standard output, whatever a library or a child
process prints; lines end in one newline and are UTF-8 whatever the locale says. Importing this
module loads nothing of the SDK.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import queue
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

from gongmcp.errors import Exit
from gongmcp.protocol.lines import SWITCH_SECONDS, BadLine, decode, error_line, split_lines
from gongmcp.render.wire import json_bytes

if TYPE_CHECKING:
    from gongmcp.protocol.ports import Handler
    from gongmcp.protocol.sdk import McpServer, SessionMessage

DRAIN_SECONDS = 4.0
"""How long calls that run at the end of input may still take; then they are interrupted."""

EXIT_SECONDS = 0.75
"""How long leaving may take once nothing is waited for; then the process ends as it is."""

UNSETTLED_LIMIT = 256
"""Requests without an answer written, beyond which no further line is read."""

_PIECE = 2**16

log = logging.getLogger("gongmcp")


def serve_stdio(
    get_handler: Callable[[], Handler], reload: Callable[[], bool] | None = None, *, name: str = "gongmcp"
) -> int:
    """Serve the handler until the client leaves or a signal comes; returns the exit code.

    *reload* runs at SIGHUP and returns whether the client's lists may be others now. *name* is the server's.

    It is 0 for either, and 1 only when the SDK's loop itself broke. From here on standard output is the
    protocol's alone, until the process ends. A call that does not stop when it is interrupted does not
    keep the process: it ends ``EXIT_SECONDS`` later without returning from here.
    """
    leaving = _Leaving()
    pipes = _claim()
    if pipes is None:
        log.warning("standard output is closed: nobody to serve")
        return int(Exit.OK)
    server = _load(get_handler, name)
    sys.setswitchinterval(SWITCH_SECONDS)
    return int(asyncio.run(_Connection(server, pipes, reload).serve(leaving)))


def _load(get_handler: Callable[[], Handler], name: str) -> McpServer:
    """Import the SDK and build the server. What is loaded stays for good: the collector never looks at it."""
    gc.disable()
    try:
        from gongmcp.protocol.server import create_mcp_server

        server = create_mcp_server(get_handler, name=name)
        gc.freeze()
    finally:
        gc.enable()
    return server


@dataclass(frozen=True, slots=True)
class _Pipes:
    """The client's ends, as file descriptors of our own above the standard ones."""

    source: int
    sink: int


def _claim() -> _Pipes | None:
    """Take standard input and output away from everyone else; None when there is no output.

    Standard input then reads empty and standard output is standard error, for this process and its
    children, at the level of file descriptors.
    """
    silent = sys.stdout is None
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        # A standard descriptor that was closed would be given to the next file opened.
        pass
    source, sink = os.dup(0), os.dup(1)
    os.dup2(spare, 0)
    os.dup2(2, 1)
    os.close(spare)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
    if sys.stdout is not None:
        # What was printed before and still waits in the buffer now goes to standard error.
        sys.stdout.flush()
    # Standard error never fails on a character that its encoding lacks; standard output would.
    sys.stdout = sys.stderr
    return None if silent else _Pipes(source, sink)


class _Leaving:
    """The end of the process: SIGINT and SIGTERM as a wish for it, and a limit on how long it takes."""

    def __init__(self) -> None:
        self._leave: Callable[[], object] | None = None
        self._timer: threading.Timer | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def attach(self, loop: asyncio.AbstractEventLoop, leave: Callable[[], object]) -> None:
        """Have *leave* called in *loop* at the first signal. Before this, and at the second, the process just ends."""
        # The system may give a signal to any thread, and Python handles it when the main one next runs:
        # the byte that it writes here wakes the loop.
        woken, wake = socket.socketpair()
        woken.setblocking(False)
        wake.setblocking(False)
        loop.add_reader(woken, woken.recv, 64)
        signal.set_wakeup_fd(wake.detach(), warn_on_full_buffer=False)
        self._leave = partial(loop.call_soon_threadsafe, leave)

    def hurry(self) -> None:
        """End the process ``EXIT_SECONDS`` from now, unless it is ``done`` by then."""
        if self._timer is None:
            self._timer = threading.Timer(EXIT_SECONDS, os._exit, (int(Exit.OK),))
            self._timer.daemon = True
            self._timer.start()

    def done(self) -> None:
        """Nothing runs any more that could hold up the end."""
        self._leave = None
        signal.set_wakeup_fd(-1)
        if self._timer is not None:
            self._timer.cancel()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        leave, self._leave = self._leave, None
        if leave is None:
            os._exit(Exit.OK)
        self.hurry()
        leave()


class _Connection:
    """One client: a thread that reads its lines, a thread that writes the answers, the SDK in between."""

    def __init__(self, server: McpServer, pipes: _Pipes, reload: Callable[[], bool] | None = None) -> None:
        self._server = server
        self._reload = reload
        self._reloads: set[asyncio.Task[None]] = set()
        self._pipes = pipes
        self._outbox = _Outbox(pipes.sink)
        self._unsettled = 0
        self._ended = False
        self._left = False

    async def serve(self, leaving: _Leaving) -> Exit:
        """Serve until the input ends, the client stops listening, or a signal comes."""
        import anyio

        from gongmcp.protocol.sdk import connect

        self._loop = asyncio.get_running_loop()
        self._change = asyncio.Event()
        self._to_sdk, from_client = anyio.create_memory_object_stream[Any](0)
        self._outbox.start(lambda: self._soon(self._leave))
        leaving.attach(self._loop, self._leave)
        if self._reload is not None:
            signal.signal(signal.SIGHUP, lambda *_: self._soon(self._begin_reload))
        serving = asyncio.create_task(connect(self._server, from_client, _Outlet(self)))
        serving.add_done_callback(lambda _task: self._leave())
        threading.Thread(target=self._read, name="gongmcp stdin", daemon=True).start()

        await self._until(lambda: self._ended or self._left)
        await self._drain()
        leaving.hurry()
        # The end of its input has the SDK cancel the calls that still run, which interrupts them.
        self._to_sdk.close()
        outcome = await _outcome(serving)
        await asyncio.to_thread(self._outbox.close)
        leaving.done()
        return outcome

    def _begin_reload(self) -> None:
        self._reloads.add(task := self._loop.create_task(self._reloaded()))
        task.add_done_callback(self._reloads.discard)

    async def _reloaded(self) -> None:
        assert self._reload is not None
        if await asyncio.to_thread(self._reload):
            await self._server.tell_changed()

    async def _drain(self) -> None:
        """After the end of input, give the calls that run time to be answered, while somebody listens."""
        patience = self._loop.time() + DRAIN_SECONDS

        def enough() -> bool:
            return self._left or not self._unsettled or self._loop.time() > patience or _hung_up(self._pipes.sink)

        await self._until(enough, look_every=0.1)

    async def _until(self, true: Callable[[], bool], look_every: float | None = None) -> None:
        """Wait until *true*, asked again at each change, and every *look_every* seconds."""
        while not true():
            waiting = asyncio.create_task(self._change.wait())
            await asyncio.wait([waiting], timeout=look_every)
            waiting.cancel()

    def _changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    def _soon(self, what: Callable[[], object]) -> None:
        """Have the event loop do *what*; for threads and signals."""
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:
            log.debug("the connection is over")

    def _leave(self) -> None:
        self._left = True
        self._changed()

    def _end(self) -> None:
        self._ended = True
        self._changed()

    def _settle(self) -> None:
        self._unsettled -= 1
        self._changed()

    def send(self, line: bytes, *, settles: bool) -> None:
        """Write *line* to the client when its turn comes; *settles* tells that it answers a request."""
        self._outbox.put(line, (lambda: self._soon(self._settle)) if settles else None)

    def _read(self) -> None:
        for line in split_lines(partial(_read_piece, self._pipes.source)):
            try:
                message = decode(line)
            except BadLine as bad:
                self.send(bad.reply(), settles=False)
                continue
            if message is not None and not self._hand_over(message):
                return
        self._soon(self._end)

    def _hand_over(self, message: dict[str, Any]) -> bool:
        """Give *message* to the event loop and wait until the SDK has it; False when it takes no more."""
        delivery = self._deliver(message)
        try:
            return asyncio.run_coroutine_threadsafe(delivery, self._loop).result()
        except RuntimeError:  # The loop is closed.
            delivery.close()
        except futures.CancelledError:
            log.debug("a line came while leaving")
        return False

    async def _deliver(self, message: dict[str, Any]) -> bool:
        from anyio import BrokenResourceError, ClosedResourceError

        from gongmcp.protocol.sdk import incoming

        async def on_unanswered() -> None:
            self._settle()

        if "id" in message:
            await self._until(lambda: self._unsettled < UNSETTLED_LIMIT)
            self._unsettled += 1
        try:
            await self._to_sdk.send(incoming(message, on_unanswered))
        except (BrokenResourceError, ClosedResourceError):
            return False
        return True


async def _outcome(serving: asyncio.Task[None]) -> Exit:
    """Wait for the SDK's loop to end, and tell whether it broke."""
    from gongmcp.protocol.faults import internal_error

    try:
        await serving
    except Exception as error:  # noqa: BLE001 - logged; the exit code tells
        internal_error(error)
        return Exit.FAILED
    return Exit.OK


class _Outlet:
    """The SDK's messages on their way to the client; see ``sdk.Outlet``."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def send(self, item: SessionMessage, /) -> None:
        """Take one message; it is written later, in order."""
        from gongmcp.protocol.sdk import wire_form

        message, settles = wire_form(item)
        try:
            line = json_bytes(message)
        except ValueError as error:
            from gongmcp.protocol.faults import internal_error

            fault = internal_error(error)
            line = error_line(message.get("id"), fault.code, fault.message, fault.data)
        self._connection.send(line, settles=settles)

    async def aclose(self) -> None:
        """The connection closes the pipe itself, when all is written."""

    async def __aenter__(self) -> _Outlet:
        return self

    async def __aexit__(self, *_exc_info: object) -> None:
        await self.aclose()


class _Outbox:
    """Writes whole lines in a thread of its own, so that a client that does not read holds up nobody else."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._lines: queue.SimpleQueue[tuple[bytes, Callable[[], None] | None] | None] = queue.SimpleQueue()
        self._gone = False

    def start(self, on_gone: Callable[[], None]) -> None:
        """Start writing; *on_gone* is called once, when the client has closed its end."""
        self._on_gone = on_gone
        self._thread = threading.Thread(target=self._run, name="gongmcp stdout", daemon=True)
        self._thread.start()

    def put(self, line: bytes, then: Callable[[], None] | None) -> None:
        """Write *line* and its end, then call *then*, also when nobody was there to read it."""
        self._lines.put((line, then))

    def close(self) -> None:
        """Wait until all that was put is written."""
        self._lines.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (entry := self._lines.get()) is not None:
            line, then = entry
            if not self._gone:
                try:
                    _write_all(self._sink, line + b"\n")
                except OSError:
                    self._gone = True
                    self._on_gone()
            if then is not None:
                then()


def _read_piece(fd: int) -> bytes:
    while True:
        try:
            return os.read(fd, _PIECE)
        except BlockingIOError:
            # Some parents share a non-blocking pipe.
            select.select([fd], [], [])
        except OSError:
            # A terminal or a socket that broke: there is no more input.
            return b""


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [])


def _hung_up(fd: int) -> bool:
    """Whether the reader of a pipe is gone; where the system cannot tell, it counts as there."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(fd, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
