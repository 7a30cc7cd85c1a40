"""The audit of the real server over standard input and output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gongmcp.audit.sealing import new_key, read_key_file
from tests.gongmcp.audit.asking import lines
from tests.gongmcp.stdio_process import Server


def test_an_unrecorded_answer_does_not_leave_and_a_lost_span_does_not_matter(
    sample_cache: Path, tmp_path: Path
) -> None:
    logs, spans, key = tmp_path / "logs", tmp_path / "spans", tmp_path / "key"
    logs.mkdir()
    spans.mkdir()
    key.touch(0o600)
    key.write_text(new_key())
    flags = ["--audit", str(logs / "a.jsonl"), "--audit-arguments", str(key), "--otel-file", str(spans / "s.jsonl")]
    asked = {"query": "revenue", "limit": 2}
    with Server(command=[sys.executable, "-m", "gongmcp", "--db", str(sample_cache), *flags]) as server:
        server.send(server.call(1, "search_transcript_segments", **asked))
        answered = server.answer(1)["result"]
        spans.rename(tmp_path / "no spans")
        for number in (2, 3):
            server.send(server.call(number, "get_sync_status"))
            assert server.answer(number)["result"]["isError"] is False
        logs.rename(tmp_path / "no logs")
        server.send(server.call(4, "search_transcript_segments", **asked))
        refused = server.answer(4)["result"]
        server.send(server.request(5, "resources/read", {"uri": "gong://status"}))
        unread = server.answer(5)["error"]
        logs.mkdir()
        server.send(server.call(6, "search_transcript_segments", **asked))
        assert server.answer(6)["result"] == answered
        server.hang_up()
        code, said = server.end()
    assert code == 0
    assert refused["isError"] is True
    assert "structuredContent" not in refused
    assert refused["_meta"]["gongctl/error"]["code"] == unread["data"]["code"] == "audit_unavailable"
    assert said.count("spans cannot be written: no such file or directory") == 1
    assert said.count("the audit log cannot be written: no such file or directory; nothing is answered") == 1
    before, after = lines(tmp_path / "no logs" / "a.jsonl"), lines(logs / "a.jsonl")
    assert [line["tool"] for line in before] == ["search_transcript_segments", "get_sync_status", "get_sync_status"]
    assert [line["tool"] for line in after] == ["search_transcript_segments"]
    first = before[0]
    opened = read_key_file(key).open(first["sealed"], first["tool"], first["arguments"])
    assert json.loads(opened) == asked
    assert (first["transport"], first["client"], first["protocol"]) == ("stdio", "test 0", "2025-11-25")
    # What the log knows of withheld things is not in the answer.
    assert first["withheld"]["provenance.redacted"] == 8
    assert "provenance.redacted" not in json.dumps(answered)
    assert {line["session"] for line in before} == {line["session"] for line in after}
