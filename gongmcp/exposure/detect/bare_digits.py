"""Phone and card numbers that somebody reads out in a few short sentences, and says of them nothing at all.

"Vienna, so oh one. Then five five five. Oh one, and the last two, nine six." No word announces such a number. What
tells is that the sentences hold hardly anything but digits, that one group begins with a nought, as no figure does, and
that all of them together are as long as such a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.exposure.detect import forms, intents, payment_card, pieces
from gongmcp.exposure.detect.dictation import AMOUNT, CASE, DIGITS, LETTER, NUMBER, SIGN, SLUG, Bit
from gongmcp.exposure.detect.dictation import CODE as TOKEN
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.gathered import Find, Sentence
from gongmcp.exposure.detect.spoken import FILLERS, words

_MOST_SENTENCES: Final = 6
_MOST_WORDS, _MOST_ODD = 8, 2
"""Beside its digits a sentence has no more words, and no more words that tell no sequence."""
_MOST_FIRST_ODD: Final = 4
"""In the first sentence stands what leads to the number."""
_MOST_SILENT, _SILENT = 2, 7
_LEAST_PHONE, _MOST_PHONE = 8, 15
_LEAST_CARD: Final = 13
_BEFORE: Final = 160
_WORDS: Final = frozenset("aeioyu")
"""Letters that are words."""
_NOUGHTS: Final = words("zero oh o null cero")


@dataclass(frozen=True, slots=True)
class _Said:
    """The groups of digits of a sentence, and how many words stand beside them; no *groups* where it holds more."""

    groups: tuple[tuple[Bit, ...], ...] = ()
    words: int = 0
    odd: int = 0
    more: bool = False


def likely(bits: Sequence[Bit]) -> bool:
    """Tell whether digits stand in two sentences, and a group of them may begin with a nought or a plus."""
    opened, ends, places = False, 0, set()
    for bit in bits:
        if bit.sort in {NUMBER, DIGITS}:
            opened = opened or bit.plus or bit.word[0] == "0" or bit.word in _NOUGHTS
            places.add(ends)
        ends += bit.stop or bit.line
    return opened and len(places) > 1


def find(view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each group of each number, with its kind; none of which *finds* hold every group."""
    said = [_read(bits, sentence) for sentence in sentences]
    at = 0
    while at < len(said):
        row = _row(said, at)
        kind, count = _best(view, said, row, finds)
        for index in row[:count]:
            for group in said[index].groups:
                yield *pieces.place(view, group), kind
        at = row[count - 1] + 1 if count else at + 1


def _read(bits: Sequence[Bit], sentence: Sentence) -> _Said:
    here = bits[sentence.first : sentence.stop]
    groups: list[list[Bit]] = []
    beside: list[Bit] = []
    apart = True
    for bit in here:
        if bit.sort in {NUMBER, DIGITS}:
            if apart or _counts(groups[-1], beside):
                groups.append([])
            groups[-1].append(bit)
            apart = False
        elif _is_more(bit):
            return _Said(more=True)
        elif not (bit.sort in {SIGN, CASE} or bit.word in FILLERS):
            beside.append(bit)
            apart = True
    if len(groups) > 1:
        groups = [group for group in groups if not _counts(group, beside)]
    odd = sum(not pieces.follows(bit) for bit in beside)
    return _Said(tuple(map(tuple, groups)), len(beside), odd)


def _is_more(bit: Bit) -> bool:
    """Tell whether a bit is an amount, a letter that is spelt or a token: then the sentence holds more than digits."""
    if bit.sort == AMOUNT:
        return any(map(str.isdigit, bit.word))
    return bit.sort in {TOKEN, SLUG} or (bit.sort == LETTER and len(bit.word) == 1 and bit.word not in _WORDS)


def _counts(group: Sequence[Bit], beside: Sequence[Bit]) -> bool:
    """Tell whether a group says how many digits follow, or which piece: "the last four, ...", "piece two, ..."."""
    if len(group) > 1 or not group[0].comma:
        return False
    return bool(beside) and beside[-1].end < group[0].start <= beside[-1].end + 2


def _row(said: Sequence[_Said], at: int) -> list[int]:
    """Return the sentences from *at* on that hold hardly anything but digits."""
    row: list[int] = []
    silent = 0
    for index in range(at, len(said)):
        here = said[index]
        if here.more or here.words > _MOST_WORDS or here.odd > (_MOST_ODD if row else _MOST_FIRST_ODD):
            break
        if not here.groups:
            silent += 1
            if not row or silent > _MOST_SILENT or here.words > _SILENT:
                break
            continue
        row.append(index)
        silent = 0
        if len(row) == _MOST_SENTENCES:
            break
    return row


def _best(view: View, said: Sequence[_Said], row: Sequence[int], finds: Sequence[Find]) -> tuple[str, int]:
    """Return the kind of the longest number that begins the *row*, and of how many sentences; ('', 0) for none."""
    for count in range(len(row), 0, -1):
        groups = [group for index in row[:count] for group in said[index].groups]
        places = [pieces.place(view, group) for group in groups]
        if len(groups) < 2 or all(any(start <= a and b <= end for start, end, _ in finds) for a, b in places):
            continue
        around = view.text[max(0, places[0][0] - _BEFORE) : places[-1][1]]
        if intents.OTHER.search(around) or intents.FIGURES.search(around):
            continue
        if pieces.are_round([text for group in groups for text in pieces.written_groups(view, group)]):
            continue
        kind = _kind([forms.Piece(pieces.value_of(view, group), group[0].plus) for group in groups])
        if kind:
            return kind, count
    return "", 0


def _kind(groups: Sequence[forms.Piece]) -> str:
    union = "".join(group.text for group in groups)
    if len(union) >= _LEAST_CARD and payment_card.begins_like_one(union) and payment_card.luhn(union):
        return "card"
    if not _LEAST_PHONE <= len(union) <= _MOST_PHONE or any(group.plus for group in groups[1:]):
        return ""
    nought = any(group.text[0] == "0" and len(group.text) > 1 for group in groups if group.text)
    return "phone" if (nought or groups[0].plus) and not forms.are_figures(groups) else ""
