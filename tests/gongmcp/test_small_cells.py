"""Small cells: under ``--min-cell`` no answer tells fewer than N calls apart; without it the same answers do."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.catalog.declaration import Level
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import Field
from gongmcp.exposure.ledger import Ledger
from gongmcp.exposure.rows import Row, hints, strip
from gongmcp.exposure.small_cells import OTHER, SmallCells
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.profile_cache import CLOCK, PROFILE, Made, build, make_calls
from tests.gongmcp.examples import EXAMPLES

N = 5
RARE = ("RareStage", "RareIndustry", "RareTier", "RareField__c", "RareType")
"""Values on one or two calls each."""

ASKED: dict[str, list[dict[str, Any]]] = {
    "get_sync_status": [{}],
    "summarize_calls_by_lifecycle": [{}, {"lifecycle_source": "builtin"}, {"bucket": "closed_lost"}],
    "summarize_call_facts": [
        *(
            {"group_by": name}
            for name in ("lifecycle", "industry", "stage", "month", "scope", "direction", "deal_type")
        ),
        {"group_by": "industry", "lifecycle_source": "builtin"},
        {"group_by": "profile_concept", "concept": "account_tier"},
        {"group_by": "transcript_status", "scope": "Internal"},
    ],
    "list_crm_object_types": [{}],
    "list_crm_fields": [{"object_type": name} for name in ("Opportunity", "Account", "Deal", "RareType")],
    "list_unmapped_crm_fields": [{"include_field_names": True}],
    "crm_field_population_matrix": [{"object_type": name} for name in ("Opportunity", "Account", "Deal")],
    "analyze_late_stage_crm_signals": [{}, {"late_stage_values": ["RareStage", "Closed Won"]}],
    "compare_lifecycle_crm_fields": [
        {"bucket_a": "open", "bucket_b": "closed_won", "object_type": "Opportunity"},
        {"bucket_a": "unknown", "bucket_b": "closed_lost", "object_type": "Account"},
    ],
    "opportunity_call_summary": [{}, {"limit": 2}],
    "opportunities_missing_transcripts": [{}],
    "summarize_scorecard_activity": [{}],
}
ASKED |= {
    name: [dict(example) for example in tool.examples]
    for name, tool in catalog().items()
    if tool.examples and tool.level is Level.AGGREGATE and name not in ASKED
}
"""Arguments that make each aggregate answer from the made calls."""


def leaves(model: type[Row]) -> Iterator[tuple[str, Any, Any]]:
    """Yield (name, bare type, exposure) of every column of *model*, nested ones too."""
    for name, expose, nested in columns(model):
        hint, _ = strip(hints(model)[name])
        if nested:
            yield from leaves(strip(hint.__args__[0])[0] if hasattr(hint, "__args__") else hint)
        else:
            yield name, hint, expose


def models() -> Iterator[tuple[str, type[Row]]]:
    for tool in catalog().values():
        yield from ((tool.name, model) for model in (tool.row, tool.notes) if model is not None)


ABOUT_ONE_ROW = frozenset(
    {
        *("parties_count", "segment_count", "field_count", "populated_field_count", "question_count"),
        *("matching_object_count", "opportunity_count", "account_count", "external_parties"),
    }
)
"""Names of numbers about one call, object, scorecard or schema object that a row stands for itself."""


def test_every_column_that_counts_is_declared_a_count() -> None:
    counts = 0
    for tool, model in models():
        for name, hint, expose in leaves(model):
            counted = name.endswith(("_count", "_calls", "_populated")) or name.startswith(("total_", "distinct_"))
            if hint is not int or not (counted or name in ("count", "missing_transcripts", "ranked_over")):
                continue
            if expose.exact and name == "total_duration_seconds":
                continue
            wanted = Field.COUNT
            if name in ABOUT_ONE_ROW and catalog()[tool].level is not Level.AGGREGATE:
                wanted = Field.MEASURE
            assert expose.field is wanted, (tool, model.__name__, name)
            counts += expose.field is Field.COUNT
    assert counts > 80


def test_an_aggregate_declares_no_other_number_that_could_be_a_count() -> None:
    """Whole numbers of aggregates are counts or exact; a forgotten one is found by its type, whatever its name."""
    for tool, model in models():
        if catalog()[tool].level is Level.AGGREGATE:
            for name, hint, expose in leaves(model):
                ours = expose.field is Field.COUNT or expose.exact
                assert hint is not int or ours or name == "version", (tool, model.__name__, name)


# --- merging, by itself ------------------------------------------------------------------------------

GROUPS = st.lists(st.integers(1, 40), max_size=12)


@given(sizes=GROUPS, least=st.integers(2, 12))
@settings(max_examples=300)
def test_groups_are_merged_never_alone_and_nothing_is_invented(sizes: list[int], least: int) -> None:
    cells = SmallCells(least)
    rows = [{"value": f"v{n}", "calls": size, "half": size // 2, "last": "today"} for n, size in enumerate(sizes)]
    shown = cells.groups(rows, "value", ("calls",), add=("half",))
    by_name = {row["value"]: row for row in rows}
    named = [row for row in shown if row["value"] != OTHER]
    assert all(by_name[row["value"]]["calls"] >= least for row in named)
    assert all(row["calls"] % least == 0 and row["half"] % least == 0 for row in shown)
    assert all(row["half"] <= row["calls"] for row in shown)
    gone = [row for row in rows if row["value"] not in {row["value"] for row in named}]
    others = [row for row in shown if row["value"] == OTHER]
    assert len(others) <= 1
    if others:
        assert others == shown[-1:]
        assert len(gone) >= 2
        assert 0 <= sum(row["calls"] for row in gone) - others[0]["calls"] < least
        assert others[0]["last"] is None
        assert cells.merged == len(gone)
    else:
        assert cells.left_out == len(gone)
        assert not gone or not named, "what is left out had nothing to join"
    assert sum(row["calls"] for row in shown) <= sum(sizes)


@given(sizes=GROUPS)
def test_control_without_a_threshold_groups_come_back_as_they_are(sizes: list[int]) -> None:
    rows = [{"value": f"v{n}", "calls": size} for n, size in enumerate(sizes)]
    cells = SmallCells()
    assert cells.groups(rows, "value", ("calls",)) == rows
    assert (cells.rounded, cells.merged, cells.left_out) == (0, 0, 0)


def test_the_next_smallest_joins_a_single_one() -> None:
    rows = [{"value": name, "calls": calls} for name, calls in (("big", 50), ("mid", 12), ("rare", 1))]
    assert SmallCells(5).groups(rows, "value", ("calls",)) == [
        {"value": "big", "calls": 50},
        {"value": OTHER, "calls": 10},
    ]
    assert SmallCells(5).groups(rows[2:], "value", ("calls",)) == [], "nothing can join it"


def test_a_group_that_is_called_other_is_never_beside_the_merged_one() -> None:
    rows = [{"value": name, "calls": calls} for name, calls in ((OTHER, 50), ("a", 3), ("b", 3), ("c", 9))]
    assert [row["value"] for row in SmallCells(5).groups(rows, "value", ("calls",))] == ["c", OTHER]


def test_a_group_is_small_by_any_of_its_sizes() -> None:
    rows = [
        {"value": "wide", "objects": 40, "calls": 2},
        {"value": "rare", "objects": 1, "calls": 1},
        {"value": "usual", "objects": 20, "calls": 18},
    ]
    assert SmallCells(5).groups(rows, "value", ("objects", "calls")) == [
        {"value": "usual", "objects": 20, "calls": 15},
        {"value": OTHER, "objects": 40, "calls": None},
    ]


def test_the_ledger_says_it() -> None:
    cells, ledger = SmallCells(5), Ledger()
    cells.groups([{"value": name, "calls": 3} for name in "abc"], "value", ("calls",))
    cells.tell(ledger)
    assert {(entry.action, entry.rule, entry.count) for entry in ledger.entries} == {
        ("merged", "min_cell", 3),
        ("rounded", "min_cell", 1),
    }
    assert ledger.summary()[0]["reason"]


# --- whole answers -----------------------------------------------------------------------------------


def rare_calls(start: int) -> list[Made]:
    """Calls with values that only one or two of them have."""
    account = {"Industry": "RareIndustry", "Tier__c": "RareTier", "Name": "Example Rare Inc", "RareField__c": "x"}
    return [
        Made(
            str(start + n),
            (
                ("Account", f"r{n}", account),
                ("Opportunity", f"q{n}", {"StageName": "RareStage", "Type": "RareKind", "RareField__c": "x"}),
                *((("RareType", "t", {"Note": "x"}),) if n == 0 else ()),
            ),
            "Conference",
            "External",
            ("the price",),
        )
        for n in range(2)
    ]


@pytest.fixture(scope="module", autouse=True)
def fixed_clock() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", CLOCK)
        yield


@pytest.fixture(scope="module", params=[3, 11])
def cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, fixed_clock: None) -> Path:
    calls = make_calls(90, seed=request.param)
    return build(tmp_path_factory.mktemp("cells") / "cache.db", [*calls, *rare_calls(500)], PROFILE)


def handler_over(db: Path, min_cell: int, **flags: str) -> ToolHandler:
    return build_handler(ServerSettings.resolve({"min_cell": str(min_cell), **flags}, {}), db)


def ask(handler: ToolHandler, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = handler.call(name, dict(arguments)).answer
    assert answer.structured is not None, (name, arguments, answer.text)
    return dict(answer.structured)


def counts_in(model: type[Row], value: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield every declared count of a disclosed row."""
    for name, expose, nested in columns(model):
        if name not in value:
            continue
        if nested:
            hint, _ = strip(hints(model)[name])
            inner = strip(hint.__args__[0])[0] if hasattr(hint, "__args__") else hint
            for item in value[name] if isinstance(value[name], list) else [value[name]]:
                yield from counts_in(inner, item)
        elif expose is not None and expose.field is Field.COUNT:
            yield name, value[name]


