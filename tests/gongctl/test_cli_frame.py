"""How any ``gongctl`` command starts and ends: lazy loading, usage errors, refusals, surprises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from gongctl.cli.lazy import Deferred
from gongctl.cli.root import RootGroup, run
from gongmcp import __version__
from gongmcp.errors import Exit, StartupRefusal, ToolFault

HEAVY = ("textual", "rich", "mcp", "pydantic", "sqlite_utils", "sqlite3", "phonenumbers", "tui")


def fresh_python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run *code* in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **env}
    )


def loaded_by(arguments: list[str]) -> set[str]:
    """Return the top-level and command modules that a fresh process has loaded after running *arguments*."""
    done = fresh_python(
        "import sys\n"
        "from gongctl.cli.root import run\n"
        f"code = run({arguments!r})\n"
        "names = {m.partition('.')[0] for m in sys.modules} | {m for m in sys.modules if m.startswith('gongctl.')}\n"
        "print('LOADED', code, *sorted(names))\n"
    )
    assert done.stderr == ""
    _, _, loaded = done.stdout.rpartition("LOADED ")
    code, *names = loaded.split()
    assert code == "0"
    return set(names)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., None]], None]:
    """Return a function that puts a body behind ``gongctl probe``."""

    def install(body: Callable[..., None]) -> None:
        app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command()(body)
        module = types.ModuleType("probe_cmd")
        module.app = app  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "probe_cmd", module)
        monkeypatch.setattr(RootGroup, "deferred", {**RootGroup.deferred, "probe": Deferred("probe_cmd:app", "Probe.")})

    return install


def test_help_lists_every_group_and_loads_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in ("import", "cache", "mcp", "tui", "demo"):
        assert re.search(rf"^  {name}  +[A-Z].*\.$", shown, re.MULTILINE), name
    names = loaded_by(["--help"])
    assert not names & set(HEAVY)
    assert not {name for name in names if name.endswith("_cmd")}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr() == (f"gongctl {__version__}\n", "")


def test_a_command_loads_its_own_module_only() -> None:
    names = loaded_by(["mcp", "presets"])
    assert {name for name in names if name.endswith("_cmd")} == {"gongctl.cli.mcp_cmd"}
    assert not names & (set(HEAVY) - {"pydantic", "sqlite3"})  # pydantic: Typer coerces options with it


def test_no_arguments_show_the_help_on_stderr_and_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Usage: gongctl")
    assert "  demo" in captured.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mpc"], "No such command 'mpc'. Did you mean 'mcp'?"),
        (["cahce", "status"], "No such command 'cahce'. Did you mean 'cache'?"),
        (["zzz"], "No such command 'zzz'."),
        (["mcp", "tool-inof"], "No such command 'tool-inof'. Did you mean 'tool-info'?"),
        (["--verison"], "No such option: --verison"),
        (["mcp", "tools", "--stat"], "--stats"),
    ],
)
def test_wrong_usage_ends_with_2_and_names_the_nearest(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert "Traceback" not in captured.err


def test_what_was_typed_never_reaches_the_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ("\x1b[31mmcp", "--\x1b[31m", "\u202emcp"):
        assert run([typed]) == 2
        assert not set(capsys.readouterr().err) & {"\x1b", "\u202e"}


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (StartupRefusal("No cache.", "Create one.", Exit.CACHE), 4, ["gongctl: No cache.", "Hint: Create one."]),
        (ToolFault("refused_by_policy", "Not here.", "Ask."), 3, ["gongctl: Not here.", "Hint: Ask."]),
    ],
)
def test_a_refusal_ends_any_command_with_its_code(
    error: Exception,
    code: int,
    lines: list[str],
    command: Callable[[Callable[..., None]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    def body() -> None:
        raise error

    command(body)
    assert run(["probe"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == lines


def test_a_surprise_is_one_sentence_with_a_reference_and_no_data(
    command: Callable[[Callable[..., None]], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def body() -> None:
        raise ValueError("secret customer name")

    command(body)
    monkeypatch.delenv("GONGCTL_DEBUG", raising=False)
    seen = []
    for _ in range(2):
        assert run(["probe"]) == 1
        seen.append(capsys.readouterr())
    assert seen[0] == seen[1]  # the same fault has the same reference
    assert seen[0].out == ""
    first, second = seen[0].err.splitlines()
    assert re.fullmatch(
        r"gongctl: Something unexpected happened \(ValueError at \w+\.py:\d+\); reference [0-9a-f]{8}\.", first
    )
    assert "GONGCTL_DEBUG=1" in second
    assert "secret" not in seen[0].err
    monkeypatch.setenv("GONGCTL_DEBUG", "1")
    with pytest.raises(ValueError, match="secret customer name"):
        run(["probe"])


def test_ctrl_c_ends_with_130(
    command: Callable[[Callable[..., None]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def body() -> None:
        raise KeyboardInterrupt

    command(body)
    assert run(["probe"]) == 130
    assert capsys.readouterr() == ("", "\nInterrupted.\n")


def test_ctrl_c_while_modules_load_ends_with_130() -> None:
    done = fresh_python(
        "import sys, gongctl.__main__ as entry\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'gongctl.cli.root':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.exit(entry.main())\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nInterrupted.\n")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["mcp", "presets"], ["mcp", "tools", "--text"]])
def test_a_reader_that_leaves_ends_the_command_quietly(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "gongctl", *arguments], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", ["--version", "mcp presets", "mcp presets --text"])
def test_output_that_cannot_be_written_is_one_sentence(arguments: str) -> None:
    full = Path("/dev/full")
    if full.exists():  # Linux
        with full.open("wb") as stdout:
            done = subprocess.run(
                [sys.executable, "-m", "gongctl", *arguments.split()],
                stdout=stdout,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 1
        first, hint = done.stderr.decode().splitlines()
        assert first.startswith("gongctl: The operating system refused: No space left on device (")
        assert hint.startswith("Hint: ")
    closed = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m gongctl {arguments} >&-', sys.executable], stderr=subprocess.PIPE, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, b"")


def test_exit_codes_of_commands_pass_through(command: Callable[[Callable[..., None]], None]) -> None:
    def body(code: int) -> None:
        raise typer.Exit(code)

    command(body)
    assert run(["probe", "5"]) == 5
    assert run(["probe", "0"]) == 0


def test_a_glyph_that_the_locale_lacks_does_not_fail() -> None:
    done = fresh_python(
        "from gongctl.cli.root import run; from gongctl.cli.output import emit_text\n"
        "run(['--version']); emit_text('Gr\\u00f6\\u00dfe \\x1b')\n",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "Gr\\xf6\\xdfe \\u241b"
