"""Attributed quotes: evidence with the account and opportunity it belongs to, each name by its own opt-in."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit, SearchText, Text
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.evidence_search import SearchMode, search_said
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.transcripts import SearchNotes, context_of, search_notes
from gongmcp.catalog.vocabulary import (
    FACT_REFINEMENTS,
    Bucket,
    FromDate,
    Label,
    LifecycleSource,
    Scope,
    ToDate,
    TranscriptStatus,
    call_filter,
    lifecycle_of,
    provenance,
)
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, Provenance, in_modes, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.snippets import snippet
from gongmcp.exposure.text import MaskedText
from gongmcp.store import attribution

SpeakerRole = Literal["any", "internal", "external", "external_or_unknown"]
FieldProfile = Literal["limited", "attribution", "full"]


class QuoteSearch(Arguments):
    """Arguments of ``search_transcript_quotes_with_attribution``."""

    query: SearchText
    mode: SearchMode = "keyword"
    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    transcript_status: TranscriptStatus | None = None
    industry: Annotated[Label, msgspec.Meta(description="Part of the account's industry, any case.")] | None = None
    account_query: (
        Annotated[
            Text,
            Filters(Field.ACCOUNT_NAME, needs="include_account_names"),
            msgspec.Meta(description="Part of the account's name; needs include_account_names."),
        ]
        | None
    ) = None
    opportunity_stage: Annotated[Label, msgspec.Meta(description="Part of the stage, any case.")] | None = None
    speaker_role: SpeakerRole = "any"
    field_profile: (
        Annotated[FieldProfile, msgspec.Meta(description="limited hides identity; the others never replace a flag.")]
        | None
    ) = None
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: Annotated[bool, msgspec.Meta(description="Also show call ids.")] = False
    include_call_titles: Annotated[bool, msgspec.Meta(description="Also show call titles.")] = False
    include_account_names: Annotated[bool, msgspec.Meta(description="Also show account names and websites.")] = False
    include_opportunity_names: Annotated[
        bool, msgspec.Meta(description="Also show opportunity names, close dates and probabilities.")
    ] = False


class QuoteHit(Row):
    """One quotation; account columns are of one and the same account, opportunity columns of one opportunity."""

    call_group: Annotated[int, shown(Field.GROUP)]
    call_ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    call_date: Annotated[str, shown(Field.TIME)]
    lifecycle_bucket: Annotated[str, shown(Field.CATEGORY)]
    account_name: Annotated[MaskedText | None, opt_in(Field.ACCOUNT_NAME, "include_account_names")]
    account_website: Annotated[MaskedText | None, opt_in(Field.ACCOUNT_NAME, "include_account_names")]
    account_industry: Annotated[str | None, shown(Field.LABEL)]
    opportunity_name: Annotated[MaskedText | None, opt_in(Field.OPPORTUNITY_NAME, "include_opportunity_names")]
    opportunity_stage: Annotated[str | None, shown(Field.LABEL)]
    opportunity_type: Annotated[str | None, shown(Field.LABEL)]
    opportunity_close_date: Annotated[MaskedText | None, opt_in(Field.OPPORTUNITY_NAME, "include_opportunity_names")]
    opportunity_probability: Annotated[MaskedText | None, opt_in(Field.OPPORTUNITY_NAME, "include_opportunity_names")]
    participant_status: Annotated[str, shown(Field.CATEGORY)]
    person_title_status: Annotated[str, shown(Field.CATEGORY)]
    speaker_role: Annotated[str, shown(Field.CATEGORY)]
    speaker_role_status: Annotated[str, shown(Field.CATEGORY)]
    speaker_ref: Annotated[str | None, in_modes(Field.SPEAKER_REF, Provenance.ALIAS, Provenance.RAW)]
    segment_index: Annotated[int, shown(Field.MEASURE)]
    start_ms: Annotated[int, shown(Field.MEASURE)]
    end_ms: Annotated[int, shown(Field.MEASURE)]
    similarity: Annotated[float | None, shown(Field.MEASURE)]
    snippet: Annotated[MaskedText, shown(Field.SNIPPET)]
    context_excerpt: Annotated[list[MaskedText], shown(Field.EXCERPT)]


@tool(
    "search_transcript_quotes_with_attribution",
    title="Attributed quotes",
    description="Search what was said and tell which industry, stage and speaker role it comes from. Use it for "
    "quotes in a business case. Call ids, titles, account and opportunity names each need their own include_* flag. "
    "Whether people's titles are cached is reported, never the titles.",
    arguments=QuoteSearch,
    row=QuoteHit,
    notes=SearchNotes,
    level=Level.IDENTIFIED,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=("analyst-business-core", "analyst", "governance-search"),
    refinements=(
        *FACT_REFINEMENTS,
        ("industry", "Give an industry or opportunity_stage."),
        ("", "Use a narrower query: more words, or a phrase in quotes."),
    ),
)
def search_transcript_quotes_with_attribution(args: QuoteSearch, scope: CallScope) -> Rows[QuoteHit]:
    """Rank the newest matches and attribute each to its call's account and opportunity."""
    if args.transcript_status == "missing":
        raise ToolFault(
            "invalid_argument",
            "transcript_status=missing cannot be searched: quotes start from cached transcript segments.",
            "Use missing_transcripts for calls without a transcript.",
        )
    lifecycle = lifecycle_of(args, scope)
    wanted = call_filter(
        args,
        lifecycle,
        industry=args.industry,
        opportunity_stage=args.opportunity_stage,
        account_query=args.account_query,
        transcript_status=None,
        speaker_role=None if args.speaker_role == "any" else args.speaker_role,
    )
    page = search_said(scope, args.query, args.mode, wanted)
    buckets = lifecycle.shown(scope.store, ((hit.call_no, hit.lifecycle_bucket) for hit in page.rows))
    known = attribution.of_calls(scope.store, {hit.call_no for hit in page.rows}, scope.names)
    rows, seen = [], []
    for hit, similarity in zip(page.rows, page.similarity, strict=True):
        excerpt, evidence = context_of(scope, hit, page.query)
        seen.append(evidence)
        call = known[hit.call_no]
        speaker = attribution.speaker(scope.store, hit.call_no, hit.speaker_ref)
        rows.append(
            QuoteHit(
                call_group=hit.call_no,
                call_ref=hit.call_ref,
                call_id=hit.call_id,
                title=call.title,
                call_date=hit.call_date,
                lifecycle_bucket=buckets[hit.call_no],
                account_name=call.account_name,
                account_website=call.account_website,
                account_industry=call.account_industry or None,
                opportunity_name=call.opportunity_name,
                opportunity_stage=call.opportunity_stage or None,
                opportunity_type=call.opportunity_type or None,
                opportunity_close_date=call.opportunity_close_date,
                opportunity_probability=call.opportunity_probability,
                participant_status=call.participant_status,
                person_title_status=call.person_title_status,
                speaker_role=speaker.role,
                speaker_role_status=speaker.status,
                speaker_ref=hit.speaker_ref or None,
                segment_index=hit.segment_index,
                start_ms=hit.start_ms,
                end_ms=hit.end_ms,
                similarity=similarity,
                snippet=snippet(hit.text, hit.spans, page.query),
                context_excerpt=excerpt,
            )
        )
    notes = search_notes(page, args.query, scope, provenance(lifecycle))
    return Rows(rows, page.more, page.keys, notes, evidence=seen)
