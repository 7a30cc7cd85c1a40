"""A ping beside running searches: ``ping.py DB``. Prints how long pings take over HTTP and over a pipe while one search
runs, and while four do; exits with 1 when of the pings beside one search more than one in twenty takes above 50 ms.

The searches never end: when one is answered, the next is sent. They come from a process of their own, which does as
little as it can, and each asks for many rows of a very common word, which is about as much as a search can cost.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.http_wire import Connection, request_bytes
from tests.gongmcp.http.http_process import HttpProcess
from tests.gongmcp.stdio_process import Server, request

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
LIMIT = 50.0
BUSY = ("the", "a", "and", "of")
PINGS = 100


def call(word: str, number: int) -> dict[str, object]:
    """Return a search as a message."""
    arguments = {"query": word, "limit": 50}
    params = {"name": "search_transcript_segments", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


async def search_for_ever(url: str, words: list[str]) -> None:
    """Search for each of *words* again and again."""

    async def one(word: str) -> None:
        connection = await Connection.to(url)
        body = request_bytes(url, HEADERS, json.dumps(call(word, 1)).encode())
        while True:
            await connection.ask(body)

    await asyncio.gather(*map(one, words))


@contextmanager
def searching(url: str, words: tuple[str, ...]) -> Iterator[None]:
    """Have searches run, from a process of their own."""
    process = subprocess.Popen([sys.executable, __file__, "--search", url, *words], stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        yield
        assert process.poll() is None, "the searches have ended"
    finally:
        process.kill()
        process.wait()


async def pings(url: str) -> list[float]:
    """Return how long pings over HTTP take, in milliseconds."""
    connection = await Connection.to(url)
    draw = random.Random(1)
    out = []
    for number in range(PINGS):
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
        started = time.perf_counter()
        reply = await connection.ask(request_bytes(url, HEADERS, body))
        out.append((time.perf_counter() - started) * 1000)
        assert json.loads(reply.message) == {"jsonrpc": "2.0", "id": number, "result": {}}, reply
        await asyncio.sleep(draw.uniform(0.01, 0.06))
    return out


def over_http(db: str, words: tuple[str, ...]) -> list[float]:
    """Return how long pings over HTTP take beside searches for *words*."""
    flags = ("--dev-allow-no-auth-localhost", "--tool-preset", "all", "--http-at-once", "64")
    with HttpProcess("--db", db, *flags) as server, searching(server.url, words):
        return asyncio.run(pings(server.url))


def over_a_pipe(db: str, words: tuple[str, ...]) -> list[float]:
    """Return how long pings over a pipe take, each sent at a random moment of its searches."""
    out: list[float] = []
    draw = random.Random(1)
    command = [sys.executable, "-m", "gongmcp", "--db", db]
    with Server("--tool-preset", "all", command=command) as server:
        for number in range(PINGS // 2):
            name = "search_transcript_segments"
            server.send(*(server.call(f"{number}-{word}", name, query=word, limit=50) for word in words))
            time.sleep(draw.uniform(0.001, 0.02))
            started = time.perf_counter()
            server.send(request(f"ping-{number}", "ping"))
            left = len(words) + 1
            while left:
                message = server.message()
                left -= 1
                if message["id"] == f"ping-{number}":
                    out.append((time.perf_counter() - started) * 1000)
    return out[2:]


WAYS: tuple[tuple[str, Callable[[str, tuple[str, ...]], list[float]]], ...] = (
    ("HTTP", over_http),
    ("pipe", over_a_pipe),
)


def main() -> int:
    """Measure both transports, beside one search and beside four."""
    above = False
    for words in (BUSY[:1], BUSY):
        for name, measure in WAYS:
            times = sorted(measure(sys.argv[1], words))
            p95 = times[int(len(times) * 0.95)]
            beside = f"{name} beside {len(words)} search{'es' * (len(words) > 1)}"
            print(f"{beside}: ping p50 {times[len(times) // 2]:.1f} ms, p95 {p95:.1f} ms, slowest {times[-1]:.1f} ms")
            above |= len(words) == 1 and p95 > LIMIT
    print("ABOVE" if above else "within", f"{LIMIT:.0f} ms beside one search (p95)")
    return int(above)


if __name__ == "__main__":
    if sys.argv[1] == "--search":
        asyncio.run(search_for_ever(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
