"""Load over HTTP: many connected clients, each one call in every slot of some seconds, under tokens of two presets.

Half of the clients speak a version of the protocol with a handshake, half the one without. A call is sent at a random
moment of its slot, or when the answer before it is there, and its time counts from that moment on: a server that falls
behind cannot hide it. Prints for each request p50 and p95, answers a second, errors (an answer with another status than
it should have is one), and cross-talk: an answer with another's id or query, a tool that the token's preset does not
hold, or a list of another preset; and the processor time of the server and of this program. Then, without a goal, the
closed-loop rate: some clients as fast as they are answered. Exits with 1 when anything went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
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

import msgspec

from benchmarks.alone import cpu_seconds_of
from benchmarks.build import DEFAULT_SEGMENTS, built, working_folder
from benchmarks.cases import query_words
from benchmarks.corpus import probe
from benchmarks.http_wire import Connection, Reply, request_bytes
from benchmarks.table import print_table
from gongctl.tokens.book import Wanted, mint

SEARCH: Final = "search_transcript_segments"
PRESETS: Final = ("operator-smoke", "analyst-core")
"""Presets of which each holds tools that the other does not."""

HANDSHAKE: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
VERSIONS: Final = (HANDSHAKE, MODERN)

_ENVELOPE: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "0"},
}
MIX: Final = {"search": 10, "unmatched": 3, "calls": 4, "list": 1, "foreign": 2}
"""Kinds of requests, and how often each comes among 20."""


class Named(msgspec.Struct):
    """A tool of a list."""

    name: str


class Searched(msgspec.Struct):
    """What an answer without rows says was searched."""

    query: str = ""


class Structured(msgspec.Struct):
    """What is looked at of a structured answer."""

    status: str = ""
    searched: Searched | None = None


class Result(msgspec.Struct, rename="camel"):
    """What is looked at of a result."""

    tools: list[Named] | None = None
    structured_content: Structured | None = None


class Told(msgspec.Struct):
    """What is looked at of an answer."""

    id: str | int | None = None
    result: Result | None = None


_TOLD: Final = msgspec.json.Decoder(Told)


@dataclass
class Found:
    """What the clients met."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)
    elapsed: float = 0.0
    server_cpu: float = 0.0
    own_cpu: float = 0.0

    def took(self, kinds: Sequence[str], seconds: float) -> None:
        """Note how long a request of these kinds took."""
        for kind in kinds:
            self.seconds.setdefault(kind, []).append(seconds)


@dataclass(frozen=True)
class Load:
    """What is sent: by *clients*, each one call in every *every* seconds (0 = as fast as answered), for *seconds*;
    *mix* says how often each kind comes."""

    clients: int
    every: float
    seconds: float
    mix: dict[str, int]


