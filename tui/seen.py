"""A preview as lines through one lens, and where in them each withheld thing belongs.

The places are those of ``Preview.spans``; only where the answer is indented for reading are lines found by place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from gongmcp.exposure.ledger import Place
from gongmcp.preview.lens import lens_bytes, lens_text
from gongmcp.preview.model import Lens, Preview, Range, Span
from gongmcp.render.wire import result_object
from tui.answer import SIGNS, Spot, View, json_view
from tui.finding import Path

KEPT = "kept"


class Manner(Enum):
    """How what a lens hands on is laid out; the value is the name of the tab."""

    READ = "Readable"
    EXACT = "Exact bytes"
    DEFINITION = "Definition"


@dataclass(frozen=True, slots=True)
class Seen:
    """Lines on show; *spots* holds the place of span number i of the preview where it shows, *json* how to colour,
    *at* the line of each member where the answer is laid out as JSON."""

    lines: list[str] = field(default_factory=list)
    spots: Mapping[int, Spot] = field(default_factory=dict)
    json: bool = False
    by_line: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    signs: Mapping[int, str] = field(default_factory=dict)
    at: Mapping[Place, int] = field(default_factory=dict)

    def lines_of(self, path: Path) -> list[int]:
        """Return the lines on which what *path* names begins; none where the answer is not laid out as JSON."""
        return sorted({line for place, line in self.at.items() if path.leads_to(place)})

    def spans_at(self, line: int, start: int, end: int) -> list[int]:
        """Return the numbers of the withheld spans that show on *line* between two characters, in their order."""
        found = []
        for number in self.by_line.get(line, ()):
            spot = self.spots[number]
            whole = spot.start == spot.end
            if (whole and start == 0) or (not whole and spot.start < end and start < spot.end):
                found.append(number)
        return found


def see(preview: Preview, lens: Lens, manner: Manner) -> Seen:
    """Return *preview* through *lens*, to be read (*manner* ``READ``) or to the byte (``EXACT``)."""
    answer = preview.outcome.answer
    if answer.structured is None and lens is Lens.STRUCTURED:
        lens = Lens.CONTENT
    if lens is Lens.CONTENT:
        return _seen(preview, answer.text.split("\n"), _in_text(preview, answer.text, 0))
    if manner is Manner.EXACT:
        return _exact(preview, lens)
    if lens is Lens.WIRE:
        view = json_view(result_object(answer))
        spots = _in_view(preview, view, ("structuredContent",), 0)
        return _seen(preview, view.lines, spots, json=True, at=view.at | _below(view, "structuredContent"))
    view = json_view(answer.structured)
    if lens is Lens.STRUCTURED:
        return _seen(preview, view.lines, _in_view(preview, view, (), 0), json=True, at=view.at)
    text = [*answer.text.split("\n"), ""]
    spots = _in_view(preview, view, (), len(text)) | _in_text(preview, answer.text, 0)
    at = {place: line + len(text) for place, line in view.at.items()}
    return _seen(preview, [*text, *view.lines], spots, json=True, at=at)


def _below(view: View, member: str) -> dict[Place, int]:
    """Return the places under *member* as an agent's host names them: without it."""
    return {place[1:]: line for place, line in view.at.items() if place[:1] == (member,)}


def _exact(preview: Preview, lens: Lens) -> Seen:
    answer = preview.outcome.answer
    whole = lens_text(answer, lens)
    if lens is Lens.BOTH:
        lines = whole.split("\n")
        spots = _on_wire(preview, len(lines) - 1, lens_bytes(answer, Lens.STRUCTURED)) if answer.structured else {}
        return _seen(preview, lines, spots | _in_text(preview, answer.text, 0))
    return _seen(preview, [whole], _on_wire(preview, 0, lens_bytes(answer, lens)))


def _seen(
    preview: Preview,
    lines: list[str],
    spots: dict[int, Spot],
    *,
    json: bool = False,
    at: Mapping[Place, int] | None = None,
) -> Seen:
    by_line: dict[int, list[int]] = {}
    signs: dict[int, str] = {}
    for number in sorted(spots):
        line = spots[number].line
        by_line.setdefault(line, []).append(number)
        sign = SIGNS.get(preview.spans[number].state, "?")
        signs[line] = sign if signs.get(line, sign) == sign else "±"
    return Seen(lines, spots, json, {line: tuple(numbers) for line, numbers in by_line.items()}, signs, at or {})


def withheld(preview: Preview) -> Iterable[tuple[int, Span]]:
    """Yield the spans that are not there as they were, each with its number."""
    return ((number, span) for number, span in enumerate(preview.spans) if span.state != KEPT)


def _in_text(preview: Preview, text: str, first: int) -> dict[int, Spot]:
    starts = [0]
    for words in text.split("\n"):
        starts.append(starts[-1] + len(words) + 1)
    spots = {}
    for number, span in withheld(preview):
        around = span.text or span.near_text
        if around is None:
            continue
        line = bisect_right(starts, around.start) - 1
        if span.text is None:
            spots[number] = Spot(first + line)
        else:
            spots[number] = Spot(first + line, around.start - starts[line], around.end - starts[line])
    return spots


def _on_wire(preview: Preview, line: int, shown: bytes) -> dict[int, Spot]:
    """Place spans by their bytes; *shown* is the piece of the wire on show. Where nothing stands for a span, the
    character that opens the thing around it is its place."""
    base = preview.wire.find(shown)
    ranges: dict[int, Range] = {}
    for number, span in withheld(preview):
        if span.wire is not None:
            ranges[number] = span.wire
        elif span.near is not None:
            ranges[number] = Range(span.near.start, span.near.start + 1)
        else:
            ranges[number] = Range(base, base + 1)
    at = _characters(preview.wire, base, {edge for item in ranges.values() for edge in (item.start, item.end)})
    return {number: Spot(line, at[item.start], at[item.end]) for number, item in ranges.items()}


def _characters(data: bytes, base: int, edges: set[int]) -> dict[int, int]:
    """Return for each byte position its position in characters, counted from the byte *base*."""
    if data.isascii():
        return {edge: edge - base for edge in edges}
    found, before, count = {}, base, 0
    for edge in sorted(edges):
        count += len(data[before:edge].decode())
        found[edge], before = count, edge
    return found


def _in_view(preview: Preview, view: View, prefix: tuple[str, ...], first: int) -> dict[int, Spot]:
    values = {span.place: span.wire for span in preview.spans if span.state == KEPT and span.wire is not None}
    spots = {}
    for number, span in withheld(preview):
        place = (*prefix, *span.place)
        while place and place not in view.at:
            place = place[:-1]
        line = view.at[place]
        value = values.get(span.place)
        mark = None
        if value is not None and span.wire is not None and place == (*prefix, *span.place):
            mark = _mark(preview.wire, value, span.wire, view.lines[line])
        spots[number] = Spot(first + line) if mark is None else Spot(first + line, *mark)
    return spots


def _mark(wire: bytes, value: Range, mark: Range, line: str) -> tuple[int, int] | None:
    """Return where in *line*, which ends with the value, the piece *mark* of it stands."""
    column = line.rfind(wire[value.start : value.end].decode())
    if column < 0:
        return None
    start = column + len(wire[value.start : mark.start].decode())
    return start, start + len(wire[mark.start : mark.end].decode())
