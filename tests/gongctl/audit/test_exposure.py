"""``gongctl audit exposure`` against a plain recount of what the client received."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongmcp.errors import Exit
from tests.gongctl.audit.conftest import Gongctl, Session
from tests.gongmcp.conftest import build_cache

DIEGO = "Diego.Villalobos@harbourline.example"


def sample_calls() -> list[dict[str, Any]]:
    """Return the sample's calls as Gong gave them."""
    (file,) = (path for path in sample.files() if path.name.startswith("calls"))
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def expected(session: Session, ids: set[str]) -> dict[str, tuple[int, int, dict[str, int]]]:
    """Return answers, segments and tools of each call of *ids* of which something left."""
    return {
        call_ref: (left.answers, len(left.segments), dict(left.tools))
        for call_ref, left in session.left.items()
        if session.ids[call_ref] in ids
    }


def told(exposure: Any) -> dict[str, tuple[int, int, dict[str, int]]]:
    return {call["call_ref"]: (call["answers"], call["segments"], call["tools"]) for call in exposure["calls"]}


def test_the_script_shows_something_of_several_calls(session: Session) -> None:
    """What the tests below count is there: several calls, of which different things left."""
    assert len(session.left) >= 5
    assert len({len(left.segments) for left in session.left.values()}) > 3
    assert any(not left.segments for left in session.left.values())


def test_each_call_is_told_as_the_client_received_it(gongctl: Gongctl, session: Session) -> None:
    for call_ref, call_id in session.ids.items():
        for name in (call_ref, call_id):
            found = gongctl("audit", "exposure", session.log, "--call", name, "--json").json("audit-exposure")
            assert told(found) == expected(session, {call_id})
            if call_ref not in session.left:
                assert found["calls"] == []
                continue
            (call,) = found["calls"]
            assert call["call_id"] == call_id
            count = session.segment_counts[call_ref]
            assert call["segments_in_all"] == count
            if not count:
                assert (call["percent_of_segments"], call["percent_of_text"]) == (None, None)
                continue
            assert call["percent_of_segments"] == round(100 * call["segments"] / count, 1)
            with closing(sqlite3.connect(session.db)) as connection:
                sql = (
                    "SELECT length(text) FROM segments JOIN call_facts ON call_no = segment_no >> 19 WHERE call_id = ?"
                )
                lengths = [row[0] for row in connection.execute(f"{sql} ORDER BY segment_no", (call_id,))]
            shown = sum(lengths[index] for index in session.left[call_ref].segments)
            assert call["percent_of_text"] == round(100 * shown / sum(lengths), 1)
            (reader,) = call["readers"]
            assert (reader["transport"], reader["client"], reader["token"]) == ("stdio", "test 0", "")
            assert {name: reader[name] for name in ("answers", "segments", "first", "last")} == {
                name: call[name] for name in ("answers", "segments", "first", "last")
            }
            assert [policy["answers"] for policy in call["policies"]] == [call["answers"]]


def test_an_accounts_calls_and_a_persons(gongctl: Gongctl, session: Session) -> None:
    calls = sample_calls()
    accounts: dict[str, set[str]] = {}
    for call in calls:
        for system in call.get("context", ()):
            for item in system["objects"]:
                name = [field["value"] for field in item["fields"] if field["name"].lower() == "name"]
                if item["objectType"] in ("Account", "Company") and name:
                    accounts.setdefault(name[0], set()).add(call["metaData"]["id"])
    assert len(accounts) > 4
    for name, ids in accounts.items():
        found = gongctl("audit", "exposure", session.log, "--account", name.upper(), "--json").json("audit-exposure")
        assert told(found) == expected(session, ids)
        assert found["calls_asked_about"] == len(ids)
    of_diego = {
        call["metaData"]["id"]
        for call in calls
        if any((party.get("emailAddress") or "").lower() == DIEGO.lower() for party in call["parties"])
    }
    found = gongctl("audit", "exposure", session.log, "--participant", DIEGO, "--json").json("audit-exposure")
    assert len(of_diego) == found["calls_asked_about"] == 4
    assert told(found) == expected(session, of_diego)
    assert found["segments"] == sum(segments for _, segments, _ in told(found).values())
    text = gongctl("audit", "exposure", session.log, "--participant", DIEGO).out
    assert f"of {len(found['calls'])} of 4 calls" in text
    assert all(call["call_ref"] in text and call["call_id"] in text for call in found["calls"])


def test_without_ids_calls_are_named_by_their_aliases_and_that_is_all_that_restricted_mode_prints(
    gongctl: Gongctl, session: Session
) -> None:
    line = ("audit", "exposure", session.log, "--participant", DIEGO)
    assert gongctl("--restricted", *line).code == Exit.REFUSED
    for more in ((), ("--json",)):
        done = gongctl("--restricted", *line, "--no-ids", *more)
        assert done.code == 0
        assert not any(call_id in done.out for call_id in session.ids.values())
        assert "call_" in done.out


def test_a_log_of_another_cache_is_told_and_not_resolved(gongctl: Gongctl, session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    shutil.copy(session.db, other)
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'secret'", ("ab" * 32,))
    call_id = session.ids[next(iter(session.left))]
    done = gongctl("audit", "exposure", session.log, "--db", other, "--call", call_id, "--json")
    found = done.json("audit-exposure")
    assert (found["calls"], found["answers"]) == ([], 0)
    assert found["answers_of_another_cache"] >= max(left.answers for left in session.left.values())
    assert "Answers of another cache" in done.err


def test_a_call_that_left_the_cache_since_is_still_found_by_its_id(
    gongctl: Gongctl, session: Session, tmp_path: Path
) -> None:
    call_ref, left = max(session.left.items(), key=lambda item: len(item[1].segments))
    smaller = tmp_path / "smaller.db"
    shutil.copy(session.db, smaller)
    with closing(sqlite3.connect(smaller)) as connection, connection:
        for table in ("raw_calls", "raw_transcripts", "call_facts"):
            connection.execute(f"DELETE FROM {table} WHERE call_id = ?", (session.ids[call_ref],))
    done = gongctl("audit", "exposure", session.log, "--db", smaller, "--call", session.ids[call_ref], "--json")
    (call,) = done.json("audit-exposure")["calls"]
    assert (call["answers"], call["segments"]) == (left.answers, len(left.segments))
    assert (call["segments_in_all"], call["percent_of_segments"], call["percent_of_text"]) == (0, None, None)
    assert "not known" in done.err


@pytest.mark.parametrize("more", [(), ("--call", "1", "--account", "x")])
def test_one_thing_is_asked_about(gongctl: Gongctl, session: Session, more: tuple[str, ...]) -> None:
    done = gongctl("audit", "exposure", session.log, *more)
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "Give one of" in done.err


def test_an_account_of_no_call_is_not_told_as_one_that_nothing_left_of(gongctl: Gongctl, session: Session) -> None:
    done = gongctl("audit", "exposure", session.log, "--account", "No Such Account")
    assert (done.code, done.out) == (Exit.OK, "The cache has no such call, so nothing of it was looked for.\n")


def test_the_same_call_of_two_caches_made_alike_is_resolved(gongctl: Gongctl, session: Session, tmp_path: Path) -> None:
    """A rebuilt cache with the same secret answers for a log of the one before."""
    again = build_cache(tmp_path / "again.db", sample.files())
    call_ref = next(iter(session.left))
    line = ("audit", "exposure", session.log, "--call", session.ids[call_ref], "--json")
    assert gongctl(*line, "--db", again).out == gongctl(*line).out
