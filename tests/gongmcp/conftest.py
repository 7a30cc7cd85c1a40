"""A warmed cache of the bundled sample, and handlers over it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gongctl import sample
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings

SECRET = bytes(range(32))
CLOCK = "1780000000"


def build_cache(path: Path, sources: list[Path]) -> Path:
    """Import *sources* into a new cache at *path* and warm it, with a fixed secret and clock."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = CLOCK
    try:
        with CacheWriter.open(path, create=True, secret=SECRET) as writer:
            import_records(writer, read_paths(sources))
            warm(writer)
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
    return path


@pytest.fixture(scope="session")
def sample_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sample, imported and warmed."""
    return build_cache(tmp_path_factory.mktemp("cache") / "sample.db", sample.files())


MakeHandler = Callable[..., ToolHandler]


@pytest.fixture(scope="session")
def make_handler(sample_cache: Path) -> MakeHandler:
    """Return handlers over the sample; keyword arguments are settings by name."""

    def make(db: Path | None = None, **flags: str) -> ToolHandler:
        return build_handler(ServerSettings.resolve(flags, {}), db or sample_cache)

    return make


@pytest.fixture(scope="session")
def handler(make_handler: MakeHandler) -> ToolHandler:
    """A handler over the sample under the default policy."""
    return make_handler()
