"""Samples of what was said: the words of so many calls, chosen by a keyed order, the same every time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.store.calls import CallFilter
from gongmcp.store.cohorts import Condition, valued
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import first_segment, last_segment
from gongmcp.store.themes import fits_role, in_seeded_order

MAX_CALLS: Final = 2_000
"""Most calls of a sample."""

MAX_SEGMENTS: Final = 40_000
"""Most segments that a sample reads, so that it stays within a tool's time; one call is taken whole in any case."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Calls whose words are read: *calls* of the *of* calls that have a transcript."""

    calls: Sequence[int] = ()
    of: int = 0

    @property
    def is_whole(self) -> bool:
        """True when every call was taken."""
        return len(self.calls) == self.of


def transcripts(
    store: ReadStore, calls: CallFilter, of_language: Callable[[str], bool] | None = None
) -> dict[int, int]:
    """Return how many segments each of the calls with a transcript has; only calls *of_language* if that is given."""
    rows = valued(store, calls, Condition("{c}.segment_count || ' ' || {c}.language"))
    found: dict[int, int] = {}
    for row in rows:
        count, _, language = row["value"].partition(" ")
        if row["transcript_present"] and (of_language is None or of_language(language)):
            found[row["call_no"]] = int(count)
    return found


def sample(segments: Mapping[int, int], secret: bytes, *, segments_at_most: int = MAX_SEGMENTS) -> Sample:
    """Return a sample of the calls whose numbers of *segments* are given, by the order that *secret* keys."""
    chosen: list[int] = []
    read = 0
    for number in in_seeded_order(segments, secret)[:MAX_CALLS]:
        if chosen and read + segments[number] > segments_at_most:
            break
        chosen.append(number)
        read += segments[number]
    return Sample(chosen, len(segments))


def texts(
    store: ReadStore, calls: Iterable[int], role: str | None = None, *, holding: Sequence[str] = ()
) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Yield for each of *calls* its (segment, masked text) pairs in order.

    With *role* only those whose speaker has it; with *holding* only those that hold one of these signs.
    """
    said = " OR ".join(f"instr(text, :sign_{at}) > 0" for at in range(len(holding)))
    signs = {f"sign_{at}": sign for at, sign in enumerate(holding)}
    for number in calls:
        allowed = None if role is None else _people(store, number, role)
        rows = store.rows(
            "SELECT segment_no, speaker_no, text FROM segments WHERE segment_no BETWEEN :low AND :high"
            + (f" AND ({said})" if said else ""),
            {"low": first_segment(number), "high": last_segment(number), **signs},
        )
        yield number, [(row[0], row[2]) for row in rows if allowed is None or row[1] in allowed]


def _people(store: ReadStore, call_no: int, role: str) -> set[int]:
    """Return the numbers of the speakers of a call who have the *role*; 0 is whoever is unknown."""
    rows = store.rows("SELECT party_no, affiliation FROM parties WHERE call_no = :call_no", {"call_no": call_no})
    people = {row[0] for row in rows if fits_role(row[1], role)}
    return people | {0} if fits_role("unknown", role) else people


def languages(store: ReadStore, calls: CallFilter) -> set[str]:
    """Return the languages of the calls, as Gong names them."""
    chosen = calls.select("c")
    rows = store.rows(f"SELECT DISTINCT c.language FROM {chosen.source} WHERE {chosen.where}", chosen.parameters)
    return {row[0] for row in rows if row[0]}
