"""Write ``docs/walkthrough.md``: ten business questions asked of the facade, over the bundled sample.

    python scripts/build_walkthrough.py            write it
    python scripts/build_walkthrough.py --check    change nothing; exit 1 when it differs, or a quotation was not said
    python scripts/build_walkthrough.py --data FOLDER [--check]
                                                   the same for docs/walkthrough-earnings21.md and that folder of files

Answers are real calls under the preset ``business-workbench`` on a cache built anew with a fixed secret and a fixed
time. Every quotation of the page is looked up with ``gongctl evidence check`` before it is written.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from docgen import questions_of_earnings21, questions_of_sample
from docgen.asking import POLICY, page
from docgen.sample_cache import build_cache

from gongctl import sample
from gongctl.evidence.check import check_files
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the page differs")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder earnings21, for its page")
    parser.add_argument("--keep", type=Path, metavar="DB", help="keep the cache that was asked, in a new file")
    options = parser.parse_args(arguments)
    asked = questions_of_sample if options.data is None else questions_of_earnings21
    target = DOCS / ("walkthrough.md" if options.data is None else "walkthrough-earnings21.md")
    with TemporaryDirectory(prefix="gongctl-docs-") as name:
        folder = Path(name)
        db = build_cache(folder, options.data or sample.directory())
        handler = build_handler(ServerSettings.resolve(POLICY, {}), db)
        text = page(handler, asked.INTRODUCTION, asked.QUESTIONS)
        made = folder / target.name
        made.write_text(text, encoding="utf-8")
        report = check_files([made], db, handler)
        if options.keep is not None:
            shutil.copy(db, options.keep)
    for finding in report.findings:
        if finding.verdict not in ("verbatim", "short") or finding.allowed is False:
            print(f"line {finding.quotation.line}: {finding.verdict}: {finding.quotation.text}")
    said = sum(finding.verdict == "verbatim" for finding in report.findings)
    print(f"{said} quotations are verbatim, of {len(report.findings)}.")
    if not report.holds or not said:
        return 1
    if options.check:
        differs = not target.exists() or target.read_text(encoding="utf-8") != text
        print(f"docs/{target.name} {'differs from the code' if differs else 'is as the code makes it'}")
        return int(differs)
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
