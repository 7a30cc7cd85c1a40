"""All benchmarks: start-up, build, tools; the cache that is built is the one that the tools are asked on."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import build, startup, tools


def main() -> None:
    """Run all benchmarks (a few minutes at a million segments)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("--segments", type=int, default=build.DEFAULT_SEGMENTS, help="size of the large cache")
    parser.add_argument("--dir", type=Path, help="keep corpora and caches in this folder and use them again")
    options = parser.parse_args()
    with build.working_folder(options.dir) as folder:
        startup.report(folder, startup.REPEAT)
        build.report(folder, options.segments)
        tools.report(folder, (tools.SIZES[0], options.segments), tools.REPEAT, as_json=False)


if __name__ == "__main__":
    main()
