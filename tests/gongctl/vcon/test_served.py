"""The vCon tools of ``gongmcp``: over a cache, by choice only, under the exposure policy and the evidence budget."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli.root import run
from gongctl.vcon.write_tools import WRITING, all_tools
from gongmcp.cancel import Cancel
from gongmcp.errors import Exit, StartupRefusal, UnknownResource, UnknownTool
from gongmcp.exposure.evidence import EvidenceSession
from gongmcp.exposure.policy import EvidenceLimits
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from gongmcp.vcon.catalogue import choose, reading_tools
from gongmcp.vcon.handler import VconHandler
from tests.gongctl.vcon.corpus import FIRST, make_store, uuid_of, vcon

PRESETS = {"vcon-readonly": 17, "vcon-public": 15, "vcon-admin": 28}
NAMES = ["Agent Adams", "Caller 1", "agent@example.com", "c1@example.org", "+15550101", "15550101"]
"""What identifies somebody in the corpus."""

CALLS: dict[str, dict[str, Any]] = {
    "vcon_fetch": {"id": FIRST, "include": list({"core", "parties", "summary", "tags", "dealer", "counts", "dialog"})},
    "vcon_search": {
        "mode": "keyword",
        "query": "refund",
        "include": ["core", "parties", "dialog", "analysis", "attachments"],
    },
    "get_vcon": {"uuid": FIRST, "include_components": ["all"]},
    "get_tags": {"vcon_uuid": FIRST},
    "search_by_tags": {"tags": {"department": "support"}},
    "search_vcons_content": {"query": "refund"},
    "search_vcons_hybrid": {"query": "refund"},
    "search_vcons_semantic": {"query": "refund"},
    "get_unique_tags": {"include_counts": True},
    "analyze_query": {"query": "keyword_search"},
    "get_smart_search_limits": {"query_type": "basic"},
    "get_examples": {"example_type": "minimal"},
}


def _cache(folder: Path, *vcons: dict[str, Any]) -> Path:
    file, db = folder / "vcons.json", folder / "cache.db"
    file.write_text(json.dumps({"vcons": list(vcons)}))
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--db", str(db)]) == Exit.OK
    return db


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _cache(tmp_path_factory.mktemp("served"), *(vcon(number) for number in range(1, 7)))


def _handler(cache: Path, **flags: str) -> ToolHandler:
    return build_handler(ServerSettings.resolve({"tool_preset": "vcon-admin", **flags}, {}), cache)


@pytest.fixture(scope="module")
def served(cache: Path) -> ToolHandler:
    return _handler(cache)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_offers_what_its_profile_says_and_nothing_that_writes(preset: str, cache: Path) -> None:
    handler = _handler(cache, tool_preset=preset)
    names = [tool.name for tool in handler.tools()]
    assert len(names) == PRESETS[preset]
    assert set(names) <= set(reading_tools())
    for name in WRITING:
        with pytest.raises(UnknownTool):
            handler.call(name, {})


def test_vcon_tools_come_by_choice_only(cache: Path) -> None:
    calls = {tool.name for tool in _handler(cache, tool_preset="all-readonly").tools()}
    assert not calls & set(reading_tools())
    alone = {tool.name for tool in _handler(cache, tool_preset="all-readonly", toolset="vcon").tools()}
    assert alone == set(reading_tools())
    both = {tool.name for tool in _handler(cache, tool_preset="all-readonly", toolset="all").tools()}
    assert both == alone | calls
    named = ServerSettings.resolve({"toolset": "all", "tool_allowlist": "get_sync_status,vcon_fetch"}, {})
    assert {tool.name for tool in build_handler(named, cache).tools()} == {"get_sync_status", "vcon_fetch"}


@pytest.mark.parametrize(
    "flags",
    [
        {"toolset": "vcons"},
        {"toolset": "vcon"},
        {"toolset": "all"},
        {"toolset": "vcon", "tool_preset": "analyst"},
        {"tool_preset": "vcon-full"},
        {"toolset": "vcon", "tool_allowlist": "get_call"},
        {"toolset": "all", "tool_allowlist": "vcon_fetch,no_such_tool"},
        {"tool_preset": "vcon-admin", "lock": "policy.lock"},
        {"tool_allowlist": "vcon_fetch"},
    ],
)
def test_a_choice_that_is_none_refuses_to_start(flags: dict[str, str]) -> None:
    with pytest.raises(StartupRefusal):
        ServerSettings.resolve(flags, {})


@pytest.mark.parametrize("name", reading_tools())
def test_every_tool_answers_as_its_schema_says_and_names_nobody(
    name: str, served: ToolHandler, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outcome = served.call(name, CALLS.get(name, {}))
    answer = outcome.answer
    assert answer.structured is not None
    jsonschema.Draft202012Validator(served.tool(name).output_schema).validate(answer.structured)
    if name != "search_vcons_semantic":
        assert not answer.is_error, answer.text
        assert answer.structured[reading_tools()[name].flag] is True
    sent = result_bytes(answer).decode()
    assert outcome.bytes == len(sent.encode()) <= served.policy.max_response_bytes
    if name not in ("get_schema", "get_examples", "describe_response_shape"):
        assert [canary for canary in NAMES if canary in sent] == []


def test_the_control_the_same_calls_over_a_store_name_everybody(tmp_path: Path) -> None:
    handler = VconHandler(make_store(tmp_path / "store.db", 6), all_tools(), choose(all_tools()))
    sent = "".join(result_bytes(handler.answer(name, CALLS.get(name), Cancel())).decode() for name in CALLS)
    assert [canary for canary in NAMES[:5] if canary not in sent] == []


def test_filters_that_would_tell_who_takes_part_are_refused_by_name(served: ToolHandler) -> None:
    for mode in ({}, {"mode": "keyword", "query": "refund"}, {"mode": "hybrid", "query": "refund"}):
        answer = served.call("vcon_search", {**mode, "filters": {"party_email": "c1@"}}).answer
        assert answer.structured is not None
        assert answer.structured["error"]["code"] == "UNSUPPORTED_FILTER"
        assert answer.structured["error"]["filters"] == ["party_email"]
    legacy = served.call("search_vcons", {"party_name": "Caller"}).answer.structured
    assert legacy is not None
    assert legacy["details"]["reason"] == "UNSUPPORTED_FILTER"
    grouped = served.call("vcon_aggregate", {"group_by": "party_domain"}).answer.structured
    assert grouped is not None
    assert grouped["error"]["code"] == "UNSUPPORTED_FILTER"


def test_a_switch_hides_what_it_hides_elsewhere(cache: Path) -> None:
    handler = _handler(cache, policy_switches="hide_call_titles,hide_account_names")
    outcome = handler.call("vcon_fetch", {"id": FIRST, "include": ["core", "dealer"]})
    assert outcome.answer.structured is not None
    item = outcome.answer.structured["item"]
    assert "subject" not in item
    assert "name" not in item.get("dealer", {})
    assert {entry.rule for entry in outcome.ledger.entries} >= {"switch.hide_call_titles"}
    refused = handler.call("vcon_search", {"filters": {"subject": "invoice"}}).answer.structured
    assert refused is not None
    assert refused["error"]["code"] == "UNSUPPORTED_FILTER"
    plain = _handler(cache).call("vcon_search", {"filters": {"subject": "invoice"}}).answer.structured
    assert plain is not None
    assert plain["page"]["total"] == 3


def test_a_free_select_is_not_explained_here(served: ToolHandler) -> None:
    assert "enum" in served.tool("analyze_query").input_schema["properties"]["query"]
    answer = served.call("analyze_query", {"query": "SELECT * FROM raw_vcons"}).answer
    assert answer.is_error


def test_resources_whose_whole_content_is_a_body_are_not_offered(served: ToolHandler) -> None:
    offered = {info.uri for info in (*served.resources(), *served.resource_templates())}
    assert "vcon://v1/graph/shape" in offered
    body = json.loads(served.read_resource("vcon://v1/graph/shape").text)
    tool = served.call("vcon_graph_shape", {}).answer.structured
    assert tool is not None
    assert body == tool["item"]
    for part in ("", "/dialog", "/analysis", "/attachments", "/transcript", "/summary"):
        assert f"vcon://v1/vcons/{{uuid}}{part}" not in offered
        with pytest.raises(UnknownResource):
            served.read_resource(f"vcon://v1/vcons/{FIRST}{part}")
    assert FIRST in served.read_resource(f"vcon://v1/vcons/{FIRST}/metadata").text


def _long(count: int) -> dict[str, Any]:
    found = vcon(1)
    found["dialog"] = [
        {
            **found["dialog"][0],
            "start": f"2026-02-15T09:{number:02d}:00Z",
            "body": f"Sentence number word{number} here.",
        }
        for number in range(count)
    ]
    return found


@pytest.mark.parametrize(("limits", "most"), [(EvidenceLimits(), 20), (EvidenceLimits(12, 1000, 100), 50)])
def test_snippets_do_not_add_up_to_a_conversation(limits: EvidenceLimits, most: int, tmp_path: Path) -> None:
    cache = _cache(tmp_path, _long(50))
    settings = ServerSettings.resolve({"tool_preset": "vcon-readonly"}, {})
    settings = replace(settings, policy=replace(settings.policy, evidence=limits))
    handler = build_handler(settings, cache, session=EvidenceSession())
    seen = set()
    for number in range(50):
        for name in ("search_vcons_content", "vcon_search"):
            mode = {"mode": "keyword"} if name == "vcon_search" else {}
            sent = result_bytes(handler.call(name, {**mode, "query": f"word{number}"}).answer).decode()
            seen |= {word for word in range(50) if f"word{word}» here" in sent}
    assert len(seen) <= most
    assert len(seen) >= most - 10


def test_small_cells_are_not_told_apart(cache: Path) -> None:
    handler = _handler(cache, min_cell="4")
    found = handler.call("get_unique_tags", {"include_counts": True}).answer.structured
    assert found is not None
    assert "portal" not in found["unique_keys"]
    total = handler.call("vcon_search", {}).answer.structured
    assert total is not None
    assert (total["page"]["total"], total["page"]["total_is_exact"]) == (4, False)
    exact = handler.call("get_content_analytics", {}).answer.structured
    assert exact is not None
    assert "avg_parties_per_conversation" not in exact["content_analytics"]["conversation_metrics"]


def test_pages_of_a_cache_are_whole(served: ToolHandler) -> None:
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        found = served.call("vcon_search", {"limit": 4, "include": ["core"], **cursor}).answer.structured
        assert found is not None
        seen += [item["id"] for item in found["items"]]
        if "next_cursor" not in found["page"]:
            break
        cursor = {"cursor": found["page"]["next_cursor"]}
    assert sorted(seen) == [uuid_of(number) for number in range(1, 7)]


@pytest.mark.parametrize("governed", [True, False])
def test_a_restricted_customer_is_not_there_for_any_tool(governed: bool, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("version: 1\nlists:\n  no_ai:\n    customers: [{name: Wunderbar Logistics}]\n")
    named = vcon(2)
    named["analysis"][0]["body"] = "A parcel of Wunderbar Logistics is late."
    file, db = tmp_path / "vcons.json", tmp_path / "cache.db"
    file.write_text(json.dumps({"vcons": [vcon(1), named]}))
    listed = ["--ai-governance-config", str(tmp_path / "list.yaml")] if governed else []
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--db", str(db), *listed]) == Exit.OK
    handler = _handler(db, **({"ai_governance_config": listed[1]} if governed else {}))
    sent = "".join(
        result_bytes(handler.call(name, {**CALLS.get(name, {})}).answer).decode()
        for name in reading_tools()
        if name not in ("get_schema", "get_examples", "describe_response_shape")
    )
    sent += "".join(
        result_bytes(handler.call("vcon_search", {"mode": "keyword", "query": word}).answer).decode()
        for word in ("parcel", "late")
    )
    assert (uuid_of(2) in sent) is not governed
    assert ("Wunderbar" in sent) is not governed
    fetched = handler.call("vcon_fetch", {"id": uuid_of(2)}).answer.structured
    assert fetched is not None
    assert fetched["ok"] is not governed
    total = handler.call("vcon_search", {}).answer.structured
    assert total is not None
    assert total["page"]["total"] == (1 if governed else 2)
