"""Markdown that the blocks are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any


def cell(text: str) -> str:
    """Return *text* for a table cell: one line, no bar or angle bracket that would be read as markup."""
    flat = " ".join(text.split())
    return flat.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown already (see ``cell`` and ``code``)."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: str) -> str:
    """Return *text* as a code span for a table cell or a sentence."""
    return "`" + text.replace("|", "\\|") + "`"


def codes(items: Iterable[str], otherwise: str = "–") -> str:
    """Return *items* as code spans with commas between, *otherwise* when there is none."""
    return ", ".join(code(item) for item in items) or otherwise


def fence(text: str, language: str = "") -> str:
    """Return *text* as a code block; the fence is longer than any run of backticks inside."""
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def json_fence(value: Any) -> str:
    """Return *value* as an indented JSON code block."""
    return fence(json.dumps(value, ensure_ascii=False, indent=2), "json")
