"""Lifecycle tools: where in the customer lifecycle calls stand, and which transcript to get first."""

from __future__ import annotations

from typing import Annotated

from gongmcp.catalog.arguments import Cursor, Limit, Text
from gongmcp.catalog.calls import IncludeIds, IncludeTitles
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import (
    DATES,
    Bucket,
    FromDate,
    LifecycleSource,
    Scope,
    ToDate,
    builtin_source,
    call_filter,
)
from gongmcp.exposure.fields import Field, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import lifecycle as store
from gongmcp.store.calls import title_of

Count = Annotated[int, shown(Field.MEASURE)]


class LifecycleNotes(Row):
    """Which lifecycle answered."""

    lifecycle_source: Annotated[str, shown(Field.CATEGORY)]


class LifecycleSummary(Arguments):
    """Arguments of ``summarize_calls_by_lifecycle``."""

    bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    cursor: Cursor = None


class BucketRow(Row):
    """Counts of one lifecycle bucket."""

    bucket: Annotated[str, shown(Field.CATEGORY)]
    call_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    opportunity_call_count: Count
    account_call_count: Count
    total_duration_seconds: Count
    latest_call_at: Annotated[str | None, shown(Field.TIME)]
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
    source = builtin_source(args.lifecycle_source)
    rows = [
        BucketRow(
            bucket=row["lifecycle_bucket"],
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
        for row in store.summarize(scope.store, args.bucket)
    ]
    return Rows.page(rows, scope, LifecycleNotes(lifecycle_source=source))


class BacklogSearch(Arguments):
    """Arguments of ``rank_transcript_backlog``."""

    bucket: Bucket | None = None
    from_date: FromDate = None
    to_date: ToDate = None
    scope: Scope | None = None
    system: Text | None = None
    direction: Text | None = None
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
    duration_seconds: Count
    scope: Annotated[str, shown(Field.CATEGORY)]
    system: Annotated[str, shown(Field.LABEL)]
    direction: Annotated[str, shown(Field.LABEL)]
    bucket: Annotated[str, shown(Field.CATEGORY)]
    confidence: Annotated[str, shown(Field.CATEGORY)]
    priority_score: Count
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
    source = builtin_source(args.lifecycle_source)
    wanted = call_filter(args, lifecycle_bucket=args.bucket, transcript_status="missing")
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
            bucket=row["lifecycle_bucket"],
            confidence=row["lifecycle_confidence"],
            priority_score=row["priority_score"],
            reason=row["lifecycle_reason"],
            evidence_fields=store.evidence_fields(row),
        )
        for row in page.rows
    ]
    keys = [(row["priority_score"], row["call_no"]) for row in page.rows]
    return Rows(rows, page.more, keys, LifecycleNotes(lifecycle_source=source))
