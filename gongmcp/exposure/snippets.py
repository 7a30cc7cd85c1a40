"""Snippets: a short piece of masked text around what a query found, with the hits marked.

A snippet is made of masked text, so that no cut can show what redaction took out; and it never cuts
or enters the mark of a redacted piece.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gongmcp.exposure.text import MaskedText, Span, place_spans
from gongmcp.store.ranking import MARK, Matcher
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.unicode61 import located_words, words

SNIPPET_CHARS = 240
LONG_SEGMENT = 400
"""A text longer than this is never shown whole; no snippet is longer."""

OPEN, CLOSE, ELLIPSIS = "«", "»", "…"

_SNAP = 24
"""How far a cut may move, in characters, to fall between two words."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A highlighted range of the text, and the alternatives (group, term) that it stands for."""

    start: int
    end: int
    terms: frozenset[tuple[int, int]]


def snippet(
    masked: str, spans: Iterable[Span], query: SearchQuery | None, max_chars: int = SNIPPET_CHARS
) -> MaskedText:
    """Return the piece of *masked* with the best hits of *query*, in at most *max_chars* characters.

    Hits stand between « and », whose offsets are in ``hits`` (without the two signs), because the
    text itself may hold such signs; ``…`` stands for what is left out at an end, whose lengths in
    characters of *masked* are ``cut_before`` and ``cut_after``. ``spans`` are those of *spans* whose
    mark is in the piece, and ``marks`` tells where.

    All signs count for *max_chars*, and more than ``LONG_SEGMENT`` counts as that. From 40 on a hit is
    always shown, at least its beginning. Without a hit or *query* it is the beginning of the text.
    """
    room = min(max(max_chars, 1), LONG_SEGMENT)
    places = place_spans(spans)
    marks = _marks_in(masked)
    found = _find(masked, marks, query)
    start, end, shown = _window(masked, marks, found, room)
    return _build(masked, places, start, end, shown)


def _marks_in(masked: str) -> list[Range]:
    """Return where marks stand, whether something was taken out there or was only said to be."""
    return [(match.start(), match.end()) for match in MARK.finditer(masked)]


def _find(masked: str, marks: Sequence[Range], query: SearchQuery | None) -> list[_Found]:
    """Return the ranges that *query* matches, in order and without overlap.

    Marks are no words. Only where nothing else matches, a mark whose own words do is a hit as a whole.
    """
    if query is None or query.fts is None:
        return []
    matcher = Matcher(query)
    places: list[Range] = []
    text: list[str] = []
    at = 0
    for start, end in [*marks, (len(masked), len(masked))]:
        for first, behind, folded in located_words(masked, at, start):
            places.append((first, behind))
            text.append(folded)
        places.append((start, end))
        text.append("")
        at = end
    found = [
        _Found(places[first][0], places[behind - 1][1], frozenset({(group, term)}))
        for first, behind, group, term in matcher.hits(text)
    ]
    if not found:
        for start, end in marks:
            terms = frozenset((group, term) for _, _, group, term in matcher.hits(words(masked[start:end])))
            if terms:
                found.append(_Found(start, end, terms))
    merged: list[_Found] = []
    for item in found:
        if merged and item.start < merged[-1].end:
            before = merged[-1]
            item = _Found(before.start, max(before.end, item.end), before.terms | item.terms)
            merged.pop()
        merged.append(item)
    return merged


