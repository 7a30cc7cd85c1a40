"""A purged call is nowhere in the file, everything kept agrees with the rest, and nothing brings it back."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from gongctl.cache.operator_model import operator_path, warm_operator_model
from gongctl.cache.secret import cache_secret
from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongctl.purge.audit_log import sealed_records
from gongctl.purge.policy import Approval, LegalHold, PurgePolicy, read_policy
from gongctl.purge.reclaim import is_pending
from gongctl.purge.remove import remove_calls, tables_of_calls
from gongctl.purge.run import plan, purge
from gongctl.purge.select import Criteria, select
from gongmcp.audit.digests import AuditDigests
from gongmcp.audit.line_file import LineFile
from gongmcp.audit.record import AuditRecord, ShownCall, decode, encode
from gongmcp.audit.sealing import ArgumentSeal
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.aliases import call_ref
from gongmcp.store.model import ModelRules

from .calls import SECRET, USERS, call_id, items, restricted_list, store, warmed, word, words
from .residue import residue

CALLS = range(12)
GONE = (1, 4, 7)
STAYING = [call for call in CALLS if call not in GONE]
NAMED = Criteria("call", calls=tuple(map(call_id, GONE)))
SERVED = (
    *("call_facts", "segments", "parties", "crm_objects", "crm_values", "counters", "answered_scorecards"),
    *("opportunities", "profile_facts", "tallies", "raw_records", "raw_calls", "raw_transcripts"),
)
APPROVED = Approval("RET-1", "R. Officer", date(2020, 1, 1), "Revenue Operations", "none kept", True)


@pytest.fixture(scope="module", autouse=True)
def fixed_time() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1767225600")
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    store(folder / "gong.db", CALLS, *USERS)
    warmed(folder / "gong.db", restricted_list(folder))
    return folder / "gong.db"


@pytest.fixture
def cache(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built, tmp_path / "gong.db"))


def ids(path: Path, criteria: Criteria, hold: LegalHold | None = None) -> set[str]:
    connection = sqlite3.connect(path)
    try:
        return set(select(connection, criteria, hold).call_ids)
    finally:
        connection.close()


def of(calls: Sequence[int]) -> set[str]:
    return {call_id(call) for call in calls}


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})") if name != "generation"]
        return sorted(connection.execute(f"SELECT {', '.join(columns)} FROM {table}"), key=repr)
    finally:
        connection.close()


def test_nothing_of_a_purged_call_is_left_in_the_file(cache: Path) -> None:
    sought = words(GONE) | of(GONE)
    assert residue(cache, sought) == sought, "the control: it was there"
    before = cache.stat().st_size
    certificate = purge(cache, NAMED)
    assert certificate.clean
    assert residue(cache, sought) == set()
    assert residue(cache, words(STAYING)) == words(STAYING), "the others stay"
    assert cache.stat().st_size < before
    assert not cache.with_name(cache.name + "-wal").exists()


def test_the_operator_s_model_goes_too(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        warm_operator_model(writer, ModelRules())
    model = operator_path(cache)
    assert word(GONE[0], "spoken").encode() in model.read_bytes(), "the control"
    assert plan(cache, NAMED).operator_model_removed
    assert model.exists()
    assert purge(cache, NAMED).operator_model_removed
    assert not model.exists()
    assert not purge(cache, NAMED).operator_model_removed


def test_without_cleaning_a_removed_call_is_still_in_the_file(cache: Path) -> None:
    """The control of the test above: rows that are merely deleted leave all of it behind."""
    connection = sqlite3.connect(cache, isolation_level=None)
    connection.execute("PRAGMA secure_delete = OFF")
    for table in tables_of_calls(connection):
        connection.execute(f"DELETE FROM {table} WHERE call_id IN (?, ?, ?)", tuple(map(call_id, GONE)))
    connection.close()
    assert len(residue(cache, words(GONE))) > len(words(GONE)) // 2


@pytest.mark.parametrize("step", ["_forget_words", "_merge"])
def test_without_a_step_of_the_cleaning_words_are_left(cache: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of each step: the index of the restricted list, and what full-text indexes keep of removed rows."""
    monkeypatch.setattr(f"gongctl.purge.reclaim.{step}", lambda *given: None)
    purge(cache, NAMED)
    assert residue(cache, words(GONE))


