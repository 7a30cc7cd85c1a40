"""Transcript segments: the ranked search over the read model, and the neighbours of a segment.

Segment rowids are ordered by call start, so that "newest" is "highest rowid", and a call, a date
window or a month is a rowid range of the full-text index (``gongmcp.store.schema``).
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Protocol

from gongmcp.errors import ToolFault
from gongmcp.exposure.text import Span, parse_spans
from gongmcp.store.calls import CallFilter
from gongmcp.store.ranking import MAX_SCORE, Matcher
from gongmcp.store.schema import INDEX_BITS, MAX_SEGMENTS, first_segment, last_segment
from gongmcp.store.search_query import SearchQuery

RANK_WINDOW = 2_000
"""Matches that are ranked against each other: the newest ones, then the next older window."""

SCORED_CHARS = 4_000
"""Beginning of a segment that is looked at for its score; longer ones exist in broken transcripts only."""

FEW_CALLS = 500
"""So many calls of a filter, the newest, can be searched call by call; behind them each match's call is looked at."""

FEW_CALLS_BY_BEGINNING = 8
"""The same for a query with a ``prefix*``, for which FTS5 collects all its words' matches each time."""

CALL_COSTS = 200
"""To search in one call takes as long as to look at the calls of so many matches."""

FEWEST_AHEAD = 64
"""Matches that are looked at ahead of the others, or four times the rows of a page where that is more."""

MAX_NEIGHBOURS = 5
"""Most segments that ``excerpt`` returns on either side of the one asked for."""

SegmentKey = tuple[int, int, int]
"""Where a page continues: highest rowid of the window, score, rowid."""

_Match = tuple[int, str]  # rowid and (the beginning of) the masked text


