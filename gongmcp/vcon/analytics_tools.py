"""Figures over the corpus: growth, attachments, tags, content, health. Counted, never estimated; what SQLite cannot
tell is absent and ``notes`` says so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Final

from gongmcp.exposure.fields import Field, exact
from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.store import vcon_health as health
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.infra_tools import PART_TABLES, POSTGRES_ONLY, timestamp, total_size
from gongmcp.vcon.parameters import choice, switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Label, Measure, Number, Size, Sum, Time, Word, Words

_MONTHS_BACK: Final[dict[str, Any]] = {"type": "integer", "minimum": 1, "maximum": 60, "default": 12}
_YEAR: Final = 12


def _least(scope: Scope, rows: list[Any], column: str = "vcons") -> list[Any]:
    """Leave out groups that are too small to be told apart."""
    return [row for row in rows if row[column] >= scope.policy.min_cell]


def _share(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


# --- growth --------------------------------------------------------------------------------------------------


class Creation(Row, kw_only=True):
    """vCons of one period."""

    period: Word
    vcon_count: Count
    unique_vcons: Count


class Growth(Row, kw_only=True):
    """Bytes of one period."""

    period: Word
    dialog_size: Bytes | None = None
    attachment_size: Bytes | None = None
    total_size: Bytes | None = None


class Volume(Row, kw_only=True):
    """Parts of one period."""

    period: Word
    vcon_count: Count
    dialog_count: Count
    analysis_count: Count
    attachment_count: Count
    total_duration: Sum | None = None


class Trends(Row, kw_only=True):
    """Three rows of periods, gaps filled with nothing."""

    vcon_creation: list[Creation]
    size_growth: list[Growth]
    content_volume: list[Volume]


class Rates(Row, kw_only=True):
    """Change from the last but one full period to the last, in percent."""

    vcon_growth_rate: Sum | None = None
    size_growth_rate: Sum | None = None


class Projected(Row, kw_only=True):
    """What the next three periods add up to at the same rate."""

    projected_vcons: Count
    projected_size: Bytes | None = None
    projected_size_pretty: Annotated[str | None, exact(Field.MEASURE)] = None


class Projections(Row, kw_only=True):
    """What the rates lead to."""

    next_3_months: Projected
    growth_rates: Rates


class MonthlyGrowth(Row, kw_only=True):
    """Growth by period."""

    timestamp: Time | None = None
    period: Word
    granularity: Word
    trends: Trends
    growth_rates: Rates
    projections: Projections | None = None
    notes: Words


class GrowthAnswer(Row, kw_only=True):
    """Answer of ``get_monthly_growth_analytics``."""

    monthly_growth_analytics: MonthlyGrowth


def _start(scope: Scope, months: int) -> int:
    """Return the first moment, in milliseconds, of the month *months* - 1 before that of the answer."""
    now = timestamp(scope)
    if now is None:
        return 0
    moment = dt.datetime.fromisoformat(now)
    year, month = divmod(moment.year * 12 + moment.month - months, 12)
    if year < 1:
        return 0
    return round(dt.datetime(year, month + 1, 1, tzinfo=dt.UTC).timestamp() * 1000)


def _periods(scope: Scope, months: int, granularity: str) -> list[dict[str, Any]]:
    """Return the rows of each period, those without a vCon too."""
    rows = {
        row["period"]: dict(row)
        for row in vcon_figures.growth(
            scope.store,
            period=granularity,  # type: ignore[arg-type]
            from_ms=_start(scope, months),
        )
    }
    if not rows:
        return []
    empty = dict.fromkeys(next(iter(rows.values())), 0)
    return [rows.get(name, {**empty, "period": name}) for name in _names(min(rows), max(rows), granularity)]


def _names(first: str, last: str, granularity: str) -> list[str]:
    if granularity == "monthly":
        year, month = map(int, first.split("-"))
        names = []
        while (name := f"{year:04}-{month:02}") <= last:
            names.append(name)
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return names
    step = 7 if granularity == "weekly" else 1
    day = (
        dt.date.fromisocalendar(int(first[:4]), int(first[6:]), 1)
        if granularity == "weekly"
        else dt.date.fromisoformat(first)
    )
    names = []
    while (name := f"{day:%G-W%V}" if granularity == "weekly" else day.isoformat()) <= last:
        names.append(name)
        day += dt.timedelta(days=step)
    return names


def _rates(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return growth in percent of vCons and bytes between the two last full periods; the running one is left out."""
    full = rows[:-1]
    if len(full) < 2:
        return 0.0, 0.0
    before, last = full[-2], full[-1]
    return tuple(  # type: ignore[return-value]
        round(100 * (last[name] - before[name]) / before[name], 2) if before[name] else 0.0
        for name in ("vcons", "size_bytes")
    )


