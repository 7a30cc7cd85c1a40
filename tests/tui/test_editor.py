"""The operator's editor for the JSON of arguments: in a real terminal, and refused where there is none."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tui import editor
from tui.screens.review import Review
from tui.widgets import argument_form

PATIENCE = 60.0
"""Seconds until a test gives up; no test measures time."""
ROOT = Path(__file__).parents[2]
APP = """
from tests.tui.conftest import Stage, StageReviewing, make
from tui.app import PreflightApp
stage = Stage()
PreflightApp(stage, reviewing=StageReviewing(stage), make=make).run()
"""
EDITOR = """
import pathlib, sys
path = pathlib.Path(sys.argv[-1])
assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
print("EDITOR IS HERE", path.name, path.read_text(), flush=True)
path.write_text('{\\n  "query": "by hand"\\n}\\n')
"""


class Terminal:
    """A program at the end of a terminal of its own."""

    def __init__(self, code: str, **env: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        # The width is the terminal's own: pytest's workers set COLUMNS.
        inherited = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
        given = inherited | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **env}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=given, close_fds=True
        )
        os.close(slave)
        self.seen = b""

    def until(self, words: str) -> None:
        """Wait until *words* came since they were last waited for."""
        end = time.monotonic() + PATIENCE
        while words.encode() not in self.seen:
            assert time.monotonic() < end, self.seen[-3000:]
            if select.select([self.master], [], [], 1)[0]:
                self.seen += os.read(self.master, 1 << 16)
        self.seen = self.seen.partition(words.encode())[2]

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def test_in_a_terminal_the_editor_gets_the_arguments_and_its_text_comes_back(tmp_path: Path) -> None:
    script = tmp_path / "ed.py"
    script.write_text(EDITOR, encoding="utf-8")
    terminal = Terminal(APP, EDITOR=f"{sys.executable} {script}", VISUAL="")
    try:
        terminal.until("largest, 1 of 3")
        terminal.type("a")
        terminal.until("a phrase")  # the help of the field with the cursor
        terminal.type("\x1b")
        terminal.until("enter or r runs")
        terminal.type("E")
        terminal.until("EDITOR IS HERE arguments.json {}")
        terminal.until("by hand")
    finally:
        terminal.close()


def test_without_a_terminal_it_is_not_offered(theatre: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "false")

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        assert not editor.is_at_hand(pilot.app)
        await pilot.press("a", "escape", "E")
        assert pilot.app.screen.query_one("#form").display
        live = pilot.app.screen.active_bindings.values()
        assert "editor" not in {binding.binding.action for binding in live if binding.enabled}

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "set EDITOR"),
        ("'unclosed", "set EDITOR"),
        ("false", "ended with status 1"),
        ("/no/such/editor", "cannot be run"),
        (f"{sys.executable} -c \"import sys; open(sys.argv[1],'wb').write(b'\\xff')\"", "cannot be read as UTF-8"),
    ],
)
def test_what_goes_wrong_is_said(words: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", words)
    monkeypatch.delenv("VISUAL", raising=False)
    app: Any = type("App", (), {"suspend": lambda self: nullcontext()})()
    with pytest.raises(editor.NotEdited, match=told):
        editor.edited(app, "{}", "arguments.json")


def test_where_no_file_can_be_made_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(editor.NotEdited, match="cannot be put in a file"):
        editor.edited(App(), "{}", "arguments.json")


def test_a_line_separator_within_a_text_breaks_no_line(theatre: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(argument_form, "edited", lambda *_: '{"query": "one\u2028two"}\n')

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        await pilot.press("a", "escape")
        form = pilot.app.screen.query_one(argument_form.ArgumentForm)
        assert await form.edit_outside() == ""
        assert form.held() == {"query": "one\u2028two"}

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene)
