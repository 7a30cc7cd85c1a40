"""``get_tag_analytics``: use of tag keys and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.periods import YEAR, most_first, share, told_apart
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Label, Sum, Time, Word


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


def values_in_order(scope: Scope, rows: list[Any]) -> list[Any]:
    """Return the tags of ``vcon_figures.tag_values`` that may be told apart, by key."""
    return sorted(most_first(scope, rows, ("tag_value",), "count"), key=lambda row: str(row["tag_key"]))


def tag_figures(scope: Scope, arguments: Mapping[str, Any]) -> TagFigures:
    """Return figures of tags."""
    store = scope.store
    keys = vcon_figures.tag_keys(store)
    values = vcon_figures.tag_values(store)
    least = SmallCells(scope.policy.min_cell).at_least(arguments.get("min_usage_count", 1))
    top = [row for row in most_first(scope, keys, ("tag_key",)) if row["vcons"] >= least][
        : arguments.get("top_n_keys", 20)
    ]
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
                percentage=share(row["count"], uses[row["tag_key"]]),
            )
            for row in values_in_order(scope, values)
            if row["tag_key"] in uses and row["count"] >= least
        ]
    if arguments.get("include_temporal_trends", False):
        out.temporal_trends = [
            TagMonth(month=row["month"], key=row["tag_key"], usage_count=row["count"])
            for row in told_apart(scope, vcon_shape.tag_months(store, YEAR), "count")
            if row["tag_key"] in uses
        ]
    return out