@vcon_tool(
    "get_monthly_growth_analytics",
    title="Growth",
    description="Growth by month, week or day, with rates and projections.",
    category="analytics",
    answer=GrowthAnswer,
    properties={
        "months_back": _MONTHS_BACK,
        "include_projections": switch(True),
        "granularity": choice("monthly", "weekly", "daily", default="monthly"),
    },
    instead="vcon_aggregate with group_by month",
    into=READING,
)
def get_monthly_growth_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count what was made when."""
    months, granularity = arguments["months_back"], arguments["granularity"]
    rows = _periods(scope, months, granularity)
    sizes = vcon_shape.month_sizes(scope.store) if granularity == "monthly" else {}
    vcons, size = _rates(rows)
    rates = Rates(vcon_growth_rate=vcons, size_growth_rate=size)
    trends = Trends(
        vcon_creation=[Creation(period=r["period"], vcon_count=r["vcons"], unique_vcons=r["vcons"]) for r in rows],
        size_growth=[
            Growth(
                period=r["period"],
                dialog_size=sizes.get(r["period"], (0, 0))[0] if sizes else None,
                attachment_size=sizes.get(r["period"], (0, 0))[1] if sizes else None,
                total_size=r["size_bytes"],
            )
            for r in rows
        ],
        content_volume=[
            Volume(
                period=r["period"],
                vcon_count=r["vcons"],
                dialog_count=r["dialogs"],
                analysis_count=r["analyses"],
                attachment_count=r["attachments"],
                total_duration=float(r["duration_seconds"]),
            )
            for r in rows
        ],
    )
    notes = ["Periods are of UTC, by when the records were made; the last one is not over and is left out of rates."]
    if granularity != "monthly":
        notes.append("Bytes of dialogs and attachments are kept apart by month alone.")
    return GrowthAnswer(
        monthly_growth_analytics=MonthlyGrowth(
            timestamp=timestamp(scope),
            period=f"{months} months",
            granularity=granularity,
            trends=trends,
            growth_rates=rates,
            projections=_projections(rows, vcons, size, granularity) if arguments["include_projections"] else None,
            notes=notes,
        )
    )


_PER_QUARTER: Final = {"monthly": 3, "weekly": 13, "daily": 91}


def _projections(rows: list[dict[str, Any]], vcon_rate: float, size_rate: float, granularity: str) -> Projections:
    """Carry the last full period on for three months, grown once at its rate."""
    last = (rows[:-1] or rows or [{"vcons": 0, "size_bytes": 0}])[-1]
    periods = _PER_QUARTER[granularity]
    vcons = max(0, round(last["vcons"] * (1 + vcon_rate / 100) * periods))
    size = max(0, round(last["size_bytes"] * (1 + size_rate / 100) * periods))
    return Projections(
        next_3_months=Projected(projected_vcons=vcons, projected_size=size, projected_size_pretty=health.pretty(size)),
        growth_rates=Rates(vcon_growth_rate=vcon_rate, size_growth_rate=size_rate),
    )


# --- attachments ---------------------------------------------------------------------------------------------


class AttachmentSummary(Row, kw_only=True):
    """All attachments together."""

    total_attachments: Count
    total_size: Bytes | None = None
    avg_size: Sum | None = None
    min_size: Bytes | None = None
    max_size: Bytes | None = None
    unique_types: Count
    vcons_with_attachments: Count


class AttachmentKind(Row, kw_only=True):
    """Attachments of one type: its purpose, or the older type."""

    type: Label
    count: Count
    total_size: Bytes | None = None
    avg_size: Sum | None = None
    percentage: Sum | None = None


class SizeBucket(Row, kw_only=True):
    """Attachments of one size."""

    size_bucket: Word
    count: Count
    total_size: Bytes | None = None
    percentage: Sum | None = None


class AttachmentMonth(Row, kw_only=True):
    """Attachments of one month."""

    month: Word
    attachment_count: Count
    total_size: Bytes | None = None
    avg_size: Sum | None = None


class AttachmentFigures(Row, kw_only=True):
    """Figures of attachments."""

    timestamp: Time | None = None
    summary: AttachmentSummary
    type_breakdown: list[AttachmentKind] | None = None
    size_distribution: list[SizeBucket] | None = None
    temporal_patterns: list[AttachmentMonth] | None = None


class AttachmentAnswer(Row, kw_only=True):
    """Answer of ``get_attachment_analytics``."""

    attachment_analytics: AttachmentFigures


@vcon_tool(
    "get_attachment_analytics",
    title="Attachments",
    description="Types and sizes of attachments. Size is that of the body as it stands in the vCon.",
    category="analytics",
    answer=AttachmentAnswer,
    properties={
        "include_size_distribution": switch(True),
        "include_type_breakdown": switch(True),
        "include_temporal_patterns": switch(False),
        "top_n_types": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    },
    instead="vcon_aggregate with group_by attachment_purpose",
    into=READING,
)
def get_attachment_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count attachments."""
    return AttachmentAnswer(attachment_analytics=attachment_figures(scope, arguments))


