"""Quote packs: the best quotations of a theme in a cohort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from gongmcp.analysis.clarity import clarity
from gongmcp.analysis.near_duplicates import SeenTexts
from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import cohort_of
from gongmcp.catalog.cohort_rows import Count, cohort_notes
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    WHOLE_YEAR,
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
from gongmcp.exposure.fields import Field, shown
from gongmcp.store import attribution
from gongmcp.store import cohorts as store
from gongmcp.store.ranking import MAX_SCORE, Matcher, words_outside_marks
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.segments import SegmentRow
from gongmcp.store.themes import ThemeHit, spread_over_calls, theme_hits


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
        {**WHOLE_YEAR, "theme_query": "demand", "limit": 4},
        {
            **WHOLE_YEAR,
            "theme_query": "outlook",
            "include_account_names": True,
            "include_call_titles": True,
            "limit": 2,
        },
    ),
)
def build_quote_pack(args: QuotePack, scope: CallScope) -> Rows[Quote]:
    """Rank candidates of many calls and spread the pack over the calls."""
    cohort = cohort_of(args, scope)
    query = query_of(args, scope)
    members = store.numbers(scope.store, cohort.calls, with_transcript=True)
    found = theme_hits(scope.store, query, members, role_of(args))
    candidates = spread_over_calls(found, scope.state.secret, CANDIDATES)
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
    rows, evidence = spoken_rows(scope, cohort.lifecycle, [item["hit"] for item in page], query, said)
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


def _grade(scope: CallScope, hit: ThemeHit, said: Mapping[int, SegmentRow], query: SearchQuery) -> dict[str, Any]:
    text = " ".join(said[number].text for number in hit.segments)
    words = words_outside_marks(text)
    relevance = Matcher(query).score(text) / MAX_SCORE
    clear = clarity(text, words)
    role = attribution.speaker(scope.store, said[hit.at].call_no, said[hit.at].speaker_ref).role
    score = 0.45 * relevance + 0.35 * clear + 0.2 * _ROLE_WORTH[role]
    return {"hit": hit, "relevance": relevance, "clarity": clear, "rank_score": score, "words": words}
