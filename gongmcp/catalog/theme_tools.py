"""Theme tools: where a cohort speaks of a theme, and how often by dimension."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import msgspec

from gongmcp.analysis.intervals import wilson
from gongmcp.catalog.arguments import Cursor, DimensionMark, Limit
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import Cohort, GroupConcept, cohort_of
from gongmcp.catalog.cohort_rows import Count, Rate, cohort_notes, ratio
from gongmcp.catalog.cohort_tools import PRESETS, dimension_of
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.evidence_search import NearPlaces
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    WHOLE_YEAR,
    EvidenceArguments,
    EvidenceNotes,
    Spoken,
    ThemeArguments,
    ThemeNotes,
    query_of,
    role_of,
    spoken_rows,
    theme_notes,
)
from gongmcp.exposure.fields import Field, by, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import cohorts as store
from gongmcp.store.facts import BLANK
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.themes import theme_hits


class ThemeSearch(EvidenceArguments, kw_only=True):
    """Arguments of ``search_transcripts_by_filters``."""

    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class ThemeRow(Spoken):
    """One place where the theme was spoken of, newest first; by meaning, nearest first."""

    similarity: Annotated[float | None, shown(Field.MEASURE)]


@tool(
    "search_transcripts_by_filters",
    title="Evidence in a cohort",
    description="Find where a theme was spoken of in a cohort, newest first. The words of a theme may stand in "
    "neighbouring sentences of one speaker; matched_forms tells what was found. Use build_quote_pack for the best few.",
    arguments=ThemeSearch,
    row=ThemeRow,
    notes=EvidenceNotes,
    level=Level.IDENTIFIED,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    examples=(
        {**WHOLE_YEAR, "theme_query": "supply chain", "limit": 3},
        {"filter": {"quarter": "2026-Q1"}, "theme_query": "pricing", "stemming": True, "speaker_role": "external"},
        {**WHOLE_YEAR, "theme_query": "zebrafish"},
    ),
)
def search_transcripts_by_filters(args: ThemeSearch, scope: CallScope) -> Rows[ThemeRow]:
    """Page through the places: by descending time those of words, by descending likeness those of meaning."""
    cohort = cohort_of(args, scope)
    query = query_of(args, scope)
    members = store.numbers(scope.store, cohort.calls, with_transcript=True)
    if args.mode != "keyword":
        return _by_meaning(args, scope, cohort, query, len(members))
    found = theme_hits(scope.store, query, members, role_of(args))
    left = [hit for hit in found if scope.after is None or hit.at < int(scope.after[0])]
    page = left[: scope.limit]
    rows, evidence = spoken_rows(scope, cohort.lifecycle, page, query)
    notes = EvidenceNotes(
        **cohort_notes(cohort),
        **theme_notes(query),
        transcript_call_count=scope.cells.count(len(members)),
        theme_call_count=scope.cells.count(len({hit.call_no for hit in found})),
        hit_count=scope.cells.count(len(found)),
        calls_without_vectors=None,
    )
    more = len(left) > len(page)
    shown_rows = [ThemeRow(**row, similarity=None) for row in rows]
    return Rows(shown_rows, more, [(hit.at,) for hit in page], notes, evidence=evidence)


def _by_meaning(
    args: ThemeSearch, scope: CallScope, cohort: Cohort, query: SearchQuery, transcripts: int
) -> Rows[ThemeRow]:
    near = NearPlaces(scope, args.theme_query, args.mode, cohort.calls, role_of(args), query)
    page, more = near.page(scope.limit, scope.after)
    columns, evidence = spoken_rows(scope, cohort.lifecycle, [item.hit for item in page], near.query)
    rows = [ThemeRow(**row, similarity=item.similarity) for row, item in zip(columns, page, strict=True)]
    notes = EvidenceNotes(
        **cohort_notes(cohort),
        **theme_notes(near.query),
        transcript_call_count=scope.cells.count(transcripts),
        theme_call_count=scope.cells.count(len(near.calls())),
        hit_count=scope.cells.count(len(near)),
        calls_without_vectors=scope.cells.some(near.calls_without),
    )
    return Rows(rows, more, [item.key for item in page], notes, evidence=evidence)


class ThemeByDimension(ThemeArguments, kw_only=True):
    """Arguments of ``summarize_themes_by_dimension``."""

    dimension: Annotated[str, DimensionMark(analysis=True), msgspec.Meta(description="What calls are compared by.")]
    concept: GroupConcept | None = None
    limit: Limit = None
    cursor: Cursor = None


class ThemeGroup(Row):
    """How many of a group's calls speak of the theme; calls without a transcript are not counted."""

    value: Annotated[str, by("dimension")]
    call_count: Count
    theme_call_count: Count
    share: Rate
    share_low: Rate
    share_high: Rate
    lift: Rate


