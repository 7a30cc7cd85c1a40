"""``gongctl audit tail`` and ``report``: figures against a plain recount, and logs that a killed server left."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gongctl.audit.reading import moment
from gongctl.cli import audit_cmd
from gongmcp.audit.sealing import read_key_file
from gongmcp.errors import Exit, StartupRefusal
from tests.gongctl.audit.conftest import SCRIPT, Gongctl, Session

ANSWERED = {"ok", "not_found", "unavailable"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_report_counts_what_the_client_received(gongctl: Gongctl, session: Session) -> None:
    report = gongctl("audit", "report", session.log, "--json").json("audit-report")
    bodies = [answer.get("result", {}).get("structuredContent") for answer in session.answers]
    errors = [answer.get("result", {}).get("_meta", {}).get("gongctl/error") for answer in session.answers]
    assert report["total"]["requests"] == len(session.answers) == len(SCRIPT) + 1
    assert report["total"]["refused"] == sum(body is None for body in bodies) == 2
    assert report["total"]["rows"] == sum(len(body.get("results", [1])) for body in bodies if body)
    assert report["total"]["calls"] == len(session.left)
    asked = Counter([*(tool for tool, _ in SCRIPT), "search_transcript_segments"])
    asked["(unknown tool)"] = asked.pop("no_such_tool")
    assert {row["name"]: row["requests"] for row in report["asked"]} == asked
    assert {(row["outcome"], row["name"]): row["requests"] for row in report["refused"]} == {
        ("invalid_argument", "search_transcript_segments"): 1,
        ("unknown_tool", "(unknown tool)"): 1,
    }
    assert [error["code"] for error in errors if error] == ["invalid_argument"]
    records = lines(session.log)
    withheld: Counter[str] = Counter()
    for record in records:
        withheld.update(record.get("withheld", {}))
    assert {row["rule"]: row["things"] for row in report["withheld"]} == withheld
    assert withheld
    times = sorted((record["ms"] for record in records), reverse=True)[:10]
    assert [row["ms"] for row in report["slowest"]] == times
    text = gongctl("audit", "report", session.log).out
    assert all(part in text for part in ("Who asked what", "Withheld by rule", "Refused", "Slowest", "Policies"))


def test_withheld_counts_are_in_the_report_and_in_no_answer(gongctl: Gongctl, session: Session) -> None:
    report = gongctl("audit", "report", session.log, "--json").json("audit-report")
    wire = json.dumps(session.answers)
    rules = [row["rule"] for row in report["withheld"] if "." in row["rule"]]
    assert rules
    assert not any(rule in wire for rule in rules)


def test_tail_prints_the_last_records_of_a_kind(gongctl: Gongctl, session: Session) -> None:
    records = lines(session.log)
    done = gongctl("audit", "tail", session.log, "-n", 3, "--json")
    assert [json.loads(line) for line in done.out.splitlines()] == records[-3:]
    done = gongctl("audit", "tail", session.log, "--refused", "--json")
    assert [json.loads(line)["outcome"] for line in done.out.splitlines()] == ["invalid_argument", "unknown_tool"]
    done = gongctl("audit", "tail", session.log, "--tool", "search_calls", "--json")
    assert [json.loads(line)["tool"] for line in done.out.splitlines()] == ["search_calls"]
    assert gongctl("audit", "tail", session.log, "--token", "nobody").out == ""
    assert len(gongctl("audit", "tail", session.log).out.splitlines()) == len(records)
    assert gongctl("audit", "tail", session.log, "--since", "2999-01-01").out == ""
    last = gongctl("audit", "tail", session.log, "--since", records[-1]["time"], "--json")
    assert [json.loads(line) for line in last.out.splitlines()] == [
        record for record in records if record["time"] >= records[-1]["time"]
    ]


def test_tail_follows_what_is_written_through_a_rotation(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = session.log.read_text().splitlines(keepends=True)
    path = tmp_path / "a.jsonl"
    path.write_text(written[0])

    def append(text: str) -> None:
        with path.open("a") as file:
            file.write(text)

    def rotate() -> None:
        path.rename(tmp_path / "a.jsonl.000001")

    # What happens while it sleeps; a line that is not whole yet waits for its rest.
    events = [
        *(lambda: append(written[1] + written[2][:30]), lambda: append(written[2][30:])),
        *(lambda: append("torn\n"), rotate, lambda: append(written[3])),
    ]
    monkeypatch.setattr(audit_cmd.time, "sleep", lambda _seconds: events.pop(0)())
    following = audit_cmd._following(path)
    found = [next(following) for _ in range(3)]
    assert [record.time for record in found] == [json.loads(line)["time"] for line in written[1:4]]
    assert events == []


def test_parts_that_were_moved_aside_are_read_first_and_lines_that_are_none_are_told(
    gongctl: Gongctl, session: Session, tmp_path: Path
) -> None:
    text = session.log.read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl.000001").write_text("".join(text[:4]) + text[4][:50])
    (tmp_path / "a.jsonl.000002").write_text("".join(text[4:7]) + "\n" + '{"v":99}\n')
    (tmp_path / "a.jsonl.old").write_text("not ours")
    (tmp_path / "a.jsonl").write_text("".join(text[7:]) + '{"v":1,"ti')
    whole = gongctl("audit", "report", session.log, "--json").json("audit-report")
    parts = gongctl("audit", "report", "a.jsonl", "--json").json("audit-report")
    assert (parts.pop("torn_lines"), parts.pop("newer_lines")) == (2, 1)
    assert (whole.pop("torn_lines"), whole.pop("newer_lines")) == (0, 0)
    assert parts == whole
    done = gongctl("audit", "tail", "a.jsonl", "--json")
    assert done.out == "".join(text)
    assert "no records: 2" in done.err
    assert "newer version, passed over: 1" in done.err


def test_what_is_no_log_is_refused(gongctl: Gongctl, tmp_path: Path, session: Session) -> None:
    for line in (("none.jsonl",), ("no/such/folder/a.jsonl",)):
        done = gongctl("audit", "report", *line)
        assert (done.code, done.out) == (Exit.USAGE, "")
        assert "There is no audit log" in done.err
    done = gongctl("audit", "report", session.log, "--since", "soon")
    assert done.code == Exit.USAGE
    (tmp_path / "empty.jsonl").touch()
    assert gongctl("audit", "report", "empty.jsonl").out == "No requests.\n"


def test_what_a_client_says_of_itself_is_drawn_literally(gongctl: Gongctl, session: Session, tmp_path: Path) -> None:
    record = lines(session.log)[0] | {"client": "\u001b[31m[red]x", "token": "\u202etoken"}
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n")
    for command in ("tail", "report"):
        out = gongctl("audit", command, "a.jsonl").out
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert "[31m[red]x" in out


def test_a_key_is_made_once_and_for_its_owner(gongctl: Gongctl, tmp_path: Path) -> None:
    assert gongctl("audit", "key", "k").code == 0
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o600
    read_key_file(tmp_path / "k")
    before = (tmp_path / "k").read_bytes()
    done = gongctl("audit", "key", "k")
    assert (done.code, (tmp_path / "k").read_bytes()) == (Exit.USAGE, before)
    assert gongctl("audit", "key", "no/such/folder/k").code == Exit.FAILED


@pytest.mark.parametrize("command", ["tail", "report"])
def test_reading_changes_nothing(gongctl: Gongctl, session: Session, tmp_path: Path, command: str) -> None:
    shutil.copy(session.log, tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").chmod(0o400)
    before = (tmp_path / "a.jsonl").read_bytes()
    assert gongctl("audit", command, "a.jsonl").code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]


@pytest.mark.parametrize(
    "since", ["0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "2026-13-01", "\ud800", ""]
)
def test_a_time_that_is_none_is_refused(since: str) -> None:
    with pytest.raises(StartupRefusal):
        moment(since)
