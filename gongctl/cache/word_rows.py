"""Keeping the counts of words: of each call, and of all calls by exact differences."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from gongmcp.analysis.word_counts import WordCounts, counted_words, packed, unpacked
from gongmcp.store.schema import first_segment, last_segment


class WordDelta:
    """What one transaction changes: calls that are forgotten and added, then the sums over all calls."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._calls: Counter[str] = Counter()
        self._occurrences: Counter[str] = Counter()

    def forget(self, call_no: int) -> None:
        """Remove the counts of the call *call_no*."""
        row = self._connection.execute("SELECT counts FROM call_words WHERE call_no = ?", (call_no,)).fetchone()
        if row is None:
            return
        for count, words in unpacked(row[0]):
            self._calls.subtract(words)
            for word in words:
                self._occurrences[word] -= count
        self._connection.execute("DELETE FROM call_words WHERE call_no = ?", (call_no,))

    def add(self, call_no: int, texts: Sequence[str]) -> None:
        """Add the counts of a call that says *texts*."""
        # Counted here and not where texts are masked: that other process is the one that a warm waits for.
        said = counted_words(texts)
        self._connection.execute("INSERT INTO call_words (call_no, counts) VALUES (?, ?)", (call_no, packed(said)))
        self._calls.update(said.keys())
        self._occurrences.update(said)

    def write(self) -> None:
        """Bring the sums over all calls up to date; a word that no call says any more is deleted."""
        changed = [
            (word, self._calls[word], count)
            for word, count in sorted(self._occurrences.items())
            if count or self._calls[word]
        ]
        self._connection.executemany(
            """INSERT INTO cache_words (word, call_count, occurrence_count) VALUES (?, ?, ?)
               ON CONFLICT (word) DO UPDATE SET call_count = call_count + excluded.call_count,
                 occurrence_count = occurrence_count + excluded.occurrence_count""",
            changed,
        )
        self._delete_unsaid(word for word, calls, _ in changed if calls < 0)

    def _delete_unsaid(self, words: Iterable[str]) -> None:
        self._connection.executemany(
            "DELETE FROM cache_words WHERE word = ? AND call_count = 0", ((word,) for word in words)
        )


def differences(connection: sqlite3.Connection) -> list[str]:
    """Return where the kept counts and a recount of the segments differ, in sentences without any word."""
    found, nothing = [], packed({})
    wrong, total = 0, WordCounts()
    kept = dict(connection.execute("SELECT call_no, counts FROM call_words"))
    for (number,) in connection.execute("SELECT call_no FROM call_facts WHERE transcript_present = 1").fetchall():
        texts = connection.execute(
            "SELECT text FROM segments WHERE segment_no BETWEEN ? AND ?", (first_segment(number), last_segment(number))
        )
        said = counted_words(text for (text,) in texts)
        held = {word: count for count, words in unpacked(kept.pop(number, nothing)) for word in words}
        wrong += held != dict(said)
        total.calls.update(said.keys())
        total.occurrences.update(said)
    if wrong or kept:
        found.append(f"calls with other counts of words: {wrong + len(kept)}")
    sums = {row[0]: (row[1], row[2]) for row in connection.execute("SELECT * FROM cache_words")}
    expected = {word: (calls, total.occurrences[word]) for word, calls in total.calls.items()}
    if sums != expected:
        found.append("counts of words over all calls differ from their sums")
    return found
