"""``get_database_health_metrics``: storage, indexes and plans, with a score whose parts are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures
from gongmcp.store import vcon_health as health
from gongmcp.vcon.database_tools import POSTGRES_ONLY
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.periods import share
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Measure, Number, Size, Time, Word, Words
from gongmcp.vcon.size_tools import PART_TABLES


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
                index_usage_ratio=share(scanned.get(name, (0, 0))[1], sum(scanned.get(name, (0, 0)))),
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
        index_size_percentage=share(index, size + index),
    )
