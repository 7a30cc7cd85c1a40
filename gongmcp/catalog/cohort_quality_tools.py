"""Evidence quality: how far a cohort bears a statement, and what it cannot show."""

from __future__ import annotations

import math
from typing import Annotated

from gongmcp.catalog.cohort_filter import CohortArguments, cohort_of
from gongmcp.catalog.cohort_rows import (
    CohortNotes,
    Coverage,
    cohort_notes,
    coverage_row,
    limitations_of,
    ratio,
)
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import cohorts as store


class ScorePart(Row):
    """One part of the score: *value* from 0 to 1, times *weight*."""

    part: Annotated[str, shown(Field.STATUS)]
    weight: Annotated[float, shown(Field.MEASURE)]
    value: Annotated[float, shown(Field.MEASURE)]
    meaning: Annotated[str, shown(Field.STATUS)]


class ScoreNotes(CohortNotes):
    """The score, 0 to 100, and the counts that it is made of."""

    quality_score: Annotated[float, shown(Field.MEASURE)]
    grade: Annotated[str, shown(Field.CATEGORY)]
    coverage: Coverage


@tool(
    "score_cohort_evidence_quality",
    title="Evidence quality",
    description="Score from 0 to 100 how well the evidence of a cohort bears a general statement, with the parts "
    "of the score. Use it before you tell a share or a trend.",
    arguments=CohortArguments,
    row=ScorePart,
    notes=ScoreNotes,
    level=Level.AGGREGATE,
    presets=PRESETS,
    examples=({"filter": {"from_date": "2026-01-01", "to_date": "2026-12-31"}},),
)
def score_cohort_evidence_quality(args: CohortArguments, scope: CallScope) -> Rows[ScorePart]:
    """Make the score of the counts as they are shown."""
    cohort = cohort_of(args, scope)
    coverage = coverage_row(store.coverage(scope.store, cohort.calls), scope.cells)
    calls = coverage.call_count

    def share(name: str) -> float:
        return (ratio(getattr(coverage, name), calls) or 0.0) if calls else 0.0

    size = min(1.0, math.log1p(coverage.transcript_count) / math.log1p(_ENOUGH))
    parts = [
        ("size", 30, size, f"calls with a transcript, on a log scale up to {_ENOUGH}"),
        ("transcripts", 25, share("transcript_count"), "share of calls with a transcript"),
        ("industry", 10, share("industry_call_count"), "share of calls with an industry"),
        ("stage", 10, share("stage_call_count"), "share of calls with an opportunity stage"),
        ("personas", 10, share("titled_call_count"), "share of calls with a job title of somebody external"),
        ("external", 15, share("external_call_count"), "share of calls with somebody external"),
    ]
    score = round(sum(weight * value for _, weight, value, _ in parts), 1) if calls else 0.0
    notes = ScoreNotes(
        **cohort_notes(cohort, limitations_of(coverage)),
        quality_score=score,
        grade="strong" if score >= 75 else "fair" if score >= 50 else "weak",
        coverage=coverage,
    )
    rows = [ScorePart(part=name, weight=weight, value=value, meaning=text) for name, weight, value, text in parts]
    return Rows(rows, notes=notes)


_ENOUGH = 100
"""Calls with a transcript from which on more of them add nothing to the score."""


class LimitationRow(Row):
    """One limitation: its code, what it means, and a way around it."""

    code: Annotated[str, shown(Field.STATUS)]
    meaning: Annotated[str, shown(Field.STATUS)]


class LimitationNotes(CohortNotes):
    """What is known of the cohort's calls."""

    coverage: Coverage
    suggested_conditions: Annotated[list[str] | None, shown(Field.STATUS)]


@tool(
    "explain_analysis_limitations",
    title="Limitations",
    description="Say what a cohort, or the whole cache, cannot show: missing transcripts, sparse industries, stages "
    "and titles, few calls; and which conditions would narrow it. Use it before conclusions are drawn.",
    arguments=CohortArguments,
    row=LimitationRow,
    notes=LimitationNotes,
    level=Level.AGGREGATE,
    presets=PRESETS,
    aliases=("diagnose_attribution_coverage", "suggest_filter_refinements"),
    examples=({}, {"filter": {"quarter": "2026-Q1"}}),
)
def explain_analysis_limitations(args: CohortArguments, scope: CallScope) -> Rows[LimitationRow]:
    """Compare what is cached of the cohort's calls with what the tools need."""
    cohort = cohort_of(args, scope, selective=False)
    coverage = coverage_row(store.coverage(scope.store, cohort.calls), scope.cells)
    found = [*limitations_of(coverage), *GENERAL]
    rows = [LimitationRow(code=code, meaning=meaning) for code, meaning in (line.split(": ", 1) for line in found)]
    refined = [sentence for name, sentence in REFINEMENTS if name not in cohort.chosen]
    notes = LimitationNotes(**cohort_notes(cohort), coverage=coverage, suggested_conditions=refined or None)
    return Rows(rows, notes=notes)


GENERAL = (
    "words_not_meaning: themes are found by words, their beginnings and listed synonyms; other words go unseen.",
    "masked_text: personal data is masked before anything is counted.",
    "association: a share that differs between groups is no cause.",
)
REFINEMENTS = (
    ("from_date", "a period: quarter, or from_date and to_date"),
    ("scope", "scope External, where customers speak"),
    ("lifecycle_bucket", "a lifecycle_bucket"),
    ("industry", "an industry or opportunity_stage"),
    ("dimension_filters", "dimension_filters, for example won_lost or persona"),
)
