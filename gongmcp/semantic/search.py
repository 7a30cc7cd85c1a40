"""Places that a question is near to in meaning, alone or together with those that hold its words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from gongmcp.errors import ToolFault
from gongmcp.semantic.calibrate import CHANCE, calibrated
from gongmcp.semantic.model import DIMENSIONS, MODEL, SemanticMissing, embedder
from gongmcp.semantic.quantised import STEPS, Question, pack
from gongmcp.semantic.scan import Near, extent, nearest, refuse_too_much
from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import INDEX_BITS, first_segment
from gongmcp.store.search_query import SearchQuery
from gongmcp.store.segments import RANK_WINDOW, search_segments
from gongmcp.store.themes import fits_role, roles_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mode = Literal["semantic", "hybrid"]

BEST: Final = 200
"""Places of each kind that mode hybrid brings together."""

RANK_CONSTANT: Final = 60
"""Of reciprocal rank fusion: the larger, the less the first ranks count."""

_UNIT: Final = 1_000_000_000

PlaceKey = tuple[int, int]
"""Where a page continues: worth and rowid."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer may stand: the *segments* (rowids) of a window, *at* being the one to show.

    *worth* orders places, higher first. It must not leave: made of ranks, it would tell of places that are withheld.
    *similarity* is the calibrated score of the window, None for one that was found by its words alone; *by_words* is
    True when *at* holds words that were looked for.
    """

    at: int
    segments: tuple[int, ...]
    worth: int
    similarity: float | None
    by_words: bool = False

    @property
    def key(self) -> PlaceKey:
        """By which the next page goes on."""
        return self.worth, self.segments[0]


@dataclass(frozen=True, slots=True)
class Places:
    """Every place that was ranked, best first.

    *calls_without* is how many calls of the cohort have a transcript and no vectors; *query* is what the words of
    mode hybrid were found by.
    """

    ranked: tuple[Place, ...] = ()
    calls_without: int = 0
    query: SearchQuery | None = None

    def page(self, limit: int, after: tuple[Any, ...] | None) -> tuple[list[Place], bool]:
        """Return up to *limit* places behind the key *after* (all of them for 0), and whether more follow.

        Raises:
            ToolFault: *after* is no key of this search (``invalid_cursor``).
        """
        left = list(self.ranked)
        if after is not None:
            if len(after) != 2 or any(type(part) is not int for part in after):
                raise ToolFault("invalid_cursor", "The cursor does not belong to this search.")
            left = [place for place in left if place.key < tuple(after)]
        return (left[:limit], len(left) > limit) if limit else (left, False)


def find_places(
    store: ReadStore, text: str, query: SearchQuery | None, calls: CallFilter, mode: Mode
) -> tuple[Places, NDArray[np.float32]]:
    """Return the places of *calls* that are nearest to *text*, and the vector of *text*.

    Mode ``hybrid`` brings together the ``BEST`` nearest windows and the ``BEST`` segments that match *query*: a place
    is worth the sum of 1 / (``RANK_CONSTANT`` + rank) over the lists that it is in.

    Raises:
        ToolFault: no vectors or no model (``semantic_unavailable``); too many vectors, or a text without a word
            (``invalid_argument``).
    """
    vector = vector_of(text)
    there = extent(store, calls)
    if there.calls and not there.windows:
        raise ToolFault(
            "semantic_unavailable",
            "The calls that this asks about have no vectors.",
            "Use mode=keyword; the operator runs: gongctl cache warm --semantic.",
        )
    refuse_too_much(there.windows * DIMENSIONS)
    near = _of_role(store, nearest(store, vector, calls, RANK_WINDOW), calls.speaker_role)
    near = [item for item in near if calibrated(item.likeness) >= CHANCE]
    if mode == "semantic" or query is None:
        query, places = None, [_place(item, item.likeness) for item in near]
    else:
        places = _fused(store, near[:BEST], _by_words(store, query, calls))
    places.sort(key=lambda place: place.key, reverse=True)
    return Places(tuple(places), there.calls_without, query), vector


def vector_of(text: str) -> NDArray[np.float32]:
    """Return the vector of a question.

    Raises:
        ToolFault: no model (``semantic_unavailable``), or nothing that could have a meaning (``invalid_argument``).
    """
    try:
        vector: NDArray[np.float32] = embedder().embed([text])[0]
    except SemanticMissing as missing:
        raise ToolFault("semantic_unavailable", str(missing)) from missing
    if not vector.any():
        raise ToolFault("invalid_argument", "The text holds no word whose meaning could be looked for.")
    return vector


def shown_at(store: ReadStore, places: Sequence[Place], vector: NDArray[np.float32]) -> list[Place]:
    """Return *places* so that each found by meaning alone shows the segment of its window that is nearest."""
    numbers = [number for place in places if not place.by_words for number in place.segments]
    rows = store.rows(
        "SELECT segment_no, text FROM segments WHERE segment_no IN (SELECT value FROM json_each(:numbers))",
        {"numbers": json.dumps(numbers)},
    )
    packed = pack(embedder().embed([row["text"] for row in rows]))
    found = Question(vector).likeness(packed.vectors, packed.scales).tolist()
    like = {row["segment_no"]: likeness for row, likeness in zip(rows, found, strict=True)}
    return [
        place
        if place.by_words
        else replace(place, at=max(place.segments, key=lambda number: (like.get(number, -STEPS), -number)))
        for place in places
    ]


def _place(item: Near, worth: int) -> Place:
    return Place(item.first, tuple(range(item.first, item.last + 1)), worth, calibrated(item.likeness))


def _of_role(store: ReadStore, near: list[Near], role: str | None) -> list[Near]:
    if role is None:
        return near
    roles = roles_of(store, (item.first for item in near))
    return [item for item in near if fits_role(roles[item.first], role)]


def _by_words(store: ReadStore, query: SearchQuery, calls: CallFilter) -> list[int]:
    """Return the rowids of the best segments that match, best first."""
    return [row.segment_no for row in search_segments(store, query, calls, BEST).rows]


def _fused(store: ReadStore, near: Sequence[Near], words: Sequence[int]) -> list[Place]:
    windows = _windows_of(store, words)
    places = {item.first: _place(item, _share(rank)) for rank, item in enumerate(near, 1)}
    rank = 0
    for number in words:
        first = windows[number][0]
        known = places.get(first)
        if known is not None and known.by_words:
            continue
        rank += 1
        if known is None:
            places[first] = Place(number, (number,), _share(rank), None, by_words=True)
        else:
            places[first] = replace(known, at=number, worth=known.worth + _share(rank), by_words=True)
    return list(places.values())


def _share(rank: int) -> int:
    return _UNIT // (RANK_CONSTANT + rank)


def _windows_of(store: ReadStore, segments: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return the first and last segment of the window that each of *segments* is in; itself where it is in none."""
    import numpy as np

    numbers = list(segments)
    found = {number: (number, number) for number in numbers}
    by_call: dict[int, list[int]] = {}
    for number in numbers:
        by_call.setdefault(number >> INDEX_BITS, []).append(number)
    for call_no, inside in by_call.items():
        row = store.one(
            "SELECT windows FROM segment_vectors WHERE call_no = :call AND model = :model",
            {"call": call_no, "model": MODEL},
        )
        if row is None:
            continue
        base = first_segment(call_no)
        spans = np.frombuffer(row["windows"], dtype="<u4").reshape(-1, 2).astype(np.int64) + base
        for number in inside:
            at = int(np.searchsorted(spans[:, 0], number, side="right")) - 1
            if at >= 0 and number <= int(spans[at, 1]):
                found[number] = (int(spans[at, 0]), int(spans[at, 1]))
    return found
