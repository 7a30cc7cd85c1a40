"""What the TUI learns of a profile through ``CacheOperations``, counted again by hand on the bundled sample."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from gongctl.cache.writer import CacheWriter
from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.operations import BUILTIN, CacheOperations
from gongctl.profile.canonical import canonical_sha256
from gongctl.profile.document import read_profile
from gongctl.profile.store import import_profile
from gongmcp.errors import StartupRefusal
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tui.operations import ProfileView

PROFILE = """\
version: 1
name: Harbour Analytics
objects:
  deal: {object_types: [Opportunity]}
  account: {object_types: [Account]}
fields:
  deal_stage: {object: deal, names: [StageName], groupable: true}
  deal_type: {object: deal, names: [Type]}
  account_industry: {object: account, names: [Industry], groupable: true}
lifecycle:
  renewal:
    label: Renewals
    order: 10
    rules: [{field: deal_type, op: equals, value: Renewal}]
  closed_won: {order: 20, rules: [{field: deal_stage, op: equals, value: Closed Won}]}
  closed_lost: {order: 30, rules: [{field: deal_stage, op: equals, value: Closed Lost}]}
  post_sales: {order: 40, rules: [{field: deal_type, op: equals, value: Expansion}]}
  open: {order: 50, rules: [{field: deal_stage, op: is_set}]}
  unknown: {order: 999}
methodology:
  loss_reason: {fields: [{object: deal, name: LossReason}]}
