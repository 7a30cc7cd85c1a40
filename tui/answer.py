"""An answer as lines, and where in them each thing that was withheld belongs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gongmcp.exposure.ledger import Entry, Place
from gongmcp.render.visible import escaped

SIGNS = {"omitted": "-", "redacted": "*", "removed": "~", "cut": "…", "capped": "+", "rounded": "≈", "merged": "&"}
"""One sign per ledger action, drawn in the margin beside the text."""

WORDS = {
    "omitted": "field left out",
    "redacted": "text masked",
    "removed": "invisible characters taken out",
    "cut": "text shortened",
    "capped": "rows left out",
    "rounded": "counts rounded down",
    "merged": "small groups put together",
}
"""What each ledger action did, in words."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a view and, within it, the characters from *start* to *end* (equal: the whole line)."""

    line: int
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class View:
    """Lines of one way to look at an answer; *at* maps places to the line where each begins."""

    lines: list[str] = field(default_factory=list)
    at: dict[Place, int] = field(default_factory=dict)

    def spot(self, entry: Entry, nth: int = 0) -> Spot | None:
        """Return where *entry* shows: its mark, its value, or the nearest object around it.

        *nth* counts the earlier entries of the same kind at the same place.
        """
        place = entry.place
        while place and place not in self.at:
            place = place[:-1]
        line = self.at.get(place)
        if line is None:
            return None
        if entry.action == "redacted" and place == entry.place:
            mark = _nth(self.lines[line], f"{{redacted:{entry.kind}}}", nth)
            if mark is not None:
                return Spot(line, *mark)
        return Spot(line)


def _nth(text: str, mark: str, nth: int) -> tuple[int, int] | None:
    at = -1
    for _ in range(nth + 1):
        at = text.find(mark, at + 1)
        if at < 0:
            return None
    return at, at + len(mark)


def json_view(value: Any) -> View:
    """Return *value* as indented JSON, each value's line known by its place."""
    view = View()
    _write(view, value, (), "", "", "")
    return view


def _write(view: View, value: Any, place: Place, indent: str, key: str, comma: str) -> None:
    view.at[place] = len(view.lines)
    if isinstance(value, Mapping) and value:
        items: list[tuple[str | int, str, Any]] = [(str(k), f"{_scalar(str(k))}: ", v) for k, v in value.items()]
        opening, closing = "{", "}"
    elif isinstance(value, list | tuple) and value:
        items = [(number, "", item) for number, item in enumerate(value)]
        opening, closing = "[", "]"
    else:
        view.lines.append(f"{indent}{key}{_scalar(value)}{comma}")
        return
    view.lines.append(f"{indent}{key}{opening}")
    for number, (part, label, item) in enumerate(items, 1):
        _write(view, item, (*place, part), indent + "  ", label, "," if number < len(items) else "")
    view.lines.append(f"{indent}{closing}{comma}")


def _scalar(value: Any) -> str:
    return escaped(json.dumps(value, ensure_ascii=False))


_ROW = re.compile(r"([0-9]+)\. ?")


def text_view(text: str) -> View:
    """Return the formatted text line by line; places are found by its numbered rows and named columns."""
    view = View(text.split("\n"))
    view.at[()] = 0
    row: Place = ()
    for number, line in enumerate(view.lines):
        match = _ROW.match(line)
        if match and int(match[1]) == (int(row[1]) + 2 if row else 1):
            row = ("results", int(match[1]) - 1)
            view.at[row] = number
        elif name := re.match(r" *> ([a-z_]+): ", line):
            view.at.setdefault((*row, name[1]), number)
    return view


def margin(view: View, entries: Sequence[Entry]) -> dict[int, str]:
    """Return the sign that stands beside each line at which something was withheld."""
    signs: dict[int, str] = {}
    for entry in entries:
        spot = view.spot(entry)
        if spot is not None:
            sign = SIGNS.get(entry.action, "?")
            signs[spot.line] = sign if signs.get(spot.line, sign) == sign else "±"
    return signs
