"""Clients that mean it no good, at full size: ``hostile.py URL PID TOKEN_FILE [TOKENS] [MESSAGES]``.

Slow heads, a body of 100 MB, deep JSON, wrong tokens and random messages against a running server. Prints what came
back and how much memory the server holds; exits with 1 when an answer is a 5xx without a reference, the server's memory
grew by more than 64 MB, or it does not answer any more.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.gongmcp.http.test_http_process import anything

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
GROWTH = 64 * 1024


def memory(pid: int) -> int:
    """Return the resident memory of a process in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def main() -> int:
    """Play all of them."""
    url, pid, file, *counts = sys.argv[1:]
    token = Path(file).read_text().strip()
    tokens, messages = ([int(count) for count in counts] + [10_000, 50_000])[:2] if counts else (10_000, 50_000)
    bearer = {**ACCEPT, "authorization": f"Bearer {token}"}
    host, port = url.removeprefix("http://").removesuffix("/mcp").split(":")
    draw = random.Random(2026)
    bad: list[str] = []
    with httpx2.Client(timeout=60) as client:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        client.post(url, json=ping, headers=bearer)
        before = memory(int(pid))

        slow = [socket.create_connection((host, int(port)), 30) for _ in range(200)]
        for connection in slow:
            connection.sendall(f"POST /mcp HTTP/1.1\r\nhost: {host}\r\n".encode())
        started = time.monotonic()
        assert client.post(url, json=ping, headers=bearer).status_code == 200
        print(f"200 slow heads: a ping beside them took {(time.monotonic() - started) * 1000:.0f} ms")
        ended = 0
        for connection in slow:
            connection.settimeout(30)
            try:
                ended += connection.recv(1) == b""
            except ConnectionError:
                ended += 1
            connection.close()
        print(f"200 slow heads: {ended} connections ended by the server")

        def much() -> Any:
            for _ in range(1600):
                yield b"x" * 65536

        try:
            status: object = client.post(url, content=much(), headers=bearer).status_code
        except httpx2.TransportError as error:
            status = type(error).__name__
        print(f"body of 100 MB: {status}; memory {memory(int(pid)) / 1024:.0f} MB (before: {before / 1024:.0f} MB)")
        deep = client.post(url, content=b"[" * 2_000_000, headers=bearer)
        print(f"two million brackets: {deep.status_code}")

        seen: Counter[int] = Counter()
        for _ in range(tokens):
            wrong = "".join(draw.choices("ABCDEFGHabcdefgh0123456789_-", k=43))
            seen[client.post(url, json=ping, headers={**ACCEPT, "authorization": f"Bearer {wrong}"}).status_code] += 1
        print(f"{tokens} wrong tokens: {dict(seen)}")
        if set(seen) != {401}:
            bad.append("a wrong token was not refused with 401")

        seen.clear()
        for _ in range(messages):
            try:
                content = json.dumps(anything(draw))
                answer = client.post(url, content=content, headers=bearer)
            except httpx2.TransportError as error:
                bad.append(f"{type(error).__name__} for {content[:200]}")
                continue
            seen[answer.status_code] += 1
            if answer.status_code >= 500 and "reference" not in answer.text:
                bad.append(f"{answer.status_code} without a reference for {content[:200]}")
        print(f"{messages} random messages: {dict(sorted(seen.items()))}")

        after = memory(int(pid))
        print(f"memory: {before / 1024:.0f} MB before, {after / 1024:.0f} MB after")
        if after > before + GROWTH:
            bad.append("the memory grew")
        started = time.monotonic()
        if client.post(url, json=ping, headers=bearer).status_code != 200:
            bad.append("the server does not answer any more")
        print(f"and a ping took {(time.monotonic() - started) * 1000:.0f} ms")
    for line in bad[:20]:
        print(f"BAD: {line}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