def attachment_figures(scope: Scope, arguments: Mapping[str, Any]) -> AttachmentFigures:
    """Return figures of attachments."""
    store = scope.store
    whole = vcon_shape.attachment_totals(store)
    total = whole["count"]
    out = AttachmentFigures(
        timestamp=timestamp(scope),
        summary=AttachmentSummary(
            total_attachments=total,
            total_size=whole["size"],
            avg_size=whole["average"],
            min_size=whole["smallest"],
            max_size=whole["largest"],
            unique_types=whole["kinds"],
            vcons_with_attachments=whole["vcons"],
        ),
    )
    if arguments.get("include_type_breakdown", True):
        merged: dict[str, list[int]] = {}
        for row in vcon_figures.attachment_kinds(store):
            pair = merged.setdefault(row["purpose"] or row["legacy_type"] or "unspecified", [0, 0])
            pair[0] += row["count"]
            pair[1] += row["size_bytes"]
        ordered = sorted(merged.items(), key=lambda item: (-item[1][0], item[0]))[: arguments.get("top_n_types", 10)]
        out.type_breakdown = [
            AttachmentKind(type=name, count=n, total_size=size, avg_size=size / n, percentage=_share(n, total))
            for name, (n, size) in ordered
            if n >= scope.policy.min_cell
        ]
    if arguments.get("include_size_distribution", True):
        out.size_distribution = [
            SizeBucket(
                size_bucket=row["bucket"],
                count=row["count"],
                total_size=row["size"],
                percentage=_share(row["count"], total),
            )
            for row in _least(scope, vcon_shape.attachment_sizes(store), "count")
        ]
    if arguments.get("include_temporal_patterns", False):
        out.temporal_patterns = [
            AttachmentMonth(
                month=row["month"],
                attachment_count=row["count"],
                total_size=row["size"],
                avg_size=row["size"] / row["count"],
            )
            for row in vcon_shape.attachment_months(store, _YEAR)
        ]
    return out


# --- tags ----------------------------------------------------------------------------------------------------


class TagSummary(Row, kw_only=True):
    """All tags together."""

    unique_keys: Count
    unique_values: Count
    vcons_with_tags: Count
    total_tag_assignments: Count


class TagKeyUse(Row, kw_only=True):
    """One key: *avg_values_per_key* is how often a value of it occurs on average."""

    key: Label
    usage_count: Count
    unique_values: Count
    vcons_with_tag: Count
    avg_values_per_key: Sum | None = None


class TagValueUse(Row, kw_only=True):
    """One value of a key and its share of the key's uses."""

    key: Label
    value: Label
    count: Count
    percentage: Sum | None = None


class TagMonth(Row, kw_only=True):
    """Uses of a key in one month."""

    month: Word
    key: Label
    usage_count: Count


