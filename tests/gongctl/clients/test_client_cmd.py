"""``gongctl mcp install`` and ``uninstall``, with the real server started from the client's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongctl.clients.known import CLIENTS, client_named, own_config_path
from gongmcp.catalog.presets import find_preset
from gongmcp.errors import Exit

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cache") / "gong.db"
    build_sample(path)
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own: no test may touch the configurations of whoever runs it."""
    for name in ("APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GONGCTL_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def checked(name: str, out: str) -> Any:
    value = json.loads(out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


@pytest.mark.parametrize("client", [client.name for client in CLIENTS])
def test_in_and_out_at_the_client_s_own_place(
    client: str, cache: Path, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given = ["mcp", "install", "--client", client, "--db", str(cache), "--tool-preset", "operator-smoke", "--json"]
    place = own_config_path(client_named(client), {})
    assert place.is_relative_to(home)
    assert run([*given, "--dry-run"]) == Exit.OK
    assert checked("mcp-install", capfd.readouterr().out)["change"] == "created"
    assert not place.exists()
    assert run([*given[:-1], "--dry-run"]) == Exit.OK
    assert capfd.readouterr().out.startswith(f"Would write {place} ")
    assert run(given) == Exit.OK
    done = checked("mcp-install", capfd.readouterr().out)
    assert (done["file"], done["verified"]) == (str(place), None)
    assert str(cache) in place.read_text()
    assert run(["mcp", "uninstall", "--client", client, "--json"]) == Exit.OK
    assert checked("mcp-uninstall", capfd.readouterr().out)["change"] == "removed_file"
    assert not place.exists()


def test_what_was_written_is_started_and_asked(cache: Path, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The tools come from the process that the file names: another preset written by hand gives its tools."""
    given = ["mcp", "install", "--client", "codex", "--db", str(cache), "--tool-preset", "operator-smoke", "--verify"]
    assert run([*given, "--json"]) == Exit.OK
    said = checked("mcp-install", capfd.readouterr().out)["verified"]
    assert set(said["tools"]) == set(find_preset("operator-smoke").describe()["tools"])
    assert said["preset"] == "operator-smoke"
    assert said["tokens_estimate"] > 100
    place = own_config_path(client_named("codex"), {})
    place.write_text(place.read_text() + 'env = { GONGMCP_MAX_SEARCH_RESULTS = "x" }\n')
    assert run(given) == Exit.FAILED
    assert "does not work as the client would start it" in capfd.readouterr().err


def test_a_server_that_refuses_to_start_is_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = ["mcp", "install", "--client", "cursor", "--db", str(tmp_path / "none.db"), "--verify"]
    assert run(given) == Exit.FAILED
    assert "ended with code 4" in capfd.readouterr().err


def test_a_snippet_is_printed_and_nothing_written(cache: Path, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "install", "--client", "vscode", "--db", str(cache), "--snippet"]) == Exit.OK
    value = json.loads(capfd.readouterr().out)
    assert value["servers"]["gong"]["type"] == "stdio"
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "given",
    [
        ["--client", "emacs"],
        ["--client", "cursor", "--name", "a b"],
        ["--client", "cursor", "--tool-preset", "no-such-preset"],
        ["--client", "cursor", "--verify", "--dry-run"],
        ["--client", "cursor", "--verify", "--snippet"],
    ],
)
def test_wrong_usage_writes_nothing(
    given: list[str], cache: Path, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp", "install", "--db", str(cache), *given]) == Exit.USAGE
    assert list(home.iterdir()) == []
