"""Lifecycle tools: where in the customer lifecycle calls stand, and which transcript to get first."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.calls import CrmType, IncludeIds, IncludeTitles
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import (
    DATES,
    Bucket,
    FromDate,
    Label,
    LifecycleNotes,
    LifecycleSource,
    Scope,
    ToDate,
    call_filter,
    provenance,
)
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, exact, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import lifecycle as store
from gongmcp.store import pipeline
from gongmcp.store.buckets import Lifecycle, lifecycle_for, lifecycle_named
from gongmcp.store.calls import CallFilter, title_of

Count = Annotated[int, shown(Field.COUNT)]
Measure = Annotated[int, shown(Field.MEASURE)]


def _of_bucket(args: BacklogSearch | LifecycleSearch, lifecycle: Lifecycle, **more: Any) -> CallFilter:
    """Return the filter of a lifecycle tool: its facts are those of *lifecycle*, with a bucket or without."""
    bucket = lifecycle.bucket(args.bucket, "bucket")
    return call_filter(args, lifecycle, lifecycle_bucket=bucket, profile_no=lifecycle.profile_no, **more)


class LifecycleSummary(Arguments):
    """Arguments of ``summarize_calls_by_lifecycle``."""

    bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    cursor: Cursor = None


ADDED = (
    *("transcript_count", "opportunity_call_count", "account_call_count"),
    *("high_confidence_calls", "medium_confidence_calls", "low_confidence_calls"),
)


class BucketRow(Row):
    """Counts of one lifecycle bucket."""

    bucket: Annotated[str, shown(Field.CATEGORY)]
    call_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    opportunity_call_count: Count
    account_call_count: Count
    total_duration_seconds: Annotated[int | None, exact(Field.MEASURE)]
    latest_call_at: Annotated[str | None, exact(Field.TIME)]
    high_confidence_calls: Count
    medium_confidence_calls: Count
    low_confidence_calls: Count


@tool(
    "summarize_calls_by_lifecycle",
    title="Calls by lifecycle",
    description="Count calls, transcripts and talk time per lifecycle bucket, with the confidence of the assignment. "
    "Use it for the shape of the pipeline; no call is named.",
    arguments=LifecycleSummary,
    row=BucketRow,
    notes=LifecycleNotes,
    level=Level.AGGREGATE,
    cursor=True,
    presets=("business-pilot", "analyst-core", "analyst-business-core", "analyst"),
)
def summarize_calls_by_lifecycle(args: LifecycleSummary, scope: CallScope) -> Rows[BucketRow]:
    """Group call facts by bucket."""
    lifecycle = lifecycle_for(scope.store, args.lifecycle_source)
    found = map(dict, store.summarize(scope.store, lifecycle, lifecycle.bucket(args.bucket, "bucket")))
    groups = scope.cells.groups(found, "bucket", ("call_count",), add=ADDED)
    groups.sort(key=lambda row: _place(lifecycle, row["bucket"]))
    rows = [
        BucketRow(
            bucket=row["bucket"],
            call_count=row["call_count"],
            transcript_count=row["transcript_count"],
            missing_transcript_count=row["call_count"] - row["transcript_count"],
            opportunity_call_count=row["opportunity_call_count"],
            account_call_count=row["account_call_count"],
            total_duration_seconds=row["total_duration_seconds"],
            latest_call_at=row["latest_call_at"],
            high_confidence_calls=row["high_confidence_calls"],
            medium_confidence_calls=row["medium_confidence_calls"],
            low_confidence_calls=row["low_confidence_calls"],
        )
        for row in groups
    ]
    return Rows.page(rows, scope, LifecycleNotes(**provenance(lifecycle)))


def _place(lifecycle: Lifecycle, bucket: str) -> int:
    order = lifecycle.order()
    return order.index(bucket) if bucket in order else len(order)


class BacklogSearch(Arguments):
    """Arguments of ``rank_transcript_backlog``."""

    bucket: Bucket | None = None
    from_date: FromDate = None
    to_date: ToDate = None
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    lifecycle_source: LifecycleSource = "auto"
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False


class BacklogRow(Row):
    """One call without a transcript, highest priority first."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    started_at: Annotated[str, shown(Field.TIME)]
    duration_seconds: Measure
    scope: Annotated[str, shown(Field.CATEGORY)]
    system: Annotated[str, shown(Field.LABEL)]
    direction: Annotated[str, shown(Field.LABEL)]
    bucket: Annotated[str, shown(Field.CATEGORY)]
    confidence: Annotated[str, shown(Field.CATEGORY)]
    priority_score: Measure
    reason: Annotated[str, shown(Field.CATEGORY)]
    evidence_fields: Annotated[list[str], shown(Field.CRM_TYPE)]


