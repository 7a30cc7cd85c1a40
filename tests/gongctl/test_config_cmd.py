"""``gongctl config``, ``mcp diff``, ``mcp tools --diff``, ``--config`` everywhere, and what the shell completes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli import tui_cmd
from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongmcp.catalog.presets import PRESETS
from gongmcp.catalog.registry import catalog
from gongmcp.settings import SETTINGS, ServerSettings
from gongmcp.settings_file import KEYS

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
FILE = """\
[tools]
preset = "operator-smoke"

[limits]
search_results = 7

[policy]
switches = ["hide_call_titles"]
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """Return stdout as one JSON value that the published *schema* allows."""
        value = json.loads(self.out)
        rules = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(rules)
        jsonschema.Draft202012Validator(rules).validate(value)
        return value


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gongctl:
    """Run one command line in this process, in a folder with ``team.toml``, without settings in the environment."""
    for name in [name for name in os.environ if name.startswith(("GONGMCP_", "GONGCTL_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "team.toml").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sample, imported and warmed. Not to be changed."""
    db = tmp_path_factory.mktemp("cache") / "sample.db"
    build_sample(db)
    return db


# config


def test_the_effective_settings_name_where_each_value_came_from(
    gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GONGMCP_MAX_SEARCH_RESULTS", "9")
    monkeypatch.setenv("GONGMCP_TOOL_TIMEOUT", "5")
    shown = gongctl(
        "config", "show", "--effective", "--config", "team.toml", "--max-search-results", "11", "--json"
    ).json("config-show")
    by_key = {one["key"]: one for one in shown["settings"]}
    assert by_key.keys() == KEYS.keys()
    assert by_key["limits.search_results"] == {
        "key": "limits.search_results",
        "value": 11,
        "source": "flag",
        "origin": "--max-search-results",
        "overrides": ["GONGMCP_MAX_SEARCH_RESULTS", "team.toml:5"],
        "note": "",
    }
    assert (by_key["policy.tool_timeout"]["value"], by_key["policy.tool_timeout"]["source"]) == (5.0, "env")
    assert by_key["tools.preset"]["origin"] == "team.toml:2"
    assert by_key["provenance.mode"] == {
        "key": "provenance.mode",
        "value": "redacted",
        "source": "default",
        "origin": "default",
        "overrides": [],
        "note": "",
    }
    assert len(shown["tools"]) == 5


def test_without_effective_only_what_somebody_set(gongctl: Gongctl) -> None:
    shown = gongctl("config", "show", "--config", "team.toml", "--json").json("config-show")
    assert [one["key"] for one in shown["settings"]] == ["tools.preset", "policy.switches", "limits.search_results"]
    assert gongctl("config", "show", "--json").json("config-show")["settings"] == []
    assert "Nothing is set" in gongctl("config", "show").out


def test_text_of_the_settings_names_what_the_json_holds(gongctl: Gongctl) -> None:
    arguments = ("config", "show", "--effective", "--config", "team.toml")
    shown = gongctl(*arguments, "--json").json("config-show")
    text = gongctl(*arguments)
    lines = text.out.splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(shown["settings"])]] == [s["key"] for s in shown["settings"]]
    assert "team.toml:8" in text.out
    assert shown["policy_digest"] in text.out


def test_the_schema_of_the_file_is_one_and_takes_the_file(gongctl: Gongctl) -> None:
    import tomllib

    schema = gongctl("config", "schema").json("config-schema")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(tomllib.loads(FILE))
    assert set(schema["properties"]) == {key.partition(".")[0] for key in KEYS}
    assert gongctl("config", "schema", "--json") == gongctl("config", "schema")


@pytest.mark.parametrize("command", [["config", "show"], ["mcp", "tools"], ["mcp", "tool-info", "--all"]])
def test_a_bad_file_is_refused_by_every_command(command: list[str], gongctl: Gongctl, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[limits]\nserch_results = 1\n", encoding="utf-8")
    done = gongctl(*command, "--config", "bad.toml")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "gongctl: bad.toml:2: limits.serch_results is no setting."
    assert "Did you mean limits.search_results?" in done.err


def test_the_file_rules_what_the_other_commands_show(gongctl: Gongctl, cache: Path) -> None:
    listed = gongctl("mcp", "tools", "--config", "team.toml").json("mcp-tools")
    assert len(listed) == 5
    info = gongctl("mcp", "tool-info", "search_calls", "--config", "team.toml").json("mcp-tool-info")
    assert info["limits"]["ceiling"] == 7
    flag = gongctl("mcp", "tool-info", "search_calls", "--config", "team.toml", "--max-search-results", "8")
    assert flag.json("mcp-tool-info")["limits"]["ceiling"] == 8
    done = gongctl("mcp", "call", "summarize_call_facts", "--db", cache, "--config", "team.toml")
    assert done.code == 2


def test_a_file_that_renames_the_crm_is_warmed_with_and_served_with(
    gongctl: Gongctl, cache: Path, tmp_path: Path
) -> None:
    db = tmp_path / "own.db"
    shutil.copy(cache, db)
    (tmp_path / "crm.toml").write_text('[crm]\nstage_fields = ["Phase__c"]\n', encoding="utf-8")
    asked = ("mcp", "call", "get_sync_status", "--db", db)
    stages = lambda done: json.loads(done.out)["call_facts_attribution"]["opportunity_stage_call_count"]  # noqa: E731
    assert stages(gongctl(*asked)) > 0
    assert gongctl(*asked, "--config", "crm.toml").code == 4
    refused = _gongmcp("--db", str(db), "--config", str(tmp_path / "crm.toml"))
    assert refused.returncode == 4
    assert "cache warm --db DB (with the same --config" in refused.stderr
    status = json.loads(gongctl("cache", "status", "--db", db, "--config", "crm.toml", "--json").out)
    assert status["freshness"] == "missing"
    assert status["next"] == [f"gongctl cache warm --db {db} --config crm.toml"]
    warmed = json.loads(gongctl("cache", "warm", "--db", db, "--config", "crm.toml", "--json").out)
    assert (warmed["freshness"], warmed["next"]) == ("fresh", [])
    assert stages(gongctl(*asked, "--config", "crm.toml")) == 0
    assert _gongmcp("--db", str(db), "--config", str(tmp_path / "crm.toml")).returncode == 0
    assert gongctl(*asked).code == 4, "the defaults are another model"
    done = gongctl("cache", "warm", "--db", db, "--config", "none.toml")
    assert (done.code, done.out) == (2, "")


def test_the_preview_reads_the_file(gongctl: Gongctl, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ServerSettings] = []
    monkeypatch.setattr(tui_cmd, "interactive", lambda: True)
    monkeypatch.setattr(tui_cmd, "open_review", lambda _, settings, *__, **___: seen.append(settings))
    assert gongctl("tui", "--db", cache, "--config", "team.toml").code == 0
    assert [settings.policy.preset for settings in seen] == ["operator-smoke"]


def test_the_server_reads_the_same_file(gongctl: Gongctl, cache: Path, tmp_path: Path) -> None:
    from tests.gongmcp.stdio_process import Server

    command = [sys.executable, "-m", "gongmcp", "--db", str(cache), "--config", str(tmp_path / "team.toml")]
    with Server(command=command) as server:
        server.send(server.request(1, "tools/list"))
        served = server.answer(1)["result"]["tools"]
    listed = gongctl("mcp", "tools", "--config", "team.toml").json("mcp-tools")
    assert [tool["name"] for tool in served] == [tool["name"] for tool in listed]
    assert [tool["inputSchema"] for tool in served] == [tool["inputSchema"] for tool in listed]


# presets


def _gongmcp(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gongmcp", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


def test_the_server_lists_its_presets_without_a_cache(gongctl: Gongctl) -> None:
    listed = _gongmcp("--list-tool-presets", "--json")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert json.loads(listed.stdout) == gongctl("mcp", "presets").json("mcp-presets")
    text = _gongmcp("--list-tool-presets")
    assert text.returncode == 0
    for preset in PRESETS:
        assert f"{preset.name}" in text.stdout
        assert preset.purpose in text.stdout
        assert all(alias in text.stdout for alias in preset.aliases)


# mcp tools --diff


def save(gongctl: Gongctl, *flags: str) -> Path:
    path = Path("saved.json")
    path.write_text(gongctl("mcp", "tools", *flags).out, encoding="utf-8")
    return path


def test_nothing_differs_from_a_list_just_saved(gongctl: Gongctl) -> None:
    saved = save(gongctl)
    done = gongctl("mcp", "tools", "--diff", saved)
    assert done.code == 0
    assert done.json("mcp-tools-diff") == {"looser": False, "added": [], "removed": [], "changed": []}
    assert gongctl("mcp", "tools", "--diff", saved, "--text").out == "Nothing differs.\n"


def test_what_loosened_is_named_and_ends_with_5(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = save(gongctl, "--tool-preset", "operator-smoke")
    flags = ["--tool-preset", "operator-smoke", "--max-search-results", "500"]
    done = gongctl("mcp", "tools", *flags, "--diff", saved)
    assert done.code == 5
    changed = {tool["name"]: tool["changes"] for tool in done.json("mcp-tools-diff")["changed"]}
    assert {"where": "inputSchema.limit.maximum", "direction": "loosened", "saved": 100, "now": 500} in changed[
        "search_calls"
    ]
    text = gongctl("mcp", "tools", *flags, "--diff", saved, "--text")
    assert text.code == 5
    assert "100 → 500" in text.out
    assert text.out.endswith("Looser than saved.\n")
    more = gongctl("mcp", "tools", "--diff", saved)
    assert more.code == 5
    assert more.json("mcp-tools-diff")["added"]
    tight = gongctl("mcp", "tools", "--tool-preset", "operator-smoke", "--max-search-results", "5", "--diff", saved)
    assert tight.code == 0
    fewer = gongctl("mcp", "tools", "--tool-allowlist", "get_call", "--diff", saved)
    assert (fewer.code, fewer.json("mcp-tools-diff")["added"]) == (0, [])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("[", "no JSON"),
        ("{}", "no list of tools"),
        ('[{"name": 1}]', "no list of tools"),
        ('[{"name": "a", "inputSchema": []}]', "no list of tools"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_saved_list_that_is_none_is_refused(text: str | bytes | None, says: str, gongctl: Gongctl) -> None:
    if text is not None:
        Path("bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = gongctl("mcp", "tools", "--diff", "bad.json")
    assert (done.code, done.out) == (2, "")
    assert says in done.err


# mcp diff


def test_two_presets_are_compared(gongctl: Gongctl) -> None:
    compared = gongctl("mcp", "diff", "--preset", "operator-smoke", "--preset", "broad-public-redacted").json(
        "mcp-diff"
    )
    assert (compared["from"], compared["to"], compared["call"]) == ("operator-smoke", "broad-public-redacted", None)
    assert set(compared["tools"]["both"]) | set(compared["tools"]["added"]) == set(catalog())
    assert compared["switches"] == {"added": ["hide_raw_call_ids"], "removed": []}
    (changes,) = [tool["changes"] for tool in compared["changed"] if tool["name"] == "search_calls"]
    assert [change["where"] for change in changes] == ["outputSchema.results[].call_id"]


def test_a_call_is_compared_under_two_presets(gongctl: Gongctl, cache: Path) -> None:
    arguments = ["mcp", "diff", "--preset", "all", "--preset", "broad-public-redacted", "--db", cache]
    call = ["--call", "search_calls", "--args", '{"include_call_ids": true, "limit": 2}']
    compared = gongctl(*arguments, *call).json("mcp-diff")["call"]
    assert compared["columns_lost"] == ["results[].call_id"]
    assert "withheld_fields" not in compared["columns_lost"]
    old, new = compared["under"]
    assert (old["rows"], new["rows"]) == (2, 2)
    assert "call_id" in new["columns_withheld"]
    assert "call_id" not in old["columns_withheld"]
    assert old["bytes"] != new["bytes"]
    text = gongctl(*arguments, *call, "--text")
    assert text.code == 0
    assert "all-readonly" in text.out
    assert "results[].call_ref" in text.out


def test_an_alias_is_compared_as_its_tool(gongctl: Gongctl, cache: Path) -> None:
    presets = ["--preset", "business-pilot", "--preset", "governance-search"]
    done = gongctl("mcp", "diff", *presets, "--call", "prioritize_transcripts_by_lifecycle", "--db", cache)
    assert done.json("mcp-diff")["call"]["name"] == "rank_transcript_backlog"


def test_a_tool_that_one_preset_lacks_is_said(gongctl: Gongctl, cache: Path) -> None:
    presets = ["--preset", "business-pilot", "--preset", "operator-smoke"]
    done = gongctl("mcp", "diff", *presets, "--call", "search_calls", "--db", cache)
    assert [one["offered"] for one in done.json("mcp-diff")["call"]["under"]] == [False, True]
    text = gongctl("mcp", "diff", *presets, "--call", "search_calls", "--db", cache, "--text")
    assert "tool not offered" in text.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Give --preset twice"),
        (["--preset", "all"], "Give --preset twice"),
        (["--preset", "all", "--preset", "analyst", "--preset", "all"], "Give --preset twice"),
        (["--preset", "all", "--preset", "nobody"], "no tool preset of that name"),
        (["--preset", "all", "--preset", "analyst", "--tool-preset", "all"], "--tool-preset"),
        (["--preset", "all", "--preset", "analyst", "--args", "{}"], "--args needs --call"),
        (["--preset", "all", "--preset", "analyst", "--call", "get_call"], "needs a cache"),
        (["--preset", "all", "--preset", "analyst", "--text", "--json"], "exclude each other"),
    ],
)
def test_wrong_usage_of_diff(arguments: list[str], says: str, gongctl: Gongctl) -> None:
    done = gongctl("mcp", "diff", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_an_unknown_tool_of_diff_is_named_with_the_nearest(gongctl: Gongctl, cache: Path) -> None:
    done = gongctl("mcp", "diff", "--preset", "all", "--preset", "analyst", "--call", "get_cal", "--db", cache)
    assert (done.code, done.out) == (2, "")
    assert "Did you mean get_call" in done.err


def test_the_environments_choice_of_tools_does_not_narrow_diff(
    gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("mcp", "diff", "--preset", "business-pilot", "--preset", "all")
    plain = gongctl(*arguments)
    monkeypatch.setenv("GONGMCP_TOOL_ALLOWLIST", "get_call")
    assert gongctl(*arguments) == plain


# Completion


def completed(line: str, **environ: str) -> list[str]:
    """Return what the shell is told when tab is pressed after *line*."""
    words = line.split(" ")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GONGMCP_", "GONGCTL_"))}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from gongctl.__main__ import main; sys.argv[0] = 'gongctl'; sys.exit(main())",
        ],
        capture_output=True,
        text=True,
        check=False,
        env=kept
        | {
            "PYTHONPATH": str(ROOT),
            "_GONGCTL_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
        | environ,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("command", ["mcp tool-info", "mcp call", "mcp diff --call"])
def test_the_shell_completes_names_of_tools(command: str) -> None:
    expected = [name for name in catalog() if name.startswith("search_")]
    assert completed(f"gongctl {command} search_") == expected
    assert completed(f"gongctl {command} ", GONGMCP_TOOL_ALLOWLIST="get_call") == ["get_call"]
    assert completed(f"gongctl {command} search_", GONGMCP_TOOL_ALLOWLIST="nobody") == expected


@pytest.mark.parametrize("command", ["mcp diff --preset", "mcp tools --tool-preset", "config show --tool-preset"])
def test_the_shell_completes_names_of_presets(command: str) -> None:
    assert completed(f"gongctl {command} analyst") == ["analyst-core", "analyst-business-core", "analyst"]
    assert completed(f"gongctl {command} business-") == ["business-pilot", "business-workbench"]


def test_every_setting_has_a_key_in_the_file() -> None:
    assert {setting.key for setting in SETTINGS} < KEYS.keys()
