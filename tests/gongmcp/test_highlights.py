"""What Gong's AI wrote: stored masked with the call, labelled, gone with the call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.highlights import MAX_ITEMS, highlights_of
from gongctl.cache.upsert import import_records
from gongctl.cache.verify import recount
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.exposure.masking import mask
from gongmcp.handler import ToolHandler
from tests.gongmcp.conftest import MakeHandler, build_cache

CONTENT = {
    "brief": "The buyer asked for a discount. Reach Ann at ann@example.com.",
    "keyPoints": [{"text": "Budget is tight."}, {"text": "  "}, "Rollout in May.", {"other": 1}, 7, None],
    "outline": [
        {"section": "Pricing", "startTime": 3, "items": [{"text": "List price", "startTime": 4}, {"text": "Terms"}]}
    ],
    "highlights": [{"title": "Next steps", "items": [{"text": "Send the contract."}]}],
    "callOutcome": {"id": "1", "name": "Follow-up"},
    "trackers": [{"name": "Guidance", "count": 2}],
}
KINDS = ["brief", "key_point", "key_point", "outline", "outline", "highlight", "outcome"]


def call(number: int, content: Any) -> dict[str, Any]:
    meta = {
        "id": f"77{number:03d}",
        "title": f"Call {number}",
        "started": f"2026-0{number}-01T10:00:00Z",
        "duration": 60,
    }
    return {"metaData": meta, "parties": [], "content": content}


def imported(folder: Path, calls: list[dict[str, Any]]) -> Path:
    (folder / "calls.json").write_text(json.dumps({"calls": calls}), "utf-8")
    return folder / "calls.json"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return build_cache(tmp_path / "cache.db", [imported(tmp_path, [call(1, CONTENT), call(2, {})])])


def refs(handler: ToolHandler) -> list[str]:
    answer = handler.call("search_calls", {}).answer.structured
    assert answer is not None
    return [row["call_ref"] for row in answer["results"]]


def test_every_text_is_kept_in_order_and_nothing_else() -> None:
    rows = highlights_of({"content": CONTENT}, mask)
    assert [row.kind for row in rows] == KINDS
    assert [row.position for row in rows] == list(range(len(KINDS)))
    assert rows[3].heading == "Pricing"
    assert (rows[5].heading, rows[5].text) == ("Next steps", "Send the contract.")
    assert rows[6].text == "Follow-up"


@pytest.mark.parametrize(
    "content", [None, [], "text", {"brief": 1, "outline": {"items": 3}, "keyPoints": [[[[]]]]}, {}]
)
def test_other_shapes_have_no_text(content: Any) -> None:
    assert highlights_of({"content": content}, mask) == ()


def test_a_call_has_so_many_texts_at_most() -> None:
    assert len(highlights_of({"content": {"keyPoints": ["x"] * 2000}}, mask)) == MAX_ITEMS


def test_texts_are_masked_labelled_and_paged(cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(cache)
    newest, oldest = refs(handler)
    asked = {"call_refs": [oldest, newest, "call_0000000000000000"], "limit": 3}
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = handler.call("list_call_highlights", asked | cursor).answer.structured
        assert answer is not None
        found += answer["results"]
        assert answer["call_refs_not_found"] == ["call_0000000000000000"]
        if "next_cursor" not in answer:
            break
        cursor = {"cursor": answer["next_cursor"]}
    assert [row.get("kind") for row in found] == [None, *KINDS]
    assert [row["evidence_class"] for row in found] == ["none"] + ["ai_text"] * len(KINDS)
    assert found[1]["text"] == "The buyer asked for a discount. Reach Ann at {redacted:email}."
    only = handler.call("list_call_highlights", {"call_refs": [oldest], "kind": "outline"}).answer.structured
    assert only is not None
    assert [row["text"] for row in only["results"]] == ["List price", "Terms"]


def test_texts_follow_their_call(cache: Path, tmp_path: Path, make_handler: MakeHandler) -> None:
    changed = imported(tmp_path, [call(1, {"brief": "Another brief."})])
    with CacheWriter.open(cache) as writer:
        import_records(writer, read_paths([changed]))
        warm(writer)
        assert recount(writer.connection) == []
    handler = make_handler(cache)
    answer = handler.call("list_call_highlights", {"call_refs": refs(handler)}).answer.structured
    assert answer is not None
    assert [row.get("text") for row in answer["results"]] == [None, "Another brief."]
