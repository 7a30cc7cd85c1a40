"""Call tools: rows that are calls. Each carries ``call_ref``, so that an agent can follow up."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gongmcp.catalog.arguments import CallRef, Cursor, Limit
from gongmcp.catalog.declaration import NO_SUCH_CALL, Arguments, CallScope, Level, NotFound, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import (
    FACT_REFINEMENTS,
    Bucket,
    FromDate,
    Label,
    LifecycleNotes,
    LifecycleSource,
    Scope,
    ToDate,
    TranscriptStatus,
    call_filter,
    lifecycle_of,
    provenance,
)
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, Provenance, in_modes, never, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import calls as store
from gongmcp.store.buckets import lifecycle_at_hand

MAX_OBJECTS = 20
MAX_FIELD_NAMES = 50

IncludeIds = Annotated[bool, msgspec.Meta(description="Also show call ids.")]
IncludeTitles = Annotated[bool, msgspec.Meta(description="Also show call titles.")]
CrmType = Annotated[
    str,
    Filters(Field.CRM_TYPE),
    msgspec.Meta(min_length=1, max_length=120, description="CRM object type as list_crm_object_types gives it."),
]
CrmId = Annotated[
    str,
    Filters(Field.CRM_OBJECT_ID),
    msgspec.Meta(min_length=1, max_length=120, description="CRM object id or object_ref."),
]


class CallSearch(Arguments):
    """Filters of ``search_calls``."""

    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    transcript_status: TranscriptStatus | None = None
    crm_object_type: CrmType | None = None
    crm_object_id: CrmId | None = None
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False


class CallRow(Row):
    """One call, newest first."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    started_at: Annotated[str, shown(Field.TIME)]
    duration_seconds: Annotated[int, shown(Field.MEASURE)]
    parties_count: Annotated[int, shown(Field.MEASURE)]
    transcript_status: Annotated[str, shown(Field.CATEGORY)]


@tool(
    "search_calls",
    title="Calls",
    description="List calls, newest first, by date, lifecycle, scope, system, direction, transcript status or an "
    "attached CRM object. Use it to find calls; search_transcript_segments finds what was said. Ids and titles need "
    "their flag.",
    arguments=CallSearch,
    row=CallRow,
    notes=LifecycleNotes,
    level=Level.METADATA,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=("operator-smoke", "analyst-core", "analyst-business-core", "governance-search"),
    refinements=(*FACT_REFINEMENTS, ("crm_object_type", "Give a crm_object_type.")),
)
def search_calls(args: CallSearch, scope: CallScope) -> Rows[CallRow]:
    """Page through calls by descending start."""
    lifecycle = lifecycle_of(args, scope)
    page = store.search_calls(scope.store, call_filter(args, lifecycle), scope.limit, _before(scope))
    notes = LifecycleNotes(**provenance(lifecycle, used=args.lifecycle_bucket is not None))
    return Rows([_call_row(row) for row in page.rows], page.more, [(row["call_no"],) for row in page.rows], notes)


def _before(scope: CallScope) -> int | None:
    return int(scope.after[0]) if scope.after else None


def _call_row(row: store.CallRecord) -> CallRow:
    return CallRow(
        call_ref=row["call_ref"],
        call_id=row["call_id"],
        title=store.title_of(row),
        started_at=row["started_at"],
        duration_seconds=row["duration_seconds"],
        parties_count=row["parties_count"],
        transcript_status=store.transcript_status(row),
    )


class MissingSearch(Arguments):
    """Filters of ``missing_transcripts``."""

    from_date: FromDate = None
    to_date: ToDate = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    crm_object_type: CrmType | None = None
    crm_object_id: CrmId | None = None
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False


class MissingRow(Row):
    """One call without a transcript, newest first."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    started_at: Annotated[str, shown(Field.TIME)]


@tool(
    "missing_transcripts",
    title="Calls without a transcript",
    description="List calls whose transcript is not in the cache, newest first. Use it to see gaps; "
    "rank_transcript_backlog says which gap matters most. A crm_object_id needs its crm_object_type.",
    arguments=MissingSearch,
    row=MissingRow,
    notes=LifecycleNotes,
    level=Level.METADATA,
    cap=Cap.MISSING_TRANSCRIPTS,
    cap_envelope=True,
    cursor=True,
    presets=("governance-search",),
    refinements=(*FACT_REFINEMENTS, ("crm_object_type", "Give a crm_object_type.")),
)
def missing_transcripts(args: MissingSearch, scope: CallScope) -> Rows[MissingRow]:
    """Page through calls without a transcript by descending start."""
    if args.crm_object_id is not None and args.crm_object_type is None:
        raise ToolFault("invalid_argument", "crm_object_id needs crm_object_type.")
    lifecycle = lifecycle_of(args, scope)
    wanted = call_filter(args, lifecycle, transcript_status="missing")
    page = store.search_calls(scope.store, wanted, scope.limit, _before(scope))
    rows = [
        MissingRow(
            call_ref=row["call_ref"], call_id=row["call_id"], title=store.title_of(row), started_at=row["started_at"]
        )
        for row in page.rows
    ]
    notes = LifecycleNotes(**provenance(lifecycle, used=args.lifecycle_bucket is not None))
    return Rows(rows, page.more, [(row["call_no"],) for row in page.rows], notes)


class OneCall(Arguments):
    """Which call ``get_call`` shows: exactly one of the two."""

    call_id: (
        Annotated[CallRef, Filters(Field.CALL_ID), msgspec.Meta(description="Call id; a call_ref is accepted too.")]
        | None
    ) = None
    call_ref: (
        Annotated[CallRef, Filters(Field.CALL_REF), msgspec.Meta(description="Alias of a call from another tool.")]
        | None
    ) = None
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False


class CrmObject(Row):
    """A CRM object attached to the call: its fields' names, never their values."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    object_ref: Annotated[str, in_modes(Field.OBJECT_REF, Provenance.ALIAS)]
    object_id: Annotated[str, never(Field.CRM_OBJECT_ID)]
    object_name: Annotated[MaskedText, never(Field.CRM_OBJECT_NAME)]
    field_count: Annotated[int, shown(Field.MEASURE)]
    populated_field_count: Annotated[int, shown(Field.MEASURE)]
    field_names: Annotated[list[str], shown(Field.CRM_TYPE)]
    field_names_truncated: Annotated[bool, shown(Field.STATUS)]