class TagFigures(Row, kw_only=True):
    """Figures of tags."""

    timestamp: Time | None = None
    summary: TagSummary
    frequency_analysis: list[TagKeyUse] | None = None
    value_distribution: list[TagValueUse] | None = None
    temporal_trends: list[TagMonth] | None = None


class TagAnswer(Row, kw_only=True):
    """Answer of ``get_tag_analytics``."""

    tag_analytics: TagFigures


@vcon_tool(
    "get_tag_analytics",
    title="Tags in figures",
    description="Use of tag keys and values.",
    category="analytics",
    answer=TagAnswer,
    properties={
        "include_frequency_analysis": switch(True),
        "include_value_distribution": switch(True),
        "include_temporal_trends": switch(False),
        "top_n_keys": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        "min_usage_count": {"type": "integer", "minimum": 1, "default": 1},
    },
    instead="vcon_taxonomy",
    into=READING,
)
def get_tag_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count tags."""
    return TagAnswer(tag_analytics=tag_figures(scope, arguments))


def tag_figures(scope: Scope, arguments: Mapping[str, Any]) -> TagFigures:
    """Return figures of tags."""
    store = scope.store
    keys = vcon_figures.tag_keys(store)
    values = vcon_figures.tag_values(store)
    least = max(arguments.get("min_usage_count", 1), scope.policy.min_cell)
    top = [row for row in keys if row["vcons"] >= least][: arguments.get("top_n_keys", 20)]
    uses = {row["tag_key"]: row["vcons"] for row in top}
    out = TagFigures(
        timestamp=timestamp(scope),
        summary=TagSummary(
            unique_keys=len(keys),
            unique_values=len({row["tag_value"] for row in values}),
            vcons_with_tags=vcon_figures.tagged(store),
            total_tag_assignments=sum(row["vcons"] for row in keys),
        ),
    )
    if arguments.get("include_frequency_analysis", True):
        out.frequency_analysis = [
            TagKeyUse(
                key=row["tag_key"],
                usage_count=row["vcons"],
                unique_values=row["distinct_values"],
                vcons_with_tag=row["vcons"],
                avg_values_per_key=row["vcons"] / row["distinct_values"],
            )
            for row in top
        ]
    if arguments.get("include_value_distribution", True):
        out.value_distribution = [
            TagValueUse(
                key=row["tag_key"],
                value=row["tag_value"],
                count=row["count"],
                percentage=_share(row["count"], uses[row["tag_key"]]),
            )
            for row in values
            if row["tag_key"] in uses and row["count"] >= least
        ]
    if arguments.get("include_temporal_trends", False):
        out.temporal_trends = [
            TagMonth(month=row["month"], key=row["tag_key"], usage_count=row["count"])
            for row in _least(scope, vcon_shape.tag_months(store, _YEAR), "count")
            if row["tag_key"] in uses
        ]
    return out


# --- content -------------------------------------------------------------------------------------------------


class ContentSummary(Row, kw_only=True):
    """All content together; *avg_duration_seconds* is of dialogs that say how long they are."""

    total_vcons: Count
    total_parties: Count
    total_dialogs: Count
    total_analysis: Count
    total_attachments: Count
    total_duration_seconds: Sum | None = None
    avg_duration_seconds: Sum | None = None


class DialogKind(Row, kw_only=True):
    """Dialogs of one type."""

    type: Label
    count: Count
    avg_duration: Sum | None = None
    total_duration: Sum | None = None
    total_size: Bytes | None = None
    unique_vcons: Count


class AnalysisKind(Row, kw_only=True):
    """Analyses of one type and vendor."""

    type: Label
    vendor: Label
    count: Count
    unique_vcons: Count


class PartyPattern(Row, kw_only=True):
    """Parties of one role; of a served cache names, addresses and numbers are not counted."""

    role: Label
    count: Count
    unique_names: Count | None = None
    unique_emails: Count | None = None
    unique_phones: Count | None = None
    unique_vcons: Count


class ConversationMetrics(Row, kw_only=True):
    """Averages and maxima over vCons."""

    total_conversations: Count
    avg_parties_per_conversation: Sum | None = None
    avg_dialogs_per_conversation: Sum | None = None
    avg_analysis_per_conversation: Sum | None = None
    avg_attachments_per_conversation: Sum | None = None
    avg_duration_per_conversation: Sum | None = None
    avg_size_per_conversation: Sum | None = None
    max_parties_in_conversation: Bytes | None = None
    max_dialogs_in_conversation: Bytes | None = None
    vcons_without_dialog: Count
    vcons_without_analysis: Count


class ContentMonth(Row, kw_only=True):
    """Content of one month."""

    month: Word
    vcon_count: Count
    dialog_count: Count
    analysis_count: Count
    attachment_count: Count
    total_duration: Sum | None = None


class ContentFigures(Row, kw_only=True):
    """Figures of content."""

    timestamp: Time | None = None
    summary: ContentSummary
    dialog_analysis: list[DialogKind] | None = None
    analysis_breakdown: list[AnalysisKind] | None = None
    party_patterns: list[PartyPattern] | None = None
    conversation_metrics: ConversationMetrics | None = None
    temporal_content: list[ContentMonth] | None = None
    notes: Words | None = None


class ContentAnswer(Row, kw_only=True):
    """Answer of ``get_content_analytics``."""

    content_analytics: ContentFigures


@vcon_tool(
    "get_content_analytics",
    title="Content in figures",
    description="Types of dialogs and analyses, parties by role, averages over conversations.",
    category="analytics",
    answer=ContentAnswer,
    properties={
        "include_dialog_analysis": switch(True),
        "include_analysis_breakdown": switch(True),
        "include_party_patterns": switch(True),
        "include_conversation_metrics": switch(True),
        "include_temporal_content": switch(False),
    },
    instead="vcon_graph_shape",
    into=READING,
)
def get_content_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count dialogs, analyses and parties."""
    return ContentAnswer(content_analytics=content_figures(scope, arguments))


