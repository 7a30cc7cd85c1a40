"""Plain tables for a terminal that Markdown can show too."""

from __future__ import annotations

from collections.abc import Sequence


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print *rows* under *head* in aligned columns; every column but the first is aligned to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for number, row in enumerate((head, *rows)):
        cells = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("| " + " | ".join(cells) + " |", flush=True)
        if number == 0:
            marks = ["-" * width if column == 0 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
            print("| " + " | ".join(marks) + " |")


def short_number(count: int) -> str:
    """Return 10000 as ``10k`` and 6000000 as ``6M``; other numbers in full."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size and count % size == 0:
            return f"{count // size}{letter}"
    return f"{count:,}"


def megabytes(count: int) -> str:
    """Return bytes as whole megabytes."""
    return f"{count / 1_000_000:,.0f} MB"
