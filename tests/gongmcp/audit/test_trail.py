"""What a line of the log says of a request, and that it names nobody and repeats nothing."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gongmcp.audit import trail as trail_module
from gongmcp.audit.digests import AuditDigests, canonical
from gongmcp.audit.line_file import LineFile, Unwritable
from gongmcp.audit.sealing import ArgumentSeal
from gongmcp.audit.trail import AuditTrail
from gongmcp.cancel import Cancel
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault, UnknownResource, UnknownTool
from gongmcp.exposure.aliases import call_ref
from gongmcp.exposure.evidence import EvidenceSession
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.protocol.observe import RefusedRequest
from gongmcp.settings import ServerSettings
from tests.gongmcp.audit.asking import ask, lines, observed, secret_of, trail_at
from tests.gongmcp.canary import CALL_IDS, PLANTED, SHOWN, write_files
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.test_leaks import PROBES, WRONG


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> ToolHandler:
    """Everything that can be shown of the planted values is shown: raw provenance, a session without end."""
    folder = tmp_path_factory.mktemp("canary")
    settings = ServerSettings.resolve({"provenance": "raw"}, {})
    return build_handler(settings, build_cache(folder / "canary.db", write_files(folder)))


def everything(handler: ToolHandler, trail: AuditTrail) -> Iterator[str]:
    """Ask for all there is, with planted words in arguments, names and addresses; yields what the client received."""
    with observed(handler, trail) as door:
        for name in catalog():
            flags = {
                flag: True for flag in handler.tool(name).input_schema["properties"] if flag.startswith("include_")
            }
            for arguments in [*PROBES.get(name, [{}]), *WRONG, {"query": "CANARYSENTENCE"}, {"CANARYWORD": 1}]:
                answer = ask(door, name, **{**arguments, **flags})
                yield json.dumps([answer.text, answer.structured, answer.error])
        for tool in ("CANARYTOOL", "get_call\nCANARYTOOL"):
            with pytest.raises(UnknownTool):
                ask(door, tool)
        for uri in (
            f"gong://calls/{CALL_IDS[0]}",
            "gong://CANARYADDRESS",
            f"gong://calls/{call_ref(secret_of(handler), CALL_IDS[1])}",
        ):
            try:
                yield door.read_resource(uri, Cancel()).text
            except UnknownResource:
                continue
        yield " ".join(door.complete_template("gong://calls/{call_ref}", "call_ref", "", cancel=Cancel()))


def leaks(log: str, secret: bytes) -> set[str]:
    """Return the planted words, ids and aliases that stand in *log*."""
    aliases = [call_ref(secret, call_id) for call_id in CALL_IDS]
    words = [*PLANTED.values(), *SHOWN.values(), "CANARY", *CALL_IDS, *aliases, *(alias[5:] for alias in aliases)]
    return {word for word in words if word.lower() in log.lower()}


def test_nothing_that_was_asked_or_answered_is_in_the_log(planted: ToolHandler, tmp_path: Path) -> None:
    secret = secret_of(planted)
    for seal in (None, ArgumentSeal(b"k" * 32)):
        path = tmp_path / f"{seal is None}.jsonl"
        received = "".join(everything(planted, trail_at(path, planted, seal)))
        assert len(leaks(received, secret)) > 15  # what was looked for did leave
        assert len(lines(path)) > 200
        assert leaks(path.read_text(), secret_of(planted)) == set()


def test_without_its_guards_the_writer_leaks(
    planted: ToolHandler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: digests that digest nothing, and names as the client wrote them."""
    path = tmp_path / "open.jsonl"
    monkeypatch.setattr(AuditDigests, "call", lambda self, alias: alias)
    monkeypatch.setattr(AuditDigests, "arguments", lambda self, text: text.decode())
    monkeypatch.setattr(trail_module, "own_word", lambda method, name: name)
    for _ in everything(planted, trail_at(path, planted)):
        pass
    found = leaks(path.read_text(), secret_of(planted))
    assert {"CANARY", "CANARYSENTENCE", CALL_IDS[0], call_ref(secret_of(planted), CALL_IDS[1])} <= found


