"""The evidence budget: snippets do not add up to a transcript, and nothing else gets shorter by it."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gongmcp.exposure.cursor import MAX_CURSOR
from gongmcp.exposure.evidence import AnswerBudget, Evidence, EvidenceSession
from gongmcp.exposure.policy import EvidenceLimits
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.long_calls import COMMON, LENGTHS, own_word, write_files
from tests.gongmcp.stdio_process import Server

SEGMENTS, FACTS = "search_transcript_segments", "search_transcripts_by_call_facts"
QUOTES, CONTEXT = "search_transcript_quotes_with_attribution", "search_transcripts_by_crm_context"
EVIDENCE_TOOLS: dict[str, dict[str, Any]] = {SEGMENTS: {}, FACTS: {}, QUOTES: {}, CONTEXT: {"object_type": "Account"}}
UNLIMITED = {"evidence_per_answer": "100000", "evidence_segments": "100000", "evidence_percent": "100"}
LONG, MIDDLE, SHORT = LENGTHS.values()
SHARE = {0: LONG // 10, 1: 20, 2: SHORT}
"""Segments of each call that one session may see: max(20, 10 %), or all that there are."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    return build_cache(folder / "long.db", write_files(folder))


def in_session(cache: Path, **flags: str) -> ToolHandler:
    """Return a handler of one client session that tells calls apart."""
    settings = ServerSettings.resolve({"provenance": "alias", **flags}, {})
    return build_handler(settings, cache, session=EvidenceSession())


