"""The official conformance suite, where Node and the suite are there already; nothing is fetched.

``conformance`` is looked for on the path and in ``node_modules/.bin`` of this tree.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.gongmcp.http.http_process import HttpProcess, free_port, wait_for_port

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCENARIOS: dict[str, Any] = tomllib.loads((HERE / "scenarios.toml").read_text(encoding="utf-8"))
SUITE = shutil.which("conformance") or shutil.which("conformance", path=str(ROOT / "node_modules" / ".bin"))
needs_suite = pytest.mark.skipif(SUITE is None, reason="the conformance suite is not installed")


def suite(*words: str) -> str:
    assert SUITE is not None
    done = subprocess.run([SUITE, *words], capture_output=True, text=True, timeout=120, check=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def outcome(url: str, scenario: str) -> tuple[int, int]:
    """Return how many checks passed and failed."""
    said = suite("server", "--url", url, "--scenario", scenario)
    match = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", said)
    assert match is not None, said
    return int(match[1]), int(match[3])


def test_no_scenario_stands_in_two_places_and_each_exclusion_has_its_reason() -> None:
    names = [*SCENARIOS["as_is"], *SCENARIOS["with_fixture"], *SCENARIOS["not_ours"]]
    assert len(names) == len(set(names)) == 32
    assert all(reason.endswith(".") for reason in SCENARIOS["not_ours"].values())


@needs_suite
def test_every_scenario_of_the_suite_is_judged() -> None:
    listed = set(re.findall(r"^\s+- (\S+)", suite("list", "--server"), re.MULTILINE))
    assert listed == {*SCENARIOS["as_is"], *SCENARIOS["with_fixture"], *SCENARIOS["not_ours"]}


@needs_suite
def test_the_server_itself_passes(sample_cache: Path) -> None:
    with HttpProcess("--db", str(sample_cache), "--dev-allow-no-auth-localhost", "--tool-preset", "all") as server:
        failed = {name: found for name in SCENARIOS["as_is"] if (found := outcome(server.url, name))[1]}
    assert not failed


@contextmanager
def fixtures() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, str(HERE / "fixtures.py"), str(port)], env={"PYTHONPATH": str(ROOT)})
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(20)


@needs_suite
def test_the_same_door_passes_with_the_fixtures() -> None:
    with fixtures() as url:
        found = {name: outcome(url, name) for name in SCENARIOS["with_fixture"]}
    assert all(passed and not failed for passed, failed in found.values()), found
