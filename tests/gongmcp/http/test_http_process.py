"""The real process: how it starts and ends, its workers, its reload, and what clients do that mean it no good."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from gongctl.tokens.book import Wanted, mint
from tests.gongmcp.http.door import ACCEPT, answer_of, call, token_file
from tests.gongmcp.http.http_process import TOKEN, HttpProcess
from tests.gongmcp.stdio_process import PATIENCE, Server, environment

BEARER = {**ACCEPT, "authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_cache: Path) -> Path:
    made = tmp_path_factory.mktemp("served")
    shutil.copy(sample_cache, made / "cache.db")
    token_file(made)
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpProcess]:
    with HttpProcess(*flags(folder)) as running:
        yield running


def flags(folder: Path, *more: str) -> list[str]:
    return [
        "--db",
        str(folder / "cache.db"),
        "--bearer-token-file",
        str(folder / "token"),
        "--tool-preset",
        "all",
        *more,
    ]


def ask(url: str, message: dict[str, Any] | None = None, **headers: str) -> httpx2.Response:
    return httpx2.post(url, json=message or call("get_sync_status"), headers={**BEARER, **headers}, timeout=60)


def test_a_port_that_is_taken_is_said_in_one_sentence(server: HttpProcess, folder: Path) -> None:
    address = server.url.removeprefix("http://").removesuffix("/mcp")
    done = subprocess.run(
        [sys.executable, "-m", "gongmcp", *flags(folder), "--http", address],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert f"cannot listen on {address}: address already in use." in done.stderr
    assert "Traceback" not in done.stderr


def test_sigterm_lets_a_running_request_end_and_exits_with_0(folder: Path) -> None:
    with HttpProcess(*flags(folder)) as server:
        host, port = server.url.removeprefix("http://").removesuffix("/mcp").split(":")
        body = json.dumps(call("get_sync_status")).encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in BEARER.items())
        with socket.create_connection((host, int(port)), PATIENCE) as half:
            half.sendall(
                f"POST /mcp HTTP/1.1\r\nhost: {host}:{port}\r\n{head}content-length: {len(body)}\r\n\r\n".encode()
            )
            half.sendall(body[:5])
            assert ask(server.url).status_code == 200  # the half request is known by now
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            half.sendall(body[5:])
            received = b""
            while piece := half.recv(65536):
                received += piece
        assert b" 200 OK\r\n" in received
        assert b'"structuredContent"' in received
        assert server.end() == 0
        assert "Traceback" not in server.said


def test_sighup_tightens_a_running_server_on_both_transports(folder: Path) -> None:
    config = folder / "settings.toml"
    config.write_text("[policy]\nswitches = []\n")
    titles = call("search_calls", include_call_titles=True, limit=1)
    with HttpProcess(*flags(folder, "--config", str(config))) as server:
        assert "title" in str(answer_of(ask(server.url, titles))["result"]["structuredContent"]["results"])
        config.write_text('[policy]\nswitches = ["hide_call_titles"]\n')
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("the policy is tighter now")
        assert "title" not in str(
            answer_of(ask(server.url, titles)).get("result", {}).get("structuredContent", {}).get("results")
        )
    config.write_text("[policy]\nswitches = []\n")
    command = [sys.executable, "-m", "gongmcp", "--db", str(folder / "cache.db"), "--config", str(config)]
    with Server(command=command) as pipe:
        assert pipe.greeting["result"]["capabilities"]["tools"]["listChanged"] is True
        config.write_text('[policy]\nswitches = ["hide_call_titles"]\n')
        pipe.process.send_signal(signal.SIGHUP)
        told = {pipe.message()["method"] for _ in range(3)}
        assert told == {f"notifications/{name}/list_changed" for name in ("tools", "resources", "prompts")}


def test_workers_share_budgets_and_rates_and_are_replaced(folder: Path) -> None:
    pats = folder / "pats"
    token = mint(pats, Wanted("limited", None, per_minute=40))[1]
    more = ("--workers", "2", "--state", str(folder / "state"), "--access-tokens", str(pats))
    with HttpProcess(*flags(folder, *more)) as server:
        statuses = [
            httpx2.post(
                server.url,
                json=call("get_sync_status"),
                headers={**ACCEPT, "authorization": f"Bearer {token}"},
                timeout=60,
            ).status_code
            for _ in range(30)
        ]
        assert 10 <= statuses.count(200) <= 29
        assert set(statuses) == {200, 429}
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        assert len(children) == 2
        os.kill(int(children[0]), signal.SIGKILL)
        server.wait_for("a worker ended with -9")
        for _ in range(5):
            assert ask(server.url).status_code == 200
        assert server.end() == 0
    assert "Traceback" not in server.said


def raw(server: HttpProcess, data: bytes, *, patience: float = PATIENCE) -> bytes:
    """Send bytes as they are and return what comes back until the server closes."""
    host, port = server.url.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), patience) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except (ConnectionResetError, TimeoutError):
            pass
        return received


def memory(process: subprocess.Popen[bytes]) -> int:
    """Return the resident memory of a process in KiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


