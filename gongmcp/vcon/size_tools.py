"""``get_database_size_info`` and ``get_smart_search_limits``: how large the corpus is, and limits that suit it."""

from __future__ import annotations

from typing import Any, Final, Literal

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures
from gongmcp.store import vcon_health as health
from gongmcp.store.vcon_schema import VCON_INDEXES
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.parameters import choice, switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Flag, Number, Size, Word

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
    category = category_of(SmallCells(scope.policy.min_cell).count(total))
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
    category = category_of(SmallCells(scope.policy.min_cell).count(vcon_figures.totals(scope.store)["vcons"]))
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
