"""Kill -9 a purge at random moments and look at what it leaves: part of ``7.sh``.

    python docs/seen/killed_purge.py [KILLS] [CALLS]

A cache of synthetic calls with a word of its own in every place, half of which are purged. After each kill the kept
counters must equal a recount and no call may be there in part; then the purge is run again and must end as one that
nobody disturbed, with nothing of the purged calls anywhere in the file. Exit 1 when one of that fails.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongctl.purge import remove
from gongctl.purge.run import purge
from gongctl.purge.select import Criteria
from tests.gongctl.purge.calls import USERS, call_id, restricted_list, store, warmed, words
from tests.gongctl.purge.residue import residue

TABLES = (
    *("raw_calls", "raw_transcripts", "raw_records", "call_facts", "segments", "parties", "crm_objects"),
    *("crm_values", "counters", "tallies", "opportunities", "verdicts", "tombstones", "answered_scorecards"),
)


def everything(path: Path) -> dict[str, Any]:
    """Return what the cache holds, generations and times aside."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = {}
        for table in TABLES:
            columns = [
                name
                for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")
                if name not in ("generation", "at")
            ]
            found[table] = sorted(connection.execute(f"SELECT {', '.join(columns)} FROM {table}"), key=repr)
        return found


def half_there(path: Path) -> int:
    """Return how many calls are there in part: served without their payload."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return int(
            connection.execute(
                "SELECT count(*) FROM call_facts WHERE call_id NOT IN (SELECT call_id FROM raw_calls)"
            ).fetchone()[0]
        )


def killed(path: Path, criteria: Criteria, after: float) -> bool:
    """Purge in a process of its own and kill it *after* so many seconds; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            purge(path, criteria)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main() -> int:
    """Kill, look, go on, compare."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    remove.BATCH_CALLS = 3  # type: ignore[misc]  # many transactions of few calls
    gone = range(0, count, 2)
    criteria = Criteria("call", calls=tuple(map(call_id, gone)))
    drawn = random.Random(11)
    wrong = at_work = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = folder / "before.db"
        store(before, range(count), *USERS)
        warmed(before, restricted_list(folder))
        assert residue(before, words(gone)) == words(gone)
        whole = Path(shutil.copy(before, folder / "whole.db"))
        began = time.perf_counter()
        assert purge(whole, criteria).clean
        seconds = time.perf_counter() - began
        expected = everything(whole)
        for number in range(kills):
            path = Path(shutil.copy(before, folder / "now.db"))
            at_work += killed(path, criteria, drawn.uniform(0.0, seconds))
            with CacheWriter.open(path) as writer:
                faults = recount(writer.connection)
            if faults or half_there(path):
                wrong += 1
                print(f"kill {number}: {len(faults)} faults, {half_there(path)} calls in part")
            again = purge(path, criteria)
            if not again.clean or everything(path) != expected or residue(path, words(gone)):
                wrong += 1
                print(f"kill {number}: another end, or something is left")
            for file in folder.glob("now.db*"):
                file.unlink()
    print(f"{kills} kills of a purge of {len(gone)} of {count} calls ({seconds:.2f} s), {at_work} while it was at work")
    print(f"wrong or half states, other ends, words left: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
