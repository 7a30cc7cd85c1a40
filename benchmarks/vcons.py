"""vCons: rate of import into a store, and what searches and groups cost at two sizes. Ratios, never a verdict.

python -m benchmarks.vcons --vcons 100000 --dir /some/folder
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import build
from gongctl.ingest.records import Place
from gongctl.vcon.intake import take_in
from gongctl.vcon.store import VconStore
from gongmcp.store import vcon_figures, vcon_search
from gongmcp.store.connection import MEASURED_STEPS, ReadStore, StorePool
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID
from gongmcp.store.vcon_search import VconFilters

WORDS = (
    "price",
    "late",
    "parcel",
    "refund",
    "invoice",
    "contract",
    "delivery",
    "support",
    "billing",
    "outage",
    "trial",
)
REPEAT = 5
_JUNE, _JULY = 1_780_272_000_000, 1_782_864_000_000
_MIDDLE = (_JUNE, 0)


def made(count: int) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield *count* invented vCons: two parties, a chat of 20 turns, a summary, tags, an account."""
    rng = random.Random(7)
    for number in range(count):
        day = f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        segments = [
            {"start": turn * 5, "end": turn * 5 + 4, "speaker": turn % 2, "text": " ".join(rng.choices(WORDS, k=8))}
            for turn in range(20)
        ]
        account = {"id": number % 200, "name": f"Account {number % 200}"}
        slot = {"start": f"{day}T10:00:00Z", "party": 0, "dialog": 0, "encoding": "json"}
        yield (
            Place("made", line=number + 1),
            {
                "uuid": f"0190b4e3-95aa-8d00-8a59-{number:012x}",
                "created_at": f"{day}T10:00:00Z",
                "subject": f"{rng.choice(WORDS)} {number}" + (" needle" if number % 1000 == 0 else ""),
                "parties": [{"name": f"Caller {number}", "mailto": f"c{number}@mail.example"}, {"name": "Agent"}],
                "dialog": [{"type": "recording", "start": f"{day}T09:00:00Z", "duration": 100, "parties": [0, 1]}],
                "analysis": [
                    {"type": "summary", "vendor": "x", "dialog": 0, "encoding": "none", "body": segments[0]["text"]},
                    {"type": "transcript", "vendor": "x", "dialog": 0, "encoding": "json",
                     "body": json.dumps({"segments": segments})},
                ],
                "attachments": [
                    {**slot, "purpose": "tags", "body": json.dumps([f"queue:{number % 7}", f"n:{number}"])},
                    {**slot, "purpose": "strolid_dealer", "body": json.dumps(account)},
                ],
            },
        )  # fmt: skip


QUESTIONS: dict[str, Callable[[ReadStore], object]] = {
    "newest 25": lambda store: vcon_search.page(store, VconFilters(), limit=25),
    "subject, a part": lambda store: vcon_search.page(store, VconFilters(subject="needle"), limit=25),
    "party, a part": lambda store: vcon_search.page(store, VconFilters(party_email="c77@mail"), limit=25),
    "tag": lambda store: vcon_search.page(store, VconFilters(tags=(("queue", "3"),)), limit=25),
    "tag, counted": lambda store: vcon_search.count(store, VconFilters(tags=(("queue", "3"),))),
    "word in one of a thousand": lambda store: vcon_search.keyword(store, '"needle"', VconFilters(), limit=25),
    "word in nearly every one": lambda store: vcon_search.keyword(store, '"refund"', VconFilters(), limit=25),
    "word within a tag": lambda store: vcon_search.keyword(
        store, '"refund"', VconFilters(tags=(("n", "77"),)), limit=25
    ),
    "tag that one has, counted": lambda store: vcon_search.count(store, VconFilters(tags=(("n", "77"),))),
    "tag that one has": lambda store: vcon_search.page(store, VconFilters(tags=(("n", "77"),)), limit=25),
    "a page in the middle": lambda store: vcon_search.page(store, VconFilters(), limit=25, after=_MIDDLE),
    "newest of a month": lambda store: vcon_search.page(
        store, VconFilters(created_from=_JUNE, created_to=_JULY), limit=25
    ),
    "tag keys": vcon_figures.tag_keys,
    "groups by account": lambda store: vcon_figures.groups(store, "account", tags=(("queue", "3"),)),
    "growth by month": vcon_figures.growth,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one question costs in one store: SQLite's instructions, and the best of ``REPEAT`` runs."""

    steps: int
    seconds: float


def measured(path: Path) -> dict[str, Measured]:
    """Ask the store at *path* every question."""
    pool = StorePool(path, application=VCON_APPLICATION_ID)
    found = {}
    for name, ask in QUESTIONS.items():
        times = []
        with pool.store_scope() as read:
            for _ in range(REPEAT):
                started = time.perf_counter()
                ask(read)
                times.append(time.perf_counter() - started)
        steps = 0

        def count() -> None:
            nonlocal steps
            steps += MEASURED_STEPS

        pool.on_steps = count
        with pool.store_scope() as read:
            ask(read)
        pool.on_steps = None
        found[name] = Measured(steps, min(times))
    pool.close()
    return found


def built(folder: Path, size: int) -> Path:
    """Return a store of *size* vCons in *folder*, made if it is not there."""
    path = folder / f"vcons-{size}.db"
    if not path.exists():
        started, spent = time.perf_counter(), time.process_time()
        with VconStore.open(path, create=True) as store:
            take_in(store, made(size))
        seconds, spent = time.perf_counter() - started, time.process_time() - spent
        print(
            f"{size:,} vCons in {seconds:.1f} s ({size / seconds:,.0f} a second), {spent:.1f} s of processor time"
            f" ({size / spent:,.0f} a second); {path.stat().st_size:,} bytes"
        )
    return path


def report(folder: Path, count: int) -> None:
    """Build stores of a tenth of *count* and of *count* and print what each question costs at both."""
    paths = [built(folder, size) for size in (count // 10, count)]
    small, large = (measured(path) for path in paths)
    print(f"{'':<28}{'steps':>10}{'':>12}{'':>8}{'ms':>10}")
    print(f"{'at':<28}{count // 10:>10,}{count:>12,}{'x':>8}{count // 10:>10,}{count:>10,}{'x':>8}")
    for name, few in small.items():
        many = large[name]
        print(
            f"{name:<28}{few.steps:>10,}{many.steps:>12,}{many.steps / max(few.steps, 1):>8.1f}"
            f"{few.seconds * 1000:>10.2f}{many.seconds * 1000:>10.2f}{many.seconds / few.seconds:>8.1f}"
        )


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vcons", description=main.__doc__)
    parser.add_argument("--vcons", type=int, default=20_000, help="size of the large store")
    parser.add_argument("--dir", type=Path, help="keep the stores in this folder and use them again")
    options = parser.parse_args()
    with build.working_folder(options.dir) as folder:
        report(folder, options.vcons)


if __name__ == "__main__":
    main()
