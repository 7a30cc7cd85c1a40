"""Themes: found across neighbouring sentences of one speaker, counted as a plain recount counts, planted ones first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gongmcp.handler import ToolHandler
from tests.gongmcp.conftest import MakeHandler, build_cache

Turn = tuple[str, Sequence[str]]

SAID: dict[int, list[Turn]] = {
    1: [
        ("buyer", ["The rollout worries us.", "Mostly because of the price.", "That is all."]),
        ("seller", ["I hear you on the price."]),
        ("buyer", ["What would the rollout cost in the first year?"]),
    ],
    2: [
        ("buyer", ["The rollout is fine."]),
        ("seller", ["The price is fine too."]),
        ("buyer", ["Your robotic arm jams, and the robotic arm is slow.", "How do you repair the robotic arm?"]),
    ],
    3: [
        ("buyer", ["Rollout first.", "Then testing.", "Then training.", "Then we talk about price."]),
        ("buyer", ["The robotic arm pleased us.", "It is too expensive for us."]),
    ],
    4: [("buyer", ["The weather is lovely in the mountains.", "Our meeting room is on the first floor."])],
    5: [("buyer", ["The weather was grey.", "We like the mountains a lot."]), ("seller", ["Can you hear me now?"])],
    6: [("unknown", ["The rollout has a price."]), ("seller", ["What do you think about the price of this?"])],
}
PARTIES = [
    {"id": "1", "speakerId": "buyer", "affiliation": "External", "title": "CFO", "name": "Ann Example"},
    {"id": "2", "speakerId": "seller", "affiliation": "Internal", "title": "Account Executive", "name": "Bo Example"},
]


def call_of(number: int) -> dict[str, Any]:
    industry = "Machines" if number <= 3 else "Tourism"
    account = {"objectType": "Account", "objectId": f"a{number}", "fields": [{"name": "Industry", "value": industry}]}
    return {
        "metaData": {
            "id": f"88{number:03d}",
            "title": f"Call {number}",
            "started": f"2026-0{number}-10T10:00:00Z",
            "duration": 600,
            "scope": "External",
        },
        "parties": PARTIES,
        "context": [{"system": "Salesforce", "objects": [account]}],
    }


def transcript_of(number: int) -> dict[str, Any]:
    at, monologues = 0, []
    for speaker, sentences in SAID[number]:
        said = [
            {"start": 1000 * (at + n), "end": 1000 * (at + n) + 900, "text": text} for n, text in enumerate(sentences)
        ]
        at += len(sentences)
        monologues.append({"speakerId": speaker, "sentences": said})
    return {"callId": f"88{number:03d}", "transcript": monologues}


@pytest.fixture(scope="module")
def spoken_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("themes")
    files = {
        "calls.json": {"calls": [call_of(number) for number in SAID]},
        "transcripts.json": {"callTranscripts": [transcript_of(number) for number in SAID]},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return build_cache(folder / "cache.db", [folder / name for name in files])


@pytest.fixture(scope="module")
def spoken(spoken_cache: Path, make_handler: MakeHandler) -> ToolHandler:
    return make_handler(spoken_cache)


ALL = {"filter": {"from_date": "2026-01-01", "to_date": "2026-12-31"}}


def ask(handler: ToolHandler, name: str, **arguments: Any) -> dict[str, Any]:
    answer = handler.call(name, {**ALL, **arguments}).answer
    assert answer.structured is not None, answer.text
    return answer.structured


def months(answer: dict[str, Any]) -> list[str]:
    return [row["call_date"][:7] for row in answer["results"]]


# --- one turn ---------------------------------------------------------------------------------------


def test_words_of_a_theme_may_stand_in_neighbouring_sentences_of_one_speaker(spoken: ToolHandler) -> None:
    found = ask(spoken, "search_transcripts_by_filters", theme_query="rollout price", topic_packs=["german_b2b"])
    # call 2: two speakers; call 3: too far apart
    assert months(found) == ["2026-06", "2026-01"]
    assert found["results"][1]["matched_forms"] == ["rollout", "price"]
    assert len(found["results"][1]["context_excerpt"]) == 2
    assert "context_excerpt" not in found["results"][0]


def test_an_excluded_word_in_the_window_takes_the_hit_away(spoken: ToolHandler) -> None:
    found = ask(
        spoken, "search_transcripts_by_filters", theme_query="rollout price -worries", topic_packs=["german_b2b"]
    )
    assert months(found) == ["2026-06"]


def test_topics_and_stems_widen_a_theme_and_the_form_is_shown(spoken: ToolHandler) -> None:
    narrow = ask(spoken, "search_transcripts_by_filters", theme_query="pricing", topic_packs=["german_b2b"])
    assert narrow["returned"] == 0
    stemmed = ask(
        spoken, "search_transcripts_by_filters", theme_query="pricing", topic_packs=["german_b2b"], stemming=True
    )
    assert {form for row in stemmed["results"] for form in row["matched_forms"]} == {"price"}
    topic = ask(spoken, "search_transcripts_by_filters", theme_query="pricing")
    assert {form for row in topic["results"] for form in row["matched_forms"]} == {"price", "cost"}
    refused = spoken.call("search_transcripts_by_filters", {**ALL, "theme_query": "x", "topic_packs": ["none"]}).answer
    assert "generic_b2b" in refused.text


@pytest.mark.parametrize(
    ("role", "expected"),
    [("external", {"external"}), ("internal", {"internal"}), ("external_or_unknown", {"external", "unknown"})],
)
def test_a_role_is_kept_before_rows_are_cut(spoken: ToolHandler, role: str, expected: set[str]) -> None:
    found = ask(spoken, "search_transcripts_by_filters", theme_query="price", speaker_role=role, limit=1)
    pages = [found]
    while "next_cursor" in pages[-1]:
        pages.append(
            ask(
                spoken,
                "search_transcripts_by_filters",
                theme_query="price",
                speaker_role=role,
                limit=1,
                cursor=pages[-1]["next_cursor"],
            )
        )
    rows = [row for page in pages for row in page["results"]]
    assert {row["speaker_role"] for row in rows} == expected
    assert len(rows) == found["hit_count"]


# --- counts -----------------------------------------------------------------------------------------


def test_shares_by_dimension_equal_a_plain_recount(spoken: ToolHandler) -> None:
    found = ask(spoken, "summarize_themes_by_dimension", theme_query="robotic", dimension="industry")
    rows = {row["value"]: row for row in found["results"]}
    assert (rows["Machines"]["call_count"], rows["Machines"]["theme_call_count"]) == (3, 2)
    assert (rows["Tourism"]["call_count"], rows["Tourism"]["theme_call_count"]) == (3, 0)
    assert found["base_share"] == pytest.approx(2 / 6, abs=1e-4)
    assert rows["Machines"]["lift"] == pytest.approx(2, abs=1e-3)
    assert rows["Machines"]["share_low"] < 2 / 3 < rows["Machines"]["share_high"]


def test_time_is_in_order(spoken: ToolHandler) -> None:
    found = ask(spoken, "summarize_themes_by_dimension", theme_query="price", dimension="month")
    assert [row["value"] for row in found["results"]] == [f"2026-0{number}" for number in SAID]


def test_a_planted_theme_is_found_first_and_words_of_one_call_are_none(spoken: ToolHandler) -> None:
    answer = spoken.call("discover_themes_in_cohort", {"filter": {"industry": "machines"}}).answer
    assert answer.structured is not None
    # four of six occurrences in two calls; nothing else is as sure in so few words
    everything = [row["theme"] for row in answer.structured["results"]]
    assert "mountains" not in everything
    assert all(row["call_count"] >= 2 for row in answer.structured["results"])
    assert any(line.startswith("few_calls") for line in answer.structured["limitations"])


def test_themes_are_coarse_where_counts_are(spoken_cache: Path, make_handler: MakeHandler) -> None:
    coarse = make_handler(spoken_cache, min_cell="3")
    answer = coarse.call("discover_themes_in_cohort", {"filter": {"industry": "machines"}}).answer
    assert answer.structured is not None
    assert all(row["call_count"] >= 3 and "log_likelihood" not in row for row in answer.structured["results"])
    groups = ask(coarse, "summarize_themes_by_dimension", theme_query="price", dimension="month")["results"]
    assert not [row for row in groups if row["value"].startswith("2026")]


def test_limits_of_themes_follow_the_counts_as_shown(spoken_cache: Path, make_handler: MakeHandler) -> None:
    def limits(least: int, industry: str) -> tuple[int, set[str]]:
        asked = {
            "filter": {"dimension_filters": [{"dimension": "industry", "operator": "not_in", "values": [industry]}]}
        }
        answer = make_handler(spoken_cache, min_cell=str(least)).call("discover_themes_in_cohort", asked).answer
        assert answer.structured is not None
        codes = {line.partition(":")[0] for line in answer.structured["limitations"]}
        return answer.structured["background_call_count"], codes & {"no_background"}

    # Three other calls, or none: where neither is shown, nothing else tells which.
    assert limits(1, "machines") == (3, set())
    assert limits(1, "no such industry") == (0, {"no_background"})
    assert limits(4, "machines") == limits(4, "no such industry") == (0, {"no_background"})


# --- one call ---------------------------------------------------------------------------------------


def test_a_place_has_the_time_of_its_own_sentence_and_not_of_its_neighbours(
    spoken_cache: Path, make_handler: MakeHandler
) -> None:
    by_alias = make_handler(spoken_cache, transcript_evidence_provenance="alias")
    call = ask(by_alias, "search_calls_by_filters")["results"][-1]["call_ref"]
    answer = by_alias.call("get_call_drilldown", {"call_ref": call, "theme_query": "cost OR price"}).answer
    assert answer.structured is not None
    places = answer.structured["results"]
    assert [row["segment_index"] for row in places] == [1, 3, 4]
    assert all(
        (row["start_ms"], row["end_ms"]) == (1000 * n, 1000 * n + 900) for row in places if (n := row["segment_index"])
    )
    assert all(len(row["context_excerpt"]) > 1 for row in places)


# --- quotations -------------------------------------------------------------------------------------


def test_one_quotation_of_each_call_comes_before_a_second_and_external_ones_first(spoken: ToolHandler) -> None:
    pack = ask(spoken, "build_quote_pack", theme_query="price OR rollout", speaker_role="any")["results"]
    calls = [row["call_group"] for row in pack]
    first = [calls.index(call) for call in dict.fromkeys(calls)]
    assert first == list(range(len(first)))
    assert max(Counter(calls).values()) <= 3
    assert pack[0]["speaker_role"] == "external"
    assert all(0 <= row[part] <= 1 for row in pack for part in ("relevance", "clarity", "rank_score"))


def test_what_was_said_twice_is_quoted_once(tmp_path: Path, make_handler: MakeHandler) -> None:
    same: list[Turn] = [("buyer", ["We cannot pay that price for a robotic arm this year, sorry to say."])]
    before = dict(SAID)
    try:
        SAID.update(dict.fromkeys(SAID, same))
        files = {
            "calls.json": {"calls": [call_of(number) for number in SAID]},
            "transcripts.json": {"callTranscripts": [transcript_of(number) for number in SAID]},
        }
        for name, content in files.items():
            (tmp_path / name).write_text(json.dumps(content), "utf-8")
        handler = make_handler(build_cache(tmp_path / "cache.db", [tmp_path / name for name in files]))
    finally:
        SAID.clear()
        SAID.update(before)
    pack = ask(handler, "build_quote_pack", theme_query="price")
    assert (pack["returned"], pack["hit_count"], pack["near_duplicate_count"]) == (1, 6, 5)


# --- questions, objections, one call ----------------------------------------------------------------


def test_questions_are_sentences_that_somebody_external_asks(spoken: ToolHandler) -> None:
    found = ask(spoken, "extract_business_questions", kind="questions", speaker_role="external")
    said = {row["snippet"].replace("«", "").replace("»", "") for row in found["results"]}
    assert said == {"What would the rollout cost in the first year?", "How do you repair the robotic arm?"}
    assert found["asked_count"] == 2
    everybody = ask(spoken, "extract_business_questions", kind="questions", speaker_role="any")
    assert everybody["asked_count"] == 3  # not whether anybody can be heard


def test_objections_have_their_topic_and_its_words_are_marked(spoken: ToolHandler) -> None:
    found = ask(spoken, "extract_business_questions", kind="objections")
    by_topic = {topic: row for row in found["results"] for topic in row["topics"]}
    assert by_topic["price"]["matched_forms"] == ["too expensive"]
    counts = {row["topic"]: row["objection_call_count"] for row in found["topic_counts"]}
    assert counts["price"] == 1
    only = ask(spoken, "extract_business_questions", topics=["price"])
    assert all("price" in row["topics"] for row in only["results"])
    wrong = spoken.call("extract_business_questions", {**ALL, "topics": ["nothing"]}).answer
    assert "pricing" in wrong.text


def test_a_call_is_looked_into_and_never_shown_whole(spoken: ToolHandler) -> None:
    calls = ask(spoken, "search_calls_by_filters")["results"]
    newest = calls[-1]["call_ref"]  # call 1
    found = spoken.call("get_call_drilldown", {"call_ref": newest, "theme_query": "rollout price"}).answer.structured
    assert found is not None
    assert found["drilldown_status"] == "ready"
    assert found["places"] == 1
    assert {row["speaker_role"]: row["speakers"] for row in found["talk"]} == {"external": 1, "internal": 1}
    assert sum(row["talk_share"] for row in found["talk"]) == pytest.approx(1, abs=1e-3)
    for arguments, status in (
        ({"call_ref": newest}, "no_theme"),
        ({"call_ref": newest, "theme_query": "zebrafish"}, "no_match"),
        ({"call_ref": "call_0000000000000000", "theme_query": "price"}, "call_not_found"),
    ):
        answer = spoken.call("get_call_drilldown", arguments).answer.structured
        assert answer is not None
        assert (answer["drilldown_status"], answer["returned"]) == (status, 0)


def test_the_evidence_budget_holds_for_theme_tools(tmp_path: Path, make_handler: MakeHandler) -> None:
    from gongmcp.exposure.evidence import EvidenceSession
    from gongmcp.handler import build_handler
    from gongmcp.settings import ServerSettings

    sentences = [f"The price of item {number} is a subject by itself here." for number in range(60)]
    before = SAID[1]
    SAID[1] = [("buyer", sentences)]
    try:
        files = {"calls.json": {"calls": [call_of(1)]}, "transcripts.json": {"callTranscripts": [transcript_of(1)]}}
    finally:
        SAID[1] = before
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
    cache = build_cache(tmp_path / "cache.db", [tmp_path / name for name in files])
    handler = build_handler(ServerSettings.resolve({}, {}), cache, session=EvidenceSession())
    seen: set[int] = set()
    for number in range(60):
        arguments = {**ALL, "theme_query": f'"item {number}"', "limit": 5}
        answer = handler.call("search_transcripts_by_filters", arguments).answer
        seen |= {row["segment_index"] for row in (answer.structured or {"results": []})["results"]}
    assert len(seen) == 20
