"""Values whose pieces are gathered over the sentences of one who has said what comes, whatever words stand between.

``dictation`` and ``pieces`` follow a value over words that they know. Here the words around a piece may be any, for the
value is known otherwise: it was announced (``intents``), and its pieces together have the form of such a value
(``forms``). What is repeated, taken back or said before its beginning is tried without the repetition, without what
was taken back, and in its right order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

from gongmcp.exposure.detect import forms, pieces
from gongmcp.exposure.detect.dictation import (
    AMOUNT,
    CASE,
    CODE,
    DIGITS,
    LETTER,
    NUMBER,
    PLAIN_NUMBERS,
    SIGN,
    SLUG,
    VALUES,
    Bit,
)
from gongmcp.exposure.detect.dictation_words import DOUBTFUL, PAUSES
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.forms import Piece
from gongmcp.exposure.detect.spoken import FILLERS, any_of, words

Find = tuple[int, int, str]

_MOST_PIECES: Final = 9
_MOST_ODD: Final = 8
"""So many words that are none of sequence may stand beside a piece."""
_FEW_ODD, _FEW = 2, 6
"""Behind a number that may be whole, a sentence with more of it has no more words of no sequence, and no more words."""
_MOST_SILENT: Final = 3
_SILENT: Final = 12
"""A sentence between two pieces has no more words."""
_BEFORE: Final = 2
"""In so many sentences before the first piece may stand what announces it."""
_MOST_TURNED: Final = 4
_OPENS: Final = frozenset("+_-/")
_TAKEN_BACK: Final = PAUSES | words("no nein non not nicht nee equivoco confundi trompe plutot quatsch falsch mejor")


def piece_pattern() -> str:
    """Return what a piece begins with, for the quick look: two of them may be gathered behind ``intents.QUICK``."""
    number = any_of(PLAIN_NUMBERS - DOUBTFUL)
    no_year = r"(?:[0-9]{2,3}|[03-9][0-9]{3}|1[0-8][0-9]{2}|2[1-9][0-9]{2}|[0-9]{5,})"
    return (
        rf"\b{no_year}(?:[.,;:?!]?(?:[ \n]|$)|-)|\b{number}[ ,.-]{{1,3}}(?:{number}|[0-9])"
        rf"|\b[b-hj-z] (?:{number}|[0-9])|\b{number} [b-hj-z]\b"
        r"|\b[0-9]+[a-z]+[0-9]|\b[a-z]+[0-9]+[a-z]|\b[b-hj-z] [a-z] [a-z] "
    )


@dataclass(slots=True)
class Sentence:
    """One sentence: its bits from *first* to before *stop*, its *runs* of values, and what else it holds."""

    first: int
    stop: int
    start: int
    end: int
    runs: list[list[Bit]] = field(default_factory=list)
    back: set[int] = field(default_factory=set)  # the runs that are taken back behind them
    words: int = 0
    odd: int = 0  # words that tell no sequence
    figure: bool = False  # holds an amount in digits


def read(bits: Sequence[Bit]) -> list[Sentence]:
    """Return the sentences of *bits*."""
    return [_read(bits, first, stop) for first, stop in pieces.sentences(bits)]


def find(view: View, sentences: Sequence[Sentence], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each piece of each value that is gathered, with the kind of the value; pieces may overlap *finds*."""
    at = 0
    while at < len(sentences):
        taken = at
        if sentences[at].runs:
            row = _row(sentences, at)
            found = _best(view, sentences, row, finds)
            if found:
                kind, count = found
                for index in row[:count]:
                    for run in sentences[index].runs:
                        yield (*pieces.place(view, run), kind)
                taken = row[count - 1]
        at = taken + 1


# --- sentences -------------------------------------------------------------------------------------


def _read(bits: Sequence[Bit], first: int, stop: int) -> Sentence:
    sentence = Sentence(first, stop, bits[first].start, bits[stop - 1].end)
    runs = _runs(bits, first, stop)
    inside = {index for run in runs for index in run}
    outside = [bits[index] for index in range(first, stop) if index not in inside]
    sentence.words = len(outside)
    sentence.odd = sum(bit.sort != CASE and not pieces.follows(bit) for bit in outside)
    sentence.figure = any(bit.sort == AMOUNT and any(map(str.isdigit, bit.word)) for bit in outside)
    alone = [run for run in runs if _lone(bits, run)]
    if len(alone) < len(runs) or sentence.odd or len(alone) > 1:
        # "The first four are ...", "Part 2 is ...", "I have one more thing": a count, no piece.
        runs = [run for run in runs if run not in alone]
    for index, run in enumerate(runs[:-1]):
        between = bits[run[-1] + 1 : runs[index + 1][0]]
        if any(bit.word in _TAKEN_BACK for bit in between):
            sentence.back.add(index)
    sentence.runs = [[bits[index] for index in run] for run in runs]
    return sentence


def _runs(bits: Sequence[Bit], first: int, stop: int) -> list[list[int]]:
    """Return the rows of values of a sentence; words for the case of a letter, and sounds, part none."""
    runs: list[list[int]] = []
    for index in range(first, stop):
        bit = bits[index]
        if bit.sort not in VALUES and not (bit.sort == AMOUNT and pieces.soft(bit)):
            continue
        joined = bool(runs) and all(
            other.sort == CASE or other.word in FILLERS for other in bits[runs[-1][-1] + 1 : index]
        )
        if bit.sort == SIGN and not joined and bit.sign not in _OPENS:
            continue
        if joined:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [_with_case(bits, first, pieces.without_words(bits, run)) for run in runs]


