"""A server process that serves over HTTP, on a port of its own."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from tests.gongmcp.stdio_process import PATIENCE, environment

TOKEN = "b2ZmaWNpYWwtdGVzdC10b2tlbi0wMTIzNDU2Nzg5Cg"


def free_port() -> int:
    """Return a port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until somebody listens on *port*, or *process* ends."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("the server does not listen")


class HttpProcess:
    """``gongmcp --http 127.0.0.1:0`` with the given arguments; as a context it is ended by SIGTERM."""

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        rate: int | None = 1_000_000,
        module: Sequence[str] = (),
    ) -> None:
        command = [sys.executable, *(module or ("-m", "gongmcp"))]
        rates = [] if rate is None else ["--http-rate", str(rate)]
        self.process = subprocess.Popen(
            [*command, "--http", "127.0.0.1:0", *rates, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(env),
        )
        assert self.process.stderr is not None
        self._said: list[str] = []
        self._serving = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self.url = ""
        self._thread.start()
        assert self._serving.wait(PATIENCE), self.said
        assert self.url, self.said

    @property
    def said(self) -> str:
        """What was on standard error until now."""
        return "".join(self._said)

    def wait_for(self, words: str) -> None:
        """Wait until the server says *words* on standard error."""
        end = time.monotonic() + PATIENCE
        while words not in self.said:
            assert time.monotonic() < end, self.said
            time.sleep(0.01)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line.decode(errors="replace"))
            if match := re.search(r"serving (http://\S+)", self._said[-1]):
                self.url = match[1]
                self._serving.set()
        self._serving.set()

    def __enter__(self) -> HttpProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> int:
        """End it by SIGTERM and return its exit code."""
        self.process.terminate()
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._thread.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
