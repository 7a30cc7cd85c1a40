"""A small, deterministic handler for tests of the MCP side; run as a script, it serves over stdio.

``argv`` may hold ``drain=SECONDS`` (patience at the end of input), ``wait`` (stay in start-up until
a signal comes) and ``elsewhere`` (the threads of calls take the signals, the main one does not). What
happens is told on standard error, a line ``event …`` each.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from gongmcp.cancel import Cancel
from gongmcp.errors import ToolFault, UnknownPrompt, UnknownResource, UnknownTool
from gongmcp.render.answer import Answer
from gongmcp.render.offers import PromptArgument, PromptInfo, PromptText, ResourceBody, ResourceInfo

SENTENCE = "We met in Zürich 東京 🙂"
SECRET = "canary-of-the-fault"
STOPPING = {signal.SIGINT, signal.SIGTERM}
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@dataclass(frozen=True)
class FakeTool:
    """A tool as a handler lists it."""

    name: str
    description: str
    properties: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name for people."""
        return self.name.title()

    @property
    def input_schema(self) -> dict[str, Any]:
        """Schema of the arguments."""
        return {"type": "object", "properties": self.properties, "additionalProperties": False}

    @property
    def output_schema(self) -> dict[str, Any]:
        """Schema of every result here."""
        return {
            "type": "object",
            "properties": {"status": {"type": "string"}, "value": {}},
            "required": ["status", "value"],
        }