"""
RENEWALS_LAST = PROFILE.replace("order: 10", "order: 60")
"""The same, but for renewals that are won, lost or open already."""


def unseen(done: int, total: int) -> None:
    """Look at no progress."""


def never() -> bool:
    """Never stop."""
    return False


def bring_in(db: Path, text: str, *, activate: bool = True) -> None:
    """Import the profile *text* as ``gongctl profile import`` does."""
    document = read_profile(text)
    assert document.profile is not None, document.findings
    with CacheWriter.open(db) as writer:
        import_profile(
            writer,
            document.profile,
            canonical_sha256=canonical_sha256(document.profile),
            source=text,
            source_sha256=document.source_sha256,
            source_path="profile.yaml",
            findings=[],
            imported_by="tester",
            activate=activate,
        )


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warmed cache without a profile."""
    db = tmp_path_factory.mktemp("bare") / "sample.db"
    build_sample(db)
    return db


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with an active profile and its facts."""
    path = tmp_path_factory.mktemp("profiled") / "sample.db"
    build_sample(path)
    bring_in(path, PROFILE)
    CacheOperations(path).warm(unseen, never)
    return path


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    """A candidate file that puts renewals last."""
    path = tmp_path / "candidate.yaml"
    path.write_text(RENEWALS_LAST, encoding="utf-8")
    return path


def served(db: Path) -> int:
    """How many calls agents may see."""
    with closing(sqlite3.connect(db)) as connection:
        count: int = connection.execute("SELECT count(*) FROM call_facts").fetchone()[0]
    assert count > 5
    return count


def read(db: Path) -> ProfileView:
    view = CacheOperations(db).profile()
    assert view is not None
    return view


def test_the_active_profile_is_told(db: Path) -> None:
    view = read(db)
    assert (view.profile_id, view.name, view.facts) == ("profile_1", "Harbour Analytics", "fresh")
    assert view.reason
    told = {(item.kind, item.name): (item.stands_for, item.groupable) for item in view.concepts}
    assert told == {
        ("object", "deal"): ("Opportunity", False),
        ("object", "account"): ("Account", False),
        ("field", "deal_stage"): ("deal.StageName", True),
        ("field", "deal_type"): ("deal.Type", False),
        ("field", "account_industry"): ("account.Industry", True),
        ("methodology", "loss_reason"): ("deal.LossReason", False),
    }


def test_buckets_are_counted_in_the_order_they_are_tried_and_empty_ones_too(db: Path) -> None:
    view = read(db)
    assert [item.bucket for item in view.buckets] == [
        "renewal", "closed_won", "closed_lost", "post_sales", "open", "unknown",
    ]  # fmt: skip
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT bucket FROM profile_facts").fetchall()
    counted = Counter(bucket for (bucket,) in rows)
    assert {item.bucket: item.calls for item in view.buckets if item.calls} == counted
    assert sum(item.calls for item in view.buckets) == served(db)
    assert view.buckets[0].label == "Renewals"
    assert view.buckets[0].calls


def test_unmapped_fields_are_those_of_the_tool(db: Path) -> None:
    handler = build_handler(ServerSettings(), db)
    outcome = handler.call("list_unmapped_crm_fields", {"include_field_names": True, "limit": 100})
    assert outcome.answer.structured is not None
    rows = outcome.answer.structured["results"]
    assert rows
    assert [(item.object_type, item.field_name, item.populated) for item in read(db).unmapped] == [
        (row["object_type"], row["field_name"], pytest.approx(row["population_rate"], abs=0.001)) for row in rows
    ]


def test_findings_are_judged_against_the_cache_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    build_sample(path)
    bring_in(path, PROFILE.replace("names: [Industry]", "names: [Industry__gone]"))
    found = {(item.severity, item.code, item.path): item for item in read(path).findings}
    finding = found["error", "field_mapping_not_seen", "fields.account_industry"]
    assert finding.line == 9
    assert "Industry__gone" in finding.message


def test_facts_are_missing_until_a_warm(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    build_sample(path)
    bring_in(path, PROFILE)
    view = read(path)
    assert (view.facts, view.buckets) == ("missing", ())
    assert view.reason
    assert view.unmapped
    CacheOperations(path).warm(unseen, never)
    assert read(path).facts == "fresh"


def test_without_a_profile_there_is_none(bare: Path) -> None:
    assert CacheOperations(bare).profile() is None


@pytest.mark.parametrize("name", ["missing.db", "text.db"])
def test_what_is_no_cache_is_refused(tmp_path: Path, candidate: Path, name: str) -> None:
    (tmp_path / "text.db").write_text("no database", encoding="utf-8")
    operations = CacheOperations(tmp_path / name)
    with pytest.raises(StartupRefusal):
        operations.profile()
    with pytest.raises(StartupRefusal):
        operations.compare_profile(str(candidate), unseen, never)


def test_a_candidate_is_compared_call_by_call(db: Path, candidate: Path) -> None:
    seen: list[tuple[int, int]] = []
    before = db.read_bytes()
    found = CacheOperations(db).compare_profile(str(candidate), lambda done, total: seen.append((done, total)), never)
    assert (found.valid, found.finished, found.same_meaning, found.calls) == (True, True, False, served(db))
    assert found.candidate == "Harbour Analytics (candidate.yaml)"
    assert found.against == "Harbour Analytics (profile_1)"
    assert seen[-1] == (served(db), served(db))
    was: Counter[str] = Counter()
    for move in found.moves:
        was[move.before] += move.calls
    assert was == Counter({item.bucket: item.calls for item in read(db).buckets if item.calls})
    moved = [move for move in found.moves if move.before != move.after]
    assert moved
    assert {move.before for move in moved} == {"renewal"}
    assert db.read_bytes() == before


def test_moves_come_in_the_order_of_the_buckets(db: Path, candidate: Path) -> None:
    found = CacheOperations(db).compare_profile(str(candidate), unseen, never)
    order = [item.bucket for item in read(db).buckets]
    places = [order.index(move.before) for move in found.moves]
    assert places == sorted(places)


def test_the_same_words_mean_the_same(db: Path, candidate: Path) -> None:
    candidate.write_text(PROFILE.replace("label: Renewals", "label: Other words"), encoding="utf-8")
    found = CacheOperations(db).compare_profile(str(candidate), unseen, never)
    assert found.same_meaning
    assert all(move.before == move.after for move in found.moves)


def test_without_a_profile_the_builtin_lifecycle_is_compared(bare: Path, candidate: Path) -> None:
    found = CacheOperations(bare).compare_profile(str(candidate), unseen, never)
    assert found.against == BUILTIN
    assert sum(move.calls for move in found.moves) == served(bare)


def test_a_comparison_stops_when_asked(db: Path, candidate: Path) -> None:
    found = CacheOperations(db).compare_profile(str(candidate), unseen, lambda: True)
    assert (found.valid, found.finished, found.calls, found.moves) == (True, False, 0, ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("version: [", "malformed_yaml"),
        ("", "profile_nil"),
        (PROFILE.replace("  unknown: {order: 999}\n", ""), "missing_lifecycle_bucket"),
        (PROFILE.replace("[StageName]", "[Stage__gone]"), "field_mapping_not_seen"),
    ],
)
def test_an_invalid_candidate_is_judged_and_not_counted(db: Path, candidate: Path, text: str, code: str) -> None:
    candidate.write_text(text, encoding="utf-8")
    found = CacheOperations(db).compare_profile(str(candidate), unseen, never)
    assert not found.valid
    assert code in {item.code for item in found.findings if item.severity == "error"}
    assert (found.moves, found.calls) == ((), 0)
    assert found.candidate == "candidate.yaml"


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A folder with a pipe, which nobody ever writes to."""
    os.mkfifo(tmp_path / "pipe.yaml")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.yaml", "cannot be read"),
        ("", "is a folder"),
        ("pipe.yaml", "is no regular file"),
        ("a\x00b", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(db: Path, strange: Path, name: str, words: str) -> None:
    with pytest.raises(StartupRefusal, match=words):
        CacheOperations(db).compare_profile(f"{strange}/{name}", unseen, never)


def test_a_home_is_understood_and_an_unknown_one_refused(
    db: Path, candidate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(candidate.parent))
    assert CacheOperations(db).compare_profile("~/candidate.yaml", unseen, never).valid
    with pytest.raises(StartupRefusal, match="no such user"):
        CacheOperations(db).compare_profile("~no-such-user-of-this-machine/x.yaml", unseen, never)


def test_a_cache_that_was_not_warmed_cannot_judge(tmp_path: Path, candidate: Path) -> None:
    path = tmp_path / "cold.db"
    with CacheWriter.open(path, create=True, secret=bytes(32)):
        pass
    with pytest.raises(StartupRefusal, match="no read model"):
        CacheOperations(path).compare_profile(str(candidate), unseen, never)
    assert CacheOperations(path).profile() is None