HEAD = f"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n".encode()
TYPES = b"content-type: application/json\r\naccept: application/json, text/event-stream\r\n"


def test_hostile_requests_are_answered_or_dropped_and_the_server_stays_up(server: HttpProcess) -> None:
    sent = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n\r\n",
        HEAD + b"x: " + b"y" * 40_000 + b"\r\n\r\n",
        HEAD + TYPES + b"content-length: 104857600\r\n\r\n" + b"x" * 65536,
        HEAD + TYPES + b"content-length: -1\r\n\r\n{}",
        HEAD + TYPES + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        HEAD + TYPES + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + TYPES + b"transfer-encoding: chunked\r\n\r\nzz\r\n",
        HEAD + TYPES + b"mcp-protocol-version: 1999-01-01\r\ncontent-length: 2\r\n\r\n{}",
        HEAD + TYPES + b"expect: 100-continue\r\ncontent-length: 5\r\n\r\n",
    ]
    for data in sent:
        received = raw(server, data, patience=10)
        assert b" 50" not in received[:20], (data[:80], received[:200])
        assert b"Traceback" not in received
    for version in ("1999-01-01", "2026-07-29", "2025-11-2", "x" * 200):
        assert ask(server.url, **{"mcp-protocol-version": version}).status_code in {200, 400}
    for session in ("0" * 32, "; drop"):
        assert ask(server.url, **{"mcp-session-id": session}).status_code < 500
    assert ask(server.url).status_code == 200


def test_wrong_tokens_and_random_messages_leave_no_trace_and_no_memory(server: HttpProcess) -> None:
    draw = random.Random(6)
    known = ask(server.url)
    assert known.status_code == 200
    before = memory(server.process)
    with httpx2.Client(timeout=60) as client:
        for _ in range(40):
            wrong = "".join(draw.choices("abcdefghijklmnopqrstuvwxyzABCDEF0123456789", k=43))
            assert (
                client.post(server.url, json={}, headers={**ACCEPT, "authorization": f"Bearer {wrong}"}).status_code
                == 401
            )
            assert wrong not in server.said
        for _ in range(80):
            answer = client.post(server.url, content=json.dumps(anything(draw)), headers=BEARER)
            assert answer.status_code < 500 or "reference" in answer.text, answer.text
    assert memory(server.process) < before + 65536
    assert TOKEN not in server.said
    assert "Traceback" not in server.said


METHODS = (
    "ping",
    "initialize",
    "tools/list",
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "x",
    "",
)


def anything(draw: random.Random, depth: int = 0) -> Any:
    """Return a random JSON value that looks like a message at times."""
    scalars: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "x", "\u0000", "gong://status", "search_calls", "東京"]
    if depth == 0 and draw.random() < 0.8:
        message = {"jsonrpc": "2.0", "id": draw.choice([1, "a", 2**60]), "method": draw.choice(METHODS)}
        if draw.random() < 0.8:
            message["params"] = anything(draw, 1)
        if draw.random() < 0.3:
            message[draw.choice(["id", "jsonrpc", "method", "params", "extra"])] = anything(draw, 1)
        return message
    if depth > 4 or draw.random() < 0.5:
        return draw.choice(scalars)
    if draw.random() < 0.5:
        return [anything(draw, depth + 1) for _ in range(draw.randrange(3))]
    names = ("name", "arguments", "uri", "cursor", "_meta", "ref", "argument", "limit", "query", "protocolVersion")
    return {draw.choice(names): anything(draw, depth + 1) for _ in range(draw.randrange(4))}


def test_a_port_that_systemd_passes_on_is_taken(folder: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        number, port = listener.fileno(), listener.getsockname()[1]
        pass_on = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); os.set_inheritable(3, True)\n"
            "os.environ |= {'LISTEN_FDS': '1', 'LISTEN_PID': str(os.getpid())}\n"
            "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
        )
        words = ["-m", "gongmcp", *flags(folder), "--http", "127.0.0.1:1"]
        process = subprocess.Popen(
            [sys.executable, "-c", pass_on, str(number), *words],
            pass_fds=(number,),
            env=environment(),
            stderr=subprocess.PIPE,
        )
        try:
            assert ask(f"http://127.0.0.1:{port}/mcp").status_code == 200
        finally:
            process.terminate()
            assert process.stderr is not None
            said = process.stderr.read().decode()
            assert process.wait(PATIENCE) == 0, said
        assert f"serving http://127.0.0.1:{port}/mcp" in said
