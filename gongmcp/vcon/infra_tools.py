"""The tools for whoever runs the database: its shape, sizes, statistics and plans, as SQLite tells them."""

from __future__ import annotations

from typing import Any, Final, Literal

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures
from gongmcp.store import vcon_health as health
from gongmcp.store.vcon_schema import VCON_INDEXES
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.parameters import choice, switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Flag, Measure, Number, Size, Time, Word, Words
from gongmcp.vcon.when import text_of

SCHEMA_NAME: Final = "main"
POSTGRES_ONLY: Final = "SQLite keeps no such figures: "


def timestamp(scope: Scope) -> str | None:
    """Return the moment that an answer speaks of: that of the newest vCon in a store, that of the model in a cache."""
    if scope.as_of:
        return scope.as_of
    row = scope.store.one("SELECT max(created_ms) FROM vcons")
    return text_of(int(row[0])) if row is not None and row[0] is not None else None


# --- shape ---------------------------------------------------------------------------------------------------


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


# --- statistics ----------------------------------------------------------------------------------------------


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
        used, kept = health.used_indexes(store), health.statistics(store)
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


# --- plans ---------------------------------------------------------------------------------------------------


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


# --- sizes and limits ----------------------------------------------------------------------------------------

Category = Literal["small", "medium", "large", "very_large"]
_CATEGORIES: Final[tuple[tuple[int | None, Category], ...]] = (
    (1_000, "small"),
    (10_000, "medium"),
    (100_000, "large"),
    (None, "very_large"),
)
_ADVICE: Final[dict[str, tuple[int, int, int, int, str, bool]]] = {
    "small": (100, 200, 200, 500, "full", False),
    "medium": (50, 100, 100, 200, "metadata", False),
    "large": (25, 50, 50, 100, "metadata", True),
    "very_large": (10, 25, 25, 50, "metadata", True),
}
_BASE: Final = {"basic": 50, "content": 100, "semantic": 100, "hybrid": 100, "analytics": 200}
_BY_SIZE: Final = {"small": 1.0, "medium": 0.8, "large": 0.5, "very_large": 0.3}
_BY_RESULT: Final = {"small": 1.0, "medium": 0.7, "large": 0.4, "unknown": 0.5}


def category_of(vcons: int) -> Category:
    """Return how large a corpus of *vcons* is."""
    for below, name in _CATEGORIES:
        if below is None or vcons < below:
            return name
    raise AssertionError


class Advice(Row, kw_only=True):
    """Limits that suit the size."""

    max_basic_search_limit: Number
    max_content_search_limit: Number
    max_semantic_search_limit: Number
    max_analytics_limit: Number
    recommended_response_format: Word
    memory_warning: Flag


class TableSize(Row, kw_only=True):
    """One table."""

    row_count: Count
    size_bytes: Bytes | None = None
    size_pretty: Size | None = None


class TableSizes(Row, kw_only=True):
    """The five tables of a vCon's parts."""

    vcons: TableSize
    parties: TableSize
    dialog: TableSize
    analysis: TableSize
    attachments: TableSize


class SizeInfo(Row, kw_only=True):
    """How large the corpus is."""

    total_vcons: Count
    total_size_bytes: Bytes | None = None
    total_size_pretty: Size | None = None
    size_category: Word
    recommendations: Advice | None = None
    table_sizes: TableSizes


class SizeAnswer(Row, kw_only=True):
    """Answer of ``get_database_size_info``."""

    database_size_info: SizeInfo


PART_TABLES: Final = {
    "vcons": "vcons",
    "parties": "vcon_parties",
    "dialog": "vcon_dialogs",
    "analysis": "vcon_analyses",
    "attachments": "vcon_attachments",
}


def total_size(scope: Scope) -> int:
    """Return the bytes of all tables and indexes of vCons."""
    store = scope.store
    names = [*health.tables(store=scope.verbatim), *VCON_INDEXES]
    return sum(
        health.object_size(store, name)
        + sum(health.object_size(store, item.name) for item in health.indexes(store, name))
        for name in names
    )


def table_size(scope: Scope, table: str) -> TableSize:
    """Return rows and bytes of a table with its indexes."""
    size = health.object_size(scope.store, table)
    size += sum(health.object_size(scope.store, item.name) for item in health.indexes(scope.store, table))
    exact = scope.policy.min_cell == 1
    return TableSize(
        row_count=health.row_count(scope.store, table),
        size_bytes=size if exact else None,
        size_pretty=health.pretty(size) if exact else None,
    )


@vcon_tool(
    "get_database_size_info",
    title="Size of the database",
    description="Size of the corpus and recommended limits for queries of that size.",
    category="infra",
    answer=SizeAnswer,
    properties={"include_recommendations": switch(True)},
    instead="vcon_capabilities",
    example={"include_recommendations": True},
    into=READING,
)
def get_database_size_info(arguments: dict[str, Any], scope: Scope) -> Row:
    """Measure the corpus."""
    total = vcon_figures.totals(scope.store)["vcons"]
    category = category_of(total)
    size = total_size(scope) if scope.policy.min_cell == 1 else None
    return SizeAnswer(
        database_size_info=SizeInfo(
            total_vcons=total,
            total_size_bytes=size,
            total_size_pretty=health.pretty(size) if size is not None else None,
            size_category=category,
            recommendations=Advice(
                **dict(zip(Advice.__struct_fields__, _ADVICE[category], strict=True))  # type: ignore[arg-type]
            )
            if arguments["include_recommendations"]
            else None,
            table_sizes=TableSizes(**{name: table_size(scope, table) for name, table in PART_TABLES.items()}),
        )
    )


class SmartLimits(Row, kw_only=True):
    """A limit for one kind of query."""

    query_type: Word
    estimated_result_size: Word
    recommended_limit: Number
    recommended_response_format: Word
    memory_warning: Flag
    explanation: Word


class SmartAnswer(Row, kw_only=True):
    """Answer of ``get_smart_search_limits``."""

    smart_limits: SmartLimits


@vcon_tool(
    "get_smart_search_limits",
    title="Limits for a query",
    description="A limit that suits the size of the corpus and of the expected result.",
    category="infra",
    answer=SmartAnswer,
    properties={
        "query_type": choice(*_BASE),
        "estimated_result_size": choice(*_BY_RESULT, default="unknown"),
    },
    required=("query_type",),
    instead="vcon_capabilities",
    example={"query_type": "content", "estimated_result_size": "large"},
    into=READING,
)
def get_smart_search_limits(arguments: dict[str, Any], scope: Scope) -> Row:
    """Recommend a limit."""
    kind, expected = arguments["query_type"], arguments["estimated_result_size"]
    category = category_of(vcon_figures.totals(scope.store)["vcons"])
    wanted = max(1, round(_BASE[kind] * _BY_SIZE[category] * _BY_RESULT[expected]))
    warns = category == "very_large" or expected == "large"
    light = warns or category == "large" or expected == "medium"
    return SmartAnswer(
        smart_limits=SmartLimits(
            query_type=kind,
            estimated_result_size=expected,
            recommended_limit=wanted,
            recommended_response_format="metadata" if light else "full",
            memory_warning=warns,
            explanation=(
                f"{_BASE[kind]} for {kind}, times {_BY_SIZE[category]} for a {category} corpus, times "
                f"{_BY_RESULT[expected]} for a result of size {expected}."
            ),
        )
    )
