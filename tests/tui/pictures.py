"""Several pictures of one run of an app: each is held against the one on disk, and has words that no other has."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from tests.tui.conftest import Theatre


class Pictures:
    """Pictures of the states of one test. ``pytest --snapshot-update`` redraws them: look at them."""

    def __init__(self, kept: SnapshotAssertion) -> None:
        self._kept = kept
        self.wrong: list[str] = []

    async def take(self, pilot: Pilot[None], name: str, *words: str, size: tuple[int, int] | None = None) -> str:
        """Take the picture *name*, at another *size* where one is given; *words* are in it. Returns its text."""
        app = pilot.app
        if size is not None and tuple(app.size) != size:
            await pilot.resize_terminal(*size)
            await Theatre.settle(pilot)
        svg = app.export_screenshot(title=app.title, simplify=True)
        if self._kept(name=name) != svg:
            self.wrong.append(name)
        told = " ".join(text_of(svg).split())
        for part in words:
            assert part in told, (name, part, told)
        return told


def text_of(svg: str) -> str:
    """Return the words of a picture."""
    drawn = re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    return html.unescape(" ".join(drawn)).replace("\xa0", " ")


def assert_all_different(folder: Path, count: int) -> None:
    """Assert that *folder* holds *count* pictures, no two alike and none without words."""
    texts = {picture.name: picture.read_text() for picture in folder.iterdir()}
    assert len(texts) == count, sorted(texts)
    assert len(set(texts.values())) == len(texts)
    for name, svg in texts.items():
        assert len(text_of(svg).split()) >= 5, name


@pytest.fixture
def pictures(snapshot: SnapshotAssertion) -> Iterator[Pictures]:
    """Pictures of this test; those that differ fail it at its end, all of them named."""
    made = Pictures(snapshot.use_extension(SVGImageExtension))
    yield made
    assert made.wrong == [], "these pictures differ from those on disk"
