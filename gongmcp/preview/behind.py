"""An answer of the facade, taken apart: the answers of the tools behind it, with where their rows went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.ledger import Place
from gongmcp.exposure.rows import Row
from gongmcp.facade.pack_text import ROWS, ROWS_COMPARED

RESULT = "result"


class Inner(NamedTuple):
    """The answer of one tool, as it was before the facade put itself around it."""

    tool: Tool
    structured: dict[str, Any]

    def place(self, place: Place) -> Place:
        """Return where *place* of this answer is in the answer of the facade."""
        return place if place[0] in _SAID_OUTSIDE else (RESULT, *place)


class Rows(NamedTuple):
    """One list of a pack: its *place*, what stands before its count in the text, its rows and their model."""

    place: Place
    head: str
    model: type[Row]
    rows: list[dict[str, Any]]


_SAID_OUTSIDE = frozenset({"status", "as_of", "freshness", "message", "hint"})


def inner(structured: Mapping[str, Any]) -> Inner | None:
    """Return the answer that the facade handed on; None for a pack and for the list of capabilities."""
    name = structured.get("routed_tool")
    if name is None:
        return None
    head = {member: structured[member] for member in _SAID_OUTSIDE if member in structured}
    return Inner(catalog()[name], {**head, **structured[RESULT]})


def lists(structured: Mapping[str, Any]) -> Iterator[Rows]:
    """Yield the lists of a pack in the order of its text."""
    body = structured[RESULT]
    for name, tool in ROWS.items():
        if body.get(name):
            yield Rows((RESULT, name), name, catalog()[tool].row, body[name])
    for dimension, rows in (body.get("compared") or {}).items():
        yield Rows((RESULT, "compared", dimension), f"by {dimension}", catalog()[ROWS_COMPARED].row, rows)
