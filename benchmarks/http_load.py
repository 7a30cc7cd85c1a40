"""Load over HTTP: many connected clients, each one call now and then, under tokens of two presets.

Prints for each request p50 and p95 (from sending to the whole answer), requests a second, errors, and cross-talk: an
answer with another's id or query, a tool that the token's preset does not hold, or a list of another preset. Then,
without a goal, the closed-loop rate: some clients as fast as they are answered. Exits with 1 when anything went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from benchmarks.build import DEFAULT_SEGMENTS, built, working_folder
from benchmarks.cases import query_words
from benchmarks.corpus import probe
from benchmarks.table import print_table
from gongctl.tokens.book import Wanted, mint

SEARCH: Final = "search_transcript_segments"
PRESETS: Final = {"operator-smoke": SEARCH, "analyst-core": "list_crm_fields"}
"""Presets, and of each a tool that the other does not hold (or both do, for the first)."""

ACCEPT: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass
class Found:
    """What the clients met."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Load:
    """What is sent: by *clients*, each one call every *every* seconds (0 = as fast as answered), for *seconds*."""

    clients: int
    every: float
    seconds: float


async def run(
    url: str, tokens: dict[str, str], listed: dict[str, frozenset[str]], words: Sequence[str], load: Load
) -> Found:
    """Send the load and return what came of it."""
    found = Found()
    end = time.monotonic() + load.seconds
    limits = httpx2.Limits(max_connections=load.clients, max_keepalive_connections=load.clients)
    async with httpx2.AsyncClient(timeout=60, limits=limits) as http:
        await asyncio.gather(
            *(client(http, url, tokens, listed, words, load, number, end, found) for number in range(load.clients))
        )
    return found


async def client(
    http: httpx2.AsyncClient,
    url: str,
    tokens: dict[str, str],
    listed: dict[str, frozenset[str]],
    words: Sequence[str],
    load: Load,
    number: int,
    end: float,
    found: Found,
) -> None:
    """One client: calls at random times, each checked."""
    draw = random.Random(number)
    preset = list(tokens)[number % len(tokens)]
    headers = {**ACCEPT, "authorization": f"Bearer {tokens[preset]}"}
    for turn in range(10**9):
        if load.every:
            await asyncio.sleep(draw.uniform(0, 2 * load.every))
        if time.monotonic() > end:
            return
        mark = f"{number}-{turn}"
        kind, message = asked(draw, mark, words)
        started = time.monotonic()
        try:
            answer = await http.post(url, json=message, headers=headers)
            body = body_of(answer)
        except (httpx2.HTTPError, ValueError) as error:
            found.errors.append(f"{kind}: {type(error).__name__}")
            continue
        found.seconds.setdefault(kind, []).append(time.monotonic() - started)
        if answer.status_code != 200 and kind != "foreign":
            found.errors.append(f"{kind}: {answer.status_code}")
        if body.get("id") != mark:
            found.crossed.append(f"{kind}: another id")
        judge(kind, preset, message, body, listed, found)


