"""Theme tools: what a cohort speaks of, where, how often by dimension, and the best quotations of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from gongmcp.analysis.clarity import clarity
from gongmcp.analysis.intervals import wilson
from gongmcp.analysis.log_likelihood import lift, log_likelihood
from gongmcp.analysis.near_duplicates import SeenTexts
from gongmcp.analysis.ngrams import TermCounts, is_content, is_part_of, spoken_words
from gongmcp.analysis.stop_words import stop_words
from gongmcp.catalog.arguments import Cursor, DimensionMark, Limit, Text
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import CohortArguments, cohort_of
from gongmcp.catalog.cohort_rows import CohortNotes, Count, Rate, cohort_notes, ratio
from gongmcp.catalog.cohort_tools import PRESETS, dimension_of
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    SpeakerRole,
    Spoken,
    ThemeArguments,
    ThemeNotes,
    query_of,
    role_of,
    segments_of,
    spoken_rows,
    theme_notes,
)
from gongmcp.exposure.fields import Field, Filters, by, exact, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import cohorts as store
from gongmcp.store import samples
from gongmcp.store.calls import CallFilter
from gongmcp.store.facts import BLANK
from gongmcp.store.ranking import MAX_SCORE, Matcher, words_outside_marks
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.segments import SegmentRow
from gongmcp.store.themes import ThemeHit, in_seeded_order, theme_hits

EXAMPLE = {"filter": {"scope": "External", "from_date": "2026-01-01", "to_date": "2026-12-31"}}


class ThemeSearch(ThemeArguments, kw_only=True):
    """Arguments of ``search_transcripts_by_filters``."""

    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class ThemeRow(Spoken):
    """One place where the theme was spoken of, newest first."""


class SearchedTheme(ThemeNotes):
    """How many places there are."""

    hit_count: Count


@tool(
    "search_transcripts_by_filters",
    title="Evidence in a cohort",
    description="Find where a theme was spoken of in a cohort, newest first. The words of a theme may stand in "
    "neighbouring sentences of one speaker; matched_forms tells what was found. Use build_quote_pack for the best few.",
    arguments=ThemeSearch,
    row=ThemeRow,
    notes=SearchedTheme,
    level=Level.SNIPPET,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    examples=(
        {**EXAMPLE, "theme_query": "supply chain", "limit": 3},
        {"filter": {"quarter": "2026-Q1"}, "theme_query": "pricing", "stemming": True, "speaker_role": "external"},
        {**EXAMPLE, "theme_query": "zebrafish"},
    ),
)
def search_transcripts_by_filters(args: ThemeSearch, scope: CallScope) -> Rows[ThemeRow]:
    """Page through the places by descending time."""
    cohort = cohort_of(args, scope)
    query = query_of(args, scope)
    members = store.numbers(scope.store, cohort.calls, with_transcript=True)
    found = theme_hits(scope.store, query, members, role_of(args))
    left = [hit for hit in found if scope.after is None or hit.at < int(scope.after[0])]
    page = left[: scope.limit]
    rows, evidence = spoken_rows(scope, cohort, page, query)
    notes = SearchedTheme(
        **cohort_notes(cohort),
        **theme_notes(query),
        transcript_call_count=scope.cells.count(len(members)),
        theme_call_count=scope.cells.count(len({hit.call_no for hit in found})),
        hit_count=scope.cells.count(len(found)),
    )
    more = len(left) > len(page)
    return Rows([ThemeRow(**row) for row in rows], more, [(hit.at,) for hit in page], notes, evidence=evidence)


class QuotePack(ThemeArguments, kw_only=True):
    """Arguments of ``build_quote_pack``."""

    speaker_role: SpeakerRole = "external_or_unknown"
    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class Quote(Spoken):
    """One quotation with what its rank is made of, each part from 0 to 1."""

    relevance: Annotated[float, shown(Field.MEASURE)]
    clarity: Annotated[float, shown(Field.MEASURE)]
    rank_score: Annotated[float, shown(Field.MEASURE)]


class QuoteNotes(ThemeNotes):
    """How many places there are, how many were ranked, and how many of those said the same as a better one."""

    hit_count: Count
    ranked_count: Count
    near_duplicate_count: Count


CANDIDATES = 600
"""Places that are ranked against each other, spread over the calls."""

PER_CALL = 3
"""Quotations of one call in a pack."""

_ROLE_WORTH: Mapping[str, float] = {"external": 1.0, "unknown": 0.6, "internal": 0.2}


@tool(
    "build_quote_pack",
    title="Quote pack",
    description="Choose the best quotations of a theme in a cohort: relevant, clear, by somebody external first; one "
    "of each call before a second, near-duplicates left out. Use it for evidence of a claim.",
    arguments=QuotePack,
    row=Quote,
    notes=QuoteNotes,
    level=Level.IDENTIFIED,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=(
        *("extract_theme_quotes", "search_quotes_in_cohort", "rank_quotes_for_sales_use", "build_theme_brief"),
        *("generate_sales_hooks_from_themes", "generate_outreach_sequence_inputs"),
    ),
    examples=(
        {**EXAMPLE, "theme_query": "demand", "limit": 4},
        {**EXAMPLE, "theme_query": "outlook", "include_account_names": True, "include_call_titles": True, "limit": 2},
    ),
)
def build_quote_pack(args: QuotePack, scope: CallScope) -> Rows[Quote]:
    """Rank candidates of many calls and spread the pack over the calls."""
    cohort = cohort_of(args, scope)
    query = query_of(args, scope)
    members = store.numbers(scope.store, cohort.calls, with_transcript=True)
    found = theme_hits(scope.store, query, members, role_of(args))
    candidates = _spread(found, scope.state.secret)
    said = segments_of(scope, candidates)
    graded = [_grade(scope, hit, said, query) for hit in candidates]
    graded.sort(key=lambda item: (-item["rank_score"], -item["hit"].at))
    seen = SeenTexts()
    kept = [item for item in graded if seen.is_new(item.pop("words"))]
    nth: Counter[int] = Counter()
    for item in kept:
        nth[item["hit"].call_no] += 1
        item["nth"] = nth[item["hit"].call_no]
    pack = sorted((item for item in kept if item["nth"] <= PER_CALL), key=lambda item: item["nth"])
    start = int(scope.after[0]) if scope.after else 0
    page = pack[start : start + scope.limit] if scope.limit else pack[start:]
    rows, evidence = spoken_rows(scope, cohort, [item["hit"] for item in page], query, said)
    quotes = [
        Quote(**row, relevance=item["relevance"], clarity=item["clarity"], rank_score=item["rank_score"])
        for row, item in zip(rows, page, strict=True)
    ]
    notes = QuoteNotes(
        **cohort_notes(cohort),
        **theme_notes(query),
        transcript_call_count=scope.cells.count(len(members)),
        theme_call_count=scope.cells.count(len({hit.call_no for hit in found})),
        hit_count=scope.cells.count(len(found)),
        ranked_count=scope.cells.count(len(candidates)),
        near_duplicate_count=scope.cells.count(len(graded) - len(kept)),
    )
    keys = [(start + at + 1,) for at in range(len(page))]
    return Rows(quotes, start + len(page) < len(pack), keys, notes, evidence=evidence)


def _spread(found: list[ThemeHit], secret: bytes) -> list[ThemeHit]:
    """Return at most ``CANDIDATES`` of *found*: of each call as many as of the others, as far as it has them."""
    if len(found) <= CANDIDATES:
        return found
    by_call: dict[int, list[ThemeHit]] = {}
    for hit in found:
        by_call.setdefault(hit.call_no, []).append(hit)
    order = in_seeded_order(by_call, secret)
    chosen: list[ThemeHit] = []
    for nth in range(max(map(len, by_call.values()))):
        for call in order:
            if nth < len(by_call[call]):
                chosen.append(by_call[call][nth])
                if len(chosen) == CANDIDATES:
                    return chosen
    return chosen


def _grade(scope: CallScope, hit: ThemeHit, said: Mapping[int, SegmentRow], query: SearchQuery) -> dict[str, Any]:
    text = " ".join(said[number].text for number in hit.segments)
    words = words_outside_marks(text)
    relevance = Matcher(query).score(text) / MAX_SCORE
    clear = clarity(text, words)
    role = attribution_role(scope, said[hit.at])
    score = 0.45 * relevance + 0.35 * clear + 0.2 * _ROLE_WORTH[role]
    return {"hit": hit, "relevance": relevance, "clarity": clear, "rank_score": score, "words": words}


def attribution_role(scope: CallScope, said: SegmentRow) -> str:
    """Return internal, external or unknown: who says *said*."""
    from gongmcp.store import attribution

    return attribution.speaker(scope.store, said.call_no, said.speaker_ref).role


class ThemeByDimension(ThemeArguments, kw_only=True):
    """Arguments of ``summarize_themes_by_dimension``."""

    dimension: Annotated[str, DimensionMark(analysis=True), msgspec.Meta(description="What calls are compared by.")]
    concept: (
        Annotated[
            Text,
            Filters(Field.SETTING_NAME),
            msgspec.Meta(description="With dimension=profile_concept: a groupable field concept of the profile."),
        ]
        | None
    ) = None
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
        {**EXAMPLE, "theme_query": "supply chain", "dimension": "industry"},
        {**EXAMPLE, "theme_query": "guidance OR outlook", "dimension": "quarter"},
        {**EXAMPLE, "theme_query": "pricing", "dimension": "won_lost", "stemming": True},
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
    counted = [{"value": label, "calls": sizes[label], "themed": spoken[label]} for label in sizes]
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


class ThemeDiscovery(CohortArguments):
    """Arguments of ``discover_themes_in_cohort``."""

    speaker_role: SpeakerRole = "any"
    limit: Limit = None
    cursor: Cursor = None


class FoundTheme(Row):
    """A word, or two or three in a row, that the cohort says more often than other calls."""

    theme: Annotated[str, shown(Field.SNIPPET)]
    call_count: Count
    occurrence_count: Count
    background_call_count: Count
    call_share: Rate
    log_likelihood: Annotated[float | None, exact(Field.MEASURE)]
    lift: Annotated[float | None, exact(Field.MEASURE)]


class DiscoveryNotes(CohortNotes):
    """Over how many calls the words were counted, of the cohort and of the other calls."""

    transcript_call_count: Count
    counted_call_count: Count
    background_call_count: Count
    sampled: Annotated[bool, shown(Field.STATUS)]


MAX_THEMES = 200
SURE = 10.83
"""G² from which on a difference is no chance, one time in a thousand aside."""


@tool(
    "discover_themes_in_cohort",
    title="Themes of a cohort",
    description="Find the words and phrases that set a cohort apart from all other calls (log-likelihood), each said "
    "in at least two calls. Use it when no theme is known; then ask about one by its words.",
    arguments=ThemeDiscovery,
    row=FoundTheme,
    notes=DiscoveryNotes,
    level=Level.SNIPPET,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    examples=({"filter": {"industry": "tech"}, "limit": 5}, {"filter": {"quarter": "2026-Q1"}}),
)
def discover_themes_in_cohort(args: ThemeDiscovery, scope: CallScope) -> Rows[FoundTheme]:
    """Count terms in a sample of the cohort and in one of the other calls, and compare."""
    cohort = cohort_of(args, scope)
    secret, role = scope.state.secret, role_of(args)
    inside = samples.transcripts(scope.store, cohort.calls)
    outside = {
        number: count
        for number, count in samples.transcripts(scope.store, CallFilter()).items()
        if number not in inside
    }
    chosen, others = samples.sample(inside, secret), samples.sample(outside, secret)
    stop = frozenset().union(
        *(stop_words(language) for language in samples.languages(scope.store, cohort.calls) or {None})
    )
    least = max(2, scope.cells.least)
    here = _counted(scope, chosen, role, stop, least)
    kept = {term for term, calls in here.calls.items() if calls >= least}
    there = TermCounts()
    words = {word for term in kept for word in term.split()}
    for _, texts in samples.texts(scope.store, others.calls, role):
        there.add_call((spoken_words(text) for _, text in texts), stop, words)
    found = _ranked(here, there, kept)
    if scope.cells.active:
        found.sort(key=lambda row: (-scope.cells.count(row["calls"]), row["theme"]))
    counted = len(chosen.calls)
    rows = [
        FoundTheme(
            theme=row["theme"],
            call_count=row["calls"],
            occurrence_count=row["count"],
            background_call_count=row["other_calls"],
            call_share=ratio(scope.cells.count(row["calls"]), scope.cells.count(counted)),
            log_likelihood=row["g2"],
            lift=row["lift"],
        )
        for row in scope.cells.enough(found, "calls")
    ]
    limits = []
    if not others.calls:
        limits.append("no_background: every call is in the cohort; words are those said in most calls.")
    if counted < 10:
        limits.append("few_calls: words of fewer than 10 calls tell of these calls, not of a kind of calls.")
    if not (chosen.is_whole and others.is_whole):
        limits.append(
            f"sampled: words were counted in at most {samples.MAX_CALLS} calls and {samples.MAX_SEGMENTS} segments "
            "of each side, chosen by a fixed order."
        )
    notes = DiscoveryNotes(
        **cohort_notes(cohort, limits),
        transcript_call_count=scope.cells.count(len(inside)),
        counted_call_count=scope.cells.count(counted),
        background_call_count=scope.cells.count(len(others.calls)),
        sampled=not (chosen.is_whole and others.is_whole),
    )
    return Rows.page(rows, scope, notes)


def _counted(
    scope: CallScope, chosen: samples.Sample, role: str | None, stop: frozenset[str], least: int
) -> TermCounts:
    """Count the terms of a sample whose words are said in *least* calls: others make no theme, and are many."""
    spread: Counter[str] = Counter()
    said = []
    for _, texts in samples.texts(scope.store, chosen.calls, role):
        words = [spoken_words(text) for _, text in texts]
        spread.update({word for segment in words for word in segment})
        said.append(words)
    among = {word for word, calls in spread.items() if calls >= least and is_content(word, stop)}
    here = TermCounts()
    for call in said:
        here.add_call(call, stop, among)
    return here


def _ranked(here: TermCounts, there: TermCounts, kept: set[str]) -> list[dict[str, Any]]:
    """Return the terms that are more frequent here than there, surest first; a part of a longer term that is seldom
    said without it is left out."""
    graded = []
    for term in kept:
        count, other = here.occurrences[term], there.occurrences[term]
        g2 = log_likelihood(count, here.words, other, there.words) if there.words else None
        if g2 is not None and g2 < SURE:
            continue
        graded.append(
            {
                "theme": term,
                "calls": here.calls[term],
                "count": count,
                "other_calls": there.calls[term],
                "g2": g2,
                "lift": lift(count, here.words, other, there.words) if there.words else None,
            }
        )
    graded.sort(key=lambda row: (-(row["g2"] or 0.0), -row["calls"], -row["count"], row["theme"]))
    out: list[dict[str, Any]] = []
    for row in graded[: 4 * MAX_THEMES]:
        covered = any(
            is_part_of(row["theme"], longer["theme"]) and longer["count"] >= 0.7 * row["count"] for longer in graded
        )
        if not covered:
            out.append(row)
    return out[:MAX_THEMES]