@dataclass(frozen=True)
class Target:
    """A server: its *url* and process, a token of each preset, and the tools that each is offered."""

    url: str
    process_id: int
    tokens: dict[str, str]
    words: Sequence[str]
    listed: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its *kind*, the id of its message, the *name* of its tool and the *query*, '' where it has none."""

    kind: str
    mark: str
    body: dict[str, Any]
    name: str = ""
    query: str = ""


async def run(target: Target, load: Load) -> Found:
    """Send the load and return what came of it."""
    found = Found()
    connections = [await Connection.to(target.url) for _ in range(load.clients)]
    before, own = cpu_seconds_of(target.process_id), time.process_time()
    started = asyncio.get_running_loop().time()
    await asyncio.gather(
        *(client(connection, target, load, number, started, found) for number, connection in enumerate(connections))
    )
    found.elapsed = asyncio.get_running_loop().time() - started
    found.server_cpu, found.own_cpu = cpu_seconds_of(target.process_id) - before, time.process_time() - own
    for connection in connections:
        connection.close()
    return found


async def client(connection: Connection, target: Target, load: Load, number: int, started: float, found: Found) -> None:
    """One client: calls at random times, each checked."""
    loop = asyncio.get_running_loop()
    draw = random.Random(number)
    preset = PRESETS[number % len(PRESETS)]
    version = VERSIONS[number // len(PRESETS) % len(VERSIONS)]
    turns = int(load.seconds / load.every) if load.every else 10**9
    for turn in range(turns):
        due = started + (turn + draw.random()) * load.every if load.every else loop.time()
        if not load.every and due > started + load.seconds:
            return
        if (wait := due - loop.time()) > 0:
            await asyncio.sleep(wait)
        asked = question(draw, f"{number}-{turn}", target.words, load.mix)
        try:
            reply = await connection.ask(message(target, preset, version, asked))
            told = _TOLD.decode(reply.message)
        except (OSError, ValueError) as error:
            found.errors.append(f"{asked.kind}: {type(error).__name__}")
            return
        found.took((asked.kind, f"all, {version}"), loop.time() - due)
        judge(asked, preset, version, reply, told, target.listed, found)


def question(draw: random.Random, mark: str, words: Sequence[str], mix: dict[str, int]) -> Asked:
    """Return a request of a kind that is drawn."""
    kind = draw.choices(tuple(mix), tuple(mix.values()))[0]
    if kind == "list":
        return Asked(kind, mark, {"method": "tools/list", "params": {}})
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "search": (SEARCH, {"query": draw.choice(words), "limit": 10}),
        "unmatched": (SEARCH, {"query": f"zz{mark.replace('-', 'q')}zz"}),
        "calls": ("search_calls", {"limit": 10}),
        "foreign": (draw.choice(("get_call", "list_crm_fields", "summarize_call_facts")), {}),
    }
    name, arguments = kinds[kind]
    body = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return Asked(kind, mark, body, name, str(arguments.get("query", "")))


def message(target: Target, preset: str, version: str, asked: Asked) -> bytes:
    """Return the bytes of a request of a client with a token of *preset*."""
    body = {"jsonrpc": "2.0", "id": asked.mark, **asked.body}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "authorization": f"Bearer {target.tokens[preset]}",
        "mcp-protocol-version": version,
    }
    if version == MODERN:
        body["params"] = {**body["params"], "_meta": _ENVELOPE}
        headers["mcp-method"] = body["method"]
        if asked.name:
            headers["mcp-name"] = asked.name
    return request_bytes(target.url, headers, msgspec.json.encode(body))


def judge(
    asked: Asked,
    preset: str,
    version: str,
    reply: Reply,
    told: Told,
    listed: dict[str, frozenset[str]],
    found: Found,
) -> None:
    """Look for what failed, and for what belongs to somebody else."""
    if told.id != asked.mark:
        found.crossed.append(f"{asked.kind}: another id")
    if asked.kind == "list":
        names = frozenset(tool.name for tool in told.result.tools or ()) if told.result is not None else frozenset()
        if names != listed[preset]:
            found.crossed.append("list: of another preset")
        return
    allowed = asked.name in listed[preset]
    if allowed != (told.result is not None):
        found.crossed.append(f"{asked.kind}: {asked.name} under {preset}")
    # Without a handshake, a name that is not there is a bad request also by its status.
    if reply.status != (200 if allowed or version != MODERN else 400):
        found.errors.append(f"{asked.kind}: {reply.status}")
    if told.result is None or asked.kind == "foreign":
        return
    structured = told.result.structured_content
    if structured is None or structured.status != "ok":
        found.errors.append(f"{asked.kind}: {structured.status if structured is not None else 'a tool error'}")
    elif asked.kind == "unmatched" and (structured.searched is None or structured.searched.query != asked.query):
        found.crossed.append("unmatched: another query")


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile in milliseconds."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


def show(title: str, found: Found) -> None:
    """Print one run."""
    total = sum(len(times) for kind, times in found.seconds.items() if kind in MIX)
    print(f"\n{title}: {total} answers, {total / found.elapsed:.1f} a second")
    print(f"{len(found.errors)} errors, {len(found.crossed)} crossed; load average {os.getloadavg()[0]:.1f}")
    per = 1000 / max(total, 1)
    print(f"processor time of an answer: server {found.server_cpu * per:.1f} ms, load {found.own_cpu * per:.1f} ms")
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


def serve(
    cache: Path, folder: Path, workers: int, words: Sequence[str], *more: str
) -> tuple[subprocess.Popen[bytes], Target]:
    """Start a server over *cache* with *more* arguments and return it with what the clients need."""
    pats = folder / f"tokens{workers}.json"
    tokens = {preset: mint(pats, Wanted(preset, None, preset, per_minute=100_000))[1] for preset in PRESETS}
    command = [
        *(sys.executable, "-m", "gongmcp", "--db", str(cache), "--http", "127.0.0.1:0", "--tool-preset", "all"),
        *("--access-tokens", str(pats), "--state", str(folder / f"state{workers}"), "--workers", str(workers)),
        *("--http-at-once", "1000", "--evidence-per-answer", "1000", "--evidence-segments", "1000000", *more),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    while line := process.stderr.readline().decode():
        print(line, end="", file=sys.stderr)
        if match := re.search(r"serving (http://\S+)", line):
            return process, Target(match[1], process.pid, tokens, words)
    raise SystemExit("the server did not start")


async def surfaces(target: Target) -> dict[str, frozenset[str]]:
    """Return the tools of each preset, asked one after the other."""
    out = {}
    connection = await Connection.to(target.url)
    for preset in target.tokens:
        reply = await connection.ask(
            message(target, preset, HANDSHAKE, Asked("list", "1", {"method": "tools/list", "params": {}}))
        )
        out[preset] = frozenset(tool["name"] for tool in json.loads(reply.message)["result"]["tools"])
    connection.close()
    return out


def report(cache: Path, words: Sequence[str], load: Load, workers: Sequence[int], *, audit: bool) -> bool:
    """Run the load on servers with so many workers; returns whether nothing went wrong."""
    good = True
    with tempfile.TemporaryDirectory() as name:
        for count in workers:
            more = ("--audit", str(Path(name) / f"audit{count}.jsonl")) if audit else ()
            process, target = serve(cache, Path(name), count, words, *more)
            try:
                target.listed.update(asyncio.run(surfaces(target)))
                assert len(set(target.listed.values())) == len(PRESETS), "the presets must differ"
                title = f"{count} worker{'s' * (count > 1)}"
                asyncio.run(run(target, Load(16, 0, 2, load.mix)))  # caches of SQLite and of the system
                found = asyncio.run(run(target, load))
                show(f"{title}, {load.clients} clients, a call every {load.every:g} s", found)
                closed = Load(min(load.clients, 16), 0, min(load.seconds, 10), load.mix)
                fast = asyncio.run(run(target, closed))
                show(f"{title}, {closed.clients} clients, closed loop", fast)
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
    parser.add_argument(
        "--every", type=float, default=2.0, help="a client sends one call in each slot of so many seconds"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--searches", action="store_true", help="send nothing but searches that find something")
    parser.add_argument("--audit", action="store_true", help="with an audit log")
    options = parser.parse_args(arguments)
    load = Load(options.clients, options.every, options.seconds, {"search": 1} if options.searches else MIX)
    with working_folder(options.dir) as folder:
        cache = options.db or built(folder, options.segments)
        words = ["revenue", "guidance", "customer"] if options.db else list(query_words(probe()).values())
        if not report(cache, words, load, options.workers, audit=options.audit):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
