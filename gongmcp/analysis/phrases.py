"""Phrases around words: in which run of words a word is mostly said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from gongmcp.analysis.ngrams import terms

MOSTLY: Final = 0.5
"""Share of a word's occurrences from which on it is said to belong to a phrase."""
LEAST: Final = 3
"""Occurrences of a phrase below which it is chance."""


def mostly_said_as(
    texts: Iterable[Sequence[str]], words: Collection[str], content: Collection[str]
) -> Mapping[str, str]:
    """Return, of each of *words* that is mostly said in one phrase, that phrase: the longest such one, then the most
    frequent. Phrases begin and end with one of *content*; *texts* are words of texts, in order."""
    wanted = set(words)
    alone: Counter[str] = Counter()
    phrases: Counter[str] = Counter()
    for text in texts:
        if wanted.isdisjoint(text):
            continue
        for term in terms(text, content):
            if " " in term:
                phrases[term] += 1
            else:
                alone[term] += 1
    found: dict[str, tuple[int, int, str]] = {}
    for phrase, count in phrases.items():
        parts = phrase.split(" ")
        for word in wanted.intersection(parts):
            if count >= LEAST and count >= MOSTLY * alone[word]:
                found[word] = max(found.get(word, (0, 0, "")), (len(parts), count, phrase))
    return {word: phrase for word, (_, _, phrase) in found.items()}
