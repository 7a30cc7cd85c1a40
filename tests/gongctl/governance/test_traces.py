"""What a stricter list takes out of the served half leaves no trace in the bytes of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl.cache import warm as warm_module
from gongctl.cache.connection import reading
from gongctl.cache.writer import CacheWriter
from tests.gongctl.governance.planted import STAYING, build, listed, rewarm, served

NAMES = ("quokka", "numbat")
STAYS = ("globex", "initech")
"""Words of the calls that stay. Payloads are compressed, so that what is spelt in the file is of the served half."""


def spelt(path: Path) -> set[str]:
    text = path.read_bytes().decode("latin-1").casefold()
    return {name for name in (*NAMES, *STAYS) if name in text}


def test_after_a_stricter_list_the_names_are_nowhere_in_the_served_half(tmp_path: Path) -> None:
    path = build(tmp_path / "c.db")
    assert spelt(path) >= {*NAMES, *STAYS}
    rewarm(path, listed(tmp_path))
    assert served(path) == STAYING
    assert spelt(path) == set(STAYS)


def test_control_without_overwriting_and_merging_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build(tmp_path / "c.db")
    prepare = CacheWriter._prepare

    def careless(self: CacheWriter, *args: object) -> None:
        prepare(self, *args)  # type: ignore[arg-type]
        self.connection.execute("PRAGMA secure_delete = OFF")

    monkeypatch.setattr(CacheWriter, "_prepare", careless)
    monkeypatch.setattr(warm_module, "CLEANED_UP_TO", -1)
    rewarm(path, listed(tmp_path))
    assert spelt(path) & set(NAMES)


def test_the_index_alone_keeps_words_until_it_is_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def words(path: Path) -> set[str]:
        with reading(path) as connection:
            blocks = b"".join(row[0] for row in connection.execute("SELECT block FROM segments_fts_data"))
        return {name for name in NAMES if name in blocks.decode("latin-1")}

    path = build(tmp_path / "c.db")
    before = words(path)
    assert before
    rewarm(path, listed(tmp_path))
    assert not words(path)
    other = build(tmp_path / "o.db")
    monkeypatch.setattr(warm_module, "CLEANED_UP_TO", -1)
    rewarm(other, listed(tmp_path))
    assert words(other)
