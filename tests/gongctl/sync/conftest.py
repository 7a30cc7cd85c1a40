"""Fixtures of the tests of sync."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gongctl.cli.root import run
from tests.gongctl.sync.world import Done, Gongctl, World


@pytest.fixture
def gongctl_of(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[World], Gongctl]:
    """Run gongctl in this process, with the environment of a world."""

    def of(world: World) -> Gongctl:
        def call(*arguments: object) -> Done:
            for name in ("GONGCTL_DB", "GONG_ACCESS_TOKEN"):
                monkeypatch.delenv(name, raising=False)
            for name, value in world.variables().items():
                monkeypatch.setenv(name, value)
            monkeypatch.chdir(world.home)
            capfd.readouterr()
            code = run([str(argument) for argument in arguments])
            captured = capfd.readouterr()
            return Done(code, captured.out, captured.err)

        return call

    return of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder to work in."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
