"""``gongctl doctor``: each kind of trouble is found, and a good installation has none."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongctl.clients.known import CLIENTS, client_named, own_config_path
from gongctl.clients.snippets import snippet
from gongmcp.errors import Exit

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "doctor.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "gong.db"
    build_sample(path)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GONGCTL_DB", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def cache(built: Path, home: Path) -> Path:
    return Path(shutil.copy(built, home / "gong.db"))


Look = Callable[..., dict[tuple[str, str], tuple[str, str]]]


@pytest.fixture
def look(capfd: pytest.CaptureFixture[str]) -> Look:
    def doctor(*arguments: object, code: Exit = Exit.OK) -> dict[tuple[str, str], tuple[str, str]]:
        assert run(["doctor", *map(str, arguments), "--json"]) == code
        value: Any = json.loads(capfd.readouterr().out)
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(value)
        assert value["healthy"] is (code == Exit.OK)
        return {(item["area"], item["check"]): (item["status"], item["message"]) for item in value["findings"]}

    return doctor


def test_a_good_installation_has_nothing_to_mend(cache: Path, look: Look) -> None:
    found = look("--db", cache, "--strict")
    assert {status for status, _ in found.values()} == {"ok", "skip"}
    assert {area for area, _ in found} == {
        *("environment", "clock", "cache", "permissions", "disk", "freshness", "indexes", "clients")
    }


def test_without_a_cache_the_rest_is_looked_at(home: Path, look: Look) -> None:
    assert look()[("cache", "file")][0] == "skip"
    assert look("--db", home / "none.db", code=Exit.FAILED)[("cache", "file")][0] == "fail"


def _sql(statement: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(statement)
        connection.close()

    return damage


def _readable(path: Path) -> None:
    path.chmod(0o644)


def _open_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def _log(path: Path) -> None:
    path.with_name(path.name + "-wal").write_bytes(b"")


TROUBLE: dict[str, tuple[Callable[[Path], None], tuple[str, str], str, str]] = {
    "readable by others": (_readable, ("permissions", "cache file"), "warn", "mode 0644"),
    "folder open to all": (_open_folder, ("permissions", "folder"), "fail", "Everybody may write"),
    "left log": (_log, ("cache", "log"), "warn", "-wal"),
    "older schema": (_sql("PRAGMA user_version = 1"), ("cache", "schema"), "fail", "version 1"),
    "newer schema": (_sql("PRAGMA user_version = 999"), ("cache", "file"), "fail", "999"),
    "stale": (
        _sql("UPDATE meta SET value = '99999' WHERE key = 'data_generation'"),
        ("freshness", "read model"),
        "warn",
        "imported after",
    ),
    "no model": (_sql("DELETE FROM read_model"), ("freshness", "read model"), "fail", "cannot be served"),
    "long ago": (
        _sql("UPDATE meta SET value = '2020-01-01T00:00:00Z' WHERE key = 'last_import_at'"),
        ("freshness", "last import"),
        "warn",
        "days ago",
    ),
    "in the future": (
        _sql("UPDATE meta SET value = '2999-01-01T00:00:00Z' WHERE key = 'last_import_at'"),
        ("clock", "last import"),
        "fail",
        "in the future",
    ),
    "index": (
        _sql("DELETE FROM segments WHERE segment_no = (SELECT max(segment_no) FROM segments)"),
        ("indexes", "full-text indexes"),
        "fail",
        "holds",
    ),
    "counts": (
        _sql("UPDATE tallies SET value = 1 WHERE name = 'call'"),
        ("indexes", "kept counts"),
        "fail",
        "kept count of call",
    ),
    "purge": (
        _sql("INSERT INTO meta (key, value) VALUES ('purge_pending', '1')"),
        ("purge", "cleaning"),
        "fail",
        "not finished",
    ),
    "sync": (
        _sql(
            "INSERT INTO sync_runs (step, question, started_at, ended_at, outcome, requests, pages, records, changed,"
            " reason) VALUES ('calls', '', '2026-01-01T00:00:00Z', '', 'failed', 0, 0, 0, 0, '')"
        ),
        ("sync", "calls"),
        "warn",
        "failed",
    ),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_each_kind_of_trouble_is_found(name: str, cache: Path, look: Look) -> None:
    damage, key, status, said = TROUBLE[name]
    damage(cache)
    found = look("--db", cache, code=Exit.FAILED if status == "fail" else Exit.OK)
    assert found[key][0] == status
    assert said in found[key][1]


def test_settings_and_times_in_the_environment(cache: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    monkeypatch.setenv("GONGCTL_DEBUG", "1")
    monkeypatch.setenv("GONGMCP_TOOL_PRESET", "no-such-preset")
    found = look("--db", cache, code=Exit.FAILED)
    assert found[("environment", "settings")][0] == "fail"
    assert found[("clock", "fixed time")][0] == "warn"
    assert found[("environment", "debugging")][0] == "warn"


def test_damage_of_pages_is_found_by_a_deep_look(cache: Path, look: Look) -> None:
    _sql("UPDATE raw_calls SET payload = x'00' WHERE call_id = (SELECT min(call_id) FROM raw_calls)")(cache)
    look("--db", cache)
    assert "damaged" in look("--db", cache, "--deep", code=Exit.FAILED)[("cache", "every page and payload")][1]


@pytest.mark.parametrize("name", [client.name for client in CLIENTS])
def test_servers_in_clients_configurations(name: str, cache: Path, look: Look) -> None:
    place = own_config_path(client_named(name), {})
    place.parent.mkdir(parents=True, exist_ok=True)
    good = [shutil.which("true") or "/bin/true", "gongmcp", "--db", str(cache)]

    def with_line(line: list[str], code: Exit = Exit.OK) -> tuple[str, str]:
        place.write_text(snippet(name, line))
        return look("--db", cache, code=code)[("clients", f"{name} gong")]

    assert with_line(good) == ("ok", f"It serves {cache}.")
    assert "not there" in with_line(["/nowhere/gongmcp", "--db", str(cache)], Exit.FAILED)[1]
    assert "absolute path" in with_line([*good[:3], "gong.db"], Exit.FAILED)[1]
    assert "is not there" in with_line([*good[:3], str(cache) + "x"], Exit.FAILED)[1]
    place.write_text(snippet(name, ["/bin/true", "other"]))
    assert look("--db", cache)[("clients", name)][0] == "skip"
    place.write_text("{ broken")
    assert look("--db", cache)[("clients", name)][0] == "warn"


def test_the_table_says_what_to_do(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _readable(cache)
    assert run(["doctor", "--db", str(cache)]) == Exit.OK
    out = capfd.readouterr().out
    assert f"permissions, cache file: chmod 600 {cache}" in out
    assert "1 warn" in out
    assert run(["doctor", "--db", str(cache), "--strict"]) == Exit.FAILED


def test_a_look_changes_nothing(cache: Path, look: Look) -> None:
    before = cache.read_bytes(), sorted(path.name for path in cache.parent.iterdir())
    look("--db", cache, "--deep")
    assert (cache.read_bytes(), sorted(path.name for path in cache.parent.iterdir())) == before
