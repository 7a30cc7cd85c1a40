"""Account numbers whose characters are told with any words between them: the check digits prove them.

Behind a country and two digits, letters and digits are taken up one after the other until there are as many as the
country's numbers have. What may be a word or a letter is tried as both, and behind a correction what was said last is
tried without its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.exposure.detect.dictation_words import PAUSES, SEQUENCE, SPELLING
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import words

_TOKEN: Final = re.compile(r"[0-9a-z']+")
_MOST_GAP: Final = 5
"""So many words may stand between two pieces."""
_MOST_TOKENS: Final = 90
_MOST_READINGS: Final = 36
_WORDS: Final = frozenset("aeiouy")
"""Letters that are words."""
_TAKEN_BACK: Final = (PAUSES - words("and und et y then dann puis luego")) | words(
    "pardon sorry correction korrektur quatsch falsch meine perdon corrijo equivocado corrige trompe entschuldigung"
)
_MOST_BACK: Final = 8
_BANK_LETTERS: Final = 4
_CHECKED: Final = 4
"""The country and the check digits."""
_LEAST_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the tokens say so far, and which of them."""

    text: str
    used: tuple[int, ...]


def find(view: View, lengths: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each piece of each number, in order.

    *lengths*: country -> characters of its account numbers.
    """
    text = view.written.numbers
    tokens = [_Token(found.group(), *found.span()) for found in _TOKEN.finditer(text)]
    at = 0
    while at < len(tokens):
        used = _number(tokens, at, lengths) if tokens[at].text[0].isalpha() and len(tokens[at].text) < 5 else ()
        for first, last in _runs(used):
            yield tokens[first].start, view.written.end(tokens[last].end)
        at = used[-1] + 1 if used else at + 1


def _runs(used: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each row of tokens that stand side by side."""
    first = 0
    for index in range(1, len(used) + 1):
        if index == len(used) or used[index] > used[index - 1] + 1:
            yield used[first], used[index - 1]
            first = index


def _number(tokens: Sequence[_Token], at: int, lengths: dict[str, int]) -> tuple[int, ...]:
    """Return the tokens of the number that begins at *at*; none when none does."""
    head = _head(tokens, at, lengths)
    if head is None:
        return ()
    length = lengths[head.text[:2]]
    readings, seen, gap, back = [head], set(head.used), 0, False
    for index in range(head.used[-1] + 1, min(len(tokens), at + _MOST_TOKENS)):
        token = tokens[index].text
        said = _said(token)
        back = back or token in _TAKEN_BACK
        if not said:
            gap += 1
            if gap > _MOST_GAP:
                return ()
            continue
        if back and token.isdigit():
            readings += [
                _Reading(reading.text[:-count], reading.used)
                for reading in readings
                for count in range(1, _MOST_BACK + 1)
                if len(reading.text) - count >= _CHECKED
            ]
            back = False
        taken = [_Reading(reading.text + said, (*reading.used, index)) for reading in readings]
        sure = any(map(str.isdigit, token)) or (len(token) == 1 and token not in _WORDS)
        readings = [reading for reading in (taken if sure else taken + readings) if len(reading.text) <= length]
        if sure:
            gap = 0
            seen.add(index)
        for reading in readings:
            if len(reading.text) == length and _fits(reading.text):
                return tuple(sorted(seen.union(reading.used)))
        if not readings or len(readings) > _MOST_READINGS:
            return ()
    return ()


def _head(tokens: Sequence[_Token], at: int, lengths: dict[str, int]) -> _Reading | None:
    """Return the country and the digits behind it that begin at *at*."""
    first = tokens[at].text
    if first[:2] in lengths and len(first) == 4 and first[2:].isdigit():
        return _Reading(first, (at,))
    used: tuple[int, ...] = (at,)
    country = first if len(first) == 2 else _said(first)[:1]
    if len(country) == 1 and at + 1 < len(tokens):
        country, used = country + _said(tokens[at + 1].text)[:2], (at, at + 1)
    country = country.replace("0", "o")  # the letter was read as the digit
    if country not in lengths:
        return None
    for index in range(used[-1] + 1, min(len(tokens), used[-1] + 4)):
        if tokens[index].text.isdigit():
            return _Reading(country + tokens[index].text, (*used, index))
    return None


def _said(token: str) -> str:
    """Return the letters and digits that a token may say; '' for a word."""
    if token in SPELLING:
        return SPELLING[token]
    if len(token) > 1 and (token in SEQUENCE or token in _TAKEN_BACK):
        return ""
    return token if len(token) <= _BANK_LETTERS or any(map(str.isdigit, token)) else ""


def _fits(number: str) -> bool:
    if not number.isalnum() or not number[2:4].isdigit() or sum(map(str.isdigit, number)) < _LEAST_DIGITS:
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1