def content_figures(scope: Scope, arguments: Mapping[str, Any]) -> ContentFigures:
    """Return figures of content."""
    store = scope.store
    whole, durations = vcon_figures.totals(store), vcon_shape.duration_figures(store)
    out = ContentFigures(
        timestamp=timestamp(scope),
        summary=ContentSummary(
            total_vcons=whole["vcons"],
            total_parties=whole["parties"],
            total_dialogs=whole["dialogs"],
            total_analysis=whole["analyses"],
            total_attachments=whole["attachments"],
            total_duration_seconds=float(durations["total"]),
            avg_duration_seconds=durations["total"] / durations["measured"] if durations["measured"] else 0.0,
        ),
        notes=["vCons hold no confidence, so avg_confidence is absent."],
    )
    if arguments.get("include_dialog_analysis", True):
        out.dialog_analysis = [
            DialogKind(
                type=row["dialog_type"],
                count=row["count"],
                avg_duration=row["total_duration"] / row["with_duration"] if row["with_duration"] else 0.0,
                total_duration=float(row["total_duration"]),
                total_size=row["size_bytes"],
                unique_vcons=row["vcons"],
            )
            for row in _least(scope, vcon_figures.dialog_types(store))
        ]
    if arguments.get("include_analysis_breakdown", True):
        out.analysis_breakdown = [
            AnalysisKind(type=row["analysis_type"], vendor=row["vendor"], count=row["count"], unique_vcons=row["vcons"])
            for row in _least(scope, vcon_figures.analysis_types(store))
        ]
    if arguments.get("include_party_patterns", True):
        here = scope.verbatim
        out.party_patterns = [
            PartyPattern(
                role=row["role"] or "unspecified",
                count=row["count"],
                unique_names=row["names"] if here else None,
                unique_emails=row["emails"] if here else None,
                unique_phones=row["phones"] if here else None,
                unique_vcons=row["vcons"],
            )
            for row in _least(scope, vcon_shape.party_figures(store))
        ]
    if arguments.get("include_conversation_metrics", True):
        found = vcon_shape.conversation_figures(store)
        out.conversation_metrics = ConversationMetrics(
            total_conversations=found["vcons"],
            avg_parties_per_conversation=found["parties"],
            avg_dialogs_per_conversation=found["dialogs"],
            avg_analysis_per_conversation=found["analyses"],
            avg_attachments_per_conversation=found["attachments"],
            avg_duration_per_conversation=found["duration"],
            avg_size_per_conversation=found["size"],
            max_parties_in_conversation=found["max_parties"],
            max_dialogs_in_conversation=found["max_dialogs"],
            vcons_without_dialog=found["without_dialog"],
            vcons_without_analysis=found["without_analysis"],
        )
    if arguments.get("include_temporal_content", False):
        out.temporal_content = [
            ContentMonth(
                month=row["period"],
                vcon_count=row["vcons"],
                dialog_count=row["dialogs"],
                analysis_count=row["analyses"],
                attachment_count=row["attachments"],
                total_duration=float(row["duration_seconds"]),
            )
            for row in _periods(scope, _YEAR, "monthly")
        ]
    return out


