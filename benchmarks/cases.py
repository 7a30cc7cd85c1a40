"""What each tool is asked when its cost is measured: words of the corpus, scopes, and the tool's own arguments.

The words are the corpus's most common one, a median and a rare one; the scopes are everything, one month,
one day and one call, each where the tool takes such an argument. Both follow from the tool's published
schema; what else a tool needs stands in ``ARGUMENTS`` or in its declaration, and a tool without either fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.corpus import SCORECARD, Probe, common_word, median_word
from gongmcp.catalog.declaration import Level
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolInfo

ARGUMENTS: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "get_sync_status": ({},),
    "search_calls": ({}, {"lifecycle_bucket": "renewal"}, {"system": "Nobody's"}, {"crm_object_type": "Deal"}),
    "get_call": ({},),
    "missing_transcripts": ({}, {"lifecycle_bucket": "renewal"}),
    "search_transcript_segments": ({}, {"lifecycle_bucket": "renewal"}),
    "search_transcripts_by_call_facts": ({}, {"lifecycle_bucket": "renewal"}),
    "search_transcripts_by_crm_context": ({"object_type": "Opportunity"}, {"object_type": "Deal"}),
    "search_transcript_quotes_with_attribution": (
        {},
        {"industry": "Technology"},
        {"opportunity_stage": "Contract Review"},
        {"speaker_role": "internal"},
    ),
    "list_crm_object_types": ({},),
    "list_crm_fields": ({"object_type": "Opportunity"},),
    "list_crm_integrations": ({},),
    "list_cached_crm_schema_objects": ({},),
    "list_cached_crm_schema_fields": ({},),
    "list_gong_settings": ({},),
    "list_scorecards": ({},),
    "get_scorecard": ({"scorecard_id": SCORECARD},),
    "summarize_scorecard_activity": ({},),
    "get_business_profile": (),
    "list_business_concepts": (),
    "list_unmapped_crm_fields": (),
    "list_lifecycle_buckets": ({},),
    "search_crm_field_values": (
        {"object_type": "Account", "field_name": "Industry", "value_query": "Technology"},
        {"object_type": "Opportunity", "field_name": "StageName", "value_query": "Nobody's stage"},
        {"object_type": "Company", "field_name": "name", "value_query": "a"},
    ),
    "search_calls_by_lifecycle": ({}, {"bucket": "renewal"}, {"missing_transcripts_only": True}),
    "summarize_calls_by_lifecycle": ({}, {"bucket": "renewal"}),
    "rank_transcript_backlog": ({}, {"bucket": "renewal"}),
    "summarize_call_facts": ({}, {"group_by": "industry"}, {"group_by": "month"}),
    "compare_lifecycle_crm_fields": (
        {"bucket_a": "renewal", "bucket_b": "late_stage_sales", "object_type": "Opportunity"},
    ),
    "analyze_late_stage_crm_signals": ({},),
    "opportunities_missing_transcripts": ({}, {"stage_values": ["Contract Review"]}),
    "opportunity_call_summary": ({}, {"stage_values": ["Contract Review"]}),
    "crm_field_population_matrix": ({"object_type": "Opportunity"},),
}
"""Tool -> sets of arguments besides query and scope, the first one for every scope, the others for everything.
Give one that makes the tool look at most rows.

A tool without any answers only where a business profile was imported, which the corpus has not.
"""

LOOKS_THROUGH_CALLS: Final[Mapping[str, str]] = {
    "search_calls_by_filters": "a part of a title or of an account's name is looked for in every call's",
    "extract_business_questions": "a sample of the cohort is drawn from all of its calls",
    "discover_themes_in_cohort": "a sample of the cohort and one of all other calls are drawn",
}
"""Tools that return rows and yet grow with the number of calls by what they are, and why.

What they read of segments is bounded: the sample (``gongmcp.store.samples``) or the rows of a page.
"""

AGGREGATE_LEVELS: Final = frozenset({Level.STATUS.value, Level.AGGREGATE.value})
"""Exposure levels of the tools that count; all others return rows of calls or segments."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a tool. *word* is ``common``, ``median``, ``rare`` or '' for a tool without a query."""

    tool: str
    word: str
    scope: str
    own: str
    arguments: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The case in words, as tables and test ids show it."""
        return " ".join(part for part in (self.tool, self.own, self.word, self.scope) if part)


def is_aggregate(info: ToolInfo) -> bool:
    """Tell whether a tool counts over many calls (True) or returns rows (False)."""
    return info.level in AGGREGATE_LEVELS


def query_words(probe: Probe) -> dict[str, str]:
    """Return the words that are searched for, by name."""
    return {"common": common_word(), "median": median_word(), "rare": probe.rare}


def scopes(probe: Probe) -> dict[str, dict[str, str]]:
    """Return the arguments of each scope by name."""
    first, last = probe.month
    day = probe.day.isoformat()
    return {
        "all": {},
        "month": {"from_date": first, "to_date": last},
        "day": {"from_date": day, "to_date": day},
        "call": {"call_id": probe.call_id},
    }


def own_arguments(tool: str) -> tuple[Mapping[str, Any], ...]:
    """Return the sets of arguments of *tool* besides query and scope: those of ``ARGUMENTS``, else its examples.

    Raises:
        KeyError: it has neither.
    """
    if tool in ARGUMENTS:
        return ARGUMENTS[tool]
    if not catalog()[tool].examples:
        raise KeyError(tool)
    return catalog()[tool].examples


def cases(info: ToolInfo, probe: Probe) -> Iterator[Case]:
    """Yield the cases of a tool."""
    properties: Mapping[str, Any] = info.input_schema["properties"]
    words: Mapping[str, str] = query_words(probe) if "query" in properties else {"": ""}
    for number, own in enumerate(own_arguments(info.name)):
        for word, text in words.items():
            for scope, arguments in scopes(probe).items():
                if not all(name in properties for name in arguments):
                    continue
                if number and scope in ("month", "day"):
                    continue  # filters are of interest where they have much to leave out
                if scope == "all" and "call_id" in properties:
                    continue  # one call is all that such a tool can show
                asked = {**own, **({"query": text} if word else {}), **arguments}
                yield Case(info.name, word, scope, ",".join(str(value) for value in own.values()), asked)
