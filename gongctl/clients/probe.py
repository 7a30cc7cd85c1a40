"""Starting the very command line that a client would start, and asking it what it offers.

The process gets what a client gives it: an environment without this shell's settings, and another folder. So a
relative path, or a setting that only this shell has, is found here and not by the first user.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.render.size import ESTIMATOR, estimate_tokens

SECONDS: Final = 30.0
"""How long the server has for each answer; clients give up at thirty to sixty seconds."""
_PROTOCOL: Final = "2025-11-25"
_INHERITED: Final = (
    *("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "USER"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE"),
)
"""What clients hand on: the SDKs' own lists, for both kinds of systems."""
_MAX_LINE: Final = 32 << 20
_SAID_CHARS: Final = 300
_MAX_PAGES: Final = 1_000
_COUNTED: Final = ("name", "description", "inputSchema")


@dataclass(frozen=True, slots=True)
class Probe:
    """What the server said: its *name*, *version* and *protocol*, its *tools* in order, what their definitions cost
    a model (*tokens*, as *estimator* counts), and the seconds from its start to the list."""

    name: str
    version: str
    protocol: str
    tools: tuple[str, ...]
    tokens: int
    seconds: float
    estimator: str = ESTIMATOR


def probe(
    command_line: Sequence[str], environment: Mapping[str, str] | None = None, *, seconds: float = SECONDS
) -> Probe:
    """Start *command_line* with the client's *environment*, list its tools and end it.

    Raises:
        StartupRefusal: it cannot be started, ends, says nothing in time, or is no MCP server.
    """
    begun = time.monotonic()
    with _started(command_line, environment or {}, seconds) as server:
        hello = server.ask(
            "initialize",
            {
                "protocolVersion": _PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "gongctl-verify", "version": "1"},
            },
        )
        server.tell("notifications/initialized")
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = server.ask("tools/list", {"cursor": cursor} if cursor else {})
            listed = page.get("tools")
            tools += [tool for tool in (listed if isinstance(listed, list) else ()) if isinstance(tool, dict)]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        else:
            raise _failed(f"its list of tools has more than {_MAX_PAGES} pages")
    info = hello.get("serverInfo")
    said = info if isinstance(info, dict) else {}
    return Probe(
        str(said.get("name", "")),
        str(said.get("version", "")),
        str(hello.get("protocolVersion", "")),
        tuple(str(tool.get("name", "")) for tool in tools),
        sum(estimate_tokens(json.dumps({k: tool.get(k) for k in _COUNTED}, ensure_ascii=False)) for tool in tools),
        time.monotonic() - begun,
    )


@contextmanager
def _started(command_line: Sequence[str], environment: Mapping[str, str], seconds: float) -> Iterator[_Server]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        process = subprocess.Popen(
            list(command_line),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=inherited | dict(environment),
            cwd=Path.home(),
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no command line"
        raise _failed(f"it cannot be started ({reason})") from error
    server = _Server(process, seconds)
    try:
        yield server
    finally:
        server.end()


class _Server:
    """A process that speaks lines of JSON-RPC."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._number = 0
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors: list[bytes] = []
        assert process.stdout is not None  # both were asked for as pipes
        assert process.stderr is not None
        self._threads = [
            threading.Thread(target=_read_lines, args=(process.stdout, self._lines), daemon=True),
            threading.Thread(target=_keep_end, args=(process.stderr, self._errors), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        until = time.monotonic() + self._seconds
        while True:
            try:
                line = self._lines.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                raise _failed(f"it does not answer {method} within {self._seconds:g} seconds") from None
            if line is None:
                raise self._ended()
            message = self._message(line)
            if message.get("id") != self._number or "method" in message:
                continue  # a notification
            result = message.get("result")
            if not isinstance(result, dict):
                error = message.get("error")
                said = error.get("message") if isinstance(error, dict) else ""
                raise _failed(f"it refuses {method}: {str(said)[:_SAID_CHARS]}")
            return result

    def tell(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def end(self) -> None:
        """End the process as clients do: close its input, wait, and insist."""
        with suppress(OSError):
            assert self._process.stdin is not None  # asked for as a pipe
            self._process.stdin.close()
        for insist in (None, self._process.terminate, self._process.kill):
            if insist is not None:
                insist()
            try:
                self._process.wait(timeout=5)
                break
            except subprocess.TimeoutExpired:
                continue
        for thread in self._threads:
            thread.join(timeout=1)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # asked for as a pipe
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    @staticmethod
    def _message(line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise _failed("it writes something else than the protocol to its standard output")
        return message

    def _ended(self) -> StartupRefusal:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        self._threads[1].join(timeout=1)
        said = b"".join(self._errors).decode("utf-8", "replace").strip()
        last = said.rsplit("\n", 3)[-3:]
        why = f": {' / '.join(last)[:_SAID_CHARS]}" if said else ""
        return _failed(f"it ended with code {self._process.poll()}{why}")


def _read_lines(stream: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    while line := stream.readline(_MAX_LINE):
        lines.put(line)
    lines.put(None)


def _keep_end(stream: IO[bytes], kept: list[bytes]) -> None:
    while line := stream.readline(4096):
        kept.append(line)
        del kept[:-20]


def _failed(problem: str) -> StartupRefusal:
    return StartupRefusal(
        f"The server does not work as the client would start it: {problem}.",
        "Run the command line yourself to see it; docs/clients.md says what clients hand on.",
        Exit.FAILED,
    )
