"""The server as a client starts it: a process at the end of two pipes.

A start costs most of a second, so what can share a process does; such a test leaves no call running.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from mcp import Client, StdioServerParameters

from gongmcp.protocol.stdio import EXIT_SECONDS
from gongmcp.render.wire import result_bytes
from tests.gongmcp.fake_handler import SENTENCE, FakeHandler
from tests.gongmcp.stdio_process import (
    ENVELOPE,
    FAKE,
    INITIALIZE,
    Noise,
    Server,
    environment,
    request,
)


@pytest.fixture(scope="module", params=["handshake", "modern"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A running server in each era of the protocol. At its end it waits for nothing: all has been settled."""
    with Server("drain=3600", modern=request.param == "modern") as running:
        yield running
        running.hang_up()
        assert running.end()[0] == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_client_gets_what_the_handler_answers(mode: Literal["legacy", "auto"]) -> None:
    handler = FakeHandler()
    parameters = StdioServerParameters(command=FAKE[0], args=FAKE[1:], env=environment())
    async with Client(parameters, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in handler.tools()]
        assert client.instructions == handler.instructions()
        for tool in ("search", "values", "refuse"):
            answer = handler.answer(tool, None, cancel=None)  # type: ignore[arg-type]
            result = await client.call_tool(tool, {})
            assert [block.text for block in result.content if block.type == "text"] == [answer.text]
            assert (result.structured_content, result.is_error) == (answer.structured, answer.is_error)


@pytest.mark.parametrize("tool", ["search", "values", "refuse"])
def test_the_bytes_of_a_result_are_on_the_wire_as_they_are(server: Server, tool: str) -> None:
    server.send(server.call("bytes", tool))
    line = server.out.next()
    answer = FakeHandler().answer(tool, None, cancel=None)  # type: ignore[arg-type]
    assert line.startswith(b'{"jsonrpc":"2.0","id":"bytes","result":' + result_bytes(answer)[:-1])
    assert line.endswith(b"}}\n")


def test_bad_lines_are_answered_and_survived(server: Server) -> None:
    long = "x" * (4 * 2**20)
    for line, code, number in (
        (b"{not json\n", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}\n', -32700, 1),
        (b"[" + request(2, "ping").strip() + b"]\n", -32600, None),
        (b'{"jsonrpc":"1.0","id":3,"method":"ping"}\n', -32600, 3),
        (server.call(4, "search", query=long), -32600, 4),
        (b"y" * (5 * 2**20) + b"\n", -32600, None),
        (server.request(5, "tools/call", {"name": "search", "arguments": []}), -32602, 5),
        (server.request(6, "tools/call", {}), -32602, 6),
        (server.request(7, "no/such/method"), -32601, 7),
        (server.call(8, "no_such_tool"), -32602, 8),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":10,"method":"a\\udfff"}\n', -32600, 10),
    ):
        server.send(b"\n \r\n", line)
        answer = server.answer(number)
        assert answer["error"]["code"] == code, answer
    # Large, but within the limit.
    server.send(server.call(9, "search", query=long[:-1000]))
    assert server.answer(9)["result"]["structuredContent"]["value"] == []


def test_a_request_in_the_other_era_is_refused(server: Server) -> None:
    if server.modern:
        server.send(request("era", "initialize", INITIALIZE))
        assert server.answer("era")["error"]["code"] == -32022
    else:
        server.send(request("era", "tools/list", {"_meta": ENVELOPE}))
        assert server.answer("era")["error"]["code"] == -32600


def test_a_cancelled_call_is_interrupted_and_never_answered(server: Server) -> None:
    server.send(server.call("cancelled", "query"))
    server.event("query started")
    server.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"cancelled"}}\n')
    server.event("query interrupted")
    server.send(server.call("next", "search"))
    server.answer("next")


def test_four_calls_run_at_once_and_nothing_else_waits_for_them(server: Server) -> None:
    server.send(*(server.call(number, "hold") for number in range(1, 7)))
    for _ in range(4):
        server.event("hold started")
    server.send(server.request("now", "tools/list") if server.modern else request("now", "ping"))
    server.answer("now")
    server.process.send_signal(signal.SIGUSR1)
    assert sorted(server.message()["id"] for _ in range(6)) == [1, 2, 3, 4, 5, 6]
    server.send(server.call("log", "log"))
    assert server.answer("log")["result"]["structuredContent"]["value"][-1] == "peak 4"


