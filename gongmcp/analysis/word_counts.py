"""Counts of the words that one call says, in the form in which warm keeps them, and their sums over calls.

Kept are words of masked text, in lower case, as ``spoken_words`` gives them: all of them, so that stop words are a
matter of whoever asks. A call's counts are one compressed text of a few kilobytes, which is read in a tenth of a
millisecond; a row for each word of each call would be as much as the transcripts themselves.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gongmcp.analysis.ngrams import MARK, WORD

_LEVEL: Final = 1
_SIGNS: Final = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "'-"}
"""ASCII signs that stand in no word."""


def counted_words(texts: Iterable[str]) -> Counter[str]:
    """Return how often each word of the masked *texts* of one call is said, as ``spoken_words`` tells words."""
    # No word goes over the end of a text, and none begins or ends inside of a mark.
    said = "\n".join(texts).lower().replace("’", "'")
    if "{" in said:
        said = MARK.sub(" ", said)
    other = ""
    if not said.isascii():
        lines = said.split("\n")
        said = "\n".join(line for line in lines if line.isascii())
        other = "\n".join(line for line in lines if not line.isascii())
    # Splitting takes a third of the time of a pattern; what it leaves together is looked at once for each form.
    counts = Counter(said.translate(_SIGNS).split())
    counts.update(WORD.findall(other))
    for form in [form for form in counts if not form.isalnum()]:
        words = WORD.findall(form)
        if words != [form]:
            times = counts.pop(form)
            for word in words:
                counts[word] += times
    return counts


def packed(counts: Mapping[str, int]) -> bytes:
    """Return *counts* as bytes: a line for each count, the count and the words that have it."""
    lines: dict[int, list[str]] = {}
    for word, count in counts.items():
        lines.setdefault(count, []).append(word)
    text = "\n".join([f"{count} {' '.join(words)}" for count, words in lines.items()])
    return zlib.compress(text.encode(), _LEVEL)


def unpacked(kept: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield (count, the words that have it) of what ``packed`` gave."""
    text = zlib.decompress(kept).decode()
    for line in text.split("\n") if text else ():
        count, *words = line.split(" ")
        yield int(count), words


@dataclass(slots=True)
class WordCounts:
    """How often each word occurs, in how many calls, and how many words there are."""

    occurrences: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    words: int = 0

    @classmethod
    def of(cls, kept: Iterable[bytes]) -> WordCounts:
        """Return the sums over the calls whose counts are *kept*."""
        by_count: dict[int, Counter[str]] = {}
        total = cls()
        for call in kept:
            for count, words in unpacked(call):
                by_count.setdefault(count, Counter()).update(words)
        for count, words_of in by_count.items():
            total.calls.update(words_of)
            for word, times in words_of.items():
                total.occurrences[word] += count * times
        total.words = total.occurrences.total()
        return total

    def less(self, other: WordCounts) -> WordCounts:
        """Return the sums without those of *other*, whose calls are among these."""
        return WordCounts(self.occurrences - other.occurrences, self.calls - other.calls, self.words - other.words)
