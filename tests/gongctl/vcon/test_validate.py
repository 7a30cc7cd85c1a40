"""Validation: each fault is found, at its place, by its code, at the levels that it belongs to."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gongctl.vcon.bodies import content_hash
from gongctl.vcon.legacy import modernised
from gongctl.vcon.validate import LEVELS, Level, schema_of, validate
from tests.gongctl.vcon.conversations import UUID, plain, strange

STRICT: tuple[Level, ...] = ("core-02", "core-03")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("make", [plain, strange])
def test_valid_ones_are_valid(make: Callable[[], dict[str, Any]], level: Level) -> None:
    assert [f for f in validate(make(), level).findings if f.severity == "error"] == []


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(vcon: dict[str, Any]) -> None:
        holder: Any = vcon
        for step in path[:-1]:
            holder = holder[step]
        if value is DROP:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value

    return change


DROP = object()

FAULTS: list[tuple[Callable[[dict[str, Any]], None], str, str, bool]] = [
    # change, code, path, whether it is an error of lenient too
    (put("uuid", value="no uuid"), "VC_UUID_FORMAT", "/uuid", True),
    (put("uuid", value=DROP), "VC_UUID_FORMAT", "/uuid", True),
    (put("created_at", value="yesterday"), "VC_DATE", "/created_at", False),
    (put("created_at", value="2026-02-30T10:00:00Z"), "VC_DATE", "/created_at", False),
    (put("created_at", value="2026-02-20T10:00:00"), "VC_DATE", "/created_at", False),
    (put("dialog", 0, "start", value="2026-13-01T00:00:00Z"), "VC_DATE", "/dialog/0/start", False),
    (put("parties", 0, value="Ann"), "VC_SHAPE", "/parties/0", True),
    (put("parties", value={"name": "Ann"}), "VC_SHAPE", "/parties", True),
    (put("dialog", 0, "parties", value=[0, 7]), "VC_INDEX_RANGE", "/dialog/0/parties/1", False),
    (put("dialog", 0, "parties", value=[[0, 9]]), "VC_INDEX_RANGE", "/dialog/0/parties/0/1", False),
    (put("dialog", 1, "originator", value=2), "VC_INDEX_RANGE", "/dialog/1/originator", False),
    (put("analysis", 0, "dialog", value=[0, 2]), "VC_INDEX_RANGE", "/analysis/0/dialog/1", False),
    (put("analysis", 0, "attachment", value=1), "VC_INDEX_RANGE", "/analysis/0/attachment", False),
    (put("attachments", 0, "party", value=5), "VC_INDEX_RANGE", "/attachments/0/party", False),
    (put("dialog", 0, "url", value="https://example.com/a"), "VC_CONTENT_BOTH", "/dialog/0", False),
    (put("dialog", 1, value={"type": "recording", "start": "2026-03-01T09:05:00Z", "url": "https://example.com/a"}),
     "VC_CONTENT_PAIR", "/dialog/1", False),
    (put("dialog", 1, value={"type": "recording", "start": "2026-03-01T09:05:00Z", "url": "http://example.com/a",
                             "content_hash": "sha512-" + "A" * 86}), "VC_URL_NOT_HTTPS", "/dialog/1/url", False),
    (put("dialog", 1, "content_hash", value="md5-abc"), "VC_HASH_FORMAT", "/dialog/1/content_hash", False),
    (put("dialog", 1, "content_hash", value=content_hash(b"other")),
     "VC_HASH_MISMATCH", "/dialog/1/content_hash", False),
    (put("dialog", 1, "body", value="=!="), "VC_BASE64", "/dialog/1/body", False),
    (put("dialog", 0, "encoding", value=DROP), "VC_CONTENT_PAIR", "/dialog/0", False),
    (put("dialog", 0, "encoding", value="gzip"), "VC_ENCODING", "/dialog/0/encoding", False),
    (put("dialog", 0, "encoding", value="json"), "VC_JSON_BODY", "/dialog/0/body", False),
    (put("dialog", 0, "duration", value=-1), "VC_DURATION", "/dialog/0/duration", False),
    (put("dialog", 0, "type", value="fax"), "VC_DIALOG_TYPE", "/dialog/0/type", False),
    (put("dialog", 0, "type", value="transfer"), "VC_CONTENT_FORBIDDEN", "/dialog/0/body", False),
    (put("dialog", 1, value={"type": "incomplete", "start": "2026-03-01T09:05:00Z", "parties": [0]}),
     "VC_DISPOSITION", "/dialog/1", False),
    (put("analysis", 0, "vendor", value=DROP), "VC_REQUIRED", "/analysis/0", False),
    (put("critical", value=["acme"]), "VC_CRITICAL_UNSUPPORTED", "/critical/0", True),
    (put("subject", value=None), "VC_SCHEMA", "/subject", False),
    (put("redacted", value={"url": "https://example.com/v", "type": "x", "uuid": UUID}),
     "VC_CONTENT_PAIR", "/redacted", False),
]  # fmt: skip


@pytest.mark.parametrize(("change", "code", "path", "always"), FAULTS, ids=[f"{f[1]}{f[2]}" for f in FAULTS])
def test_a_fault_is_found_at_its_place(
    change: Callable[[dict[str, Any]], None], code: str, path: str, always: bool
) -> None:
    vcon = plain()
    change(vcon)
    for level in STRICT:
        found = {(f.code, f.path) for f in validate(vcon, level).findings if f.severity == "error"}
        assert (code, path) in found, level
        assert not validate(vcon, level).valid
    assert validate(vcon).valid is not always
    if code != "VC_SCHEMA":
        assert (code, path) in {(f.code, f.path) for f in validate(vcon).findings}


def test_redacted_and_amended_exclude_each_other() -> None:
    both = plain(redacted={"uuid": UUID, "type": "x"}, amended={"uuid": UUID})
    assert "VC_REDACTED_AND_AMENDED" in {f.code for f in validate(both, "core-03").findings}


def test_drafts_differ_where_they_differ() -> None:
    bare = plain()
    del bare["parties"], bare["dialog"], bare["analysis"], bare["attachments"]
    assert not validate(bare, "core-02").valid
    assert validate(bare, "core-03").valid
    value = plain()
    value["analysis"][1]["body"] = json.loads(value["analysis"][1]["body"])  # the value itself, not its text
    assert not validate(value, "core-02").valid
    assert validate(value, "core-03").valid


def test_the_schemas_are_those_of_the_drafts() -> None:
    for level in STRICT:
        Draft7Validator.check_schema(schema_of(level))
    assert "parties" in schema_of("core-02")["required"]
    assert "parties" not in schema_of("core-03")["required"]


def test_placeholders_are_valid_and_named() -> None:
    vcon = plain()
    vcon["parties"][1] = {}
    vcon["dialog"][0] = {"type": "text"}
    vcon["dialog"][1] = {}
    for level in LEVELS:
        verdict = validate(vcon, level)
        assert verdict.valid, verdict
        paths = {f.path for f in verdict.findings if f.code == "VC_PLACEHOLDER"}
        assert paths == {"/parties/1", "/dialog/0", "/dialog/1"}


def test_no_finding_holds_a_value() -> None:
    secret = "Zx9-confidential"
    vcon = plain(subject=None, vcon=secret, created_at=secret, extensions=secret)
    vcon["dialog"][0] |= {"type": secret, "encoding": secret, "start": secret, "duration": secret, "parties": [secret]}
    vcon["analysis"][0] |= {"content_hash": secret, "url": secret, "dialog": secret}
    verdict = validate(vcon, "core-02")
    assert len(verdict.findings) > 8
    assert secret not in str(verdict)


def test_names_of_older_drafts_are_understood_and_said() -> None:
    old = plain(appended={"uuid": UUID}, must_support=["gong"])
    old["dialog"][0]["mimetype"] = old["dialog"][0].pop("mediatype")
    old["dialog"][0]["session_id"] = "abc"
    old["dialog"][1] |= {"alg": "SHA-512", "signature": "A" * 86 + "=="}
    before = copy.deepcopy(old)
    new, found = modernised(old)
    assert old == before
    assert new["amended"] == {"uuid": UUID}
    assert new["critical"] == ["gong"]
    assert new["dialog"][0]["mediatype"] == "text/plain"
    assert new["dialog"][0]["session_id"] == {"local": "abc", "remote": "abc"}
    assert new["dialog"][1]["content_hash"] == "sha512-" + "A" * 86
    assert {f.path for f in found} == {
        "/appended", "/must_support", "/dialog/0/mimetype", "/dialog/0/session_id", "/dialog/1/alg"
    }  # fmt: skip
    assert modernised(new) == (new, [])


@pytest.mark.parametrize("value", [None, [], "x", 7])
def test_what_is_no_object_is_no_vcon(value: Any) -> None:
    assert not validate(value).valid


def test_tags_that_are_none_are_said() -> None:
    vcon = plain()
    vcon["attachments"][0]["body"] = '["a:1", "a:2", "nocolon", ":x", 7]'
    codes = [f.code for f in validate(vcon).findings]
    assert codes == ["VC_TAG_DUPLICATE", "VC_TAG_SYNTAX"]
