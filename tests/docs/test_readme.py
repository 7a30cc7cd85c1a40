"""The README's commands do what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GAP = "…"
"""A line of shown output that stands for any number of lines, also none."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a runnable block and the output that the README shows for it."""

    command: str
    shown: tuple[str, ...]


def steps(document: str) -> list[Step]:
    """Return the commands of the blocks that follow a line ``<!-- runnable -->``, in order."""
    found = []
    for block in re.findall(r"^<!-- runnable -->\n```console\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            found.append(Step(command, tuple(shown)))
    return found


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Tell whether *printed* is what *shown* allows."""
    pattern = "".join("(?:.*\n)*" if line == GAP else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a user without settings, with the tested commands first in PATH."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GONGCTL_", "GONGMCP_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return clean | {"PATH": path, "COLUMNS": "80"} | more


def test_the_readme_commands_print_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "gongctl").mkdir()
    (tmp_path / "gongctl" / "sample").symlink_to(ROOT / "gongctl" / "sample")
    todo = steps(README)
    assert len(todo) >= 5
    for step in todo:
        done = subprocess.run(
            ["sh", "-c", step.command], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{step.command}\n{done.stderr}"
        assert matches(step.shown, done.stdout.splitlines()), f"{step.command} printed:\n{done.stdout}"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a", GAP, "c"), ["a", "b", "b", "c"], True),
        (("a", GAP, "c"), ["a", "c"], True),
        ((GAP,), [], True),
        (("a",), ["a", "b"], False),
        (("a", GAP), ["b", "a"], False),
        ((), ["a"], False),
    ],
)
def test_shown_output_is_compared_line_by_line(shown: tuple[str, ...], printed: list[str], same: bool) -> None:
    assert matches(shown, printed) is same


def test_every_shell_command_that_is_not_run_is_known() -> None:
    """A block without the mark is text that nobody tests, so each is listed here with its reason."""
    plain = re.findall(r"(?<!<!-- runnable -->\n)^```(?:sh|console)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    reasons = {
        "make demo": "run by the test of the demonstration",
        "make test": "runs this test",
        "claude mcp add": "another program",
        "gongctl tui": "needs a terminal; piloted in tests/tui",
        "gongmcp --db": "waits for its client; a server with a lock is started in tests/gongmcp/approval",
        "pytest tests/gongmcp -q": "part of this run",
    }
    for line in "".join(plain).splitlines():
        assert any(line.startswith(known) for known in reasons), line


def test_the_readme_names_commands_targets_and_files_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    for step in steps(README):
        words = [word for word in shlex.split(step.command) if "=" not in word]
        assert words[0] in scripts


def test_the_server_starts_as_the_client_configuration_says() -> None:
    """The flags in the configuration for clients are flags of the server, and the preset exists."""
    from gongmcp.catalog.presets import find_preset
    from gongmcp.command import parser

    texts = [README, (ROOT / "docs" / "mcp-server.md").read_text(encoding="utf-8")]
    for text in texts:
        (arguments,) = re.findall(r'"args": \[(.*?)\]', text)
        given = parser().parse_args([word.strip(' "') for word in arguments.split(",")])
        assert find_preset(given.tool_preset).tools()
        (line,) = re.findall(r"^claude mcp add gong -- \S+ (.*)$", text, re.MULTILINE)
        assert find_preset(parser().parse_args(shlex.split(line)).tool_preset).tools()
