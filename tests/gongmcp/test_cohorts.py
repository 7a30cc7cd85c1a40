"""The cohort language: counts equal a plain recount, one name for one cohort, tokens pass the gates of filters."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongmcp.catalog.cohort_filter import CohortFilter, normalised
from gongmcp.catalog.cohort_token import seal
from gongmcp.handler import ToolHandler
from tests.gongmcp.conftest import MakeHandler

BUILD = "build_call_cohort"


def structured(handler: ToolHandler, name: str, **arguments: Any) -> dict[str, Any]:
    answer = handler.call(name, arguments).answer
    assert answer.structured is not None, answer.text
    return answer.structured


def refused(handler: ToolHandler, name: str, code: str, **arguments: Any) -> str:
    error = handler.call(name, arguments).answer.error
    assert error is not None, arguments
    assert error["code"] == code, error
    return f"{error['message']} {error['hint']}"


# --- counts equal a plain recount -------------------------------------------------------------------


def facts(cache: Path) -> list[dict[str, Any]]:
    """Every served call with what it said and whom it was with, read without the program."""
    with closing(sqlite3.connect(cache)) as connection:
        connection.row_factory = sqlite3.Row
        calls = [dict(row) for row in connection.execute("SELECT * FROM call_facts")]
        for call in calls:
            said = connection.execute(
                "SELECT text FROM segments WHERE segment_no >> 19 = ?", (call["call_no"],)
            ).fetchall()
            call["said"] = {word for row in said for word in re.findall(r"[a-z]+", row["text"].lower())}
    return calls


def model_secret(handler: ToolHandler) -> bytes:
    """What the tokens of the handler's cache are sealed with."""
    state = handler.model()
    assert state is not None
    return state.secret


def plain(call: Mapping[str, Any], chosen: Mapping[str, Any]) -> bool:
    """Whether *call* fulfils the filter *chosen*, in plain Python."""
    quarter = f"{call['call_date'][:4]}-Q{(int(call['call_date'][5:7]) + 2) // 3}"
    tests: dict[str, Callable[[Any], bool]] = {
        "from_date": lambda value: call["call_date"] >= value,
        "to_date": lambda value: call["call_date"] <= value,
        "quarter": lambda value: quarter == value,
        "scope": lambda value: call["scope"] == value,
        "system": lambda value: call["system"] == value,
        "industry": lambda value: value in call["account_industry"].lower(),
        "opportunity_stage": lambda value: value in call["opportunity_stage"].lower(),
        "lifecycle_bucket": lambda value: call["lifecycle_bucket"] == value,
        "exclude_lifecycle_buckets": lambda value: call["lifecycle_bucket"] not in value,
        "transcript_status": lambda value: bool(call["transcript_present"]) == (value == "present"),
        "title_query": lambda value: value in str(call["title"]).lower(),
        "query": lambda value: value in call["said"],
        "dimension_filters": lambda value: all(compare(call, item) for item in value),
    }
    return all(bool(tests[name](value)) for name, value in chosen.items())


