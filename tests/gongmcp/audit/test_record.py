"""A line of the log: its form, its versions, and what may stand in it of a client."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.audit.record import AuditRecord, NewerLine, ShownCall, decode, encode, positions, ranges, said

RECORD = AuditRecord(
    time="2026-06-01T00:00:00.000Z",
    transport="stdio",
    method="tools/call",
    tool="search_calls",
    outcome="ok",
    rows=2,
    withheld={"provenance.redacted": 4},
    policy="0123456789abcdef",
    calls=(ShownCall(call="00112233445566aa", segments=3, at="1-2,9"),),
)


def test_a_line_reads_as_it_was_written_and_says_nothing_of_what_is_not_there() -> None:
    line = encode(RECORD)
    assert decode(line) == RECORD
    assert b"\n" not in line
    assert b"token" not in line
    assert not RECORD.refused
    assert msgspec.structs.replace(RECORD, outcome="invalid_argument").refused


def test_members_that_a_later_program_adds_are_passed_over_and_later_versions_are_told() -> None:
    assert decode(encode(RECORD)[:-1] + b',"added":1}') == RECORD
    with pytest.raises(NewerLine):
        decode(b'{"v":2,"entirely":"different"}')


@pytest.mark.parametrize("line", [encode(RECORD)[:40], b"", b"\0" * 20, b"[]", b'{"v":1}', b"\xff"])
def test_what_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError)):
        decode(line)


@given(st.sets(st.integers(0, 300)))
def test_positions_are_kept_as_ranges(found: set[int]) -> None:
    assert positions(ranges(found)) == found


def test_ranges_are_short() -> None:
    assert ranges({9, 4, 5, 6, 11}) == "4-6,9,11"
    assert ranges(()) == ""
    for text in ("x", "1-", "1,,2", "-3", "0-99999999999"):
        with pytest.raises(ValueError):
            positions(text)


def test_what_a_client_says_of_itself_is_cleaned_and_cut() -> None:
    assert said("claude-code/2.1 (linux)") == "claude-code/2.1 (linux)"
    assert said("a\n{\x1b[31m\u202eb") == "a????31m?b"
    assert len(said("x" * 1000)) == 64
    assert said(None) == ""


@pytest.mark.parametrize(
    "line", [b'{"v":1,"x":' + b"[" * 100_000, b"[" * 100_000, b"[1]", b"\x00", b'{"v":"x"}', b"\xff"]
)
def test_a_line_of_something_else_is_no_record(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(line)
