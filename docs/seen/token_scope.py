"""Ask a client of a narrower scope and a server whose settings have that scope the same questions, and for the same
completions.

    python docs/seen/token_scope.py FOLDER [SETS]

Prints for each scope in which answers of which tools the two differ; exit 1 when there is one, or when the control, a
client without the scope, differs in none.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.governed import UNLIMITED
from tests.gongctl.governance.test_token_scope import SCOPES, differing, narrowed, warmed_in
from tests.gongmcp.conftest import build_cache


def completing(one: ToolHandler, other: ToolHandler) -> tuple[int, list[str]]:
    """Return how many completions of arguments were asked for, and those that two handlers give in different ways."""
    asked, found = 0, []
    for info in one.tools():
        for argument in info.input_schema["properties"]:
            for prefix in ("", "c", "O"):
                asked += 1
                if one.complete(info.name, argument, prefix) != other.complete(info.name, argument, prefix):
                    found.append(f"{info.name}.{argument} {prefix!r}")
    return asked, found


def main(folder: Path, sets: int) -> int:
    """Run it; returns the exit code."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl", ".gz"))
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        cache = build_cache(Path(name) / "whole.db", files)
        for number, table in enumerate(SCOPES):
            scoped, settings = warmed_in(cache, table, Path(name) / f"{number}.db")
            server = build_handler(settings, scoped)
            found = differing(narrowed(cache, table), server, cache, sets)
            control = differing(build_handler(ServerSettings.resolve(UNLIMITED, {}), cache), server, cache, 1)
            completions, others = completing(narrowed(cache, table), server)
            bad = bool(found or others) or not control
            failed += bad
            tools, calls = len(server.tools()), server.freshness()["calls"]
            print(f"{'FAIL' if bad else 'PASS'} {table}: {calls} calls")
            print(f"     {len(found)} of {sets * tools} answers differ; without the scope {len(control)} of {tools}")
            print(f"     {len(others)} of {completions} completions differ")
            print("".join(f"     {tool}\n" for tool in sorted({*found, *others})), end="")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20))
