"""Cohort tools: which calls a business question is about, how two such sets differ, and what each can show."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, DimensionMark, Limit
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_dimensions import concept_named, dimension_value
from gongmcp.catalog.cohort_filter import Cohort, CohortArguments, CohortFilter, GroupConcept, Token, cohort_of
from gongmcp.catalog.cohort_rows import (
    CohortNotes,
    Count,
    Coverage,
    Rate,
    cohort_notes,
    coverage_row,
    limitations_of,
    ratio,
)
from gongmcp.catalog.cohort_token import TokenFor, seal
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.dimensions import PROFILE_CONCEPT, dimension_named
from gongmcp.catalog.limits import Cap
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, by, exact, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import calls as calls_store
from gongmcp.store import cohorts as store
from gongmcp.store.cohorts import together
from gongmcp.store.facts import BLANK

PRESETS = ("analyst-business-core", "analyst")


class ConditionRow(Row):
    """One condition, in the order of normalized_filter: the calls that hold it, and those left with the ones before."""

    argument: Annotated[str, shown(Field.STATUS)]
    call_count: Count
    left_count: Count


class BuiltCohort(CohortNotes):
    """The cohort, sealed for further calls, and what is known of its calls."""

    cohort_token: Annotated[str, shown(Field.STATUS)]
    emptied_by: Annotated[str | None, shown(Field.STATUS)]
    coverage: Coverage


@tool(
    "build_call_cohort",
    title="Call cohort",
    description="Understand a filter over calls, count its calls and say what each condition does. Use it first for a "
    "business question; give its cohort_token to the other analysis tools. When no call is left, emptied_by names the "
    "condition.",
    arguments=CohortArguments,
    row=ConditionRow,
    notes=BuiltCohort,
    level=Level.AGGREGATE,
    presets=PRESETS,
    aliases=("inspect_call_cohort", "list_call_cohorts", "call_count"),
    examples=(
        {"filter": {"quarter": "2026-Q1", "scope": "External"}},
        {"filter": {"industry": "tech", "dimension_filters": [{"dimension": "won_lost", "values": ["won"]}]}},
        {"filter": {"query": "guidance", "system": "No such system"}},
    ),
)
def build_call_cohort(args: CohortArguments, scope: CallScope) -> Rows[ConditionRow]:
    """Count the cohort, and its conditions one by one."""
    cohort = cohort_of(args, scope)
    rows: list[ConditionRow] = []
    emptied_by: str | None = None
    for number, part in enumerate(cohort.parts, 1):
        argument = part.text.split(" ", 1)[0]
        left = store.count(scope.store, together(cohort.parts[:number]))
        if not scope.cells.count(left) and emptied_by is None:
            emptied_by = argument
        rows.append(
            ConditionRow(
                argument=argument,
                call_count=scope.cells.count(store.count(scope.store, together([part]))),
                left_count=scope.cells.count(left),
            )
        )
    coverage = coverage_row(store.coverage(scope.store, cohort.calls), scope.cells)
    notes = BuiltCohort(
        **cohort_notes(cohort, limitations_of(coverage)),
        cohort_token=seal(scope.state.secret, cohort.chosen),
        emptied_by=emptied_by,
        coverage=coverage,
    )
    return Rows(rows, notes=notes)


class CohortPair(Arguments):
    """Arguments of ``compare_call_cohorts``: each side by its filter or its token."""

    filter_a: CohortFilter | None = None
    filter_b: CohortFilter | None = None
    cohort_token_a: Annotated[Token, Filters(Field.ECHO), TokenFor("filter_a")] | None = None
    cohort_token_b: Annotated[Token, Filters(Field.ECHO), TokenFor("filter_b")] | None = None
    include_account_names: bool = False
    include_call_titles: bool = False
    include_person_titles: bool = False
    include_participant_emails: bool = False


class Side(Row):
    """The calls of one side, of both, or of either: a call of both is counted once there."""

    side: Annotated[str, shown(Field.CATEGORY)]
    coverage: Coverage


class PairNotes(Row):
    """The two cohorts."""

    cohort_id_a: Annotated[str, shown(Field.STATUS)]
    cohort_id_b: Annotated[str, shown(Field.STATUS)]
    normalized_filter_a: Annotated[list[str], shown(Field.ECHO)]
    normalized_filter_b: Annotated[list[str], shown(Field.ECHO)]
    limitations: Annotated[list[str] | None, shown(Field.STATUS)]


@tool(
    "compare_call_cohorts",
    title="Two cohorts",
    description="Compare two cohorts: calls, transcripts and attribution of a, of b, of both together and of their "
    "overlap, counted once. Use it before two groups are compared by theme.",
    arguments=CohortPair,
    row=Side,
    notes=PairNotes,
    level=Level.AGGREGATE,
    presets=PRESETS,
    examples=({"filter_a": {"quarter": "2026-Q1"}, "filter_b": {"industry": "tech"}},),
)
def compare_call_cohorts(args: CohortPair, scope: CallScope) -> Rows[Side]:
    """Count both sides, and by inclusion and exclusion what they share."""
    a, b = cohort_of(args, scope, filter_name="filter_a"), cohort_of(args, scope, filter_name="filter_b")
    counted = {name: store.coverage(scope.store, of.calls) for name, of in (("a", a), ("b", b))}
    counted["both"] = _overlap(a, b, scope)
    either: dict[str, Any] = {}
    for name, value in counted["a"].items():
        other, shared = counted["b"][name], counted["both"][name]
        if name in ("first_day", "last_day"):
            days = [day for day in (value, other) if day is not None]
            either[name] = (min if name == "first_day" else max)(days) if days else None
        else:
            either[name] = value + other - shared
    counted["either"] = either
    rows = [Side(side=name, coverage=coverage_row(found, scope.cells)) for name, found in counted.items()]
    limits = list(dict.fromkeys([*limitations_of(rows[0].coverage), *limitations_of(rows[1].coverage)]))
    if rows[2].coverage.call_count:
        limits.append("overlap: the cohorts share calls; differences between them are understated.")
    notes = PairNotes(
        cohort_id_a=a.name,
        cohort_id_b=b.name,
        normalized_filter_a=a.conditions,
        normalized_filter_b=b.conditions,
        limitations=limits or None,
    )
    return Rows(rows, notes=notes)


def _overlap(a: Cohort, b: Cohort, scope: CallScope) -> dict[str, Any]:
    shared = store.shared(scope.store, a.calls, b.calls)
    return store.coverage_of(scope.store, shared)


class DimensionCounts(CohortArguments):
    """Arguments of ``list_dimension_counts``."""

    dimension: Annotated[
        str, DimensionMark(analysis=True), msgspec.Meta(description="What the calls are counted by.")
    ] = "lifecycle"
    concept: GroupConcept | None = None
    limit: Limit = None
    cursor: Cursor = None


class DimensionRow(Row):
    """Counts of one value; a blank one is shown as ``<blank>``."""

    value: Annotated[str, by("dimension")]
    call_count: Count
    share: Rate
    transcript_count: Count
    missing_transcript_count: Count
    transcript_coverage_rate: Rate
    latest_day: Annotated[str | None, exact(Field.TIME)]


class DimensionNotes(CohortNotes):
    """The dimension, and how many calls were counted."""

    dimension: Annotated[str, shown(Field.CATEGORY)]
    matched_call_count: Count


@tool(
    "list_dimension_counts",
    title="Calls by dimension",
    description="Count the calls of a cohort, or of the whole cache, by one business dimension: industry, stage, "
    "month, persona, won_lost, loss_reason, a concept of the profile. Most calls first.",
    arguments=DimensionCounts,
    row=DimensionRow,
    notes=DimensionNotes,
    level=Level.AGGREGATE,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=("dimension_counts", "summarize_calls_by_filters"),
    examples=(
        {"dimension": "industry", "filter": {"scope": "External"}},
        {"dimension": "won_lost"},
        {"dimension": "persona", "filter": {"from_date": "2026-01-01", "to_date": "2026-12-31"}},
    ),
)
def list_dimension_counts(args: DimensionCounts, scope: CallScope) -> Rows[DimensionRow]:
    """Count the calls by value."""
    cohort = cohort_of(args, scope, selective=False)
    value = dimension_of(args, scope, cohort)
    groups: dict[str, dict[str, Any]] = {}
    total = 0
    for row in store.valued(scope.store, cohort.calls, value):
        total += 1
        label = str(row["value"]) or BLANK
        group = groups.setdefault(label, {"value": label, "calls": 0, "transcripts": 0, "latest": ""})
        group["calls"] += 1
        group["transcripts"] += row["transcript_present"]
        group["latest"] = max(group["latest"], row["call_date"])
    ordered = sorted(groups.values(), key=lambda group: (-group["calls"], group["value"]))
    whole = scope.cells.count(total)
    rows = [
        DimensionRow(
            value=group["value"],
            call_count=group["calls"],
            share=ratio(group["calls"], whole),
            transcript_count=group["transcripts"],
            missing_transcript_count=group["calls"] - group["transcripts"],
            transcript_coverage_rate=ratio(group["transcripts"], group["calls"]),
            latest_day=group["latest"],
        )
        for group in scope.cells.groups(ordered, "value", ("calls",), add=("transcripts",))
    ]
    notes = DimensionNotes(**cohort_notes(cohort), dimension=args.dimension, matched_call_count=whole)
    return Rows.page(rows, scope, notes)


def dimension_of(args: Any, scope: CallScope, cohort: Cohort) -> store.Condition:
    """Return the value that the argument ``dimension`` of *args*, with ``concept``, asks for.

    Raises ``ToolFault("invalid_argument")`` for a concept that does not fit.
    """
    dimension = dimension_named(args.dimension)
    assert dimension is not None  # one of an enumeration
    concept = getattr(args, "concept", None)
    if dimension.name == PROFILE_CONCEPT:
        return concept_named(concept or "", scope, cohort.lifecycle, "concept", at=99).expression
    if concept is not None:
        raise ToolFault("invalid_argument", "concept needs dimension=profile_concept.")
    return dimension_value(dimension, args, scope, cohort.lifecycle, "dimension", at=99).expression


class CohortCallSearch(CohortArguments):
    """Arguments of ``search_calls_by_filters``."""

    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: IncludeIds = False


class CohortCall(Row):
    """One call of the cohort with the facts that it is counted by, newest first."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    call_date: Annotated[str, shown(Field.TIME)]
    duration_seconds: Annotated[int, shown(Field.MEASURE)]
    lifecycle_bucket: Annotated[str, shown(Field.CATEGORY)]
    scope: Annotated[str, shown(Field.CATEGORY)]
    system: Annotated[str, shown(Field.LABEL)]
    account_industry: Annotated[str | None, shown(Field.LABEL)]
    opportunity_stage: Annotated[str | None, shown(Field.LABEL)]
    opportunity_type: Annotated[str | None, shown(Field.LABEL)]
    transcript_status: Annotated[str, shown(Field.CATEGORY)]
    segment_count: Annotated[int, shown(Field.MEASURE)]


