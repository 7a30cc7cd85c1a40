"""Block a customer while a server runs; its next call must not know it any more.

python docs/seen/block_live.py CACHE LIST NAME
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from gongctl.governance.attacks.client import StdioClient


def main(cache: str, listed: str, name: str) -> int:
    """Run it; returns the exit code."""
    server = [sys.executable, "-m", "gongmcp", "--db", cache, "--ai-governance-config", listed]
    gongctl = [sys.executable, "-m", "gongctl", "governance", "block", name]
    with StdioClient([*server, "--tool-preset", "all-readonly"], os.environ) as client:

        def listing() -> dict:
            return client.call("search_calls", {"limit": 50, "include_call_titles": True})["structuredContent"]

        before = listing()
        started = time.monotonic()
        command = [*gongctl, "--db", cache, "--ai-governance-config", listed]
        ended = subprocess.run(command, capture_output=True, text=True)
        after = listing()
        seconds = time.monotonic() - started
    there = [row for row in before["results"] if name.lower() in str(row).lower()]
    left = [row for row in after["results"] if name.lower() in str(row).lower()]
    print(ended.stdout.strip() or ended.stderr.strip())
    print(
        f"calls with the name in their title before {len(there)}, after {len(left)}; {seconds:.1f} s to the next answer"
    )
    return int(not there or bool(left) or ended.returncode != 0)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:4]))
