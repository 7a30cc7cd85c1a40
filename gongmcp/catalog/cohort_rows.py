"""Columns that the analysis tools share: which cohort answers, how much of it is covered, and what that cannot show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from gongmcp.catalog.cohort_filter import Cohort
from gongmcp.catalog.vocabulary import LifecycleNotes, provenance
from gongmcp.exposure.fields import Field, exact, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store.cohorts import COVERAGE

Count = Annotated[int, shown(Field.COUNT)]
Rate = Annotated[float | None, shown(Field.MEASURE)]


class CohortNotes(LifecycleNotes):
    """Which cohort answers, and what to keep in mind of the answer."""

    cohort_id: Annotated[str | None, shown(Field.STATUS)]
    normalized_filter: Annotated[list[str] | None, shown(Field.ECHO)]
    limitations: Annotated[list[str] | None, shown(Field.STATUS)]


def cohort_notes(cohort: Cohort, limitations: list[str] | None = None) -> dict[str, Any]:
    """Return the columns of ``CohortNotes``."""
    used = any(part.text.startswith(("lifecycle", "exclude_lifecycle")) for part in cohort.parts)
    return {
        **provenance(cohort.lifecycle, used=used),
        "cohort_id": cohort.name,
        "normalized_filter": cohort.conditions or None,
        "limitations": limitations or None,
    }


class Coverage(Row):
    """How many calls a cohort has, and of how many of them what is known."""

    call_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    transcript_coverage_rate: Rate
    industry_call_count: Count
    stage_call_count: Count
    account_call_count: Count
    opportunity_call_count: Count
    external_call_count: Count
    titled_call_count: Count
    first_day: Annotated[str | None, exact(Field.TIME)]
    last_day: Annotated[str | None, exact(Field.TIME)]
    total_duration_seconds: Annotated[int | None, exact(Field.MEASURE)]


def coverage_row(found: Mapping[str, Any], cells: SmallCells) -> Coverage:
    """Return the counts that ``gongmcp.store.cohorts.coverage`` *found* as they may leave; rates are made of those."""
    counts = {name: cells.count(found[name]) for name in COVERAGE}
    return Coverage(
        **counts,
        missing_transcript_count=cells.count(found["call_count"] - found["transcript_count"]),
        transcript_coverage_rate=ratio(counts["transcript_count"], counts["call_count"]),
        first_day=found["first_day"],
        last_day=found["last_day"],
        total_duration_seconds=found["total_duration_seconds"],
    )


def ratio(part: int, whole: int) -> float | None:
    """Return *part* of *whole*, None of nothing."""
    return part / whole if whole else None


SPARSE = 0.3
"""Share of calls below which a field is too rarely filled to compare by it."""

FEW_CALLS = 30
"""Calls below which a share is not to be told as a rule."""


def limitations_of(coverage: Coverage) -> list[str]:
    """Return what the counts of *coverage* cannot show, in sentences that begin with a stable code."""
    calls = coverage.call_count
    if not calls:
        return ["empty_cohort: no call fulfils every condition; build_call_cohort counts each one."]
    found = []
    if calls < FEW_CALLS:
        found.append(f"few_calls: fewer than {FEW_CALLS} calls; shares are anecdotes.")
    if coverage.transcript_count < calls * 0.8:
        found.append("transcripts_missing: evidence covers a part of the cohort; missing_transcripts lists the rest.")
    for name, code in (("industry_call_count", "industry"), ("stage_call_count", "opportunity_stage")):
        if getattr(coverage, name) < calls * SPARSE:
            found.append(f"{code}_sparse: filled on few calls of the cohort; do not compare by it.")
    if coverage.titled_call_count < calls * SPARSE:
        found.append("persona_sparse: job titles are cached for few calls; personas are mostly unknown.")
    return found
