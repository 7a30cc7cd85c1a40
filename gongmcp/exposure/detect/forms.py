"""What the pieces of a value are together: told by the form of all of them, and by the words around them.

A form is sure when its check digits are right or a numbering plan knows it, and likely when it only looks like what
was announced. Pieces come in the orders in which they may have been meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import intents, payment_card, phone_number
from gongmcp.exposure.detect.iban import LENGTHS, valid
from gongmcp.exposure.detect.numerals import LONGEST_FIGURE

_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_NAMED: Final = re.compile(
    r"[a-z]{1,4}[0-9]{1,2}|(?:[hq][0-9])?fy[0-9]{2,4}|v[0-9]+[a-z]+[0-9]*|[a-z][0-9][a-z]|[0-9]{1,3}[a-z]{1,2}"
)
"""Names of products, quarters and versions."""
_LEAST_PHONE, _MOST_PHONE = 7, 15
_LEAST_SURE_PHONE: Final = 9
_LEAST_CARD, _MOST_CARD = 12, 19
_LEAST_KEY: Final = 8
_LEAST_ROOM, _MOST_ROOM = 9, 12
_LEAST_PASS, _MOST_PASS = 4, 14
_SURE_PASS: Final = 6
_LEAST_ACCOUNT: Final = 12
_MISHEARD: Final = 2
_COUNT: Final = 3
_ROUND: Final = 5
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """What one run of a dictation says: letters and digits, and whether a plus stands before it."""

    text: str
    plus: bool = False
    coded: bool = False  # a token of letters and digits, or spelt
    tens: bool = False  # said in tens alone: "ten, twenty, forty"


@dataclass(frozen=True, slots=True)
class Form:
    """The *kind* of a value, and whether its form proves it."""

    kind: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The folded words *before* the first piece, and all *around* the pieces; *led*: they only tell the sequence."""

    before: str
    around: str
    led: bool

    def says(self, intent: re.Pattern[str]) -> bool:
        return intent.search(self.around) is not None

    def nearest(self) -> str:
        """Return the family of the last announcement before the first piece; '' for none."""
        places = {
            name: max((found.end() for found in intent.finditer(self.before)), default=-1)
            for name, intent in intents.FAMILIES.items()
        }
        best = max(places, key=lambda name: places[name])
        return best if places[best] >= 0 else ""


def of(orders: Iterable[tuple[Sequence[Piece], bool]], words: Words) -> Form | None:
    """Return the form of the pieces in the best of their *orders*; None when they are nothing that is known.

    With each order comes whether it was turned: one of many orders has the check digit of a card by chance.
    """
    likely: Form | None = None
    nearest = words.nearest()
    for order, turned in orders:
        form = _sure(order, words, nearest, turned=turned)
        if form is not None:
            return form
        likely = likely or _likely(order, words, nearest)
    return likely


def is_whole(text: str, kind: str) -> bool:
    """Tell whether letters and digits that were found are all of a value of their *kind*."""
    match kind:
        case "phone":
            known = phone_number.valid_somewhere(text) or phone_number.valid_north_american(text[-10:])
            return len(text) >= _LEAST_SURE_PHONE and known
        case "card":
            return len(text) > _LEAST_CARD and text.isdigit() and payment_card.luhn(text)
        case "iban":
            return text[:2] in LENGTHS and text.isascii() and valid(text)
        case _:
            return kind == "email"


# --- sure ------------------------------------------------------------------------------------------


def _sure(order: Sequence[Piece], words: Words, nearest: str, *, turned: bool) -> Form | None:
    union = "".join(piece.text for piece in order)
    if union[:2] in LENGTHS and union[2:4].isdigit() and len(union) == LENGTHS[union[:2]] and valid(union):
        return Form("iban", True)
    if not union.isdigit() or nearest == "other":
        return None
    shortest = min(len(piece.text) for piece in order)
    if (
        not turned
        and shortest > 1
        and len(union) in {15, 16, 19}
        and payment_card.luhn(union)
        and not are_figures(order)
    ):
        told = words.says(intents.CARD) or (words.led and len(union) < _MOST_CARD and shortest > _COUNT)
        if told and payment_card.begins_like_one(union):
            return Form("card", True)
    if nearest in {"", "phone", "room"} and _is_phone(order, union, words):
        room = words.says(intents.MEETING) and words.says(intents.ROOM) and not words.says(intents.PHONE_ALONE)
        return Form("link" if room and not order[0].plus and union[0] != "0" else "phone", True)
    return None


