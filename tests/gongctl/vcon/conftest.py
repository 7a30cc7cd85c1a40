from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VconStore]:
    with VconStore.open(tmp_path / "store.db", create=True) as opened:
        yield opened


@pytest.fixture
def service(store: VconStore) -> VconService:
    return VconService(store, "tester")