def compare(call: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    value = call[{"industry": "account_industry"}.get(item["dimension"], item["dimension"])]
    if item["operator"] == "between":
        low, high = sorted(int(text) for text in item["values"])
        return bool(low <= value <= high)
    found = str(value).lower() in {text.lower().replace("<blank>", "") for text in item["values"]}
    return bool(found == (item["operator"] == "in"))


def drawn(draw: random.Random, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """A filter of one to four conditions whose values are those of some calls."""
    call, other = draw.choice(calls), draw.choice(calls)
    days = sorted([call["call_date"], other["call_date"]])
    number = sorted({str(call["duration_seconds"]), str(other["duration_seconds"] + 1)})
    conditions: list[dict[str, Any]] = [
        {"from_date": days[0], "to_date": days[1]},
        {"quarter": f"{call['call_date'][:4]}-Q{(int(call['call_date'][5:7]) + 2) // 3}"},
        {"scope": call["scope"]},
        {"system": call["system"]},
        {"industry": call["account_industry"][1:5].lower() or "tech"},
        {"opportunity_stage": call["opportunity_stage"][:6].lower() or "closed"},
        {"lifecycle_bucket": call["lifecycle_bucket"]},
        {"exclude_lifecycle_buckets": [other["lifecycle_bucket"]]},
        {"transcript_status": draw.choice(["present", "missing"])},
        {"title_query": draw.choice(call["title"].lower().split())},
        {"query": draw.choice(["guidance", "revenue", "inventory", "pandemic"])},
        {
            "dimension_filters": [
                draw.choice(
                    [
                        {"dimension": "duration_seconds", "operator": "between", "values": number},
                        {"dimension": "industry", "operator": "in", "values": [call["account_industry"] or "<blank>"]},
                        {"dimension": "direction", "operator": "not_in", "values": [call["direction"] or "<blank>"]},
                    ]
                )
            ]
        },
    ]
    chosen: dict[str, Any] = {}
    for condition in draw.sample(conditions, draw.randint(1, 4)):
        chosen |= condition
    if chosen.get("lifecycle_bucket") in chosen.get("exclude_lifecycle_buckets", ()):
        del chosen["lifecycle_bucket"]
    return chosen


def test_counts_equal_a_plain_recount_for_random_filters(handler: ToolHandler, sample_cache: Path) -> None:
    calls = facts(sample_cache)
    draw, compared, found = random.Random(10), 0, 0
    while compared < 120:
        chosen = drawn(draw, calls)
        answer = handler.call(
            "list_dimension_counts", {"filter": chosen, "dimension": "scope", "include_call_titles": True}
        ).answer
        if answer.error is not None:
            assert "outside of the dates" in answer.text
            continue
        expected = [call for call in calls if plain(call, chosen)]
        assert answer.structured is not None
        assert answer.structured["matched_call_count"] == len(expected), chosen
        by_scope = {row["value"]: row["call_count"] for row in answer.structured["results"]}
        assert by_scope == {
            scope: sum(call["scope"] == scope for call in expected) for scope in {call["scope"] for call in expected}
        }
        compared += 1
        found += bool(expected)
    assert found > 30


def test_an_overlap_is_counted_once(handler: ToolHandler, sample_cache: Path) -> None:
    calls = facts(sample_cache)
    a, b = {"quarter": "2026-Q1"}, {"industry": "tech"}
    rows = structured(handler, "compare_call_cohorts", filter_a=a, filter_b=b)["results"]
    counts = {row["side"]: row["coverage"]["call_count"] for row in rows}
    in_a, in_b = [[plain(call, of) for call in calls] for of in (a, b)]
    assert counts == {
        "a": sum(in_a),
        "b": sum(in_b),
        "both": sum(x and y for x, y in zip(in_a, in_b, strict=True)),
        "either": sum(x or y for x, y in zip(in_a, in_b, strict=True)),
    }
    assert counts["both"]


# --- one name for one cohort ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({"quarter": "2026-Q1"}, {"from_date": "2026-01-01", "to_date": "2026-03-31"}),
        ({"quarter": "Q1 2026"}, {"quarter": "2026q1", "transcript_status": "any"}),
        (
            {"industry": "TECH", "scope": "external"},
            {"scope": "External", "industry": " tech ", "lifecycle_source": "auto"},
        ),
        (
            {"dimension_filters": [{"dimension": "scope", "values": ["b", "a", "a"]}]},
            {"dimension_filters": [{"dimension": " Scope", "values": ["a", "b"], "operator": "in"}] * 2},
        ),
    ],
)
def test_the_same_calls_have_the_same_name(handler: ToolHandler, one: dict[str, Any], same: dict[str, Any]) -> None:
    a, b = structured(handler, BUILD, filter=one), structured(handler, BUILD, filter=same)
    assert a["cohort_id"] == b["cohort_id"]
    assert a["cohort_token"] == b["cohort_token"]
    assert a["cohort_id"] != structured(handler, BUILD, filter={**one, "system": "Zoom"})["cohort_id"]


