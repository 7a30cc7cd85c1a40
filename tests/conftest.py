"""Fixtures that every folder of tests may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl import sample


@pytest.fixture(scope="session")
def sample_files() -> list[Path]:
    """The bundled sample's gzip'd files, in the order of their names."""
    return sample.files()
