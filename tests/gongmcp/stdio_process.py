"""A server process at the end of two pipes, spoken to line by line."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

ROOT = Path(__file__).parents[2]
FAKE = [sys.executable, str(Path(__file__).with_name("fake_handler.py"))]
PATIENCE = 60.0
"""Seconds until a test gives up; no test measures time."""

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
}


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a server: this tree on the path, buffered output as by default."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | dict(changes or {})


def request(number: int | str, method: str, params: dict[str, Any] | None = None) -> bytes:
    """Return a request as a line."""
    body = {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})
    return json.dumps(body, ensure_ascii=False).encode() + b"\n"


class Output:
    """Lines of a pipe, read only when they are asked for."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.lines: list[bytes] = []
        self._stream = stream
        self._rest = b""

    def next(self) -> bytes:
        """Return the next line; raises ``EOFError`` at the end."""
        while b"\n" not in self._rest:
            if not (piece := self._piece()):
                raise EOFError(self._rest)
            self._rest += piece
        line, end, self._rest = self._rest.partition(b"\n")
        self.lines.append(line + end)
        return line + end

    def all(self) -> bytes:
        """Return all of it, from its beginning to its end."""
        while piece := self._piece():
            self._rest += piece
        return b"".join(self.lines) + self._rest

    def close(self) -> None:
        """Stop listening."""
        self._stream.close()

    def _piece(self) -> bytes:
        ready, _, _ = select.select([self._stream], [], [], PATIENCE)
        assert ready, "nothing came"
        return os.read(self._stream.fileno(), 2**16)


class Noise:
    """Lines of a pipe, read in a thread, so that whoever writes them is never held up."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._lines: list[bytes] = []
        self._new: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._lines.append(line)
            self._new.put(line)
        self._new.put(None)

    def event(self, name: str) -> None:
        """Wait until the fake handler tells of *name*; raises ``EOFError`` when it never does."""
        while (line := self._new.get(timeout=PATIENCE)) != f"event {name}\n".encode():
            if line is None:
                raise EOFError(b"".join(self._lines).decode(errors="replace"))

    def all(self) -> str:
        """Return everything, when the pipe has ended."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return b"".join(self._lines).decode()


class Server:
    """A server process; as a context it is killed at the end if it is still there."""

    def __init__(
        self,
        *arguments: str,
        command: Sequence[str] = FAKE,
        env: Mapping[str, str] | None = None,
        modern: bool = False,
    ) -> None:
        self.modern = modern
        self.process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(env),
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin = self.process.stdin
        self.out = Output(self.process.stdout)
        self.err = Noise(self.process.stderr)
        if not modern:
            self.send(request(0, "initialize", INITIALIZE))
            self.greeting = self.answer(0)
            self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def request(self, number: int | str, method: str, params: dict[str, Any] | None = None) -> bytes:
        """Return a request as a line, in the era of this connection."""
        return request(number, method, (params or {}) | ({"_meta": ENVELOPE} if self.modern else {}))

    def call(self, number: int | str, tool: str, **arguments: Any) -> bytes:
        """Return a tool call as a line."""
        return self.request(number, "tools/call", {"name": tool, "arguments": arguments})

    def send(self, *lines: bytes) -> None:
        """Write lines as they are."""
        self.stdin.write(b"".join(lines))
        self.stdin.flush()

    def message(self) -> dict[str, Any]:
        """Return the next message."""
        message = json.loads(self.out.next())
        assert isinstance(message, dict)
        return message

    def answer(self, number: int | str | None) -> dict[str, Any]:
        """Return the next message, which must answer request *number*."""
        message = self.message()
        assert message["id"] == number, message
        return message

    def event(self, name: str) -> None:
        """Wait until the fake handler tells of *name*."""
        self.err.event(name)

    def hang_up(self) -> None:
        """Close the server's input."""
        self.stdin.close()

    def end(self) -> tuple[int, str]:
        """Wait for the end; returns the exit code and what was on standard error."""
        code = self.process.wait(PATIENCE)
        return code, self.err.all()
