"""The entry point of ``gongmcp`` before the server has taken the signals over."""

from __future__ import annotations

import pytest

import gongmcp.command
from gongmcp.__main__ import main
from gongmcp.errors import Exit


def test_ctrl_c_while_it_starts_is_an_exit_code_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(gongmcp.command, "run", interrupted)
    assert main([]) == Exit.INTERRUPTED
