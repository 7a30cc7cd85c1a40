"""Evidence tools: what was said, as bounded snippets. Never a whole transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit, SearchText
from gongmcp.catalog.calls import CrmId, CrmType
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.evidence_search import SaidPage, SearchMode, search_said
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import (
    FACT_REFINEMENTS,
    UNUSED,
    Bucket,
    FromDate,
    Label,
    LifecycleNotes,
    LifecycleSource,
    Scope,
    ToDate,
    call_filter,
    lifecycle_of,
    provenance,
)
from gongmcp.exposure.evidence import Evidence
from gongmcp.exposure.fields import Field, Provenance, in_modes, never, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.snippets import excerpt_parts, snippet
from gongmcp.exposure.text import MaskedText
from gongmcp.store import segments as store
from gongmcp.store.calls import CallFilter, masked, objects_of_type
from gongmcp.store.search_query import SearchQuery


class SegmentSearch(Arguments):
    """Arguments of ``search_transcript_segments``."""

    query: SearchText
    mode: SearchMode = "keyword"
    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
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
    similarity: Annotated[float | None, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]


class SearchNotes(LifecycleNotes):
    """How the query was read, over how much the order was made, and which lifecycle filtered or is shown."""

    query_understood: Annotated[str | None, shown(Field.ECHO)]
    query_notes: Annotated[list[str] | None, shown(Field.STATUS)]
    ranked_over: Annotated[int, shown(Field.COUNT)]
    calls_without_vectors: Annotated[int | None, shown(Field.COUNT)]


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
    presets=("operator-smoke", "analyst-core", "analyst-business-core", "analyst", "governance-search"),
    refinements=(*FACT_REFINEMENTS, ("", "Use a narrower query: more words, or a phrase in quotes.")),
)
def search_transcript_segments(args: SegmentSearch, scope: CallScope) -> Rows[SegmentHit]:
    """Rank the newest matches and cut a snippet around each hit."""
    lifecycle = lifecycle_of(args, scope)
    page = search_said(scope, args.query, args.mode, call_filter(args, lifecycle))
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
            similarity=similarity,
            snippet=snippet(hit.text, hit.spans, page.query),
        )
        for hit, similarity in zip(page.rows, page.similarity, strict=True)
    ]
    used = provenance(lifecycle, used=args.lifecycle_bucket is not None)
    notes = search_notes(page, args.query, scope, used)
    return Rows(rows, page.more, page.keys, notes, evidence=evidence_of(page.rows))


def search_notes(page: SaidPage, asked: str, scope: CallScope, lifecycle: Mapping[str, Any] = UNUSED) -> SearchNotes:
    """Return the notes of a search; how it was understood is said only where it differs from what was asked.

    *lifecycle* is what ``provenance`` gives.
    """
    understood = page.query.understood if page.query is not None else None
    if understood is not None and understood.replace(" AND ", " ").casefold() == " ".join(asked.split()).casefold():
        understood = None
    return SearchNotes(
        query_understood=understood,
        query_notes=list(page.query.notes) or None if page.query is not None else None,
        ranked_over=page.ranked_over,
        calls_without_vectors=scope.cells.some(page.calls_without),
        **lifecycle,
    )


class FactSearch(Arguments):
    """Arguments of ``search_transcripts_by_call_facts``."""

    query: SearchText
    mode: SearchMode = "keyword"
    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    limit: Limit = None
    cursor: Cursor = None


class FactHit(Row):
    """One matching segment with its neighbours and the facts of its call. Ids and titles: under no setting."""

    call_group: Annotated[int, shown(Field.GROUP)]
    call_ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS)]
    call_id: Annotated[str, never(Field.CALL_ID)]
    speaker_ref: Annotated[str | None, in_modes(Field.SPEAKER_REF, Provenance.ALIAS)]
    speaker_id: Annotated[str | None, never(Field.SPEAKER_ID)]
    call_date: Annotated[str, shown(Field.TIME)]
    call_month: Annotated[str, shown(Field.TIME)]
    lifecycle_bucket: Annotated[str, shown(Field.CATEGORY)]
    scope: Annotated[str, shown(Field.CATEGORY)]
    system: Annotated[str, shown(Field.LABEL)]
    direction: Annotated[str, shown(Field.LABEL)]
    segment_index: Annotated[int, shown(Field.MEASURE)]
    start_ms: Annotated[int, shown(Field.MEASURE)]
    end_ms: Annotated[int, shown(Field.MEASURE)]
    similarity: Annotated[float | None, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]
    context_excerpt: Annotated[list[MaskedText], shown(Field.EXCERPT)]


@tool(
    "search_transcripts_by_call_facts",
    title="Evidence by call facts",
    description="Search what was said within dates, lifecycle, scope, system or direction; each hit comes with the end "
    "of the segment before and the beginning of the next. Use it for scoped evidence with context. Never a call "
    "id, title or speaker id, in any mode.",
    arguments=FactSearch,
    row=FactHit,
    notes=SearchNotes,
    level=Level.SNIPPET,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=("analyst-business-core", "analyst", "governance-search"),
    refinements=(*FACT_REFINEMENTS, ("", "Use a narrower query: more words, or a phrase in quotes.")),
)
def search_transcripts_by_call_facts(args: FactSearch, scope: CallScope) -> Rows[FactHit]:
    """Rank the newest matches in scope and give each its neighbours."""
    lifecycle = lifecycle_of(args, scope)
    page = search_said(scope, args.query, args.mode, call_filter(args, lifecycle))
    buckets = lifecycle.shown(scope.store, ((hit.call_no, hit.lifecycle_bucket) for hit in page.rows))
    around = [context_of(scope, hit, page.query) for hit in page.rows]
    rows = [
        FactHit(
            call_group=hit.call_no,
            call_ref=hit.call_ref,
            call_id=hit.call_id,
            speaker_ref=hit.speaker_ref or None,
            speaker_id=hit.speaker_id or None,
            call_date=hit.call_date,
            call_month=hit.call_month,
            lifecycle_bucket=buckets[hit.call_no],
            scope=hit.scope,
            system=hit.system,
            direction=hit.direction,
            segment_index=hit.segment_index,
            start_ms=hit.start_ms,
            end_ms=hit.end_ms,
            similarity=similarity,
            snippet=snippet(hit.text, hit.spans, page.query),
            context_excerpt=excerpt,
        )
        for hit, similarity, (excerpt, _) in zip(page.rows, page.similarity, around, strict=True)
    ]
    notes = search_notes(page, args.query, scope, provenance(lifecycle))
    return Rows(rows, page.more, page.keys, notes, evidence=[evidence for _, evidence in around])


def context_of(scope: CallScope, hit: store.SegmentRow, query: SearchQuery | None) -> tuple[list[MaskedText], Evidence]:
    """Return the excerpt around *hit* (end of the segment before, the hit itself, beginning of the next one), and
    the segments that it is made of."""
    around = store.excerpt(scope.store, hit.call_no, hit.segment_index)
    parts = excerpt_parts([(item.text, item.spans, item.segment_index - hit.segment_index) for item in around], query)
    return parts, _evidence(hit, around)


def evidence_of(hits: Iterable[store.SegmentRow]) -> list[Evidence]:
    """Return what rows of one segment each show of their calls' transcripts."""
    return [_evidence(hit, (hit,)) for hit in hits]


