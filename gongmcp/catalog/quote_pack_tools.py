"""Quote packs: the best quotations of a theme in a cohort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from gongmcp.analysis.clarity import clarity
from gongmcp.analysis.near_duplicates import SeenTexts
from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import Cohort, cohort_of
from gongmcp.catalog.cohort_rows import Count, cohort_notes
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.evidence_search import NearPlaces
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    WHOLE_YEAR,
    EvidenceArguments,
    EvidenceNotes,
    SpeakerRole,
    Spoken,
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


class QuotePack(EvidenceArguments, kw_only=True):
    """Arguments of ``build_quote_pack``."""

    speaker_role: SpeakerRole = "external_or_unknown"
    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class Quote(Spoken):
    """One quotation with what its rank is made of, each part from 0 to 1."""

    similarity: Annotated[float | None, shown(Field.MEASURE)]
    relevance: Annotated[float, shown(Field.MEASURE)]
    clarity: Annotated[float, shown(Field.MEASURE)]
    rank_score: Annotated[float, shown(Field.MEASURE)]


class QuoteNotes(EvidenceNotes):
    """How many places there are, how many were ranked, and how many of those said the same as a better one."""

    ranked_count: Count
    near_duplicate_count: Count


CANDIDATES = 600
"""Places that are ranked against each other, spread over the calls."""

NEAR_CANDIDATES = 200
"""The same of those found by meaning, the nearest of all."""

NEAR_ENOUGH = 0.5
"""Similarity of a quotation that holds none of the words: one of each call must not bring in what is off the theme."""

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
    found = _candidates(args, scope, cohort, query, members)
    candidates, query_shown = found.hits, found.query
    said = segments_of(scope, [hit for hit, _ in candidates])
    graded = [_grade(scope, hit, said, query_shown, similarity) for hit, similarity in candidates]
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
    rows, evidence = spoken_rows(scope, cohort.lifecycle, [item["hit"] for item in page], query_shown, said)
    quotes = [
        Quote(
            **row,
            similarity=item["similarity"],
            relevance=item["relevance"],
            clarity=item["clarity"],
            rank_score=item["rank_score"],
        )
        for row, item in zip(rows, page, strict=True)
    ]
    notes = QuoteNotes(
        **cohort_notes(cohort),
        **theme_notes(query_shown),
        transcript_call_count=scope.cells.count(len(members)),
        theme_call_count=scope.cells.count(found.call_count),
        hit_count=scope.cells.count(found.count),
        calls_without_vectors=scope.cells.some(found.calls_without),
        ranked_count=scope.cells.count(len(candidates)),
        near_duplicate_count=scope.cells.count(len(graded) - len(kept)),
    )
    keys = [(start + at + 1,) for at in range(len(page))]
    return Rows(quotes, start + len(page) < len(pack), keys, notes, evidence=evidence)


@dataclass(frozen=True, slots=True)
class _Found:
    """The places that are ranked against each other, of how many in how many calls, and what marks them."""

    hits: list[tuple[ThemeHit, float | None]]
    count: int
    call_count: int
    query: SearchQuery | None
    calls_without: int = 0


def _candidates(args: QuotePack, scope: CallScope, cohort: Cohort, query: SearchQuery, members: set[int]) -> _Found:
    if args.mode == "keyword":
        found = theme_hits(scope.store, query, members, role_of(args))
        spread = spread_over_calls(found, scope.state.secret, CANDIDATES)
        return _Found([(hit, None) for hit in spread], len(found), len({hit.call_no for hit in found}), query)
    near = NearPlaces(scope, args.theme_query, args.mode, cohort.calls, role_of(args), query)
    best = [
        (item.hit, item.similarity)
        for item in near.page(NEAR_CANDIDATES)[0]
        if item.by_words or (item.similarity or 0.0) >= NEAR_ENOUGH
    ]
    return _Found(best, len(near), len(near.calls()), near.query, near.calls_without)


def _grade(
    scope: CallScope,
    hit: ThemeHit,
    said: Mapping[int, SegmentRow],
    query: SearchQuery | None,
    similarity: float | None,
) -> dict[str, Any]:
    text = " ".join(said[number].text for number in hit.segments)
    words = words_outside_marks(text)
    by_words = 0.0 if query is None else Matcher(query).score(text) / MAX_SCORE
    relevance = max(by_words, similarity or 0.0)
    clear = clarity(text, words)
    role = attribution.speaker(scope.store, said[hit.at].call_no, said[hit.at].speaker_ref).role
    score = 0.45 * relevance + 0.35 * clear + 0.2 * _ROLE_WORTH[role]
    return {
        "hit": hit,
        "similarity": similarity,
        "relevance": relevance,
        "clarity": clear,
        "rank_score": score,
        "words": words,
    }
