"""The words that warm counted: of some calls, and of all."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Final

from gongmcp.analysis.word_counts import WordCounts
from gongmcp.store.connection import ReadStore

_CALLS: Final = 500
"""Calls whose counts one query reads."""


def are_kept(store: ReadStore, calls: Collection[int]) -> bool:
    """Tell whether the words of every one of *calls*, which have a transcript, were counted."""
    row = store.one(
        "SELECT count(*) FROM call_words WHERE call_no IN (SELECT value FROM json_each(:calls))", _of(calls)
    )
    return row is not None and row[0] == len(calls)


def of_calls(store: ReadStore, calls: Collection[int]) -> WordCounts:
    """Return the sums over *calls*."""
    return WordCounts.of(_counts(store, sorted(calls)))


def of_cache(store: ReadStore) -> WordCounts:
    """Return the sums over every served call; not to be asked where not all of them may be told of."""
    total = WordCounts()
    for word, calls, occurrences in store.rows("SELECT word, call_count, occurrence_count FROM cache_words"):
        total.calls[word] = calls
        total.occurrences[word] = occurrences
    total.words = total.occurrences.total()
    return total


def _counts(store: ReadStore, calls: list[int]) -> Iterator[bytes]:
    for start in range(0, len(calls), _CALLS):
        rows = store.rows(
            "SELECT counts FROM call_words WHERE call_no IN (SELECT value FROM json_each(:calls))",
            _of(calls[start : start + _CALLS]),
        )
        for (counts,) in rows:
            yield counts


def _of(calls: Collection[int]) -> dict[str, str]:
    return {"calls": json.dumps(list(calls))}