# --- health --------------------------------------------------------------------------------------------------


class TablePerformance(Row, kw_only=True):
    """One table: the product's own statements that scan it, and those that search it by an index."""

    table_name: Word
    live_rows: Count
    statements_that_scan: Number
    statements_that_search: Number
    index_usage_ratio: Measure


class TableStorage(Row, kw_only=True):
    """Bytes of one table."""

    table_name: Word
    total_size: Size
    table_size: Size
    index_size: Size
    index_size_percentage: Measure


class IndexHealth(Row, kw_only=True):
    """One index: ACTIVE when one of the product's own statements uses it."""

    table_name: Word
    index_name: Word
    index_size: Size | None = None
    health_status: Word
    used_by_statements: Words


class HealthMetrics(Row, kw_only=True):
    """What was asked for."""

    performance: list[TablePerformance] | None = None
    storage: list[TableStorage] | None = None
    indexes: list[IndexHealth] | None = None


class Component(Row, kw_only=True):
    """One part of the score."""

    name: Word
    weight: Measure
    value: Measure


class Health(Row, kw_only=True):
    """The score is the weighted sum of its components, 0 to 100."""

    timestamp: Time | None = None
    overall_score: Measure
    score_components: list[Component]
    metrics: HealthMetrics
    recommendations: Words | None = None
    alerts: Words
    notes: Words


class HealthAnswer(Row, kw_only=True):
    """Answer of ``get_database_health_metrics``."""

    database_health_metrics: Health


