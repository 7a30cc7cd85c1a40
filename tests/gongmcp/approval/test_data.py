"""What appeared in the data after the approval is withheld under the lock; without it the same calls show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl.approval.samples import own_samples
from gongmcp.approval.gate import RULE
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler
from gongmcp.render.wire import result_bytes
from tests.gongmcp.approval.conftest import Approve, Open
from tests.gongmcp.approval.later import (
    FIELD,
    FOREIGN,
    NEW_FIELD,
    NEW_KIND,
    NEW_LANGUAGE,
    NEW_TYPE,
    SPOKEN,
    WORDS,
)
from tests.gongmcp.examples import EXAMPLES


@pytest.fixture
def bare(opened: Open, later_cache: Path) -> ToolHandler:
    """What is served without a lock."""
    return opened(db=later_cache)


@pytest.fixture
def locked(approved: Approve, opened: Open, later_cache: Path) -> ToolHandler:
    """What is served under the lock of the sample."""
    return opened(db=later_cache, lock=approved())


def answer(handler: ToolHandler, tool: str, **arguments: Any) -> dict[str, Any]:
    structured = handler.call(tool, arguments).answer.structured
    assert structured is not None, handler.call(tool, arguments).answer.error
    return structured


def text(handler: ToolHandler, tool: str, **arguments: Any) -> str:
    return result_bytes(handler.call(tool, arguments).answer).decode()


@pytest.mark.parametrize("call", [FOREIGN, SPOKEN])
def test_a_new_language_and_a_new_kind_of_personal_data_are_not_quoted(
    call: str, bare: ToolHandler, locked: ToolHandler
) -> None:
    for tool in (
        "search_transcript_segments",
        "search_transcripts_by_call_facts",
        "search_transcript_quotes_with_attribution",
    ):
        assert answer(bare, tool, query=WORDS[call])["results"], tool
        assert answer(locked, tool, query=WORDS[call])["results"] == [], tool
    tool = "search_transcripts_by_crm_context"
    assert answer(bare, tool, query=WORDS[call], object_type="Account")["results"]
    assert answer(locked, tool, query=WORDS[call], object_type="Account")["results"] == []
    shown = answer(locked, "search_transcript_segments", query=WORDS[FIELD])["results"]
    assert len(shown) == 1, "a call of a reviewed language is quoted, whatever CRM field it has"


def test_what_is_withheld_is_in_the_ledger(locked: ToolHandler) -> None:
    ledger = locked.call("search_transcript_segments", {"query": WORDS[FOREIGN]}).ledger
    assert [(entry.action, entry.kind, entry.rule) for entry in ledger.entries] == [("omitted", "row", RULE)]


def test_calls_of_a_new_language_are_not_there(bare: ToolHandler, locked: ToolHandler) -> None:
    assert answer(bare, "get_call", call_id=FOREIGN)["status"] == "ok"
    assert answer(locked, "get_call", call_id=FOREIGN) | {"as_of": ""} == {
        **answer(locked, "get_call", call_id="1"),
        "as_of": "",
    }
    for tool in ("search_calls", "search_calls_by_lifecycle"):
        assert FOREIGN in text(bare, tool, include_call_ids=True, limit=50), tool
        assert FOREIGN not in text(locked, tool, include_call_ids=True, limit=50), tool
        assert SPOKEN in text(locked, tool, include_call_ids=True, limit=50), tool


def test_a_page_is_filled_in_spite_of_what_is_withheld(locked: ToolHandler, bare: ToolHandler) -> None:
    assert len(answer(locked, "search_calls", limit=4)["results"]) == 4
    calls: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = answer(locked, "search_calls", limit=1, include_call_ids=True, **cursor)
        calls += [row["call_id"] for row in page["results"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    every = [row["call_id"] for row in answer(bare, "search_calls", limit=50, include_call_ids=True)["results"]]
    assert calls == [call for call in every if call != FOREIGN]


def test_groups_by_language(bare: ToolHandler, locked: ToolHandler) -> None:
    assert NEW_LANGUAGE in text(bare, "summarize_call_facts", group_by="language")
    assert NEW_LANGUAGE not in text(locked, "summarize_call_facts", group_by="language")
    assert "eng" in text(locked, "summarize_call_facts", group_by="language")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_call", {"call_id": FIELD}),
        ("list_crm_fields", {"object_type": "Account"}),
        ("crm_field_population_matrix", {"object_type": "Account", "limit": 200}),
        ("list_crm_object_types", {}),
        (
            "compare_lifecycle_crm_fields",
            {"object_type": "Account", "bucket_a": "customer_success_account", "bucket_b": "renewal", "limit": 200},
        ),
    ],
)
def test_a_new_crm_name_is_in_no_answer(
    tool: str, arguments: dict[str, Any], bare: ToolHandler, locked: ToolHandler
) -> None:
    names = (NEW_FIELD, NEW_TYPE, "ZyxName")
    before, after = text(bare, tool, **arguments), text(locked, tool, **arguments)
    assert any(name in before for name in names)
    assert not any(name in after for name in names)
    assert "Account" in after


def test_a_name_that_was_approved_for_another_type_only_is_new(
    approved: Approve, opened: Open, sample_cache: Path
) -> None:
    path = approved()
    lock = json.loads(path.read_text(encoding="utf-8"))
    lock["shape"]["crm"]["Account"].remove("Website")
    lock["shape"]["crm"]["Company"].append("Website")
    path.write_text(json.dumps(lock), encoding="utf-8")
    fields = answer(opened(lock=path), "list_crm_fields", object_type="Account")["results"]
    assert "Website" not in [row["field_name"] for row in fields]
    assert "Website" in text(opened(), "list_crm_fields", object_type="Account")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_crm_field_values", {"object_type": "Account", "field_name": NEW_FIELD, "value_query": "zyx"}),
        ("search_transcripts_by_crm_context", {"query": WORDS[FIELD], "object_type": NEW_TYPE}),
        ("search_calls", {"crm_object_type": NEW_TYPE}),
        ("list_crm_fields", {"object_type": NEW_TYPE}),
    ],
)
def test_nobody_can_ask_for_a_new_crm_name(
    tool: str, arguments: dict[str, Any], bare: ToolHandler, locked: ToolHandler
) -> None:
    assert answer(bare, tool, **arguments)["results"]
    refused = locked.call(tool, arguments).answer
    assert refused.error is not None
    assert refused.error["code"] == "refused_by_policy"
    swapped = {name: "NoSuchName" if value in (NEW_FIELD, NEW_TYPE) else value for name, value in arguments.items()}
    assert locked.call(tool, swapped).answer.error == refused.error, "it tells nothing of whether the name is there"


def test_completions(bare: ToolHandler, locked: ToolHandler) -> None:
    asked = ("list_crm_fields", "object_type", "Zyx")
    assert bare.complete(*asked) == [NEW_TYPE]
    assert locked.complete(*asked) == []
    assert locked.complete("list_crm_fields", "object_type", "Acc") == ["Account"]
    refs = (bare.complete("get_call", "call_ref"), locked.complete("get_call", "call_ref"))
    assert len(refs[0]) == len(refs[1]) + 1


def test_a_resource_is_held_to_it_too(bare: ToolHandler, locked: ToolHandler) -> None:
    found = [item.uri for item in bare.resources() if NEW_TYPE in bare.read_resource(item.uri).text]
    assert all(NEW_TYPE not in locked.read_resource(uri).text for uri in found)


def test_a_new_kind_of_setting(approved: Approve, opened: Open) -> None:
    path = approved()
    lock = json.loads(path.read_text(encoding="utf-8"))
    lock["shape"]["settings"].remove("tracker")
    path.write_text(json.dumps(lock), encoding="utf-8")
    kinds = {row["kind"] for row in answer(opened(), "list_gong_settings")["results"]}
    assert {row["kind"] for row in answer(opened(lock=path), "list_gong_settings")["results"]} == kinds - {"tracker"}


def outputs(handler: ToolHandler) -> str:
    """Return everything that a client can get of *handler* by the examples of all tools, and its resources."""
    found = []
    for tool, sets in EXAMPLES.items():
        for arguments in (*sets, *own_samples(handler, tool)):
            flags = {name: True for name in handler.tool(tool).input_schema["properties"] if "include_" in name}
            most = {"limit": 100} if "limit" in handler.tool(tool).input_schema["properties"] else {}
            asked = handler.call(tool, {**arguments, **flags, **most}).answer
            # Where the flags are refused, the call without them says what is let out.
            found.append(result_bytes(asked).decode() if asked.error is None else text(handler, tool, **arguments))
    found += [text(handler, "list_crm_fields", object_type=of) for of in ("Account", NEW_TYPE)]
    for query in (*WORDS.values(), "number OR revenue OR the OR der"):
        for tool in EXAMPLES:
            schema = handler.tool(tool).input_schema
            if schema.get("required") == ["query"]:
                flags = {name: True for name in schema["properties"] if "include_" in name}
                found.append(text(handler, tool, query=query, **flags))
    for call in (FOREIGN, FIELD, SPOKEN):
        found.append(text(handler, "get_call", call_id=call, include_call_ids=True, include_call_titles=True))
    for item in handler.resources():
        found.append(handler.read_resource(item.uri).text)
    return "\n".join(found)


@pytest.mark.parametrize("provenance", ["redacted", "alias", "raw"])
def test_no_tool_lets_out_what_is_new(provenance: str, approved: Approve, opened: Open, later_cache: Path) -> None:
    """Every tool by its examples, with every flag and by the new words; the control finds each of them."""
    lock = approved(provenance=provenance)
    bare = outputs(opened(db=later_cache, provenance=provenance))
    held = outputs(opened(db=later_cache, provenance=provenance, lock=lock))
    for secret in (
        NEW_FIELD,
        NEW_TYPE,
        "ZyxName",
        FOREIGN,
        f"A call with {WORDS[FOREIGN]}",
        "Das ist ein",
        "The «zyxcard» is",
        "{redacted:card}",
    ):
        assert secret in bare, secret
        assert secret not in held, secret


def test_reviewed_again_it_is_served(approved: Approve, opened: Open, later_cache: Path) -> None:
    path = approved(db=later_cache)
    shape = json.loads(path.read_text(encoding="utf-8"))["shape"]
    assert NEW_FIELD in shape["crm"]["Account"]
    assert NEW_LANGUAGE in shape["languages"]
    assert NEW_KIND in shape["personal_data"]
    again = opened(db=later_cache, lock=path)
    for word in WORDS.values():
        assert answer(again, "search_transcript_segments", query=word)["results"], word


@pytest.mark.parametrize("flags", [{}, {"min_cell": "3"}, {"provenance": "raw"}, {"provenance": "alias"}], ids=str)
def test_on_the_data_that_was_approved_nothing_is_withheld(
    flags: dict[str, str], approved: Approve, opened: Open
) -> None:
    """The control of all: what is withheld above is withheld for being new."""
    bare, locked = opened(tool_allowlist=",".join(catalog()), **flags), opened(lock=approved(**flags), **flags)
    compared = 0
    for tool, sets in EXAMPLES.items():
        for arguments in sets:
            ours = locked.call(tool, arguments).answer
            if ours.error is not None and "is no CRM name that was approved" in ours.error["message"]:
                assert not {*arguments.values()} & {"Account", "Opportunity", "Deal", "Company"}, arguments
                continue
            assert result_bytes(ours) == result_bytes(bare.call(tool, arguments).answer), (tool, arguments)
            compared += 1
    assert compared > 60