def pages(handler: ToolHandler, tool: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Yield the answers of a search to its end, or to the error that ends it."""
    cursor: dict[str, str] = {}
    for _ in range(200):
        answer = handler.call(tool, {"query": COMMON, **EVIDENCE_TOOLS[tool], **arguments, **cursor}).answer
        yield answer.structured or {"results": [], "error": answer.error}
        if answer.structured is None or "next_cursor" not in answer.structured:
            return
        cursor = {"cursor": answer.structured["next_cursor"]}
    pytest.fail("the cursor has no end")


WORDS = {own_word(call, at): (call, at) for call, length in enumerate(LENGTHS.values()) for at in range(length)}


def shown(row: dict[str, Any]) -> set[tuple[int, int]]:
    """Return (call, segment) of every segment of which *row* shows words: each holds one of its own."""
    return {WORDS[word] for word in re.findall(r"z\w{9}", json.dumps(row)) if word in WORDS}


@pytest.mark.parametrize("tool", EVIDENCE_TOOLS)
def test_one_answer_holds_few_segments_of_one_call(cache: Path, tool: str) -> None:
    first = next(pages(in_session(cache), tool, limit=50))
    seen = set().union(*(shown(row) for row in first["results"]))
    assert 0 < max(Counter(call for call, _ in seen).values()) <= 12
    assert first["cut_by"] == "evidence"
    held = first["evidence_held_back"]
    assert held[0]["more_in_call"] > 0
    assert "next_cursor" in first


def test_a_call_that_has_its_share_leaves_the_page_to_others_and_comes_back(cache: Path) -> None:
    first, second = list(pages(in_session(cache, **UNLIMITED | {"evidence_per_answer": "12"}), SEGMENTS, limit=30))[:2]
    lengths = sorted(LENGTHS.values())
    assert sorted(Counter(row["call_group"] for row in first["results"]).values()) == [lengths[0], 12, 12]
    assert {item["more_in_call"] > 0 for item in first["evidence_held_back"]} == {True}
    assert sorted(Counter(row["call_group"] for row in second["results"]).values()) == [12, 12]
    assert not {json.dumps(row) for row in first["results"]} & {json.dumps(row) for row in second["results"]}
    assert len(first["next_cursor"]) <= MAX_CURSOR


def test_small_cells_coarsen_what_is_held_back(cache: Path) -> None:
    first = next(pages(in_session(cache, min_cell="7"), SEGMENTS, limit=50))
    assert all(item["more_in_call"] % 7 == 0 for item in first["evidence_held_back"])


@pytest.mark.parametrize("tool", EVIDENCE_TOOLS)
def test_one_session_sees_a_share_of_each_call_whatever_it_asks(cache: Path, tool: str) -> None:
    handler = in_session(cache)
    seen: set[tuple[int, int]] = set()
    asked = [
        COMMON,
        *(own_word(call, at) for call, length in enumerate(LENGTHS.values()) for at in range(0, length, 7)),
    ]
    for word in asked:
        for page in pages(handler, tool, query=word, limit=7):
            for row in page["results"]:
                seen |= shown(row)
    assert Counter(call for call, _ in seen) == SHARE


@pytest.mark.parametrize("limit", [1, 5, 12, 50])
@pytest.mark.parametrize("tool", EVIDENCE_TOOLS)
def test_a_cursor_yields_each_row_once_and_names_what_it_held_back(cache: Path, tool: str, limit: int) -> None:
    found = list(pages(in_session(cache), tool, limit=limit))
    rows = [(row["call_ref"], row["segment_index"]) for page in found for row in page["results"]]
    assert len(rows) == len(set(rows))
    assert len({call for call, _ in rows}) == len(LENGTHS), "a call that is used up does not hide the others"
    held = [item for page in found for item in page.get("evidence_held_back", ()) if "status" in item]
    assert {item["status"] for item in held} == {"evidence_budget_exhausted"}
    assert all(item["more_in_call"] > 0 for item in held)
    assert len(rows) + sum(item["more_in_call"] for item in held) >= LONG


def test_a_search_of_a_used_up_call_alone_is_refused_and_another_call_still_answers(cache: Path) -> None:
    handler = in_session(cache)
    list(pages(handler, SEGMENTS, limit=50))
    unseen = handler.call(SEGMENTS, {"query": own_word(0, 3)}).answer
    assert unseen.error is not None
    assert unseen.error["code"] == "evidence_budget_exhausted"
    assert "1 more matching" in unseen.error["message"]
    assert handler.call(SEGMENTS, {"query": own_word(2, 3)}).answer.structured is not None


def test_the_refusal_of_used_up_calls_counts_them_as_small_cells_do(cache: Path) -> None:
    def message(least: int) -> str:
        handler = in_session(cache, min_cell=str(least))
        list(pages(handler, SEGMENTS, limit=50))
        error = handler.call(SEGMENTS, {"query": own_word(0, 3)}).answer.error
        assert error is not None
        return str(error["message"])

    assert message(1).startswith("As much of one call was shown as one client may see; 1 more")
    assert message(7).startswith("As much of the calls was shown as one client may see; 0 more")


def test_what_was_seen_costs_nothing_again(cache: Path) -> None:
    handler = in_session(cache)
    list(pages(handler, SEGMENTS, limit=50))
    word = own_word(0, LONG - 1)
    for _ in range(3):
        answer = handler.call(SEGMENTS, {"query": word}).answer.structured
        assert answer is not None
        assert answer["returned"] == 1


def test_neighbours_in_an_excerpt_count(cache: Path) -> None:
    handler = in_session(cache)
    rows = [row for page in pages(handler, FACTS, limit=50) for row in page["results"]]
    longest = max(Counter(row["call_ref"] for row in rows).values())
    assert longest < SHARE[0], "each row of this tool shows up to three segments"


def test_a_full_call_leaves_no_page_short_while_others_have_rows(cache: Path) -> None:
    handler = in_session(cache)
    for at in range(LONG - SHARE[0], LONG):
        handler.call(SEGMENTS, {"query": own_word(0, at)})
    first = next(pages(handler, SEGMENTS, query=f"{COMMON} -{own_word(0, LONG - 1)}", limit=10))
    assert first["returned"] == 10


def test_a_second_session_is_fresh(cache: Path) -> None:
    first, second = in_session(cache), in_session(cache)
    before = [page["results"] for page in pages(first, SEGMENTS, limit=10)]
    assert [page["results"] for page in pages(second, SEGMENTS, limit=10)] == before


def test_the_settings_raise_it_knowingly(cache: Path) -> None:
    rows = [row for page in pages(in_session(cache, **UNLIMITED), SEGMENTS, limit=50) for row in page["results"]]
    assert len(rows) == sum(LENGTHS.values())
    more = [
        row for page in pages(in_session(cache, evidence_percent="50"), SEGMENTS, limit=50) for row in page["results"]
    ]
    assert Counter(row["call_ref"] for row in more).most_common(1)[0][1] == LONG // 2


def test_a_preview_is_a_fresh_session_with_the_bytes_of_one(cache: Path, make_handler: MakeHandler) -> None:
    preview = make_handler(cache)
    arguments: dict[str, Any] = {"query": COMMON, "limit": 12}
    for _ in range(10):
        preview.call(SEGMENTS, arguments)
    expected = json.loads(result_bytes(preview.call(SEGMENTS, arguments).answer))
    with Server("--db", str(cache), command=[sys.executable, "-m", "gongmcp"]) as server:
        server.send(server.call(1, SEGMENTS, **arguments))
        sent = server.answer(1)["result"]
        assert {name: sent[name] for name in expected} == expected
        for number in range(2, 6):  # the same process goes on, and uses up what a preview has always before it
            cursor = sent["structuredContent"]["next_cursor"]
            server.send(server.call(number, SEGMENTS, **arguments, cursor=cursor))
            sent = server.answer(number)["result"]
        server.send(server.call(9, SEGMENTS, query=own_word(0, 3)))
        assert server.answer(9)["result"]["isError"]
    assert preview.call(SEGMENTS, {"query": own_word(0, 3)}).answer.structured is not None


@pytest.mark.parametrize(("length", "budget"), [(0, 20), (19, 20), (200, 20), (201, 20), (400, 40), (5000, 500)])
def test_the_share_of_a_call(length: int, budget: int) -> None:
    assert EvidenceLimits().budget(length, length * 80) == (budget, budget * 80 if length else 0)


def test_the_longest_segments_are_no_way_around_the_share() -> None:
    budget = AnswerBudget(EvidenceLimits(per_answer=1000), EvidenceSession())
    long = [Evidence("call_x", {index: 400}, 400, 16_000) for index in range(40)]  # the mean is 40 characters
    shown = 0
    for item in long:
        if budget.fits(item):
            budget.take(item)
            shown += 1
    assert shown == 4  # 40 segments of mean length, 1,600 characters
    assert budget.more == {"call_x": 36}
    assert budget.fits(Evidence("call_y", {0: 90_000}, 30, 100_000)), "a first segment is shown however long it is"


def test_control_without_a_session_the_same_questions_give_everything(cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(cache, provenance="alias")
    seen = {
        cell
        for at in range(LONG)
        for row in (handler.call(SEGMENTS, {"query": own_word(0, at)}).answer.structured or {})["results"]
        for cell in shown(row)
    }
    assert len(seen) == LONG


def test_an_excerpt_that_alone_is_larger_than_the_answers_share_is_still_one_row() -> None:
    budget = AnswerBudget(EvidenceLimits(per_answer=2), EvidenceSession())
    item = Evidence("call_x", {1: 10, 2: 10, 3: 10}, 100, 1000)
    assert budget.has_room(item), "else it could never be sent"
    budget.take(item)
    assert not budget.has_room(Evidence("call_x", {9: 10}, 100, 1000))
