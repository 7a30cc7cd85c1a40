"""Presets and aliases: which tools each offers, which names a tool answers to, what a preset turns on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gongmcp.catalog import registry
from gongmcp.catalog.operations import ROUTED
from gongmcp.catalog.presets import PRESETS, find_preset, parse_allowlist, under_preset
from gongmcp.catalog.registry import aliases, canonical, catalog
from gongmcp.errors import StartupRefusal, UnknownTool
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler
from gongmcp.settings import ServerSettings

CORE = {
    "get_sync_status",
    "search_calls",
    "get_call",
    "list_crm_object_types",
    "list_crm_fields",
    "list_crm_integrations",
    "list_cached_crm_schema_objects",
    "list_cached_crm_schema_fields",
    "list_gong_settings",
    "list_scorecards",
    "get_scorecard",
    "summarize_scorecard_activity",
    "get_business_profile",
    "list_business_concepts",
    "list_lifecycle_buckets",
    "summarize_calls_by_lifecycle",
    "search_calls_by_lifecycle",
    "summarize_call_facts",
    "rank_transcript_backlog",
    "search_transcript_segments",
}
ANALYSIS = {
    "build_call_cohort",
    "compare_call_cohorts",
    "list_dimension_counts",
    "search_calls_by_filters",
    "search_transcripts_by_filters",
    "discover_themes_in_cohort",
    "summarize_themes_by_dimension",
    "build_quote_pack",
    "score_cohort_evidence_quality",
    "explain_analysis_limitations",
    "extract_business_questions",
    "get_call_drilldown",
    "list_call_highlights",
}
FACADE = {
    "gong_status",
    "gong_discover_capabilities",
    "gong_query",
    "gong_analyze",
    "gong_get_evidence",
    "gong_explain_limitations",
}
EXPECTED: dict[str, set[str]] = {
    "operator-smoke": {
        "get_sync_status",
        "search_calls",
        "search_transcript_segments",
        "get_call",
        "rank_transcript_backlog",
    },
    "business-pilot": {
        "get_sync_status",
        "summarize_call_facts",
        "summarize_calls_by_lifecycle",
        "rank_transcript_backlog",
    },
    "business-workbench": FACADE | set(ROUTED),
    "analyst-core": CORE,
    "analyst-business-core": CORE
    | ANALYSIS
    | {"search_transcripts_by_call_facts", "search_transcript_quotes_with_attribution"},
    "analyst": {
        "get_sync_status",
        "list_crm_object_types",
        "list_crm_fields",
        "list_scorecards",
        "get_scorecard",
        "get_business_profile",
        "list_business_concepts",
        "list_unmapped_crm_fields",
        "analyze_late_stage_crm_signals",
        "opportunities_missing_transcripts",
        "search_transcripts_by_crm_context",
        "opportunity_call_summary",
        "crm_field_population_matrix",
        "list_lifecycle_buckets",
        "summarize_calls_by_lifecycle",
        "rank_transcript_backlog",
        "compare_lifecycle_crm_fields",
        "summarize_call_facts",
        "search_transcript_segments",
        "search_transcripts_by_call_facts",
        "search_transcript_quotes_with_attribution",
    }
    | ANALYSIS,
    "governance-search": {
        "search_calls",
        "get_call",
        "search_transcripts_by_crm_context",
        "search_calls_by_lifecycle",
        "rank_transcript_backlog",
        "search_transcript_segments",
        "search_transcripts_by_call_facts",
        "search_transcript_quotes_with_attribution",
        "missing_transcripts",
    },
    "redacted-all-readonly": set(catalog()),
    "broad-public-redacted": set(catalog()),
    "all-readonly": set(catalog()),
}
"""The tools of each preset by their own names; an alias is no member of its own."""


def test_every_preset_holds_exactly_its_tools() -> None:
    assert {preset.name for preset in PRESETS} == EXPECTED.keys()
    for preset in PRESETS:
        assert preset.tools() == [name for name in catalog() if name in EXPECTED[preset.name]], preset.name


def test_declarations_name_presets_that_exist() -> None:
    named = {preset for tool in catalog().values() for preset in tool.presets}
    assert named <= EXPECTED.keys()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("strict-business-pilot", "business-pilot"),
        ("postgres-analyst-core", "analyst-core"),
        ("postgres-analyst-business-core", "analyst-business-core"),
        ("analyst-expansion", "analyst"),
        ("redacted-all", "redacted-all-readonly"),
        ("redacted-search-lab", "redacted-all-readonly"),
        ("all", "all-readonly"),
        ("Facade-Analyst", "business-workbench"),
        ("all-tools", "all-readonly"),
        ("  Governance-Search ", "governance-search"),
    ],
)
def test_a_preset_is_found_by_any_of_its_names(given: str, name: str) -> None:
    assert find_preset(given).name == name


def test_no_two_presets_share_a_name() -> None:
    names = [name for preset in PRESETS for name in (preset.name, *preset.aliases)]
    assert len(names) == len(set(names))
    assert names == [name.lower().strip() for name in names]


def test_every_preset_that_can_be_chosen_suits_a_restricted_list() -> None:
    assert [preset.name for preset in PRESETS if not preset.governance_compatible] == []


def test_a_preset_turns_its_switches_on_and_takes_them_along_when_it_goes() -> None:
    settings = ServerSettings.resolve({"tool_preset": "broad-public-redacted"}, {})
    assert settings.policy.switches == {"hide_raw_call_ids"}
    back = under_preset(settings.policy, find_preset("analyst"))
    assert (back.switches, back.preset_switches) == (frozenset(), frozenset())
    own = Policy(switches=frozenset({"hide_raw_call_ids", "hide_call_titles"}))
    there = under_preset(own, find_preset("broad-public-redacted"))
    assert there.switches == own.switches
    assert under_preset(there, find_preset("analyst")).switches == own.switches, "what the operator set stays"


def test_no_answer_of_the_public_preset_has_a_call_id(make_handler: Callable[..., ToolHandler]) -> None:
    asked = {"include_call_ids": True, "limit": 1}
    shown = make_handler(tool_preset="all").call("search_calls", asked).answer.structured
    hidden = make_handler(tool_preset="broad-public-redacted").call("search_calls", asked).answer.structured
    assert shown is not None
    assert hidden is not None
    assert "call_id" in shown["results"][0]
    assert "call_id" not in hidden["results"][0]
    assert shown["results"][0]["call_ref"] == hidden["results"][0]["call_ref"]
    preview = make_handler().with_policy(preset="broad-public-redacted")
    assert preview.call("search_calls", asked).answer.structured == hidden


# Aliases

ALIAS, TOOL = "prioritize_transcripts_by_lifecycle", "rank_transcript_backlog"


def test_an_alias_answers_as_its_tool_and_is_not_listed(handler: ToolHandler) -> None:
    assert ALIAS not in [info.name for info in handler.tools()]
    assert handler.tool(ALIAS) is handler.tool(TOOL)
    assert handler.tool(ALIAS).info()["aliases"] == [ALIAS]
    for arguments in ({"limit": 2}, {"limit": 0}):
        assert handler.answer(ALIAS, arguments) == handler.answer(TOOL, arguments)


def test_a_cursor_of_the_alias_is_one_of_the_tool(handler: ToolHandler) -> None:
    first = handler.answer(ALIAS, {"limit": 1}).structured
    assert first is not None
    following = {"limit": 1, "cursor": first["next_cursor"]}
    assert handler.answer(TOOL, following) == handler.answer(ALIAS, following)
    assert not handler.answer(TOOL, following).is_error


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_an_alias_is_allowed_exactly_when_its_tool_is(preset: str, make_handler: Callable[..., ToolHandler]) -> None:
    under = make_handler(tool_preset=preset)
    for alias, name in aliases().items():
        allowed = {}
        for asked in (alias, name):
            try:
                under.call(asked, {})
                allowed[asked] = True
            except UnknownTool:
                allowed[asked] = False
        assert allowed[alias] is allowed[name] is (name in EXPECTED[preset])


def test_an_allowlist_takes_an_alias_and_holds_the_tool(make_handler: Callable[..., ToolHandler]) -> None:
    assert parse_allowlist(f"{ALIAS}, get_call,{TOOL}") == {TOOL, "get_call"}
    handler = make_handler(tool_allowlist=ALIAS)
    assert [info.name for info in handler.tools()] == [TOOL]
    with pytest.raises(StartupRefusal) as caught:
        parse_allowlist("prioritise_transcripts_by_lifecycle")
    assert f"Did you mean {ALIAS}?" in caught.value.hint


def test_names_that_are_no_alias_stay_as_they_are() -> None:
    assert canonical("nobody") == "nobody"
    assert all(canonical(name) == name for name in catalog())
    assert set(aliases().values()) <= catalog().keys()


@pytest.mark.parametrize("taken", ["get_call", ALIAS])
def test_an_alias_that_is_taken_is_refused(taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt: dict[str, Any] = dict(catalog())
    spoilt["search_calls"] = replace(spoilt["search_calls"], aliases=(taken,))
    monkeypatch.setattr(registry, "catalog", lambda: spoilt)
    with pytest.raises(ValueError, match=taken):
        registry.aliases.__wrapped__()


def test_the_order_of_the_catalogue_does_not_hang_on_what_was_imported_first() -> None:
    code = "import sys, importlib\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    code += "from gongmcp.catalog.registry import catalog\nprint(*catalog())"
    for first in (["theme_tools"], ["profile", "highlight_tools", "calls"]):
        modules = [f"gongmcp.catalog.{name}" for name in first]
        done = subprocess.run([sys.executable, "-c", code, *modules], capture_output=True, text=True, check=True)
        assert done.stdout.split() == list(catalog())
