"""Themes in what was said: segments, and neighbouring segments of one speaker, that together hold every word of one."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import INDEX_BITS, first_segment, last_segment
from gongmcp.store.search_query import SearchQuery, of_groups

REACH: Final = 2
"""How many segments apart the words of a theme may stand in one turn of a speaker."""

_CHUNK: Final = 20_000
"""Segments that one query looks up."""


@dataclass(frozen=True, slots=True)
class ThemeHit:
    """Where a theme stands: the *segments* (rowids, in order) that hold its words together; *at* holds most of them."""

    at: int
    segments: tuple[int, ...]

    @property
    def call_no(self) -> int:
        """The call in which it stands."""
        return self.at >> INDEX_BITS


def theme_hits(store: ReadStore, query: SearchQuery, calls: Collection[int], role: str | None = None) -> list[ThemeHit]:
    """Return where *query* stands in *calls* (numbers), newest first; *role* as ``CallFilter.speaker_role`` has it.

    Every group of the query must occur in one segment, or in segments of one speaker that follow each other at most
    ``REACH`` apart; none of these may hold an excluded term.
    """
    if query.fts is None or not calls:
        return []
    asked = ("theme_hits", query, frozenset(calls), role)
    if asked not in store.known:
        store.known[asked] = _found(store, query, calls, role)
    return list(store.known[asked])


def _found(store: ReadStore, query: SearchQuery, calls: Collection[int], role: str | None) -> list[ThemeHit]:
    low, high = first_segment(min(calls)), last_segment(max(calls))
    found = [_matching(store, of_groups([group]), calls, low, high) for group in query.groups]
    if len(found) == 1:
        hits = [ThemeHit(number, (number,)) for number in found[0]]
    else:
        hits = _together(store, found)
    if query.excluded:
        gone = set(_matching(store, of_groups([query.excluded]), calls, low, high))
        hits = [hit for hit in hits if gone.isdisjoint(hit.segments)]
    if role is not None:
        allowed = _of_role(store, [hit.at for hit in hits], role)
        hits = [hit for hit in hits if hit.at in allowed]
    return sorted(hits, key=lambda hit: -hit.at)


def _matching(store: ReadStore, query: SearchQuery, calls: Collection[int], low: int, high: int) -> list[int]:
    """Return the segments of *calls* that match, ascending."""
    rows = store.stream(
        "SELECT rowid FROM segments_fts WHERE segments_fts MATCH :match AND rowid BETWEEN :low AND :high"
        " ORDER BY rowid",
        {"match": query.fts, "low": low, "high": high},
    )
    return [row[0] for row in rows if row[0] >> INDEX_BITS in calls]


def _together(store: ReadStore, found: Sequence[list[int]]) -> list[ThemeHit]:
    """Return the windows that hold a segment of every list of *found*, by the rarest one."""
    rarest, *others = sorted(found, key=len)
    windows: dict[tuple[int, ...], None] = {}
    for number in rarest:
        near = [_nearest(numbers, number) for numbers in others]
        if all(other is not None for other in near):
            windows[tuple(sorted({number, *(other for other in near if other is not None)}))] = None
    spread = [window for window in windows if len(window) > 1]
    speakers = speakers_of(store, (n for window in spread for n in range(window[0], window[-1] + 1)))
    held = [set(numbers) for numbers in found]
    hits = []
    for window in windows:
        said_by = {speakers.get(number) for number in range(window[0], window[-1] + 1)} if len(window) > 1 else {0}
        if len(said_by) == 1:
            best = max(window, key=lambda number: (sum(number in numbers for numbers in held), -number))
            hits.append(ThemeHit(best, window))
    return _without_repetitions(hits)


def _without_repetitions(hits: Iterable[ThemeHit]) -> list[ThemeHit]:
    """Keep of the hits that share a segment the shortest one."""
    taken: set[int] = set()
    kept = []
    for hit in sorted(hits, key=lambda hit: (hit.segments[-1] - hit.segments[0], len(hit.segments), hit.at)):
        if taken.isdisjoint(hit.segments):
            taken.update(hit.segments)
            kept.append(hit)
    return kept


def _nearest(numbers: Sequence[int], wanted: int) -> int | None:
    """Return the number within ``REACH`` of *wanted*, in the same call, that is nearest to it."""
    at = bisect_left(numbers, wanted)
    near = [
        number
        for number in numbers[max(at - 1, 0) : at + 1]
        if abs(number - wanted) <= REACH and number >> INDEX_BITS == wanted >> INDEX_BITS
    ]
    return min(near, key=lambda number: (abs(number - wanted), number)) if near else None


def _chunks(numbers: Iterable[int]) -> Iterator[dict[str, str]]:
    wanted = sorted(set(numbers))
    for at in range(0, len(wanted), _CHUNK):
        yield {"among": json.dumps(wanted[at : at + _CHUNK])}


_AMONG: Final = "json_each(:among) AS n CROSS JOIN segments AS s ON s.segment_no = n.value"
_ROLE: Final = f"""LEFT JOIN parties AS p ON p.call_no = s.segment_no >> {INDEX_BITS} AND p.party_no = s.speaker_no"""


def speakers_of(store: ReadStore, segments: Iterable[int]) -> dict[int, int]:
    """Return the number of the speaker of each of *segments*; one that is not there is absent."""
    sql = f"SELECT s.segment_no, s.speaker_no FROM {_AMONG}"
    return {row[0]: row[1] for among in _chunks(segments) for row in store.rows(sql, among)}


def _of_role(store: ReadStore, segments: Iterable[int], role: str) -> set[int]:
    """Return those of *segments* whose speaker has the *role*."""
    fits = json.dumps([of for of in ("internal", "external", "unknown") if fits_role(of, role)])
    sql = f"""SELECT s.segment_no FROM {_AMONG} {_ROLE}
        WHERE coalesce(p.affiliation, 'unknown') IN (SELECT value FROM json_each(:fits))"""
    return {row[0] for among in _chunks(segments) for row in store.rows(sql, {**among, "fits": fits})}


def fits_role(affiliation: str, role: str) -> bool:
    """Tell whether somebody of *affiliation* (internal, external, unknown) has the *role* that was asked for."""
    return affiliation != "internal" if role == "external_or_unknown" else affiliation == role


def roles_of(store: ReadStore, segments: Iterable[int]) -> dict[int, str]:
    """Return internal, external or unknown for each of *segments*, by the affiliation of its speaker."""
    sql = f"SELECT s.segment_no, coalesce(p.affiliation, 'unknown') FROM {_AMONG} {_ROLE}"
    return {row[0]: row[1] for among in _chunks(segments) for row in store.rows(sql, among)}


def in_seeded_order(numbers: Iterable[int], secret: bytes) -> list[int]:
    """Return *numbers* in an order that looks random and is the same every time: by a keyed digest of each."""
    return sorted(
        numbers,
        key=lambda number: hashlib.blake2b(
            number.to_bytes(16, "big"), key=secret[:64], digest_size=8, person=b"gongmcp.sample"
        ).digest(),
    )


def spread_over_calls(found: Sequence[ThemeHit], secret: bytes, count: int) -> list[ThemeHit]:
    """Return at most *count* of *found*: of each call as many as of the others, as far as it has them; where not every
    call has room, calls by the order that *secret* keys."""
    if len(found) <= count:
        return list(found)
    by_call: dict[int, list[ThemeHit]] = {}
    for hit in found:
        by_call.setdefault(hit.call_no, []).append(hit)
    order = in_seeded_order(by_call, secret)
    chosen: list[ThemeHit] = []
    for nth in range(max(map(len, by_call.values()))):
        for call in order:
            if nth < len(by_call[call]):
                chosen.append(by_call[call][nth])
                if len(chosen) == count:
                    return chosen
    return chosen
