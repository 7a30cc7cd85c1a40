"""What each tool's query costs on a small and a large cache: matches, VM steps, p50 and p95, and their growth."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.alone import peak_of
from benchmarks.build import built, working_folder
from benchmarks.cases import Case, cases, is_aggregate, query_words
from benchmarks.corpus import probe
from benchmarks.cost import Bench, Cost
from benchmarks.options import sized_options
from benchmarks.table import megabytes, print_table, short_number
from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import StorePool

SIZES: Final = (10_000, 1_000_000)
REPEAT: Final = 40
COMMON_SHARE: Final = 0.3
"""A run is invalid unless a query matches at least this share of the segments."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A case on one cache; *matches* is None for a tool without a query, times are milliseconds (see ``Times``)."""

    case: str
    aggregate: bool
    segments: int
    matches: int | None
    steps: int
    work: int
    p50: float
    p95: float
    cpu: float


def measure(cache: Path, segments: int, repeat: int) -> list[Measured]:
    """Run every case of every tool on *cache*."""
    found = []
    pool = StorePool(cache)
    with contextlib.closing(pool), contextlib.closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as counting:
        bench = Bench(pool)
        matches = _Matches(counting)
        for info in bench.handler.tools():
            for case in cases(info, probe()):
                cost = bench.cost(case)
                times = bench.times(case, repeat)
                found.append(
                    Measured(
                        case.name,
                        is_aggregate(info),
                        segments,
                        matches.of(case),
                        cost.steps,
                        cost.work,
                        times.p50,
                        times.p95,
                        times.cpu,
                    )
                )
        common = matches.share("common")
    if common < COMMON_SHARE:
        raise AssertionError(f"invalid: the most common word is in {common:.0%} of the segments only")
    return found


class _Matches:
    """Counts what a query matches, whatever the tool's limits and other filters are."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, str], int] = {}

    def of(self, case: Case) -> int | None:
        if not case.word:
            return None
        key = (case.word, case.scope)
        if key not in self._known:
            dates = {name: case.arguments.get(name) for name in ("from_date", "to_date")}
            low, high = CallFilter(**dates).segment_range()
            row = self._connection.execute(
                "SELECT count(*) FROM segments_fts WHERE segments_fts MATCH ? AND rowid BETWEEN ? AND ?",
                (case.arguments["query"], low, high),
            ).fetchone()
            self._known[key] = int(row[0])
        return self._known[key]

    def share(self, word: str) -> float:
        """Return the share of all segments that hold a word."""
        (total,) = self._connection.execute("SELECT count(*) FROM segments").fetchone()
        return self._known[word, "all"] / int(total)


def server_memory(cache: Path) -> tuple[int | None, int]:
    """Return the peak memory of a gongmcp that answers every case once, in bytes, and how many answers it gave."""
    pool = StorePool(cache)
    with contextlib.closing(pool):
        calls = [case for info in Bench(pool).handler.tools() for case in cases(info, probe())]
    command = [sys.executable, "-m", "gongmcp", "--db", str(cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(method: str, number: int | None, params: Mapping[str, Any]) -> Mapping[str, Any]:
            assert server.stdin is not None
            assert server.stdout is not None
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            server.stdin.write(json.dumps(message if number is None else message | {"id": number}).encode() + b"\n")
            server.stdin.flush()
            if number is None:
                return {}
            line = server.stdout.readline()
            if not line:
                raise AssertionError(f"gongmcp ended instead of answering {method}: python -m gongmcp --db {cache}")
            answer: Mapping[str, Any] = json.loads(line)
            return answer

        client = {"name": "benchmarks", "version": "1"}
        ask("initialize", 0, {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        ask("notifications/initialized", None, {})
        for number, case in enumerate(calls, 1):
            answer = ask("tools/call", number, {"name": case.tool, "arguments": dict(case.arguments)})
            if answer["result"].get("isError"):
                raise AssertionError(f"{case.name} was not answered: {answer}")
        peak = peak_of(server.pid)
        server.stdin.close()
    return peak, len(calls)


def show(measured: Mapping[int, Sequence[Measured]]) -> None:
    """Print one line a case with a group of columns for each size, and the growth from first to last."""
    sizes = list(measured)
    head = ["case"]
    for size in sizes:
        name = short_number(size)
        head += [f"{name}: matches", "steps", "p50 ms", "p95 ms", "cpu ms"]
    if len(sizes) > 1:
        head += ["steps x", "beyond work x"]
    rows = []
    for same in zip(*measured.values(), strict=True):
        row = [same[0].case]
        for one in same:
            row += [
                "" if one.matches is None else f"{one.matches:,}",
                f"{one.steps:,}",
                f"{one.p50:.1f}",
                f"{one.p95:.1f}",
                f"{one.cpu:.1f}",
            ]
        if len(sizes) > 1:
            small, large = (Cost(one.steps, one.work) for one in (same[0], same[-1]))
            row += [f"{large.growth_from(small):.1f}", f"{large.growth_beyond_work(small):.1f}"]
        rows.append(row)
    print_table(head, rows)


def report(folder: Path, sizes: Sequence[int], repeat: int, *, as_json: bool) -> None:
    """Measure all tools on caches of *sizes* segments and print it."""
    caches = {size: built(folder, size) for size in sizes}
    measured = {size: measure(cache, size, repeat) for size, cache in caches.items()}
    memory = {size: server_memory(cache) for size, cache in caches.items()}
    if as_json:
        value = {
            "words": query_words(probe()),
            "cases": [asdict(one) for found in measured.values() for one in found],
            "server_peak_bytes": {str(size): peak for size, (peak, _) in memory.items()},
        }
        print(json.dumps(value, indent=2))
        return
    words = ", ".join(f"{name} {text!r}" for name, text in query_words(probe()).items())
    print(f"\nTools, {repeat} calls a case (load average {os.getloadavg()[0]:.1f}); {words}")
    show(measured)
    for size, found in measured.items():
        worst = max(found, key=lambda one: one.p95)
        dearest = max(found, key=lambda one: one.cpu)
        peak, answers = memory[size]
        said = "unknown here" if peak is None else megabytes(peak)
        print(
            f"{short_number(size)}: slowest p95 {worst.p95:.0f} ms ({worst.case}), most processor time "
            f"{dearest.cpu:.0f} ms ({dearest.case}); "
            f"server's peak memory after {answers} calls: {said}"
        )


def main(arguments: list[str] | None = None) -> None:
    """Measure every tool on caches of several sizes."""
    options = sized_options(arguments, "tools", main.__doc__, SIZES, REPEAT)
    with working_folder(options.dir) as folder:
        report(folder, options.segments, options.repeat, as_json=options.json)


if __name__ == "__main__":
    main()
