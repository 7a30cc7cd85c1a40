"""The filtered export: nothing of a restricted customer is anywhere in the file, everything else is."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.connection import reading
from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongctl.governance.export import ExportReport, Stopped, export_filtered
from gongctl.profile.canonical import canonical_sha256
from gongctl.profile.document import read_profile
from gongctl.profile.store import content_of, history, import_profile, source_of
from gongctl.profile.yaml_text import profile_yaml
from gongmcp.errors import StartupRefusal
from gongmcp.governance.scope import Scope
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.planted import (
    BY_LIST,
    GERMAN,
    SPELLINGS,
    STAYING,
    build,
    listed,
    rules_with,
    served,
    spelt_in,
)
from tests.gongctl.profile_cache import OTHER_PROFILE, PROFILE, THIRD_PROFILE
from tests.gongmcp.stdio_process import ROOT

NAMED_IN_NOTES = PROFILE.replace("label: Won", "label: Won like Quokka") + "# seen: Zebra Rockets\n"
NAMED_IN_A_RULE = OTHER_PROFILE.replace("value: nego", "value: quokka")


def keep_profile(writer: CacheWriter, text: str) -> None:
    """Import a profile and make it the active one; whether the CRM has what it names is not the matter here."""
    document = read_profile(text, "profile.yaml")
    assert document.profile is not None, document.findings
    import_profile(
        writer,
        document.profile,
        canonical_sha256=canonical_sha256(document.profile),
        source=text,
        source_sha256=document.source_sha256,
        source_path="profile.yaml",
        findings=[],
        imported_by="operator",
        activate=True,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = build(tmp_path / "source.db", listed(tmp_path))
    with CacheWriter.open(path) as writer:
        for text in (NAMED_IN_A_RULE, THIRD_PROFILE, NAMED_IN_NOTES):
            keep_profile(writer, text)
    return path


def export(source: Path, tmp_path: Path, scope: Scope | None = None, **options: Any) -> tuple[Path, ExportReport]:
    restricted = listed(tmp_path)
    target = tmp_path / "new.db"
    return target, export_filtered(source, target, rules_with(restricted, scope), restricted, **options)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_no_spelling_of_a_name_is_anywhere_in_the_file(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    assert spelt_in(target) == set()
    assert spelt_in(target, ["globex", "initech", "kim@example.com"]) == {"globex", "initech", "kim@example.com"}
    assert spelt_in(source) == set(SPELLINGS), "the control: the source has them all"


def test_what_stays_and_what_is_left_is_counted(source: Path, tmp_path: Path) -> None:
    target, report = export(source, tmp_path)
    assert {call_id for (call_id,) in rows(target, "SELECT call_id FROM raw_calls")} == STAYING == served(target)
    assert report.copied["call"] == report.copied["transcript"] == 3
    assert report.left["call", "restricted"] == len(BY_LIST)
    assert report.left["call", "scope.private_calls"] == 1
    assert report.left["transcript", "no_call"] == 1
    assert report.left["answered_scorecard", "no_call"] == 1
    assert report.left["answered_scorecard", "restricted"] == 1
    assert {(item.kind, item.record_id) for item in report.dropped if not item.reduced} == {
        ("user", "u2"),
        ("user", "u3"),
        ("workspace", "w2"),
        ("tracker", "t2"),
        ("scorecard", "s2"),
        ("crm_schema", "i1:DEAL"),
        ("profile", "profile_1"),
    }
    assert {kind for kind, _ in report.left} >= {"user", "workspace", "tracker", "scorecard", "crm_schema", "profile"}
    assert dict(rows(target, "SELECT kind, count(*) FROM raw_records GROUP BY kind")) == {
        "answered_scorecard": 1,
        "crm_schema": 1,
        "scorecard": 1,
        "tracker": 1,
        "user": 1,
        "workspace": 1,
    }


def test_payloads_and_aliases_are_those_of_the_source(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    stays = "('" + "','".join(sorted(STAYING)) + "')"
    for sql in (
        f"SELECT call_id, payload, digest, imported_at FROM raw_calls WHERE call_id IN {stays} ORDER BY 1",
        f"SELECT call_id, payload, digest FROM raw_transcripts WHERE call_id IN {stays} ORDER BY 1",
        f"SELECT call_id, call_ref FROM call_facts WHERE call_id IN {stays} ORDER BY 1",
        "SELECT value FROM meta WHERE key IN ('secret', 'last_import_at') ORDER BY key",
        "SELECT segment_no, text, spans FROM segments WHERE segment_no >> 19 IN"
        f" (SELECT call_no FROM call_facts WHERE call_id IN {stays}) ORDER BY 1",
    ):
        assert rows(target, sql) == rows(source, sql)
        assert rows(target, sql)


def test_the_file_holds_no_verdict_and_nothing_of_the_list(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    for table in ("verdicts", "list_terms", "rejudge", "judged_calls", "dirty_calls"):
        assert rows(target, f"SELECT count(*) FROM {table}") == [(0,)]
    restricted = listed(tmp_path)
    assert restricted.digest.encode() not in target.read_bytes()
    assert restricted.digest.encode() in source.read_bytes(), "the control"
    assert rows(target, "SELECT restricted, tightened_from, complete FROM read_model") == [("", "[]", 1)]


def test_the_model_is_whole_and_a_server_without_a_list_serves_it(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    with CacheWriter.open(target) as writer:
        assert recount(writer.connection) == []
    handler = build_handler(ServerSettings.resolve({}, {}), target)
    answer = handler.call("search_calls", {}).answer.structured
    assert answer is not None
    assert len(answer["results"]) == 3


def test_profiles_are_reduced_to_their_meaning_or_dropped(source: Path, tmp_path: Path) -> None:
    target, report = export(source, tmp_path)
    with reading(source) as before, reading(target) as after:
        was = {item.profile_id: item for item in history(before)}
        now = {item.profile_id: item for item in history(after)}
        assert set(now) == {"profile_2", "profile_3"}
        assert source_of(after, 2) == source_of(before, 2)
        reduced = content_of(after, 3)
        assert source_of(after, 3) == profile_yaml(reduced)
    assert canonical_sha256(reduced) == was["profile_3"].canonical_sha256 == now["profile_3"].canonical_sha256
    assert now["profile_3"].is_active
    assert report.active_profile == "profile_3"
    assert [item.record_id for item in report.dropped if item.reduced] == ["profile_3"]


def test_a_dropped_profile_that_was_active_leaves_none_active(tmp_path: Path) -> None:
    path = build(tmp_path / "source.db", listed(tmp_path))
    with CacheWriter.open(path) as writer:
        keep_profile(writer, NAMED_IN_A_RULE)
    target, report = export(path, tmp_path)
    assert report.active_profile is None
    assert rows(target, "SELECT count(*) FROM active_profile") == [(0,)]


def test_the_scope_is_applied_too(source: Path, tmp_path: Path) -> None:
    target, report = export(source, tmp_path, Scope(allow=(("languages", frozenset({"eng"})),)))
    assert served(target) == STAYING - GERMAN
    assert report.left["call", "scope.languages"] == 1
    assert spelt_in(target, ["sprachen mit"]) == set()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal", ".lock"])
def test_the_cache_and_its_sidecars_are_no_target(source: Path, tmp_path: Path, suffix: str) -> None:
    restricted = listed(tmp_path)
    target = source.with_name(source.name + suffix)
    with pytest.raises(StartupRefusal, match="cache itself"):
        export_filtered(source, target, rules_with(restricted), restricted, overwrite=True)


def test_other_names_of_the_cache_are_no_target(source: Path, tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    (tmp_path / "link.db").symlink_to(source)
    (tmp_path / "hard.db").hardlink_to(source)
    for name in ("link.db", "hard.db", "./new/../source.db"):
        (tmp_path / "new").mkdir(exist_ok=True)
        with pytest.raises(StartupRefusal, match="cache itself"):
            export_filtered(source, tmp_path / name, rules_with(restricted), restricted, overwrite=True)


def test_what_would_make_the_source_a_sidecar_is_no_target(tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    source = build(tmp_path / "x-wal", restricted)
    with pytest.raises(StartupRefusal, match="part of"):
        export_filtered(source, tmp_path / "x", rules_with(restricted), restricted)


def test_what_exists_is_replaced_when_asked_to_and_when_it_is_a_cache(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    before = target.read_bytes()
    with pytest.raises(StartupRefusal, match="exists"):
        export(source, tmp_path)
    assert target.read_bytes() == before
    export(source, tmp_path, overwrite=True)
    target.write_text("a letter")
    with pytest.raises(StartupRefusal, match="not a SQLite database"):
        export(source, tmp_path, overwrite=True)
    assert target.read_text() == "a letter"


def test_a_file_that_sqlite_would_read_with_the_new_one_is_in_the_way(source: Path, tmp_path: Path) -> None:
    (tmp_path / "new.db-wal").write_bytes(b"old")
    with pytest.raises(StartupRefusal, match="beside"):
        export(source, tmp_path, overwrite=True)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_stopped_it_leaves_nothing(source: Path, tmp_path: Path, after: int) -> None:
    asked = iter(range(100))
    there = set(tmp_path.iterdir())
    with pytest.raises(Stopped):
        export(source, tmp_path, should_stop=lambda: next(asked) >= after)
    assert set(tmp_path.iterdir()) - there <= {tmp_path / "read.yaml"}


KILLED = """
import sys
from pathlib import Path
from gongctl.governance import export
from tests.gongctl.governance.planted import rules_with
from gongmcp.governance.restricted import read_restricted_list
restricted = read_restricted_list(Path(sys.argv[3]))
def halt(done, total):
    print("half", flush=True)
    sys.stdin.read()
export.export_filtered(Path(sys.argv[1]), Path(sys.argv[2]), rules_with(restricted), restricted, progress=halt)
"""


def test_what_a_killed_export_left_is_removed_by_the_next_one_and_not_under_a_living_one(
    source: Path, tmp_path: Path
) -> None:
    listed(tmp_path)
    words = [sys.executable, "-c", KILLED, str(source), str(tmp_path / "new.db"), str(tmp_path / "read.yaml")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        _, beside = export(source, tmp_path)
        assert beside.left_behind == 0, "its file was taken away from under it"
        half = [file for file in tmp_path.iterdir() if file.name.endswith(".new")]
        assert len(half) == 1
        process.kill()
    _, report = export(source, tmp_path, overwrite=True)
    assert report.left_behind == 1
    assert not [file for file in tmp_path.iterdir() if ".new" in file.name]


def test_the_source_is_not_changed_and_only_the_owner_reads_the_file(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    target, report = export(source, tmp_path)
    assert source.read_bytes() == before
    assert target.stat().st_mode & 0o777 == 0o600
    assert report.file_bytes == target.stat().st_size
