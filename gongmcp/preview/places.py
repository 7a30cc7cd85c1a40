"""Where each value of an answer stands: in the bytes of the wire, and in the characters of the formatted text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from gongmcp.catalog.declaration import Tool
from gongmcp.exposure.engine import columns
from gongmcp.exposure.ledger import Place
from gongmcp.exposure.rows import Row, hints
from gongmcp.preview.behind import inner, lists
from gongmcp.preview.model import Range
from gongmcp.render.answer import Answer
from gongmcp.render.text import is_quoted, nested_model, scalar
from gongmcp.render.wire import json_bytes

Places = dict[Place, Range]
"""Ranges by place: of every value, and of every object and list around values."""

_BEFORE_TEXT: Final = len(b'{"content":[{"type":"text","text":')
_BEFORE_STRUCTURE: Final = len(b'}],"structuredContent":')


def text_on_wire(answer: Answer) -> Range:
    """Return where the formatted text stands in the bytes of *answer*, as a JSON string with its quotes."""
    return Range(_BEFORE_TEXT, _BEFORE_TEXT + len(json_bytes(answer.text)))


def wire_places(answer: Answer) -> Places:
    """Return where each value of the structured answer stands in the bytes; empty for an error.

    The bytes of a range are the JSON of the value.
    """
    found: Places = {}
    if answer.structured is not None:
        _measure(answer.structured, (), text_on_wire(answer).end + _BEFORE_STRUCTURE, found)
    return found


def _measure(value: Any, place: Place, at: int, found: Places) -> int:
    start = at
    if isinstance(value, Mapping):
        found[place] = Range(start, start)  # containers come before what is in them
        at += 1
        for number, (name, item) in enumerate(value.items()):
            at += (number > 0) + _name_bytes(name) + 1
            at = _measure(item, (*place, name), at, found)
        at += 1
    elif isinstance(value, list):
        found[place] = Range(start, start)
        at += 1
        for number, item in enumerate(value):
            at = _measure(item, (*place, number), at + (number > 0), found)
        at += 1
    elif isinstance(value, str) and value.isascii() and value.isalnum():
        at += len(value) + 2
    else:
        at += len(json_bytes(value) if isinstance(value, str) else json.dumps(value))
    found[place] = Range(start, at)
    return at


@lru_cache(maxsize=4096)
def _name_bytes(name: str) -> int:
    return len(json_bytes(name))


def text_places(tool: Tool, answer: Answer) -> Places:
    """Return where each value of the structured answer shows in the formatted text.

    The walk goes in the order in which ``render.text`` writes, so that a value is looked for right behind the one
    before it. Members of the envelope that the text does not repeat are absent.
    """
    structured = answer.structured
    if structured is None:
        return {}
    if tool.facade:
        return _facade_places(structured, answer.text)
    walk = _Walk(answer.text)
    for name in ("returned", "message", "hint", "as_of") if structured["status"] != "ok" else ("returned", "as_of"):
        if name in structured:
            walk.put((name,), "", scalar(structured[name]))
    if tool.many:
        if tool.notes is not None:
            walk.columns(tool.notes, structured, (), "")
        rows = structured.get("results", ())
        begins = walk.at
        for number, row in enumerate(rows):
            walk.row(tool.row, row, ("results", number))
        if rows:
            walk.found["results",] = Range(begins, walk.at)
    else:
        walk.columns(tool.row, structured, (), "")
    walk.foot(structured)
    return walk.found


def _facade_places(structured: Mapping[str, Any], text: str) -> Places:
    """Return the same for the facade: the text of the tool behind it stands whole under a line of its own."""
    walk = _Walk(text)
    if "operation" in structured:
        walk.put(("operation",), "", structured["operation"])
    behind = inner(structured)
    if behind is None:
        walk.pack(structured)
        return walk.found
    walk.put(("routed_tool",), ", answered by ", structured["routed_tool"])
    begins = text.index("\n") + 1
    for place, where in text_places(behind.tool, Answer(text[begins:], behind.structured)).items():
        walk.found[behind.place(place)] = Range(where.start + begins, where.end + begins)
    walk.found["result",] = Range(begins, len(text))
    return walk.found


class _Walk:
    """Goes through the text once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: Places = {}

    def put(self, place: Place, before: str, shown: str) -> None:
        """Note *place* where *shown* stands next, right behind the words *before*."""
        at = self.text.find(before + shown, self.at)
        if at >= 0:
            start = at + len(before)
            self.at = start + len(shown)
            self.found[place] = Range(start, self.at)

    def row(self, model: type[Row], row: Mapping[str, Any], place: Place) -> None:
        """Note a numbered row and what is in it."""
        head = f"\n{int(place[-1]) + 1}."
        at = self.text.find(head, self.at)
        if at >= 0:
            self.at = at + len(head)
            self.columns(model, row, place, "   ")
            self.found[place] = Range(at + 1, self.at)

    def pack(self, structured: Mapping[str, Any]) -> None:
        """Note the date and the lists of rows of a pack; what is said around them has the place of the whole."""
        self.found["result",] = Range(0, len(self.text))
        if "operation" in structured and structured["status"] == "ok":
            self.put(("as_of",), "As of ", scalar(structured["as_of"]))
        for listed in lists(structured):
            self.put(listed.place, "\n", f"{listed.head}: {len(listed.rows)}")
            begins = self.at
            for number, row in enumerate(listed.rows):
                self.row(listed.model, row, (*listed.place, number))
            self.found[listed.place] = Range(begins, self.at)

    def columns(self, model: type[Row], row: Mapping[str, Any], place: Place, indent: str) -> None:
        """Note the columns of *row*: those inside one line, then quotations, then nested rows, as they are written."""
        quoted, nested = [], []
        for name, expose, is_nested in columns(model):
            if name not in row:
                continue
            if is_nested:
                nested.append(name)
            elif expose is not None and is_quoted(expose, row[name]):
                quoted.append(name)
            else:
                self._listed(row[name], (*place, name), f"{name} ", ", ", "")
        for name in quoted:
            self._listed(row[name], (*place, name), f"{indent}> {name}: ", " | ", f"\n{indent}> ")
        for name in nested:
            self._nested(nested_model(hints(model)[name]), row[name], (*place, name), indent)

    def _listed(self, value: Any, place: Place, before: str, between: str, line: str) -> None:
        """Note a value, and of a list its items; *line* is what begins each further line of a quotation."""

        def shown(item: Any) -> str:
            if line and item == []:
                return ""
            return scalar(item).replace("\n", line) if line else scalar(item)

        if not isinstance(value, list) or not value:
            self.put(place, before, shown(value))
            if isinstance(value, Mapping) and place in self.found:
                self._members(value, place, self.found[place].start, shown)
            return
        self.put(place, before, between.join(map(shown, value)))
        whole = self.found.get(place)
        if whole is not None:
            at = whole.start
            for number, item in enumerate(value):
                self.found[(*place, number)] = Range(at, at + len(shown(item)))
                at += len(shown(item)) + len(between)

    def _members(self, value: Any, place: Place, at: int, shown: Callable[[Any], str]) -> None:
        """Note what is in an object, or in a list of it, that stands in one line from *at* on: see ``scalar``."""
        named = isinstance(value, Mapping)
        for key, item in value.items() if named else enumerate(value):
            at += len(f"{key} ") if named else 0
            self.found[(*place, key)] = Range(at, at + len(shown(item)))
            if isinstance(item, Mapping | list):
                self._members(item, (*place, key), at, shown)
            at += len(shown(item)) + 2

    def _nested(self, model: type[Row], value: Any, place: Place, indent: str) -> None:
        name = str(place[-1])
        one = isinstance(value, Mapping)
        head = f"\n{indent}{name}:" if one else f"\n{indent}{name}: {len(value)}"
        at = self.text.find(head, self.at)
        if at < 0:
            return
        self.at = at + len(head)
        if one:
            self.columns(model, value, place, indent + "  ")
        else:
            for number, item in enumerate(value):
                begins = self.at
                self.columns(model, item, (*place, number), indent + "    ")
                self.found[(*place, number)] = Range(begins, self.at)
        self.found[place] = Range(at + 1, self.at)

    def foot(self, structured: Mapping[str, Any]) -> None:
        """Note what is said of the answer as a whole behind its rows."""
        searched = structured.get("searched", {})
        for name, value in searched.items():
            if name != "calls_in_range":
                self._listed(value, ("searched", name), f"   > {name}: ", " | ", "\n   > ")
        if "calls_in_range" in searched:
            self.put(("searched", "calls_in_range"), "Calls in range: ", scalar(searched["calls_in_range"]))
        for name, before in (("requested", "limit "), ("effective", " was lowered to ")):
            if "limit_clamped" in structured:
                self.put(("limit_clamped", name), before, scalar(structured["limit_clamped"][name]))
        for number, item in enumerate(structured.get("omitted", ())):
            self.put(("omitted", number, "count"), "Left out for size: ", scalar(item["count"]))
            self.put(("omitted", number, "field"), " of ", item["field"])
        for name, before, between in (
            ("suggested_refinements", "To narrow: ", " "),
            ("next_cursor", "Next page: cursor ", ""),
            ("withheld_fields", "Withheld (not absent): ", ", "),
        ):
            if structured.get(name):
                self._listed(structured[name], (name,), before, between, "")
