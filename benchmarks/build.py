"""Import and warm: segments per second with the parts, peak memory, size; and one changed call."""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import corpus
from benchmarks.alone import Alone, alone
from benchmarks.table import megabytes, print_table, short_number
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.store.model import ModelRules
from gongmcp.store.schema import MODEL_DDL, RAW_DDL

DEFAULT_SEGMENTS: Final = 1_000_000
_CHANGES: Final = 5


@dataclass(frozen=True, slots=True)
class Step:
    """What an import or a warm did: *rows* (calls) of which so many segments, seconds by part."""

    calls: int
    segments: int
    seconds: float
    parts: Mapping[str, float]


def import_corpus(folder: Path, cache: Path) -> Step:
    """Import the files in *folder* into *cache*, made if it is missing."""
    with CacheWriter.open(cache, create=True) as writer:
        report = import_records(writer, read_paths([folder]))
    if report.rejected_count:
        raise AssertionError(f"{report.rejected_count} records were rejected, first: {report.rejected[0]}")
    return Step(report.kinds["call"].new, report.segments, report.seconds, report.parts)


def warm_cache(cache: Path) -> Step:
    """Bring the read model of *cache* up to date."""
    with CacheWriter.open(cache) as writer:
        report = warm(writer)
    if not report.finished:
        raise AssertionError("the warm did not finish")
    return Step(report.redone, report.segments, report.seconds, report.parts)


@contextmanager
def working_folder(given: Path | None) -> Iterator[Path]:
    """Yield the folder that keeps corpora and caches: the *given* one, else one that goes away."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="gongctl-benchmarks-") as name:
        yield Path(name)


def corpus_folder(folder: Path, segments: int) -> Path:
    """Return where the corpus of this size lies below *folder*; written now unless it is there."""
    place = folder / f"corpus-{corpus.CORPUS_VERSION}-{short_number(segments)}"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        alone(corpus.write, unfinished, segments)
        unfinished.rename(place)
    return place


def cache_path(folder: Path, segments: int) -> Path:
    """Return where the cache of this size lies; its name holds what decides its content."""
    schema = hashlib.sha256(f"{RAW_DDL}{MODEL_DDL}".encode()).hexdigest()[:8]
    return folder / f"cache-{corpus.CORPUS_VERSION}-{short_number(segments)}-{ModelRules().digest}-{schema}.db"


def built(folder: Path, segments: int) -> Path:
    """Return a warm cache of this size in *folder*, built unless it is there."""
    cache = cache_path(folder, segments)
    if not cache.exists():
        build(folder, segments)
    return cache


def build(folder: Path, segments: int) -> tuple[Alone[Step], Alone[Step]]:
    """Build the cache of this size anew and return how import and warm went."""
    cache = cache_path(folder, segments)
    cache.unlink(missing_ok=True)
    unfinished = cache.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    imported = alone(import_corpus, corpus_folder(folder, segments), unfinished)
    warmed = alone(warm_cache, unfinished)
    unfinished.rename(cache)
    return imported, warmed


def change_one_call(cache: Path, edition: int) -> tuple[float, float, Step]:
    """Change the transcript of one call; return seconds to import it, to warm it (all included), what was redone.

    Edition 0 is what the corpus holds.
    """
    number = next(
        number
        for number in range(3, 1_000)
        if (made := corpus.call(number)).transcript is not None and made.call_id != corpus.probe().call_id
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "transcripts.jsonl")
        file.write_text((corpus.call(number, edition=edition).transcript or "") + "\n", encoding="utf-8")
        started = time.perf_counter()
        import_corpus(file, cache)
        imported = time.perf_counter() - started
    started = time.perf_counter()
    step = warm_cache(cache)
    return imported, time.perf_counter() - started, step


def report(folder: Path, segments: int) -> None:
    """Build a cache and print how fast."""
    started = time.perf_counter()
    corpus_folder(folder, segments)
    generated = time.perf_counter() - started
    imported, warmed = build(folder, segments)
    rows = []
    for name, took in (("import", imported), ("warm", warmed)):
        step = took.result
        parts = ", ".join(f"{part} {seconds:.1f}" for part, seconds in step.parts.items())
        rows.append(
            (
                name,
                f"{step.segments / step.seconds:,.0f}",
                f"{step.seconds:.1f}",
                f"{took.cpu_seconds:.1f} + {took.helpers_cpu_seconds:.1f}",
                f"{megabytes(took.peak_bytes)} + {megabytes(took.helpers_peak_bytes)}",
                parts,
            )
        )
    print(f"\nBuild of {segments:,} segments, {imported.result.calls:,} calls (corpus written in {generated:.0f} s)")
    print_table(("step", "segments/s", "seconds", "cpu s + helper's", "peak + helper's", "parts, seconds"), rows)
    cache = cache_path(folder, segments)
    size = cache.stat().st_size
    print(f"file: {megabytes(size)}, {size / segments:,.0f} bytes a segment; load average {os.getloadavg()[0]:.1f}")
    changes = [change_one_call(cache, edition) for edition in (*range(1, _CHANGES), 0)]
    redone = {(step.calls, step.segments) for _, _, step in changes}
    calls, told = next(iter(redone))
    print(
        f"one changed call of {imported.result.calls:,}: imported in "
        f"{statistics.median(change[0] for change in changes):.2f} s, warmed in "
        f"{statistics.median(change[1] for change in changes):.2f} s (slowest of {_CHANGES}: "
        f"{max(change[1] for change in changes):.2f}); redone: {calls} call, {told} segments"
    )
    if any(calls != 1 for calls, _ in redone):
        raise AssertionError(f"more than the changed call was redone: {redone}")


def main(arguments: list[str] | None = None) -> None:
    """Measure import and warm."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build", description=main.__doc__)
    parser.add_argument("--segments", type=int, default=DEFAULT_SEGMENTS)
    parser.add_argument("--dir", type=Path, help="keep corpora and caches in this folder and use them again")
    options = parser.parse_args(arguments)
    with working_folder(options.dir) as folder:
        report(folder, options.segments)


if __name__ == "__main__":
    main()
