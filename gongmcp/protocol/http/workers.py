"""Several processes behind one socket: started, replaced when one dies, told of signals, waited for at the end."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

from gongmcp.errors import Exit

SHORTEST_LIFE: Final = 5.0
"""A worker that lives shorter failed at its start: it is not replaced at once, and not for ever."""

FAILED_STARTS: Final = 5

log = logging.getLogger("gongmcp")


def supervise(count: int, work: Callable[[], int]) -> int:
    """Run *work* in *count* processes until SIGTERM or SIGINT; SIGHUP is passed on. Returns the exit code."""
    return _Supervisor(count, work).run()


class _Supervisor:
    def __init__(self, count: int, work: Callable[[], int]) -> None:
        self._count = count
        self._work = work
        self._born: dict[int, float] = {}
        self._leaving = False
        self._failed = 0

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        for _ in range(self._count):
            self._start()
        while self._born:
            try:
                ended, status = os.wait()
            except InterruptedError:
                continue
            except ChildProcessError:
                break
            born = self._born.pop(ended, None)
            if born is not None and not self._leaving:
                self._replace(born, os.waitstatus_to_exitcode(status))
        return int(Exit.FAILED if self._failed >= FAILED_STARTS else Exit.OK)

    def _replace(self, born: float, code: int) -> None:
        log.error("a worker ended with %d", code)
        if time.monotonic() - born < SHORTEST_LIFE:
            self._failed += 1
            time.sleep(min(self._failed, 5) * 0.2)
        else:
            self._failed = 0
        if self._failed >= FAILED_STARTS:
            log.error("workers do not live: the server ends")
            self._tell(signal.SIGTERM)
            self._leaving = True
        elif not self._leaving:
            self._start()

    def _start(self) -> None:
        sys.stderr.flush()
        parent = os.getpid()
        child = os.fork()
        if child:
            self._born[child] = time.monotonic()
            return
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if os.getppid() != parent:  # it was left alone before it began
            raise SystemExit(int(Exit.FAILED))
        # Ends as a process does: what is open is flushed on the way.
        raise SystemExit(self._work())

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGHUP:
            self._leaving = True
        self._tell(signal.SIGHUP if number == signal.SIGHUP else signal.SIGTERM)

    def _tell(self, number: int) -> None:
        for child in list(self._born):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
