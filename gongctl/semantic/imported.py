"""Vectors that another program made of the texts of vCons: the texts out, the vectors in.

A line is one text, as JSON: ``vcon`` (uuid), ``unit`` (subject, dialog, analysis, attachment), ``index``, ``position``,
``text``; on the way in with ``embedding``, an array of numbers. A vector is taken when its ``text`` is the one that is
stored: so a cache, whose texts are masked, holds no vector of anything that is not served.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import msgspec

from gongctl.semantic.build import Writing
from gongmcp.errors import StartupRefusal
from gongmcp.semantic.model import MODEL
from gongmcp.semantic.quantised import pack
from gongmcp.semantic.windows import Window, pack_places
from gongmcp.store.vcon_schema import MAX_PARTS

MOST_DIMENSIONS: Final = 4_096
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that SQLite can hold."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}")


class Line(msgspec.Struct, kw_only=True):
    """One line with a vector; further keys are passed over."""

    vcon: str
    unit: str
    index: Number
    position: Number
    text: str
    embedding: list[float]


@dataclass(slots=True)
class ImportReport:
    """What was taken, and why the rest was not: ``no_such_text``, ``other_text``, ``not_a_line``, ``not_a_vector``,
    ``other_length``."""

    model: str
    dimensions: int = 0
    vcons: int = 0
    vectors: int = 0
    rejected: Counter[str] = field(default_factory=Counter)


def text_lines(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Yield a JSON line for each text of a vCon that may have a vector, vCon by vCon."""
    rows = connection.execute(
        """SELECT v.uuid, t.unit, t.idx, t.position, t.text FROM vcons AS v JOIN vcon_texts AS t USING (vcon_no)
           WHERE t.unit <> 'party' ORDER BY t.text_no"""
    )
    for uuid, unit, index, position, text in rows:
        line = {"vcon": uuid, "unit": unit, "index": index, "position": position, "text": text}
        yield msgspec.json.encode(line) + b"\n"


def import_vectors(writer: Writing, lines: Iterable[bytes], model: str, *, replace: bool = False) -> ImportReport:
    """Store the vectors of *lines* under the name *model*, in one transaction; those that it had before go.

    Where no line is taken nothing goes.

    Raises:
        StartupRefusal: the name is none, or vectors of this length of another model are there and *replace* is not
            said: a caller's vector could not tell which is meant.
    """
    if not _NAME.fullmatch(model) or model.split("/")[0] == MODEL.split("/")[0]:
        raise StartupRefusal("--model must name what made the vectors: letters, digits and . _ : / @ + -.")
    report = ImportReport(model)
    found: dict[int, dict[int, list[float]]] = {}
    connection = writer.connection
    with writer.transaction():
        for line in _lines(lines, report):
            place = _place(connection, line, report)
            if place is not None:
                found.setdefault(place[0], {})[place[1]] = _unit(line.embedding)
        if not found:
            return report
        _make_room(connection, report, replace=replace)
        connection.executemany(
            """INSERT INTO vcon_vectors (vcon_no, model, dimensions, window_count, windows, scales, vectors)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            [_row(number, report, texts) for number, texts in sorted(found.items())],
        )
    report.vcons = len(found)
    report.vectors = sum(map(len, found.values()))
    return report


def _lines(lines: Iterable[bytes], report: ImportReport) -> Iterator[Line]:
    decoder = msgspec.json.Decoder(Line)
    for raw in lines:
        if not raw.strip():
            continue
        try:
            line = decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):
            report.rejected["not_a_line"] += 1
            continue
        length = len(line.embedding)
        if not 0 < length <= MOST_DIMENSIONS or not 0 < math.hypot(*line.embedding) < math.inf:
            report.rejected["not_a_vector"] += 1
        elif report.dimensions not in (0, length):
            report.rejected["other_length"] += 1
        else:
            report.dimensions = length
            yield line


def _unit(vector: list[float]) -> list[float]:
    """Return *vector* at length 1: in double precision, since its numbers may be none in single precision."""
    length = math.hypot(*vector)
    return [number / length for number in vector]


def _place(connection: sqlite3.Connection, line: Line, report: ImportReport) -> tuple[int, int] | None:
    """Return number of the vCon and running number of the text that *line* is about, None where it is not that."""
    row = connection.execute(
        """SELECT t.vcon_no, t.text_no, t.text FROM vcons AS v JOIN vcon_texts AS t USING (vcon_no)
           WHERE v.uuid = ? AND t.unit = ? AND t.idx = ? AND t.position = ? AND t.unit <> 'party'""",
        (line.vcon.casefold(), line.unit, line.index, line.position),
    ).fetchone()
    if row is None:
        report.rejected["no_such_text"] += 1
        return None
    if row[2] != line.text:
        report.rejected["other_text"] += 1
        return None
    return row[0], row[1] & (MAX_PARTS - 1)


def _make_room(connection: sqlite3.Connection, report: ImportReport, *, replace: bool) -> None:
    others = [
        name
        for (name,) in connection.execute(
            "SELECT DISTINCT model FROM vcon_vectors WHERE dimensions = ? AND model <> ?",
            (report.dimensions, report.model),
        )
        if name != MODEL
    ]
    if others and not replace:
        raise StartupRefusal(
            f"Vectors of {report.dimensions} numbers by {others[0]} are stored, and a caller's vector cannot say which "
            "it means.",
            "Replace them: --replace.",
        )
    for name in (report.model, *others):
        connection.execute("DELETE FROM vcon_vectors WHERE model = ?", (name,))


def _row(number: int, report: ImportReport, texts: dict[int, list[float]]) -> tuple[Any, ...]:
    import numpy as np

    matrix = np.array([texts[at] for at in sorted(texts)], dtype=np.float32)
    packed = pack(matrix)
    places = pack_places(Window(at, at, "") for at in sorted(texts))
    return number, report.model, report.dimensions, packed.count, places, packed.scales, packed.vectors