def asked(draw: random.Random, mark: str, words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a request and its message."""
    kind = draw.choices(("search", "unmatched", "calls", "list", "foreign"), (10, 3, 4, 1, 2))[0]
    if kind == "list":
        return kind, {"jsonrpc": "2.0", "id": mark, "method": "tools/list"}
    name, arguments = {
        "search": (SEARCH, {"query": draw.choice(words), "limit": 10}),
        "unmatched": (SEARCH, {"query": f"zz{mark.replace('-', 'q')}zz"}),
        "calls": ("search_calls", {"limit": 10}),
        "foreign": (draw.choice(("get_call", "list_crm_fields", "summarize_call_facts")), {}),
    }[kind]
    return kind, {
        "jsonrpc": "2.0",
        "id": mark,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def judge(
    kind: str,
    preset: str,
    message: dict[str, Any],
    body: dict[str, Any],
    listed: dict[str, frozenset[str]],
    found: Found,
) -> None:
    """Look for what belongs to somebody else."""
    if kind == "list":
        names = frozenset(tool["name"] for tool in body["result"]["tools"])
        if names != listed[preset]:
            found.crossed.append("list: of another preset")
        return
    name = message["params"]["name"]
    if (name in listed[preset]) != ("result" in body):
        found.crossed.append(f"{kind}: {name} under {preset}")
    if kind == "unmatched":
        told = body["result"]["structuredContent"]
        if told.get("searched", {}).get("query") != message["params"]["arguments"]["query"]:
            found.crossed.append("unmatched: another query")


def body_of(answer: httpx2.Response) -> dict[str, Any]:
    """Return the JSON-RPC message of an answer."""
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        return dict(json.loads([line[6:] for line in answer.text.splitlines() if line.startswith("data: ")][-1]))
    return dict(answer.json())


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile in milliseconds."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


def show(title: str, found: Found, seconds: float) -> None:
    """Print one run."""
    total = sum(map(len, found.seconds.values()))
    print(f"\n{title}: {total} answers, {total / seconds:.1f} a second")
    print(f"{len(found.errors)} errors, {len(found.crossed)} crossed")
    rows = [
        [
            kind,
            str(len(times)),
            f"{percentile(times, 0.5):.0f}",
            f"{percentile(times, 0.95):.0f}",
            f"{max(times) * 1000:.0f}",
        ]
        for kind, times in sorted(found.seconds.items())
    ]
    print_table(["request", "answers", "p50 ms", "p95 ms", "most ms"], rows)
    for line in sorted(set(found.errors + found.crossed))[:10]:
        print(f"  {line}")


def serve(cache: Path, folder: Path, workers: int) -> tuple[subprocess.Popen[bytes], str, dict[str, str]]:
    """Start a server over *cache* and return it with its address and a token for each preset."""
    pats = folder / f"tokens{workers}.json"
    tokens = {preset: mint(pats, Wanted(preset, None, preset, per_minute=100_000))[1] for preset in PRESETS}
    command = [
        *(sys.executable, "-m", "gongmcp", "--db", str(cache), "--http", "127.0.0.1:0", "--tool-preset", "all"),
        *("--access-tokens", str(pats), "--state", str(folder / f"state{workers}"), "--workers", str(workers)),
        *("--http-at-once", "1000", "--evidence-per-answer", "1000", "--evidence-segments", "1000000"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    while line := process.stderr.readline().decode():
        print(line, end="", file=sys.stderr)
        if match := re.search(r"serving (http://\S+)", line):
            return process, match[1], tokens
    raise SystemExit("the server did not start")


async def surfaces(url: str, tokens: dict[str, str]) -> dict[str, frozenset[str]]:
    """Return the tools of each preset, asked one after the other."""
    out = {}
    async with httpx2.AsyncClient(timeout=60) as http:
        for preset, token in tokens.items():
            headers = {**ACCEPT, "authorization": f"Bearer {token}"}
            answer = await http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers)
            out[preset] = frozenset(tool["name"] for tool in body_of(answer)["result"]["tools"])
    return out


def report(cache: Path, words: Sequence[str], load: Load, workers: Sequence[int]) -> bool:
    """Run the load on servers with so many workers; returns whether nothing went wrong."""
    good = True
    with tempfile.TemporaryDirectory() as name:
        for count in workers:
            process, url, tokens = serve(cache, Path(name), count)
            try:
                listed = asyncio.run(surfaces(url, tokens))
                assert len(set(listed.values())) == len(PRESETS), "the presets must differ"
                found = asyncio.run(run(url, tokens, listed, words, load))
                show(
                    f"{count} worker{'s' * (count > 1)}, {load.clients} clients, a call every {load.every:g} s",
                    found,
                    load.seconds,
                )
                closed = Load(min(load.clients, 16), 0, min(load.seconds, 10))
                fast = asyncio.run(run(url, tokens, listed, words, closed))
                show(f"{count} worker{'s' * (count > 1)}, {closed.clients} clients, closed loop", fast, closed.seconds)
                good &= not (found.errors or found.crossed or fast.errors or fast.crossed)
            finally:
                process.terminate()
                process.wait(60)
    return good


def main(arguments: list[str] | None = None) -> None:
    """Run the load."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_load", description=__doc__)
    parser.add_argument("--db", type=Path, help="this cache in place of a built one")
    parser.add_argument("--segments", type=int, default=DEFAULT_SEGMENTS, help="size of the cache that is built")
    parser.add_argument("--dir", type=Path, help="keep corpora and caches in this folder and use them again")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two calls of a client, on average")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args(arguments)
    load = Load(options.clients, options.every, options.seconds)
    with working_folder(options.dir) as folder:
        cache = options.db or built(folder, options.segments)
        words = ["revenue", "guidance", "customer"] if options.db else list(query_words(probe()).values())
        if not report(cache, words, load, options.workers):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
