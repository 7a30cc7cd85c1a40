"""How evidence is searched for: by words, by meaning, or by both; the same for every tool that shows what was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from gongmcp.catalog.declaration import CallScope
from gongmcp.semantic.search import Places, find_places, shown_at
from gongmcp.store.calls import CallFilter
from gongmcp.store.schema import INDEX_BITS
from gongmcp.store.search_query import SearchQuery, compile_query
from gongmcp.store.segments import SegmentPage, SegmentRow, search_segments, segment_rows
from gongmcp.store.themes import ThemeHit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SearchMode = Annotated[
    Literal["keyword", "semantic", "hybrid"],
    msgspec.Meta(
        description="keyword: the words occur. semantic: near in meaning to a question in plain words. hybrid: both, "
        "by reciprocal rank."
    ),
]


@dataclass(frozen=True, slots=True)
class SaidPage:
    """A page of segments.

    Attributes:
        rows: the segments, in order.
        keys: for each the key after which the next page continues.
        more: whether more follow.
        ranked_over: among how many the order was made.
        query: what is marked in them; None when they were found by meaning alone.
        similarity: for each how near it is (its window), None where words alone found it.
        calls_without: calls with a transcript and no vectors; None when no vectors were looked at.
    """

    rows: tuple[SegmentRow, ...]
    keys: tuple[tuple[int, ...], ...]
    more: bool
    ranked_over: int
    query: SearchQuery | None
    similarity: tuple[float | None, ...]
    calls_without: int | None = None


def search_said(scope: CallScope, text: str, mode: str, calls: CallFilter) -> SaidPage:
    """Return a page of the segments of *calls* that *text* finds.

    Raises the faults of ``compile_query``, ``search_segments`` and ``find_places``.
    """
    if mode == "keyword":
        query = compile_query(text)
        page: SegmentPage = search_segments(scope.store, query, calls, scope.limit, scope.after)
        none = (None,) * len(page.rows)
        return SaidPage(page.rows, page.keys, page.more, page.ranked_over, query, none)
    places, vector = _places(scope, text, mode, calls)
    found, more = places.page(scope.limit, scope.after)
    found = shown_at(scope.store, found, vector)
    return SaidPage(
        rows=segment_rows(scope.store, [place.at for place in found]),
        keys=tuple(place.key for place in found),
        more=more,
        ranked_over=len(places.ranked),
        query=places.query,
        similarity=tuple(place.similarity for place in found),
        calls_without=places.calls_without,
    )


@dataclass(frozen=True, slots=True)
class NearHit:
    """A place in the form of a theme's, with how near it is in meaning (None: found by words alone), and whether it
    holds words that were looked for."""

    hit: ThemeHit
    similarity: float | None
    key: tuple[int, int]
    by_words: bool


class NearPlaces:
    """Every place of a cohort that a theme is near to, best first."""

    def __init__(
        self, scope: CallScope, text: str, mode: str, calls: CallFilter, role: str | None, query: SearchQuery
    ) -> None:
        """Look for *text* in *calls*, *mode* being semantic or hybrid; *query* is the search for its words, *role* as
        ``CallFilter.speaker_role`` has it."""
        self._store = scope.store
        found, self._vector = _places(scope, text, mode, replace(calls, speaker_role=role), query)
        self._places = found
        self.query = found.query
        """What is marked in them; None when they were found by meaning alone."""
        self.calls_without = found.calls_without

    def __len__(self) -> int:
        """Return how many places there are."""
        return len(self._places.ranked)

    def calls(self) -> set[int]:
        """Return the numbers of the calls that they are in."""
        return {place.at >> INDEX_BITS for place in self._places.ranked}

    def page(self, limit: int, after: tuple[Any, ...] | None = None) -> tuple[list[NearHit], bool]:
        """Return up to *limit* places behind the key *after*, and whether more follow."""
        places, more = self._places.page(limit, after)
        shown = shown_at(self._store, places, self._vector)
        hits = [NearHit(ThemeHit(p.at, p.segments), p.similarity, p.key, p.by_words) for p in shown]
        return hits, more


def _places(
    scope: CallScope, text: str, mode: str, calls: CallFilter, query: SearchQuery | None = None
) -> tuple[Places, NDArray[np.float32]]:
    if mode == "semantic":
        return find_places(scope.store, text, None, calls, "semantic")
    return find_places(scope.store, text, query or compile_query(text), calls, "hybrid")