@tool(
    "rank_transcript_backlog",
    title="Transcript backlog",
    description="Rank the calls that lack a transcript by how much it would help: lifecycle bucket, confidence, "
    "external scope, length. Use it to decide what to fetch next. Ids and titles need their flag.",
    arguments=BacklogSearch,
    row=BacklogRow,
    notes=LifecycleNotes,
    aliases=("prioritize_transcripts_by_lifecycle",),
    level=Level.METADATA,
    cap=Cap.LIFECYCLE_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=(
        "operator-smoke",
        "business-pilot",
        "analyst-core",
        "analyst-business-core",
        "analyst",
        "governance-search",
    ),
    refinements=(*DATES, ("bucket", "Give a bucket."), ("scope", "Give a scope, system or direction.")),
)
def rank_transcript_backlog(args: BacklogSearch, scope: CallScope) -> Rows[BacklogRow]:
    """Page through the backlog by descending priority, newest first among equals."""
    lifecycle = lifecycle_for(scope.store, args.lifecycle_source)
    wanted = _of_bucket(args, lifecycle, transcript_status="missing")
    page = store.backlog(scope.store, wanted, scope.limit, scope.after)
    rows = [
        BacklogRow(
            call_ref=row["call_ref"],
            call_id=row["call_id"],
            title=title_of(row),
            started_at=row["started_at"],
            duration_seconds=row["duration_seconds"],
            scope=row["scope"],
            system=row["system"],
            direction=row["direction"],
            bucket=row["bucket"],
            confidence=row["confidence"],
            priority_score=row["score"],
            reason=row["reason"],
            evidence_fields=store.evidence_fields(row),
        )
        for row in page.rows
    ]
    keys = [(row["score"], row["call_no"]) for row in page.rows]
    return Rows(rows, page.more, keys, LifecycleNotes(**provenance(lifecycle)))


class BucketList(Arguments):
    """Arguments of ``list_lifecycle_buckets``."""

    lifecycle_source: LifecycleSource = "auto"
    cursor: Cursor = None


class BucketInfo(Row):
    """One lifecycle bucket and what puts a call into it."""

    bucket: Annotated[str, shown(Field.CATEGORY)]
    label: Annotated[str, shown(Field.SETTING_NAME)]
    description: Annotated[str, shown(Field.SETTING_TEXT)]
    primary_signals: Annotated[list[str], shown(Field.SETTING_TEXT)]


@tool(
    "list_lifecycle_buckets",
    title="Lifecycle buckets",
    description="List the lifecycle buckets with what puts a call into each. Use it to choose a bucket for another "
    "tool; summarize_calls_by_lifecycle counts them.",
    arguments=BucketList,
    row=BucketInfo,
    notes=LifecycleNotes,
    level=Level.STATUS,
    cursor=True,
    presets=("analyst-core", "analyst-business-core", "analyst"),
)
def list_lifecycle_buckets(args: BucketList, scope: CallScope) -> Rows[BucketInfo]:
    """Explain the buckets of the lifecycle that answers."""
    lifecycle = lifecycle_named(scope.store, args.lifecycle_source)
    rows = [
        BucketInfo(bucket=item.bucket, label=item.label, description=item.description, primary_signals=[*item.signals])
        for item in lifecycle.texts()
    ]
    return Rows.page(rows, scope, LifecycleNotes(**provenance(lifecycle)))


class LifecycleSearch(Arguments):
    """Arguments of ``search_calls_by_lifecycle``."""

    bucket: Bucket | None = None
    missing_transcripts_only: Annotated[bool, msgspec.Meta(description="Only calls without a transcript.")] = False
    lifecycle_source: LifecycleSource = "auto"
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False