class Rows(Protocol):
    """What the queries need of a store: all rows, or the first one. Parameters are named."""

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[sqlite3.Row]: ...

    def one(self, sql: str, parameters: dict[str, Any] | None = None) -> sqlite3.Row | None: ...


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One matching segment, raw: the exposure engine decides what of it leaves.

    *segment_count* and *text_chars* (characters of the masked text) are of the whole call. *speaker_id* and
    *speaker_ref* are None for an unknown speaker. Times of the segment are
    milliseconds from the call's start; *text* is masked, *spans* are what was taken out of it.
    """

    segment_no: int
    call_no: int
    call_id: str
    call_ref: str
    speaker_id: str | None
    speaker_ref: str | None
    segment_index: int
    start_ms: int
    end_ms: int
    started_at: str
    call_date: str
    call_month: str
    duration_seconds: int
    segment_count: int
    text_chars: int
    lifecycle_bucket: str
    scope: str
    system: str
    direction: str
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """A page of matches, best first inside the window of matches that were ranked.

    Attributes:
        rows: at most as many as asked for.
        keys: for each row the key after which the next page continues.
        more: True when a match exists that neither this page nor one before it holds.
        ranked_over: how many matches this page was chosen from.
        older: True when matches exist that are older than those and were not ranked with them.
    """

    rows: tuple[SegmentRow, ...] = ()
    keys: tuple[SegmentKey, ...] = ()
    more: bool = False
    ranked_over: int = 0
    older: bool = False


def search_segments(
    store: Rows,
    query: SearchQuery,
    calls: CallFilter,
    limit: int,
    after: tuple[Any, ...] | None = None,
    *,
    window: int = RANK_WINDOW,
) -> SegmentPage:
    """Return the best matches among the newest *window* ones in *calls*, or the page behind *after*.

    Following ``keys[-1]`` while ``more`` yields every match exactly once: window by window from new
    to old, by score inside a window. A page never mixes two windows, so it can be shorter than
    *limit* (at least 1) although more follows. Raises ``ToolFault`` (``invalid_cursor``) when *after*
    is no key of this search, and what *store* raises.
    """
    low, high = calls.segment_range()
    upper, position = _continue_at(after, low, high)
    if query.fts is None:
        return SegmentPage()
    matcher = Matcher(query)
    begun: list[_Match] | None = None
    if few := _few(query, calls, position, limit, window):
        ahead = _matches(store, query, low, upper if position is None else position[1] - 1, few)
        if (first := _full_scores(store, query, matcher, ahead, low, upper, position, limit, window)) is not None:
            return first
        begun = ahead if position is None else None
    while True:
        if begun is None:
            found = _newest(store, query, calls, low, upper, window + 1)
        elif len(begun) < few:
            found = begun
        else:
            found = begun + _newest(store, query, calls, low, begun[-1][0] - 1, window + 1 - few)
        ranked, older = found[:window], len(found) > window
        scored = sorted(((matcher.score(row[1]), row[0]) for row in ranked), reverse=True)
        if position is not None:
            scored = [entry for entry in scored if entry < position]
        if scored or not older:
            break
        upper, position, begun = ranked[-1][0] - 1, None, None
    page = scored[:limit]
    return SegmentPage(
        rows=segment_rows(store, [number for _, number in page]),
        keys=tuple((upper, score, number) for score, number in page),
        more=older or len(scored) > limit,
        ranked_over=len(ranked),
        older=older,
    )


def _few(query: SearchQuery, calls: CallFilter, position: tuple[int, int] | None, limit: int, window: int) -> int:
    """Return how many of the newest matches are looked at ahead of the others; 0 where to look twice costs more, or
    where a page of the highest score has come to its end."""
    if calls.on_facts or calls.speaker_role is not None or query.by_beginning:
        return 0
    return min(max(FEWEST_AHEAD, 4 * limit), window) if position is None or position[0] == MAX_SCORE else 0


def _full_scores(
    store: Rows,
    query: SearchQuery,
    matcher: Matcher,
    ahead: list[_Match],
    low: int,
    upper: int,
    position: tuple[int, int] | None,
    limit: int,
    window: int,
) -> SegmentPage | None:
    """Return the page when it is full of matches with the highest score, None when the window must be ranked.

    Of equal scores the newest come first: once the newest matches, *ahead*, fill a page with the highest one, nothing
    in the window can take a place of theirs. Most pages of a common word are such.
    """
    best: list[int] = []
    for number, text in ahead:
        if len(best) < limit and matcher.score(text) == MAX_SCORE:
            best.append(number)
    if len(best) < limit:
        return None
    ranked, oldest = _reach(store, query, low, upper, window + 1)
    older = ranked > window
    if older and best[-1] <= oldest:
        return None
    if not older and len(ahead) == limit and position is not None:
        return None  # what is left of the window, if anything is, stands before the page
    return SegmentPage(
        rows=segment_rows(store, best),
        keys=tuple((upper, MAX_SCORE, number) for number in best),
        more=older or len(ahead) > limit,
        ranked_over=min(ranked, window),
        older=older,
    )


def _continue_at(after: tuple[Any, ...] | None, low: int, high: int) -> tuple[int, tuple[int, int] | None]:
    """Return the highest rowid to look at, and the (score, rowid) behind which the page begins."""
    if after is None:
        return high, None
    if len(after) == 3 and all(type(part) is int for part in after):
        upper, score, number = after
        if low <= number <= upper <= high:
            return upper, (score, number)
    raise ToolFault("invalid_cursor", "The cursor does not belong to this search.")


def _newest(store: Rows, query: SearchQuery, calls: CallFilter, low: int, high: int, count: int) -> list[_Match]:
    """Return the newest *count* matches of *calls* in the range, newest first.

    Either the call of each match is looked at, or the calls of the filter are searched one after another.
    So neither a filter that few calls pass nor a word that few of them hold makes a search walk over all.
    """
    if low > high:
        return []
    if not calls.on_facts:
        return _matches(store, query, low, high, count, role=calls.speaker_role)
    if query.by_beginning:
        few = _newest_calls(store, calls, low, high, FEW_CALLS_BY_BEGINNING + 1)
        if len(few) <= FEW_CALLS_BY_BEGINNING:
            return _call_by_call(store, query, calls, few, low, high, count)
        return _matches(store, query, low, high, count, calls, role=calls.speaker_role)
    span = RANK_WINDOW
    behind = _match_behind(store, query, low, high, span)
    if behind is None:
        return _matches(store, query, low, high, count, calls, role=calls.speaker_role)
    newest = _newest_calls(store, calls, low, high, FEW_CALLS)
    if len(newest) < FEW_CALLS:
        low = max(low, first_segment(newest[-1])) if newest else high + 1
    found: list[_Match] = []
    while low <= high and (behind is None or _spread(newest, behind, high) * CALL_COSTS >= span):
        first = low if behind is None else max(low, behind + 1)
        found += _matches(store, query, first, high, count - len(found), calls, role=calls.speaker_role)
        if first == low or len(found) == count:
            return found
        high = first - 1
        span *= 2
        behind = _match_behind(store, query, low, high, span)
    if low > high:
        return found
    found += _call_by_call(store, query, calls, newest, low, high, count - len(found))
    if len(newest) < FEW_CALLS or len(found) == count:
        return found
    high = min(high, first_segment(newest[-1]) - 1)
    return found + _matches(store, query, low, high, count - len(found), calls, role=calls.speaker_role)


def _spread(newest: list[int], low: int, high: int) -> int:
    """Return how many of the calls *newest* lie in the range of segments."""
    return sum(first_segment(number) <= high and last_segment(number) >= low for number in newest)


def _call_by_call(
    store: Rows, query: SearchQuery, calls: CallFilter, numbers: list[int], low: int, high: int, count: int
) -> list[_Match]:
    """Return the newest *count* matches in the calls *numbers*, which are in order, newest first."""
    found: list[_Match] = []
    for call_no in numbers:
        first, last = max(low, first_segment(call_no)), min(high, last_segment(call_no))
        if first > last:
            continue
        found += _matches(store, query, first, last, count - len(found), role=calls.speaker_role)
        if len(found) == count:
            break
    return found


_SPEAKS = f"""EXISTS (SELECT 1 FROM parties p WHERE p.call_no = m.rowid >> {INDEX_BITS}
    AND p.party_no = s.speaker_no AND p.affiliation = """
_ROLES = {
    "internal": f"{_SPEAKS} 'internal')",
    "external": f"{_SPEAKS} 'external')",
    "external_or_unknown": f"NOT {_SPEAKS} 'internal')",
}
"""Who speaks the segment, by the affiliation of the party that the speaker is."""


def _matches(
    store: Rows,
    query: SearchQuery,
    low: int,
    high: int,
    count: int,
    calls: CallFilter | None = None,
    *,
    role: str | None = None,
) -> list[_Match]:
    """Return the newest *count* matches in the range; with *calls* each match's call is looked at."""
    where, parameters = calls.conditions("c") if calls else ([], {})
    if role is not None:
        where = [*where, _ROLES[role]]
    # CROSS JOIN keeps the full-text index outermost: it delivers by rowid, so that nothing is sorted
    # and the reading stops at the limit.
    rows = store.rows(
        f"SELECT m.rowid, substr(s.text, 1, {SCORED_CHARS}) FROM segments_fts m"
        + (f" CROSS JOIN call_facts c ON c.call_no = m.rowid >> {INDEX_BITS}" if calls else "")
        + " CROSS JOIN segments s ON s.segment_no = m.rowid"
        + " WHERE "
        + " AND ".join(["m.segments_fts MATCH :match", "m.rowid BETWEEN :low AND :high", *where])
        + " ORDER BY m.rowid DESC LIMIT :count",
        {**parameters, "match": query.fts, "low": low, "high": high, "count": count},
    )
    return [(row[0], row[1]) for row in rows]


def _newest_calls(store: Rows, calls: CallFilter, low: int, high: int, count: int) -> list[int]:
    """Return the newest *count* calls of the filter, newest first."""
    chosen = calls.select("c")
    rows = store.rows(
        f"SELECT {chosen.number} FROM {chosen.source} WHERE {chosen.where} ORDER BY {chosen.number} DESC LIMIT :count",
        {**chosen.parameters, "call_low": low >> INDEX_BITS, "call_high": high >> INDEX_BITS, "count": count},
    )
    return [row[0] for row in rows]


def _match_behind(store: Rows, query: SearchQuery, low: int, high: int, count: int) -> int | None:
    """Return the match behind the newest *count* ones in the range, in whatever calls; None when there are no more."""
    row = store.one(
        "SELECT rowid FROM segments_fts WHERE segments_fts MATCH :match AND rowid BETWEEN :low AND :high"
        " ORDER BY rowid DESC LIMIT 1 OFFSET :count",
        {"match": query.fts, "low": low, "high": high, "count": count},
    )
    return None if row is None else int(row[0])


def _reach(store: Rows, query: SearchQuery, low: int, high: int, count: int) -> tuple[int, int]:
    """Return how many matches there are in the range, at most *count*, and the oldest of the newest so many."""
    row = store.one(
        "SELECT count(*), min(rowid) FROM (SELECT rowid FROM segments_fts WHERE segments_fts MATCH :match"
        " AND rowid BETWEEN :low AND :high ORDER BY rowid DESC LIMIT :count)",
        {"match": query.fts, "low": low, "high": high, "count": count},
    )
    return (0, low) if row is None or not row[0] else (int(row[0]), int(row[1]))


_DETAILS = f"""
    SELECT s.segment_no, c.call_no, c.call_id, c.call_ref, p.speaker_id, p.speaker_ref,
           s.start_ms, s.end_ms, c.started_at, c.call_date, c.call_month, c.duration_seconds,
           c.segment_count, c.text_chars,
           c.lifecycle_bucket, c.scope, c.system, c.direction, s.text, s.spans
    FROM segments s
    JOIN call_facts c ON c.call_no = s.segment_no >> {INDEX_BITS}
    LEFT JOIN parties p ON p.call_no = c.call_no AND p.party_no = s.speaker_no
    WHERE s.segment_no IN
"""


def segment_rows(store: Rows, numbers: list[int]) -> tuple[SegmentRow, ...]:
    """Return the full rows of the segments *numbers*, in their order."""
    found: dict[int, SegmentRow] = {}
    for at in range(0, len(numbers), 500):  # well below the number of parameters that any build allows
        names = {f"n{n}": number for n, number in enumerate(numbers[at : at + 500])}
        for row in store.rows(f"{_DETAILS} ({', '.join(f':{name}' for name in names)})", names):
            found[row["segment_no"]] = _segment_row(row)
    return tuple(found[number] for number in numbers)


def _segment_row(row: sqlite3.Row) -> SegmentRow:
    return SegmentRow(
        segment_no=row["segment_no"],
        call_no=row["call_no"],
        call_id=row["call_id"],
        call_ref=row["call_ref"],
        speaker_id=row["speaker_id"],
        speaker_ref=row["speaker_ref"],
        segment_index=row["segment_no"] & (MAX_SEGMENTS - 1),
        start_ms=row["start_ms"],
        end_ms=row["end_ms"],
        started_at=row["started_at"],
        call_date=row["call_date"],
        call_month=row["call_month"],
        duration_seconds=row["duration_seconds"],
        segment_count=row["segment_count"],
        text_chars=row["text_chars"],
        lifecycle_bucket=row["lifecycle_bucket"],
        scope=row["scope"],
        system=row["system"],
        direction=row["direction"],
        text=row["text"],
        spans=parse_spans(row["spans"]),
    )


def excerpt(store: Rows, call_no: int, segment_index: int, before: int = 1, after: int = 1) -> tuple[SegmentRow, ...]:
    """Return a segment with its neighbours in the call, in order; empty when it does not exist.

    *before* and *after* are at most ``MAX_NEIGHBOURS`` each; fewer come back at the ends of a call.
    """
    if not 0 <= segment_index < MAX_SEGMENTS:
        return ()
    low, high = first_segment(call_no), last_segment(call_no)
    number = low + segment_index
    if store.one("SELECT 1 FROM segments WHERE segment_no = :number", {"number": number}) is None:
        return ()
    earlier = _beside(store, "BETWEEN :low AND :high ORDER BY segment_no DESC", low, number - 1, before)
    later = _beside(store, "BETWEEN :low AND :high ORDER BY segment_no", number + 1, high, after)
    return segment_rows(store, [*reversed(earlier), number, *later])


def _beside(store: Rows, condition: str, low: int, high: int, count: int) -> list[int]:
    rows = store.rows(
        f"SELECT segment_no FROM segments WHERE segment_no {condition} LIMIT :count",
        {"low": low, "high": high, "count": min(max(count, 0), MAX_NEIGHBOURS)},
    )
    return [row[0] for row in rows]
