"""``get_attachment_analytics``: types and sizes of attachments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.periods import YEAR, share, told_apart
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Label, Sum, Time, Word


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
        shown = SmallCells(scope.policy.min_cell)
        ordered = sorted(merged.items(), key=lambda item: (-shown.count(item[1][0]), item[0]))[
            : arguments.get("top_n_types", 10)
        ]
        out.type_breakdown = [
            AttachmentKind(type=name, count=n, total_size=size, avg_size=size / n, percentage=share(n, total))
            for name, (n, size) in ordered
            if n >= scope.policy.min_cell
        ]
    if arguments.get("include_size_distribution", True):
        out.size_distribution = [
            SizeBucket(
                size_bucket=row["bucket"],
                count=row["count"],
                total_size=row["size"],
                percentage=share(row["count"], total),
            )
            for row in told_apart(scope, vcon_shape.attachment_sizes(store), "count")
        ]
    if arguments.get("include_temporal_patterns", False):
        out.temporal_patterns = [
            AttachmentMonth(
                month=row["month"],
                attachment_count=row["count"],
                total_size=row["size"],
                avg_size=row["size"] / row["count"],
            )
            for row in told_apart(scope, vcon_shape.attachment_months(store, YEAR), "count")
        ]
    return out
