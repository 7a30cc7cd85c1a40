"""Proofs of sync that take minutes, over real HTTP against the fake Gong of the tests.

    python docs/seen/sync_proofs.py same DATA       sync makes the cache that an import makes
    python docs/seen/sync_proofs.py kill DATA N     so do N runs that are killed at random moments and resumed
    python docs/seen/sync_proofs.py chaos DATA      10 % 429, 5 % 500, 2 % dropped connections: the same cache
    python docs/seen/sync_proofs.py rate CALLS      so many calls at 3 requests a second, counted by the API
    python docs/seen/sync_proofs.py late            calls that surface 36 hours late are caught by the look-back

DATA is a folder of answers of Gong's API, such as gongctl/sample.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import find_files, read
from tests.fake_gong.app import Moods
from tests.fake_gong.data import made_up, read_company
from tests.gongctl.sync.world import RUN_ALL, World, ids, rows, world

SECRET = b"0123456789abcdef0123456789abcdef"


def imported(data: Path, folder: Path) -> Path:
    """Import and warm *data* from its files."""
    db = folder / "imported.db"
    with CacheWriter.open(db, create=True, secret=SECRET) as writer:
        import_records(writer, read(find_files([data])))
        warm(writer)
    return db


def prepared(home: Path, run: str = RUN_ALL) -> Path:
    """Make an empty cache of the same secret, and the file of a run."""
    db = home / "c.db"
    db.unlink(missing_ok=True)
    with CacheWriter.open(db, create=True, secret=SECRET):
        pass
    (home / "run.yaml").write_text(run)
    return db


def synced(there: World, db: Path) -> None:
    """Run all steps to their end."""
    done = there.spawn("sync", "run", "--config", "run.yaml", "--db", db)
    if done.code:
        sys.exit(f"sync ended with {done.code}: {done.err}")


def compared(db: Path, other: Path) -> str:
    """Return what was found the same, or end."""
    ours, theirs = rows(db), rows(other)
    differing = [table for table in theirs if ours.get(table) != theirs[table]]
    if differing or ours.keys() != theirs.keys():
        sys.exit(f"DIFFERENT: {', '.join(differing)}")
    return f"{len(theirs)} tables, {sum(map(len, theirs.values())):,} rows the same"


def same(data: Path, folder: Path) -> None:
    """Sync once, and once more."""
    other = imported(data, folder)
    for page_size in (7, 100):
        with world(read_company(data), folder, Moods(page_size=page_size)) as there:
            db = prepared(folder)
            synced(there, db)
            first = len(there.fake.seen)
            print(f"pages of {page_size}: {first} requests; {compared(db, other)}")
            synced(there, db)
            print(f"  a second run: {len(there.fake.seen) - first} requests; {compared(db, other)}")


def kill(data: Path, folder: Path, count: int) -> None:
    """Kill *count* runs at random moments; each that comes to its end is compared, and a new cache begun."""
    other = imported(data, folder)
    chance = random.Random(2026)
    killed = compared_caches = 0
    moments: dict[str, int] = {}
    with world(read_company(data), folder, Moods(page_size=3)) as there:
        db = prepared(folder)
        while killed < count:
            child = there.fork("sync", "run", "--config", "run.yaml", "--db", db)
            until = there.fake.requests + chance.randrange(1, 45)
            ended, status = 0, 0
            while there.fake.requests < until and not ended:
                time.sleep(0.0005)
                ended, status = os.waitpid(child, os.WNOHANG)
            if not ended:
                time.sleep(chance.random() * 0.03)
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
            if os.WIFSIGNALED(status):
                killed += 1
                last = there.fake.seen[-1].path if there.fake.seen else "before the first request"
                moments[last] = moments.get(last, 0) + 1
            elif os.waitstatus_to_exitcode(status):
                sys.exit(f"a resumed run ended with {os.waitstatus_to_exitcode(status)}")
            else:
                compared(db, other)
                compared_caches += 1
                db = prepared(folder)
        synced(there, db)
        print(f"{killed} runs were killed, {compared_caches + 1} caches came to their end: {compared(db, other)}")
        print("last request before a kill:", ", ".join(f"{path} {times}" for path, times in sorted(moments.items())))


def chaos(data: Path, folder: Path) -> None:
    """Sync while the API fails."""
    other = imported(data, folder)
    moods = Moods(page_size=2, share_429=0.10, share_500=0.05, share_dropped=0.02, retry_after="1", seed=3)
    with world(read_company(data), folder, moods) as there:
        db = prepared(folder)
        synced(there, db)
        statuses: dict[int, int] = {}
        for item in there.fake.seen:
            statuses[item.status] = statuses.get(item.status, 0) + 1
        told = ", ".join(f"{status or 'dropped'}: {times}" for status, times in sorted(statuses.items()))
        print(f"{len(there.fake.seen)} requests ({told}); {compared(db, other)}")


def rate(calls: int, folder: Path) -> None:
    """List *calls* of a year and their transcripts at Gong's own rate; the API counts."""
    made = made_up(calls, first=datetime(2025, 11, 29, tzinfo=UTC))
    run = (
        "version: 1\nwarm: false\nsteps:\n"
        "  - {sync: calls, preset: business, from: 2025-11-29}\n  - {sync: transcripts}\n"
    )
    with world(made, folder, Moods(rate=3)) as there:
        there.environ["GONGCTL_GONG_RATE"] = "3"
        db = prepared(folder, run)
        begun = time.monotonic()
        synced(there, db)
        took = time.monotonic() - begun
        times = [item.at for item in there.fake.seen]
        most = max(sum(1 for other in times if moment <= other < moment + 1) for moment in times)
        refused = sum(item.status == 429 for item in there.fake.seen)
        minimum = 2 * -(-calls // 100)
        if len(ids(db)) != calls or len(ids(db, "raw_transcripts")) != calls:
            sys.exit("calls or transcripts are missing")
        print(f"{calls:,} calls with transcripts: {len(times):,} requests, theoretical minimum {minimum:,}")
        print(f"{took:,.0f} s, at most {most} requests in any second, {refused} answered 429")
        if most > 3 or refused:
            sys.exit("the limit was passed")


def late(folder: Path) -> None:
    """Let every third call surface 36 hours late, and run once a day."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    made = made_up(3_000, first=begin, days=30)
    held = [call["metaData"] for call in made.calls]
    for number, meta in enumerate(held):
        if number % 3 == 0:
            made.appears[meta["id"]] = datetime.fromisoformat(meta["started"]) + timedelta(hours=36)
    with world(made, folder) as there:
        for look_back in ("3d", "1h"):
            run = (
                "version: 1\nwarm: false\nsteps:\n"
                f"  - {{sync: calls, preset: minimal, from: 2026-03-01, look_back: {look_back}}}\n"
            )
            db = prepared(folder, run)
            for day in range(1, 34):
                there.now = begin + timedelta(days=day)
                child = there.fork("sync", "run", "--config", "run.yaml", "--db", db)
                if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
                    sys.exit("a run failed")
            print(f"look-back {look_back}: {len(ids(db)):,} of {len(held):,} calls, a third of them 36 hours late")
            if (len(ids(db)) == len(held)) != (look_back == "3d"):
                sys.exit("not as expected: the short look-back is the control")


def main() -> None:
    """Run the proof that the command line names."""
    name, *arguments = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix="sync-proof-"))
    os.environ["SOURCE_DATE_EPOCH"] = str(int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()))
    try:
        if name == "rate":
            rate(int(arguments[0]), folder)
        elif name == "late":
            late(folder)
        elif name == "kill":
            kill(Path(arguments[0]).resolve(), folder, int(arguments[1]))
        else:
            {"same": same, "chaos": chaos}[name](Path(arguments[0]).resolve(), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