class FakeHandler:
    """Every tool here is one behaviour of a real one, or one that a real one must not have."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.running = 0
        self.peak = 0
        self.gate = threading.Event()
        self._noting = threading.Lock()
        self._tools: dict[str, tuple[FakeTool, Callable[[dict[str, Any], Cancel], Answer]]] = {}
        for tool, function in (
            (FakeTool("search", "Finds the sentence.", {"query": {"type": "string"}}), self._search),
            (FakeTool("values", "Numbers, nulls and signs in a fixed order."), self._values),
            (FakeTool("refuse", "Refuses every call."), self._refuse),
            (FakeTool("fault", "Raises an exception with a secret in it."), self._fault),
            (FakeTool("unwritable", "Returns what JSON has no form for."), self._unwritable),
            (FakeTool("malformed", "Returns what no tool may."), self._malformed),
            (FakeTool("noise", "Prints on every channel that a library may use."), self._noise),
            (FakeTool("query", "Runs an endless SQL query."), self._query),
            (FakeTool("hold", "Runs until the gate opens."), self._hold),
            (FakeTool("stuck", "Ignores its cancellation."), self._stuck),
            (FakeTool("log", "What happened so far."), self._log),
        ):
            self._tools[tool.name] = (tool, function)

    def tools(self) -> list[FakeTool]:
        """Return all of them, in the order of their definition."""
        return [tool for tool, _function in self._tools.values()]

    def instructions(self) -> str:
        """Return a text with signs outside ASCII."""
        return f"{len(self._tools)} tools of a fake. {SENTENCE}"

    def answer(self, name: str, arguments: dict[str, Any] | None, cancel: Cancel) -> Answer:
        """Run one of them."""
        if "elsewhere" in sys.argv:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        if name not in self._tools:
            raise UnknownTool(name)
        return self._tools[name][1](arguments or {}, cancel)

    def resources(self) -> list[ResourceInfo]:
        """Return one; a few more can be read."""
        return [ResourceInfo("gong://fake", "fake", "Fake", "A fake resource.")]

    def resource_templates(self) -> list[ResourceInfo]:
        """Return one."""
        return [ResourceInfo("gong://fakes/{id}", "fakes", "Fakes", "Fake resources.")]

    def read_resource(self, uri: str, cancel: Cancel) -> ResourceBody:
        """Each address is one behaviour of a real one, or one that a real one must not have."""
        match uri:
            case "gong://fake":
                return ResourceBody(uri, json.dumps({"value": SENTENCE}, ensure_ascii=False))
            case "gong://refuse":
                raise ToolFault("cache_not_ready", "No cache is open.")
            case "gong://fault":
                raise RuntimeError(SECRET + "\x1b[31m")
            case "gong://query":
                self._query({}, cancel)
            case "gong://hold":
                self._hold({}, cancel)
            case _:
                raise UnknownResource(uri)
        return ResourceBody(uri, "{}")

    def prompts(self) -> list[PromptInfo]:
        """Return one."""
        argument = PromptArgument("topic", "What about.", True)
        return [PromptInfo("fake_prompt", "Fake prompt", "A fake.", (argument,))]

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None) -> PromptText:
        """Return it with its argument, without which it is refused."""
        if name != "fake_prompt":
            raise UnknownPrompt(name)
        if not arguments:
            raise ToolFault("invalid_argument", "Missing required argument: topic.")
        return PromptText("A fake.", f"{SENTENCE} {arguments['topic']}")

    def complete_prompt(
        self, name: str, argument: str, prefix: str, *, given: Mapping[str, str] | None, cancel: Cancel
    ) -> list[str]:
        """Return what was asked."""
        if name != "fake_prompt":
            raise UnknownPrompt(name)
        return [argument, prefix, *(f"{key}={value}" for key, value in (given or {}).items())]

    def complete_template(self, uri: str, variable: str, prefix: str, *, cancel: Cancel) -> list[str]:
        """Return what was asked."""
        if uri != "gong://fakes/{id}":
            raise UnknownResource(uri)
        return [variable, prefix]

    def _malformed(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        return Answer(5, {"status": "ok", "value": SECRET})  # type: ignore[arg-type]

    def _note(self, event: str, running: int = 0) -> None:
        with self._noting:
            self.seen.append(event)
            self.running += running
            self.peak = max(self.peak, self.running)
            print(f"event {event}", file=sys.stderr, flush=True)

    def _search(self, arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        hits = [SENTENCE] if arguments.get("query", "") in SENTENCE else []
        return Answer("\n".join(hits) or "nothing", {"status": "ok", "value": hits})

    def _values(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        value = {"z": 1, "a": [0.1, 12345678901234567890, -3, True, None, ""], "line\u2028end": "a\x85b\u2029c\r\n\t"}
        return Answer("values\u2028on one line", {"status": "ok", "value": value})

    def _refuse(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        error = {"code": "refused_by_policy", "message": "Not today.", "hint": "Ask tomorrow."}
        return Answer("refused_by_policy: Not today. Ask tomorrow.", None, is_error=True, error=error)

    def _fault(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        raise RuntimeError(SECRET + "\x1b[31m")

    def _unwritable(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        return Answer("nan", {"status": "ok", "value": float("nan")})

    def _noise(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        print("noise: print 🙂")
        assert sys.__stdout__ is not None
        sys.__stdout__.write("noise: original stdout\n")
        sys.__stdout__.flush()
        os.write(1, b"noise: descriptor 1\n")
        child = "import sys; print('noise: child read', repr(sys.stdin.read()))"
        subprocess.run([sys.executable, "-S", "-c", child], check=True)
        warnings.warn("noise: warning", stacklevel=1)
        logging.getLogger("noisy").warning("noise: logging")
        return Answer("quiet", {"status": "ok", "value": None})

    def _query(self, _arguments: dict[str, Any], cancel: Cancel) -> Answer:
        steps = count()
        connection = sqlite3.connect(":memory:")
        # Endless for every purpose here, and yet it ends when nobody interrupts it.
        connection.set_progress_handler(lambda: cancel.cancelled or next(steps) > 200_000, 1000)
        unhook = cancel.on_cancel(connection.interrupt)
        self._note("query started", +1)
        try:
            connection.execute(ENDLESS).fetchone()
        except sqlite3.OperationalError:
            self._note("query interrupted" if cancel.cancelled else "query gave up", -1)
        finally:
            unhook()
            connection.close()
        return Answer("interrupted", {"status": "unavailable", "value": None})

    def _hold(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        self._note("hold started", +1)
        self.gate.wait(60)
        self._note("hold ended", -1)
        return Answer("held", {"status": "ok", "value": None})

    def _stuck(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        self._note("stuck started", +1)
        threading.Event().wait(3600)
        raise AssertionError

    def _log(self, _arguments: dict[str, Any], _cancel: Cancel) -> Answer:
        return Answer("log", {"status": "ok", "value": [*self.seen, f"peak {self.peak}"]})


def main() -> int:
    """Serve a ``FakeHandler`` over stdio."""
    from gongmcp.protocol import stdio

    handler = FakeHandler()
    # The gate opens from outside, since the calls that wait for it take all the places there are.
    signal.signal(signal.SIGUSR1, lambda *_: handler.gate.set())
    for argument in sys.argv[1:]:
        if argument.startswith("drain="):
            stdio.DRAIN_SECONDS = float(argument.removeprefix("drain="))
        elif argument == "elsewhere":
            signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        elif argument == "wait":
            stdio._load = wait
    return stdio.serve_stdio(lambda: handler)


def wait(get_handler: object, name: str) -> Any:
    """Stand for a slow start."""
    print("event starting", file=sys.stderr, flush=True)
    threading.Event().wait(3600)


if __name__ == "__main__":
    sys.exit(main())
