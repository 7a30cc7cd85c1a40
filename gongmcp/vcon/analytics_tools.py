"""``get_database_analytics``: all figures over the corpus in one answer. Counted, never estimated."""

from __future__ import annotations

from typing import Any

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures
from gongmcp.store import vcon_health as health
from gongmcp.vcon.attachment_figures import AttachmentKind, SizeBucket, attachment_figures
from gongmcp.vcon.content_figures import content_figures
from gongmcp.vcon.database_tools import POSTGRES_ONLY
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.health_figures import IndexHealth, TablePerformance, health_figures, health_score
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.periods import MONTHS_BACK, periods, share
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Label, Measure, Size, Sum, Time, Word, Words
from gongmcp.vcon.size_tools import PART_TABLES, total_size
from gongmcp.vcon.tag_figures import TagKeyUse, TagValueUse, tag_figures


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
        "months_back": MONTHS_BACK,
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
        out.growth = _growth_block(periods(scope, arguments["months_back"], "monthly"))
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
            growth_percentage=share(grown, first),
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