def counts_of(name: str, structured: dict[str, Any]) -> list[tuple[str, int]]:
    tool = catalog()[name]
    if tool.facade:
        return counts_of(structured["routed_tool"], structured["result"])
    found = list(counts_in(tool.notes, structured)) if tool.notes is not None else []
    rows = structured["results"] if tool.many else [structured]
    for row in rows:
        found += counts_in(tool.row, row)
    if "calls_in_range" in structured.get("searched", {}):
        found.append(("calls_in_range", structured["searched"]["calls_in_range"]))
    return found


def test_every_tool_that_counts_is_asked() -> None:
    counting = {tool for tool, model in models() if any(e.field is Field.COUNT for _, _, e in leaves(model))}
    about_segments = {name for name in counting if catalog()[name].level in (Level.SNIPPET, Level.IDENTIFIED)}
    assert counting - about_segments == {name for name in ASKED if not catalog()[name].facade}


@pytest.mark.parametrize("name", list(ASKED))
def test_every_count_is_a_multiple_and_no_small_group_is_named(name: str, cache: Path) -> None:
    handler, exactly = handler_over(cache, N), handler_over(cache, 1)
    values, texts, raw, raw_texts = [], "", [], ""
    for arguments in ASKED[name]:
        values += counts_of(name, ask(handler, name, arguments))
        texts += text_of(handler, name, arguments)
        raw += counts_of(name, ask(exactly, name, arguments))
        raw_texts += text_of(exactly, name, arguments)
    assert [item for item in values if item[1] % N] == []
    assert [rare for rare in RARE if rare in texts] == []
    # Control: the same questions without a threshold tell what is rare.
    if name != "summarize_scorecard_activity":  # the made calls have none; the sample's are asked below
        assert any(value % N for _, value in raw)
    if name in ("list_crm_object_types", "list_crm_fields", "crm_field_population_matrix"):
        assert any(rare in raw_texts for rare in RARE)


