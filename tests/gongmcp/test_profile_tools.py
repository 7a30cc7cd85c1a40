"""Tools under a business profile: real caches, and answers compared with a recount in plain Python."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.warm import warm
from gongctl.profile.store import source_of
from gongmcp.catalog.registry import catalog
from gongmcp.exposure import engine
from gongmcp.exposure.decisions import Decision, field_of
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import StorePool
from gongmcp.store.freshness import WARM_COMMAND
from gongmcp.store.schema import RAW_TABLES
from tests.gongctl.profile_cache import (
    BUCKETS,
    CLOCK,
    OTHER_PROFILE,
    PROFILE,
    Made,
    bucket_of,
    build,
    import_yaml,
    make_calls,
    opened,
    store,
    value_of,
)
from tests.gongmcp.stdio_process import Server

CALLS = make_calls(150)
FACT_TOOLS: dict[str, dict[str, Any]] = {
    "summarize_calls_by_lifecycle": {},
    "search_calls_by_lifecycle": {},
    "rank_transcript_backlog": {},
    "summarize_call_facts": {},
    "compare_lifecycle_crm_fields": {"bucket_a": "open", "bucket_b": "closed_won", "object_type": "Opportunity"},
}
"""Tools that read a profile's facts whatever they are asked, with arguments that a profile answers."""
FILTER_TOOLS: dict[str, dict[str, Any]] = {
    "search_calls": {},
    "missing_transcripts": {},
    "search_transcript_segments": {"query": "price"},
    "search_transcripts_by_call_facts": {"query": "price"},
    "search_transcript_quotes_with_attribution": {"query": "price"},
}
"""Tools that read them when they filter by bucket."""
OTHER_ARGUMENTS: dict[str, dict[str, Any]] = {
    "get_call": {"call_id": "1"},
    "search_transcripts_by_crm_context": {"query": "price", "object_type": "Opportunity"},
    "list_crm_fields": {"object_type": "Opportunity"},
    "search_crm_field_values": {"object_type": "Account", "field_name": "Industry", "value_query": "retail"},
    "get_scorecard": {"scorecard_id": "1"},
    "crm_field_population_matrix": {"object_type": "Opportunity"},
}
PROFILE_TOOLS = ("get_business_profile", "list_business_concepts", "list_unmapped_crm_fields")


def arguments_of(name: str) -> dict[str, Any]:
    """Return arguments that *name* answers: of its own table, or else its declared example."""
    own = {**FACT_TOOLS, **FILTER_TOOLS, **OTHER_ARGUMENTS}
    examples = catalog()[name].examples
    return dict(own[name] if name in own else examples[0] if examples else {})


def handler_over(db: Path, **settings: str) -> ToolHandler:
    return build_handler(ServerSettings.resolve(settings, {}), db)


@pytest.fixture(scope="module", autouse=True)
def fixed_clock() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", CLOCK)
        yield


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, fixed_clock: None) -> Path:
    """The calls under ``PROFILE``; read only."""
    return build(tmp_path_factory.mktemp("profile") / "cache.db", CALLS, PROFILE)


@pytest.fixture(scope="module")
def ask(cache: Path) -> Callable[..., dict[str, Any]]:
    """Return what a tool answers, which must be an answer."""
    handler = handler_over(cache)

    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = handler.call(tool, arguments).answer
        assert answer.structured is not None, answer.text
        assert answer.structured["status"] == "ok"
        return dict(answer.structured)

    return ask


def code_of(handler: ToolHandler, tool: str, **arguments: Any) -> str:
    """Return the code of the error that a tool answers, '' when it answers."""
    error = handler.call(tool, arguments).answer.error
    return str(error["code"]) if error else ""


