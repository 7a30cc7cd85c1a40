"""The spans of an answer: every value that is kept, and everything that is not there, with rule, layer and place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from gongmcp.exposure.ledger import Entry, Place
from gongmcp.handler import Outcome
from gongmcp.preview.model import Range, Span
from gongmcp.preview.places import Places, text_on_wire

KEPT: Final = "kept"


def spans(outcome: Outcome, wire: bytes, on_wire: Places, in_text: Places, layer: Callable[[Entry], str]) -> list[Span]:
    """Return the spans of *outcome* as they follow on *wire*; *layer* tells where the rule of an entry came from."""
    answer = outcome.answer
    if answer.structured is None:
        return [Span(KEPT, (), wire=text_on_wire(answer), text=Range(0, len(answer.text)))]
    found = [
        ((on_wire[place].start, 0, number), Span(KEPT, place, wire=on_wire[place], text=in_text.get(place)))
        for number, place in enumerate(_leaves(answer.structured))
    ]
    seen: Counter[tuple[Place, str]] = Counter()
    for number, entry in enumerate(outcome.ledger.entries):
        whole, shown = on_wire.get(entry.place), in_text.get(entry.place)
        here = there = None
        if whole is not None:
            mark, nth = _mark(entry), seen[entry.place, entry.kind]
            seen[entry.place, entry.kind] += entry.action == "redacted"
            if mark:
                here = _nth(wire, mark.encode(), nth, whole)
                there = None if shown is None else _nth(answer.text, mark, nth, shown)
            elif entry.action == "rounded":
                here, there = whole, shown
        near = None if here is not None else _around(on_wire, entry.place)
        near_text = None if there is not None else _around(in_text, entry.place)
        span = Span(
            state=entry.action,
            place=entry.place,
            kind=entry.kind,
            rule=entry.rule,
            reason=outcome.ledger.reasons[entry.rule],
            layer=layer(entry),
            entry=number,
            wire=here,
            text=there,
            count=entry.count,
            near=near,
            near_text=near_text,
        )
        found.append((_order(whole, near, number, len(wire)), span))
    return [span for _, span in sorted(found, key=lambda pair: pair[0])]


def _order(whole: Range | None, near: Range | None, number: int, end: int) -> tuple[int, int, int]:
    """Return the place in the order: behind the value that it is in, else at the end of the thing around it."""
    if whole is not None and near != whole:
        return whole.start, 1, number
    if near is None:
        return end, 2, number
    return near.end, -1, number


def _leaves(structured: Mapping[str, Any]) -> list[Place]:
    """Return the places of the values that hold no others, in the order of the wire."""
    found: list[Place] = []

    def walk(value: Any, place: Place) -> None:
        if isinstance(value, Mapping) and value:
            for name, item in value.items():
                walk(item, (*place, name))
        elif isinstance(value, list) and value:
            for number, item in enumerate(value):
                walk(item, (*place, number))
        else:
            found.append(place)

    walk(structured, ())
    return found


def _mark(entry: Entry) -> str:
    """Return what stands in the answer instead of what was taken out; '' where nothing does."""
    if entry.action == "redacted":
        return f"{{redacted:{entry.kind}}}"
    if entry.action == "cut" and not entry.start and entry.rule == "text.max_chars":
        return f"… {{cut:{entry.length}}}"
    return ""


def _nth(channel: Any, mark: Any, nth: int, within: Range) -> Range | None:
    """Return where *mark* stands for the *nth* time (from 0) in *channel*, bytes or text, inside a range."""
    at = within.start - 1
    for _ in range(nth + 1):
        at = channel.find(mark, at + 1, within.end)
        if at < 0:
            return None
    return Range(at, at + len(mark))


def _around(places: Places, place: Place) -> Range | None:
    """Return the range of the smallest thing at or around *place* that has one; None for the answer as a whole."""
    parts: Sequence[str | int] = place
    for length in range(len(parts), 0, -1):
        if place[:length] in places:
            return places[place[:length]]
    return None
