"""``get_database_shape``, ``get_database_stats``, ``analyze_query``: tables, statistics, plans as SQLite has them."""

from __future__ import annotations

from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_health as health
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import choice, switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Flag, Measure, Number, Size, Time, Word, Words

SCHEMA_NAME: Final = "main"
POSTGRES_ONLY: Final = "SQLite keeps no such figures: "


class IndexShape(Row, kw_only=True):
    """One index."""

    indexname: Word
    index_type: Word
    index_size: Size | None = None
    indexdef: Word | None = None


class ColumnShape(Row, kw_only=True):
    """One column."""

    column_name: Word
    data_type: Word
    is_nullable: Word


class TableShape(Row, kw_only=True):
    """One table of vCons."""

    name: Word
    schema: Word
    row_count: Count | None = None
    total_size: Size | None = None
    table_size: Size | None = None
    indexes_size: Size | None = None
    indexes: list[IndexShape] | None = None
    columns: list[ColumnShape] | None = None


class Relationship(Row, kw_only=True):
    """Which column points to which."""

    from_table: Word
    from_column: Word
    to_table: Word
    to_column: Word


class DatabaseShape(Row, kw_only=True):
    """The tables and how they hang together."""

    timestamp: Time | None = None
    tables: list[TableShape]
    relationships: list[Relationship]
    notes: Words | None = None


class ShapeAnswer(Row, kw_only=True):
    """Answer of ``get_database_shape``."""

    database_shape: DatabaseShape


@vcon_tool(
    "get_database_shape",
    title="Shape of the database",
    description="Database structure, sizes and indexes of the tables of vCons.",
    category="infra",
    answer=ShapeAnswer,
    properties={
        "include_counts": switch(True),
        "include_sizes": switch(True),
        "include_indexes": switch(True),
        "include_columns": switch(False),
    },
    instead="vcon_capabilities",
    into=READING,
)
def get_database_shape(arguments: dict[str, Any], scope: Scope) -> Row:
    """Describe the tables of vCons."""
    store = scope.store
    sized = arguments["include_sizes"] and scope.policy.min_cell == 1
    tables = []
    for name in health.tables(store=scope.verbatim):
        found = health.indexes(store, name)
        row = TableShape(name=name, schema=SCHEMA_NAME)
        if arguments["include_counts"]:
            row.row_count = health.row_count(store, name)
        if sized:
            table, index = health.object_size(store, name), sum(health.object_size(store, item.name) for item in found)
            row.table_size, row.indexes_size = health.pretty(table), health.pretty(index)
            row.total_size = health.pretty(table + index)
        if arguments["include_indexes"]:
            row.indexes = [
                IndexShape(
                    indexname=item.name,
                    index_type="b-tree",
                    index_size=health.pretty(health.object_size(store, item.name)) if sized else None,
                    indexdef=item.sql or None,
                )
                for item in found
            ]
        if arguments["include_columns"]:
            row.columns = [
                ColumnShape(column_name=item.name, data_type=item.kind, is_nullable="YES" if item.nullable else "NO")
                for item in health.columns(store, name)
            ]
        tables.append(row)
    children = [name for name in health.tables(store=False) if name != "vcons"]
    links = [
        Relationship(from_table=name, from_column="vcon_no", to_table="vcons", to_column="vcon_no") for name in children
    ]
    return ShapeAnswer(
        database_shape=DatabaseShape(
            timestamp=timestamp(scope),
            tables=tables,
            relationships=links,
            notes=["Relationships are kept by the writers; the file declares no foreign keys."],
        )
    )


class TableStats(Row, kw_only=True):
    """One table: how many of the product's own statements scan it and how many search it."""

    table_name: Word
    live_rows: Count
    statements_that_scan: Number
    statements_that_search: Number


class IndexUse(Row, kw_only=True):
    """One index and the product's own statements that use it."""

    table_name: Word
    index_name: Word
    used_by_statements: Words
    statistics: Word | None = None


class UnusedIndex(Row, kw_only=True):
    """An index that none of the product's own statements uses."""

    table_name: Word
    index_name: Word
    index_size: Size | None = None


class DatabaseStats(Row, kw_only=True):
    """Statistics as SQLite has them."""

    timestamp: Time | None = None
    table_stats: list[TableStats] | None = None
    index_usage: list[IndexUse] | None = None
    unused_indexes: list[UnusedIndex] | None = None
    notes: Words


class StatsAnswer(Row, kw_only=True):
    """Answer of ``get_database_stats``."""

    database_stats: DatabaseStats


