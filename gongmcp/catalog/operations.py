"""The operations of the facade: which of its six tools offers each, and which tool answers it. Names alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy

WORKBENCH: Final = "business-workbench"
"""The preset that lists the facade alone."""

STATUS: Final = "gong_status"
DISCOVER: Final = "gong_discover_capabilities"
QUERY: Final = "gong_query"
ANALYZE: Final = "gong_analyze"
EVIDENCE: Final = "gong_get_evidence"
LIMITATIONS: Final = "gong_explain_limitations"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its *name*, the facade's tool that offers it, what it answers, and the tools that it needs.

    *routes* is the tool that answers it; with *parts* it is a pack, put together of answers of those tools, and
    *routes* names none. *fixed* are arguments of the tool that the operation sets itself.
    """

    name: str
    facade: str
    summary: str
    routes: str = ""
    parts: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The tools that a policy must allow for it."""
        return self.parts or (self.routes,)


_PACK: Final = ("build_call_cohort", "build_quote_pack")

OPERATIONS: Final[Mapping[str, Operation]] = {
    operation.name: operation
    for operation in (
        Operation("status.sync", STATUS, "What is cached, how fresh, how complete.", "get_sync_status"),
        Operation("query.call_count", QUERY, "How many calls a filter leaves, by condition.", "build_call_cohort"),
        Operation("query.dimension_counts", QUERY, "Calls by a business dimension.", "list_dimension_counts"),
        Operation("query.calls", QUERY, "The calls of a filter.", "search_calls_by_filters"),
        Operation("query.scorecards", QUERY, "Scorecards.", "list_scorecards"),
        Operation("query.scorecard_detail", QUERY, "One scorecard's questions.", "get_scorecard"),
        Operation("query.scorecard_activity", QUERY, "Answered scorecards and scores.", "summarize_scorecard_activity"),
        Operation("query.call_facts", QUERY, "Calls and transcripts by a fact.", "summarize_call_facts"),
        Operation("query.transcript_segments", QUERY, "Words said anywhere.", "search_transcript_segments"),
        Operation("analyze.cohort.build", ANALYZE, "A filter as a token for further calls.", "build_call_cohort"),
        Operation("analyze.cohort.inspect", ANALYZE, "What each condition of a filter does.", "build_call_cohort"),
        Operation("analyze.cohort.compare", ANALYZE, "Two filters and their overlap.", "compare_call_cohorts"),
        Operation("analyze.cohort.quality", ANALYZE, "How far evidence bears.", "score_cohort_evidence_quality"),
        Operation("analyze.themes.discover", ANALYZE, "Words that set calls apart.", "discover_themes_in_cohort"),
        Operation("analyze.themes.compare", ANALYZE, "A theme by dimension or time.", "summarize_themes_by_dimension"),
        Operation("analyze.limitations.explain", ANALYZE, "What cannot be shown.", "explain_analysis_limitations"),
        Operation(
            "analyze.discovery_summary",
            ANALYZE,
            "Themes of calls, with quotations.",
            parts=("build_call_cohort", "discover_themes_in_cohort", "build_quote_pack"),
        ),
        Operation("question.answer", ANALYZE, "Evidence for and against an answer.", parts=_PACK),
        Operation("prospect.question.answer", ANALYZE, "The same of one account.", parts=_PACK),
        Operation(
            "theme_intelligence_report",
            ANALYZE,
            "A theme by quarter, industry, persona, outcome, with quotations.",
            parts=(*_PACK, "summarize_themes_by_dimension"),
        ),
        Operation(
            "extract.buyer_questions",
            ANALYZE,
            "Questions that buyers ask.",
            "extract_business_questions",
            fixed=(("kind", "questions"),),
        ),
        Operation(
            "extract.objection_signals",
            ANALYZE,
            "Objections by topic.",
            "extract_business_questions",
            fixed=(("kind", "objections"),),
        ),
        Operation("evidence.quotes.search", EVIDENCE, "Where a theme is spoken of.", "search_transcripts_by_filters"),
        Operation("evidence.quote_pack.build", EVIDENCE, "The best quotations of a theme.", "build_quote_pack"),
        Operation("evidence.highlights.list", EVIDENCE, "Gong's AI notes of calls.", "list_call_highlights"),
        Operation("evidence.call_drilldown", EVIDENCE, "One call, around a theme.", "get_call_drilldown"),
        Operation("limitations.explain", LIMITATIONS, "What cannot be shown.", "explain_analysis_limitations"),
    )
}
"""Every operation by name, in the order in which they are listed."""

ROUTED: Final = frozenset(tool for operation in OPERATIONS.values() for tool in operation.needs)
"""The tools behind the facade: the preset of the facade allows them and does not list them."""


def offered(policy: Policy, existing: Collection[str], facade: str | None = None) -> list[Operation]:
    """Return the operations of the tool *facade* (None = of all) whose tools exist and *policy* allows."""
    return [
        operation
        for operation in OPERATIONS.values()
        if facade in (None, operation.facade)
        and all(tool in existing and (policy.tools is None or tool in policy.tools) for tool in operation.needs)
    ]