def _window(
    masked: str, marks: Sequence[Range], found: Sequence[_Found], room: int
) -> tuple[int, int, Sequence[Range]]:
    """Return start and end of the piece to show, and the ranges to highlight in it."""
    size = len(masked)

    def cost(start: int, end: int, shown: int) -> int:
        return end - start + (start > 0) + (end < size) + 2 * shown

    ranges = [(item.start, item.end) for item in found]
    best = (0, 0)
    best_worth = (0, 0, 0)
    for first, item in enumerate(found):
        terms: set[tuple[int, int]] = set()
        for last in range(first, len(found)):
            if cost(item.start, found[last].end, last - first + 1) > room:
                break
            terms |= found[last].terms
            worth = (len({group for group, _ in terms}), len(terms), item.start - found[last].end)
            if best_worth[0] == 0 or worth > best_worth:
                best, best_worth = (item.start, found[last].end), worth
    if not best_worth[0]:
        clipped = _clip(masked, next((r for r in ranges if r not in marks), None), room)
        if clipped is not None:
            return (*clipped, [clipped])
    core_start, core_end = best
    spare = room
    while True:
        before = min(core_start, spare // 2)
        after = min(size - core_end, spare - before)
        before = min(core_start, spare - after)
        start = _later(masked, marks, core_start - before, core_start)
        end = _earlier(masked, marks, core_end + after, core_end)
        shown = ranges[bisect_left(ranges, (start, start)) :]
        shown = [r for r in shown if r[1] <= end]
        excess = cost(start, end, len(shown)) - room
        if excess <= 0 or spare == 0:
            return start, end, shown
        spare = max(spare - excess, 0)


def _clip(masked: str, hit: Range | None, room: int) -> Range | None:
    """Return the beginning of a *hit* that is too long for *room*; None when nothing of it fits."""
    if hit is None:
        return None
    start = hit[0]
    end = start + room - 3 - (start > 0)  # two signs, and one ellipsis at least
    while end > start and _extends(masked[end]):
        end -= 1
    return (start, end) if end > start else None


def _later(masked: str, marks: Sequence[Range], start: int, core: int) -> int:
    """Move the cut *start* towards *core*: out of a mark, to a word's beginning where one is near."""
    start = next((end for first, end in marks if first < start < end), start)
    if 0 < start < core and not masked[start - 1].isspace():
        blank = next((at for at in range(start, min(core, start + _SNAP)) if masked[at].isspace()), None)
        start = start if blank is None else blank
    while start < core and (masked[start].isspace() or (start > 0 and _extends(masked[start]))):
        start += 1
    return start


def _earlier(masked: str, marks: Sequence[Range], end: int, core: int) -> int:
    """Move the cut *end* towards *core*: to a word's end where one is near, out of a mark."""
    if core < end < len(masked) and not masked[end].isspace():
        blank = next((at for at in range(end - 1, max(core, end - _SNAP) - 1, -1) if masked[at].isspace()), None)
        end = end if blank is None else blank
    while core < end < len(masked) and _extends(masked[end]):
        end -= 1
    end = next((first for first, last in marks if first < end < last), end)
    while end > core and masked[end - 1].isspace():
        end -= 1
    return end


def _extends(character: str) -> bool:
    """True for what belongs to the character before it: accents, joiners, variation and skin signs."""
    return (
        character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or unicodedata.category(character).startswith("M")
    )


def _build(
    masked: str, places: Sequence[tuple[int, int, Span]], start: int, end: int, shown: Sequence[Range]
) -> MaskedText:
    parts = [ELLIPSIS] if start else []
    length = len(ELLIPSIS) if start else 0
    hits: list[Range] = []
    at = start
    for first, last in shown:
        parts += [masked[at:first], OPEN, masked[first:last], CLOSE]
        length += first - at + len(OPEN)
        hits.append((length, length + last - first))
        length += last - first + len(CLOSE)
        at = last
    parts.append(masked[at:end])
    if end < len(masked):
        parts.append(ELLIPSIS)
    kept = [
        (first, last, span)
        for first, last, span in places
        if start <= first and last <= end and (first < end or end == len(masked))
    ]
    shift = (len(ELLIPSIS) if start else 0) - start
    moved = [shift + _signs_before(first, shown) for first, _, _ in kept]
    return MaskedText(
        "".join(parts),
        tuple(span for _, _, span in kept),
        cut_before=start,
        cut_after=len(masked) - end,
        hits=tuple(hits),
        marks=tuple((first + by, last + by) for (first, last, _), by in zip(kept, moved, strict=True)),
    )


def _signs_before(at: int, shown: Sequence[Range]) -> int:
    """Return how many signs around hits stand before the character *at* of the text."""
    return sum((first <= at) * len(OPEN) + (last <= at) * len(CLOSE) for first, last in shown)


NEIGHBOUR_CHARS = 180
"""Most characters of a neighbouring segment in an excerpt: with two neighbours and a hit, about 600."""


def excerpt_parts(segments: Sequence[tuple[str, Sequence[Span], int]], query: SearchQuery | None) -> list[MaskedText]:
    """Return the pieces of an excerpt: *segments* are (masked text, spans, distance from the hit) in order.

    The hit (distance 0) is a whole snippet of its own, so that no neighbour, however long, pushes it out;
    of a segment before it the end is shown, of one behind it the beginning.
    """
    return [
        snippet(text, spans, query) if distance == 0 else _end(text, spans) if distance < 0 else _beginning(text, spans)
        for text, spans, distance in segments
    ]


def _beginning(masked: str, spans: Iterable[Span]) -> MaskedText:
    places = place_spans(spans)
    marks = _marks_in(masked)
    end = len(masked) if len(masked) <= NEIGHBOUR_CHARS else _earlier(masked, marks, NEIGHBOUR_CHARS - 1, 0)
    return _build(masked, places, 0, end, ())


def _end(masked: str, spans: Iterable[Span]) -> MaskedText:
    places = place_spans(spans)
    marks = _marks_in(masked)
    size = len(masked)
    start = 0 if size <= NEIGHBOUR_CHARS else _later(masked, marks, size - NEIGHBOUR_CHARS + 1, size)
    return _build(masked, places, start, size, ())
