"""A ping beside a running search: ``ping.py DB``. Prints the slowest of 40 pings over HTTP and over a pipe while four
searches run without end; exits with 1 above 50 ms."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx2

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.gongmcp.http.http_process import HttpProcess
from tests.gongmcp.stdio_process import Server, request

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
LIMIT = 50.0
BUSY = ("the", "a", "and", "of")


def call(word: str, number: int) -> dict[str, object]:
    """Return a search as a message."""
    arguments = {"query": word, "limit": 50}
    params = {"name": "search_transcript_segments", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


SEARCHER = """
import json, sys, httpx2
url, body, headers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
with httpx2.Client(timeout=60) as client:
    while True:
        client.post(url, content=body, headers=headers)
"""


def over_http(db: str) -> list[float]:
    """Return how long pings over HTTP took, in milliseconds; each search comes from a process of its own."""
    out: list[float] = []
    flags = ("--dev-allow-no-auth-localhost", "--tool-preset", "all", "--http-at-once", "64")
    with HttpProcess("--db", db, *flags) as server:
        words = [sys.executable, "-c", SEARCHER, server.url]
        searching = [subprocess.Popen([*words, json.dumps(call(word, 1)), json.dumps(ACCEPT)]) for word in BUSY]
        time.sleep(2)
        try:
            with httpx2.Client(timeout=60) as client:
                for number in range(42):
                    started = time.monotonic()
                    client.post(server.url, json={"jsonrpc": "2.0", "id": number, "method": "ping"}, headers=ACCEPT)
                    out.append((time.monotonic() - started) * 1000)
                    time.sleep(0.05)
        finally:
            for process in searching:
                process.kill()
                process.wait()
    return out[2:]


def over_a_pipe(db: str) -> list[float]:
    """Return how long pings over a pipe took, in milliseconds."""
    out: list[float] = []
    command = [sys.executable, "-m", "gongmcp", "--db", db]
    with Server("--tool-preset", "all", command=command) as server:
        for number in range(42):
            searches = [
                server.call(f"{number}-{word}", "search_transcript_segments", query=word, limit=50) for word in BUSY
            ]
            started = time.monotonic()
            server.send(*searches, request(f"ping-{number}", "ping"))
            left = len(BUSY) + 1
            while left:
                message = server.message()
                left -= 1
                if message["id"] == f"ping-{number}":
                    out.append((time.monotonic() - started) * 1000)
    return out[2:]


def main() -> int:
    """Measure both."""
    worst = 0.0
    for name, times in (("HTTP", over_http(sys.argv[1])), ("pipe", over_a_pipe(sys.argv[1]))):
        times.sort()
        print(f"{name}: ping p50 {times[len(times) // 2]:.1f} ms, p95 {times[-3]:.1f} ms, slowest {times[-1]:.1f} ms")
        worst = max(worst, times[-3])
    print("within" if worst <= LIMIT else "ABOVE", f"{LIMIT:.0f} ms (p95)")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
