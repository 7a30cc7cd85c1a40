"""Facts of a business profile: how fast and in how much memory they are made, one changed call, switching profiles.

The corpus is that of the other benchmarks with transcripts cut short: what is measured grows with the calls.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks import corpus
from benchmarks.alone import Alone, alone
from benchmarks.build import Step, import_corpus, warm_cache, working_folder
from benchmarks.table import megabytes, print_table, short_number
from gongctl.cache.connection import reading
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.profile.canonical import canonical_sha256
from gongctl.profile.document import read_profile
from gongctl.profile.findings import valid
from gongctl.profile.inventory import read_inventory
from gongctl.profile.store import activate, import_profile, want
from gongctl.profile.validate import validate

SIZES: Final = (10_000, 100_000)
SEGMENTS_A_CALL: Final = 4
_CHANGES: Final = 5

PROFILE: Final = """\
version: 1
name: Corpus
objects:
  deal: {object_types: [Opportunity, Deal]}
  account: {object_types: [Account, Company]}
fields:
  deal_stage: {object: deal, names: [StageName, dealstage], groupable: true}
  deal_type: {object: deal, names: [Type, dealtype], groupable: true}
  account_industry: {object: account, names: [Industry, industry], groupable: true}
  account_type: {object: account, names: [Type, lifecyclestage], groupable: true}
lifecycle:
  closed_won: {order: 10, rules: [{field: deal_stage, op: in, values: [Closed Won, closedwon]}]}
  closed_lost: {order: 20, rules: [{field: deal_stage, op: in, values: [Closed Lost, closedlost]}]}
  contract:
    order: 30
    rules:
      - {field: deal_stage, op: iprefix, value: contract}
      - all: [{field: deal_stage, op: regex, value: '(?i)negotiat|review'}, {call: scope, op: equals, value: External}]
  post_sales:
    order: 40
    rules:
      - {field: deal_type, op: in, values: [Renewal, Upsell, Expansion, existingbusiness]}
      - all: [{field: account_type, op: iprefix, value: customer}, {field: deal_stage, op: is_empty}]
  open: {order: 50, rules: [{object: deal, field_name: StageName, op: is_set}, {field: deal_stage, op: is_set}]}
  unknown: {order: 999}
"""
OTHER_PROFILE: Final = PROFILE.replace("name: Corpus", "name: Post-sales first").replace("order: 40", "order: 5")


def write_calls(folder: Path, calls: int) -> Path:
    """Write *calls* calls with short transcripts as JSON lines into *folder*; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        (folder / "calls.extensive.jsonl").open("w", encoding="utf-8") as call_file,
        (folder / "transcripts.jsonl").open("w", encoding="utf-8") as transcript_file,
    ):
        for number in range(calls):
            made = corpus.call(number, SEGMENTS_A_CALL)
            call_file.write(made.line + "\n")
            if made.transcript is not None:
                transcript_file.write(made.transcript + "\n")
    return folder


def import_yaml(cache: Path, text: str = PROFILE, *, activated: bool = True) -> float:
    """Import the profile *text* into the warm *cache* as the command does; return the seconds that it took.

    Raises:
        AssertionError: the profile does not fit the cache.
    """
    started = time.perf_counter()
    document = read_profile(text)
    with reading(cache) as connection:
        findings = validate(document, read_inventory(connection))
    if document.profile is None or not valid(findings):
        raise AssertionError(f"the profile is invalid: {findings}")
    with CacheWriter.open(cache) as writer:
        import_profile(
            writer,
            document.profile,
            canonical_sha256=canonical_sha256(document.profile),
            source=text,
            source_sha256=document.source_sha256,
            source_path="profile.yaml",
            findings=(),
            imported_by="benchmark",
            activate=activated,
        )
    return time.perf_counter() - started


def warm_profile(cache: Path) -> Step:
    """Make the facts of the profiles that have none; the step's calls are those that were given facts."""
    with CacheWriter.open(cache) as writer:
        report = warm(writer)
    if not report.finished:
        raise AssertionError("the warm did not finish")
    return Step(report.profile_calls, report.segments, report.seconds, report.parts)


