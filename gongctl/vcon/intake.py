"""vCons of files into a store: each checked, taken over verbatim, and what was not taken said with its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from gongctl.ingest.detect import Unknown, source_of
from gongctl.ingest.files import InputFile, Meter, Source, Unreadable
from gongctl.ingest.records import Place, Rejected, Skipped
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.reading import opened, vcons_in, vcons_of_store
from gongctl.vcon.store import VconStore
from gongctl.vcon.validate import Level

_BATCH: Final = 100
_KEPT: Final = 1_000


@dataclass(slots=True)
class IntakeReport:
    """What became of the vCons. *warnings* counts findings by code; *rejected* are kept with place and reason up to a
    thousand, *rejected_count* counts all."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    rejected_count: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def accepted(self) -> int:
        """How many are in the store now."""
        return self.new + self.changed + self.unchanged

    def reject(self, item: Rejected) -> None:
        """Note what was not taken."""
        self.rejected_count += 1
        if len(self.rejected) < _KEPT:
            self.rejected.append(item)


Item = tuple[Place, Any] | Rejected | Skipped


def values_of(files: Iterable[InputFile], progress: Callable[[int, int], None] | None = None) -> Iterator[Item]:
    """Yield the values in *files*, which are of vCons or vCon stores, with their places."""
    files = list(files)
    meter = Meter(sum(file.size for file in files), progress)
    for file in files:
        try:
            if source_of(file) == "vcon_store":
                for number, vcon in enumerate(vcons_of_store(file.path), 1):
                    yield Place(file.name, item=number), vcon
            else:
                with meter.reading(file) as raw:
                    yield from vcons_in(Source(raw), file.name)
        except (Unknown, Unreadable) as error:
            yield Rejected(Place(file.name), str(error)) if file.claimed else Skipped(file.name, str(error))


def take_in(
    store: VconStore, items: Iterable[Item], *, level: Level = "lenient", report: IntakeReport | None = None
) -> IntakeReport:
    """Store the vCons of *items* that are valid at *level*; one that is there already is replaced.

    *report* holds committed work only. A batch is one transaction.
    """
    report = report if report is not None else IntakeReport()
    started = time.perf_counter()
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        counts = IntakeReport()
        with store.transaction() as generation:
            for item in batch:
                _take(store, item, level, generation, counts)
        for name in ("new", "changed", "unchanged"):
            setattr(report, name, getattr(report, name) + getattr(counts, name))
        for rejected in counts.rejected:
            report.reject(rejected)
        report.skipped += counts.skipped
        for code, count in counts.warnings.items():
            report.warnings[code] = report.warnings.get(code, 0) + count
        report.seconds = time.perf_counter() - started
    return report


def _take(store: VconStore, item: Item, level: Level, generation: int, counts: IntakeReport) -> None:
    if isinstance(item, Rejected):
        counts.reject(item)
        return
    if isinstance(item, Skipped):
        counts.skipped.append(item)
        return
    place, value = item
    try:
        found, warnings = opened(value, level)
        kept = found.vcon if found.form == "plain" else value
        known = store.get(str(found.vcon["uuid"])) is not None
        changed = store.put(kept, generation)
    except (VconRefused, RecursionError) as error:
        counts.reject(Rejected(place, str(error) or "it is nested too deeply", "vcon"))
        return
    if not changed:
        counts.unchanged += 1
    elif known:
        counts.changed += 1
        store.forget_removals(str(found.vcon["uuid"]))
    else:
        counts.new += 1
    for finding in warnings:
        counts.warnings[finding.code] = counts.warnings.get(finding.code, 0) + 1
