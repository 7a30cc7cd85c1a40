"""The entry point of ``gongmcp`` before the server has taken the signals over."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import gongmcp.command
from gongmcp.__main__ import main
from gongmcp.errors import Exit
from tests.gongmcp.stdio_process import PATIENCE, environment


def test_ctrl_c_while_it_starts_is_an_exit_code_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(gongmcp.command, "run", interrupted)
    assert main([]) == Exit.INTERRUPTED


@pytest.mark.parametrize("terminal", [True, False])
def test_started_by_hand_it_says_what_it_waits_for(sample_cache: Path, *, terminal: bool) -> None:
    master, slave = pty.openpty() if terminal else os.pipe()[::-1]
    with closing(os.fdopen(master, "wb", buffering=0)) as hand, closing(os.fdopen(slave, "rb", buffering=0)) as its:
        line = [sys.executable, "-m", "gongmcp", "--db", str(sample_cache), "--tool-preset", "operator-smoke"]
        hand.write(b"\x04" if terminal else b"")  # Ctrl-D
        if not terminal:
            hand.close()
        done = subprocess.run(
            line, stdin=its, capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False
        )
    assert (done.returncode, done.stdout) == (Exit.OK, "")
    assert ("waiting for an MCP client" in done.stderr) is terminal