def test_a_line_says_who_asked_and_how_it_went(handler: ToolHandler, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with observed(handler, trail_at(path, handler)) as door:
        answer = ask(door, "search_transcript_segments", limit=3, query="revenue")
        ask(door, "search_transcript_segments", query="revenue", limit=3)
    first, second = lines(path)
    outcome = handler.call("search_transcript_segments", {"query": "revenue", "limit": 3})
    assert answer == outcome.answer
    assert first["rows"] == outcome.rows == 3
    assert first["bytes"] == outcome.bytes
    assert first["withheld"] == outcome.ledger.by_rule()
    assert first["withheld"]["provenance.redacted"] == 12
    assert first["policy"] == handler.policy.digest()
    who = ("transport", "token", "client", "protocol", "method", "tool", "outcome")
    assert [first[name] for name in who] == [
        *("http", "team a", "client 1.0", "2025-11-25", "tools/call", "search_transcript_segments", "ok")
    ]
    # The order in which arguments were written does not count.
    assert first["arguments"] == second["arguments"]
    assert first["arguments"] == plain_digest(secret_of(handler), b"gongctl-audit-a", b'{"limit":3,"query":"revenue"}')
    assert {call["call"]: call["segments"] for call in first["calls"]} == {
        plain_digest(secret_of(handler), b"gongctl-audit-c", alias.encode()): len(shown)
        for alias, shown in outcome.shown.items()
    }
    assert sum(call["segments"] for call in first["calls"]) == 3


def plain_digest(secret: bytes, domain: bytes, message: bytes) -> str:
    return hashlib.blake2b(message, key=secret, digest_size=8, person=domain).hexdigest()


def test_digests_of_two_caches_have_nothing_in_common() -> None:
    one, other = AuditDigests(b"1" * 32), AuditDigests(b"2" * 32)
    assert one.cache != other.cache
    assert one.call("call_0") != other.call("call_0")
    assert one.arguments(canonical({})) != other.arguments(canonical({}))
    assert one.call("x") != one.arguments(b"x")


def test_rows_whose_alias_is_withheld_are_logged_too(make_handler: MakeHandler, tmp_path: Path) -> None:
    """Of the default policy nothing in a row names its call; the log tells which it was."""
    handler, open_handler = make_handler(), make_handler(provenance="alias")
    digests = AuditDigests(secret_of(handler))
    for tool in ("search_transcript_segments", "search_transcripts_by_call_facts"):
        arguments = {"query": "revenue"}
        path = tmp_path / f"{tool}.jsonl"
        with observed(handler, trail_at(path, handler)) as door:
            answer = ask(door, tool, **arguments)
        assert not any("call_ref" in row for row in answer.structured["results"])
        shown = open_handler.call(tool, arguments).answer.structured or {}
        aliases = {row["call_ref"] for row in shown["results"]}
        (line,) = lines(path)
        assert {call["call"] for call in line["calls"]} == {digests.call(alias) for alias in aliases}, tool


def test_a_completion_that_gives_aliases_is_logged_with_their_digests(handler: ToolHandler, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with observed(handler, trail_at(path, handler)) as door:
        values = door.complete_template("gong://calls/{call_ref}", "call_ref", "", cancel=Cancel())
    (line,) = lines(path)
    assert line["rows"] == len(values) > 3
    digests = AuditDigests(secret_of(handler))
    assert {call["call"] for call in line["calls"]} == {digests.call(value) for value in values}


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome"),
    [
        ("search_calls", {"limt": 1}, "invalid_argument"),
        ("search_calls", {"cursor": "x"}, "invalid_cursor"),
        ("get_call", {"call_id": "12345678901234567890"}, "not_found"),
    ],
)
def test_what_did_not_succeed_is_logged_with_its_code(
    handler: ToolHandler, tmp_path: Path, tool: str, arguments: dict[str, Any], outcome: str
) -> None:
    path = tmp_path / "a.jsonl"
    with observed(handler, trail_at(path, handler)) as door:
        ask(door, tool, **arguments)
    (line,) = lines(path)
    assert (line["tool"], line["outcome"]) == (tool, outcome)
    assert "calls" not in line
    assert "rows" not in line


def test_a_name_from_the_catalogue_is_kept_even_where_it_is_not_allowed(
    make_handler: MakeHandler, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    handler = make_handler(tool_preset="business-pilot")
    with observed(handler, trail_at(path, handler)) as door:
        for tool in ("get_call", "no_such_tool"):
            with pytest.raises(UnknownTool):
                ask(door, tool)
    assert [(line.get("tool"), line["outcome"], line["preset"]) for line in lines(path)] == [
        ("get_call", "unknown_tool", "business-pilot"),
        (None, "unknown_tool", "business-pilot"),
    ]


def test_an_answer_that_cannot_be_recorded_is_not_given(
    sample_cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = build_handler(ServerSettings.resolve({}, {}), sample_cache, session=EvidenceSession())
    file = LineFile(tmp_path / "a.jsonl")
    trail = AuditTrail(file)

    def full(_line: bytes) -> None:
        raise Unwritable("no space left on device")

    with observed(handler, trail) as door, caplog.at_level(logging.ERROR, "gongmcp"):
        monkeypatch.setattr(file, "append", full)
        for _ in range(3):
            answer = ask(door, "search_transcript_segments", query="revenue")
            assert (answer.is_error, answer.structured) == (True, None)
            assert answer.error == {
                "code": "audit_unavailable",
                "message": "This answer could not be recorded, so it is not given.",
                "hint": "The operator mends the audit file; the log on stderr says what is wrong with it.",
            }
            assert "revenue" not in answer.text
        with pytest.raises(ToolFault, match="could not be recorded"):
            door.read_resource("gong://status", Cancel())
        with pytest.raises(ToolFault, match="could not be recorded"):
            door.complete_template("gong://calls/{call_ref}", "call_ref", "", cancel=Cancel())
        monkeypatch.undo()
        assert not ask(door, "search_transcript_segments", query="revenue").is_error
    assert [record.getMessage() for record in caplog.records] == [
        "the audit log cannot be written: no space left on device; nothing is answered until it can"
    ]
    assert len(lines(tmp_path / "a.jsonl")) == 1


def test_requests_refused_at_the_http_door_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    trail = AuditTrail(LineFile(path))
    for number in range(10_000):
        trail.on_refused(RefusedRequest(1_780_000_000.0 + number / 1e5, 401, "bad_token"))
    trail.on_refused(RefusedRequest(1_780_000_001.0, 429, "rate_limited", "team a"))
    trail.flush()
    found = lines(path)
    assert len(found) < 10  # a second or so went by meanwhile
    assert sum(line.get("count", 1) for line in found if line["outcome"] == "bad_token") == 10_000
    assert [line["token"] for line in found if line["outcome"] == "rate_limited"] == ["team a"]
    trail.flush()
    assert lines(path) == found
