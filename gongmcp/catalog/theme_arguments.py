"""What the theme tools share: how a theme is asked for, and the rows that show where it was spoken of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from gongmcp.analysis.theme_query import theme_query
from gongmcp.analysis.topic_packs import TopicPacks, builtin_packs
from gongmcp.catalog.arguments import Text
from gongmcp.catalog.cohort_filter import CohortArguments
from gongmcp.catalog.cohort_rows import CohortNotes, Count
from gongmcp.catalog.declaration import CallScope
from gongmcp.catalog.evidence_search import SearchMode
from gongmcp.exposure.evidence import Evidence
from gongmcp.exposure.fields import Field, Filters, Provenance, in_modes, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.snippets import excerpt_parts, snippet
from gongmcp.exposure.text import MaskedText
from gongmcp.store import attribution
from gongmcp.store.buckets import Lifecycle
from gongmcp.store.ranking import Matcher, words_outside_marks
from gongmcp.store.schema import MAX_SEGMENTS
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.segments import SegmentRow, segment_rows
from gongmcp.store.themes import ThemeHit

SpeakerRole = Literal["any", "internal", "external", "external_or_unknown"]
Theme = Annotated[
    str,
    Filters(Field.SNIPPET),
    msgspec.Meta(
        min_length=1,
        max_length=160,
        description='What to find: words (near each other in one speaker\'s turn), "a phrase", OR, -word, prefix*, or '
        "the name of a topic.",
    ),
]
TopicPackNames = Annotated[
    list[Annotated[Text, Filters(Field.ECHO)]], msgspec.Meta(description="Packs of topics; all when omitted.")
]
MAX_FORMS = 6

WHOLE_YEAR = {"filter": {"scope": "External", "from_date": "2026-01-01", "to_date": "2026-12-31"}}
"""Of the bundled sample: for the examples."""


class ThemeArguments(CohortArguments, kw_only=True):
    """Arguments of a tool that asks about one theme in one cohort."""

    theme_query: Theme
    stemming: Annotated[bool, msgspec.Meta(description="Also find other forms of the words.")] = False
    topic_packs: TopicPackNames | None = None
    speaker_role: SpeakerRole = "any"


def packs_of(scope: CallScope) -> TopicPacks:
    """Return the topic packs in force."""
    return scope.topics or builtin_packs()


def role_of(args: Any) -> str | None:
    """Return the role that speakers must have, None for any."""
    return None if args.speaker_role == "any" else str(args.speaker_role)


def query_of(args: Any, scope: CallScope) -> SearchQuery:
    """Return the search of the theme that *args* ask for.

    Raises ``ToolFault("invalid_argument")`` for a pack that does not exist.
    """
    return theme_query(args.theme_query, packs_of(scope).topics("topics", args.topic_packs), stemmed=args.stemming)


class EvidenceArguments(ThemeArguments, kw_only=True):
    """Arguments of a tool that shows where a theme was spoken of, by words or by meaning."""

    mode: SearchMode = "keyword"


class ThemeNotes(CohortNotes):
    """How the theme was understood, and where it was found at all."""

    theme_understood: Annotated[str | None, shown(Field.ECHO)]
    query_notes: Annotated[list[str] | None, shown(Field.STATUS)]
    transcript_call_count: Count
    theme_call_count: Count


class EvidenceNotes(ThemeNotes):
    """How many places there are; by meaning, how many calls could not be looked at because they have no vectors."""

    hit_count: Count
    calls_without_vectors: Annotated[int | None, shown(Field.COUNT)]


def theme_notes(query: SearchQuery | None) -> dict[str, Any]:
    """Return the columns of ``ThemeNotes`` that tell how the theme was understood; *query* is None for its meaning
    alone."""
    understood = "" if query is None else query.understood
    return {
        "theme_understood": (understood[:500] + "…") if len(understood) > 500 else understood or None,
        "query_notes": None if query is None else list(query.notes) or None,
    }


class Spoken(Row):
    """Something that was said, with what it is attributed to."""

    call_group: Annotated[int, shown(Field.GROUP)]
    call_ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    call_date: Annotated[str, shown(Field.TIME)]
    lifecycle_bucket: Annotated[str, shown(Field.CATEGORY)]
    account_name: Annotated[MaskedText | None, opt_in(Field.ACCOUNT_NAME, "include_account_names")]
    account_industry: Annotated[str | None, shown(Field.LABEL)]
    opportunity_stage: Annotated[str | None, shown(Field.LABEL)]
    speaker_ref: Annotated[str | None, in_modes(Field.SPEAKER_REF, Provenance.ALIAS, Provenance.RAW)]
    speaker_role: Annotated[str, shown(Field.CATEGORY)]
    segment_index: Annotated[int, shown(Field.MEASURE)]
    start_ms: Annotated[int, shown(Field.MEASURE)]
    end_ms: Annotated[int, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]
    context_excerpt: Annotated[list[MaskedText] | None, shown(Field.EXCERPT)]
    matched_forms: Annotated[list[str] | None, shown(Field.SNIPPET)]


def segments_of(scope: CallScope, hits: Iterable[ThemeHit]) -> dict[int, SegmentRow]:
    """Return the segments of *hits* by their rowid."""
    numbers = sorted({number for hit in hits for number in hit.segments})
    return {row.segment_no: row for row in segment_rows(scope.store, numbers)}


def spoken_rows(
    scope: CallScope,
    lifecycle: Lifecycle,
    hits: Sequence[ThemeHit],
    query: SearchQuery | Sequence[SearchQuery | None] | None,
    said: Mapping[int, SegmentRow] | None = None,
) -> tuple[list[dict[str, Any]], list[Evidence]]:
    """Return the columns of ``Spoken`` for each of *hits*, and what each shows of its call's transcript.

    *query* is marked in the snippets: one for all hits, or one for each. *said* holds the
    segments of the hits, where they were read already.
    """
    rows = said if said is not None else segments_of(scope, hits)
    buckets = lifecycle.shown(scope.store, {(rows[hit.at].call_no, rows[hit.at].lifecycle_bucket) for hit in hits})
    known = attribution.of_calls(scope.store, {hit.call_no for hit in hits}, scope.names)
    out, seen = [], []
    queries = query if isinstance(query, Sequence) else [query] * len(hits)
    for hit, sought in zip(hits, queries, strict=True):
        at = rows[hit.at]
        window = [rows[number] for number in hit.segments]
        call = known[hit.call_no]
        parts = excerpt_parts([(row.text, row.spans, row.segment_index - at.segment_index) for row in window], sought)
        out.append(
            {
                "call_group": at.call_no,
                "call_ref": at.call_ref,
                "call_id": at.call_id,
                "title": call.title,
                "call_date": at.call_date,
                "lifecycle_bucket": buckets[at.call_no],
                "account_name": call.account_name,
                "account_industry": call.account_industry or None,
                "opportunity_stage": call.opportunity_stage or None,
                "speaker_ref": at.speaker_ref or None,
                "speaker_role": attribution.speaker(scope.store, at.call_no, at.speaker_ref).role,
                "segment_index": at.segment_index,
                "start_ms": at.start_ms,
                "end_ms": at.end_ms,
                "snippet": snippet(at.text, at.spans, sought),
                "context_excerpt": parts if len(window) > 1 else None,
                "matched_forms": matched_forms([row.text for row in window], sought) or None,
            }
        )
        segments = {row.segment_index: len(row.text) for row in window}
        seen.append(Evidence(at.call_ref, segments, at.segment_count, at.text_chars))
    return out, seen


def matched_forms(texts: Iterable[str], query: SearchQuery | None) -> list[str]:
    """Return the words of *texts* that *query* matched, in the order in which they were said."""
    if query is None or query.fts is None:
        return []
    matcher = Matcher(query)
    forms: dict[str, None] = {}
    for text in texts:
        words = words_outside_marks(text)
        covered = 0  # a form inside a longer one is none of its own
        for start, end, _, _ in sorted(matcher.hits(words), key=lambda hit: (hit[0], -hit[1])):
            if end > covered:
                forms[" ".join(words[start:end])] = None
                covered = end
    return list(forms)[:MAX_FORMS]


def segment_index(number: int) -> int:
    """Return the place in its call of the segment with the rowid *number*."""
    return number & (MAX_SEGMENTS - 1)
