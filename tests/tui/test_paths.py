"""Paths that are offered while one is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.paths import MOST, candidates


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, and the home of ``~``."""
    for name in (
        "b.yaml",
        "A.yml",
        "c.YAML",
        "notes.txt",
        ".dot.yaml",
        "sub/deep.yaml",
        "zero\u200b.yaml",
        "e\x1b.yaml",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", ["A.yml", "b.yaml", "c.YAML", "sub/"]),
        ("b", ["b.yaml"]),
        ("B", []),
        (".", [".dot.yaml"]),
        ("s", ["sub/"]),
        ("sub/", ["sub/deep.yaml"]),
        ("./sub/d", ["./sub/deep.yaml"]),
        ("~/", ["~/A.yml", "~/b.yaml", "~/c.YAML", "~/sub/"]),
        ("notes", []),
        ("nowhere/", []),
        ("~no-such-user-of-this-machine/x", []),
        ("b\x00", []),
        ("\x00/", []),
        ("b.yaml/", []),
    ],
)
def test_what_is_offered(folder: Path, typed: str, offered: list[str]) -> None:
    assert candidates(typed) == offered


def test_an_absolute_path_and_no_more_than_the_most(folder: Path) -> None:
    assert candidates(f"{folder}/b") == [f"{folder}/b.yaml"]
    for number in range(MOST + 5):
        (folder / "sub" / f"{number}.yaml").touch()
    assert len(candidates("sub/")) == MOST
