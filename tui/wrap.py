"""Wrapping of long lines to a width in cells, without looking at a line twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import get_character_cell_size


class Row(NamedTuple):
    """One row on the screen: characters *start* to *end* of a line, moved right by *indent* cells."""

    line: int
    start: int
    end: int
    indent: int


def wrap_lines(lines: list[str], width: int) -> list[Row]:
    """Return the rows of *lines* at *width* cells; continuation rows hang under their line's indent."""
    rows: list[Row] = []
    for number, line in enumerate(lines):
        if line.isascii() and len(line) <= width:
            rows.append(Row(number, 0, len(line), 0))
        else:
            rows.extend(_wrap(number, line, width))
    return rows


def _wrap(number: int, line: str, width: int) -> Iterator[Row]:
    hang = min(len(line) - len(line.lstrip(" ")) + 2, width // 2)
    start, indent = 0, 0
    length, narrow = len(line), line.isascii()
    while True:
        room = max(1, width - indent)
        end = start + room if narrow else _fit(line, start, room)
        if end >= length:
            yield Row(number, start, length, indent)
            return
        space = line.rfind(" ", start, end + 1)
        cut = space + 1 if space > start + (end - start) // 2 else end
        yield Row(number, start, cut, indent)
        start, indent = cut, hang


def _fit(line: str, start: int, cells: int) -> int:
    """Return the first index at or after *start* that no longer fits in *cells* (at least one does)."""
    used = 0
    index = start
    while index < len(line):
        used += get_character_cell_size(line[index])
        if used > cells and index > start:
            return index
        index += 1
    return index
