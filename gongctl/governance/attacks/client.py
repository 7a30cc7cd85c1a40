"""A client of the real server, over pipes: one process is one session."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final

from gongmcp.errors import Exit, StartupRefusal

_INITIALIZE: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "gongctl redteam", "version": "0"},
}


class StdioClient:
    """Speaks JSON-RPC lines to a server process. A context: the process ends with it; ``stderr`` is there then."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start *command* and shake hands.

        Raises:
            StartupRefusal: the server did not start; its own words are the message.
        """
        self.stderr = ""
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._noise, env=dict(environment)
        )
        self._number = 0
        try:
            self.instructions = str(self.request("initialize", _INITIALIZE).get("instructions", ""))
        except (EOFError, BrokenPipeError):
            self.close()
            said = self.stderr.strip().splitlines() or ["The server did not start."]
            raise StartupRefusal(
                said[0].removeprefix("gongmcp: "), "Start gongmcp by hand to see.", Exit.FAILED
            ) from None
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> StdioClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, wait for the end, and keep what was on standard error."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._noise.seek(0)
        self.stderr = self._noise.read().decode("utf-8", "replace")
        self._noise.close()

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a request; a protocol error comes as ``{"error": ...}``.

        Raises:
            EOFError: the server has gone.
        """
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number:
                return dict(message["result"]) if "result" in message else {"error": message["error"]}
        raise EOFError

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a call of a tool."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message, ensure_ascii=True).encode() + b"\n")
        self._process.stdin.flush()
