"""Names in texts: does a text name a customer of the restricted list, and where.

What counts as a name is written down, with examples, in ``docs/restricted-names.md``; the test reads them
there. Nothing here reads a file or a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gongmcp.exposure.clean import clean
from gongmcp.governance.restricted import Entry, RestrictedList
from gongmcp.governance.sieve import Sieve
from gongmcp.governance.terms import Fragment, Kind, Phrase, Target
from gongmcp.governance.text import View, addresses, index_words, normalise, plain, views

__all__ = ["Hit", "Matcher", "index_words", "normalise"]


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a text names *entry*: ``text[start:end]``, found by a term of *term_kind*."""

    entry: Entry
    term_kind: Kind
    start: int
    end: int


class Matcher:
    """Judges texts against one list. Safe to use from several threads."""

    def __init__(self, restricted: RestrictedList) -> None:
        self._targets: list[tuple[Entry, Kind, Target]] = []
        self._by_anchor: dict[str, list[int]] = {}
        seen: set[tuple[Entry, Kind, Target]] = set()
        for entry in restricted.entries:
            for term in entry.terms:
                for target in term.targets:
                    if (entry, term.kind, target) in seen:
                        continue
                    seen.add((entry, term.kind, target))
                    for anchor in target.anchors:
                        self._by_anchor.setdefault(anchor, []).append(len(self._targets))
                    self._targets.append((entry, term.kind, target))
        self._patterns: dict[int, re.Pattern[str]] = {}
        self._words = frozenset(self._by_anchor)
        self._sieve = Sieve(self._words)

    def words(self) -> frozenset[str]:
        """Return all anchors: a text whose ``index_words`` holds none of them names nobody of the list."""
        return self._words

    @staticmethod
    def anchor_words(entry: Entry) -> frozenset[str]:
        """Return the anchors of *entry*: a text that names it has at least one of them in its ``index_words``."""
        return frozenset(anchor for term in entry.terms for target in term.targets for anchor in target.anchors)

    def find(self, text: str) -> tuple[Hit, ...]:
        """Return where *text* names a customer, in the order of the text; each place once per entry and kind."""
        found = set(self._hits(text))
        return tuple(
            sorted(found, key=lambda hit: (hit.start, hit.end, hit.entry.list, hit.entry.index, hit.term_kind.value))
        )

    def hits(self, text: str) -> bool:
        """Tell whether *text* names a customer: ``bool(find(text))``, quickly."""
        if plain(text) and self._sieve.empty(text):
            return False
        return next(self._hits(text), None) is not None

    def _hits(self, text: str) -> Iterator[Hit]:
        for view in views(text):
            if self._sieve.empty(view.shaped):
                continue
            words = view.words()
            if not self._words.isdisjoint(words):
                yield from self._in_view(view, words)

    def _in_view(self, view: View, words: set[str]) -> Iterator[Hit]:
        line, places = view.canonical()
        numbers = {number for word in self._words & words for number in self._by_anchor[word]}
        for number in sorted(numbers):
            entry, kind, target = self._targets[number]
            spans = _fragments(target, view) if isinstance(target, Fragment) else self._phrases(number, target, line)
            for start, end in spans:
                if isinstance(target, Phrase):
                    start, end = places[start], places[end - 1] + 1
                    if not _is_exact(target, view, start, end):
                        continue
                yield Hit(entry, kind, *view.raw_span(start, end))

    def _phrases(self, number: int, phrase: Phrase, line: str) -> Iterator[tuple[int, int]]:
        pattern = self._patterns.get(number)
        if pattern is None:
            # Compiled when first needed: most names of a long list are in no text.
            pattern = self._patterns[number] = re.compile(phrase.pattern)
        return (found.span() for found in pattern.finditer(line))


def _fragments(fragment: Fragment, view: View) -> Iterator[tuple[int, int]]:
    for start, address in addresses(view.shaped):
        place = address.find(fragment.text)
        while place >= 0:
            yield start + place, start + place + len(fragment.text)
            place = address.find(fragment.text, place + 1)


def _is_exact(phrase: Phrase, view: View, start: int, end: int) -> bool:
    if not phrase.exact and not phrase.any_case:
        return True
    read, _ = clean(view.read(start, end))
    return read in phrase.exact or read.lower() in phrase.any_case
