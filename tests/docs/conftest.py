"""What the tests of the documents share: the generator, and the cache that the documents' examples come from."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def from_scripts(name: str) -> ModuleType:
    """Import a module of ``scripts/`` as ``make docs`` does."""
    folder = str(ROOT / "scripts")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return import_module(name)


@pytest.fixture(scope="session")
def build_docs() -> ModuleType:
    """The script ``scripts/build_docs.py`` as a module."""
    return from_scripts("build_docs")


@pytest.fixture(scope="session")
def sample_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that the examples in the documents come from. Not to be changed."""
    db: Path = from_scripts("docgen.sample_cache").build_cache(tmp_path_factory.mktemp("sample"))
    return db
