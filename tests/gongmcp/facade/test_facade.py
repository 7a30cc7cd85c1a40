"""The facade: six tools in few tokens, the same gates behind them, packs of evidence, repairs as objects."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from gongmcp.catalog.operations import DISCOVER, OPERATIONS, ROUTED, STATUS, offered
from gongmcp.catalog.registry import catalog
from gongmcp.errors import UnknownTool
from gongmcp.exposure.evidence import EvidenceSession
from gongmcp.facade.theme_words import subject_of
from gongmcp.handler import Outcome, ToolHandler, build_handler
from gongmcp.render.size import estimate_tokens
from gongmcp.settings import ServerSettings
from tests.gongmcp.conftest import MakeHandler

YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
QUESTION = {"question": "What do they say about supply chain demand?", "filter": YEAR}


@pytest.fixture
def workbench(make_handler: MakeHandler) -> ToolHandler:
    return make_handler(tool_preset="business-workbench")


def told(outcome: Outcome) -> dict[str, Any]:
    assert outcome.answer.error is None, outcome.answer.error
    assert outcome.answer.structured is not None
    return outcome.answer.structured


def repair(outcome: Outcome) -> dict[str, Any]:
    assert outcome.answer.error is not None
    found: dict[str, Any] = outcome.answer.error["repair"]
    return found


def asked(handler: ToolHandler, operation: str, arguments: dict[str, Any]) -> Outcome:
    facade = OPERATIONS[operation].facade
    given = {} if facade == STATUS else {"operation": operation, "arguments": arguments}
    return handler.call(facade, given)


def test_the_list_is_six_tools_below_2500_tokens(workbench: ToolHandler) -> None:
    listed = workbench.listed()
    assert [info.name for info in listed] == [name for name, tool in catalog().items() if tool.facade]
    assert len(listed) == 6
    assert estimate_tokens(json.dumps([info.wire() for info in listed], separators=(",", ":"))) < 2500


def test_every_operation_goes_to_a_tool_that_exists() -> None:
    assert catalog().keys() >= ROUTED
    assert len({operation.facade for operation in OPERATIONS.values()}) == 5


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.routes])
def test_what_is_handed_on_is_answered_as_by_the_tool(name: str, workbench: ToolHandler) -> None:
    routed = catalog()[OPERATIONS[name].routes]
    fixed = dict(OPERATIONS[name].fixed)
    given = {key: value for key, value in (routed.examples or ({},))[0].items() if key not in fixed}
    direct = workbench.behind(1024).call(routed.name, {**given, **fixed})
    through = asked(workbench, name, given)
    if direct.answer.structured is None:
        assert through.code == direct.code
        return
    answer = told(through)
    flat = {**answer["result"], **{key: answer[key] for key in ("status", "as_of", "freshness") if key in answer}}
    assert flat == {key: value for key, value in direct.answer.structured.items() if key in flat}
    assert direct.answer.structured.keys() - flat.keys() <= {"message", "hint"}
    assert answer["routed_tool"] == routed.name
    assert [entry.rule for entry in through.ledger.entries] == [entry.rule for entry in direct.ledger.entries]
    assert all(entry.place[0] == "result" for entry in through.ledger.entries)
    assert through.shown == direct.shown


def test_an_operation_is_offered_where_its_tool_is_allowed(make_handler: MakeHandler) -> None:
    handler = make_handler(tool_allowlist="gong_query,gong_analyze,gong_discover_capabilities,search_calls_by_filters")
    assert [info.name for info in handler.tools()] == ["search_calls_by_filters", DISCOVER, "gong_query"]
    assert handler.tool("gong_query").input_schema["properties"]["operation"]["enum"] == ["query.calls"]
    with pytest.raises(UnknownTool):
        handler.call("gong_analyze", {"operation": "question.answer"})
    refused = handler.call("gong_query", {"operation": "query.call_count", "arguments": {"filter": YEAR}})
    assert refused.code == "invalid_argument"
    listed = told(handler.call(DISCOVER, {}))["result"]["operations"]
    assert listed == {"gong_query": [{"operation": "query.calls", "summary": "The calls of a filter."}]}


def test_an_operation_is_described_with_arguments_that_do(workbench: ToolHandler) -> None:
    for operation in offered(workbench.policy, workbench.served()):
        short = told(workbench.call(DISCOVER, {"operation": operation.name}))["result"]
        full = told(workbench.call(DISCOVER, {"operation": operation.name, "full": True}))["result"]
        assert short["arguments"]["properties"].keys() == full["arguments"]["properties"].keys()
        assert "description" not in json.dumps(short["arguments"])
        assert "rules" not in short
        assert full["rules"]
        if "example" in short:
            jsonschema.validate(short["example"]["arguments"], full["arguments"])
    assert workbench.call(DISCOVER, {}).tokens < 1300


def test_a_question_is_answered_with_evidence(make_handler: MakeHandler) -> None:
    handler = make_handler(tool_preset="business-workbench", provenance="alias")
    outcome = asked(handler, "question.answer", QUESTION)
    answer = told(outcome)
    jsonschema.validate(answer, handler.tool("gong_analyze").output_schema)
    pack = answer["result"]
    assert pack["interpreted"]["theme_query"] == "supply chain demand"
    assert pack["evidence_status"] == "evidence_found"
    assert pack["evidence"]
    assert all(row["call_ref"].startswith("call_") and row["snippet"] for row in pack["evidence"])
    assert pack["coverage"]["call_count"] > 0
    assert pack["limitations"]
    places = [(row["call_ref"], row["segment_index"]) for key in ("evidence", "counter_evidence") for row in pack[key]]
    assert len(places) == len(set(places))
    for step in pack["follow_ups"]:
        arguments = {**step["arguments"]}
        if "add" in step:
            arguments["cohort_token"] = pack["scope"]["cohort_token"]
        assert asked(handler, step["operation"], arguments).code == "ok"
    assert outcome.shown.keys() >= {row["call_ref"] for row in pack["evidence"]}


def test_withheld_places_of_a_pack_are_where_the_ledger_says(workbench: ToolHandler) -> None:
    outcome = asked(workbench, "question.answer", QUESTION)
    pack = told(outcome)["result"]
    rows = [entry.place for entry in outcome.ledger.entries if len(entry.place) > 3 and entry.action == "omitted"]
    assert rows
    for place in rows:
        assert int(place[2]) < len(pack[str(place[1])])
        assert place[3] not in pack[str(place[1])][int(place[2])]


@pytest.mark.parametrize(
    ("operation", "arguments", "holds"),
    [
        ("theme_intelligence_report", {"theme_query": "demand", "filter": YEAR}, "compared"),
        ("analyze.discovery_summary", {"filter": {"industry": "tech"}}, "themes"),
        ("question.answer", {"question": "What about pricing pressure, by quarter?"}, "evidence"),
        ("question.answer", {"question": "And pricing?", "filter": {"quarter": "1999-Q1"}}, "emptied_by"),
        ("question.answer", {"question": "zebrafish pricing?", "filter": YEAR}, "evidence"),
    ],
)
def test_packs(operation: str, arguments: dict[str, Any], holds: str, workbench: ToolHandler) -> None:
    outcome = asked(workbench, operation, arguments)
    assert told(outcome)["result"][holds]
    assert outcome.bytes <= workbench.policy.max_response_bytes


@pytest.mark.parametrize("operation", ["question.answer", "theme_intelligence_report", "analyze.discovery_summary"])
@pytest.mark.parametrize("parts", [0, 1, 2])
def test_a_pack_that_takes_too_long_says_so(
    operation: str, parts: int, workbench: ToolHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = iter([0.0] * (parts + 1))
    monkeypatch.setattr("gongmcp.facade.packs.time", SimpleNamespace(monotonic=lambda: next(passed, 1e9)))
    given = {"filter": YEAR} | ({"question": "What about demand?"} if operation == "question.answer" else {})
    if operation == "theme_intelligence_report":
        given["theme_query"] = "demand"
    answer = told(asked(workbench, operation, given))
    assert (answer["status"], answer["hint"]) == ("unavailable", "Narrow the dates or filters and call again.")
    assert ("coverage" in answer["result"]) == (parts > 0)


def test_a_pack_stays_inside_the_smallest_answer(make_handler: MakeHandler) -> None:
    handler = make_handler(tool_preset="business-workbench", max_response_bytes="16384", provenance="alias")
    given = {"theme_query": "demand OR revenue OR growth", "filter": YEAR, "limit": 12}
    outcome = asked(handler, "theme_intelligence_report", given)
    assert told(outcome)["result"]["evidence"]
    assert outcome.bytes <= 16384


def test_no_more_of_a_call_leaves_than_its_session_may_see(make_handler: MakeHandler, sample_cache: Path) -> None:
    themes = ("demand", "revenue", "growth", "customers", "quarter", "cost", "market", "year", "cash", "product")

    def most_seen(session: EvidenceSession | None) -> float:
        settings = ServerSettings.resolve({"tool_preset": "business-workbench", "provenance": "alias"}, {})
        handler = build_handler(settings, sample_cache, session=session)
        seen: dict[str, set[int]] = {}
        for theme in themes:
            given = {"question": theme, "theme_query": theme, "filter": YEAR, "limit": 12, "speaker_role": "any"}
            for call, segments in asked(handler, "question.answer", given).shown.items():
                seen.setdefault(call, set()).update(segments)
        with closing(sqlite3.connect(sample_cache)) as cache:
            counts: dict[str, int] = dict(cache.execute("SELECT call_ref, segment_count FROM call_facts"))
        return max(len(found) / max(20, counts[call] // 10) for call, found in seen.items())

    assert most_seen(None) > 1, "without a session more is seen"
    assert most_seen(EvidenceSession()) <= 1


REPAIRS: list[tuple[str, dict[str, Any], str]] = [
    ("gong_query", {}, "missing_operation"),
    ("gong_query", {"operation": "question.answer"}, "operation_of_another_tool"),
    ("gong_query", {"operation": "query.calls", "arguments": {"filters": []}}, "use_filter_dimension_filters"),
    (
        "gong_query",
        {"operation": "query.calls", "arguments": {"dimension_filters": []}},
        "dimension_filters_belong_under_filter",
    ),
    (
        "gong_query",
        {
            "operation": "query.calls",
            "arguments": {"filter": {"dimension_filters": [{"dimension": "industry", "value": "secret-value"}]}},
        },
        "use_values_array",
    ),
    (
        "gong_query",
        {
            "operation": "query.calls",
            "arguments": {"filter": {"dimension_filters": [{"dimension": "industry", "values": [41414141]}]}},
        },
        "values_must_be_texts",
    ),
    ("gong_query", {"operation": "query.calls", "arguments": {"limit": 2}}, "missing_filter"),
    ("gong_query", {"operation": "query.calls", "filter": {}}, "invalid_argument"),
    ("gong_analyze", {"operation": "question.answer", "arguments": {"question": "what?", "filter": YEAR}}, "no_theme"),
    ("gong_analyze", {"operation": "prospect.question.answer", "arguments": QUESTION}, "missing_account"),
]


@pytest.mark.parametrize(("tool", "arguments", "issue"), REPAIRS)
def test_a_refused_call_says_what_would_do(
    tool: str, arguments: dict[str, Any], issue: str, workbench: ToolHandler
) -> None:
    outcome = workbench.call(tool, arguments)
    found = repair(outcome)
    assert found["issue"] == issue
    assert "secret-value" not in json.dumps(outcome.answer.error)
    assert "41414141" not in json.dumps(outcome.answer.error)
    if "operation" in found and "arguments" in found and issue not in ("no_theme", "missing_account"):
        assert asked(workbench, found["operation"], found["arguments"]).code == "ok"


def test_arguments_are_named_by_their_path(workbench: ToolHandler) -> None:
    outcome = asked(workbench, "query.calls", {"filter": {"industri": "x"}})
    assert outcome.answer.error is not None
    assert "arguments.filter.industri" in outcome.answer.error["message"]
    assert "Did you mean arguments.filter.industry?" in outcome.answer.error["hint"]


def test_gates_of_arguments_hold_inside(make_handler: MakeHandler) -> None:
    plain = make_handler(tool_preset="business-workbench")
    hidden = make_handler(tool_preset="business-workbench", policy_switches="hide_account_names")
    by_account = {"filter": {"account_query": "culp"}, "include_account_names": True}
    assert asked(plain, "query.calls", by_account).code == "ok"
    assert asked(hidden, "query.calls", by_account).code == "refused_by_policy"
    assert asked(hidden, "question.answer", {**QUESTION, **by_account}).code == "refused_by_policy"
    without = {"filter": {"account_query": "culp"}, "question": "What about demand?"}
    assert asked(plain, "question.answer", without).code == "refused_by_policy"
    schema = told(hidden.call(DISCOVER, {"operation": "query.calls"}))["result"]["arguments"]
    assert "account_query" not in schema["properties"]["filter"]["properties"]


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What do lost enterprise deals say about pricing, by quarter?", ("pricing",)),
        ('How often is "free cash flow" mentioned?', ('"free cash flow"',)),
        ("Which customers complain about implementation effort?", ("implementation", "effort")),
        ("What is it?", ()),
    ],
)
def test_the_subject_of_a_question(question: str, terms: tuple[str, ...]) -> None:
    assert subject_of(question).terms == terms