class LifecycleCall(Row):
    """One call with its place in the lifecycle, newest first."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    started_at: Annotated[str, shown(Field.TIME)]
    duration_seconds: Measure
    bucket: Annotated[str, shown(Field.CATEGORY)]
    confidence: Annotated[str, shown(Field.CATEGORY)]
    reason: Annotated[str, shown(Field.CATEGORY)]
    evidence_fields: Annotated[list[str], shown(Field.CRM_TYPE)]
    opportunity_count: Measure
    account_count: Measure
    transcript_present: Annotated[bool, shown(Field.STATUS)]


@tool(
    "search_calls_by_lifecycle",
    title="Calls of a lifecycle bucket",
    description="List the calls of a lifecycle bucket, newest first, with why each was put there. Use it to check an "
    "assignment; search_calls filters by bucket together with dates and CRM objects.",
    arguments=LifecycleSearch,
    row=LifecycleCall,
    notes=LifecycleNotes,
    level=Level.METADATA,
    cap=Cap.LIFECYCLE_RESULTS,
    cursor=True,
    presets=("analyst-core", "analyst-business-core", "governance-search"),
)
def search_calls_by_lifecycle(args: LifecycleSearch, scope: CallScope) -> Rows[LifecycleCall]:
    """Page through the calls of a bucket by descending start."""
    lifecycle = lifecycle_for(scope.store, args.lifecycle_source)
    wanted = _of_bucket(args, lifecycle, transcript_status="missing" if args.missing_transcripts_only else None)
    page = store.calls_of_bucket(scope.store, wanted, scope.limit, int(scope.after[0]) if scope.after else None)
    rows = [
        LifecycleCall(
            call_ref=row["call_ref"],
            call_id=row["call_id"],
            title=title_of(row),
            started_at=row["started_at"],
            duration_seconds=row["duration_seconds"],
            bucket=row["bucket"],
            confidence=row["confidence"],
            reason=row["reason"],
            evidence_fields=store.evidence_fields(row),
            opportunity_count=row["opportunities"],
            account_count=row["accounts"],
            transcript_present=bool(row["transcript_present"]),
        )
        for row in page.rows
    ]
    keys = [(row["call_no"],) for row in page.rows]
    return Rows(rows, page.more, keys, LifecycleNotes(**provenance(lifecycle)))


class BucketComparison(Arguments):
    """Arguments of ``compare_lifecycle_crm_fields``."""

    bucket_a: Bucket
    bucket_b: Bucket
    object_type: CrmType
    lifecycle_source: LifecycleSource = "auto"
    limit: Limit = None
    cursor: Cursor = None


class ComparisonNotes(LifecycleNotes):
    """What was compared."""

    bucket_a: Annotated[str, shown(Field.CATEGORY)]
    bucket_b: Annotated[str, shown(Field.CATEGORY)]
    bucket_a_call_count: Count
    bucket_b_call_count: Count


class FieldComparison(Row):
    """How often a field is filled on the calls of two buckets."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    bucket_a_populated: Count
    bucket_b_populated: Count
    bucket_a_rate: Annotated[float, shown(Field.MEASURE)]
    bucket_b_rate: Annotated[float, shown(Field.MEASURE)]
    rate_delta: Annotated[float, shown(Field.MEASURE)]


@tool(
    "compare_lifecycle_crm_fields",
    title="CRM fields of two buckets",
    description="Compare how often each field of a CRM object type is filled on the calls of two lifecycle buckets, "
    "biggest difference first. Use it to see what changes along the lifecycle. No value is shown.",
    arguments=BucketComparison,
    row=FieldComparison,
    notes=ComparisonNotes,
    level=Level.AGGREGATE,
    cap=Cap.LIFECYCLE_CRM_FIELDS,
    cursor=True,
    presets=("analyst",),
)
def compare_lifecycle_crm_fields(args: BucketComparison, scope: CallScope) -> Rows[FieldComparison]:
    """Read the kept counters of both buckets."""
    lifecycle = lifecycle_for(scope.store, args.lifecycle_source)
    bucket_a, bucket_b = lifecycle.bucket(args.bucket_a, "bucket_a"), lifecycle.bucket(args.bucket_b, "bucket_b")
    assert bucket_a is not None  # both are required
    assert bucket_b is not None
    if bucket_a == bucket_b:
        raise ToolFault("invalid_argument", "bucket_a and bucket_b must differ.")
    calls_a, calls_b, fields = pipeline.compare_buckets(
        scope.store, args.object_type, bucket_a, bucket_b, lifecycle.profile_no
    )
    cells = scope.cells
    calls_a, calls_b = cells.count(calls_a), cells.count(calls_b)
    rows = []
    for item in cells.enough(map(asdict, fields), "populated_a", "populated_b"):
        populated_a, populated_b = cells.count(item["populated_a"]), cells.count(item["populated_b"])
        rate_a = populated_a / calls_a if calls_a else 0.0
        rate_b = populated_b / calls_b if calls_b else 0.0
        rows.append(
            FieldComparison(
                object_type=args.object_type,
                field_name=item["field_name"],
                field_label=item["label"] or None,
                bucket_a_populated=populated_a,
                bucket_b_populated=populated_b,
                bucket_a_rate=rate_a,
                bucket_b_rate=rate_b,
                rate_delta=rate_b - rate_a,
            )
        )
    rows.sort(key=lambda row: (-abs(row.rate_delta), row.field_name))
    notes = ComparisonNotes(
        bucket_a=bucket_a,
        bucket_b=bucket_b,
        bucket_a_call_count=calls_a,
        bucket_b_call_count=calls_b,
        **provenance(lifecycle),
    )
    return Rows.page(rows, scope, notes)
