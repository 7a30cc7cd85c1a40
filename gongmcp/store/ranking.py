"""Where a query matches in a text, and how well.

A score looks at the text and the query alone. Statistics of the whole index would be slow on common
words and would let the order of an answer tell of segments that the reader may not see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import truediv

from gongmcp.store.search_query import SearchQuery, Term
from gongmcp.store.unicode61 import words

MARK = re.compile(r"\{redacted:[^{}\s]+\}")
"""What stands for a redacted piece in masked text."""

MAX_SCORE = 1000

# Shares of MAX_SCORE, for: the query's words near each other; side by side in the order typed; how
# many of the alternatives occur; a length that says something without burying the match.
_NEAR, _TYPED, _SHARE, _LENGTH = 400, 200, 200, 200
_SHORT, _LONG = 8, 40  # words


Hit = tuple[int, int, int, int]
"""A match: first word of the text and the one behind the last; group of the query, term of the group."""


def words_outside_marks(text: str) -> list[str]:
    """Return the folded words of masked *text*; a mark is one empty word, which matches nothing."""
    if "{redacted:" not in text:
        return words(text)
    first, *rest = MARK.split(text)
    out = words(first)
    for part in rest:
        out.append("")
        out += words(part)
    return out


class Matcher:
    """Finds and weighs the matches of one query in texts."""

    def __init__(self, query: SearchQuery) -> None:
        self._sizes = [len(group) for group in query.groups]
        self._whole: dict[str, list[tuple[int, int, Term]]] = {}
        self._beginnings: list[tuple[str, int, int]] = []
        for number, group in enumerate(query.groups):
            for place, term in enumerate(group):
                if term.prefix and len(term.tokens) == 1:
                    self._beginnings.append((term.tokens[0], number, place))
                else:
                    self._whole.setdefault(term.tokens[0], []).append((number, place, term))
        self._any_beginning = tuple(beginning for beginning, _, _ in self._beginnings)
        self._one_word = _one_word(query)
        self._by_length: dict[int, int] = {}

    def hits(self, text: Sequence[str]) -> list[Hit]:
        """Return the matches in the words *text*, in order of their beginning."""
        whole, beginning = self._whole, self._any_beginning
        if beginning:
            places = [at for at, word in enumerate(text) if word in whole or word.startswith(beginning)]
        else:
            places = [at for at, word in enumerate(text) if word in whole]
        found: list[Hit] = []
        for at in places:
            word = text[at]
            for number, place, term in whole.get(word, ()):
                if len(term.tokens) == 1 or _continues(text, at, term):
                    found.append((at, at + len(term.tokens), number, place))
            for start, number, place in self._beginnings:
                if word.startswith(start):
                    found.append((at, at + 1, number, place))
        return found

    def score(self, text: str) -> int:
        """Return how well masked *text* matches, 0 to ``MAX_SCORE``; 0 when only its marks do."""
        spoken = words_outside_marks(text)
        if self._one_word is not None:  # most queries; the long way comes to the same
            return self._of_length(spoken) if self._one_word in spoken else 0
        hits = self.hits(spoken)
        if not hits:
            return 0
        groups = len(self._sizes)
        matched = [0] * groups
        for group, _ in {hit[2:] for hit in hits}:
            matched[group] += 1
        share = sum(map(truediv, matched, self._sizes)) / groups
        near, typed = (1.0, True) if groups == 1 else (_nearness(hits, groups), _as_typed(hits, groups))
        return int(_NEAR * near + _TYPED * typed + _SHARE * share + _LENGTH * _length(spoken))

    def _of_length(self, spoken: Sequence[str]) -> int:
        size = len(spoken)
        if size not in self._by_length:
            self._by_length[size] = int(_NEAR + _TYPED + _SHARE + _LENGTH * _length(spoken))
        return self._by_length[size]


def _one_word(query: SearchQuery) -> str | None:
    """Return the word that *query* is, None when it is more than that."""
    if len(query.groups) != 1 or len(query.groups[0]) != 1:
        return None
    term = query.groups[0][0]
    return None if term.prefix or len(term.tokens) != 1 else term.tokens[0]


def _length(spoken: Sequence[str]) -> float:
    """Return 1 for a text that is neither too short to say something nor so long that it buries the match."""
    return min(len(spoken) / _SHORT, _LONG / len(spoken), 1.0)


def _continues(text: Sequence[str], at: int, term: Term) -> bool:
    """True when the phrase *term*, whose first word stands at *at*, goes on there."""
    size = len(term.tokens)
    if len(text) < at + size or tuple(text[at + 1 : at + size - 1]) != term.tokens[1:-1]:
        return False
    last = text[at + size - 1]
    return last.startswith(term.tokens[-1]) if term.prefix else last == term.tokens[-1]


def _nearness(hits: Sequence[Hit], groups: int) -> float:
    """Return 1 where one hit of each of *groups* stands side by side, less the farther they are apart."""
    first, last = tightest(hits)
    window = hits[first : last + 1]
    width = max(hit[1] for hit in window) - window[0][0]
    lengths = {group: end - start for start, end, group, _ in window}
    return min(sum(lengths.values()) / width, 1.0) * len(lengths) / groups


def _as_typed(hits: Sequence[Hit], groups: int) -> bool:
    """True when somewhere the query's groups stand side by side in the order typed."""
    ends = {(end, group) for _, end, group, _ in hits if group == 0}
    for number in range(1, groups):
        ends = {(end, number) for start, end, group, _ in hits if group == number and (start, number - 1) in ends}
        if not ends:
            return False
    return bool(ends)


def tightest(hits: Sequence[Hit]) -> tuple[int, int]:
    """Return the first and last index of the shortest run of *hits* with one of each group present."""
    wanted = len({hit[2] for hit in hits})
    counts: dict[int, int] = {}
    best = (0, len(hits) - 1)
    best_width = None
    first = 0
    for last, (_, end, group, _) in enumerate(hits):
        counts[group] = counts.get(group, 0) + 1
        while len(counts) == wanted:
            width = end - hits[first][0]
            if best_width is None or width < best_width:
                best, best_width = (first, last), width
            leaving = hits[first][2]
            if counts[leaving] == 1:
                del counts[leaving]
            else:
                counts[leaving] -= 1
            first += 1
    return best
