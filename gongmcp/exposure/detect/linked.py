"""Meeting links that break off behind their host: the rest of the path is gathered over any words between.

``meeting_link`` reads a link in one piece, ``meeting_code`` what follows words that it knows. Here a host with an open
path ("zoom dot us slash j slash") is enough: numbers, codes and groups of letters in the next sentences belong to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect import gathered, meeting_link, parted_email
from gongmcp.exposure.detect.dictation import WORD, Bit
from gongmcp.exposure.detect.dictation_words import NUMBERS, ORDER, PAUSES, SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.gathered import Sentence

_MOST_ODD, _MOST_WORDS = 5, 10
"""A sentence with more of a link has no more words of no sequence, and no more words, beside it."""
_MOST_SILENT, _SILENT = 3, 12
_MOST_PIECES: Final = 6
_FEW: Final = 6
_MOST_TAIL: Final = 2
"""A sentence with the end of a name has a word of order and it: "then oalu"."""
_SPELT: Final = r"(?:[a-z]{3,4}|[a-z](?: [a-z]){2,3})"
_LETTERS: Final = re.compile(rf"(?<![\w'@.-]){_SPELT}(?:[^\S\n]*-[^\S\n]*{_SPELT}(?![\w'@]))*(?![\w'@])(?:[^\S\n]*-)?")
_GROUPED: Final = re.compile(r"meet\.google|(?<![a-z])g\.co/")
_NAMED: Final = re.compile(
    r"whereby|jit\.?si|webex[^/]*/(?:meet|join)/|/my/|gotomeet|join\.me|/room/|/rooms/|/sala/|/salle/|/raum/"
)
"""What stands before the name of a room."""
_SIGNS: Final = frozenset("-_.")
_WHOLE: Final = re.compile(r"zoom.*/[a-z]/(?:[0-9][^0-9a-z]*){9,}")
_VOWELS: Final = frozenset("aeiouy")
_CODE: Final = 10
"""So many letters has a code in groups."""


def find(
    view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], finds: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[int, int]]:
    """Yield each link that breaks off, and the pieces with which it goes on; some may overlap *finds*."""
    starts = [sentence.start for sentence in sentences]
    for start, end, path in meeting_link.hosts(view):
        at = bisect_right(starts, start) - 1
        whole = any(first <= start and end <= last for first, last, kind in finds if kind == "link")
        bare = "".join(path.split())
        letters = _CODE - sum(map(str.isalpha, bare.rpartition("/")[2])) if _GROUPED.search(bare) else 0
        if (_GROUPED.search(bare) and letters <= 0) or _WHOLE.search(bare):
            continue
        strict = whole and not letters and "zoom" not in bare
        rest = list(_rest(view, bits, sentences, at, end, strict=strict, letters=letters))
        if not letters and bare.endswith("/") and _NAMED.search(bare):
            rest += _names(view, bits, sentences, at)
        if rest:
            yield start, end
            yield from rest


def _names(view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], at: int) -> Iterator[tuple[int, int]]:
    """Yield the words that name a room behind its open path, one sentence and those that go on with a sign."""
    taken = 0
    for sentence in sentences[at + 1 : at + 1 + _MOST_SILENT]:
        here = parted_email.Sentence(sentence.first, sentence.stop, sentence.start, sentence.end)
        places = list(parted_email.content(view, bits, here, sentence.start))
        signed = any(bit.sign and bit.sign in _SIGNS for bit in bits[sentence.first : sentence.stop])
        if sentence.words > _MOST_WORDS or view.text[sentence.end : sentence.end + 1] == "?":
            return
        if not places or (bits[sentence.first].word in PAUSES and not signed):
            continue  # a remark
        if taken and not signed and not (sentence.words <= _MOST_TAIL and bits[sentence.first].word in ORDER):
            return
        taken += 1
        yield from places


def _rest(
    view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], at: int, end: int, *, strict: bool, letters: int
) -> Iterator[tuple[int, int]]:
    """Yield what follows a link that ends at *end* in sentence *at*; *letters* of a code in groups are wanted, or 0."""
    taken, silent = 0, 0
    for index in range(at, len(sentences)):
        sentence = sentences[index]
        if index > at and (sentence.figure or taken == _MOST_PIECES):
            return
        places = [place for place in _pieces(view, bits, sentence, grouped=letters > 0) if place[0] >= end]
        few = (sentence.odd <= _MOST_ODD and sentence.words <= _MOST_WORDS) if not strict else gathered.short(sentence)
        if index > at and places and not few:
            return
        if places:
            yield from places
            taken += len(places)
            silent = 0
            if letters:
                letters -= sum(sum(map(str.isalpha, view.text[first:last])) for first, last in places)
                if letters <= 0:
                    return
        elif index > at:
            silent += 1
            if silent > _MOST_SILENT or sentence.words > _SILENT:
                return


def _pieces(view: View, bits: Sequence[Bit], sentence: Sentence, *, grouped: bool) -> Iterator[tuple[int, int]]:
    if grouped:
        group = _group(view, sentence)
        if group:
            yield group
        return
    for run in sentence.runs:
        start = run[0].start
        if run[0].sign:
            # "meetup dash join": the word that the sign joins.
            before = [bit for bit in bits[sentence.first : sentence.stop] if bit.end <= start]
            if before and before[-1].sort == WORD and not before[-1].comma and before[-1].word not in SEQUENCE:
                start = before[-1].start
        yield start, view.written.end(run[-1].end)


def _group(view: View, sentence: Sentence) -> tuple[int, int] | None:
    """Return the likeliest group of letters of a code: with hyphens or spelt, or without a vowel, or a last word."""
    text = view.written.text
    found = [
        group
        for group in _LETTERS.finditer(text, sentence.start, sentence.end)
        if not {group.group(), view.text[slice(*group.span())]} & (SEQUENCE | NUMBERS)
    ]
    if not found:
        return None
    best = max(found, key=lambda group: (_odd(group.group()), group.start()))
    last = best.end() >= sentence.end - 1 and sentence.words <= _FEW and text[sentence.end : sentence.end + 1] != "?"
    if not _odd(best.group()) and not last:
        return None
    return best.start(), view.written.end(best.end())


def _odd(group: str) -> int:
    return 2 * bool({"-", " "} & set(group)) + _VOWELS.isdisjoint(group)