def test_removal_alone_leaves_words_in_the_indexes_and_says_that_cleaning_waits(cache: Path) -> None:
    with CacheWriter.open(cache) as writer:
        remove_calls(writer, [call_id(call) for call in GONE])
        assert is_pending(writer.connection)
    assert residue(cache, words(GONE))
    certificate = purge(cache, NAMED)  # nothing is left to remove, and the cleaning is taken up
    assert certificate.clean
    assert residue(cache, words(GONE)) == set()


def test_what_stays_is_what_a_cache_without_those_calls_holds(cache: Path, tmp_path: Path) -> None:
    purge(cache, NAMED)
    other = tmp_path / "other.db"
    store(other, STAYING, *USERS)
    warmed(other, restricted_list(tmp_path))
    for table in SERVED:
        assert rows(cache, table) == rows(other, table), table
    with CacheWriter.open(cache) as writer:
        assert recount(writer.connection) == []


def test_neither_an_import_nor_a_warm_brings_a_purged_call_back(cache: Path, tmp_path: Path) -> None:
    purge(cache, NAMED)
    report = store(cache, CALLS, *USERS)
    assert report.kept_out == 3 * len(GONE)
    warmed(cache, restricted_list(tmp_path))
    assert residue(cache, words(GONE)) == set()
    assert {row[0] for row in rows(cache, "raw_calls")} == of(STAYING)


def test_an_id_that_is_not_here_yet_is_kept_out(tmp_path: Path) -> None:
    cache = tmp_path / "c.db"
    store(cache, [0])
    certificate = purge(cache, Criteria("call", calls=(call_id(5),)))
    assert (certificate.selection.unknown, certificate.removed.calls) == ([call_id(5)], 0)
    assert store(cache, [5]).kept_out == 3


def test_a_plan_changes_nothing(cache: Path) -> None:
    before = cache.read_bytes()
    planned = plan(cache, NAMED)
    assert cache.read_bytes() == before
    assert (planned.executed, planned.removed.calls, planned.removed.answered_scorecards) == (False, 3, 3)
    done = purge(cache, NAMED)
    assert done.removed == planned.removed


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        (Criteria("age", cutoff=date(2024, 12, 1)), [c for c in CALLS if c % 4 == 0]),
        (Criteria("age", cutoff=date(2024, 11, 14)), [0]),
        (Criteria("age", cutoff=date(2024, 11, 10)), []),
        (Criteria("call", calls=(call_ref(cache_secret(SECRET), call_id(3)), call_id(4))), [3, 4]),
        (Criteria("participant", participants=(f" {word(2, 'mail').upper()}@EXAMPLE.com ",)), [2]),
        (Criteria("participant", participants=("h@example.org",)), list(CALLS)),
        (Criteria("participant", participants=("nobody@example.com",)), []),
        (Criteria("account", accounts=(f"works  {word(6, 'account')}",)), [6]),
        (Criteria("account", accounts=("works",)), []),
    ],
)
def test_what_is_selected(cache: Path, criteria: Criteria, found: list[int]) -> None:
    assert ids(cache, criteria) == of(found)


def test_the_record_of_a_user_with_the_address_stays_and_is_told(cache: Path) -> None:
    certificate = purge(cache, Criteria("participant", participants=("h@example.org",)))
    assert (certificate.removed.calls, certificate.selection.users) == (len(CALLS), 1)
    assert "records of 1 users" in "\n".join(certificate.lines())
    assert rows(cache, "raw_records")


def test_names_that_are_nearly_those_of_an_account_are_counted(cache: Path) -> None:
    assert plan(cache, Criteria("account", accounts=("Works",))).selection.alike == len(CALLS)


