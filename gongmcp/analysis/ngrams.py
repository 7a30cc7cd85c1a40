"""Terms of what was said: words and runs of words, counted over all and by the calls that say them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

LONGEST: Final = 3
"""Words of the longest term."""

WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
MARK: Final = re.compile(r"\{redacted:[^{}\s]+\}")
"""What stands for masked text."""
_BREAK: Final = re.compile(rf"[.?!;:]+|{MARK.pattern}")
_LATIN: Final = re.compile(r"[a-z\u00c0-\u024f]")


def spoken_words(text: str) -> list[str]:
    """Return the words of masked *text* in lower case; a mark, and the sign between two sentences, is an empty one."""
    out: list[str] = []
    for part in _BREAK.split(text.lower().replace("’", "'")):
        if words := WORD.findall(part):
            if out:
                out.append("")
            out += words
    return out


def is_content(word: str, stop: Collection[str]) -> bool:
    """Tell whether *word* can stand at an end of a term: no stop word, number, contraction or letter by itself."""
    if not word or word in stop or "'" in word or word.isdecimal():
        return False
    return len(word) > 2 or _LATIN.search(word) is None


def terms(words: Sequence[str], content: Collection[str]) -> Iterator[str]:
    """Yield the terms of a text's *words*: up to three in a row that begin and end with one of *content*.

    Other words may stand inside (``cost of capital``); no term goes on behind an empty one.
    """
    last = len(words)
    for at, word in enumerate(words):
        if word not in content:
            continue
        yield word
        for end in range(at + 1, min(at + LONGEST, last)):
            if not words[end]:
                break
            if words[end] in content:
                yield " ".join(words[at : end + 1])


@dataclass(slots=True)
class TermCounts:
    """How often each term occurs, in how many calls, and how many words there are."""

    occurrences: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    words: int = 0

    def add_call(self, texts: Iterable[Sequence[str]], content: Collection[str]) -> None:
        """Count the terms of one call, whose segments are *texts*, that begin and end with one of *content*."""
        found: Counter[str] = Counter()
        for words in texts:
            self.words += len(words)
            found.update(terms(words, content))
        self.occurrences.update(found)
        self.calls.update(found.keys())


def parts_of(term: str) -> Iterator[str]:
    """Yield the terms that stand in a row in *term* and are shorter; a word is made of none."""
    words = term.split(" ")
    for length in range(1, len(words)):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])
