"""The pre-pass that validates arguments: what it forgives, what it refuses, and that it echoes no value."""

from __future__ import annotations

from typing import Any

import pytest

from gongmcp.catalog.arguments import MAX_ARGUMENT_BYTES, ValidArguments, validate
from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.catalog.registry import catalog
from gongmcp.catalog.schema import input_schema
from gongmcp.errors import ToolFault
from gongmcp.exposure.policy import Policy

POLICY = Policy()


def check(name: str, arguments: Any, policy: Policy = POLICY) -> ValidArguments:
    tool = catalog()[name]
    return validate(tool, policy, input_schema(tool, policy), arguments)


def refused(name: str, arguments: Any, policy: Policy = POLICY) -> ToolFault:
    with pytest.raises(ToolFault) as caught:
        check(name, arguments, policy)
    assert caught.value.code == "invalid_argument"
    return caught.value


@pytest.mark.parametrize("text", ["[" * 5_000, '["\\ud800"]', '["\\u0000"]'], ids=["deep", "surrogate", "nul"])
def test_an_array_in_a_string_is_checked_as_any_other(text: str) -> None:
    refused("opportunity_call_summary", {"stage_values": text})


@pytest.mark.parametrize("limit", [10, "10", 10.0, " 10 "])
def test_whole_numbers_are_read_in_every_form_models_use(limit: Any) -> None:
    assert check("search_calls", {"limit": limit}).limit == 10


@pytest.mark.parametrize(
    "limit", [0.5, "12px", "", True, -1, 0, 1e99, "99999999999999999999", 1001, "1e2", float("nan"), [], {}]
)
def test_a_bad_limit_names_the_argument_and_its_range(limit: Any) -> None:
    fault = refused("search_calls", {"limit": limit})
    assert "limit" in fault.message + fault.hint
    assert "1 to 1000" in fault.hint


def test_a_limit_between_ceiling_and_hard_cap_is_served_at_the_ceiling_and_says_so() -> None:
    valid = check("search_calls", {"limit": 500})
    assert (valid.limit, valid.requested) == (100, 500)
    assert check("search_calls", {"limit": 100}).requested is None


def test_an_omitted_limit_takes_the_request_default_unless_the_ceiling_is_lower() -> None:
    assert check("search_calls", {}).limit == 20
    low = Policy(limits=LimitPolicy({Cap.SEARCH_RESULTS: 7}))
    assert check("search_calls", {}, low).limit == 7


@pytest.mark.parametrize(
    ("given", "nearest"),
    [({"from": "2025-01-01"}, "from_date"), ({"limt": 5}, "limit"), ({"crm_type": "x"}, "crm_object_type")],
)
def test_an_unknown_name_is_refused_with_the_nearest_valid_one(given: dict[str, Any], nearest: str) -> None:
    fault = refused("search_calls", given)
    assert next(iter(given)) in fault.message
    assert f"Did you mean {nearest}?" in fault.hint


def test_meta_is_tolerated_and_null_means_omitted() -> None:
    assert check("search_calls", {"_meta": {"progressToken": 1}, "limit": None, "scope": None}).limit == 20
    assert check("search_calls", None).plain == {}


@pytest.mark.parametrize(("given", "expected"), [("external", "External"), (" EXTERNAL ", "External")])
def test_the_case_of_an_enumeration_is_forgiven(given: str, expected: str) -> None:
    assert check("search_calls", {"scope": given}).plain["scope"] == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"scope": "Nowhere"},
        {"from_date": "2026-02-30"},
        {"from_date": "2026-1-1"},
        {"from_date": "20260101"},
        {"from_date": "2026-02-02", "to_date": "2026-02-01"},
        {"include_call_ids": 1},
        {"include_call_ids": "yes"},
        {"system": 5},
        {"system": "a\x00b"},
        {"system": "\ud800"},
        {"system": "x" * 600},
        [],
        "text",
        {"system": ["a"]},
    ],
)
def test_what_is_wrong_is_refused(arguments: Any) -> None:
    refused("search_calls", arguments)


def test_required_text_must_be_there_and_not_blank() -> None:
    assert "query" in refused("search_transcript_segments", {}).message
    assert "query" in refused("search_transcript_segments", {"query": None}).message
    assert "blank" in refused("search_transcript_segments", {"query": "  \t "}).message


def test_booleans_in_words_are_read() -> None:
    assert check("search_calls", {"include_call_ids": "true"}).plain["include_call_ids"] is True
    assert check("search_calls", {"include_call_ids": "False"}).plain["include_call_ids"] is False


def test_an_id_given_as_a_number_is_refused_with_what_to_do() -> None:
    assert "pass ids as strings" in refused("get_call", {"call_id": 12345678901234567890}).hint


def test_the_word_null_stays_a_word() -> None:
    assert check("search_calls", {"system": "null"}).plain["system"] == "null"


def test_errors_never_repeat_a_value() -> None:
    secret = "zanzibar-secret-value"
    for arguments in ({"scope": secret}, {"from_date": secret}, {"include_call_ids": secret}, {"limit": secret}):
        fault = refused("search_calls", arguments)
        assert secret not in fault.message + fault.hint


def test_huge_arguments_are_refused() -> None:
    refused("search_calls", {"system": ["x" * MAX_ARGUMENT_BYTES]})