@vcon_tool(
    "get_database_health_metrics",
    title="Health of the database",
    description="Storage, indexes and plans, with a score whose parts are given.",
    category="analytics",
    answer=HealthAnswer,
    properties={
        "include_performance_metrics": switch(True),
        "include_storage_efficiency": switch(True),
        "include_index_health": switch(True),
        "include_connection_metrics": switch(True),
        "include_recommendations": switch(True),
    },
    instead="vcon_capabilities",
    into=READING,
)
def get_database_health_metrics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Judge the tables of vCons."""
    return HealthAnswer(database_health_metrics=health_figures(scope, arguments))


def health_score(scope: Scope) -> list[Component]:
    """Return the parts of the score: statements that use an index, statistics kept, parts in order."""
    scanned = health.scanned_tables(scope.store).values()
    searches, scans = sum(pair[1] for pair in scanned), sum(pair[0] for pair in scanned)
    whole = vcon_figures.totals(scope.store)
    in_order = all(
        health.row_count(scope.store, PART_TABLES[part]) == whole[name]
        for part, name in (("parties", "parties"), ("dialog", "dialogs"))
    )
    return [
        Component(name="statements_by_index", weight=50.0, value=searches / max(searches + scans, 1)),
        Component(name="statistics_kept", weight=20.0, value=float(bool(health.statistics(scope.store)))),
        Component(name="parts_in_order", weight=30.0, value=float(in_order)),
    ]


def health_figures(scope: Scope, arguments: Mapping[str, Any]) -> Health:
    """Return what SQLite tells of the tables of vCons."""
    store, known = scope.store, health.tables(store=scope.verbatim)
    components = health_score(scope)
    metrics = HealthMetrics()
    whole_sizes = scope.policy.min_cell == 1
    scanned = health.scanned_tables(store)
    if arguments.get("include_performance_metrics", True):
        metrics.performance = [
            TablePerformance(
                table_name=name,
                live_rows=health.row_count(store, name),
                statements_that_scan=scanned.get(name, (0, 0))[0],
                statements_that_search=scanned.get(name, (0, 0))[1],
                index_usage_ratio=_share(scanned.get(name, (0, 0))[1], sum(scanned.get(name, (0, 0)))),
            )
            for name in known
        ]
    if arguments.get("include_storage_efficiency", True) and whole_sizes:
        metrics.storage = [_storage(scope, name) for name in known]
    used = health.used_indexes(store)
    found = [item for name in known for item in health.indexes(store, name)]
    if arguments.get("include_index_health", True):
        metrics.indexes = [
            IndexHealth(
                table_name=item.table,
                index_name=item.name,
                index_size=health.pretty(health.object_size(store, item.name)) if whole_sizes else None,
                health_status="ACTIVE" if item.name in used or item.automatic else "UNUSED",
                used_by_statements=used.get(item.name, []),
            )
            for item in found
        ]
    notes = [
        f"{POSTGRES_ONLY}accesses of tables and indexes, dead rows, cache hits, connections (metrics.connections)."
    ]
    recommendations = []
    if not health.statistics(store):
        recommendations.append("Run ANALYZE so that the planner knows how selective the indexes are.")
    return Health(
        timestamp=timestamp(scope),
        overall_score=sum(part.weight * part.value for part in components),
        score_components=components,
        metrics=metrics,
        recommendations=recommendations if arguments.get("include_recommendations", True) else None,
        alerts=[],
        notes=notes,
    )


def _storage(scope: Scope, table: str) -> TableStorage:
    size = health.object_size(scope.store, table)
    index = sum(health.object_size(scope.store, item.name) for item in health.indexes(scope.store, table))
    return TableStorage(
        table_name=table,
        total_size=health.pretty(size + index),
        table_size=health.pretty(size),
        index_size=health.pretty(index),
        index_size_percentage=_share(index, size + index),
    )


# --- all together --------------------------------------------------------------------------------------------


class Summary(Row, kw_only=True):
    """The corpus in one row."""

    total_vcons: Count
    total_parties: Count
    total_dialogs: Count
    total_analysis: Count
    total_attachments: Count
    total_size_bytes: Bytes | None = None
    total_size_pretty: Size | None = None
    database_health_score: Measure


class TableRow(Row, kw_only=True):
    """One table."""

    row_count: Count
    total_size: Size | None = None
    table_size: Size | None = None


class Tables(Row, kw_only=True):
    """The five tables of a vCon's parts."""

    vcons: TableRow
    parties: TableRow
    dialog: TableRow
    analysis: TableRow
    attachments: TableRow


class MonthRow(Row, kw_only=True):
    """One month."""

    month: Word
    vcon_count: Count
    total_size: Bytes | None = None


class GrowthSummary(Row, kw_only=True):
    """From the first month to the last."""

    total_growth: Bytes | None = None
    avg_monthly_growth: Sum | None = None
    growth_percentage: Sum | None = None


class GrowthBlock(Row, kw_only=True):
    """Growth by month."""

    monthly_data: list[MonthRow]
    summary: GrowthSummary


class RoleRow(Row, kw_only=True):
    """Parties of one role."""

    role: Label
    count: Count
    unique_names: Count | None = None


class DialogRowShort(Row, kw_only=True):
    """Dialogs of one type."""

    type: Label
    count: Count
    avg_duration: Sum | None = None


class AnalysisRowShort(Row, kw_only=True):
    """Analyses of one type and vendor."""

    type: Label
    vendor: Label
    count: Count


class ContentBlock(Row, kw_only=True):
    """Content by type."""

    dialog_types: list[DialogRowShort]
    analysis_types: list[AnalysisRowShort]
    party_roles: list[RoleRow]


class AttachmentBlock(Row, kw_only=True):
    """Attachments by type and size."""

    type_breakdown: list[AttachmentKind]
    size_distribution: list[SizeBucket]


class TagBlock(Row, kw_only=True):
    """Tags by key and value."""

    tag_frequency: list[TagKeyUse]
    value_distribution: list[TagValueUse]


class HealthBlock(Row, kw_only=True):
    """Plans and indexes."""

    table_performance: list[TablePerformance]
    index_usage: list[IndexHealth]


class Analytics(Row, kw_only=True):
    """Everything; a section that was not asked for is absent."""

    timestamp: Time | None = None
    summary: Summary
    tables: Tables
    growth: GrowthBlock | None = None
    content: ContentBlock | None = None
    attachments: AttachmentBlock | None = None
    tags: TagBlock | None = None
    health: HealthBlock | None = None
    notes: Words


