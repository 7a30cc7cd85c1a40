"""What Gong's AI wrote, and calls of a new language that are asked for by name or counted by words: under the lock only
what was reviewed; without it the same calls show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongmcp.approval.lock import read_lock
from gongmcp.handler import ToolHandler
from tests.gongmcp.approval.conftest import Approve, Open
from tests.gongmcp.conftest import build_cache

BEFORE: dict[str, tuple[str, dict[str, Any]]] = {
    "1": ("eng", {"brief": "Zyxbrief of a rollout. Mail ann@example.com."})
}
AFTER: dict[str, tuple[str, dict[str, Any]]] = {
    **BEFORE,
    "2": ("eng", {"brief": "Another zyxbrief.", "keyPoints": ["A zyxpoint."]}),
    "3": ("deu", {"brief": "Ein zyxkurz."}),
    "4": ("deu", {"brief": "Noch ein zyxkurz."}),
}


def _cache(folder: Path, calls: dict[str, tuple[str, dict[str, Any]]]) -> Path:
    made = [
        {
            "metaData": {
                "id": f"94000{number}",
                "started": f"2026-06-0{number}T10:00:00Z",
                "duration": 600,
                "scope": "External",
                "language": language,
            },
            "parties": [{"id": "1", "speakerId": "1", "affiliation": "External"}],
            "content": content,
        }
        for number, (language, content) in calls.items()
    ]
    said = {"eng": "The zyxprice of it.", "deu": "Das zyxwort zyxwort zyxwort und zyxwort."}
    spoken = [
        {
            "callId": f"94000{number}",
            "transcript": [{"speakerId": "1", "sentences": [{"start": 0, "end": 900, "text": said[language]}]}],
        }
        for number, (language, _) in calls.items()
    ]
    (folder / "calls.json").write_text(json.dumps({"calls": made}), encoding="utf-8")
    (folder / "transcripts.json").write_text(json.dumps({"callTranscripts": spoken}), encoding="utf-8")
    return build_cache(folder / "cache.db", [folder])


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _cache(tmp_path_factory.mktemp("before"), BEFORE)


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _cache(tmp_path_factory.mktemp("after"), AFTER)


@pytest.fixture
def both(approved: Approve, opened: Open, before: Path, after: Path) -> tuple[ToolHandler, ToolHandler]:
    """Handlers over what came after the approval: without the lock and under it."""
    return opened(db=after), opened(db=after, lock=approved(db=before))


def answer(handler: ToolHandler, tool: str, **arguments: Any) -> dict[str, Any]:
    structured = handler.call(tool, arguments).answer.structured
    assert structured is not None, handler.call(tool, arguments).answer.error
    return structured


def refs(bare: ToolHandler) -> dict[str, str]:
    rows = answer(bare, "search_calls", include_call_ids=True)["results"]
    return {row["call_id"][-1]: row["call_ref"] for row in rows}


def test_a_kind_that_was_not_reviewed_is_withheld(both: tuple[ToolHandler, ToolHandler]) -> None:
    bare, locked = both
    asked = {"call_refs": list(refs(bare).values())[-2:]}
    assert [row["kind"] for row in answer(bare, "list_call_highlights", **asked)["results"]] == [
        *("brief", "key_point"),
        "brief",
    ]
    rows = answer(locked, "list_call_highlights", **asked)["results"]
    assert [row["kind"] for row in rows] == ["brief", "brief"]
    assert rows[1]["text"].endswith("{redacted:email}."), "what was masked in it was reviewed with it"


def test_kinds_and_what_is_masked_in_them_are_in_the_lock(approved: Approve, before: Path) -> None:
    shape = read_lock(approved(db=before)).shape
    assert shape.ai_content == ["brief"]
    assert "email" in shape.personal_data


def test_a_call_of_a_new_language_is_one_that_is_not_there(both: tuple[ToolHandler, ToolHandler]) -> None:
    bare, locked = both
    foreign, unknown = refs(bare)["3"], "call_0000000000000000"
    asked = {"theme_query": "zyxwort"}
    assert answer(bare, "get_call_drilldown", call_ref=foreign, **asked)["drilldown_status"] == "ready"
    found = answer(locked, "get_call_drilldown", call_ref=foreign, **asked)
    nobody = answer(locked, "get_call_drilldown", call_ref=unknown, **asked)
    assert json.dumps(found).replace(foreign, unknown) == json.dumps(nobody)

    assert answer(bare, "list_call_highlights", call_refs=[foreign])["results"]
    found = answer(locked, "list_call_highlights", call_refs=[foreign])
    nobody = answer(locked, "list_call_highlights", call_refs=[unknown])
    assert json.dumps(found).replace(foreign, unknown) == json.dumps(nobody)


def test_words_of_a_new_language_are_no_themes(both: tuple[ToolHandler, ToolHandler]) -> None:
    bare, locked = both
    asked = {"filter": {"from_date": "2026-06-01", "to_date": "2026-06-04"}}

    def themes(handler: ToolHandler) -> str:
        return " ".join(row["theme"] for row in answer(handler, "discover_themes_in_cohort", **asked)["results"])

    assert "zyxwort" in themes(bare)
    assert "zyxprice" in themes(locked)
    assert "zyxwort" not in themes(locked)
