"""Ask a governed cache and one from which the suppressed calls were deleted before import the same questions.

    python docs/seen/differential.py FOLDER [SETS]

Three companies of the accounts are restricted; private calls are out of scope. Both caches have one secret. Prints
each difference with the parts of the answer that differ; exit 1 when there is one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.gongctl.governance.governed import customers, govern, governed_handler, write_list
from tests.gongctl.governance.plain_recount import RawCalls, without_calls
from tests.gongctl.governance.test_differential import differences
from tests.gongmcp.conftest import build_cache


def main(folder: Path, sets: int) -> int:
    """Run it; returns the exit code."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl", ".gz"))
    raw = RawCalls.read(files)
    companies = raw.companies[::13][:3]
    gone = set().union(raw.private, *map(raw.naming, companies))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        listed = write_list(work / "list.yaml", *customers(companies))
        opened = build_cache(work / "open.db", files)
        governed = build_cache(work / "governed.db", files)
        govern(governed, listed)
        (work / "rest").mkdir()
        deleted = build_cache(work / "deleted.db", without_calls(files, gone, work / "rest"))
        failed = 0
        for provenance in ("redacted", "alias", "raw"):
            found = differences(
                governed_handler(governed, listed, provenance=provenance),
                governed_handler(deleted, None, provenance=provenance),
                opened,
                sets,
            )
            failed += bool(found)
            print(f"{'FAIL' if found else 'PASS'} {provenance}: {len(gone)} calls gone, {len(found)} answers differ")
            for line in found[:20]:
                print("    ", line)
        control = differences(governed_handler(opened, None), governed_handler(deleted, None), opened, 2)
        print(f"{'PASS' if control else 'FAIL'} control: an open cache differs in {len(control)} answers")
    return int(failed > 0 or not control)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8))