class AnalyticsAnswer(Row, kw_only=True):
    """Answer of ``get_database_analytics``."""

    database_analytics: Analytics


@vcon_tool(
    "get_database_analytics",
    title="The corpus in figures",
    description="Size, growth, content, attachments, tags and health in one answer.",
    category="analytics",
    answer=AnalyticsAnswer,
    properties={
        "include_growth_trends": switch(True),
        "include_content_analytics": switch(True),
        "include_attachment_stats": switch(True),
        "include_tag_analytics": switch(True),
        "include_health_metrics": switch(True),
        "months_back": _MONTHS_BACK,
    },
    instead="vcon_graph_shape",
    example={"include_growth_trends": True, "include_content_analytics": True, "months_back": 6},
    into=READING,
)
def get_database_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Put all figures together."""
    whole = vcon_figures.totals(scope.store)
    size = total_size(scope) if scope.policy.min_cell == 1 else None
    out = Analytics(
        timestamp=timestamp(scope),
        summary=Summary(
            total_vcons=whole["vcons"],
            total_parties=whole["parties"],
            total_dialogs=whole["dialogs"],
            total_analysis=whole["analyses"],
            total_attachments=whole["attachments"],
            total_size_bytes=size,
            total_size_pretty=health.pretty(size) if size is not None else None,
            database_health_score=sum(part.weight * part.value for part in health_score(scope)),
        ),
        tables=Tables(**{name: _table_row(scope, table) for name, table in PART_TABLES.items()}),
        notes=[f"{POSTGRES_ONLY}accesses of tables and indexes, dead rows."],
    )
    if arguments["include_growth_trends"]:
        out.growth = _growth_block(_periods(scope, arguments["months_back"], "monthly"))
    if arguments["include_content_analytics"]:
        content = content_figures(scope, {})
        out.content = ContentBlock(
            dialog_types=[
                DialogRowShort(type=row.type, count=row.count, avg_duration=row.avg_duration)
                for row in content.dialog_analysis or ()
            ],
            analysis_types=[
                AnalysisRowShort(type=row.type, vendor=row.vendor, count=row.count)
                for row in content.analysis_breakdown or ()
            ],
            party_roles=[
                RoleRow(role=row.role, count=row.count, unique_names=row.unique_names)
                for row in content.party_patterns or ()
            ],
        )
    if arguments["include_attachment_stats"]:
        files = attachment_figures(scope, {})
        out.attachments = AttachmentBlock(
            type_breakdown=files.type_breakdown or [], size_distribution=files.size_distribution or []
        )
    if arguments["include_tag_analytics"]:
        tags = tag_figures(scope, {})
        out.tags = TagBlock(
            tag_frequency=tags.frequency_analysis or [], value_distribution=tags.value_distribution or []
        )
    if arguments["include_health_metrics"]:
        metrics = health_figures(scope, {}).metrics
        out.health = HealthBlock(table_performance=metrics.performance or [], index_usage=metrics.indexes or [])
    return AnalyticsAnswer(database_analytics=out)


def _growth_block(rows: list[dict[str, Any]]) -> GrowthBlock:
    """Return growth by month; an average is over the steps between months."""
    first, last = (rows[0]["vcons"], rows[-1]["vcons"]) if rows else (0, 0)
    grown = last - first
    return GrowthBlock(
        monthly_data=[
            MonthRow(month=row["period"], vcon_count=row["vcons"], total_size=row["size_bytes"]) for row in rows
        ],
        summary=GrowthSummary(
            total_growth=grown,
            avg_monthly_growth=grown / (len(rows) - 1) if len(rows) > 1 else 0.0,
            growth_percentage=_share(grown, first),
        ),
    )


def _table_row(scope: Scope, table: str) -> TableRow:
    size = health.object_size(scope.store, table)
    index = sum(health.object_size(scope.store, item.name) for item in health.indexes(scope.store, table))
    whole = scope.policy.min_cell == 1
    return TableRow(
        row_count=health.row_count(scope.store, table),
        total_size=health.pretty(size + index) if whole else None,
        table_size=health.pretty(size) if whole else None,
    )
