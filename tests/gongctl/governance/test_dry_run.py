"""Dry runs under a restricted list ask for a choice of tools, as the server does."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl.cli.root import run
from gongmcp import command

LIST = "version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Nobody Whatsoever Inc\n"
ASKED = [["mcp", "tools"], ["mcp", "tool-info", "--all"], ["mcp", "call", "get_sync_status", "--db", "missing.db"]]


@pytest.fixture
def listed(tmp_path: Path) -> str:
    path = tmp_path / "list.yaml"
    path.write_text(LIST, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_without_a_choice_of_tools_it_is_refused_in_the_servers_words(
    words: list[str], listed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command.run(["--db", "missing.db", "--ai-governance-config", listed]) == 2
    said = capfd.readouterr().err.splitlines()[0].removeprefix("gongmcp: ")
    assert run([*words, "--ai-governance-config", listed]) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize("choice", [["--tool-preset", "analyst"], ["--tool-allowlist", "get_call"]], ids=" ".join)
def test_with_a_choice_it_goes_on(choice: list[str], listed: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "tools", *choice, "--ai-governance-config", listed]) == 0
    compared = ["mcp", "diff", "--preset", "analyst", "--preset", "operator-smoke"]
    assert run([*compared, "--ai-governance-config", listed]) == 0
    assert "tools must be chosen" not in capfd.readouterr().err