def test_a_token_stands_for_its_filter_in_another_process(handler: ToolHandler, make_handler: MakeHandler) -> None:
    chosen = {"quarter": "2026-Q1", "exclude_lifecycle_buckets": ["renewal"], "query": "guidance"}
    token = structured(handler, BUILD, filter=chosen)["cohort_token"]
    by_filter = structured(handler, "search_calls_by_filters", filter=chosen)
    by_token = structured(make_handler(), "search_calls_by_filters", cohort_token=token)
    assert by_token == by_filter
    assert by_token["returned"]
    assert "guidance" not in token


def test_what_was_normalised_stays_as_it_is() -> None:
    import msgspec

    given = msgspec.convert(
        {
            "quarter": "2026-Q3",
            "title_query": "Q3  Call",
            "dimension_filters": [{"dimension": "SCOPE", "values": ["B", "A"]}],
            "exclude_lifecycle_buckets": ["unknown", "partner"],
        },
        CohortFilter,
    )
    once = normalised(given)
    assert normalised(msgspec.convert(once, CohortFilter)) == once


# --- gates ------------------------------------------------------------------------------------------


def test_a_filter_that_chooses_nothing_is_refused_with_what_to_add(handler: ToolHandler) -> None:
    for chosen in ({}, {"scope": "External"}, {"from_date": "2026-01-01"}, {"transcript_status": "present"}):
        assert '"quarter"' in refused(handler, BUILD, "invalid_argument", filter=chosen)
    assert '"filter_b"' in refused(
        handler, "compare_call_cohorts", "invalid_argument", filter_a={"quarter": "2026-Q1"}, filter_b={}
    )


NAMES: list[tuple[dict[str, Any], str]] = [
    ({"account_query": "culp"}, "include_account_names"),
    ({"title_query": "culp"}, "include_call_titles"),
    ({"participant_title_query": "officer"}, "include_person_titles"),
    ({"dimension_filters": [{"dimension": "account_name", "values": ["Culp Inc"]}]}, "include_account_names"),
    (
        {"dimension_filters": [{"dimension": "participant_email", "values": ["IV.Culp@culp-inc.example"]}]},
        "include_participant_emails",
    ),
]


@pytest.mark.parametrize(("chosen", "flag"), NAMES)
def test_to_look_for_a_name_needs_what_to_see_it_needs(
    handler: ToolHandler, make_handler: MakeHandler, chosen: dict[str, Any], flag: str
) -> None:
    token = seal(model_secret(handler), chosen)
    for asked in ({"filter": chosen}, {"cohort_token": token}):
        assert flag in refused(handler, BUILD, "refused_by_policy", **asked)
        assert structured(handler, BUILD, **asked, **{flag: True})["coverage"]["call_count"] > 0
        switches = "hide_account_names,hide_call_titles,hide_contact_names,hide_contact_emails"
        refused(make_handler(policy_switches=switches), BUILD, "refused_by_policy", **asked, **{flag: True})


@pytest.mark.parametrize("dimension", ["persona", "loss_reason"])
def test_a_dimension_is_no_way_around_a_switch(make_handler: MakeHandler, handler: ToolHandler, dimension: str) -> None:
    hidden = make_handler(policy_switches="hide_contact_names,hide_loss_reasons")
    chosen = {"dimension_filters": [{"dimension": dimension, "values": ["<blank>"]}]}
    structured(handler, BUILD, filter=chosen)
    refused(hidden, BUILD, "refused_by_policy", filter=chosen)
    refused(hidden, "list_dimension_counts", "invalid_argument", dimension=dimension)
    assert structured(handler, "list_dimension_counts", dimension=dimension)["returned"]


@pytest.mark.parametrize("token", ["x", "AAAA", "é", "a" * 8000])
def test_a_token_that_was_made_by_hand_is_refused(handler: ToolHandler, token: str) -> None:
    refused(handler, BUILD, "invalid_argument", cohort_token=token)


