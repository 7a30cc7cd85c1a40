"""Findings about a profile as rows: the word first, colour only repeats it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content

from tui.literal import literal
from tui.operations import ProfileFinding
from tui.widgets.pane import Row

HEADS = ("severity", "line", "code", "what")
RIGHT = (1,)
"""Which of the columns hold numbers."""

_COLOURS = {"error": "$error bold", "warn": "$warning bold", "info": "$secondary"}


def finding_rows(findings: Iterable[ProfileFinding]) -> list[Row]:
    """Return a row for each of *findings*, in their order."""
    return [_row(item) for item in findings]


def _row(item: ProfileFinding) -> Row:
    line = "" if item.line is None else str(item.line)
    severity = literal(item.severity, _COLOURS.get(item.severity, "bold"))
    where = literal((f"line {line}, " if line else "") + (item.path or "the whole profile"), "$quiet")
    return Row(
        (severity, literal(line), literal(item.code), literal(item.message)),
        Content("\n").join(
            [Content.assemble(severity, " ", literal(item.code, "bold"), "  ", where), literal(item.message)]
        ),
        "\t".join((item.severity, line, item.code, item.path, item.message)),
    )


def tally(findings: Sequence[ProfileFinding]) -> str:
    """Return how many findings there are of each severity, in words."""
    counts = {name: sum(item.severity == name for item in findings) for name in ("error", "warn", "info")}
    words = {"error": ("error", "errors"), "warn": ("warning", "warnings"), "info": ("note", "notes")}
    told = [f"{count:,} {words[name][count != 1]}" for name, count in counts.items() if count]
    return ", ".join(told) or "no findings"
