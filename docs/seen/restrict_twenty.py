"""Restrict each of some companies in turn, and look for it in all that leaves; count the calls it took by hand.

    python docs/seen/restrict_twenty.py FOLDER [COMPANIES] [SETS]

FOLDER holds files in the shape of Gong's API answers. Companies are those of the CRM accounts, in the order of their
names; SETS is the number of argument sets for each tool. Prints a line for each company, then PASS or FAIL.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.gongctl.governance.governed import (
    copy_cache,
    customers,
    govern,
    governed_handler,
    half_governed_handler,
    logged,
    probe,
    served,
    values_of,
    write_list,
)
from tests.gongctl.governance.plain_recount import RawCalls, mentions
from tests.gongmcp.conftest import build_cache


def main(folder: Path, most: int, sets: int) -> int:
    """Run it; returns the exit code."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl", ".gz"))
    raw = RawCalls.read(files)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        opened = build_cache(work / "open.db", files)
        values = values_of(opened)
        cache = copy_cache(opened, work / "governed.db")
        for company in raw.companies[:most]:
            started = time.perf_counter()
            listed = write_list(work / "list.yaml", *customers([company]))
            govern(cache, listed)
            named = raw.naming(company)
            same = served(cache) == raw.texts.keys() - raw.private - named
            with logged() as lines:
                found = probe(governed_handler(cache, listed, provenance="raw"), company, values, sets)
            log = sum(mentions(company, line) for line in lines)
            good = same and not found.found and not log and found.share >= 0.3
            failed += not good
            print(
                f"{'PASS' if good else 'FAIL'} {company:36} calls named {len(named)}, as counted by hand: {same}; "
                f"{found.calls} calls of tools, {100 * found.share:.0f} % with rows; found in answers "
                f"{len(found.found)}, in the log {log}; {time.perf_counter() - started:.0f} s",
                flush=True,
            )
            for tool, arguments in found.found[:3]:
                print("    ", tool, arguments)
        known = max(raw.companies, key=lambda company: len(raw.naming(company)))
        failed += _controls(known, opened, work, values, min(sets, 20))
    return int(failed > 0)


def _controls(company: str, opened: Path, work: Path, values: object, sets: int) -> int:
    """With the list off the same questions find it; with one of judging and guard off none does."""
    listed = write_list(work / "control.yaml", *customers([company]))
    cache = copy_cache(opened, work / "control.db")
    govern(cache, listed)
    failed = 0
    for what, handler, finds in (
        ("no list", governed_handler(opened, None, provenance="raw"), True),
        ("judging alone", half_governed_handler(cache, listed, None, provenance="raw"), False),
        ("guard alone", half_governed_handler(opened, None, listed, provenance="raw"), False),
    ):
        with logged():
            found = len(probe(handler, company, values, sets).found)
        good = bool(found) == finds
        failed += not good
        print(f"{'PASS' if good else 'FAIL'} control, {what}: found in {found} answers", flush=True)
    return failed


if __name__ == "__main__":
    numbers = [int(value) for value in sys.argv[2:4]]
    raise SystemExit(main(Path(sys.argv[1]), *(numbers + [20, 200][len(numbers) :])))
