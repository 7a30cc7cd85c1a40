"""A server follows the file at its path: what was taken away is not served, what came instead is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gongctl import sample
from tests.gongmcp.conftest import MakeHandler, build_cache


def test_a_cache_that_is_moved_into_place_is_followed(
    sample_cache: Path, tmp_path: Path, make_handler: MakeHandler
) -> None:
    db = tmp_path / "c.db"
    shutil.copy(sample_cache, db)
    handler = make_handler(db)
    assert handler.freshness()["calls"] == 9
    empty = [path for path in sample.files() if "users" in path.name]
    build_cache(tmp_path / "new.db", empty).replace(db)
    answer = handler.answer("search_calls", {})
    assert answer.structured is not None
    assert answer.structured["returned"] == 0
    assert handler.freshness()["calls"] == 0


def test_a_cache_that_is_taken_away_is_served_no_more(
    sample_cache: Path, tmp_path: Path, make_handler: MakeHandler
) -> None:
    db = tmp_path / "c.db"
    shutil.copy(sample_cache, db)
    handler = make_handler(db)
    db.unlink()
    for _ in range(2):
        answer = handler.answer("search_calls", {})
        assert answer.error is not None
        assert answer.error["code"] == "cache_not_ready"
        assert str(tmp_path) not in answer.text
    db.write_text("no database")
    answer = handler.answer("search_calls", {})
    assert answer.error is not None
    assert answer.error["code"] == "cache_not_ready"
    db.unlink()
    shutil.copy(sample_cache, db)
    assert handler.freshness()["calls"] == 9


def test_a_name_that_is_no_utf8_is_a_name(sample_cache: Path, tmp_path: Path, make_handler: MakeHandler) -> None:
    db = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.db"))
    shutil.copy(sample_cache, db)
    assert make_handler(db).freshness()["calls"] == 9