def text_of(handler: ToolHandler, name: str, arguments: dict[str, Any]) -> str:
    """What an answer tells, without the caller's own arguments that an empty one repeats."""
    return json.dumps({key: value for key, value in ask(handler, name, arguments).items() if key != "searched"})


def test_control_every_rare_value_is_told_without_a_threshold(cache: Path) -> None:
    handler = handler_over(cache, 1)
    texts = "".join(text_of(handler, name, arguments) for name, asked in ASKED.items() for arguments in asked)
    assert [rare for rare in RARE if rare not in texts] == []


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name in ASKED])
def test_the_bundled_sample_too(name: str, make_handler: Any) -> None:
    handler = make_handler(min_cell=str(N))
    for arguments in EXAMPLES[name]:
        structured = handler.call(name, dict(arguments)).answer.structured
        if structured is not None:
            assert [item for item in counts_of(name, structured) if item[1] % N] == []


def test_what_tells_single_calls_is_withheld_and_named(cache: Path) -> None:
    handler = handler_over(cache, N)
    structured = ask(handler, "summarize_call_facts", {"group_by": "industry"})
    columns_gone = {"total_duration_seconds", "avg_duration_seconds", "latest_call_at"}
    assert columns_gone <= set(structured["withheld_fields"])
    assert columns_gone.isdisjoint(structured["results"][0])
    assert columns_gone.isdisjoint(handler.tool("summarize_call_facts").output_schema["properties"]["results"]["items"])
    plain = ask(handler_over(cache, 1), "summarize_call_facts", {"group_by": "industry"})
    assert columns_gone <= set(plain["results"][0])


