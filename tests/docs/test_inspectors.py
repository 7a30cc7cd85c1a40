"""The page that holds the screens against other tools: each yes of ours is shown by something that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "inspectors.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| What ", "| ---"))
]


def test_every_row_has_every_column() -> None:
    assert len(ROWS) > 40
    assert {len(row) for row in ROWS} == {10}
    assert {cell for row in ROWS for cell in row[1:9]} <= {"Y", "P", "N", "–", "?"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_yes_is_shown_by_a_test_or_a_picture(row: list[str]) -> None:
    ours, shown = row[8], row[9]
    if ours != "Y":
        assert shown
        return
    (place,) = re.findall(r"`([^`]+)`", shown)
    file, _, name = place.partition("::")
    path = ROOT / file
    assert path.is_file(), place
    if name:
        assert re.search(rf"^(?:async )?def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE), place
    else:
        assert file.startswith(("screenshots/", "tests/"))
