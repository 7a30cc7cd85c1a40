"""Pipeline tools: opportunities, stages and how CRM fields are filled across them. Aggregates only."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.calls import CrmType
from gongmcp.catalog.crm_classes import group_classes_of, refuse_hidden
from gongmcp.catalog.crm_fields import FieldName
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, Provenance, exact, in_modes, never, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import OTHER
from gongmcp.store import pipeline as store

Count = Annotated[int, shown(Field.COUNT)]
Rate = Annotated[float, shown(Field.MEASURE)]
Label = Annotated[str, shown(Field.LABEL)]
StageValues = Annotated[
    list[Annotated[str, Filters(Field.LABEL), msgspec.Meta(min_length=1, max_length=120)]],
    msgspec.Meta(description="Stages to look at, as summarize_call_facts(group_by=opportunity_stage) names them."),
]


class LateStage(Arguments):
    """Arguments of ``analyze_late_stage_crm_signals``."""

    object_type: CrmType | None = None
    stage_field: FieldName | None = None
    late_stage_values: StageValues | None = None
    include_stage_proxies: Annotated[
        bool, msgspec.Meta(description="Also show fields that restate the stage: probability, forecast category.")
    ] = False
    limit: Limit = None
    cursor: Cursor = None


class StageCount(Row):
    """Calls per stage."""

    value: Label
    count: Count


class LateNotes(Row):
    """What was compared with what."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    stage_field: Annotated[str, shown(Field.CRM_TYPE)]
    late_stage_values: Annotated[list[str], shown(Field.LABEL)]
    total_calls: Count
    late_calls: Count
    non_late_calls: Count
    stage_counts: list[StageCount]


class Signal(Row):
    """How much more often a field is filled on late-stage calls."""

    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    late_populated_calls: Count
    non_late_populated_calls: Count
    late_rate: Rate
    non_late_rate: Rate
    lift: Rate


@tool(
    "analyze_late_stage_crm_signals",
    title="Late-stage CRM signals",
    description="Compare how often each CRM field is filled on calls in late stages and on others; lift is the "
    "difference of the two rates. Use it to see which fields sellers complete as deals mature. No value is shown but "
    "stage names.",
    arguments=LateStage,
    row=Signal,
    notes=LateNotes,
    level=Level.AGGREGATE,
    cap=Cap.LATE_STAGE_SIGNALS,
    cursor=True,
    presets=("analyst",),
)
def analyze_late_stage_crm_signals(args: LateStage, scope: CallScope) -> Rows[Signal]:
    """Read the kept field counters per stage; biggest lift first."""
    if args.stage_field is not None:
        object_type = args.object_type or "Opportunity"
        refuse_hidden(scope, group_classes_of(object_type, args.stage_field, scope.names), "stage_field")
    found = store.late_stage(
        scope.store,
        scope.names,
        object_type=args.object_type,
        stage_field=args.stage_field,
        late_values=args.late_stage_values,
        proxies=args.include_stage_proxies,
        cells=scope.cells,
    )
    notes = LateNotes(
        object_type=found.object_type,
        stage_field=found.stage_field,
        late_stage_values=list(found.late_values),
        total_calls=found.late_calls + found.other_calls,
        late_calls=found.late_calls,
        non_late_calls=found.other_calls,
        stage_counts=[StageCount(value=value, count=count) for value, count in found.stage_counts],
    )
    rows = [
        Signal(
            field_name=item.field_name,
            field_label=item.label or None,
            late_populated_calls=item.late,
            non_late_populated_calls=item.other,
            late_rate=item.late_rate,
            non_late_rate=item.other_rate,
            lift=item.late_rate - item.other_rate,
        )
        for item in found.signals
    ]
    return Rows.page(rows, scope, notes)


class OpportunityList(Arguments):
    """Arguments of the two opportunity tools."""

    stage_values: StageValues | None = None
    limit: Limit = None
    cursor: Cursor = None


def _opportunities(args: OpportunityList, scope: CallScope, *, gaps_only: bool) -> Rows[Any]:
    """Return the records of one page of opportunities; small ones as one, in the stage ``other``."""
    if not scope.cells.active:
        page = store.opportunities(scope.store, args.stage_values, scope.limit, scope.after, gaps_only=gaps_only)
        return Rows(page.rows, page.more, page.keys)
    found = map(dict, store.all_opportunities(scope.store, args.stage_values))
    groups = scope.cells.groups(found, "object_ref", ("call_count",), add=("transcript_count",))
    for row in groups:
        if row["object_ref"] == OTHER:
            row |= {"object_ref": None, "stage": OTHER}
    if gaps_only:
        groups = [row for row in groups if row["call_count"] > row["transcript_count"]]
        groups.sort(key=lambda row: (row["stage"] == OTHER, row["transcript_count"] - row["call_count"]))
    return Rows.page(groups, scope)


