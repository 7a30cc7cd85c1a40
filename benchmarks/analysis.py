"""What each tool of business questions costs on a small and a large cache, over cohorts from one quarter to everything.

Calls are given ten times the deadline that the server sets, so that a busy machine ends none of them; what took longer
than the deadline, by the clock and by the processor's time, is counted.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.build import built, working_folder
from benchmarks.cases import Case
from benchmarks.corpus import common_word, median_word
from benchmarks.cost import Bench, answered
from benchmarks.options import sized_options
from benchmarks.table import print_table, short_number
from gongmcp.catalog.cohort_filter import CohortArguments
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.fields import Provenance
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler
from gongmcp.store.connection import StorePool

SIZES: Final = (10_000, 1_000_000)
REPEAT: Final = 5
COHORTS: Final[Mapping[str, dict[str, Any]]] = {
    "everything": {"from_date": "2021-01-01", "to_date": "2025-12-31"},
    "one industry": {"industry": "technology"},
    "one quarter": {"quarter": "2024-Q2"},
    "calls that say a word": {"query": common_word()},
}
DEADLINE: Final = 30.0
"""Seconds that one call may take (setting ``tool_timeout``)."""
THEMES: Final = ("supply chain", median_word(), common_word())


@dataclass(frozen=True, slots=True)
class Measured:
    """A case on one cache; *calls* are those of its cohort, times are milliseconds."""

    case: str
    segments: int
    calls: int
    steps: int
    p50: float
    p95: float
    cpu: float


def cases(call_ref: str) -> Iterator[Case]:
    """Yield the cases of every tool that takes a cohort, and of those that look into one call of it.

    Raises:
        KeyError: a tool needs an argument that is not known here.
    """
    for name, tool in catalog().items():
        if not issubclass(tool.arguments, CohortArguments):
            continue
        needed: tuple[str, ...] = tool.arguments.__struct_fields__
        for cohort, chosen in COHORTS.items():
            themes = THEMES if "theme_query" in needed else ("",)
            for theme in themes:
                own: dict[str, Any] = {"theme_query": theme} if theme else {}
                if name == "summarize_themes_by_dimension":
                    own["dimension"] = "industry"
                yield Case(name, theme, cohort, "", {"filter": chosen, **own})
    wide, narrow = COHORTS["everything"], COHORTS["one industry"]
    yield Case("compare_call_cohorts", "", "everything and one industry", "", {"filter_a": wide, "filter_b": narrow})
    yield Case("get_call_drilldown", THEMES[1], "one call", "", {"call_ref": call_ref, "theme_query": THEMES[1]})
    yield Case("list_call_highlights", "", "one call", "", {"call_refs": [call_ref]})


def measure(cache: Path, segments: int, repeat: int) -> list[Measured]:
    """Run every case on *cache*."""
    found = []
    with contextlib.closing(StorePool(cache)) as pool:
        bench = Bench(pool, ToolHandler(Policy(provenance=Provenance.ALIAS), pool, tool_timeout=10 * DEADLINE))
        listed = bench.handler.call("search_calls_by_filters", {"filter": COHORTS["everything"], "limit": 1})
        call_ref = answered(listed, Case("search_calls_by_filters", "", "", "", {}))["results"][0]["call_ref"]
        sizes: dict[str, int] = {}
        for case in cases(call_ref):
            if "filter" in case.arguments and case.scope not in sizes:
                counted = bench.handler.call("list_dimension_counts", {"filter": case.arguments["filter"]})
                sizes[case.scope] = answered(counted, case)["matched_call_count"]
            cost, times = bench.cost(case), bench.times(case, repeat, warming=1)
            calls = sizes.get(case.scope, sizes["everything"] if case.tool == "compare_call_cohorts" else 1)
            found.append(Measured(case.name, segments, calls, cost.steps, times.p50, times.p95, times.cpu))
    return found


def show(measured: Mapping[int, Sequence[Measured]]) -> None:
    """Print one line a case with a group of columns for each size, and how many times as much the last one takes."""
    head = ["case"]
    for size in measured:
        head += [f"{short_number(size)}: calls", "VM steps", "p50 ms", "p95 ms", "cpu ms"]
    head += ["calls x", "steps x", "cpu x"]
    rows = []
    for same in zip(*measured.values(), strict=True):
        row = [same[0].case]
        for one in same:
            row += [f"{one.calls:,}", f"{one.steps:,}", f"{one.p50:.1f}", f"{one.p95:.1f}", f"{one.cpu:.1f}"]
        first, last = same[0], same[-1]
        for name in ("calls", "steps", "cpu"):
            row.append(f"{getattr(last, name) / max(getattr(first, name), 1):.1f}")
        rows.append(row)
    print_table(head, rows)


def report(folder: Path, sizes: Sequence[int], repeat: int, *, as_json: bool) -> None:
    """Measure the tools on caches of *sizes* segments and print it."""
    caches = {size: built(folder, size) for size in sizes}
    measured = {size: measure(cache, size, repeat) for size, cache in caches.items()}
    if as_json:
        print(json.dumps([asdict(one) for found in measured.values() for one in found], indent=2))
        return
    print(f"\nBusiness questions, {repeat} calls a case (load average {os.getloadavg()[0]:.1f})")
    show(measured)
    for size, found in measured.items():
        worst, dearest = max(found, key=lambda one: one.p95), max(found, key=lambda one: one.cpu)
        print(
            f"{short_number(size)}: slowest p95 {worst.p95:,.0f} ms ({worst.case}), most processor time "
            f"{dearest.cpu:,.0f} ms ({dearest.case}); of {len(found)} cases over the deadline of {DEADLINE:.0f} s: "
            f"{sum(one.p95 > DEADLINE * 1000 for one in found)} by the clock, "
            f"{sum(one.cpu > DEADLINE * 1000 for one in found)} by processor time"
        )


def main(arguments: list[str] | None = None) -> None:
    """Measure the tools of business questions on caches of several sizes."""
    options = sized_options(arguments, "analysis", main.__doc__, SIZES, REPEAT)
    with working_folder(options.dir) as folder:
        report(folder, options.segments, options.repeat, as_json=options.json)


if __name__ == "__main__":
    main()