def _evidence(hit: store.SegmentRow, shown: Iterable[store.SegmentRow]) -> Evidence:
    segments = {item.segment_index: len(item.text) for item in shown}
    return Evidence(hit.call_ref, segments, hit.segment_count, hit.text_chars)


class ContextSearch(Arguments):
    """Arguments of ``search_transcripts_by_crm_context``."""

    query: SearchText
    object_type: CrmType
    object_id: CrmId | None = None
    mode: SearchMode = "keyword"
    limit: Limit = None
    cursor: Cursor = None


class ContextHit(Row):
    """One matching segment of a call that carries such a CRM object."""

    call_group: Annotated[int, shown(Field.GROUP)]
    call_ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    call_id: Annotated[str, never(Field.CALL_ID)]
    speaker_ref: Annotated[str | None, in_modes(Field.SPEAKER_REF, Provenance.ALIAS, Provenance.RAW)]
    speaker_id: Annotated[str | None, never(Field.SPEAKER_ID)]
    call_date: Annotated[str, shown(Field.TIME)]
    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    object_ref: Annotated[str | None, in_modes(Field.OBJECT_REF, Provenance.ALIAS)]
    object_id: Annotated[str | None, never(Field.CRM_OBJECT_ID)]
    object_name: Annotated[MaskedText | None, never(Field.CRM_OBJECT_NAME)]
    matching_object_count: Annotated[int, shown(Field.MEASURE)]
    segment_index: Annotated[int, shown(Field.MEASURE)]
    start_ms: Annotated[int, shown(Field.MEASURE)]
    end_ms: Annotated[int, shown(Field.MEASURE)]
    similarity: Annotated[float | None, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]


@tool(
    "search_transcripts_by_crm_context",
    title="Evidence by CRM context",
    description="Search what was said on calls that carry a CRM object of a type, or one object. Use it for evidence "
    "of one deal or account whose object id or object_ref is known. Never a call id, title, object id or name.",
    arguments=ContextSearch,
    row=ContextHit,
    notes=SearchNotes,
    level=Level.SNIPPET,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=("analyst", "governance-search"),
    refinements=(("object_id", "Give an object_id."), ("", "Use a narrower query: more words, or a phrase in quotes.")),
)
def search_transcripts_by_crm_context(args: ContextSearch, scope: CallScope) -> Rows[ContextHit]:
    """Rank the newest matches on calls with the object."""
    wanted = CallFilter(crm_object_type=args.object_type, crm_object_id=args.object_id)
    page = search_said(scope, args.query, args.mode, wanted)
    attached = {
        call_no: objects_of_type(scope.store, call_no, args.object_type, args.object_id)
        for call_no in {hit.call_no for hit in page.rows}
    }
    rows = []
    for hit, similarity in zip(page.rows, page.similarity, strict=True):
        objects = attached[hit.call_no]
        rows.append(
            ContextHit(
                call_group=hit.call_no,
                call_ref=hit.call_ref,
                call_id=hit.call_id,
                speaker_ref=hit.speaker_ref or None,
                speaker_id=hit.speaker_id or None,
                call_date=hit.call_date,
                object_type=args.object_type,
                object_ref=objects[0]["object_ref"],
                object_id=objects[0]["object_id"],
                object_name=masked(objects[0], "name"),
                matching_object_count=len(objects),
                segment_index=hit.segment_index,
                start_ms=hit.start_ms,
                end_ms=hit.end_ms,
                similarity=similarity,
                snippet=snippet(hit.text, hit.spans, page.query),
            )
        )
    notes = search_notes(page, args.query, scope)
    return Rows(rows, page.more, page.keys, notes, evidence=evidence_of(page.rows))