class OpportunityGap(Row):
    """One opportunity with calls that lack a transcript; its id and name are shown by no setting."""

    object_ref: Annotated[str | None, in_modes(Field.OBJECT_REF, Provenance.ALIAS)]
    opportunity_id: Annotated[str | None, never(Field.CRM_OBJECT_ID)]
    stage: Annotated[str | None, shown(Field.LABEL)]
    call_count: Count
    missing_transcript_count: Count
    transcript_count: Count
    latest_call_ref: Annotated[str | None, exact(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    latest_call_at: Annotated[str | None, exact(Field.TIME)]


@tool(
    "opportunities_missing_transcripts",
    title="Opportunities missing transcripts",
    description="List opportunities by how many of their calls lack a transcript, optionally in given stages. Use it "
    "to see which deals evidence is thin for. Opportunity ids and names are never shown; alias mode gives references.",
    arguments=OpportunityList,
    row=OpportunityGap,
    level=Level.AGGREGATE,
    cap=Cap.OPPORTUNITY_SUMMARIES,
    cursor=True,
    presets=("analyst",),
)
def opportunities_missing_transcripts(args: OpportunityList, scope: CallScope) -> Rows[OpportunityGap]:
    """Page through opportunities by descending number of gaps."""
    page = _opportunities(args, scope, gaps_only=True)
    rows = [
        OpportunityGap(
            object_ref=row["object_ref"],
            opportunity_id=row["object_id"],
            stage=row["stage"] or None,
            call_count=row["call_count"],
            missing_transcript_count=row["call_count"] - row["transcript_count"],
            transcript_count=row["transcript_count"],
            latest_call_ref=row["latest_call_ref"],
            latest_call_at=row["latest_call_at"],
        )
        for row in page.rows
    ]
    return Rows(rows, page.more, page.keys)


class OpportunitySummary(Row):
    """One opportunity over its calls; id, name, amount, close date and owner are shown by no setting."""

    object_ref: Annotated[str | None, in_modes(Field.OBJECT_REF, Provenance.ALIAS)]
    opportunity_id: Annotated[str | None, never(Field.CRM_OBJECT_ID)]
    stage: Annotated[str | None, shown(Field.LABEL)]
    opportunity_type: Annotated[str | None, shown(Field.LABEL)]
    call_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    total_duration_seconds: Annotated[int | None, exact(Field.MEASURE)]
    latest_call_ref: Annotated[str | None, exact(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    latest_call_at: Annotated[str | None, exact(Field.TIME)]


@tool(
    "opportunity_call_summary",
    title="Opportunity call summary",
    description="List opportunities by how many calls they have, with talk time and transcript coverage, optionally in "
    "given stages. Ids, names, amounts, dates and owners are never shown; alias mode gives references.",
    arguments=OpportunityList,
    row=OpportunitySummary,
    level=Level.AGGREGATE,
    cap=Cap.OPPORTUNITY_SUMMARIES,
    cursor=True,
    presets=("analyst",),
)
def opportunity_call_summary(args: OpportunityList, scope: CallScope) -> Rows[OpportunitySummary]:
    """Page through opportunities by descending number of calls."""
    page = _opportunities(args, scope, gaps_only=False)
    rows = [
        OpportunitySummary(
            object_ref=row["object_ref"],
            opportunity_id=row["object_id"],
            stage=row["stage"] or None,
            opportunity_type=row["opportunity_type"] or None,
            call_count=row["call_count"],
            transcript_count=row["transcript_count"],
            missing_transcript_count=row["call_count"] - row["transcript_count"],
            total_duration_seconds=row["total_duration_seconds"],
            latest_call_ref=row["latest_call_ref"],
            latest_call_at=row["latest_call_at"],
        )
        for row in page.rows
    ]
    return Rows(rows, page.more, page.keys)


class Matrix(Arguments):
    """Arguments of ``crm_field_population_matrix``."""

    object_type: CrmType
    group_by_field: FieldName | None = None
    limit: Limit = None
    cursor: Cursor = None


class MatrixNotes(Row):
    """What the cells are grouped by."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    group_by_field: Annotated[str, shown(Field.CRM_TYPE)]


class Cell(Row):
    """How often a field is filled in one group of objects."""

    group_value: Label
    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    object_count: Count
    call_count: Count | None
    populated_count: Count
    population_rate: Rate


@tool(
    "crm_field_population_matrix",
    title="CRM field population",
    description="Show how often each field of a CRM object type is filled, per value of a grouping field such as the "
    "stage. Use it to find fields nobody maintains. Fields that may group are set by the operator; no other value is "
    "shown.",
    arguments=Matrix,
    row=Cell,
    notes=MatrixNotes,
    level=Level.AGGREGATE,
    cap=Cap.CRM_MATRIX_CELLS,
    cursor=True,
    presets=("analyst",),
)
def crm_field_population_matrix(args: Matrix, scope: CallScope) -> Rows[Cell]:
    """Read the kept counters per group, most populated first."""
    hidden = scope.policy.hides
    allowed = [
        name
        for name in scope.names.matrix_group_fields
        if not hidden(group_classes_of(args.object_type, name, scope.names))
    ]
    if args.group_by_field is not None:
        refuse_hidden(scope, group_classes_of(args.object_type, args.group_by_field, scope.names), "group_by_field")
    if args.group_by_field is not None and args.group_by_field not in allowed:
        hint = f"One of: {', '.join(allowed)}."
        raise ToolFault("invalid_argument", "group_by_field is not a field that may group.", hint)
    carried = [name for name in store.group_fields(scope.store, scope.names, args.object_type) if name in allowed]
    field = args.group_by_field or next(iter(carried), next(iter(allowed), ""))
    rows = [
        Cell(
            group_value=cell.group_value,
            field_name=cell.field_name,
            field_label=cell.label or None,
            object_count=cell.objects,
            call_count=cell.calls,
            populated_count=cell.populated,
            population_rate=cell.populated / cell.objects,
        )
        for cell in store.matrix(scope.store, args.object_type, field, scope.cells)
    ]
    return Rows.page(rows, scope, MatrixNotes(object_type=args.object_type, group_by_field=field))
