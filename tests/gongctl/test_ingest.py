"""Reading files: the shapes of Gong's answers, what is rejected and where, packing and encodings."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.ingest import Place, Record, Rejected, Skipped, find_files, read, read_paths
from gongctl.ingest.decode import canonical, decode
from gongmcp.store.schema import MAX_SEGMENTS


def call(number: int = 1, **parts: Any) -> dict[str, Any]:
    return {"metaData": {"id": str(number), "title": f"call {number}"}, **parts}


def transcript(number: int = 1, *texts: str) -> dict[str, Any]:
    sentences = [{"start": 10 * n, "end": 10 * n + 9, "text": text} for n, text in enumerate(texts or ("Hello.",))]
    return {"callId": str(number), "transcript": [{"speakerId": "9", "topic": None, "sentences": sentences}]}


def results(folder: Path, content: bytes | str, name: str = "x.json") -> list[Record | Rejected | Skipped]:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_paths([file]))


def ids(found: list[Record | Rejected | Skipped]) -> list[str]:
    return [item.record_id for item in found if isinstance(item, Record)]


def rejections(found: list[Record | Rejected | Skipped]) -> list[tuple[int | None, int | None, int | None, str]]:
    return [(r.place.line, r.place.page, r.place.item, r.reason) for r in found if isinstance(r, Rejected)]


PAGE = {"requestId": "r", "records": {"totalRecords": 2, "cursor": "c"}, "calls": [call(1), call(2)]}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(PAGE),
        json.dumps(PAGE, indent=2),
        json.dumps(PAGE) + "\n",
        json.dumps([call(1), call(2)]),
        json.dumps([call(1), call(2)], indent=1),
        json.dumps(call(1)) + "\n" + json.dumps(call(2)) + "\n",
        json.dumps(call(1)) + "\r\n\r\n" + json.dumps(call(2)),
        json.dumps(call(1)) + json.dumps(call(2)),
        json.dumps(call(1), indent=2) + "\n" + json.dumps(call(2), indent=2),
        json.dumps({"requestId": "r", "calls": [call(1)]}) + json.dumps({"requestId": "s", "calls": [call(2)]}),
        json.dumps({"calls": [call(1)]}) + "\n" + json.dumps({"calls": [call(2)]}),
        json.dumps({"calls": [call(1)]}) + "\n" + json.dumps({"calls": [call(2)]}, indent=2),
        json.dumps([{"calls": [call(1)]}, {"calls": [call(2)]}]),
        json.dumps([[call(1)], [call(2)]]),
        json.dumps([call(1)]) + "\n" + json.dumps([call(2)]),
        json.dumps({"calls": [call(1), None, call(2)]}),
        "[\n" + json.dumps(call(1)) + "\n," + json.dumps(call(2)) + "\n]",
        "[" + json.dumps(call(1)) + "\n," + json.dumps(call(2)) + "]",
        '{"requestId":"r",\n"calls":[\n' + json.dumps(call(1)) + ",\n" + json.dumps(call(2)) + "\n]}",
        json.dumps({"padding": "x" * 5000, "calls": [call(1), call(2)]}),
        json.dumps({"calls": [{"id": "1", "started": "2026-01-01T00:00:00Z"}, {"id": 2, "duration": 3}]}),
    ],
)
def test_every_shape_of_the_same_two_calls(tmp_path: Path, content: str) -> None:
    found = results(tmp_path, content)
    assert ids(found) == ["1", "2"]
    assert all(isinstance(item, Record) and item.kind == "call" and "metaData" in item.payload for item in found)


def test_the_bundled_sample_gives_every_kind(sample_files: list[Path]) -> None:
    kinds = Counter(item.kind if isinstance(item, Record) else item for item in read_paths(sample_files))
    assert kinds["call"] == 10
    assert kinds["transcript"] == 8
    assert set(kinds) == {
        "call", "transcript", "user", "workspace", "tracker", "scorecard", "answered_scorecard", "crm_integration",
        "crm_schema",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "kind", "record_id"),
    [
        (call(7), "call", "7"),
        ({"id": 7, "started": "2026-01-01T00:00:00Z", "scope": "External"}, "call", "7"),
        (transcript(7), "transcript", "7"),
        ({"callId": 7, "transcript": None}, "transcript", "7"),
        ({"id": "7", "emailAddress": "a@b.example", "name": "x"}, "user", "7"),
        ({"id": "7", "firstName": None, "active": True}, "user", "7"),
        ({"id": 7, "name": "Sales", "description": None}, "workspace", "7"),
        ({"trackerId": 7, "trackerName": "x"}, "tracker", "7"),
        ({"scorecardId": 7, "questions": []}, "scorecard", "7"),
        ({"answeredScorecardId": 7, "scorecardId": 8, "callId": 9}, "answered_scorecard", "7"),
        ({"integrationId": 6393939345956236873, "name": "x"}, "crm_integration", "6393939345956236873"),
        ({"objectTypeToSelectedFields": {"DEAL": []}}, "crm_schema", ":DEAL"),
        ({"integrationId": 5, "objectTypeToSelectedFields": {"DEAL": None}}, "crm_schema", "5:DEAL"),
    ],
)
def test_the_kind_is_told_by_the_keys(tmp_path: Path, value: dict[str, Any], kind: str, record_id: str) -> None:
    (found,) = results(tmp_path, json.dumps(value))
    assert isinstance(found, Record)
    assert (found.kind, found.record_id) == (kind, record_id)


def test_a_crm_schema_gives_a_record_an_object_type(tmp_path: Path) -> None:
    value = {"requestId": "r", "objectTypeToSelectedFields": {"ACCOUNT": [{"uniqueName": "Name"}], "LEAD": []}}
    assert ids(results(tmp_path, json.dumps(value, indent=1))) == [":ACCOUNT", ":LEAD"]


@pytest.mark.parametrize(
    "empty",
    [
        {"requestId": "r"},
        {"requestId": "r", "records": {"totalRecords": 0}},
        {"requestId": "r", "calls": []},
        {"requestId": "r", "calls": None},
        {"integrations": []},
        {"objectTypeToSelectedFields": {}},
        {"objectTypeToSelectedFields": None},
        [],
    ],
)
def test_an_empty_answer_is_no_fault(tmp_path: Path, empty: object) -> None:
    assert results(tmp_path, json.dumps(empty)) == []


# --- ids


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("6843152929075440037", "6843152929075440037"),
        ('"6843152929075440037"', "6843152929075440037"),
        ("18446744073709551615", "18446744073709551615"),
        ("99999999999999999999", "99999999999999999999"),
        ('"00712345"', "00712345"),
        ('"abc-é"', "abc-é"),
        ("0", "0"),
    ],
)
def test_an_id_is_exact_text_however_it_is_written(tmp_path: Path, written: str, text: str) -> None:
    for form in ('{"metaData":{"id":%s}}', '{"calls":[{"metaData":{"id":%s}}]}', '{"callId":%s,"transcript":[]}'):
        (found,) = results(tmp_path, form % written)
        assert isinstance(found, Record)
        assert found.record_id == text
        assert found.payload.get("callId", found.payload.get("metaData", {}).get("id")) == text


@pytest.mark.parametrize(
    "written", ["6.843152929075440037e18", "12.0", "1e3", "true", "[1]", "{}", '""', '"  "', "null"]
)
def test_what_is_no_id_is_rejected(tmp_path: Path, written: str) -> None:
    for form in ('{"metaData":{"id":%s}}', '{"callId":%s,"transcript":[]}', '{"trackerId":%s}'):
        (found,) = results(tmp_path, form % written)
        assert isinstance(found, Rejected)
        assert "id" in found.reason
    assert isinstance(results(tmp_path, '{"metaData":{"id":"a\\u0000b"}}')[0], Rejected)
    assert isinstance(results(tmp_path, '{"metaData":{"id":"%s"}}' % ("9" * 300))[0], Rejected)


def test_ids_inside_a_call_become_text_and_crm_values_stay(tmp_path: Path) -> None:
    value = {
        "metaData": {"id": 1, "primaryUserId": 2, "workspaceId": None, "customData": {"id": 1.5}, "duration": 60},
        "parties": [{"id": 3, "speakerId": 4, "userId": None}, {"id": "5"}],
        "context": [
            {"objects": [{"objectType": "Deal", "objectId": 6, "fields": [
                {"name": "id", "value": 7}, {"name": "x", "value": 1.50}, {"name": "y", "value": {"id": 8}},
                {"name": "z", "value": [True, None]}, {"id": 9.5}]}]}
        ],
        "content": {"trackers": [{"id": 10, "occurrences": [{"startTime": 1.5, "speakerId": 11}]}]},
    }  # fmt: skip
    (found,) = results(tmp_path, json.dumps(value))
    assert isinstance(found, Record)
    payload = json.loads(found.canonical)
    assert payload["metaData"] == {
        "id": "1", "primaryUserId": "2", "workspaceId": None, "customData": {"id": 1.5}, "duration": 60,
    }  # fmt: skip
    assert payload["parties"] == [{"id": "3", "speakerId": "4", "userId": None}, {"id": "5"}]
    crm = payload["context"][0]["objects"][0]
    assert crm["objectId"] == "6"
    assert [field.get("value") for field in crm["fields"]] == [7, 1.5, {"id": 8}, [True, None], None]
    assert payload["content"]["trackers"][0]["id"] == "10"
    assert payload["content"]["trackers"][0]["occurrences"][0] == {"startTime": 1.5, "speakerId": "11"}


def test_a_reordered_payload_has_the_same_canonical_form(tmp_path: Path) -> None:
    one = results(tmp_path, '{"metaData":{"id":1,"title":"x"},"context":[]}')[0]
    two = results(tmp_path, '{"context":[],\n "metaData":{"title":"\\u0078","id":"1"}}')[0]
    assert isinstance(one, Record)
    assert isinstance(two, Record)
    assert one.canonical == two.canonical


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_canonical_json_reads_back_exactly(value: object) -> None:
    assert decode(canonical(value)) == value


# --- calls


def test_nulls_unknown_keys_and_missing_parts_are_fine(tmp_path: Path) -> None:
    value = {
        "metaData": {"id": "1", "started": "not a time", "new": {"a": [1]}},
        "parties": None,
        "context": None,
        "z": 1,
    }
    (found,) = results(tmp_path, json.dumps(value))
    assert isinstance(found, Record)
    assert found.payload == value


@pytest.mark.parametrize(
    "value", [{"metaData": None}, {"metaData": "x"}, {"metaData": {}}, call(1, parties="x"), call(1, context={"a": 1})]
)
def test_a_call_that_cannot_be_used_is_rejected(tmp_path: Path, value: dict[str, Any]) -> None:
    (found,) = results(tmp_path, json.dumps(value))
    assert isinstance(found, Rejected)
    assert found.kind == "call"


def test_links_that_differ_in_every_answer_are_left_out(tmp_path: Path) -> None:
    one = results(tmp_path, json.dumps(call(1, media={"audioUrl": "https://a.example/?signature=1"})))[0]
    two = results(tmp_path, json.dumps(call(1, media={"audioUrl": "https://a.example/?signature=2"})))[0]
    assert isinstance(one, Record)
    assert isinstance(two, Record)
    assert one.canonical == two.canonical
    assert b"signature" not in one.canonical


# --- transcripts


def test_segments_are_counted_and_nothing_said_is_no_segment(tmp_path: Path) -> None:
    value = {
        "callId": "1",
        "transcript": [
            {
                "speakerId": 5,
                "sentences": [{"start": 0, "end": 5, "text": "a"}, {"start": 5, "end": 6, "text": None}, None],
            },
            {"speakerId": None, "sentences": None, "topic": "t"},
            None,
            {"sentences": [{"text": "b", "extra": 1}, {"start": "30", "end": 20.4, "text": ""}]},
        ],
    }
    (found,) = results(tmp_path, json.dumps(value))
    assert isinstance(found, Record)
    assert found.segments == 3
    assert json.loads(found.canonical)["transcript"] == [
        {"speakerId": "5", "sentences": [{"start": 0, "end": 5, "text": "a"}]},
        {"speakerId": None, "sentences": [], "topic": "t"},
        {
            "sentences": [
                {"text": "b", "extra": 1, "start": 5, "end": 5},
                {"start": 30, "end": 30, "text": ""},
            ]
        },
    ]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ({"start": 1, "end": 2, "text": 5}, "no string"),
        ({"start": 1, "end": 2, "text": {"a": "secret"}}, "no string"),
        ({"start": -1, "end": 2, "text": "x"}, "negative"),
        ({"start": "soon", "end": 2, "text": "x"}, "milliseconds"),
        ({"start": True, "end": 2, "text": "x"}, "milliseconds"),
        ({"start": 1, "end": 10**18, "text": "x"}, "beyond"),
        ("secret", "no object"),
        (["secret"], "no object"),
    ],
)
def test_a_bad_sentence_rejects_the_transcript_without_quoting_it(
    tmp_path: Path, sentence: object, reason: str
) -> None:
    (found,) = results(tmp_path, json.dumps({"callId": "1", "transcript": [{"sentences": [sentence]}]}))
    assert isinstance(found, Rejected)
    assert reason in found.reason
    assert "secret" not in found.reason


@pytest.mark.parametrize("shape", ["x", {"a": 1}, [1], [{"sentences": "x"}], ["x"]])
def test_a_transcript_of_another_shape_is_rejected(tmp_path: Path, shape: object) -> None:
    (found,) = results(tmp_path, json.dumps({"callId": "1", "transcript": shape}))
    assert isinstance(found, Rejected)


def test_a_transcript_beyond_the_row_numbers_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_SEGMENTS == 1 << 19
    monkeypatch.setattr("gongctl.ingest.normalise.MAX_SEGMENTS", 3)
    assert len(ids(results(tmp_path, json.dumps(transcript(1, "a", "b", "c"))))) == 1
    (found,) = results(tmp_path, json.dumps(transcript(1, "a", "b", "c", "d")))
    assert isinstance(found, Rejected)
    assert "more than 3 sentences" in found.reason


# --- one bad record does not stop the rest


def test_a_bad_line_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    lines = [
        json.dumps(call(1)), "", '{"metaData":{"id":"2"', json.dumps({"metaData": {}}), "not json", '{"a":NaN}',
        "[" * 5000, '"x"', json.dumps({"what": 1}), '{"metaData":{"id":"3","x":Infinity}}', json.dumps(call(4)),
    ]  # fmt: skip
    found = results(tmp_path, "\n".join(lines))
    assert ids(found) == ["1", "4"]
    bad = {line: reason for line, _, _, reason in rejections(found)}
    assert sorted(n for n in bad if n is not None) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert "cut off" in bad[3]
    assert "no id" in bad[4]
    assert "not JSON" in bad[5]
    assert "NaN" in bad[6]
    assert "nested" in bad[7]
    assert "no JSON object" in bad[8]
    assert "no kind of record" in bad[9]
    assert "Infinity" in bad[10]
    assert str(Place("x", line=3)) == "x:3"


def test_a_first_line_that_is_broken_leaves_json_lines_what_they_are(tmp_path: Path) -> None:
    found = results(tmp_path, '{"metaData":{"id":"1"\n' + json.dumps(call(2)) + "\n" + json.dumps(call(3)))
    assert ids(found) == ["2", "3"]
    assert [line for line, *_ in rejections(found)] == [1]


def test_a_bad_item_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    good, other = json.dumps(call(1)), json.dumps(call(2))
    bad = [
        '{"metaData":{"id":"x","n":NaN}}',
        '{"metaData":{}}',
        "5",
        '{"metaData":{"id":"\\ud8"}}',
        '{"metaData":{"id":1,}}',
    ]
    items = ",".join([good, *bad, other])
    for content in (f'{{"calls":[{items}]}}', f"[{items}]"):
        found = results(tmp_path, content)
        assert ids(found) == ["1", "2"]
        assert [item for _, _, item, _ in rejections(found)] == [2, 3, 4, 5, 6]
    # the same page as a line of several
    found = results(tmp_path, json.dumps(call(0)) + f'\n{{"calls":[{items}]}}\n')
    assert ids(found) == ["0", "1", "2"]
    assert [(line, item) for line, _, item, _ in rejections(found)] == [(2, n) for n in (2, 3, 4, 5, 6)]
    # and as the second page
    found = results(tmp_path, f'{{"calls":[{good}]}}{{"calls":[{items}]}}')
    assert [(page, item) for _, page, item, _ in rejections(found)] == [(2, n) for n in (2, 3, 4, 5, 6)]


def test_a_cut_file_keeps_what_was_read(tmp_path: Path) -> None:
    whole = json.dumps({"requestId": "r", "calls": [call(n) for n in range(1, 6)]}).encode()
    found = results(tmp_path, whole[: whole.index(b"call 4")])
    assert ids(found) == ["1", "2", "3"]
    assert [(item, "cut off" in reason) for _, _, item, reason in rejections(found)] == [(4, True)]
    lines = b"\n".join(json.dumps(call(n)).encode() for n in range(1, 4))
    found = results(tmp_path, lines[:-5])
    assert ids(found) == ["1", "2"]
    assert [(line, "cut off" in reason) for line, _, _, reason in rejections(found)] == [(3, True)]


def test_a_cut_gzip_file_keeps_what_was_read(tmp_path: Path) -> None:
    noise = [{**call(n), "x": os.urandom(3000).hex()} for n in range(1, 40)]
    for content in (json.dumps({"calls": noise}).encode(), b"\n".join(json.dumps(n).encode() for n in noise)):
        packed = gzip.compress(content)
        found = results(tmp_path, packed[: len(packed) // 2])
        read_ids = ids(found)
        assert 5 < len(read_ids) < 39
        assert read_ids == [str(n) for n in range(1, len(read_ids) + 1)]
        assert rejections(found)
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 0xFF
        assert rejections(results(tmp_path, bytes(damaged)))


def test_values_never_stand_in_a_reason(tmp_path: Path) -> None:
    secret = "jane@secret.example"
    contents = [
        f'{{"metaData":{{"id":"1","title":"{secret}" "x"}}}}',
        f'{{"metaData":{{"{secret}":1}}}}',
        f'{{"callId":"1","transcript":"{secret}"}}',
        f'{{"{secret}":"{secret}"}}',
        f'{{"requestId":"r","errors":["{secret}"]}}',
        f'{{"metaData":{{"id":{{"{secret}":1}}}}}}',
        f'{{"objectTypeToSelectedFields":{{"{secret}":"{secret}"}}}}',
        f"{secret}",
    ]
    for content in contents:
        found = results(tmp_path, content)
        assert rejections(found)
        assert all(secret not in reason for *_, reason in rejections(found))


# --- text and packing


def test_half_a_surrogate_pair_is_mended(tmp_path: Path) -> None:
    found = results(tmp_path, '{"metaData":{"id":"1","title":"cut \\ud83d"}}\n{"metaData":{"id":"2"}}')
    assert ids(found) == ["1", "2"]
    assert isinstance(found[0], Record)
    assert found[0].payload["metaData"]["title"] == "cut \ufffd"


def test_numbers_that_no_program_holds_are_rejected(tmp_path: Path) -> None:
    found = results(tmp_path, '{"metaData":{"id":"1","n":1e999}}\n{"metaData":{"id":"2"}}\n')
    assert ids(found) == ["2"]
    found = results(tmp_path, '{"metaData":{"id":"1","n":%s}}\n{"metaData":{"id":"2"}}\n' % ("9" * 5000))
    assert ids(found) == ["2"]
    found = results(tmp_path, '{"metaData":{"id":"1"},"n":%s}\n{"metaData":{"id":"2"}}\n' % ("9" * 1000))
    assert ids(found) == ["1", "2"]


def test_bytes_that_are_not_utf8_are_the_records_own_fault(tmp_path: Path) -> None:
    bad = b'{"metaData":{"id":"2","title":"\xff\xfe"}}'
    records = [json.dumps(call(1)).encode(), bad, json.dumps(call(3)).encode()]
    for content in (b"\n".join(records), b'{"calls":[' + b",".join(records) + b"]}"):
        found = results(tmp_path, content)
        assert ids(found) == ["1", "3"]
        assert ["UTF-8" in reason for *_, reason in rejections(found)] == [True]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    "text", [json.dumps(PAGE), json.dumps(call(1, x="é😀"), ensure_ascii=False) + "\n" + json.dumps(call(2))]
)
def test_other_encodings_are_read(tmp_path: Path, encoding: str, text: str) -> None:
    data = text.encode(encoding)
    assert ids(results(tmp_path, data)) == ["1", "2"]
    assert ids(results(tmp_path, gzip.compress(data), "no-suffix")) == ["1", "2"]


def test_a_cut_utf16_file_keeps_what_was_read(tmp_path: Path) -> None:
    found = results(tmp_path, (json.dumps(call(1)) + "\n" + json.dumps(call(2))).encode("utf-16")[:-1])
    assert ids(found) == ["1"]
    assert rejections(found)


def test_gzip_is_told_by_content_and_may_have_several_members(tmp_path: Path) -> None:
    first, second = (json.dumps(call(n)).encode() + b"\n" for n in (1, 2))
    assert ids(results(tmp_path, gzip.compress(first) + gzip.compress(second), "export.json")) == ["1", "2"]
    assert ids(results(tmp_path, first + second, "export.json.gz")) == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        pytest.param(gzip.compress(b""), "empty", id="empty-gzip"),
        pytest.param(b"\x00\x01\x02\x03" * 100, "binary", id="binary"),
        (b"hello world", "not JSON"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"SQLite format 3\x00rest", "SQLite"),
        (b"\x1f\x8b", "compressed data"),
        (b"\x1f\x8bgarbage that is no deflate stream", "compressed data"),
        (b"{", "cut off"),
        (b"[", "cut off"),
        (b"{]", "closed"),
    ],
)
def test_what_is_no_json_file_is_rejected_when_it_claims_to_be(tmp_path: Path, content: bytes, reason: str) -> None:
    (found,) = results(tmp_path, content)
    assert isinstance(found, (Rejected))
    assert reason in found.reason


def test_nesting_without_end_is_a_rejection(tmp_path: Path) -> None:
    deep = b'{"metaData":{"id":"1","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    for content in (deep, deep + b"\n" + json.dumps(call(2)).encode(), b"[" * 100_000, b'{"a":' * 50_000):
        assert rejections(results(tmp_path, content))
    medium = b'{"metaData":{"id":"1"},"x":' + b"[" * 400 + b"]" * 400 + b"}"
    assert len(results(tmp_path, medium)) == 1


def test_of_equal_keys_the_last_one_counts(tmp_path: Path) -> None:
    assert ids(results(tmp_path, '{"metaData":{"id":"1","id":"2"}}')) == ["2"]


# --- folders


def test_a_folder_is_read_in_order_and_other_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "b" / "one.json").write_text(json.dumps(call(1)))
    (tmp_path / "a.data").write_text(json.dumps(call(0)))
    (tmp_path / "c.jsonl").write_text(json.dumps(call(2)))
    (tmp_path / "broken.json").write_text("oops")
    (tmp_path / "README.md").write_text("# hello")
    (tmp_path / ".hidden" / "x.json").write_text(json.dumps(call(9)))
    (tmp_path / ".x.json").write_text(json.dumps(call(9)))
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = list(read_paths([tmp_path, tmp_path / "c.jsonl"]))
    assert ids(found) == ["0", "2", "1"]
    assert [Path(item.path).name for item in found if isinstance(item, Skipped)] == ["README.md"]
    assert [Path(item.place.path).name for item in found if isinstance(item, Rejected)] == ["broken.json"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(find_files([tmp_path / "nothing"]))


def test_what_is_no_regular_file_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (found,) = read_paths([tmp_path / "pipe.json"])
    assert isinstance(found, Rejected)
    assert "regular" in found.reason


def test_a_file_that_may_not_be_opened_is_rejected_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "export"
    file.write_text(json.dumps(call(1)))
    found = list(find_files([tmp_path]))

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    (item,) = read(found)
    assert isinstance(item, Rejected)
    assert "Permission denied" in item.reason


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", denied)
    with pytest.raises(PermissionError):
        list(find_files([tmp_path]))


WHOLE = json.dumps({"requestId": "r", "calls": [call(1, parties=[{"id": 5}]), call(2)]}).encode()
LINES = json.dumps(transcript(1, "a", "b")).encode() + b"\n" + json.dumps(call(2)).encode() + b"\n"


@settings(deadline=None)
@given(
    start=st.sampled_from(
        [WHOLE, LINES, b"", b"{", b"[", b"\x1f\x8b\x08\x00", b"\xff\xfe{\x00", gzip.compress(LINES, mtime=0)]
    ),
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.binary(max_size=4)), max_size=4),
)
def test_no_bytes_whatever_stop_an_import(
    tmp_path_factory: pytest.TempPathFactory, start: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    data = start
    for place, gone, added in edits:
        at = int(place * len(data))
        data = data[:at] + added + data[at + gone :]
    file = tmp_path_factory.mktemp("any") / "x.json"
    file.write_bytes(data)
    for item in read_paths([file]):
        assert isinstance(item, Record | Rejected)


def test_progress_goes_up_to_all_bytes(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.json").write_text(json.dumps([call(n) for n in range(number * 2000)]))
    files = list(find_files([tmp_path]))
    seen: list[tuple[int, int]] = []
    assert len(ids(list(read(files, progress=lambda done, total: seen.append((done, total)))))) == 6000
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (sum(file.size for file in files),) * 2
