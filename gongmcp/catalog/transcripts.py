"""Evidence tools: what was said, as bounded snippets. Never a whole transcript."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit, SearchText, Text
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import FACT_REFINEMENTS, Bucket, FromDate, Scope, ToDate, call_filter
from gongmcp.exposure.fields import Field, Provenance, in_modes, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.snippets import snippet
from gongmcp.exposure.text import MaskedText
from gongmcp.store import segments as store
from gongmcp.store.search_query import SearchQuery, compile_query


class SegmentSearch(Arguments):
    """Arguments of ``search_transcript_segments``."""

    query: SearchText
    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    scope: Scope | None = None
    system: Text | None = None
    direction: Text | None = None
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: Annotated[bool, msgspec.Meta(description="Also show call ids (raw provenance only).")] = False
    include_speaker_ids: Annotated[bool, msgspec.Meta(description="Also show speaker ids (raw provenance only).")] = (
        False
    )


class SegmentHit(Row):
    """One matching segment (one spoken sentence)."""

    call_group: Annotated[int, shown(Field.GROUP)]
    call_ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids", Provenance.RAW)]
    speaker_ref: Annotated[str | None, in_modes(Field.SPEAKER_REF, Provenance.ALIAS, Provenance.RAW)]
    speaker_id: Annotated[str | None, opt_in(Field.SPEAKER_ID, "include_speaker_ids", Provenance.RAW)]
    segment_index: Annotated[int, shown(Field.MEASURE)]
    start_ms: Annotated[int, shown(Field.MEASURE)]
    end_ms: Annotated[int, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]


class SearchNotes(Row):
    """How the query was read and over how much the order was made."""

    query_understood: Annotated[str | None, shown(Field.ECHO)]
    query_notes: Annotated[list[str] | None, shown(Field.STATUS)]
    ranked_over: Annotated[int, shown(Field.MEASURE)]


@tool(
    "search_transcript_segments",
    title="Transcript segments",
    description="Search what was said: snippets of the best matching sentences; the newest 2,000 matches are ranked. "
    "«» marks the hit; call_group tells which rows are of one call. Never a full transcript; by default no call or "
    "speaker identity.",
    arguments=SegmentSearch,
    row=SegmentHit,
    notes=SearchNotes,
    level=Level.SNIPPET,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=("operator-smoke",),
    refinements=(*FACT_REFINEMENTS, ("", "Use a narrower query: more words, or a phrase in quotes.")),
)
def search_transcript_segments(args: SegmentSearch, scope: CallScope) -> Rows[SegmentHit]:
    """Rank the newest matches and cut a snippet around each hit."""
    query = compile_query(args.query)
    page = store.search_segments(scope.store, query, call_filter(args), scope.limit, scope.after)
    rows = [
        SegmentHit(
            call_group=hit.call_no,
            call_ref=hit.call_ref,
            call_id=hit.call_id,
            speaker_ref=hit.speaker_ref or None,
            speaker_id=hit.speaker_id or None,
            segment_index=hit.segment_index,
            start_ms=hit.start_ms,
            end_ms=hit.end_ms,
            snippet=snippet(hit.text, hit.spans, query),
        )
        for hit in page.rows
    ]
    return Rows(rows, page.more, page.keys, search_notes(query, args.query, page.ranked_over))


def search_notes(query: SearchQuery, asked: str, ranked_over: int) -> SearchNotes:
    """Return the notes of a search; how it was understood is said only where it differs from what was asked."""
    return SearchNotes(
        query_understood=None if query.understood == asked else query.understood,
        query_notes=list(query.notes) or None,
        ranked_over=ranked_over,
    )
