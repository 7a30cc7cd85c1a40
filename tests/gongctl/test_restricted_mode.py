"""Restricted mode: every command declares whether it gives data away, and those that do are blocked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.restricted import ALLOW_ENV, ALLOW_FLAG, RESTRICTED_ENV, declarations, not_sensitive, sensitive
from gongctl.cli.root import app, run
from gongmcp.errors import Exit

DECLARED = list(declarations(typer.main.get_command(app)))
LIST = "version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Quokka\n"
PROFILE = "profile.yaml"

VCON = "0190b4e3-95aa-8d00-8a59-1d2f3c4b5a69"
BLOCKED: list[list[str]] = [
    ["profile", "discover"],
    ["profile", "show", "--format", "yaml"],
    ["profile", "show", "--json"],
    ["profile", "explain", "--profile", "builtin"],
    ["profile", "diff", PROFILE, "--from", PROFILE],
    ["governance", "audit", "--ai-governance-config", "list.yaml"],
    ["governance", "explain", "1", "--ai-governance-config", "list.yaml"],
    ["governance", "export-filtered-db", "--out", "new.db", "--ai-governance-config", "list.yaml"],
    ["governance", "census"],
    ["cache", "warm", "--operator-model"],
    ["cache", "backup", "--out", "copy.db"],
    ["cache", "restore", "copy.db", "--db", "back.db"],
    ["mcp", "call", "get_sync_status", "--transcript-evidence-provenance", "raw"],
    ["mcp", "diff", "--preset", "analyst", "--preset", "operator-smoke", "--transcript-evidence-provenance", "raw"],
    ["mcp", "replay", "audit.jsonl", "--key", "key", "--show-arguments"],
    ["audit", "exposure", "audit.jsonl", "--call", "1"],
    ["sync", "calls", "--preset", "business", "--from", "2026-03-01"],
    ["sync", "calls", "--preset", "minimal", "--include", "parties", "--from", "2026-03-01"],
    ["sync", "transcripts"],
    ["sync", "run", "--config", "sync.yaml"],
    ["sync", "status", "--waiting", "1"],
    ["tui", "--transcript-evidence-provenance", "raw"],
    ["review", "--transcript-evidence-provenance", "raw"],
    ["vcon", "export", "--all", "--unredacted", "--db", "c.db"],
    ["vcon", "export", "--all", "--transcript-evidence-provenance", "raw", "--db", "c.db"],
    ["vcon", "show", VCON, "--db", "c.db"],
    ["vcon", "diff", "list.yaml", PROFILE],
    ["vcon", "create", "{}", "--db", "v.db"],
    ["vcon", "from-template", "custom", "{}", "--db", "v.db"],
    ["vcon", "update", VCON, "{}", "--db", "v.db"],
    ["vcon", "delete", VCON, "--db", "v.db"],
    ["vcon", "add", "party", VCON, "{}", "--db", "v.db"],
    ["vcon", "replace", "party", VCON, "0", "{}", "--db", "v.db"],
    ["vcon", "remove", "party", VCON, "0", "--db", "v.db"],
    ["vcon", "tag", VCON, "a=b", "--db", "v.db"],
    ["vcon", "untag", VCON, "--all", "--db", "v.db"],
    ["vcon", "embed", "--texts", "t.jsonl", "--db", "v.db"],
    ["vcon", "serve", "--db", "v.db"],
    ["vcon", "browse", "--db", "v.db"],
    ["evidence", "check", "list.yaml"],
    *(
        [*words, "--transcript-evidence-provenance", "raw"]
        for words in (
            *(["analyze", "coverage"], ["analyze", "calls"], ["analyze", "themes"], ["analyze", "backlog"]),
            *(["analyze", "scorecards"], ["search", "calls"], ["search", "transcripts", "guidance"]),
        )
    ),
]
OPEN: list[list[str]] = [
    ["sync", "status"],
    ["sync", "run", "--config", "sync.yaml", "--dry-run"],
    ["cache", "status"],
    ["cache", "inventory"],
    ["cache", "verify"],
    ["cache", "purge", "--older-than", "2020-01-01"],
    ["support", "bundle", "--out", "bundle"],
    ["cache", "warm"],
    ["profile", "history"],
    ["profile", "explain", "--profile", "builtin", "--against", "builtin"],
    ["governance", "scope"],
    ["governance", "census", "--no-names"],
    ["vcon", "export", "--all", "--db", "c.db"],
    ["mcp", "call", "get_sync_status"],
    ["analyze", "calls"],
    ["search", "transcripts", "guidance"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("restricted")
    build_sample(path / "c.db")
    (path / "list.yaml").write_text(LIST)
    (path / PROFILE).write_text("version: 1\nname: x\n")
    (path / "sync.yaml").write_text("version: 1\nwarm: false\nsteps: [{sync: transcripts}]\n")
    return path


@pytest.fixture(autouse=True)
def place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (RESTRICTED_ENV, ALLOW_ENV, "GONG_ACCESS_KEY", "GONG_ACCESS_TOKEN"):  # no credentials: nothing is asked
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("gongctl.gong.credentials._keyring_entry", lambda: None)
    monkeypatch.setenv("GONGCTL_DB", "c.db")
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("words", [words for words, _ in DECLARED], ids=" ".join)
def test_every_command_declares_what_it_is(words: tuple[str, ...]) -> None:
    assert dict(DECLARED)[words] is not None, f"gongctl {' '.join(words)}: say @sensitive(...) or @not_sensitive"


def test_a_command_that_declares_nothing_is_found() -> None:
    probe = typer.Typer()

    @probe.command("bare")
    def bare() -> None: ...

    @probe.command("plain")
    @not_sensitive
    def plain() -> None: ...

    @probe.command("loud")
    @sensitive("names", case="mostly")
    def loud() -> None: ...

    found: dict[Any, Any] = dict(declarations(typer.main.get_command(probe)))
    assert found["bare",] is None
    assert not found["plain",].is_sensitive
    assert (found["loud",].what, found["loud",].case) == ("names", "mostly")


def test_every_sensitive_command_is_tried_here() -> None:
    tried = {tuple(word for word in line[: len(words)]) for line in BLOCKED for words, _ in DECLARED}
    assert {words for words, found in DECLARED if found is not None and found.is_sensitive} <= tried


@pytest.mark.parametrize("line", BLOCKED, ids=" ".join)
@pytest.mark.parametrize("by", ["flag", "environment"])
def test_what_gives_data_away_is_blocked(
    line: list[str], by: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "environment":
        monkeypatch.setenv(RESTRICTED_ENV, "yes")
    there = set(Path().iterdir())
    assert run([*(["--restricted"] if by == "flag" else []), *line]) == Exit.REFUSED
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gongctl: Restricted mode: this command gives away ")
    assert ALLOW_FLAG in captured.err
    assert set(Path().iterdir()) == there


@pytest.mark.parametrize("line", BLOCKED, ids=" ".join)
@pytest.mark.parametrize("by", ["flag", "own flag", "environment", "not restricted", "off"])
def test_what_is_allowed_is_not_blocked(
    line: list[str], by: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ["--restricted"]
    after: list[str] = []
    if by == "flag":
        before.append(ALLOW_FLAG)
    elif by == "own flag":
        after = [ALLOW_FLAG]
    elif by == "environment":
        monkeypatch.setenv(ALLOW_ENV, "1")
    elif by == "off":
        before = []
        monkeypatch.setenv(RESTRICTED_ENV, "0")
    else:
        before = []
    run([*before, *line, *after])
    assert "Restricted mode" not in capfd.readouterr().err
    Path("new.db").unlink(missing_ok=True)


@pytest.mark.parametrize("line", OPEN, ids=" ".join)
def test_the_rest_runs_in_restricted_mode(line: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--restricted", *line]) == Exit.OK
    assert "Restricted mode" not in capfd.readouterr().err


def test_raw_provenance_of_the_environment_or_a_file_counts_too(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["--restricted", "mcp", "call", "get_sync_status"]
    Path("raw.toml").write_text('[provenance]\nmode = "raw"\n')
    assert run([*call, "--config", "raw.toml"]) == Exit.REFUSED
    monkeypatch.setenv("GONGMCP_TRANSCRIPT_EVIDENCE_PROVENANCE", "raw")
    assert run(call) == Exit.REFUSED
    monkeypatch.setenv("GONGMCP_TRANSCRIPT_EVIDENCE_PROVENANCE", "alias")
    assert run(call) == Exit.OK
    capfd.readouterr()


def test_a_mode_that_cannot_be_read_is_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RESTRICTED_ENV, "perhaps")
    assert run(["governance", "census"]) == Exit.USAGE
    assert capfd.readouterr().out == ""


def test_the_mode_of_one_run_is_not_that_of_the_next(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--restricted", "profile", "discover"]) == Exit.REFUSED
    assert run(["profile", "discover"]) == Exit.OK
    capfd.readouterr()
