"""Payloads to serving rows: times, people, CRM objects of both CRMs, and everything that may be missing."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongctl.cache.crm_context import as_text, crm_objects
from gongctl.cache.derive import MAX_SECOND, ServingCall, derive, parse_time

SECRET = bytes(range(32))
IMPORTED = "2026-05-01T10:00:00Z"


def serve(call: dict[str, Any] | None = None, transcript: Any = None, **meta: Any) -> ServingCall:
    payload = {"metaData": {"id": "77", **meta}, **(call or {})}
    spoken = None if transcript is None else {"callId": "77", "transcript": transcript}
    return derive(payload, spoken, SECRET, IMPORTED)


def said(speaker: str | None, *texts: str) -> dict[str, Any]:
    sentences = [{"start": i * 1000, "end": i * 1000 + 900, "text": text} for i, text in enumerate(texts)]
    return {"speakerId": speaker, "topic": None, "sentences": sentences}


def sales(*objects: dict[str, Any], system: str = "Salesforce") -> dict[str, Any]:
    return {"context": [{"system": system, "objects": list(objects)}]}


def thing(object_type: str, object_id: str | None, timing: str = "Now", **fields: Any) -> dict[str, Any]:
    pairs = [{"name": name, "value": value} for name, value in fields.items()]
    return {"objectType": object_type, "objectId": object_id, "fields": pairs, "timing": timing}


# --- people ---


def test_unknown_unmatched_and_known_speakers_are_three() -> None:
    parties = [{"id": "1", "speakerId": "111", "emailAddress": "dana@example.com", "affiliation": "External"}]
    transcript = [said(None, "Who am I?"), said("999", "No party."), said("111", "Hello."), said("", "Blank.")]
    call = serve({"parties": parties}, transcript)
    assert [segment[1] for segment in call.segments] == [0, 2, 1, 0]
    known, unmatched = call.parties
    assert (known.speaker_id, known.matched, known.affiliation) == ("111", 1, "external")
    assert (unmatched.speaker_id, unmatched.matched, unmatched.affiliation) == ("999", 0, "unknown")
    assert known.speaker_ref != unmatched.speaker_ref
    assert call.facts["parties_count"] == 1
    assert "dana" not in repr(call)


@pytest.mark.parametrize("parties", [None, [], "nonsense", [None, 7]])
def test_a_call_without_parties_keeps_its_speakers(parties: Any) -> None:
    call = serve({"parties": parties}, [said("5", "Hi."), said("6", "Hi."), said("5", "Bye.")])
    assert [segment[1] for segment in call.segments] == [1, 2, 1]
    assert [party.matched for party in call.parties] == [0, 0]
    assert (call.facts["parties_count"], call.facts["external_parties"]) == (0, 0)


def test_parties_who_do_not_speak_have_a_row_and_no_alias() -> None:
    call = serve({"parties": [{"affiliation": "Internal", "title": "CEO"}, {"affiliation": "External"}, {}]})
    assert [(p.speaker_id, p.speaker_ref, p.affiliation) for p in call.parties] == [
        ("", "", "internal"),
        ("", "", "external"),
        ("", "", "unknown"),
    ]
    assert call.parties[0].job_title == "CEO"
    assert call.facts["external_parties"] == 1


def test_the_same_speaker_has_another_alias_in_another_call() -> None:
    one = derive({"id": "1", "parties": [{"speakerId": "5"}]}, None, SECRET, IMPORTED)
    two = derive({"id": "2", "parties": [{"speakerId": "5"}]}, None, SECRET, IMPORTED)
    assert one.parties[0].speaker_ref != two.parties[0].speaker_ref


# --- segments ---


def test_segments_are_masked_over_the_monologue_and_counted_through() -> None:
    call = serve(None, [said("1", "It is dana", "at example dot com"), said("2", "Fine.")])
    assert [(index, text, spans) for index, _, _, _, text, spans in call.segments] == [
        (0, "It is {redacted:email}", "email:6:4"),
        (1, "{redacted:email}", "email:0:18"),
        (2, "Fine.", None),
    ]
    assert (call.facts["segment_count"], call.facts["transcript_present"]) == (3, 1)


@pytest.mark.parametrize(
    "transcript",
    [None, [], [{}], [None], [{"sentences": None}], [{"sentences": []}], [{"sentences": [{"text": None}]}]],
)
def test_a_transcript_without_a_sentence_is_missing(transcript: Any) -> None:
    call = serve(None, transcript)
    assert call.segments == ()
    assert (call.facts["segment_count"], call.facts["transcript_present"]) == (0, 0)


def test_odd_times_do_not_stop_a_segment() -> None:
    sentences = [
        {"start": None, "end": None, "text": "a"},
        {"start": 9, "end": 4, "text": "b"},
        {"text": "c", "start": -1},
    ]
    call = serve(None, [{"speakerId": "1", "sentences": sentences}])
    assert [segment[2:5] for segment in call.segments] == [(0, 0, "a"), (9, 9, "b"), (0, 0, "c")]


# --- time ---


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-05T09:04:03.183-05:00", "2026-01-05T14:04:03"),
        ("2026-01-05T09:04:03Z", "2026-01-05T09:04:03"),
        ("2026-01-05T09:04:03z", "2026-01-05T09:04:03"),
        (" 2026-01-05 09:04:03 +01:00 ", "2026-01-05T08:04:03"),
        ("2026-01-05T09:04:03.123456789+0530", "2026-01-05T03:34:03"),
        ("2026-01-05T09:04", "2026-01-05T09:04:00"),
        ("2026-01-05", "2026-01-05T00:00:00"),
        (1_767_603_843, "2026-01-05T09:04:03"),
        (1_767_603_843_183, "2026-01-05T09:04:03"),
        ("1767603843183", "2026-01-05T09:04:03"),
        (1_767_603_843.5, "2026-01-05T09:04:03"),
    ],
)
def test_times_are_understood(value: object, expected: str) -> None:
    moment = parse_time(value)
    assert moment is not None
    assert moment.replace(microsecond=0, tzinfo=None).isoformat() == expected


@pytest.mark.parametrize(
    "value", [None, True, "", "soon", "2026-13-01", [], {}, float("nan"), 1e300, "99999999999999999999"]
)
def test_what_is_no_time_is_none(value: object) -> None:
    assert parse_time(value) is None


def test_the_start_is_started_else_scheduled_else_the_import() -> None:
    both = serve(started="2026-01-31T23:30:00-05:00", scheduled="2026-01-31T23:00:00-05:00")
    assert both.facts["started_at"] == "2026-01-31T23:30:00-05:00"
    assert [both.facts[key] for key in ("call_date", "call_month", "call_quarter")] == [
        "2026-02-01",
        "2026-02",
        "2026-Q1",
    ]
    assert both.second == 1_769_920_200
    assert serve(started="rubbish", scheduled="2026-07-01T00:00:00Z").facts["call_quarter"] == "2026-Q3"
    assert serve(started=None).facts["started_at"] == IMPORTED
    assert serve(started=1_767_603_843_183).facts["started_at"] == "2026-01-05T09:04:03Z"


def test_seconds_stay_in_the_range_of_call_numbers() -> None:
    assert serve(started="1901-01-01T00:00:00Z").second == 0
    assert serve(started="9999-12-31T00:00:00Z").second == MAX_SECOND


@pytest.mark.parametrize(
    ("duration", "seconds", "bucket"),
    [
        (59, 59, "under_1m"),
        (60, 60, "1_5m"),
        (899, 899, "5_15m"),
        (900, 900, "15_30m"),
        (2699.9, 2699, "30_45m"),
        ("2700", 2700, "45m_plus"),
        (None, 0, "under_1m"),
        ("long", 0, "under_1m"),
        (-5, 0, "under_1m"),
        (float("inf"), 0, "under_1m"),
    ],
)
def test_duration_buckets(duration: object, seconds: int, bucket: str) -> None:
    facts = serve(duration=duration).facts
    assert (facts["duration_seconds"], facts["duration_bucket"]) == (seconds, bucket)


# --- metadata ---


def test_metadata_may_be_flat_and_top_level_fills_in_for_null() -> None:
    flat = derive({"id": "1", "title": "T", "scope": "EXTERNAL", "system": "Zoom"}, None, SECRET, IMPORTED).facts
    assert (flat["title"], flat["scope"], flat["system"]) == ("T", "External", "Zoom")
    nested = serve({"system": "Zoom", "direction": "Inbound"}, system=None, direction=" ").facts
    assert (nested["system"], nested["direction"]) == ("Zoom", "")
    wrapped = {"metaData": {"id": "1", "parties": [{"speakerId": "5"}], **sales(thing("Account", "1"))}}
    call = derive(wrapped, None, SECRET, IMPORTED)
    assert (len(call.parties), len(call.objects)) == (1, 1)


@pytest.mark.parametrize("scope", [None, "", "Secret", "unknown", 5])
def test_any_other_scope_is_unknown(scope: object) -> None:
    assert serve(scope=scope).facts["scope"] == "Unknown"


def test_titles_and_categories_are_masked() -> None:
    canary = "dana@example.com"
    crm = sales(
        thing("Account", "1", Name=canary, Industry=canary, Phone=2025550142), thing("Deal", "2", dealstage=canary)
    )
    call = serve(
        {**crm, "parties": [{"title": f"CEO {canary}"}]}, title=f"With {canary}", system=canary, purpose=canary
    )
    assert canary not in repr(call)
    assert "2025550142" not in repr(call)
    assert (call.facts["title"], call.facts["title_spans"]) == ("With {redacted:email}", "email:5:16")
    assert call.facts["account_industry"] == "{redacted:email}"


def test_a_call_without_an_id_is_refused() -> None:
    with pytest.raises(ValueError, match="without an id"):
        derive({"metaData": {"id": None}}, None, SECRET, IMPORTED)


# --- CRM ---


def test_all_account_facts_come_from_one_account_and_all_opportunity_facts_from_one_opportunity() -> None:
    crm = sales(
        thing("Account", "a", Industry="Energy", Account_Type__c="Prospect", Revenue_Range_f__c="big"),
        thing("Account", "b", Industry=None, Account_Type__c="Customer"),
        thing("Opportunity", "x", StageName="Discovery", Type="New", LeadSource="Web", ForecastCategoryName="Commit"),
        thing("Opportunity", "y", StageName="Qualification", Type="Renewal", LeadSource=""),
    )
    facts = serve(crm).facts
    assert [facts[f"account_{key}"] for key in ("type", "industry", "revenue_range")] == ["Customer", "", ""]
    keys = ("stage", "type", "lead_source", "forecast_category")
    assert [facts[f"opportunity_{key}"] for key in keys] == ["Qualification", "Renewal", "", ""]
    assert (facts["account_count"], facts["opportunity_count"]) == (2, 2)
    assert facts["lifecycle_bucket"] == "renewal"
    assert json.loads(str(facts["lifecycle_evidence_fields"])) == ["Opportunity.Type"]


def test_hubspot_is_understood_like_salesforce() -> None:
    crm = sales(
        thing("Company", "1", name="Acme", industry="UTILITIES", annualrevenue="4620292027"),
        thing("Deal", "2", dealname="Acme webcast", dealstage="closedlost", dealtype="newbusiness", amount="344500"),
        system="HubSpot",
    )
    call = serve(crm)
    facts = call.facts
    assert (facts["account_industry"], facts["opportunity_stage"], facts["opportunity_type"]) == (
        "UTILITIES",
        "closedlost",
        "newbusiness",
    )
    assert facts["lifecycle_bucket"] == "closed_won_lost_review"
    assert [(item.kind, item.object_type, item.name) for item in call.objects] == [
        ("account", "Company", "Acme"),
        ("opportunity", "Deal", "Acme webcast"),
    ]
    assert ("annualrevenue", "4620292027", None) in call.objects[0].values


def test_the_present_values_win_over_those_of_the_time_of_the_call() -> None:
    then = thing("Opportunity", "1", "TimeOfCall", StageName="Discovery", Amount=5, OldField="kept")
    now = thing("Opportunity", "1", "Now", StageName="Closed Won", Amount=None)
    for order in ([then, now], [now, then]):
        (item,) = crm_objects(sales(*order))
        assert item.fields == {"StageName": "Closed Won", "Amount": "", "OldField": "kept"}
    assert serve(sales(then, now)).facts["opportunity_count"] == 1


def test_objects_without_an_id_stay_apart_and_have_no_alias() -> None:
    call = serve(
        sales(thing("Account", None, Name="A"), thing("Account", "", Name="B"), thing("Account", "1", Name="C"))
    )
    assert [(item.position, item.object_id, item.name) for item in call.objects] == [
        (0, "", "A"),
        (1, "", "B"),
        (2, "1", "C"),
    ]
    assert [bool(item.object_ref) for item in call.objects] == [False, False, True]


def test_contexts_of_other_shapes_and_of_parties() -> None:
    call = {
        "crmContext": {"objects": {"type": "Opportunity", "id": 5, "properties": {"StageName": "Discovery"}}},
        "parties": [{"context": [{"objects": [thing("Contact", "7", FirstName="Dana", LastName="Smith")]}]}],
        "context": None,
    }
    found = crm_objects(call)
    assert [(item.kind, item.object_id, item.name) for item in found] == [
        ("opportunity", "5", ""),
        ("contact", "7", "Dana Smith"),
    ]
    wrapped = crm_objects(
        {"context": [{"objectType": "Deal", "objectId": "1", "properties": {"dealstage": {"value": "x"}}}]}
    )
    assert wrapped[0].fields == {"dealstage": "x"}
    links_only = crm_objects(
        {"context": [{"system": "Salesforce", "objects": [{"objectType": "Account", "objectId": "1"}]}]}
    )
    assert [(item.kind, item.object_id, item.fields) for item in links_only] == [("account", "1", {})]


@pytest.mark.parametrize(
    "context", [None, [], {}, "x", [None], [{"objects": None}], [{"system": "Salesforce", "objects": []}]]
)
def test_no_context_is_no_objects(context: Any) -> None:
    assert crm_objects({"context": context}) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (35.0, "35"),
        (0.1, "0.1"),
        (2_880_300_000, "2880300000"),
        (9_007_199_254_740_993, "9007199254740993"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (None, ""),
        ("", ""),
        ([], ""),
        ({}, ""),
        ("  a b ", "a b"),
        (["a", 1], '["a",1]'),
        ({"k": None}, '{"k":null}'),
    ],
)
def test_values_become_text_without_noise(value: object, text: str) -> None:
    assert as_text(value) == text


def test_fields_are_counted_as_populated_when_something_is_left_of_them() -> None:
    (item,) = serve(sales(thing("Account", "1", A="x", B=None, C=[], D=0, E="\u200b"))).objects
    assert (len(item.values), item.populated) == (5, 2)


TEXT = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud800", "a\udfffb", "\x00"])
NAMES = TEXT | st.sampled_from(["objects", "fields", "objectType", "objectId", "name", "value", "sentences", "text"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["title", "started", "scheduled", "duration", "scope", "direction", "system", "isPrivate", "parties", "context"]
)


@given(st.dictionaries(KEYS, JSON), st.dictionaries(KEYS, JSON), JSON)
def test_no_payload_stops_the_build(meta: dict[str, Any], call: dict[str, Any], transcript: Any) -> None:
    served = derive({**call, "metaData": {**meta, "id": "1"}}, {"transcript": transcript}, SECRET, IMPORTED)
    assert served.call_id == "1"
    stored = [*served.facts.values(), *(segment[4] for segment in served.segments)]
    for item in served.objects:
        stored += [item.object_type, item.object_id, item.name, *(part for value in item.values for part in value)]
    for value in stored:
        str(value).encode()  # no half surrogate is left, which SQLite could not store
    assert dt.date.fromisoformat(str(served.facts["call_date"]))


def test_object_types_and_field_names_are_masked_too() -> None:
    context = {"objectType": "zaphod@canary.example", "objectId": "1", "fields": [{"name": "bob@x.io", "value": "a"}]}
    served = derive({"metaData": {"id": "1"}, "context": [{"objects": [context]}]}, None, b"s" * 32, "2026-01-01")
    (item,) = served.objects
    assert item.object_type == "{redacted:email}"
    assert [name for name, _, _ in item.values] == ["{redacted:email}"]
