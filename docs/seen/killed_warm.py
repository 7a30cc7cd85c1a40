"""Kill -9 a warm at random moments and look at what it leaves: part of ``3.sh``.

    python docs/seen/killed_warm.py CACHE LATE PROFILE [KILLS]

CACHE is warm, with a profile; LATE is a file or folder to import and PROFILE a YAML file to import and activate
before each warm. After each kill every served row must be the old or the new one of its call, the kept counters must
equal a recount, and a server must answer whole or refuse; then the warm is run again and must end exactly as one
that nobody disturbed. Exit 1 when one of that fails.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from gongctl.cache import warm as warm_module
from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

BATCH = 3
"""Calls of a batch, so that the warm of few calls is many transactions."""
ROWS = {
    "call": "SELECT * FROM call_facts",
    "profile": "SELECT f.call_id, p.* FROM profile_facts p JOIN call_facts f USING (call_no)",
    "values": """SELECT f.call_id, v.profile_no, json_group_array(v.concept || '=' || v.value) FROM (
        SELECT * FROM profile_values ORDER BY profile_no, call_no, concept) v JOIN call_facts f USING (call_no)
        GROUP BY 1, 2""",
}
REST = ("segments", "parties", "crm_objects", "crm_values", "counters", "opportunities")

State = dict[tuple[str, str, Any], tuple[Any, ...]]


def state(path: Path) -> State:
    """Return the served facts: (kind, call id, profile) -> row."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found: State = {}
        for kind, sql in ROWS.items():
            for row in connection.execute(sql):
                key = (kind, row[1] if kind == "call" else row[0], None if kind == "call" else row[1])
                found[key] = row
        return found


def everything(path: Path) -> dict[str, Any]:
    """Return all that is served, for comparing two ends."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rest = {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in REST}
        complete = connection.execute("SELECT profile_no, complete FROM profile_models ORDER BY 1").fetchall()
    return {"state": state(path), "models": complete, **rest}


def gongctl(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run([sys.executable, "-m", "gongctl", *words], check=True, capture_output=True)


def warm(path: Path) -> None:
    """Warm in small batches."""
    warm_module.BATCH_CALLS = BATCH  # type: ignore[misc]
    with CacheWriter.open(path) as writer:
        warm_module.warm(writer)


def killed(path: Path, after: float) -> bool:
    """Warm in a process of its own and kill it *after* so many seconds; return whether it was still at work."""
    child = os.fork()
    if not child:
        warm(path)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def faults(path: Path, old: State, new: State, calls: int) -> list[str]:
    """Return what is wrong with what a kill left."""
    found = []
    for key, row in state(path).items():
        if row not in (old.get(key), new.get(key)):
            found.append(f"{key} is neither the old nor the new row")
    answer = build_handler(ServerSettings.resolve({}, {}), path).call("summarize_calls_by_lifecycle", {}).answer
    if answer.structured is not None:
        answered = sum(row["call_count"] for row in answer.structured["results"])
        if answered != calls:
            found.append(f"a server counts {answered} of {calls} calls")
    elif answer.error is None or answer.error["code"] != "profile_cache_stale":
        found.append(f"a server says {answer.text[:200]}")
    with CacheWriter.open(path) as writer:
        found += recount(writer.connection)
    return found


def main(cache: Path, late: str, profile: str, kills: int) -> int:
    """Run the rounds and say what was seen."""
    rng = random.Random(50)
    with tempfile.TemporaryDirectory() as name:
        ready, whole, round_ = (Path(name, part) for part in ("ready.db", "whole.db", "round.db"))
        shutil.copy(cache, ready)
        gongctl("import", "gong", late, "--db", str(ready))
        gongctl("profile", "import", profile, "--db", str(ready))
        old = state(ready)
        for _ in range(2):  # the first one also loads what a warm needs
            shutil.copy(ready, whole)
            started = time.perf_counter()
            warm(whole)
            took = time.perf_counter() - started
        end = everything(whole)
        new: State = end["state"]
        calls = sum(kind == "call" for kind, *_ in new)
        seen: Counter[str] = Counter()
        wrong: list[str] = []
        for _ in range(kills):
            shutil.copy(ready, round_)
            at_work = killed(round_, rng.uniform(0, took))
            there = sum(row == new[key] and row != old.get(key) for key, row in state(round_).items())
            news = sum(row != old.get(key) for key, row in new.items())
            seen["after the end" if not at_work else "none" if not there else "all" if there == news else "some"] += 1
            wrong += faults(round_, old, new, calls)
            warm(round_)
            if everything(round_) != end:
                wrong.append("the warm that was taken up ends elsewhere")
            for path in Path(name).glob("round.db*"):
                path.unlink()
        print(f"an undisturbed warm: {took:.2f} s; {news} rows of {len(new)} differ afterwards")
        print(
            f"{kills} kills; new rows found after each: " + ", ".join(f"{what} {n}" for what, n in sorted(seen.items()))
        )
        print(f"wrong or half states: {len(wrong)}" + "".join(f"\n  {line}" for line in wrong[:10]))
    return 1 if wrong or not seen["some"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 50))