def test_what_is_made_of_counts_is_made_of_the_shown_ones(cache: Path) -> None:
    handler = handler_over(cache, N)
    for arguments in ASKED["summarize_call_facts"]:
        for row in ask(handler, "summarize_call_facts", arguments)["results"]:
            assert row["missing_transcript_count"] == row["call_count"] - row["transcript_count"]
            assert row["transcript_coverage_rate"] == round(row["transcript_count"] / row["call_count"], 4)
            scopes = row["external_call_count"] + row["internal_call_count"] + row["unknown_scope_call_count"]
            assert scopes == row["call_count"]
    status = ask(handler, "get_sync_status", {})
    assert status["missing_transcripts"] == status["total_calls"] - status["total_transcripts"]
    signals = ask(handler, "analyze_late_stage_crm_signals", {})
    assert signals["total_calls"] == sum(item["count"] for item in signals["stage_counts"])
    for row in signals["results"]:
        assert 0 <= row["late_rate"] <= 1
        assert row["late_rate"] == round(row["late_populated_calls"] / signals["late_calls"], 4)
    for row in ask(handler, "crm_field_population_matrix", {"object_type": "Opportunity"})["results"]:
        assert row["population_rate"] == round(row["populated_count"] / row["object_count"], 4) <= 1


def test_totals_of_scorecards_are_the_sum_of_what_is_shown(make_handler: Any) -> None:
    shown = ask(make_handler(min_cell="3"), "summarize_scorecard_activity", {})
    groups = shown["by_transcript_status"]
    assert groups
    assert shown["total_answered_scorecards"] == sum(group["answered_scorecard_count"] for group in groups)
    assert shown["missing_transcript_count"] == shown["total_answered_scorecards"] - shown["transcript_count"]
    assert shown["distinct_calls"] <= shown["total_answered_scorecards"]
    assert "average_overall_score" in shown["withheld_fields"]