class CallDetail(Row):
    """One call."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    started_at: Annotated[str, shown(Field.TIME)]
    duration_seconds: Annotated[int, shown(Field.MEASURE)]
    scope: Annotated[str, shown(Field.CATEGORY)]
    system: Annotated[str, shown(Field.LABEL)]
    direction: Annotated[str, shown(Field.LABEL)]
    language: Annotated[str, shown(Field.LABEL)]
    lifecycle_source: Annotated[str, shown(Field.CATEGORY)]
    lifecycle_bucket: Annotated[str, shown(Field.CATEGORY)]
    lifecycle_confidence: Annotated[str, shown(Field.CATEGORY)]
    parties_count: Annotated[int, shown(Field.MEASURE)]
    external_parties: Annotated[int, shown(Field.MEASURE)]
    transcript_status: Annotated[str, shown(Field.CATEGORY)]
    segment_count: Annotated[int, shown(Field.MEASURE)]
    crm_objects: list[CrmObject]
    crm_objects_truncated: Annotated[bool, shown(Field.STATUS)]


@tool(
    "get_call",
    title="One call",
    description="Show one call: time, length, scope, lifecycle, transcript status, and which CRM objects and field "
    "names are attached. No field value, object name, participant or spoken text.",
    arguments=OneCall,
    row=CallDetail,
    many=False,
    level=Level.METADATA,
    presets=("operator-smoke", "analyst-core", "analyst-business-core", "governance-search"),
)
def get_call(args: OneCall, scope: CallScope) -> CallDetail | NotFound:
    """Look one call up by its id or alias."""
    if (args.call_id is None) == (args.call_ref is None):
        raise ToolFault("invalid_argument", "Give exactly one of call_id and call_ref.")
    by_id = not scope.policy.hides({Field.CALL_ID})  # else call_ref would tell whether an id is there
    row = store.find_call(scope.store, args.call_id or args.call_ref or "", by_id=by_id)
    if row is None:
        return NotFound(NO_SUCH_CALL)
    objects = store.crm_objects(scope.store, row["call_no"], MAX_OBJECTS + 1)
    lifecycle = lifecycle_at_hand(scope.store, "auto")
    facts = lifecycle.facts(scope.store, [row["call_no"]])[row["call_no"]] if lifecycle.profile else None
    return CallDetail(
        call_ref=row["call_ref"],
        call_id=row["call_id"],
        title=store.title_of(row),
        started_at=row["started_at"],
        duration_seconds=row["duration_seconds"],
        scope=row["scope"],
        system=row["system"],
        direction=row["direction"],
        language=row["language"],
        lifecycle_source=lifecycle.source,
        lifecycle_bucket=facts["bucket"] if facts else row["lifecycle_bucket"],
        lifecycle_confidence=facts["confidence"] if facts else row["lifecycle_confidence"],
        parties_count=row["parties_count"],
        external_parties=row["external_parties"],
        transcript_status=store.transcript_status(row),
        segment_count=row["segment_count"],
        crm_objects=[_crm_object(scope, item) for item in objects[:MAX_OBJECTS]],
        crm_objects_truncated=len(objects) > MAX_OBJECTS,
    )


def _crm_object(scope: CallScope, row: store.CallRecord) -> CrmObject:
    names = store.field_names(scope.store, row["object_no"], MAX_FIELD_NAMES + 1)
    return CrmObject(
        object_type=row["object_type"],
        object_ref=row["object_ref"],
        object_id=row["object_id"],
        object_name=store.masked(row, "name"),
        field_count=row["field_count"],
        populated_field_count=row["populated_field_count"],
        field_names=names[:MAX_FIELD_NAMES],
        field_names_truncated=len(names) > MAX_FIELD_NAMES,
    )
