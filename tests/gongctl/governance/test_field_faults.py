"""Faults that somebody who wanted to break governance has found, each as a whole kind."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.upsert import import_records
from gongctl.cache.verify import recount
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.cli.output_file import refuse_overwriting
from gongctl.cli.root import run
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Place
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.governance import guard as guard_module
from gongmcp.governance.guard import Guard
from gongmcp.governance.restricted import RestrictedList, read_restricted_list
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.model import ModelRules

NAME = "Zyxomatic Quill"
OTHER = "Northerly Lantern"


def listed(path: Path, *names: str) -> RestrictedList:
    customers = "".join(f"      - name: {name}\n" for name in names)
    path.write_text(f"version: 1\nlists:\n  no_ai:\n    customers:\n{customers}", encoding="utf-8")
    return read_restricted_list(path)


def call(number: int, **parts: Any) -> dict[str, Any]:
    meta = {"id": str(number), "started": f"2026-01-{number:02d}T09:00:00Z", "title": "A talk", **parts.pop("meta", {})}
    return {"metaData": meta, **parts}


def cache(path: Path, *calls: dict[str, Any], restricted: RestrictedList | None = None) -> Path:
    rules = ModelRules(restricted=restricted.digest if restricted else "")
    with CacheWriter.open(path, create=True, secret=bytes(range(32))) as writer:
        import_records(writer, [record for item in calls for record in records_of("call", item, Place("test"))])
        warm(writer, rules=rules, restricted=restricted, ungoverned=True)
    return path


def handler(db: Path, path: Path | None = None, **flags: str) -> ToolHandler:
    given = {"tool_preset": "all-readonly", **flags} | ({"ai_governance_config": str(path)} if path else {})
    return build_handler(ServerSettings.resolve(given, {}), db)


def ids(handler: ToolHandler) -> list[str]:
    answer = handler.call("search_calls", {"include_call_ids": True}).answer.structured
    return [] if answer is None else [row["call_id"] for row in answer["results"]]


# The guard and its file


def test_who_asks_while_a_changed_list_is_read_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list.yaml"
    guard = Guard(listed(path, NAME), path)
    listed(path, NAME, OTHER)

    def slowly(given: Path) -> RestrictedList:
        time.sleep(0.3)
        return read_restricted_list(given)

    monkeypatch.setattr(guard_module, "read_restricted_list", slowly)
    seen: list[bool] = []

    def ask() -> None:
        guard.follow()
        seen.append(guard.names(f"we met {OTHER}"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 4


def test_a_list_that_can_be_read_again_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list.yaml"
    guard = Guard(listed(path, NAME), path)
    listed(path, NAME, OTHER)

    def refuse(_: Path) -> RestrictedList:
        raise StartupRefusal("it cannot be read")

    with monkeypatch.context() as patch:
        patch.setattr(guard_module, "read_restricted_list", refuse)
        guard.follow()
    assert guard.names(NAME)
    assert not guard.names(OTHER)
    path.chmod(0o640)  # changes nothing but the time of its status
    guard.follow()
    assert guard.names(OTHER)


def test_a_customer_that_is_added_counts_although_another_one_is_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    guard = Guard(listed(path, NAME), path)
    listed(path, OTHER)
    guard.follow()
    assert guard.names(OTHER)
    assert guard.names(NAME), "looser only after a restart"


def test_completions_follow_the_list(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    listed(path, NAME)
    account = {"objectType": "Account", "objectId": "1", "fields": [{"name": "Industry", "value": f"{OTHER} sector"}]}
    db = cache(tmp_path / "c.db", call(1, context=[{"system": "Salesforce", "objects": [account]}]), restricted=None)
    serving = build_handler(ServerSettings.resolve({"tool_preset": "all-readonly"}, {}), db)
    serving._guard = Guard(read_restricted_list(path), path)  # the model is open, so that a value is there
    asked = ("search_transcript_quotes_with_attribution", "industry", "")
    assert serving.complete(*asked) == [f"{OTHER} sector"]
    listed(path, NAME, OTHER)
    assert serving.complete(*asked) == []


def test_a_hint_that_lists_names_of_the_data_holds_none_of_a_restricted_customer(tmp_path: Path) -> None:
    from tests.gongctl.profile_cache import import_yaml

    path = tmp_path / "list.yaml"
    restricted = listed(path, NAME)
    bucket = NAME.lower().replace(" ", "_")
    yaml = (
        "version: 1\nname: P\nobjects: {deal: {object_types: [Opportunity]}}\n"
        "fields: {stage: {object: deal, names: [StageName]}}\nlifecycle:\n"
        + "".join(
            f"  {name}: {{rules: [{{field: stage, op: equals, value: {name}}}]}}\n"
            for name in (bucket, "open", "closed_won", "closed_lost", "post_sales")
        )
        + "  unknown: {}\nmethodology: {}\n"
    )
    deal = {"objectType": "Opportunity", "objectId": "1", "fields": [{"name": "StageName", "value": "open"}]}
    talk = call(1, context=[{"system": "Salesforce", "objects": [deal]}])
    db = cache(tmp_path / "c.db", talk, restricted=restricted)
    with CacheWriter.open(db) as writer:
        import_yaml(writer, yaml)
        warm(writer, rules=ModelRules(restricted=restricted.digest), restricted=restricted)
    told = handler(db, path).call("search_calls", {"lifecycle_bucket": "zzz"}).answer.text
    assert "invalid_argument" in told
    assert bucket not in told
    open_db = cache(tmp_path / "o.db", talk)
    with CacheWriter.open(open_db) as writer:
        import_yaml(writer, yaml)
        warm(writer)
    assert bucket in handler(open_db).call("search_calls", {"lifecycle_bucket": "zzz"}).answer.text, "control"


# Which model a server follows


def test_a_server_that_followed_a_stricter_list_does_not_go_back_with_it(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    first = listed(path, NAME)
    before = path.read_text(encoding="utf-8")
    db = cache(tmp_path / "c.db", call(1), call(2, meta={"title": f"{OTHER} review"}), restricted=first)
    serving = handler(db, path)
    assert ids(serving) == ["2", "1"]
    cache_with = listed(path, NAME, OTHER)
    with CacheWriter.open(db) as writer:
        warm(writer, rules=ModelRules(restricted=cache_with.digest), restricted=cache_with)
    assert ids(serving) == ["1"]
    path.write_text(before, encoding="utf-8")
    with CacheWriter.open(db) as writer:
        warm(writer, rules=ModelRules(restricted=first.digest), restricted=first)
    error = serving.call("search_calls", {}).answer.error
    assert error is not None
    assert error["code"] == "cache_not_ready"
    assert ids(handler(db, path)) == ["2", "1"], "after a restart it is served"


def test_a_server_without_a_list_does_not_start_on_a_cache_that_got_one(tmp_path: Path) -> None:
    db = cache(tmp_path / "c.db", call(1))
    restricted = listed(tmp_path / "list.yaml", NAME)
    with CacheWriter.open(db) as writer:
        warm(writer, rules=ModelRules(restricted=restricted.digest), restricted=restricted)
    from gongmcp.command import run as serve

    assert serve(["--db", str(db), "--tool-preset", "operator-smoke"]) == Exit.CACHE


# What is judged


@pytest.mark.parametrize(
    "parts",
    [
        {"context": [{"objects": [{"objectType": "Deal", "objectId": "1", "properties": {
            "zyxomatic_quill_tier": "x"}}]}]},
        {"context": [{"objects": [{"objectType": "Contact", "objectId": "1", "fields": [
            {"name": "FirstName", "value": "Zyxomatic"}, {"name": "LastName", "value": "Quill"}]}]}]},
        {"context": [{"objects": [{"objectType": "Account", "objectId": "1", "fields": [
            {"name": "Notes", "value": {"Zyxomatic Quill": 1}}]}]}]},
        {"context": [{"objects": [{"objectType": "Account", "objectId": "1", "fields": [
            {"name": "Notes", "value": ["Zyxomatic", "Quill"]}]}]}]},
        {"meta": {"title": {"Zyxomatic Quill": "x"}}},
        {"meta": {"purpose": ["Zyxomatic", "Quill"]}},
    ],
    ids=["property name", "first and last name", "object value", "list value", "title", "purpose"],
)  # fmt: skip
def test_a_name_that_is_whole_only_in_what_is_served_suppresses_the_call(parts: dict[str, Any], tmp_path: Path) -> None:
    restricted = listed(tmp_path / "list.yaml", NAME)
    db = cache(tmp_path / "c.db", call(1, **parts), call(2), restricted=restricted)
    assert ids(handler(db, tmp_path / "list.yaml")) == ["2"]
    assert ids(handler(cache(tmp_path / "o.db", call(1, **parts), call(2)))) == ["2", "1"], "control"


def test_users_that_name_a_customer_are_not_counted(tmp_path: Path) -> None:
    restricted = listed(tmp_path / "list.yaml", NAME)
    users = [
        {"id": "1", "firstName": "Ann"},
        {"id": "2", "firstName": "Bob", "emailAddress": "bob@zyxomatic-quill.test"},
    ]
    for name, wanted, counted in (("c.db", restricted, 1), ("o.db", None, 2)):
        with CacheWriter.open(tmp_path / name, create=True) as writer:
            import_records(writer, [record for user in users for record in records_of("user", user, Place("test"))])
            warm(writer, rules=ModelRules(restricted=wanted.digest if wanted else ""), restricted=wanted)
            assert writer.connection.execute(
                "SELECT value FROM counters WHERE counter = 'total' AND key = 'users'"
            ).fetchone() == (counted,)
            assert recount(writer.connection) == []


# Files that are written


@pytest.mark.parametrize(
    "command",
    [
        lambda db, other: ["governance", "census", "--db", db, "--out", db],
        lambda db, other: ["mcp", "approve", "get_sync_status", "--db", db, "--lock", db],
        lambda db, other: ["policy", "test", other, "--db", db, "--junit", db],
        lambda db, other: ["policy", "test", other, "--db", db, "--junit", other],
    ],
)
def test_a_report_is_not_written_over_what_is_read(command: Callable[[str, str], list[str]], tmp_path: Path) -> None:
    db = cache(tmp_path / "c.db", call(1))
    cases = tmp_path / "cases.yaml"
    cases.write_text("version: 1\ncases: []\n", encoding="utf-8")
    before = (db.read_bytes(), cases.read_bytes())
    assert run(command(str(db), str(cases))) == Exit.USAGE
    assert (db.read_bytes(), cases.read_bytes()) == before


def test_a_link_to_an_input_is_that_input(tmp_path: Path) -> None:
    db = cache(tmp_path / "c.db", call(1))
    (tmp_path / "out.json").symlink_to(db)
    with pytest.raises(StartupRefusal, match="overwritten"):
        refuse_overwriting(tmp_path / "out.json", [db])


# An older cache


def test_a_cache_of_the_first_schema_is_brought_up_to_date_and_warmed(tmp_path: Path) -> None:
    db = cache(tmp_path / "c.db", call(1), call(2))
    fresh = shutil.copy(db, tmp_path / "fresh.db")
    with CacheWriter.open(db) as writer:
        execute = writer.connection.execute
        for table in ("profiles", "profile_models", "profile_facts", "profile_values", "verdicts", "list_terms"):
            execute(f"DROP TABLE {table}")
        for table in ("rejudge", "judged_calls", "judged_words"):
            execute(f"DROP TABLE {table}")
        later = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%text_chars%'"
        for (index,) in list(execute(later)):
            execute(f"DROP INDEX {index}")
        execute("ALTER TABLE call_facts DROP COLUMN text_chars")
        for column in ("base", "restricted", "tightened_from"):
            execute(f"ALTER TABLE read_model DROP COLUMN {column}")
        execute("PRAGMA user_version = 1")
    assert run(["cache", "warm", "--db", str(db)]) == Exit.OK
    assert ids(handler(db)) == ids(handler(Path(fresh))) == ["2", "1"]
    with CacheWriter.open(db) as writer:
        assert recount(writer.connection) == []


def test_ids_and_names_are_blocked_in_restricted_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(cache(tmp_path / "c.db", call(1)))
    asked = ["mcp", "call", "search_calls", "--db", db]
    for more in (["--set", "include_call_ids=true"], ["--args", json.dumps({"include_call_titles": True})]):
        assert run(["--restricted", *asked, *more]) == Exit.REFUSED
        assert run([*asked, *more]) == Exit.OK, "control"
    capsys.readouterr()
    assert run(["--restricted", *asked]) == Exit.OK