@vcon_tool(
    "get_database_stats",
    title="Statistics of the database",
    description="Rows of the tables, and which indexes the product's own statements use. SQLite counts no accesses.",
    category="infra",
    answer=StatsAnswer,
    properties={
        "include_query_stats": switch(True),
        "include_index_usage": switch(True),
        "include_cache_stats": switch(True),
        "table_name": {"type": "string", "minLength": 1, "maxLength": 64},
    },
    instead="vcon_capabilities",
    into=READING,
)
def get_database_stats(arguments: dict[str, Any], scope: Scope) -> Row:
    """Tell what SQLite knows of tables and indexes."""
    store, known = scope.store, health.tables(store=scope.verbatim)
    wanted = arguments.get("table_name")
    if wanted is not None and wanted not in known:
        raise VconFault(
            "INVALID_ARGUMENT", "table_name is none of the tables.", argument="table_name", valid_values=list(known)
        )
    names = [wanted] if wanted else list(known)
    out = DatabaseStats(timestamp=timestamp(scope), notes=[f"{POSTGRES_ONLY}index scans, inserts, updates, dead rows."])
    if arguments["include_cache_stats"]:
        out.notes.append(f"{POSTGRES_ONLY}cache hits and reads (cache_stats).")
    if arguments["include_query_stats"]:
        scanned = health.scanned_tables(store)
        out.table_stats = [
            TableStats(
                table_name=name,
                live_rows=health.row_count(store, name),
                statements_that_scan=scanned.get(name, (0, 0))[0],
                statements_that_search=scanned.get(name, (0, 0))[1],
            )
            for name in names
        ]
    if arguments["include_index_usage"]:
        # What ANALYZE keeps of an index begins with the exact number of rows.
        kept = health.statistics(store) if scope.policy.min_cell == 1 else {}
        used = health.used_indexes(store)
        found = [item for name in names for item in health.indexes(store, name)]
        out.index_usage = [
            IndexUse(
                table_name=item.table,
                index_name=item.name,
                used_by_statements=used.get(item.name, []),
                statistics=kept.get(item.name),
            )
            for item in found
        ]
        if wanted is None:
            out.unused_indexes = [
                UnusedIndex(
                    table_name=item.table,
                    index_name=item.name,
                    index_size=health.pretty(health.object_size(store, item.name))
                    if scope.policy.min_cell == 1
                    else None,
                )
                for item in found
                if item.name not in used and not item.automatic
            ]
    return StatsAnswer(database_stats=out)


class QueryAnalysis(Row, kw_only=True):
    """The plan of a statement; never a row of it."""

    timestamp: Time | None = None
    query: Word
    mode: Word
    plan_text: Word
    plan_rows: Words
    executed: Flag
    steps: Number | None = None
    rows_found: Number | None = None
    milliseconds: Measure | None = None


class AnalysisAnswer(Row, kw_only=True):
    """Answer of ``analyze_query``."""

    query_analysis: QueryAnalysis


@vcon_tool(
    "analyze_query",
    title="Plan of a query",
    description="The execution plan of a SELECT: plan and counts of steps, never rows.",
    category="infra",
    answer=AnalysisAnswer,
    properties={
        "query": {"type": "string", "minLength": 1, "maxLength": 20_000, "description": "One SELECT."},
        "analyze_mode": choice("explain", "explain_analyze", default="explain"),
    },
    served_properties={
        "query": {**choice(*health.STATEMENTS), "description": "One of the product's own statements, by name."},
        "analyze_mode": choice("explain", default="explain"),
    },
    required=("query",),
    instead="vcon_capabilities",
    example={"query": "SELECT uuid FROM vcons ORDER BY created_ms DESC", "analyze_mode": "explain"},
    into=READING,
)
def analyze_query(arguments: dict[str, Any], scope: Scope) -> Row:
    """Explain a statement."""
    query, runs = arguments["query"], arguments["analyze_mode"] == "explain_analyze"
    figures: dict[str, Any] = {}
    if query in health.STATEMENTS:
        if runs and scope.examine is not None:
            figures = scope.examine(health.STATEMENTS[query], True)
        lines = health.plan(scope.store, health.STATEMENTS[query])
    elif scope.examine is None:
        raise VconFault("PERMISSION_DENIED", "Only the product's own statements are explained here.")
    else:
        figures = scope.examine(query, runs)
        lines = figures.pop("plan")
    figures.pop("plan", None)
    return AnalysisAnswer(
        query_analysis=QueryAnalysis(
            timestamp=timestamp(scope),
            query=query,
            mode=arguments["analyze_mode"] if figures else "explain",
            plan_text="\n".join(lines),
            plan_rows=lines,
            executed=bool(figures),
            **figures,
        )
    )