def _is_phone(order: Sequence[Piece], union: str, words: Words) -> bool:
    """Tell whether a numbering plan knows the number."""
    if any(piece.plus for piece in order[1:]):
        return False
    if order[0].plus:
        return phone_number.possible(union)
    if not _LEAST_SURE_PHONE <= len(union) <= _MOST_PHONE or are_figures(order):
        return False
    announced = words.says(intents.PHONE)
    if union[0] == "0":
        abroad = union.startswith("00") and phone_number.possible(union.removeprefix("00"))
        return (announced or words.led) and (abroad or phone_number.valid_somewhere(union))
    if not announced or intents.FIGURES.search(words.before):
        return False
    return phone_number.valid_somewhere(union) or phone_number.valid_north_american(union[-10:])


# --- likely ----------------------------------------------------------------------------------------


def _likely(order: Sequence[Piece], words: Words, nearest: str) -> Form | None:
    union = "".join(piece.text for piece in order)
    count = len(union)
    if nearest == "other":
        return None
    if _is_account(order, union, words):
        return Form("iban", False)
    if not union.isdigit():
        return _of_letters(order, union, words)
    room = words.says(intents.MEETING) and words.says(intents.ROOM)
    if words.says(intents.ROOM_ALONE) and nearest != "phone" and count in {9, 10, 11}:
        return Form("link", False)
    if are_figures(order):
        return None
    in_groups = all(len(piece.text) != _COUNT for piece in order) and not intents.FIGURES.search(words.before)
    if (
        in_groups
        and _LEAST_CARD <= count <= _MOST_CARD
        and words.says(intents.CARD)
        and nearest in {"card", "", "room", "iban"}
    ):
        return Form("card", False)
    passing = nearest in {"pass", "room", "key"} and intents.PASS.search(words.before)
    if passing and (_LEAST_PASS if words.led else _SURE_PASS) <= count <= _MOST_PASS:
        return Form("link", False)
    if room and nearest in {"room", "phone", ""} and _LEAST_ROOM <= count <= _MOST_ROOM and union[0] != "0":
        return Form("link", False)
    if nearest == "phone" and _LEAST_PHONE <= count <= _MOST_PHONE:
        nought = any(len(piece.text) > 1 and piece.text[0] == "0" for piece in order)
        if any(piece.plus for piece in order) or nought:
            return Form("phone", False)
    return None


def _is_account(order: Sequence[Piece], union: str, words: Words) -> bool:
    heads = [text for text in (piece.text for piece in order) if text[:2] in LENGTHS and text[2:4].isdigit()]
    if not any(len(head) > _COUNT for head in heads) or not words.says(intents.BANK):
        return False
    if words.says(intents.IBAN):
        return len(union) >= _LEAST_ACCOUNT
    return abs(LENGTHS.get(union[:2], 0) - len(union)) <= _MISHEARD


def _of_letters(order: Sequence[Piece], union: str, words: Words) -> Form | None:
    coded = all(piece.coded or (piece.text.isdigit() and len(piece.text) >= _COUNT) for piece in order)
    if not any(map(str.isdigit, union)):
        return None
    least = min(len(piece.text) for piece in order)
    named = not any(any(map(str.isdigit, text)) and not _NAMED.fullmatch(text) for text in (p.text for p in order))
    if coded and not named and intents.KEY.search(words.before) and len(union) >= _LEAST_KEY:
        return Form("key", False)
    if (
        intents.PASS.search(words.before)
        and _LEAST_PASS <= len(union) <= _MOST_PASS
        and least > 1
        and (coded or not named)
    ):
        return Form("link", False)
    return None


def are_figures(order: Sequence[Piece]) -> bool:
    """Tell whether the pieces are years, round numbers or steps, as figures are."""
    texts = [piece.text for piece in order]
    if all(piece.tens for piece in order):
        return True
    if any(text[:1] == "0" or len(text) > LONGEST_FIGURE for text in texts):
        return False
    if any(_YEAR.fullmatch(text) for text in texts):
        return True
    numbers = [int(text) for text in texts if text.isdecimal()]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    if len(numbers) > 2 and len(steps) == 1 and steps != {0}:
        return True
    return all(number % _ROUND == 0 and 9 < number < 10 * _HUNDRED for number in numbers)
