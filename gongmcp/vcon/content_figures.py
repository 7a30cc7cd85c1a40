"""``get_content_analytics``: dialogs, analyses, parties, averages over conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import switch
from gongmcp.vcon.periods import YEAR, most_first, periods
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Label, Sum, Time, Word, Words


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
            for row in most_first(scope, vcon_figures.dialog_types(store), ("dialog_type",))
        ]
    if arguments.get("include_analysis_breakdown", True):
        out.analysis_breakdown = [
            AnalysisKind(type=row["analysis_type"], vendor=row["vendor"], count=row["count"], unique_vcons=row["vcons"])
            for row in most_first(scope, vcon_figures.analysis_types(store), ("analysis_type", "vendor"))
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
            for row in most_first(scope, vcon_shape.party_figures(store), ("role",))
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
            for row in periods(scope, YEAR, "monthly")
        ]
    return out
