"""Start-up: each command beside the smallest program of its kind, run in turns; medians and their ratio."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.build import built, working_folder
from benchmarks.table import print_table

REPEAT: Final = 15
SERVED_SEGMENTS: Final = 10_000

_MINIMAL_TYPER: Final = '''
import typer

app = typer.Typer()

@app.command()
def tool_info(name: str) -> None:
    """Print the name of a tool."""
    typer.echo(name)

@app.command()
def tools() -> None:
    """List the tools."""

app()
'''

_TOOL: Final = "search_transcript_segments"
_HEAVY: Final = (
    "textual", "rich", "starlette", "uvicorn", "httpx", "pydantic", "mcp", "sqlite_utils", "phonenumbers",
    "cryptography",
)  # fmt: skip
"""Packages that take long to load, or that a command has no business with."""

_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmarks", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds by the clock and of the processor."""

    clock: float
    processor: float


Measurement = Callable[[], Taken]


@dataclass(frozen=True, slots=True)
class Rival:
    """What is measured, what it is measured against, the goal of their ratio (None: none)."""

    name: str
    measured: Measurement
    against: Measurement
    beside: str
    goal: float | None


def run(*arguments: str) -> Measurement:
    """Return a measurement of a Python with *arguments* from spawn to exit."""

    def once() -> Taken:
        before, started = os.times(), time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=_environment())
        return Taken(time.perf_counter() - started, _spent_since(before))

    return once


def _spent_since(before: os.times_result) -> float:
    """Return the processor seconds of the processes that ended meanwhile."""
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def answer_to_initialize(cache: Path) -> Measurement:
    """Return a measurement of gongmcp from its spawn to its answer to ``initialize`` (processor: to its exit)."""
    command = [sys.executable, "-m", "gongmcp", "--db", str(cache)]
    line = json.dumps(_INITIALIZE).encode() + b"\n"

    def once() -> Taken:
        before, started = os.times(), time.perf_counter()
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(line)
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            taken = time.perf_counter() - started
            server.stdin.close()
        if answer["result"]["serverInfo"]["name"] != "gongmcp":
            raise AssertionError(f"not the answer that was expected: {answer}")
        return Taken(taken, _spent_since(before))

    return once


def heavy_modules(*arguments: str) -> list[str]:
    """Return the heavy packages that a Python with *arguments* imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=_environment(),
    )
    lines = done.stderr.decode(errors="replace").splitlines()
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines if line.startswith("import time:")}
    return [name for name in _HEAVY if name in loaded]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GONGMCP_", "GONGCTL_"))}
    return kept | {"NO_COLOR": "1"}


def compare(rivals: Sequence[Rival], repeat: int) -> None:
    """Measure all in turns, so that a busy machine is busy for both sides, and print medians and ratios."""
    times: dict[str, list[tuple[Taken, Taken]]] = {rival.name: [] for rival in rivals}
    for number in range(repeat + 1):
        for rival in rivals:
            pair = (rival.measured(), rival.against())
            if number:  # the first round fills the file cache
                times[rival.name].append(pair)
    rows = []
    for rival in rivals:
        measured, against = zip(*times[rival.name], strict=True)
        clock = [statistics.median(taken.clock for taken in side) for side in (measured, against)]
        processor = [statistics.median(taken.processor for taken in side) for side in (measured, against)]
        rows.append(
            (
                rival.name,
                rival.beside,
                *(f"{seconds * 1000:.0f}" for seconds in clock),
                f"{clock[0] / clock[1]:.2f}",
                *(f"{seconds * 1000:.0f}" for seconds in processor),
                f"{processor[0] / processor[1]:.2f}",
                "" if rival.goal is None else f"<= {rival.goal:.1f}",
            )
        )
    print(f"\nStart-up, medians of {repeat} runs in turns, milliseconds (load average {os.getloadavg()[0]:.1f})")
    print_table(("command", "beside", "ms", "beside ms", "ratio", "cpu", "beside cpu", "cpu ratio", "goal"), rows)


def report(folder: Path, repeat: int) -> None:
    """Measure start-up and print it."""
    for package in ("gongctl", "gongmcp", "tui"):  # as an installation has it; a fresh clone would compile each time
        compileall.compile_dir(Path(__file__).parents[1] / package, quiet=2)
    cache = built(folder, SERVED_SEGMENTS)
    with tempfile.TemporaryDirectory() as name:
        typer_program = Path(name, "minimal.py")
        typer_program.write_text(_MINIMAL_TYPER, encoding="utf-8")
        minimal = run(str(typer_program), "tool-info", _TOOL)
        one = run("-m", "gongctl", "mcp", "tool-info", _TOOL)
        sdk = "import mcp.server.lowlevel, mcp.server.stdio"
        compare(
            [
                Rival("gongctl mcp tool-info NAME", one, minimal, "minimal Typer program", 1.3),
                Rival(
                    "gongctl mcp tool-info --all",
                    run("-m", "gongctl", "mcp", "tool-info", "--all"),
                    one,
                    "tool-info NAME",
                    None,
                ),
                Rival(
                    "gongctl --help",
                    run("-m", "gongctl", "--help"),
                    run(str(typer_program), "--help"),
                    "minimal Typer program",
                    None,
                ),
                Rival(
                    "gongmcp, spawn to initialize",
                    answer_to_initialize(cache),
                    run("-c", sdk),
                    f"import {sdk[7:]}",
                    1.0,
                ),
            ],
            repeat,
        )
    print(f"Looked for among what is imported: {', '.join(_HEAVY)}")
    for name, arguments in (
        ("gongctl mcp tool-info", ("-m", "gongctl", "mcp", "tool-info", _TOOL)),
        ("gongctl mcp tools", ("-m", "gongctl", "mcp", "tools")),
        ("gongctl --help", ("-m", "gongctl", "--help")),
        ("gongmcp", ("-m", "gongmcp", "--db", str(cache))),
    ):
        print(f"  {name}: {', '.join(heavy_modules(*arguments)) or 'none'}")


def main(arguments: list[str] | None = None) -> None:
    """Measure how long commands take to start."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=main.__doc__)
    parser.add_argument("--repeat", type=int, default=REPEAT)
    parser.add_argument("--dir", type=Path, help="keep the cache that is served in this folder and use it again")
    options = parser.parse_args(arguments)
    with working_folder(options.dir) as folder:
        report(folder, options.repeat)


if __name__ == "__main__":
    main()