def _with_case(bits: Sequence[Bit], first: int, run: list[int]) -> list[int]:
    """Return *run* with the word for the case of its first letter."""
    before = run[0] - 1
    if before >= first and bits[before].sort == CASE and bits[run[0]].sort == LETTER:
        return [before, *run]
    return run


def _lone(bits: Sequence[Bit], run: Sequence[int]) -> bool:
    """Tell whether a run is one digit, one word of a number or one letter."""
    if len(run) > 1:
        return False
    bit = bits[run[0]]
    return bit.sort in {NUMBER, LETTER, SIGN} or (bit.sort in {DIGITS, AMOUNT} and len(bit.word) == 1)


def _row(sentences: Sequence[Sentence], at: int) -> list[int]:
    """Return the sentences with pieces from *at* on that may belong together."""
    row, silent = [at], 0
    for index in range(at + 1, len(sentences)):
        here = sentences[index]
        if here.figure:
            break
        if here.runs:
            if here.odd > _MOST_ODD or len(row) == _MOST_PIECES:
                break
            row.append(index)
            silent = 0
        elif here.words <= _SILENT and silent < _MOST_SILENT:
            silent += 1
        else:
            break
    return row


# --- what they are ---------------------------------------------------------------------------------


def _best(
    view: View, sentences: Sequence[Sentence], row: Sequence[int], finds: Sequence[Find]
) -> tuple[str, int] | None:
    """Return the kind and the number of the sentences of *row* that hold a value: a sure form before a likely one."""
    whole = _whole(view, sentences[row[0]], finds)
    if whole and whole != "phone":
        return None
    likely: tuple[str, int] | None = None
    for count in range(len(row), 0, -1):
        here = [sentences[index] for index in row[:count]]
        if sum(len(sentence.runs) for sentence in here) < 2 or _covered(view, here, finds):
            break
        form = forms.of(_orders(view, here), _words(view, sentences, row[0], row[count - 1]))
        if whole and (form is None or not form.sure or not all(map(short, here[1:]))):
            continue
        if form is not None and form.sure:
            return form.kind, count
        if form is not None and likely is None:
            likely = form.kind, count
    return likely


def short(sentence: Sentence) -> bool:
    return sentence.odd <= _FEW_ODD and sentence.words <= _FEW


def _covered(view: View, here: Sequence[Sentence], finds: Sequence[Find]) -> bool:
    """Tell whether all runs were found before."""
    return all(
        any(start <= first and last <= end for start, end, _ in finds)
        for sentence in here
        for first, last in (pieces.place(view, run) for run in sentence.runs)
    )


def _whole(view: View, head: Sentence, finds: Sequence[Find]) -> str:
    """Return the kind of the value that was found in a sentence, if it is whole without the ones behind it; or ''."""
    first, last = pieces.place(view, head.runs[0])[0], pieces.place(view, head.runs[-1])[1]
    for start, end, kind in finds:
        if start <= first and last <= end <= head.end:
            text = "".join(pieces.value_of(view, run) for run in head.runs)
            return kind if forms.is_whole(text, kind) else ""
    return ""


def _words(view: View, sentences: Sequence[Sentence], first: int, last: int) -> forms.Words:
    text = view.text
    start = sentences[max(0, first - _BEFORE)].start
    head = sentences[first].runs[0][0].start
    led = first < last and all(not sentence.odd for sentence in sentences[first + 1 : last + 1] if sentence.runs)
    return forms.Words(text[start:head], text[start : sentences[last].end], led)


def _orders(view: View, here: Sequence[Sentence]) -> Iterator[tuple[list[Piece], bool]]:
    """Yield the pieces in the orders in which they may be meant, the likeliest first, and whether each is turned."""
    told = [(_piece(view, run), index in sentence.back) for sentence in here for index, run in enumerate(sentence.runs)]
    straight = [piece for piece, _ in told if piece.text]
    kept = [piece for piece, back in told if not back and piece.text]
    seen: list[list[Piece]] = []
    for order in (straight, _once(straight), kept, _once(kept)):
        if order and order not in seen:
            seen.append(order)
            yield order, False
    shortest = seen[-1] if seen else []
    if 0 < len(shortest) <= _MOST_TURNED:
        for turned in map(list, permutations(shortest)):
            if turned not in seen:
                yield turned, True


def _piece(view: View, run: Sequence[Bit]) -> Piece:
    spelt = sum(bit.sort in {LETTER, NUMBER, DIGITS} for bit in run) > 2
    token = any(bit.sort in {CODE, SLUG, AMOUNT} and len(bit.word) > 2 and not bit.word.isdigit() for bit in run)
    said = [number.digits for number in view.written.pieces(run[0].start, run[-1].end)]
    text = pieces.value_of(view, run)
    tens = "".join(said) == text and all(len(number) > 1 and number[-1] == "0" for number in said)
    return Piece(text, run[0].plus or run[0].sign == "+", token or spelt, tens)


def _once(order: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without those that only repeat what was just said."""
    out: list[Piece] = []
    for piece in order:
        if not out or not "".join(before.text for before in out).endswith(piece.text):
            out.append(piece)
    return out
