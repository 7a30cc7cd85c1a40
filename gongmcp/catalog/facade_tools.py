"""The facade: six tools that hand whole questions on to the others. Which operations there are: ``operations``.

They are declared here as any tool, so that presets, allowlists, locks and documents know them, and are run by
``gongmcp.facade``: what they hand on is validated, gated and disclosed as a call of the tool that answers it.
"""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

import msgspec

from gongmcp.catalog import operations as of
from gongmcp.catalog.arguments import AnyObject, OperationMark
from gongmcp.catalog.declaration import Arguments, CallScope, Level, tool
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row

_YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
_ARGUMENTS = msgspec.Meta(description=f"Arguments of the operation; {of.DISCOVER} describes them.")


class NoArguments(Arguments):
    """Arguments of ``gong_status``."""


class Query(Arguments):
    """Arguments of ``gong_query``."""

    operation: Annotated[str, OperationMark(of.QUERY)]
    arguments: Annotated[AnyObject, _ARGUMENTS] | None = None


class Analyze(Arguments):
    """Arguments of ``gong_analyze``."""

    operation: Annotated[str, OperationMark(of.ANALYZE)]
    arguments: Annotated[AnyObject, _ARGUMENTS] | None = None


class GetEvidence(Arguments):
    """Arguments of ``gong_get_evidence``."""

    operation: Annotated[str, OperationMark(of.EVIDENCE)]
    arguments: Annotated[AnyObject, _ARGUMENTS] | None = None


class Limitations(Arguments):
    """Arguments of ``gong_explain_limitations``."""

    operation: Annotated[str, OperationMark(of.LIMITATIONS)] = "limitations.explain"
    arguments: Annotated[AnyObject, _ARGUMENTS] | None = None


class Discover(Arguments):
    """Arguments of ``gong_discover_capabilities``."""

    operation: (
        Annotated[str, OperationMark(None), msgspec.Meta(description="Describe its arguments; all when omitted.")]
        | None
    ) = None
    full: Annotated[bool, msgspec.Meta(description="With descriptions and the general rules.")] = False


class Routed(Row):
    """Who answered; the answer itself stands beside it under ``result``."""

    operation: Annotated[str, shown(Field.STATUS)]
    routed_tool: Annotated[str | None, shown(Field.STATUS)]


def routed(args: Any, scope: CallScope) -> NoReturn:
    """Never asked: the handler gives calls of the facade to ``gongmcp.facade``."""
    raise NotImplementedError


tool(
    of.STATUS,
    title="Status",
    description="What is cached, how fresh and how complete. Use it first.",
    arguments=NoArguments,
    row=Routed,
    many=False,
    level=Level.STATUS,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=({},),
)(routed)

tool(
    of.DISCOVER,
    title="Capabilities",
    description="List the operations, or describe the arguments of one with an example. Use it before an operation is "
    "asked for the first time.",
    arguments=Discover,
    row=Routed,
    many=False,
    level=Level.STATUS,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=({}, {"operation": "query.calls"}, {"operation": "question.answer", "full": True}),
)(routed)

tool(
    of.QUERY,
    title="Query",
    description="Count and list calls, scorecards and words said. Use it for how many and which.",
    arguments=Query,
    row=Routed,
    many=False,
    level=Level.SNIPPET,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=(
        {"operation": "query.dimension_counts", "arguments": {"dimension": "industry", "filter": {**_YEAR}}},
        {"operation": "query.calls", "arguments": {"filter": {"quarter": "2026-Q1"}, "limit": 3}},
    ),
)(routed)

tool(
    of.ANALYZE,
    title="Analysis",
    description="Answer a business question with evidence: question.answer gives quotations for and against with "
    "coverage and limitations, the others cohorts, themes, comparisons. It gives evidence, never prose.",
    arguments=Analyze,
    row=Routed,
    many=False,
    level=Level.IDENTIFIED,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=(
        {
            "operation": "analyze.themes.compare",
            "arguments": {"filter": {**_YEAR}, "theme_query": "guidance OR outlook", "dimension": "industry"},
        },
        {
            "operation": "question.answer",
            "arguments": {"question": "What do they say about supply chain demand?", "filter": {**_YEAR}, "limit": 3},
        },
        {"operation": "theme_intelligence_report", "arguments": {"filter": {**_YEAR}, "theme_query": "demand"}},
    ),
)(routed)

tool(
    of.EVIDENCE,
    title="Evidence",
    description="Get quotations, or what one call says about a theme. Use it for evidence of a claim.",
    arguments=GetEvidence,
    row=Routed,
    many=False,
    level=Level.IDENTIFIED,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=(
        {
            "operation": "evidence.quote_pack.build",
            "arguments": {"filter": {**_YEAR}, "theme_query": "demand", "limit": 3},
        },
    ),
)(routed)

tool(
    of.LIMITATIONS,
    title="Limitations of an answer",
    description="What the cache, or a filter, cannot show. Use it before conclusions are drawn.",
    arguments=Limitations,
    row=Routed,
    many=False,
    level=Level.AGGREGATE,
    presets=(of.WORKBENCH,),
    facade=True,
    examples=({}, {"arguments": {"filter": {"quarter": "2026-Q1"}}}),
)(routed)