@tool(
    "search_calls_by_filters",
    title="Calls of a cohort",
    description="List the calls of a cohort, newest first, with lifecycle, industry and stage. Use call_ref with "
    "get_call_drilldown. Ids and titles need their flag.",
    arguments=CohortCallSearch,
    row=CohortCall,
    notes=CohortNotes,
    level=Level.METADATA,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    examples=(
        {"filter": {"quarter": "2026-Q1"}, "limit": 3},
        {"filter": {"title_query": "earnings"}, "include_call_titles": True, "include_call_ids": True},
        {"filter": {"account_query": "culp"}, "include_account_names": True},
    ),
)
def search_calls_by_filters(args: CohortCallSearch, scope: CallScope) -> Rows[CohortCall]:
    """Page through the calls by descending start."""
    cohort = cohort_of(args, scope)
    before = int(scope.after[0]) if scope.after else None
    page = calls_store.search_calls(scope.store, cohort.calls, scope.limit, before)
    buckets = cohort.lifecycle.shown(scope.store, ((row["call_no"], row["lifecycle_bucket"]) for row in page.rows))
    rows = [
        CohortCall(
            call_ref=row["call_ref"],
            call_id=row["call_id"],
            title=calls_store.title_of(row),
            call_date=row["call_date"],
            duration_seconds=row["duration_seconds"],
            lifecycle_bucket=buckets[row["call_no"]],
            scope=row["scope"],
            system=row["system"],
            account_industry=row["account_industry"] or None,
            opportunity_stage=row["opportunity_stage"] or None,
            opportunity_type=row["opportunity_type"] or None,
            transcript_status=calls_store.transcript_status(row),
            segment_count=row["segment_count"],
        )
        for row in page.rows
    ]
    keys = [(row["call_no"],) for row in page.rows]
    return Rows(rows, page.more, keys, CohortNotes(**cohort_notes(cohort)))