def all_pages(ask: Callable[..., dict[str, Any]], tool: str, **arguments: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = ask(tool, **arguments, **cursor)
        rows += page["results"]
        if not page.get("next_cursor"):
            return rows
        cursor = {"cursor": page["next_cursor"]}


# --- buckets and concepts through every tool ----------------------------------------------------------


def test_the_calls_fall_into_every_bucket() -> None:
    """The control of the comparisons below: none of them is about nothing."""
    assert {bucket_of(call) for call in CALLS} == set(BUCKETS)
    assert sum(bucket_of(call) != bucket_of(call, post_sales_first=True) for call in CALLS) > 10


def test_buckets_are_listed_in_the_profiles_order_with_signals_that_hold_no_value(
    ask: Callable[..., dict[str, Any]],
) -> None:
    listed = ask("list_lifecycle_buckets")
    assert [row["bucket"] for row in listed["results"]] == list(BUCKETS)
    desk = next(row for row in listed["results"] if row["bucket"] == "renewal_desk")
    assert desk["label"] == "Renewal desk"
    assert desk["primary_signals"] == [
        "deal_type is a value and any of (deal_stage begins with a value; deal_stage is empty)"
    ]
    builtin = ask("list_lifecycle_buckets", lifecycle_source="builtin")
    assert "late_stage_sales" in [row["bucket"] for row in builtin["results"]]


def test_calls_are_counted_by_the_profiles_buckets(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask("summarize_calls_by_lifecycle")
    counted = {
        row["bucket"]: (
            row["call_count"],
            row["transcript_count"],
            row["missing_transcript_count"],
            row["opportunity_call_count"],
            row["account_call_count"],
            row["high_confidence_calls"],
        )
        for row in answer["results"]
    }
    expected = {}
    for bucket in BUCKETS:
        calls = [call for call in CALLS if bucket_of(call) == bucket]
        said = sum(bool(call.sentences) for call in calls)
        deals = sum(any(kind in ("Opportunity", "Deal") for kind, *_ in call.objects) for call in calls)
        accounts = sum(any(kind in ("Account", "Company") for kind, *_ in call.objects) for call in calls)
        sure = 0 if bucket == "unknown" else len(calls)
        expected[bucket] = (len(calls), said, len(calls) - said, deals, accounts, sure)
    assert counted == expected
    assert list(counted) == list(BUCKETS)
    one = ask("summarize_calls_by_lifecycle", bucket="Renewal desk")
    assert [row["bucket"] for row in one["results"]] == ["renewal_desk"]


def test_an_answer_says_which_profile_it_is_of_and_what_that_lacks(ask: Callable[..., dict[str, Any]]) -> None:
    for tool, arguments in {**FACT_TOOLS, "list_lifecycle_buckets": {}}.items():
        answer = ask(tool, **arguments)
        assert answer["lifecycle_source"] == "profile", tool
        assert answer["profile"] == {
            "profile_id": "profile_1",
            "name": "Company lifecycle",
            "version": 1,
            "imported_at": "2026-05-28T20:26:40Z",
        }
        assert answer["unavailable_concepts"] == ["deal_amount", "deal_close_date", "account_type"]
    builtin = ask("summarize_calls_by_lifecycle", lifecycle_source="builtin")
    assert builtin["lifecycle_source"] == "builtin"
    assert builtin.get("profile") is None
    assert builtin.get("unavailable_concepts") is None


def test_calls_of_a_bucket_are_those_counted_by_hand(ask: Callable[..., dict[str, Any]]) -> None:
    for bucket in BUCKETS:
        rows = all_pages(ask, "search_calls_by_lifecycle", bucket=bucket, limit=7, include_call_ids=True)
        assert sorted(row["call_id"] for row in rows) == sorted(c.call_id for c in CALLS if bucket_of(c) == bucket)
        assert {row["bucket"] for row in rows} == {bucket}
    rows = all_pages(ask, "search_calls_by_lifecycle", missing_transcripts_only=True, limit=11, include_call_ids=True)
    assert {row["call_id"]: row["bucket"] for row in rows} == {
        call.call_id: bucket_of(call) for call in CALLS if not call.sentences
    }
    desk = ask("search_calls_by_lifecycle", bucket="renewal_desk", limit=1)["results"][0]
    assert desk["reason"] == "matches rule 1 of renewal_desk"
    assert desk["confidence"] == "high"
    assert set(desk["evidence_fields"]) <= {f"{o}.{f}" for o, f in OBJECT_FIELDS}


OBJECT_FIELDS = [("Opportunity", "StageName"), ("Opportunity", "Type"), ("Deal", "dealstage"), ("Deal", "dealtype")]


@pytest.mark.parametrize(
    "arguments", [{}, {"bucket": "open"}, {"scope": "External"}, {"from_date": "2026-03-01", "to_date": "2026-05-31"}]
)
def test_the_backlog_gives_each_call_once_by_falling_priority(
    ask: Callable[..., dict[str, Any]], arguments: dict[str, str]
) -> None:
    rows = all_pages(ask, "rank_transcript_backlog", **arguments, limit=5, include_call_ids=True)
    ids = [row["call_id"] for row in rows]
    assert len(set(ids)) == len(ids)
    months = range(3, 6) if "from_date" in arguments else range(1, 13)
    wanted = [
        call
        for call in CALLS
        if not call.sentences
        and arguments.get("bucket") in (None, bucket_of(call))
        and arguments.get("scope") in (None, call.scope)
        and int(call.call_id) % 12 + 1 in months
    ]
    assert sorted(ids) == sorted(call.call_id for call in wanted)
    assert len(wanted) > 5
    keys = [(row["priority_score"], row["started_at"]) for row in rows]
    assert keys == sorted(keys, reverse=True)
    assert {row["call_id"]: row["bucket"] for row in rows} == {call.call_id: bucket_of(call) for call in wanted}


@pytest.mark.parametrize(
    ("dimension", "concept"),
    [("opportunity_stage", "deal_stage"), ("opportunity_type", "deal_type"), ("industry", "account_industry")],
)
def test_standard_dimensions_take_the_profiles_concepts(
    ask: Callable[..., dict[str, Any]], dimension: str, concept: str
) -> None:
    answer = ask("summarize_call_facts", group_by=dimension, limit=50)
    expected = Counter(value_of(concept, call) or "<blank>" for call in CALLS)
    assert {row["group_value"]: row["call_count"] for row in answer["results"]} == expected
    assert answer["concept"] == concept
    builtin = ask("summarize_call_facts", group_by=dimension, limit=50, lifecycle_source="builtin")
    assert builtin.get("concept") is None


def test_a_dimension_that_no_concept_stands_for_stays_and_one_that_groups_not_is_no_concept(
    ask: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    months = ask("summarize_call_facts", group_by="month", limit=50)
    assert {row["group_value"]: row["call_count"] for row in months["results"]} == Counter(
        f"2026-{int(call.call_id) % 12 + 1:02d}" for call in CALLS
    )
    lifecycle = ask("summarize_call_facts", group_by="lifecycle", limit=50)
    assert {row["group_value"]: row["call_count"] for row in lifecycle["results"]} == Counter(map(bucket_of, CALLS))
    text = PROFILE.replace("names: [Industry, industry], groupable: true", "names: [Industry, industry]")
    other = handler_over(build(tmp_path / "other.db", CALLS[:30], text))
    answer = other.call("summarize_call_facts", {"group_by": "industry"}).answer.structured
    assert answer is not None
    assert answer.get("concept") is None


def test_calls_are_counted_by_a_concept_of_the_companys_own(ask: Callable[..., dict[str, Any]], cache: Path) -> None:
    answer = ask("summarize_call_facts", group_by="profile_concept", concept="Account tier", limit=50)
    counted = {row["group_value"]: row["call_count"] for row in answer["results"]}
    assert counted == Counter(value_of("account_tier", call) or "<blank>" for call in CALLS)
    assert answer["concept"] == "account_tier"
    inside = ask("summarize_call_facts", group_by="profile_concept", concept="account_tier", lifecycle_bucket="open")
    assert {row["group_value"]: row["call_count"] for row in inside["results"]} == Counter(
        value_of("account_tier", call) or "<blank>" for call in CALLS if bucket_of(call) == "open"
    )
    handler = handler_over(cache)
    for arguments, said in (
        ({"group_by": "profile_concept"}, "deal_stage, deal_type, account_industry, account_tier"),
        ({"group_by": "profile_concept", "concept": "deal_next_step"}, "deal_stage"),  # there, but not groupable
        ({"group_by": "month", "concept": "account_tier"}, "group_by=profile_concept"),
        ({"group_by": "profile_concept", "concept": "deal_type", "lifecycle_source": "builtin"}, "profile"),
    ):
        refused = handler.call("summarize_call_facts", arguments).answer
        assert refused.error is not None
        assert refused.error["code"] == "invalid_argument"
        assert said in refused.text
    tight = handler_over(cache, policy_switches="hide_crm_value_snippets")
    offered = tight.tool("summarize_call_facts").input_schema["properties"]["group_by"]["enum"]
    assert "profile_concept" not in offered
    assert code_of(tight, "summarize_call_facts", group_by="profile_concept", concept="deal_type") == "invalid_argument"


def test_the_accounts_and_deals_counted_are_the_profiles(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask("summarize_call_facts", group_by="scope")
    for row in answer["results"]:
        calls = [call for call in CALLS if call.scope == row["group_value"]]
        kinds = [{kind for kind, *_ in call.objects} for call in calls]
        assert row["opportunity_call_count"] == sum(bool(found & {"Opportunity", "Deal"}) for found in kinds)
        assert row["account_call_count"] == sum(bool(found & {"Account", "Company"}) for found in kinds)


def test_fields_of_two_buckets_are_compared(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask(
        "compare_lifecycle_crm_fields", bucket_a="renewal_desk", bucket_b="open", object_type="Opportunity", limit=50
    )
    for side, bucket in (("a", "renewal_desk"), ("b", "open")):
        calls = [
            [fields for kind, _, fields in call.objects if kind == "Opportunity"]
            for call in CALLS
            if bucket_of(call) == bucket and any(kind == "Opportunity" for kind, *_ in call.objects)
        ]
        assert answer[f"bucket_{side}_call_count"] == len(calls) > 0
        for row in answer["results"]:
            filled = sum(any(fields.get(row["field_name"]) for fields in objects) for objects in calls)
            assert row[f"bucket_{side}_populated"] == filled
            assert row[f"bucket_{side}_rate"] == pytest.approx(filled / len(calls), abs=1e-4)
    assert {row["field_name"] for row in answer["results"]} == {"StageName", "Type", "NextStep"}


# --- the bucket filter of search tools --------------------------------------------------------------------


@pytest.mark.parametrize("tool", FILTER_TOOLS)
def test_searches_filter_by_the_profiles_buckets(ask: Callable[..., dict[str, Any]], tool: str) -> None:
    own = FILTER_TOOLS[tool]
    total = 0
    for bucket in BUCKETS:
        rows = all_pages(ask, tool, **own, lifecycle_bucket=bucket, limit=10)
        total += len(rows)
        calls = [call for call in CALLS if bucket_of(call) == bucket]
        if tool == "search_calls":
            expected = len(calls)
        elif tool == "missing_transcripts":
            expected = sum(not call.sentences for call in calls)
        else:
            expected = sum("price" in sentence for call in calls for sentence in call.sentences)
        assert len(rows) == expected, bucket
        assert {row["lifecycle_bucket"] for row in rows if "lifecycle_bucket" in row} <= {bucket}
    assert total > 20
    answer = ask(tool, **own, lifecycle_bucket="open")
    assert answer["lifecycle_source"] == "profile"
    assert answer["profile"]["profile_id"] == "profile_1"
    builtin = ask(tool, **own, lifecycle_bucket="renewal", lifecycle_source="builtin")
    assert builtin["lifecycle_source"] == "builtin"


def test_a_call_and_attributed_quotes_show_the_profiles_bucket(ask: Callable[..., dict[str, Any]]) -> None:
    by_id = {call.call_id: call for call in CALLS}
    for number in ("0", "1", "2", "3"):
        row = ask("get_call", call_id=number)
        assert (row["lifecycle_bucket"], row["lifecycle_source"]) == (bucket_of(by_id[number]), "profile")
    quotes = ask("search_transcript_quotes_with_attribution", query="price", limit=20)
    assert {row["lifecycle_bucket"] for row in quotes["results"]} <= set(BUCKETS)


@pytest.mark.parametrize("tool", [*FILTER_TOOLS, "search_calls_by_lifecycle", "rank_transcript_backlog"])
def test_an_unknown_bucket_is_refused_with_the_buckets_that_exist(cache: Path, tool: str) -> None:
    handler = handler_over(cache)
    argument = "lifecycle_bucket" if tool in FILTER_TOOLS else "bucket"
    wrong = handler.call(tool, {**FILTER_TOOLS.get(tool, {}), argument: "nowhere"}).answer
    assert wrong.error is not None
    assert wrong.error["code"] == "invalid_argument"
    assert ", ".join(BUCKETS) in wrong.text
    assert "nowhere" not in wrong.text
    other = handler.call(tool, {**FILTER_TOOLS.get(tool, {}), argument: "late_stage_sales"}).answer
    assert other.error is not None
    assert "lifecycle_source=builtin" in other.text


# --- errors and freshness ---------------------------------------------------------------------------------


def test_profile_missing_stands_where_a_profile_is_asked_for_and_nowhere_else(tmp_path: Path) -> None:
    handler = handler_over(build(tmp_path / "none.db", CALLS[:40]))
    for name, tool in catalog().items():
        arguments = arguments_of(name)
        if name == "compare_lifecycle_crm_fields":
            arguments |= {"bucket_a": "renewal", "bucket_b": "unknown"}
        expected = "profile_missing" if name in PROFILE_TOOLS else ""
        if name == "get_scorecard":
            continue
        assert code_of(handler, name, **arguments) == expected, name
        if "lifecycle_source" in tool.arguments.__struct_fields__:
            assert code_of(handler, name, **arguments, lifecycle_source="builtin") == "", name
            assert code_of(handler, name, **arguments, lifecycle_source="profile") == "profile_missing", name
    assert code_of(handler, "summarize_call_facts", group_by="profile_concept", concept="x") == "profile_missing"


@pytest.fixture(scope="module")
def unwarmed(tmp_path_factory: pytest.TempPathFactory, fixed_clock: None) -> Path:
    """A cache whose active profile has no facts: another one was active when it was warmed."""
    path = build(tmp_path_factory.mktemp("unwarmed") / "cache.db", CALLS[:40], OTHER_PROFILE)
    with opened(path) as writer:
        import_yaml(writer, PROFILE)
    return path


def test_profile_cache_stale_stands_where_facts_are_read_and_nowhere_else(unwarmed: Path) -> None:
    handler = handler_over(unwarmed)
    for name, tool in catalog().items():
        if name == "get_scorecard":
            continue
        arguments = arguments_of(name)
        assert code_of(handler, name, **arguments) == ("profile_cache_stale" if name in FACT_TOOLS else ""), name
        if name in FILTER_TOOLS:
            assert code_of(handler, name, **arguments, lifecycle_bucket="open") == "profile_cache_stale", name
            assert code_of(handler, name, **arguments, lifecycle_source="profile") == "profile_cache_stale", name
        if "lifecycle_source" in tool.arguments.__struct_fields__:
            if name == "compare_lifecycle_crm_fields":
                arguments |= {"bucket_a": "renewal", "bucket_b": "unknown"}
            assert code_of(handler, name, **arguments, lifecycle_source="builtin") == "", name
    refused = handler.call("summarize_calls_by_lifecycle", {}).answer
    assert "gongctl cache warm" in refused.text
    assert "lifecycle_source=builtin" in refused.text
    call = handler.call("get_call", {"call_id": "1"}).answer.structured
    assert call is not None
    assert call["lifecycle_source"] == "builtin"


def late_call() -> Made:
    return Made("901", (("Opportunity", "9", {"StageName": "Closed Won"}),), "Conference", "External", ("late price",))


def test_facts_older_than_the_data_are_answered_and_said_to_be_stale(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    shutil.copy(cache, path)
    fresh = handler_over(path)
    before = {name: fresh.call(name, arguments_of(name)).answer.structured for name in FACT_TOOLS}
    with opened(path) as writer:
        store(writer, [late_call()])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    handler = handler_over(path)
    for name in catalog():
        answer = handler.call(name, arguments_of(name)).answer
        assert answer.structured is not None, answer.text
        if name != "gong_discover_capabilities":  # describes the operations and reads no data
            assert answer.structured["freshness"] == "stale", name
        if name in FACT_TOOLS:
            earlier = before[name]
            assert earlier is not None
            assert answer.structured["results"] == earlier["results"], name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert [item.name for item in tmp_path.iterdir()] == ["cache.db"]


def readiness(db: Path) -> dict[str, Any]:
    answer = handler_over(db).call("get_sync_status", {}).answer.structured
    assert answer is not None
    return dict(answer["profile_readiness"])


def test_the_status_tells_each_state_of_the_profile_and_what_to_run(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    warm_command = WARM_COMMAND
    with opened(path) as writer:
        store(writer, CALLS[:40])
        warm(writer)
    said = readiness(path)
    assert (said["status"], said["cache_status"]) == ("not_configured", "not_applicable")
    assert "profile discover" in said["next"]
    with opened(path) as writer:
        import_yaml(writer, PROFILE)
    said = readiness(path)
    assert (said["status"], said["cache_status"], said["next"]) == ("needs_action", "missing", warm_command)
    with opened(path) as writer:
        warm(writer)
    said = readiness(path)
    assert (said["status"], said["cache_status"]) == ("partial", "fresh")  # it lacks usual concepts
    assert said["unavailable_concepts"] == ["deal_amount", "deal_close_date", "account_type"]
    with opened(path) as writer:
        store(writer, [late_call()])
    said = readiness(path)
    assert (said["status"], said["cache_status"], said["next"]) == ("needs_action", "stale", warm_command)
    whole = PROFILE.replace(
        "lifecycle:",
        "  deal_amount: {object: deal, names: [StageName]}\n  deal_close_date: {object: deal, names: [Type]}\n"
        "  account_type: {object: account, names: [Tier__c]}\nlifecycle:",
        1,
    )
    with opened(path) as writer:
        warm(writer)
        import_yaml(writer, whole)
        warm(writer)
    said = readiness(path)
    assert (said["status"], said["cache_status"]) == ("ready", "fresh")
    assert said.get("unavailable_concepts") is None
    text = handler_over(path).call("get_sync_status", {}).answer.text
    assert "Company lifecycle" not in text, "the status names no profile"


# --- what the profile tools say -----------------------------------------------------------------------------


def test_the_profile_and_its_concepts_are_shown(ask: Callable[..., dict[str, Any]]) -> None:
    profile = ask("get_business_profile")
    assert profile["lifecycle_buckets"] == list(BUCKETS)
    assert profile["field_concepts"] == [
        "deal_stage",
        "deal_type",
        "account_industry",
        "account_tier",
        "deal_next_step",
    ]
    assert profile["facts_status"] == "fresh"
    assert "canonical_sha256" not in profile
    concepts = {(row["kind"], row["name"]): row for row in ask("list_business_concepts")["results"]}
    assert len(concepts) == 2 + 5 + len(BUCKETS) + 1
    assert concepts["field", "deal_stage"]["field_names"] == ["StageName", "dealstage"]
    assert concepts["field", "deal_stage"]["object_types"] == ["Opportunity", "Deal"]
    assert concepts["field", "deal_stage"]["groupable"] is True
    assert concepts["methodology", "next_step"]["aliases"] == ["follow-up"]


def test_unmapped_fields_are_those_of_no_concept(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    rows = ask("list_unmapped_crm_fields", include_field_names=True, limit=50)["results"]
    assert {(row["object_type"], row["field_name"]) for row in rows} == {("Account", "Name"), ("Company", "Name")}
    text = PROFILE.replace("  account_tier: {object: account, names: [Tier__c], groupable: true}\n", "")
    handler = handler_over(build(tmp_path / "other.db", CALLS[:30], text))
    answer = handler.call("list_unmapped_crm_fields", {"limit": 50}).answer.structured
    assert answer is not None
    custom = [
        row for row in answer["results"] if row["object_type"] == "Account" and not row.get("standard_field_name")
    ]
    assert len(custom) == 1
    assert "Tier__c" not in json.dumps(answer)
    named = handler.call("list_unmapped_crm_fields", {"limit": 50, "include_field_names": True}).answer.structured
    assert "Tier__c" in json.dumps(named)


# --- what never leaves --------------------------------------------------------------------------------------

CANARIES = {
    "path": "CANARYPATH",
    "user": "CANARYUSER",
    "evidence": "CANARYEVIDENCE",
    "heuristic": "CANARYHEURISTIC",
    "rule value": "CANARYRULEVALUE",
    "pattern": "CANARYPATTERN",
    "comment": "CANARYCOMMENT",
    "tracker": "CANARYTRACKER",
    "question": "CANARYQUESTION",
    "spoken": "canaryspoken@example.com",
}
PLANTED_PROFILE = (
    PROFILE.replace(
        "  account_tier: {object: account, names: [Tier__c], groupable: true}",
        "  account_tier:\n    object: account\n    names: [Tier__c]\n    groupable: true\n    confidence: 0.5\n"
        "    evidence: {source: CANARYEVIDENCE0, matched_heuristic: CANARYHEURISTIC, values: [CANARYEVIDENCE1]}",
    )
    .replace(
        "rules: [{call: direction, op: equals, value: Outbound}]",
        "rules: [{call: direction, op: equals, value: Outbound}, {call: system, op: in, values: [CANARYRULEVALUE0,"
        " CANARYRULEVALUE1]}, {field: deal_stage, op: regex, value: CANARYPATTERN.*}]",
    )
    .replace(
        "fields: [{object: deal, name: NextStep}]}",
        "fields: [{object: deal, name: NextStep}], tracker_ids: [CANARYTRACKER], scorecard_question_ids:"
        " [CANARYQUESTION]}",
    )
    .replace("What comes next", "What comes next; ask canaryspoken@example.com")
    + "# CANARYCOMMENT\n"
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, fixed_clock: None) -> Path:
    path = build(tmp_path_factory.mktemp("planted") / "cache.db", CALLS[:60])
    with opened(path) as writer:
        import_yaml(writer, PLANTED_PROFILE, source_path="CANARYPATH.yaml", imported_by="CANARYUSER")
        warm(writer)
    return path


def secrets_of(path: Path) -> dict[str, str]:
    """Return the planted values, and the two hashes of the profile as they would be shown."""
    with opened(path) as writer:
        canonical, source = writer.connection.execute("SELECT canonical_sha256, source_sha256 FROM profiles").fetchone()
    return {**CANARIES, "canonical hash": canonical[:12], "source hash": source[:12]}


def everything(handler: ToolHandler) -> str:
    """Return all that leaves: every tool with every bucket, flag and source, wrong calls, resources, completions."""
    said = [handler.instructions()]
    for name, tool in catalog().items():
        names = tool.arguments.__struct_fields__
        flags = {field: True for field in names if field.startswith("include_")}
        tries: list[dict[str, Any]] = [{}, flags, {"limit": 0}, {"cursor": "AAAA"}]
        tries += [{"lifecycle_source": source} for source in ("builtin", "profile") if "lifecycle_source" in names]
        for argument in {"bucket", "lifecycle_bucket"} & set(names):
            tries += [{argument: bucket} for bucket in (*BUCKETS, "nowhere")]
        if name == "summarize_call_facts":
            groups = handler.tool(name).input_schema["properties"]["group_by"]["enum"]
            tries += [{"group_by": group} for group in groups]
            tries += [{"group_by": "profile_concept", "concept": c} for c in ("account_tier", "deal_stage", "nothing")]
        for arguments in tries:
            answer = handler.call(name, {**arguments_of(name), **arguments}).answer
            said.append(result_bytes(answer).decode() + json.dumps(answer.error) + answer.text)
    said += [str(handler.read_resource(info.uri)) for info in handler.resources()]
    return "\n".join(said)


@pytest.mark.parametrize("provenance", ["redacted", "raw"])
def test_where_a_profile_came_from_and_what_its_rules_compare_with_leave_by_no_tool(
    planted: Path, provenance: str
) -> None:
    said = everything(handler_over(planted, provenance=provenance))
    assert "account_tier" in said  # control: the profile is there
    assert [name for name, value in secrets_of(planted).items() if value in said] == []


def test_control_the_cache_holds_all_of_it_and_the_operator_sees_it(planted: Path) -> None:
    with opened(planted) as writer:
        rows = writer.connection.execute("SELECT * FROM profiles").fetchall()
        text = repr(rows) + source_of(writer.connection, 1)
    assert [name for name, value in secrets_of(planted).items() if value not in text] == []


def test_control_without_the_engine_the_hash_leaves(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "decide", lambda expose, policy, args: Decision(True, field_of(expose, args)))
    said = everything(handler_over(planted))
    assert secrets_of(planted)["canonical hash"] in said


def test_control_without_the_served_document_rule_values_would_leave(
    planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The served document is what keeps them in: with the whole profile in their place they are seen."""
    from gongctl.profile import served

    monkeypatch.setattr(served, "_signal", lambda rule: f"{rule.op} {rule.values}")
    monkeypatch.setattr(served, "_text", lambda text: text)
    path = tmp_path / "cache.db"
    shutil.copy(planted, path)
    with opened(path) as writer:
        import_yaml(writer, PLANTED_PROFILE)  # known already: renews the served document
    said = everything(handler_over(path))
    assert {"CANARYRULEVALUE", "CANARYPATTERN", "canaryspoken@example.com"} <= {
        v for v in CANARIES.values() if v in said
    }


# --- nothing here imports, activates or edits a profile ------------------------------------------------------


def test_no_tool_resource_or_prompt_is_about_writing(cache: Path) -> None:
    handler = handler_over(cache)
    doing = re.compile(
        r"(?:^|_)(?:import|activate|set|edit|write|update|delete|create|apply|store|save|put|warm)(?:_|$)"
    )
    named = [*catalog(), *(prompt.name for prompt in handler.prompts()), *(info.uri for info in handler.resources())]
    assert [name for name in named if doing.search(re.sub(r"[^a-z]", "_", name.lower()))] == []
    for name, tool in catalog().items():
        assert handler.tool(name).wire()["annotations"]["readOnlyHint"] is True
        assert not {"yaml", "profile", "path", "file", "document", "source"} & set(tool.arguments.__struct_fields__), (
            name
        )


def test_no_statement_of_the_server_writes_outside_its_state_file() -> None:
    package = Path(__file__).parents[2] / "gongmcp"
    sources = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    assert len(sources) > 50
    writing = re.compile(r"\b(?:INSERT|REPLACE)\s+(?:OR\s+\w+\s+)?INTO\b|\bDELETE\s+FROM\b|\bUPDATE\s+\w+\s+SET\b")
    # The state file over HTTP is the server's own and no cache: it counts what clients have seen.
    assert [path for path, text in sources.items() if writing.search(text)] == [package / "state_file.py"]
    assert [path.name for path, text in sources.items() if re.search(r"\b(?:from|import) gongctl\b", text)] == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT source FROM profiles",
        "SELECT count(*) FROM profiles",
        "SELECT (SELECT imported_by FROM profiles) FROM active_profile",
        "INSERT INTO profiles SELECT * FROM profiles",
        "UPDATE active_profile SET profile_no = 2",
        "DELETE FROM profile_models",
        "UPDATE profile_models SET complete = 1",
        "INSERT INTO profile_facts SELECT * FROM profile_facts",
        "DROP TABLE profile_values",
    ],
)
def test_the_reader_may_neither_read_imports_nor_write_any_part_of_a_profile(
    cache: Path, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gongmcp.store import connection

    assert "profiles" in RAW_TABLES
    before = hashlib.sha256(cache.read_bytes()).hexdigest()
    with StorePool(cache).store_scope() as reading, pytest.raises(Exception, match=r"prohibited|not authorized"):
        reading.rows(sql)
    assert hashlib.sha256(cache.read_bytes()).hexdigest() == before
    if sql.startswith("SELECT"):
        monkeypatch.setattr(connection, "RAW_TABLES", frozenset())
        with StorePool(cache).store_scope() as reading:  # control: it is the authorizer that denies it
            assert reading.rows(sql)


def test_the_file_is_the_same_after_every_tool_over_stdio(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    shutil.copy(cache, path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    command = [sys.executable, "-m", "gongmcp", "--db", str(path)]
    with Server(command=command) as server:
        for number, name in enumerate(catalog(), 1):
            server.send(server.call(number, name, **arguments_of(name)))
            said = server.answer(number)["result"]
            if name in FACT_TOOLS:
                assert said["structuredContent"]["lifecycle_source"] == "profile"
        server.hang_up()
        assert server.end()[0] == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [item.name for item in tmp_path.iterdir()] == ["cache.db"]


def test_completions_offer_the_profiles_buckets_and_groupable_concepts(cache: Path, unwarmed: Path) -> None:
    def offered(db: Path, name: str, **given: str) -> list[str]:
        tool = "summarize_call_facts" if name == "concept" else "search_calls"
        return list(handler_over(db).complete(tool, name, given=given))

    assert offered(cache, "lifecycle_bucket") == list(BUCKETS)
    assert "late_stage_sales" in offered(cache, "lifecycle_bucket", lifecycle_source="builtin")
    assert offered(cache, "concept") == ["deal_stage", "deal_type", "account_industry", "account_tier"]
    assert "late_stage_sales" in offered(unwarmed, "lifecycle_bucket"), "what answers where the facts are missing"


def test_a_name_is_asked_for_in_the_form_in_which_it_is_kept() -> None:
    from gongctl.profile.document import read_profile
    from gongmcp.store.buckets import Lifecycle
    from gongmcp.store.profile import BusinessProfile

    written = ("Late  Stage", "won-back", "x__y")
    kept = [bucket.name for bucket in read_profile(buckets_named(written)).draft.lifecycle]  # type: ignore[union-attr]
    profile = BusinessProfile(1, "profile_1", "P", 1, "", "", {"lifecycle_buckets": [{"name": name} for name in kept]})
    for name, stored in zip(written, kept, strict=True):
        assert Lifecycle(profile).bucket(name, "bucket") == stored
        assert Lifecycle(profile).bucket(stored, "bucket") == stored


def buckets_named(names: tuple[str, ...]) -> str:
    return "version: 1\nname: P\nlifecycle:\n" + "".join(f"  {name}: {{}}\n" for name in names)
