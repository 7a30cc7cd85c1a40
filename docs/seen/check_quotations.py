"""Tell true quotations of a cache from doctored ones, by ``gongctl evidence check``, and count what is told wrong.

python docs/seen/check_quotations.py DB [SEED ...]     200 of each kind for each seed; exit 1 when below 99 %
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from gongctl.evidence.check import check_files
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.evidence.quoting import doctored_quotes, true_quotes

COUNT = 200


def main() -> int:
    """Run the command; returns the exit code."""
    db = Path(sys.argv[1])
    handler = build_handler(ServerSettings(), db)
    worst = 1.0
    for seed in map(int, sys.argv[2:] or ("1", "2", "3")):
        for name, make, is_true in (("true", true_quotes, True), ("doctored", doctored_quotes, False)):
            written = make(db, seed, COUNT)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "report.md"
                path.write_text("\n\n".join(item.paragraph for item in written), encoding="utf-8")
                started = time.monotonic()
                report = check_files([path], db, handler, shortest=1)
            verdicts = Counter(finding.verdict for finding in report.findings)
            right = verdicts["verbatim"] if is_true else COUNT - verdicts["verbatim"]
            worst = min(worst, right / COUNT)
            print(f"seed {seed}, {COUNT} {name}: {right} right, {dict(verdicts)}, {time.monotonic() - started:.1f} s")
    return int(worst < 0.99)


if __name__ == "__main__":
    sys.exit(main())
