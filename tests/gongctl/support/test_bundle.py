"""Nothing of customers is in a support bundle, whatever stands in the cache, the settings and the paths."""

from __future__ import annotations

import getpass
import json
import resource
import signal
import socket
import sqlite3
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli.root import run
from gongctl.clients.known import client_named, own_config_path
from gongctl.clients.snippets import snippet
from gongctl.support import bundle
from gongmcp.errors import Exit
from tests.gongctl.purge.calls import USERS, call_id, store, warmed, words
from tests.gongctl.purge.residue import residue

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "support-bundle.json"
CALLS = range(8)
SECRET_PLACES = ("zqpathname", "zqlistcustomer", "zqservername", "zqlockname", "zqhostname")


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with a word of its own in every place, in a folder with a name, with settings that hold names."""
    for name in ("APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "zqpathname"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GONGCTL_DB", str(folder / "gong.db"))
    monkeypatch.setenv("GONGMCP_TOOL_ALLOWLIST", "search_calls,get_call")
    monkeypatch.setenv("GONGMCP_MIN_CELL", "3")
    listed = folder / "zqlistcustomer.yaml"
    listed.write_text("version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Zqlistcustomer Works\n")
    monkeypatch.setenv("GONGMCP_AI_GOVERNANCE_CONFIG", str(listed))
    store(folder / "gong.db", CALLS, *USERS)
    warmed(folder / "gong.db")
    place = own_config_path(client_named("cursor"), {})
    place.parent.mkdir(parents=True)
    place.write_text(snippet("cursor", ["/opt/zqhostname/gongmcp", "--db", "x"], name="zqservername"))
    return tmp_path / "bundle"


def sought() -> set[str]:
    places = {*SECRET_PLACES, "host@example.com", "example", getpass.getuser(), socket.gethostname()}
    return words(CALLS) | {call_id(call) for call in CALLS} | {place.lower() for place in places if len(place) > 4}


def leaks(out: Path) -> set[str]:
    text = "\n".join(path.read_text() + path.name for path in out.iterdir()).lower()
    return {word for word in sought() if word in text}


def test_no_word_of_the_cache_the_settings_or_the_paths_is_in_it(out: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["support", "bundle", "--out", str(out), "--json"]) == Exit.OK
    value: Any = json.loads(capfd.readouterr().out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert leaks(out) == set()
    assert residue(Path(out.parent, "zqpathname", "gong.db"), words(CALLS)) == words(CALLS), "the control"
    told = {path.name: json.loads(path.read_text()) for path in out.iterdir()}
    assert set(told) == set(bundle.IN)
    assert told["cache.json"]["imported"]["calls"] == len(CALLS)
    assert told["settings.json"]["set"]["min_cell"] == {"source": "env", "value": "3"}
    assert told["settings.json"]["set"]["ai_governance_config"] == {"source": "env", "value": None}
    assert {item["name"] for item in told["tools.json"]} == {"search_calls", "get_call"}
    assert ("clients", "cursor", "fail") in {(i["area"], i["check"], i["status"]) for i in told["doctor.json"]}


@pytest.mark.parametrize(
    ("part", "harmless", "found"),
    [
        ("_check", lambda finding: f"{finding.check}: {finding.message}", {"zqpathname", "zqservername"}),
        ("_TOLD", frozenset({"ai_governance_config"}), {"zqpathname", "zqlistcustomer"}),
    ],
)
def test_with_a_guard_off_the_search_finds_leaks(
    part: str, harmless: Any, found: set[str], out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what the bundle leaves out is there to be found."""
    monkeypatch.setattr(bundle, part, harmless)
    assert run(["support", "bundle", "--out", str(out)]) == Exit.OK
    assert found <= leaks(out)


def test_with_titles_in_its_counts_the_search_finds_them(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the words of calls."""
    whole = bundle._cache

    def with_titles(db: Path, rules: Any) -> dict[str, Any]:
        connection = sqlite3.connect(db)
        try:
            return whole(db, rules) | {"titles": [row[0] for row in connection.execute("SELECT title FROM call_facts")]}
        finally:
            connection.close()

    monkeypatch.setattr(bundle, "_cache", with_titles)
    assert run(["support", "bundle", "--out", str(out)]) == Exit.OK
    assert len(leaks(out) & words(CALLS)) == len(CALLS)


def test_the_manifest_is_true(out: Path) -> None:
    import hashlib

    assert run(["support", "bundle", "--out", str(out)]) == Exit.OK
    manifest = json.loads((out / "manifest.json").read_text())
    assert {item["file"] for item in manifest["in"]} == {path.name for path in out.iterdir()}
    for item in manifest["files"]:
        data = (out / item["file"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (item["file_bytes"], item["sha256"])
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}
    assert out.stat().st_mode & 0o777 == 0o700
    assert manifest["contains_customer_data"] is False
    assert any("transcripts" in item for item in manifest["not_in"])


def test_a_folder_with_something_in_it_is_refused(out: Path) -> None:
    out.mkdir()
    (out / "mine").write_text("x")
    assert run(["support", "bundle", "--out", str(out)]) == Exit.USAGE
    assert [path.name for path in out.iterdir()] == ["mine"]


def test_a_bundle_that_cannot_be_written_whole_leaves_no_part(out: Path, capfd: pytest.CaptureFixture[str]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, hard))  # as a full disk does: small files fit, the next does not
    try:
        code = run(["support", "bundle", "--out", str(out)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert code == Exit.FAILED
    assert "cannot be written" in capfd.readouterr().err
    assert list(out.iterdir()) == []
    assert run(["support", "bundle", "--out", str(out)]) == Exit.OK, "the control: with room it is written"


def test_without_a_cache_it_tells_of_the_rest(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONGCTL_DB")
    assert run(["support", "bundle", "--out", str(out)]) == Exit.OK
    assert not (out / "cache.json").exists()
