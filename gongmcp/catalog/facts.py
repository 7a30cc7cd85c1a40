"""Call-fact tools: counts by safe business dimensions."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gongmcp.catalog.arguments import Cursor, DimensionMark, Limit, Text
from gongmcp.catalog.crm_classes import concept_classes, refuse_hidden
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.dimensions import DIMENSION_ALIASES, DIMENSIONS, PROFILE_CONCEPT, Dimension
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.vocabulary import (
    Bucket,
    Label,
    LifecycleNotes,
    LifecycleSource,
    Scope,
    TranscriptStatus,
    call_filter,
    provenance,
)
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, by, exact, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import facts as store
from gongmcp.store.buckets import Lifecycle, lifecycle_for
from gongmcp.store.profile import normal_name

Count = Annotated[int, shown(Field.COUNT)]


class FactSummary(Arguments):
    """Arguments of ``summarize_call_facts``."""

    group_by: Annotated[str, DimensionMark(), msgspec.Meta(description="Business dimension to group by.")] = "lifecycle"
    concept: (
        Annotated[
            Text,
            Filters(Field.SETTING_NAME),
            msgspec.Meta(
                description="With group_by=profile_concept: a groupable field concept of the active profile, "
                "as list_business_concepts lists them."
            ),
        ]
        | None
    ) = None
    lifecycle_bucket: Bucket | None = None
    lifecycle_source: LifecycleSource = "auto"
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    transcript_status: TranscriptStatus | None = None
    limit: Limit = None
    cursor: Cursor = None


class FactNotes(LifecycleNotes):
    """Which lifecycle answered, and which concept of its profile the groups are values of."""

    concept: Annotated[str | None, shown(Field.SETTING_NAME)]


ADDED = (
    *("transcript_count", "opportunity_call_count", "account_call_count"),
    *("external_call_count", "internal_call_count"),
)


class FactGroup(Row):
    """Counts of one group; a blank value is shown as ``<blank>``."""

    group_by: Annotated[str, shown(Field.CATEGORY)]
    group_value: Annotated[str, by("group_by")]
    call_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    transcript_coverage_rate: Annotated[float, shown(Field.MEASURE)]
    opportunity_call_count: Count
    account_call_count: Count
    external_call_count: Count
    internal_call_count: Count
    unknown_scope_call_count: Count
    total_duration_seconds: Annotated[int | None, exact(Field.MEASURE)]
    avg_duration_seconds: Annotated[float | None, exact(Field.MEASURE)]
    latest_call_at: Annotated[str | None, exact(Field.TIME)]


@tool(
    "summarize_call_facts",
    title="Call facts",
    description="Count calls, transcript coverage and talk time per group of one safe business dimension (lifecycle, "
    "industry, stage, month, scope …). Most calls first. For one CRM field's values use search_crm_field_values.",
    arguments=FactSummary,
    row=FactGroup,
    notes=FactNotes,
    level=Level.AGGREGATE,
    cap=Cap.CALL_FACT_GROUPS,
    cursor=True,
    presets=("business-pilot", "analyst-core", "analyst-business-core", "analyst"),
)
def summarize_call_facts(args: FactSummary, scope: CallScope) -> Rows[FactGroup]:
    """Group call facts by the dimension asked for."""
    name = DIMENSION_ALIASES.get(args.group_by, args.group_by)
    wants_profile = name == PROFILE_CONCEPT and args.lifecycle_source == "auto"
    lifecycle = lifecycle_for(scope.store, "profile" if wants_profile else args.lifecycle_source)
    group = _group(DIMENSIONS[name], args.concept, lifecycle)
    if group.concept is not None and lifecycle.profile is not None:
        asked = "group_by" if args.concept is None else "concept"
        refuse_hidden(scope, concept_classes(lifecycle.profile, group.concept, scope.names), asked)
    wanted = call_filter(args, lifecycle, profile_no=lifecycle.profile_no)
    found = [{**row, "value": store.label(name, row["value"])} for row in store.summarize(scope.store, group, wanted)]
    rows = [
        FactGroup(
            group_by=name,
            group_value=row["value"],
            call_count=row["call_count"],
            transcript_count=row["transcript_count"],
            missing_transcript_count=row["call_count"] - row["transcript_count"],
            transcript_coverage_rate=row["transcript_count"] / row["call_count"],
            opportunity_call_count=row["opportunity_call_count"],
            account_call_count=row["account_call_count"],
            external_call_count=row["external_call_count"],
            internal_call_count=row["internal_call_count"],
            unknown_scope_call_count=row["call_count"] - row["external_call_count"] - row["internal_call_count"],
            total_duration_seconds=row["total_duration_seconds"],
            avg_duration_seconds=_average(row["total_duration_seconds"], row["call_count"]),
            latest_call_at=row["latest_call_at"],
        )
        for row in scope.cells.groups(found, "value", ("call_count",), add=ADDED)
    ]
    return Rows.page(rows, scope, FactNotes(**provenance(lifecycle), concept=group.concept))


def _average(total: int | None, count: int) -> float | None:
    return None if total is None else total / count


def _group(dimension: Dimension, concept: str | None, lifecycle: Lifecycle) -> store.Group:
    """Return what *dimension* groups by: under a profile its own concept of the same meaning, if it has one.

    Raises ``ToolFault("invalid_argument")`` for a concept that does not fit.
    """
    groupable = lifecycle.profile.groupable() if lifecycle.profile is not None else []
    if dimension.name != PROFILE_CONCEPT:
        if concept is not None:
            raise ToolFault("invalid_argument", "concept needs group_by=profile_concept.")
        return store.Group(dimension.column, dimension.concept if dimension.concept in groupable else None)
    if lifecycle.profile is None:
        raise ToolFault("invalid_argument", "group_by=profile_concept needs lifecycle_source=profile.")
    named = None if concept is None else normal_name(concept)
    if named not in groupable:
        raise ToolFault(
            "invalid_argument",
            "concept must name a groupable field concept of the active profile.",
            f"Use one of: {', '.join(groupable)}." if groupable else "The active profile has none.",
        )
    return store.Group("", named)
