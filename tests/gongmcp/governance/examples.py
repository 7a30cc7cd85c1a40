"""The tables of ``docs/restricted-names.md``, read; and lists of terms made without a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import Entry, RestrictedList
from gongmcp.governance.terms import Kind, Term

PAGE = Path(__file__).parents[3] / "docs" / "restricted-names.md"
_CODE_POINT = re.compile(r"\{U\+([0-9A-F]{4,5})\}")


@dataclass(frozen=True)
class Example:
    """One row: whether *term* is found in *text*."""

    term: str
    text: str
    found: bool


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _literal(cell: str) -> str:
    return _CODE_POINT.sub(lambda found: chr(int(found[1], 16)), cell.removeprefix("`").removesuffix("`"))


def _rows(columns: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            inside = False
        elif _cells(line) == columns:
            inside = True
        elif inside and not line.startswith("| ---"):
            rows.append(_cells(line))
    return rows


def examples() -> list[Example]:
    """Return the rows that say yes or no."""
    rows = _rows(["Term", "Text", "Found", "Why"])
    assert {row[2] for row in rows} == {"yes", "no"}
    return [Example(_literal(term), _literal(text), found == "yes") for term, text, found, _ in rows]


def unusable() -> list[str]:
    """Return the terms that cannot be looked for."""
    return [_literal(term) for term, _ in _rows(["Term", "Why"])]


def term(written: str) -> Term:
    """Return the term of a row: a name, or ``KIND: TEXT``."""
    kind, colon, text = written.partition(": ")
    return Term.of(Kind(kind), text) if colon else Term.of(Kind.NAME, written)


def entry(index: int, *written: str) -> Entry:
    """Return a customer with the given terms."""
    return Entry("no_ai", index, index, written[0], tuple(term(one) for one in written))


def matcher(*written: str) -> Matcher:
    """Return a matcher for a list in which each term is a customer of its own."""
    return Matcher(RestrictedList(tuple(entry(index, one) for index, one in enumerate(written, 1))))