def test_a_changed_token_and_one_beside_a_filter_are_refused(handler: ToolHandler) -> None:
    token = structured(handler, BUILD, filter={"quarter": "2026-Q1"})["cohort_token"]
    changed = token[:-2] + ("B" if token[-2] == "A" else "A") + token[-1]
    refused(handler, BUILD, "invalid_argument", cohort_token=changed)
    refused(handler, BUILD, "invalid_argument", cohort_token=token, filter={"quarter": "2026-Q1"})
    refused(handler, BUILD, "invalid_argument", cohort_token=seal(b"another cache's secret", {"quarter": "2026-Q1"}))


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ({"quater": "2026-Q1"}, "filter.quarter"),
        ({"quarter": "2026-Q5"}, "filter.quarter"),
        ({"dimension_filters": [{"dimension": "nothing", "values": ["x"]}]}, "industry"),
        ({"dimension_filters": [{"dimension": "industry", "value": "x"}]}, "dimension_filters item.values"),
        ({"dimension_filters": [{"dimension": "industry", "values": ["x"], "operator": "gte"}]}, "industry"),
        ({"dimension_filters": [{"dimension": "duration_seconds", "values": ["long"]}]}, "values"),
        ({"dimension_filters": [{"dimension": "call_date", "values": ["1", "1"], "operator": "between"}]}, "between"),
        ({"lifecycle_bucket": "renewal", "exclude_lifecycle_buckets": ["renewal"]}, "excludes"),
        ({"from_date": "2026-02-01", "to_date": "2026-01-01"}, "filter.from_date"),
    ],
)
def test_a_wrong_condition_is_named_with_its_path(handler: ToolHandler, chosen: dict[str, Any], named: str) -> None:
    assert named in refused(handler, BUILD, "invalid_argument", filter=chosen)


# --- explained --------------------------------------------------------------------------------------


def test_an_empty_cohort_says_which_condition_emptied_it(handler: ToolHandler) -> None:
    answer = structured(handler, BUILD, filter={"quarter": "2026-Q1", "scope": "External", "query": "zebrafish"})
    assert answer["coverage"]["call_count"] == 0
    last = answer["results"][-1]
    assert answer["emptied_by"] == last["argument"] == "query"
    assert [row["left_count"] for row in answer["results"]] == [9, 4, 3, 0]
    assert any(line.startswith("empty_cohort") for line in answer["limitations"])


def test_small_cells_hold_for_cohorts(make_handler: MakeHandler) -> None:
    coarse = make_handler(min_cell="3")
    answer = structured(coarse, BUILD, filter={"quarter": "2026-Q1"})
    assert answer["coverage"]["call_count"] == 3
    assert "first_day" not in answer["coverage"]
    for row in structured(coarse, "list_dimension_counts", dimension="industry")["results"]:
        assert row["call_count"] % 3 == 0
    score = structured(
        coarse, "score_cohort_evidence_quality", filter={"account_query": "culp"}, include_account_names=True
    )
    assert score["quality_score"] == 0


# --- under a lock -----------------------------------------------------------------------------------


def test_a_crm_name_that_was_not_approved_is_refused_inside_a_filter_too() -> None:
    from gongmcp.approval.gate import Gate
    from gongmcp.approval.shape import Shape
    from gongmcp.catalog.registry import catalog
    from gongmcp.errors import ToolFault

    gate = Gate(Shape())
    for name, of in ((BUILD, "filter"), ("compare_call_cohorts", "filter_b")):
        gate.refuse_arguments(catalog()[name], {of: {"quarter": "2026-Q1"}})
        with pytest.raises(ToolFault) as caught:
            gate.refuse_arguments(catalog()[name], {of: {"crm_object_type": "Secret__c"}})
        assert caught.value.code == "refused_by_policy"
        assert "Secret__c" not in caught.value.message
