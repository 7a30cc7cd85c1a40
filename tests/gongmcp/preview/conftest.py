"""Caches whose answers hold masks, cuts, line ends and hostile texts, and previews over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gongctl.approval.samples import own_samples
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview
from gongmcp.settings import ServerSettings
from tests.gongmcp import canary, hostile
from tests.gongmcp.conftest import build_cache
from tests.gongmcp.examples import EXAMPLES

Previews = Callable[..., list[Preview]]


@pytest.fixture(scope="session")
def canary_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls with personal data in every column."""
    folder = tmp_path_factory.mktemp("canary")
    return build_cache(folder / "canary.db", canary.write_files(folder))


@pytest.fixture(scope="session")
def hostile_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls with texts that try to leave their quotation."""
    folder = tmp_path_factory.mktemp("hostile")
    return build_cache(folder / "hostile.db", hostile.write_files(folder))


@pytest.fixture(scope="session")
def previews(sample_cache: Path, canary_cache: Path, hostile_cache: Path) -> Previews:
    """Return previews of every tool over each cache, made once; keyword arguments are settings by name."""
    kept: dict[str, list[Preview]] = {}

    def make(**flags: str) -> Iterator[Preview]:
        settings = ServerSettings.resolve(flags, {})
        for db, word in ((sample_cache, ""), (canary_cache, "CANARYSENTENCE OR call"), (hostile_cache, hostile.WORD)):
            handler = build_handler(settings, db)
            for info in handler.tools():
                for arguments in _arguments(handler, info.name, word):
                    yield preview(handler, info.name, arguments, settings)

    def made(**flags: str) -> list[Preview]:
        if repr(flags) not in kept:
            kept[repr(flags)] = list(make(**flags))
        return kept[repr(flags)]

    return made


def _arguments(handler: ToolHandler, name: str, word: str) -> Iterator[dict[str, object]]:
    if not word:
        yield from EXAMPLES[name]
        return
    flags = {item: True for item in handler.tool(name).input_schema["properties"] if item.startswith("include_")}
    for found in own_samples(handler, name) if not catalog()[name].examples else EXAMPLES[name][:1]:
        yield {**found, **flags, **({"query": word} if "query" in found else {})}
