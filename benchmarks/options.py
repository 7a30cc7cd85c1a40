"""The options that measurements on caches of several sizes share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def sized_options(
    arguments: Sequence[str] | None, name: str, about: str | None, sizes: Sequence[int], repeat: int
) -> argparse.Namespace:
    """Parse the options of ``benchmarks.NAME``: segments, repeat, json, dir; *sizes* and *repeat* are the defaults."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--segments", type=int, nargs="+", default=list(sizes), metavar="N", help="sizes of caches")
    parser.add_argument("--repeat", type=int, default=repeat, help="timed calls a case")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--dir", type=Path, help="keep corpora and caches in this folder and use them again")
    return parser.parse_args(arguments)