class DimensionTheme(ThemeNotes):
    """The share of all calls of the cohort, which groups are compared with."""

    dimension: Annotated[str, shown(Field.CATEGORY)]
    base_share: Rate


@tool(
    "summarize_themes_by_dimension",
    title="Theme by dimension",
    description="Compare how many calls speak of a theme by month, quarter, industry, stage, persona, won_lost, "
    "loss_reason or another dimension: counts, share, its 95 % interval, lift over the cohort's share. Differences "
    "inside the intervals are noise.",
    arguments=ThemeByDimension,
    row=ThemeGroup,
    notes=DimensionTheme,
    level=Level.AGGREGATE,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=(
        *("compare_themes_over_time", "compare_themes_by_segment", "compare_theme_outcomes"),
        *("compare_won_lost_theme_patterns", "summarize_pipeline_progression_by_theme"),
        *("summarize_loss_reasons_by_theme", "summarize_themes_by_persona", "summarize_themes_by_industry"),
        *("rank_personas_by_insight_quality", "recommend_target_personas_and_industries"),
    ),
    examples=(
        {**WHOLE_YEAR, "theme_query": "supply chain", "dimension": "industry"},
        {**WHOLE_YEAR, "theme_query": "guidance OR outlook", "dimension": "quarter"},
        {**WHOLE_YEAR, "theme_query": "pricing", "dimension": "won_lost", "stemming": True},
    ),
)
def summarize_themes_by_dimension(args: ThemeByDimension, scope: CallScope) -> Rows[ThemeGroup]:
    """Count the calls of each group, and those that speak of the theme."""
    cohort = cohort_of(args, scope)
    query = query_of(args, scope)
    value = dimension_of(args, scope, cohort)
    labels = {
        row["call_no"]: str(row["value"]) or BLANK
        for row in store.valued(scope.store, cohort.calls, value)
        if row["transcript_present"]
    }
    themed = {hit.call_no for hit in theme_hits(scope.store, query, labels.keys(), role_of(args))}
    sizes, spoken = Counter(labels.values()), Counter(labels[number] for number in themed)
    counted: list[dict[str, Any]] = [
        {"value": label, "calls": sizes[label], "themed": spoken[label]} for label in sizes
    ]
    in_time = args.dimension in ("month", "quarter", "call_month")
    counted.sort(key=lambda row: row["value"] if in_time else (-row["calls"], row["value"]))
    all_calls, all_themed = scope.cells.count(len(labels)), scope.cells.count(len(themed))
    base = ratio(all_themed, all_calls)
    rows = []
    for group in scope.cells.groups(counted, "value", ("calls",), add=("themed",)):
        share = ratio(group["themed"], group["calls"])
        low, high = wilson(group["themed"], group["calls"])
        rows.append(
            ThemeGroup(
                value=group["value"],
                call_count=group["calls"],
                theme_call_count=group["themed"],
                share=share,
                share_low=low,
                share_high=high,
                lift=share / base if share is not None and base else None,
            )
        )
    limits = ["small_groups: a group of fewer than 10 calls has a wide interval."] if _has_small(rows) else []
    notes = DimensionTheme(
        **cohort_notes(cohort, limits),
        **theme_notes(query),
        transcript_call_count=all_calls,
        theme_call_count=all_themed,
        dimension=args.dimension,
        base_share=base,
    )
    return Rows.page(rows, scope, notes)


def _has_small(rows: list[ThemeGroup]) -> bool:
    return any(row.call_count < 10 for row in rows)