def test_held_calls_stay(cache: Path) -> None:
    hold = LegalHold(
        calls=(call_id(0),),
        participants=(f"{word(4, 'mail')}@example.com",),
        accounts=(f"Works {word(8, 'account')}",),
    )
    everything = Criteria("age", cutoff=date(2030, 1, 1))
    assert ids(cache, everything, hold) == of([call for call in CALLS if call not in (0, 4, 8)])
    certificate = purge(cache, everything, PurgePolicy(1, legal_hold=hold, approval=APPROVED))
    assert (certificate.selection.held, certificate.selection.held_unknown) == (3, 0)
    assert plan(cache, everything, PurgePolicy(1, legal_hold=LegalHold(calls=("12",)))).selection.held_unknown == 1
    with pytest.raises(StartupRefusal, match="no call of that alias"):
        plan(cache, everything, PurgePolicy(1, legal_hold=LegalHold(calls=("call_0000000000000000",))))
    assert residue(cache, words((0, 4, 8))) == words((0, 4, 8))


def test_a_transcript_and_a_scorecard_without_a_call_are_purged_by_their_day(tmp_path: Path) -> None:
    cache = tmp_path / "c.db"
    store(cache, [0], items(1)[1], items(2)[2])
    assert ids(cache, Criteria("age", cutoff=date(2025, 2, 1))) == of([0, 2])
    assert ids(cache, Criteria("age", cutoff=date(2999, 1, 1))) == of([0, 1, 2])
    assert purge(cache, Criteria("age", cutoff=date(2999, 1, 1))).clean
    assert residue(cache, words([0, 1, 2])) == set()
    assert {row for row in rows(cache, "tallies") if row[1]} == set()


def test_a_purge_works_beside_a_reader_and_says_when_a_log_is_left(cache: Path) -> None:
    reader = sqlite3.connect(f"file:{cache}?mode=ro", uri=True, isolation_level=None)
    reader.execute("SELECT count(*) FROM call_facts").fetchone()
    assert purge(cache, replace(NAMED, calls=(call_id(1),))).clean, "an idle reader is no hindrance"

    def begin(done: int, todo: int) -> None:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM call_facts").fetchone()[0] == 10

    certificate = purge(cache, replace(NAMED, calls=(call_id(4),)), progress=begin)
    assert not certificate.clean
    assert certificate.reclaimed is not None
    assert certificate.reclaimed.left_in_log
    assert reader.execute("SELECT count(*) FROM call_facts").fetchone()[0] == 10, "it reads on in its snapshot"
    reader.execute("COMMIT")
    reader.close()
    assert purge(cache, replace(NAMED, calls=(call_id(4),))).clean
    assert residue(cache, words((1, 4))) == set()


