"""The lock file: its text, and one sentence for whatever is wrong with it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.approval.digests import digest, policy_parts
from gongmcp.approval.enforce import under_lock
from gongmcp.approval.gate import Gate
from gongmcp.approval.lock import (
    LOCK_VERSION,
    MAX_LOCK_BYTES,
    ApprovedTool,
    Lock,
    Sample,
    lock_text,
    read_lock,
)
from gongmcp.approval.shape import Shape, appeared, span_kind
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.settings import ServerSettings
from tests.gongmcp.test_refusals import says, started

LOCK = Lock(
    lock_version=LOCK_VERSION,
    approved_at="2026-06-01T00:00:00Z",
    approved_by="a reviewer",
    preset=None,
    masking_version=1,
    policy=policy_parts(ServerSettings()),
    instructions=digest("x"),
    prompts={"p": digest("p")},
    resources={},
    tools={"search_calls": ApprovedTool(digest("t"), [Sample({"limit": 3}, digest("s"), "ok", ["a"], [])])},
    shape=Shape(crm={"Account": ["Name"]}, languages=["eng"]),
)


def test_it_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    path.write_text(lock_text(LOCK), encoding="utf-8")
    assert read_lock(path) == LOCK


def test_the_text_is_made_for_differences() -> None:
    text = lock_text(LOCK)
    assert text.endswith("}\n")
    assert json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n" == text
    other = lock_text(msgspec.structs.replace(LOCK, masking_version=2))
    assert sum(a != b for a, b in zip(text.splitlines(), other.splitlines(), strict=True)) == 1


def test_hostile_names_are_escaped_in_the_text() -> None:
    text = lock_text(msgspec.structs.replace(LOCK, approved_by="a\x1b[2J\u202eb"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert json.loads(text)["approved_by"] == "a\x1b[2J\u202eb"


def changed(**members: Any) -> bytes:
    return json.dumps(json.loads(lock_text(LOCK)) | members).encode()


def without(member: str) -> bytes:
    return json.dumps({name: value for name, value in json.loads(lock_text(LOCK)).items() if name != member}).encode()


TEXT = lock_text(LOCK).encode()
BAD: dict[str, tuple[str, bytes]] = {
    "empty": ("lock_invalid", b""),
    "truncated": ("lock_invalid", TEXT[: len(TEXT) // 2]),
    "no JSON": ("lock_invalid", b"tools: all"),
    "no UTF-8": ("lock_invalid", TEXT.replace(b"a reviewer", b"\xff\xfe")),
    "NUL": ("lock_invalid", b"\0" * 100),
    "a list": ("lock_invalid", b"[]"),
    "null": ("lock_invalid", b"null"),
    "deep": ("lock_invalid", b"[" * 100_000),
    "deep inside": ("lock_invalid", b'{"lock_version":1,"tools":' + b'{"a":' * 100_000),
    "no version": ("lock_invalid", without("lock_version")),
    "a version as text": ("lock_invalid", changed(lock_version="1")),
    "a later version": ("lock_version", changed(lock_version=2)),
    "a later version of another form": ("lock_version", b'{"lock_version": 7, "all": "new"}'),
    "version true": ("lock_invalid", changed(lock_version=True)),
    "a huge version": ("lock_invalid", changed(lock_version=10**40)),
    "a huge number": ("lock_invalid", TEXT.replace(b'"masking_version": 1', b'"masking_version": ' + b"9" * 5000)),
    "tools as a list": ("lock_invalid", changed(tools=["search_calls"])),
    "a tool as text": ("lock_invalid", changed(tools={"search_calls": "ok"})),
    "a digest that is none": ("lock_invalid", changed(tools={"search_calls": {"digest": "x", "samples": []}})),
    "an unknown key": ("lock_invalid", changed(allow_everything=True)),
    "a key with escapes": ("lock_invalid", changed(**{"\x1b[2J\u202e": 1})),
    "no shape": ("lock_invalid", without("shape")),
    "languages as text": ("lock_invalid", changed(shape={"languages": "eng"})),
    "an unknown switch": (
        "lock_invalid",
        changed(policy=msgspec.to_builtins(LOCK.policy) | {"switches": ["hide_everything"]}),
    ),
    "a ceiling of 0": ("lock_invalid", changed(policy=msgspec.to_builtins(LOCK.policy) | {"ceilings": {"a": 0}})),
    "provenance open": ("lock_invalid", changed(policy=msgspec.to_builtins(LOCK.policy) | {"provenance": "open"})),
    "NaN": ("lock_invalid", TEXT.replace(b'"limit": 3', b'"limit": NaN')),
    "huge": ("lock_unreadable", b" " * (MAX_LOCK_BYTES + 1)),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_lock_is_refused_in_one_sentence(kind: str, tmp_path: Path) -> None:
    name, data = BAD[kind]
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    with pytest.raises(StartupRefusal) as caught:
        read_lock(path)
    refusal = caught.value
    assert (refusal.name, refusal.exit_code) == (name, Exit.USAGE)
    assert re.fullmatch(r"bad\.json: [ -~]+\.", refusal.message), refusal.message
    assert str(tmp_path) not in refusal.message + refusal.hint


@pytest.mark.parametrize("kind", ["truncated", "deep", "a key with escapes", "huge", "a later version"])
def test_the_server_says_so_and_ends(kind: str, tmp_path: Path) -> None:
    name, data = BAD[kind]
    (tmp_path / "bad.json").write_bytes(data)
    done = started("--db", "x.db", "--lock", "bad.json", cwd=tmp_path)
    assert says(name, done), done
    assert done.returncode == Exit.USAGE
    assert "Traceback" not in done.stderr


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", tmp_path / "folder", tmp_path / "none", Path("a\0b")):
        with pytest.raises(StartupRefusal) as caught:
            read_lock(path)
        assert caught.value.name == "lock_unreadable"


def replaced(at: int, by: bytes) -> bytes:
    return TEXT[:at] + by + TEXT[at + 1 :]


NEARLY = st.builds(replaced, st.integers(0, len(TEXT)), st.binary(max_size=3))


@given(st.binary(max_size=200) | NEARLY)
def test_any_bytes_are_a_lock_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lock.json"
        path.write_bytes(data)
        refusal = None
        try:
            assert isinstance(read_lock(path), Lock)
        except StartupRefusal as caught:
            refusal = caught
    assert refusal is None or refusal.exit_code is Exit.USAGE
    assert refusal is None or re.fullmatch(r"[ -~]+", refusal.message)


def test_names_from_a_lock_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    tools = {"\x1b[2J\u202eall": LOCK.tools["search_calls"]}
    path.write_text(lock_text(msgspec.structs.replace(LOCK, tools=tools, masking_version=MASKING_VERSION)))
    with pytest.raises(StartupRefusal) as caught:
        under_lock(ServerSettings(), path)
    assert caught.value.name == "lock_nothing_left"
    assert caught.value.message.isprintable()
    assert "gone" in caught.value.message


def test_what_appeared_is_told_by_kind() -> None:
    now = Shape(crm={"Account": ["Name", "New"], "Type": []}, languages=["deu", "eng"], personal_data=["iban"])
    assert list(appeared(LOCK.shape, now)) == [
        ("crm_object_type", "Type"),
        ("crm_field", "Account.New"),
        ("language", "deu"),
        ("personal_data", "iban"),
    ]
    assert list(appeared(now, LOCK.shape)) == []


@pytest.mark.parametrize(("kind", "plain"), [("email", "email"), ("person", "person"), ("person-12", "person")])
def test_the_kind_of_a_span_is_that_of_no_single_person(kind: str, plain: str) -> None:
    assert span_kind(kind) == plain


def test_marks_without_spans_are_known_by_their_text() -> None:
    gate = Gate(Shape(personal_data=["email"]))
    assert gate._is_text("to {redacted:email}")
    assert not gate._is_text("to {redacted:email} and {redacted:card}")
