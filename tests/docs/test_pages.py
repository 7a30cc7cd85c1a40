"""Links, named files and tables of the hand-written pages are true."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", without_code(page.read_text(encoding="utf-8"))):
        if not target.startswith(("https://", "http://")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in {"rules.md", "cli.md"}], ids=name_of)
def test_named_source_files_exist(page: Path) -> None:
    """`gongmcp/…`, `gongctl/…`, `tui/…`, `docs/…`, `scripts/…` and `tests/…` in code spans are real."""
    text = without_code(page.read_text(encoding="utf-8"))
    for path in re.findall(r"`((?:gongmcp|gongctl|tui|docs|scripts|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


def table_under(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table under *heading*, without its head."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


@pytest.mark.parametrize(
    ("heading", "required"),
    [
        ("Run time", PROJECT["project"]["dependencies"]),
        ("Extras", [entry for extra in PROJECT["project"]["optional-dependencies"].values() for entry in extra]),
        ("Build", PROJECT["build-system"]["requires"]),
        ("Development", PROJECT["dependency-groups"]["dev"]),
        ("Documents", [entry for entry in PROJECT["dependency-groups"]["docs"] if isinstance(entry, str)]),
    ],
)
def test_each_dependency_has_its_reason(heading: str, required: list[str]) -> None:
    rows = table_under("dependencies.md", heading)
    assert [row[0].strip("`") for row in rows] == sorted(Requirement(entry).name for entry in required)
    assert all(row[1] for row in rows)


MODULES = {"google-re2": "re2"}
"""Packages whose module has another name."""


@pytest.mark.parametrize("requirement", PROJECT["project"]["dependencies"])
def test_a_run_time_dependency_is_imported_or_said_to_be_idle(requirement: str) -> None:
    name = Requirement(requirement).name
    module = MODULES.get(name, name.replace("-", "_"))
    pattern = re.compile(rf"^\s*(?:import|from) {re.escape(module)}\b", re.MULTILINE)
    sources = [path for package in ("gongmcp", "gongctl", "tui") for path in (ROOT / package).rglob("*.py")]
    imported = any(pattern.search(path.read_text(encoding="utf-8")) for path in sources)
    (reason,) = [row[1] for row in table_under("dependencies.md", "Run time") if row[0] == f"`{name}`"]
    assert imported is not reason.endswith("Nothing imports it yet")


def test_the_changelog_has_the_form_and_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (found,) = re.findall(r'__version__ = "(.+)"', (ROOT / "gongmcp" / "__init__.py").read_text(encoding="utf-8"))
    assert "\n## [Unreleased]\n" in text
    assert f"Version {found}, not yet released." in text or f"\n## [{found}]" in text
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def names_of_tests(path: Path) -> set[str]:
    """Return the names of the test functions in *path*."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


RULES = [
    row for heading in ("The adapter's boundary", "Tools and resources") for row in table_under("rules.md", heading)
]


@pytest.mark.parametrize("rule", RULES, ids=lambda row: row[0])
def test_each_rule_names_where_it_is_held_and_a_test_that_exists(rule: list[str]) -> None:
    number, said, where, proof = rule
    assert number
    assert said
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", proof)
    assert named or proof.startswith("later: "), "neither a test nor what is waited for"
    for path, test in named:
        assert test in names_of_tests(ROOT / path), f"{path}::{test}"
    if not named:
        return
    places = re.findall(r"`((?:gongmcp|gongctl|tui)/[\w/]+\.py)(?:::(\w+))?`", where)
    assert places, "no place in the code"
    for path, name in places:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^\s*(?:async )?(?:def|class) {name}\b|^{name}\b.*=", source, re.MULTILINE), name


def test_the_rules_are_numbered_without_a_gap() -> None:
    assert [row[0] for row in RULES if row[0].startswith("A")] == [
        f"A{n}" for n in range(1, 1 + sum(r[0][0] == "A" for r in RULES))
    ]
    assert [row[0] for row in RULES if row[0].startswith("T")] == [
        f"T{n}" for n in range(1, 1 + sum(r[0][0] == "T" for r in RULES))
    ]