def test_a_stopped_purge_is_gone_on_with(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongctl.purge.remove.BATCH_CALLS", 2)
    asked = iter([False, True])
    stopped = purge(cache, NAMED, should_stop=lambda: next(asked, True))
    assert (stopped.interrupted, stopped.removed.calls, stopped.clean, stopped.tombstones) == (True, 2, False, 2)
    rest = purge(cache, NAMED)
    assert (rest.removed.calls, rest.clean) == (1, True)
    assert residue(cache, words(GONE)) == set()


def test_the_certificate_names_nobody(cache: Path) -> None:
    for criteria in (
        NAMED,
        Criteria("participant", participants=(f"{word(2, 'mail')}@example.com",)),
        Criteria("account", accounts=(f"Works {word(6, 'account')}",)),
    ):
        for certificate in (plan(cache, criteria), purge(cache, criteria)):
            said = (json.dumps(certificate.as_json()) + "\n".join(certificate.lines())).lower()
            assert not [w for w in words(CALLS) | of(list(CALLS)) | {"@example"} if w in said]
            assert "backups" in said


def test_a_policy_needs_its_approval(cache: Path) -> None:
    before = cache.read_bytes()
    for lacking in (
        replace_approval(reference=" "),
        replace_approval(legal_hold_reviewed=False),
        replace_approval(approved_at=None),
        replace_approval(approved_at=date(2999, 1, 1)),
    ):
        with pytest.raises(StartupRefusal, match="approval lacks"):
            purge(cache, NAMED, PurgePolicy(1, approval=lacking))
    assert cache.read_bytes() == before


def replace_approval(**changes: object) -> Approval:
    from msgspec.structs import replace as replaced

    return replaced(APPROVED, **changes)


GOOD = """\
version: 1
older_than: 730 days
legal_hold: {calls: ["1"], participants: [dana@example.com]}
approval:
  {reference: R, approved_by: A, approved_at: 2025-06-30, data_owner: D, backup_reference: n, legal_hold_reviewed: true}
"""


def test_a_policy_file(tmp_path: Path) -> None:
    path = tmp_path / "retention.yaml"
    path.write_text(GOOD)
    policy = read_policy(path)
    assert policy.cutoff(date(2026, 1, 2)) == date(2024, 1, 3)
    assert policy.approval.missing(date(2026, 1, 1)) == []
    assert policy.legal_hold.participants == ("dana@example.com",)
    path.write_text("version: 1\nolder_than: 2025-01-31\n")
    assert read_policy(path).cutoff(date(2026, 1, 2)) == date(2025, 1, 31)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "version: 2",
        "version: 1\nolder_then: 2025-01-01",
        "version: 1\nolder_than: soon",
        "version: 1\nolder_than: 5",
        "version: 1\nsha256: a",
        "version: 1\nlegal_hold: {calls: [1]}",
        "version: 1\nlegal_hold: {call: [a]}",
        "version: 1\nversion: 1",
        "version: 1\nx: [",
        "a: &a [*a]\nversion: 1",
        "version: 1\napproval: {legal_hold_reviewed: maybe}",
        "\x00",
        "version: 1\nreference: " + "x" * 70_000,
    ],
)
def test_a_wrong_policy_file_is_refused_without_quoting_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "retention.yaml"
    path.write_text(text)
    with pytest.raises(StartupRefusal) as refused:
        read_policy(path)
    assert refused.value.message.startswith("retention.yaml: ")
    assert "soon" not in refused.value.message
    assert "maybe" not in refused.value.message
    os.remove(path)  # noqa: PTH107
    with pytest.raises(StartupRefusal, match="no such file"):
        read_policy(path)


def test_arguments_kept_for_replay_go_with_the_call_that_they_showed(cache: Path, tmp_path: Path) -> None:
    secret = cache_secret(SECRET)
    seal = ArgumentSeal(bytes(32))

    def line(call: int, sealed: str) -> bytes:
        shown = ShownCall(call=AuditDigests(secret).call(call_ref(secret, call_id(call))), segments=2)
        return encode(AuditRecord(time="t", transport="stdio", outcome="ok", calls=(shown,), sealed=sealed))

    log = tmp_path / "audit.jsonl"
    file = LineFile(log)
    for call in (1, 2, 4):
        file.append(line(call, seal.seal(b"{}", "t", "d")))
    file.append(line(7, ""))
    before = log.read_bytes().split(b"\n")
    assert plan(cache, NAMED, audit_logs=[log]).audit_records == 2
    assert log.read_bytes().split(b"\n") == before
    assert purge(cache, NAMED, audit_logs=[log]).audit_records == 2
    file.append(line(2, "later"))
    after = log.read_bytes().split(b"\n")
    assert [decode(text).sealed != "" for text in after[:-1]] == [False, True, False, False, True]
    assert (after[1], after[3]) == (before[1], before[3]), "other lines stay byte for byte"
    assert [decode(text).calls for text in after[:4]] == [decode(text).calls for text in before[:4]]
    assert log.stat().st_mode & 0o777 == 0o600
    with pytest.raises(StartupRefusal, match="no audit log"):
        purge(cache, NAMED, audit_logs=[tmp_path / "none"])


def test_a_log_that_a_server_moves_aside_meanwhile_is_cleared_and_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def line(time: str, sealed: str) -> bytes:
        shown = (ShownCall(call="ab"),)
        return encode(AuditRecord(time=time, transport="stdio", outcome="ok", calls=shown, sealed=sealed)) + b"\n"

    path, moved = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.000001"
    path.write_bytes(line("old", "arguments"))
    lock = fcntl.flock

    def while_it_is_waited_for(handle: int, operation: int) -> None:
        if not moved.exists():
            path.rename(moved)
            path.write_bytes(line("new", ""))
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", while_it_is_waited_for)
    assert sealed_records(path, {"ab"}, clear=True) == 1
    assert path.read_bytes() == line("new", "")
    assert moved.read_bytes() == line("old", "")