def test_nothing_but_utf8_protocol_is_on_standard_output_whatever_is_printed_and_whatever_the_locale() -> None:
    command = [sys.executable, "-W", "always", "-X", "dev", *FAKE[1:]]
    with Server(command=command, env={"PYTHONIOENCODING": "cp932", "LC_ALL": "C", "PYTHONUTF8": "0"}) as server:
        server.send(server.call(1, "noise"), server.call(2, "search", query=SENTENCE), server.call(3, "noise"))
        server.hang_up()
        code, noise = server.end()
        *lines, rest = server.out.all().split(b"\n")
    assert (code, rest) == (0, b"")
    messages = [json.loads(line) for line in lines]
    assert sorted(message["id"] for message in messages) == [0, 1, 2, 3]
    (found,) = (line for line in lines if json.loads(line)["id"] == 2)
    assert json.loads(found)["result"]["structuredContent"]["value"] == [SENTENCE]
    assert SENTENCE.encode() in found
    assert b"\r" not in b"".join(lines)
    for source in ("print \\U0001f642", "original stdout", "descriptor 1", "child read ''", "warning", "logging"):
        assert noise.count(f"noise: {source}\n") >= 2, source
    assert "Traceback" not in noise


def test_all_that_was_asked_before_the_end_of_input_is_answered() -> None:
    with Server("drain=3600") as server:
        server.send(server.call("hold", "hold"))
        server.event("hold started")
        server.send(*(server.call(number, "values") for number in range(1, 30)))
        # An id used twice, and a last line without its end.
        server.send(server.call(7, "search"), server.request("last", "tools/list").strip())
        server.hang_up()
        time.sleep(2 * EXIT_SECONDS)  # for a server that does not wait to be gone
        server.process.send_signal(signal.SIGUSR1)
        messages = [json.loads(line) for line in server.out.all().splitlines()]
        assert server.end()[0] == 0
    assert sorted(str(message["id"]) for message in messages) == sorted([*map(str, range(30)), "7", "hold", "last"])
    assert all("result" in message for message in messages)


def test_empty_input_ends_it_and_nothing_printed_before_reached_the_client() -> None:
    early = f"import runpy, sys; print('early'); sys.argv = ['x']; runpy.run_path({FAKE[1]!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", early], stdin=subprocess.DEVNULL, capture_output=True, env=environment(), check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"early\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_descriptor_ends_it_without_a_traceback(closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", " ".join([*FAKE, closed])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


def test_calls_that_run_on_after_the_end_of_input_are_interrupted() -> None:
    with Server("drain=0.05") as server:
        server.send(server.call(1, "stuck"), server.call(2, "query"))
        server.event("query started")
        server.hang_up()
        code, noise = server.end()
    assert code == 0
    assert "event query interrupted" in noise
    assert "Traceback" not in noise


def test_a_client_that_no_longer_listens_ends_it() -> None:
    with Server() as server:
        server.send(server.call(1, "query"))
        server.event("query started")
        server.out.close()
        server.send(request(2, "ping"))
        code, noise = server.end()
    assert code == 0
    assert "event query interrupted" in noise
    assert "Traceback" not in noise


def test_of_a_client_that_does_not_read_no_more_is_read_and_nothing_is_lost() -> None:
    ping = request("ping", "ping", {"_meta": {"padding": "x" * 2000}})
    sent = 0
    with Server() as server:
        # Until the pipe stays full. A line goes in whole or not at all: it is shorter than what a pipe takes at once.
        while select.select([], [server.stdin], [], 1)[1]:
            sent += os.write(server.stdin.fileno(), ping) // len(ping)
            assert sent < 10_000
        server.hang_up()
        assert server.out.all().count(b'"id":"ping"') == sent
        assert server.end() == (0, "")


def test_a_parent_that_is_killed_takes_the_server_with_it(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_bytes(request(0, "initialize", INITIALIZE) + request(1, "tools/call", {"name": "query"}))
    parent = """if True:
        import subprocess, sys, time
        shell = ["/bin/sh", "-c", '"$@"; echo "exit code $?" >&2', "sh", *sys.argv[2:]]
        server = subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdin.write(open(sys.argv[1], "rb").read())
        server.stdin.flush()
        time.sleep(3600)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", parent, str(lines), *FAKE, "drain=3600"],
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    assert process.stderr is not None
    noise = Noise(process.stderr)
    try:
        noise.event("query started")
        process.kill()
        process.wait()
        # The pipe ends when everyone who holds it is gone.
        assert noise.all().endswith("event query interrupted\nexit code 0\n")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("number", "tools"),
    [(signal.SIGINT, ()), (signal.SIGINT, ("stuck", "query")), (signal.SIGTERM, ("stuck", "query"))],
)
def test_a_signal_ends_it(number: signal.Signals, tools: tuple[str, ...]) -> None:
    # The system gives a signal to any thread that takes it; here that is never the main one, which handles it.
    with Server("elsewhere") if tools else Server() as server:
        server.send(*(server.call(place, tool) for place, tool in enumerate(tools)))
        for tool in tools[-1:]:
            server.event(f"{tool} started")
        server.process.send_signal(number)
        code, noise = server.end()
    assert code == 0
    assert "Traceback" not in noise
    assert ("event query interrupted" in noise) == bool(tools)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_its_start(number: signal.Signals) -> None:
    with Server("wait", modern=True) as server:
        server.event("starting")
        server.process.send_signal(number)
        assert server.end() == (0, "event starting\n")
