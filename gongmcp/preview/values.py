"""The values of an answer with what their columns declare, for checks that look at texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gongmcp.catalog.declaration import Tool
from gongmcp.exposure.decisions import field_of
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import Field
from gongmcp.exposure.ledger import Place
from gongmcp.exposure.rows import Row, hints
from gongmcp.preview.behind import inner, lists
from gongmcp.render.text import nested_model


def values(
    tool: Tool, structured: Mapping[str, Any], arguments: Mapping[str, Any]
) -> Iterator[tuple[Place, Any, Field]]:
    """Yield (place, value, class) of every declared column in an answer of *tool*; items of lists one by one.

    Of the facade, the columns of the tools behind it.
    """
    if tool.facade:
        yield from _row(tool.row, structured, (), arguments)
        handed = arguments.get("arguments") or {}
        if (behind := inner(structured)) is not None:
            for place, value, kind in values(behind.tool, behind.structured, handed):
                yield behind.place(place), value, kind
            return
        for listed in lists(structured):
            for number, row in enumerate(listed.rows):
                yield from _row(listed.model, row, (*listed.place, number), handed)
        return
    if not tool.many:
        yield from _row(tool.row, structured, (), arguments)
        return
    if tool.notes is not None:
        yield from _row(tool.notes, structured, (), arguments)
    for number, row in enumerate(structured.get("results", ())):
        yield from _row(tool.row, row, ("results", number), arguments)


def _row(
    model: type[Row], row: Mapping[str, Any], place: Place, arguments: Mapping[str, Any]
) -> Iterator[tuple[Place, Any, Field]]:
    for name, expose, nested in columns(model):
        if name not in row:
            continue
        value, here = row[name], (*place, name)
        if nested:
            inner = nested_model(hints(model)[name])
            if isinstance(value, Mapping):
                yield from _row(inner, value, here, arguments)
            else:
                for number, item in enumerate(value):
                    yield from _row(inner, item, (*here, number), arguments)
        elif expose is not None:
            kind = field_of(expose, arguments)
            if isinstance(value, list):
                yield from (((*here, number), item, kind) for number, item in enumerate(value))
            else:
                yield here, value, kind