FILTERS: list[dict[str, Any]] = [
    *({"scope": value} for value in ("External", "Internal", "Unknown")),
    *({"direction": value} for value in ("Outbound", "Conference", "Nowhere")),
    *({"transcript_status": value} for value in ("present", "missing")),
    *({"lifecycle_bucket": value} for value in ("closed_won", "closed_lost", "open", "unknown", "renewal_desk")),
    {"system": "Zoom"},
]


def total_calls(handler: ToolHandler, arguments: dict[str, Any]) -> int:
    return sum(row["call_count"] for row in ask(handler, "summarize_call_facts", arguments)["results"])


def test_with_and_without_one_filter_nothing_small_is_isolated(cache: Path) -> None:
    handler, exactly = handler_over(cache, N), handler_over(cache, 1)
    told = 0
    for group_by in ("industry", "stage", "month", "scope", "direction", "lifecycle"):
        everything = total_calls(handler, {"group_by": group_by})
        exact = total_calls(exactly, {"group_by": group_by})
        for only in FILTERS:
            shown = total_calls(handler, {"group_by": group_by, **only})
            assert not 0 < abs(everything - shown) < N
            assert not 0 < shown < N
            left = total_calls(exactly, {"group_by": group_by, **only})
            told += 0 < left < N or 0 < exact - left < N
    groups = ask(exactly, "summarize_call_facts", {"group_by": "stage"})["results"]
    assert told or any(row["call_count"] < N for row in groups), "control: without a threshold something small is told"


def test_pages_and_order_follow_what_is_shown(cache: Path) -> None:
    handler = handler_over(cache, N)
    whole = ask(handler, "opportunity_call_summary", {})["results"]
    pages, cursor = [], {}
    while True:
        page = ask(handler, "opportunity_call_summary", {"limit": 2, **cursor})
        pages += page["results"]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert pages == whole
    assert whole[-1]["stage"] == OTHER
    sizes = [row["call_count"] for row in whole[:-1]]
    assert sizes == sorted(sizes, reverse=True)


def test_lists_of_calls_stay_and_what_they_count_over_is_coarsened(make_handler: Any) -> None:
    handler, exactly = make_handler(min_cell="5"), make_handler()
    assert (
        ask(handler, "search_calls", {"limit": 3})["results"] == ask(exactly, "search_calls", {"limit": 3})["results"]
    )
    query = {"query": '"free cash flow"', "limit": 3}
    assert ask(handler, "search_transcript_segments", query)["ranked_over"] % 5 == 0
    nothing = {"query": "zebrafish"}
    # by sliding dates its differences would tell single days apart
    assert "calls_in_range" not in ask(handler, "search_transcript_segments", nothing)["searched"]
    exact = ask(exactly, "search_transcript_segments", nothing)["searched"]["calls_in_range"]
    shown = exact - exact % 5
    assert shown != exact
    assert f" {exact} calls" in exactly.instructions()
    assert f" {shown} calls" in handler.instructions()


def test_completions_offer_no_value_of_a_small_group(cache: Path) -> None:
    def offered(handler: ToolHandler) -> str:
        return json.dumps(
            [
                handler.complete("search_transcript_quotes_with_attribution", "opportunity_stage"),
                handler.complete("search_transcript_quotes_with_attribution", "industry"),
                handler.complete("list_crm_fields", "object_type"),
                handler.complete("search_crm_field_values", "field_name"),
            ]
        )

    assert [rare for rare in RARE if rare in offered(handler_over(cache, N))] == []
    assert {"RareStage", "RareIndustry", "RareField__c", "RareType"} <= {
        rare for rare in RARE if rare in offered(handler_over(cache, 1))
    }


def test_the_answer_of_a_call_is_the_same_twice(cache: Path) -> None:
    random.seed(7)
    names = random.sample(list(ASKED), 4)
    for name in names:
        first, second = (handler_over(cache, N).call(name, dict(ASKED[name][0])) for _ in range(2))
        assert first.answer == second.answer
        assert first.ledger.entries == second.ledger.entries
        rules = {entry.rule for entry in first.ledger.entries}
        assert "min_cell" in rules