def warm_anew(cache: Path) -> Step:
    """Build the read model and the facts of the active profile from nothing."""
    with CacheWriter.open(cache) as writer, writer.transaction():
        writer.connection.execute("UPDATE read_model SET digest = 'of other rules', base = 'of other rules'")
    return warm_cache(cache)


def switch(cache: Path, profile: str) -> float:
    """Make a stored profile the active one; return the seconds, opening the cache included."""
    started = time.perf_counter()
    with CacheWriter.open(cache) as writer:
        stored = activate(writer, profile)
    took = time.perf_counter() - started
    if stored.facts != "complete":
        raise AssertionError("its facts were not kept")
    return took


def change_one_call(cache: Path, edition: int) -> tuple[float, Step]:
    """Change the transcript of one call and warm; return the seconds, opening the cache included, and what was done."""
    number = next(number for number in range(3, 1_000) if corpus.call(number, SEGMENTS_A_CALL).transcript is not None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "transcripts.jsonl")
        made = corpus.call(number, SEGMENTS_A_CALL, edition=edition)
        file.write_text((made.transcript or "") + "\n", encoding="utf-8")
        import_corpus(file, cache)
    started = time.perf_counter()
    step = warm_cache(cache)
    return time.perf_counter() - started, step


def report(folder: Path, sizes: tuple[int, ...]) -> None:
    """Measure each size and print the tables."""
    rows, small = [], []
    for calls in sizes:
        source, cache = folder / f"calls-{short_number(calls)}", folder / f"profile-{short_number(calls)}.db"
        if not source.exists():
            alone(write_calls, source, calls)
        cache.unlink(missing_ok=True)
        alone(import_corpus, source, cache)
        steps: list[tuple[str, Alone[Step]]] = [("warm without a profile", alone(warm_cache, cache))]
        imported = import_yaml(cache)
        steps.append(("facts of a new profile", alone(warm_profile, cache)))
        steps.append(("warm anew with it", alone(warm_anew, cache)))
        import_yaml(cache, OTHER_PROFILE, activated=False)
        with CacheWriter.open(cache) as writer:
            want(writer, "profile_2")
        steps.append(("facts of a second one", alone(warm_profile, cache)))
        for name, took in steps:
            step = took.result
            if step.calls != calls:
                raise AssertionError(f"{name}: {step.calls} of {calls} calls")
            rows.append(
                (
                    f"{name}, {short_number(calls)}",
                    f"{calls / step.seconds:,.0f}",
                    f"{step.seconds:.1f}",
                    f"{took.cpu_seconds:.1f} + {took.helpers_cpu_seconds:.1f}",
                    f"{megabytes(took.peak_bytes)} + {megabytes(took.helpers_peak_bytes)}",
                )
            )
        changes = [change_one_call(cache, edition) for edition in range(1, _CHANGES + 1)]
        if any(step.calls != 1 for _, step in changes):
            raise AssertionError("more than the changed call was redone")
        switches = [switch(cache, f"profile_{2 - n % 2}") for n in range(2 * _CHANGES)]
        small.append(
            (
                f"{calls:,} calls",
                f"{imported:.2f}",
                f"{statistics.median(took for took, _ in changes):.3f}",
                f"{max(took for took, _ in changes):.3f}",
                f"{statistics.median(switches):.3f}",
                f"{max(switches):.3f}",
                megabytes(cache.stat().st_size),
            )
        )
    print_table(("step, calls", "calls/s", "seconds", "cpu s + helper's", "peak + helper's"), rows)
    print()
    print_table(("seconds for", "import", "1 changed call", "slowest", "activate or go back", "slowest", "file"), small)
    print(f"load average {os.getloadavg()[0]:.1f}")


def main(arguments: list[str] | None = None) -> None:
    """Measure profiles."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profiles", description=main.__doc__)
    parser.add_argument("--calls", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--dir", type=Path, help="keep the files and caches in this folder and use the files again")
    options = parser.parse_args(arguments)
    with working_folder(options.dir) as folder:
        report(folder, tuple(options.calls))


if __name__ == "__main__":
    main()
