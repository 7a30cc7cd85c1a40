"""A lock over the sample, the sample with what arrived later, and handlers under the lock and without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gongctl import sample
from gongctl.approval.approve import approve, write_lock
from gongmcp.approval.lock import Lock
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tests.gongmcp.approval.later import write_later
from tests.gongmcp.conftest import build_cache

Approve = Callable[..., Path]
Open = Callable[..., ToolHandler]


@pytest.fixture(scope="session")
def later_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample and what arrived after the approval."""
    folder = tmp_path_factory.mktemp("later")
    return build_cache(folder / "later.db", [*sample.files(), write_later(folder / "gong")])


@cache
def _lock(db: Path, tools: tuple[str, ...], flags: tuple[tuple[str, str], ...]) -> Lock:
    settings = ServerSettings.resolve(dict(flags), {})
    names = tools or tuple(sorted(settings.policy.tools or catalog()))
    return approve(settings, db, names, {}, by="a reviewer", at="2026-06-01T00:00:00Z")


@pytest.fixture
def approved(sample_cache: Path, tmp_path: Path) -> Approve:
    """Approve tools (all unless *tools* names some) over the sample; keyword arguments are settings by name."""

    def make(*tools: str, db: Path | None = None, **flags: str) -> Path:
        path = tmp_path / "gongmcp.lock.json"
        write_lock(path, _lock(db or sample_cache, tools, tuple(sorted(flags.items()))))
        return path

    return make


@pytest.fixture
def opened(sample_cache: Path) -> Open:
    """Return handlers as the server makes them; keyword arguments are settings by name."""

    def make(db: Path | None = None, **flags: str | Path) -> ToolHandler:
        given = {name: str(value) for name, value in flags.items()}
        return build_handler(ServerSettings.resolve(given, {}), db or sample_cache)

    return make
