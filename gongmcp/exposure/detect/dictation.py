"""What is dictated in pieces: values of some words each, with pauses, corrections and sentence ends between them.

A ``Chain`` is the pieces that stand in a row with nothing but ``CARRIERS`` between them. What a chain is, a phone
number or a key or nothing at all, is for ``announced`` to tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect.dictation_words import (
    CARRIER_PHRASES,
    CARRIERS,
    CASES,
    DOUBTFUL,
    NUMBERS,
    PAUSES,
    SEQUENCE,
    SIGNS,
    SPELLING,
    UNITS,
)
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.iban import LENGTHS
from gongmcp.exposure.detect.spoken import LETTER_NAMES, any_of, words

NUMBER, DIGITS, LETTER, CODE, SIGN, SLUG, CASE, CARRIER, WORD, AMOUNT = range(10)
"""Sorts of pieces. CODE holds letters and digits, or capitals within; SLUG is a word that signs join to a value."""

VALUES: Final = frozenset({NUMBER, DIGITS, LETTER, CODE, SIGN, SLUG})
_CHUNK: Final = re.compile(r"\{redacted:[a-z]+\}|[^\s…]+|…|\n")
_EDGE: Final = ".,;:!?\"'()[]{}<>*-`¿¡#|"
_DIGITS: Final = re.compile(r"\d+(?:[()./-]{1,2}\d+)*")
_AMOUNT: Final = re.compile(
    r"\d+[.,]\d{1,2}|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}\.\d{3}|\d{1,3}(?:\.\d{3})+,\d+|\d{1,2}:\d{2}(?::\d{2})?"
    r"|\d+(?:st|nd|rd|th|er|eme|ers|k|m|bn|mm|x|h|kw|gb|mb|am|pm|bps)|(?:q|h|fy|cy)\d{1,4}|[a-z]\d|\d[a-z]|[0-9]+s"
    r"|\d{1,2}/\d{1,2}/(?:19|20)\d\d|covid-?\d+"
)
_PARTS: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[_@]")
_CODE: Final = re.compile(
    r"(?=[^\s]*[a-z])(?=[^\s]*[0-9])[0-9a-z][0-9a-z_./+=?&:%@-]*|[._?&/=-]+[0-9a-z_-]+|[0-9a-z]+_[0-9a-z_]+"
)
_SPELT_AS: Final = re.compile(
    r"\b(?P<letter>[a-z])(?P<rest>,?\s(?:as in|as|for|like|wie in|wie|comme dans|comme|de|como en|como"
    r"|as in the word)\s(?P=letter)[a-z]+)\b"
)
_SAID: Final = (
    frozenset(SIGNS)
    | {tuple(said.split()) for said in LETTER_NAMES if " " in said}
    | {tuple(said.split()) for said in CARRIER_PHRASES}
)
_PHRASE_LENGTHS: Final[dict[str, tuple[int, ...]]] = {
    first: tuple(sorted({len(said) for said in _SAID if said[0] == first}, reverse=True))
    for first in {said[0] for said in _SAID}
}
"""First word of a phrase -> the numbers of words of such phrases."""
_SWISS_ARTICLES: Final = frozenset("ds")
_BEFORE_ARTICLES: Final = frozenset({"isch", "ist", "uf", "under", "mit"})
_SOFT: Final = 12
"""How many carriers may stand between two pieces."""
_PREFIXES: Final = frozenset({"live", "test", "proj", "prod", "key", "api", "tok", "token", "pat", "github", "glpat"})


@dataclass(slots=True)
class Bit:
    """One word or written token: its *sort* and place, and what stands behind it (*end_of_sentence*, *comma*)."""

    sort: int
    start: int
    end: int
    word: str
    doubtful: bool = False
    stop: bool = False  # a sentence ends behind it
    comma: bool = False
    line: bool = False  # a line of the monologue ends behind it
    plus: bool = False
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two runs of values: how many words, and whether one is a pause or a correction."""

    words: int
    pause: bool
    parted: bool  # a sentence ends within


@dataclass(frozen=True, slots=True)
class Chain:
    """Runs of values with gaps between them; *bits* are the values alone."""

    bits: tuple[Bit, ...]
    gaps: tuple[Gap, ...]
    first: int  # index of its first bit in the text
    last: int

    @property
    def start(self) -> int:
        return self.bits[0].start

    @property
    def end(self) -> int:
        return self.bits[-1].end

    @property
    def size(self) -> int:
        """How many letters and digits it may hold at most."""
        return sum(3 if bit.sort == NUMBER else len(bit.word) if bit.sort != LETTER else 1 for bit in self.bits)

    @property
    def parted(self) -> bool:
        return any(gap.parted for gap in self.gaps)


_COMMON: Final = words("at is it no me se so de es al be do li st sc mu sa si mr ba")
"""Countries that are common words as well."""
PLAIN_NUMBERS: Final = words(
    "zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety double triple hundred "
    "null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn dreißig zweimal dreimal doppel "
    "zéro un deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante "
    "cinquante soixante septante nonante cent "
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa doble triple cien ciento"
)
"""The numbers that a quick look knows; others are made of them."""


def pattern() -> str:
    """Return what a text with something dictated holds, for the quick look of ``gongmcp.exposure.masking``."""
    sure = rf"(?:{any_of(PLAIN_NUMBERS - DOUBTFUL)}|[a-z]+zig|veinti[a-z]+|[a-z]*hundert[a-z]*|[a-z]+cient[oa]s)"
    any_number = rf"(?:{any_of(PLAIN_NUMBERS)}|[a-z]+zig|veinti[a-z]+|[a-z]*hundert[a-z]*|[a-z]+cient[oa]s|[0-9]+)"
    two = rf"\b{any_number}[ ,.-]{{1,3}}(?:(?:y|et|und) )?{any_number}"
    # Digits that are no year: a sentence often ends with one.
    no_year = r"[0-9]{2,3}|[03-9][0-9]{3}|1[0-8][0-9]{2}|2[1-9][0-9]{2}|[0-9]{5,}"
    digits = rf"(?:[0-9][ /-]{{1,3}}[0-9]+|(?:^|[^0-9.,$€£])(?:{no_year}))"
    # A sentence ends with numbers, and the next one but a remark begins with some.
    few = r"(?:[a-z'¿¡-]+[ ,:]{1,2}){0,6}"
    end = rf"(?:[ .,;:!?-]*\n|, {few}[a-z]*\?\n)(?:{few}[a-z'¿¡-]+ ?[.,!?]*\n)?{few}[.¿¡(+-]*"
    wait = rf"(?:(?:une?|einen?|one) )?{any_of(PAUSES)}"
    pause = rf"(?:[ ,.;-]{{1,4}}{wait}[ ,.;:!?\n-]{{1,4}}{few}|\.{{2,3}} {few}|[,;] ?\n)"
    joint = r"(?:(?:und|and|et|y) )?(?:then|next|dann|danach|puis|ensuite|luego|despues)"
    then = rf"[0-9][ ,]{{1,3}}{joint}[ ,]{{1,2}}[0-9][0-9 ]"
    name = any_of(word for word in SPELLING if len(word) > 2)
    letters = r"\bmeet\b[^\n]{0,60}\n(?:[^\n]{1,60}\n)?[^\n]{0,40}\b[a-z]{3,4}-[a-z]{3,4}\b"
    country = rf"\b{any_of(LENGTHS)}[0-9]{{2}}(?: [0-9a-z]{{4}})*,? ?[a-z]*[.,]*\n"
    password = r"(?:code\w*|codigo|clave|kennwort|acceso|acces|secret\w*|password)\b[^\n]{2,50}[0-9a-z]{3}[.,]?\n"
    inside = r"[0-9]{3,}[ -][0-9]{3,}(?: [a-z']+){1,4}[.,]?\n"
    abroad = r"\+[0-9][0-9 ().-]{3,14}[^0-9\n]{0,24}\n(?:[^0-9\n]{0,30}\n)?[^0-9\n]{0,24}[0-9]{2}"
    capitals = r"\b(?:capital|gross(?:es|er)?|mayuscula|majuscule) [b-hj-z]\b"
    return (
        rf"{inside}|{abroad}|{capitals}|{letters}|{country}|{password}|{digits}{end}[0-9][0-9 (+.-]"
        rf"|{two}{end}\b(?:{sure}|[0-9])|\b(?:{sure}|[0-9]){end}{two}"
        rf"|(?:\b{sure}|[0-9]){pause}\b(?:{sure}|[0-9])"
        rf"|\b[b-hj-z][ ,.-]{{1,3}}(?:[a-z][ ,.-]{{1,3}}){{3}}"
        rf"|\b{name}[ ,.-]{{1,3}}(?:{name}|{sure}|[0-9]+)[ ,.-]{{1,3}}(?:{name}|[0-9])"
        r"|\b(?:underscore|under score|unterstrich|tiret (?:du )?bas|guion bajo|subrayado|barra baja)\b"
        r"|\b(?:majuscule|mayuscula|uppercase|grossbuchstabe)\b|\b[a-z]{2}[0-9]{2}[0-9a-z]*[ .,]*\n"
        rf"|\b[b-hj-z][ ,.-]{{1,3}}(?:[a-z][ ,.-]{{1,3}}){{2}}(?:{sure}|[0-9]|trait|dash|minus|tiret|guion|bindestrich)"
        rf"|\b[0-9a-f]{{32}}|\b[0-9a-f]{{8}}-[0-9a-f]{{4}}-|\b[a-z]{{2,8}}_(?:[a-z]{{2,8}}_)?[0-9a-z]{{12}}|-[0-9a-z]*[0-9][a-z]+[0-9][0-9a-z]{{6}}|{then}"
    )


def read(view: View) -> list[Bit]:
    """Return the bits of the folded text, each with its sort."""
    text = _SPELT_AS.sub(lambda found: found["letter"] + " " * len(found["rest"]), view.text)
    bits = _bits(view, text)
    starts = {bit.start: bit for bit in bits}
    for found in _SPELT_AS.finditer(view.text):
        if found.start() in starts:
            starts[found.start()].end = found.end()
            starts[found.start()].sort = LETTER
    _promote(view, bits)
    return bits


def _bits(view: View, text: str) -> list[Bit]:
    bits: list[Bit] = []
    for chunk in _CHUNK.finditer(text):
        whole = chunk.group()
        if whole == "\n":
            if bits:
                bits[-1].line = True
            continue
        core = whole.rstrip(".,?!")
        if core.isalpha():  # as nearly all are
            bit = _of_letters(view, core, chunk.start())
            if len(core) < len(whole):
                bit.comma, bit.stop = whole[-1] == ",", whole[-1] != ","
            bits.append(bit)
            continue
        core = whole.strip(_EDGE)
        if not core or whole.startswith("{redacted"):
            if bits and set(whole) & set(".!?…"):
                bits[-1].stop = True
            if whole.startswith("{redacted"):
                bits.append(Bit(AMOUNT, chunk.start(), chunk.end(), whole))
            continue
        start = chunk.start() + whole.index(core)
        lead, tail = whole[: start - chunk.start()], whole[start - chunk.start() + len(core) :]
        here = _of_core(view, core, start, lead)
        if not here:
            continue
        here[-1].stop = bool(set(tail) & set(".!?…"))
        here[-1].comma = bool(set(tail) & set(",;:"))
        if "%" in tail:
            here[-1].sort = AMOUNT
        bits += here
    return bits


def _of_core(view: View, core: str, start: int, lead: str) -> list[Bit]:
    end = start + len(core)
    if core.isalpha() and lead[-1:] not in {".", "-", "_", "?", "&"}:
        return [_of_letters(view, core, start)]
    if core[0] in "$€£¥" or core[-1] in "%€$£" or _AMOUNT.fullmatch(core):
        return [Bit(AMOUNT, start, end, core)]
    plus = core[0] == "+"
    bare = core.lstrip("+(")
    if _DIGITS.fullmatch(bare):
        return [Bit(DIGITS, start, end, bare, plus=plus)]
    if lead[-1:] in {".", "-", "_", "?", "&"} and len(core) > 2 and "." not in core and core.isascii():
        return [Bit(CODE, start - 1, end, core)] if any(map(str.isdigit, core)) or lead == lead[-1:] else []
    parts = list(_PARTS.finditer(core))
    said = all(part.group() in NUMBERS or part.group() in SPELLING or len(part.group()) == 1 for part in parts)
    if _CODE.fullmatch(core) and not (said and len(parts) > 1 and "_" not in core):
        return [Bit(CODE, start, end, core)]
    if "'" not in core and core.isascii() and _inner_capital(view, start, end) and not said:
        return [Bit(CODE, start, end, core, doubtful=True)]
    return [_of_word(part.group(), start + part.start(), start + part.end()) for part in parts]


def _of_letters(view: View, word: str, start: int) -> Bit:
    bit = _of_word(word, start, start + len(word))
    if bit.sort == WORD and len(word) > 4 and word.isascii() and _inner_capital(view, start, bit.end):
        bit.sort, bit.doubtful = CODE, True
    return bit


def _of_word(word: str, start: int, end: int) -> Bit:
    if word in {"_", "@"}:
        return Bit(SIGN, start, end, word, True, sign=word)
    sort, doubtful = _sort(word)
    return Bit(sort, start, end, word, doubtful)


@lru_cache(maxsize=8192)
def _sort(word: str) -> tuple[int, bool]:
    """Return the sort of a word by itself, and whether it is that only beside others of its kind."""
    if word.isdigit():
        return DIGITS, False
    if word in NUMBERS:
        return NUMBER, word in DOUBTFUL
    if len(word) == 1 or word in SPELLING:
        return LETTER, True
    if word in CASES:
        return CASE, False
    return (CARRIER if word in CARRIERS else WORD), False


def _inner_capital(view: View, start: int, end: int) -> bool:
    raw = view.raw[slice(*view.raw_span(start, end))]
    if raw[1:].islower():
        return False
    return sum(left.islower() and right.isupper() for left, right in pairwise(raw)) > 1


# --- which words are values ------------------------------------------------------------------------


def _joined(left: Bit) -> bool:
    return not left.stop and not left.line


def _promote(view: View, bits: list[Bit]) -> None:
    """Tell carriers, signs and spelt letters from the words that they mostly are."""
    _phrases(bits)
    _links(bits)
    _amounts(bits)
    sure = [bit.sort in {NUMBER, DIGITS, CODE} and not bit.doubtful for bit in bits]
    for index in range(len(bits) - 1):
        left, right = bits[index], bits[index + 1]
        if CASE in {left.sort, right.sort} and _joined(left):
            sure[index] = sure[index] or (left.sort == LETTER and len(left.word) == 1)
            sure[index + 1] = sure[index + 1] or (right.sort == LETTER and len(right.word) == 1)
        # Two letters or spelling names in a row, in one sentence, are being spelt.
        if left.sort == right.sort == LETTER and _joined(left):
            lone = len(left.word) == len(right.word) == 1
            if not lone or not {left.word, right.word} <= {"a", "i", "y", "e", "o", "u"}:
                sure[index] = sure[index + 1] = True
        if index and left.sort == NUMBER and bits[index - 1].sort == right.sort == LETTER:
            spelt = len(bits[index - 1].word) > 1 and len(right.word) > 1
            if spelt and _joined(left) and _joined(bits[index - 1]):
                sure[index - 1] = sure[index] = sure[index + 1] = True
        if left.sort == right.sort == NUMBER and _joined(left) and left.word != right.word:
            sure[index] = sure[index + 1] = True
    for order in (range(len(bits)), range(len(bits) - 1, -1, -1)):
        for index in order:
            if not sure[index] and _beside(bits, sure, index):
                sure[index] = True
    for index, bit in enumerate(bits):
        if bit.sort in VALUES and not sure[index] and bit.sort != CODE:
            bit.sort = CARRIER if bit.word in CARRIERS else WORD
    _slugs(view, bits)


def _beside(bits: list[Bit], sure: list[bool], index: int) -> bool:
    """Tell whether a doubtful value has a certain one as its neighbour."""
    bit = bits[index]
    if bit.sort not in VALUES or bit.sort == CODE:
        return False
    before = _neighbour(bits, index, -1)
    after = _neighbour(bits, index, 1)
    left = before >= 0 and sure[before]
    right = after >= 0 and sure[after]
    if bit.sort == SIGN:
        if bit.sign in "+-.@" and bit.word in {
            "plus",
            "mas",
            "minus",
            "menos",
            "moins",
            "point",
            "punto",
            "punkt",
            "at",
        }:
            return right and (bit.sign in "+-" or left)
        return left or right
    if bit.sort == LETTER and bit.word in {"a", "y", "e", "o", "i", "u"}:
        # "y" or "a" behind a number is a word of the language, unless more is spelt.
        ended = bit.stop or bit.line or index + 1 == len(bits)
        return right or (left and (ended or bits[before].sort != NUMBER) and (before == index - 1 or ended))
    return left or right


def _neighbour(bits: list[Bit], index: int, step: int) -> int:
    """Return the next bit in the sentence that is no word for upper case; -1 for none."""
    at = index
    while 0 <= at + step < len(bits):
        if not _joined(bits[at if step > 0 else at - 1]):
            return -1
        at += step
        if bits[at].sort != CASE:
            return at
    return -1


def _phrases(bits: list[Bit]) -> None:
    index = 0
    while index < len(bits):
        index += _phrase(bits, index)


def _phrase(bits: list[Bit], index: int) -> int:
    """Mark the phrase for a sign or of a carrier that begins at *index*; return of how many words it is, or 1."""
    for length in _PHRASE_LENGTHS.get(bits[index].word, ()):
        part = bits[index : index + length]
        if len(part) < length or any(bit.line or bit.stop for bit in part[:-1]):
            continue
        said = tuple(bit.word for bit in part)
        if " ".join(said) in CARRIER_PHRASES:
            for bit in part:
                bit.sort, bit.doubtful = CARRIER, False
            return length
        if length > 1 and (letter := LETTER_NAMES.get(" ".join(said))):
            for bit in part:
                bit.sort, bit.word, bit.doubtful = LETTER, "", True
            part[0].word = letter
            return length
        if sign := SIGNS.get(said):
            for bit in part:
                bit.sort, bit.sign, bit.doubtful = SIGN, sign, True
            return length
    return 1


def _links(bits: list[Bit]) -> None:
    """Read ``treinta y dos`` as one number, and a joint before a number at the head of a sentence as no letter."""
    for at, bit in enumerate(bits):
        if bit.word in _SWISS_ARTICLES and at and bits[at - 1].word in _BEFORE_ARTICLES:
            bit.sort = CARRIER  # "das isch d null sieben ..."
        if bit.word == "ein" and not _joined(bit):
            bit.sort = CARRIER  # "tippen Sie ... ein."
    for index, bit in enumerate(bits[:-1]):
        if bit.word not in {"y", "e"} or bit.sort != LETTER or bits[index + 1].sort not in {NUMBER, DIGITS}:
            continue
        if index and _joined(bits[index - 1]):
            if bits[index - 1].sort == bits[index + 1].sort == NUMBER and bits[index - 1].word.endswith(("a", "z")):
                bit.sort, bit.doubtful = NUMBER, False
                bits[index + 1].doubtful = False
        else:
            bit.sort = CARRIER


def _amounts(bits: list[Bit]) -> None:
    """Mark the numbers before a unit."""
    for index, bit in enumerate(bits):
        parted = not index or bits[index - 1].comma or not _joined(bits[index - 1])
        if bit.word == "pour" and (index + 1 == len(bits) or bits[index + 1].word not in {"cent", "mille"}):
            continue  # "deux, pour finir"
        if not parted and bit.word in UNITS and bit.sort in {WORD, CARRIER, NUMBER}:
            at = index - 1
            while at >= 0 and bits[at].sort in {NUMBER, DIGITS} and (at == index - 1 or _joined(bits[at])):
                bits[at].sort = AMOUNT
                at -= 1


def _slugs(view: View, bits: list[Bit]) -> None:
    """Take in the words that signs join to a value, and the letters of a bank within an account number."""
    beside = {at for index, bit in enumerate(bits) if bit.sort == SIGN for at in (index - 1, index + 1)}
    short = {index for index, bit in enumerate(bits) if len(bit.word) == 2}
    for index in sorted((beside | short) & set(range(len(bits)))):
        bit = bits[index]
        if bit.sort not in {WORD, CARRIER}:
            continue
        before = bits[index - 1] if index and _joined(bits[index - 1]) else None
        after = bits[index + 1] if index + 1 < len(bits) and _joined(bit) else None
        left = before.sign if before is not None and before.sort == SIGN else ""
        right = after.sign if after is not None and after.sort == SIGN else ""
        if (
            (left and right)
            or (bit.word in _PREFIXES and right in {"_", "-"})
            or (bit.sort == WORD and "_" in {left, right})
        ):
            bit.sort = SLUG
        elif (
            bit.word in LENGTHS and len(bit.word) == 2 and after is not None and after.sort in {NUMBER, DIGITS}
            and view.raw[slice(*view.raw_span(bit.start, bit.end))].isupper()
        ):  # fmt: skip
            bit.sort = LETTER
    for index in [at for at, bit in enumerate(bits) if bit.sort == WORD and len(bit.word) == 4]:
        # The letters of a bank: "nl77", "rabo", "0502".
        bit = bits[index]
        after = bits[index + 1] if index + 1 < len(bits) and _joined(bit) else None
        likely = index and bits[index - 1].sort in {CODE, NUMBER, DIGITS, CARRIER}
        if not likely and (after is None or after.sort != DIGITS):
            continue
        capitals = view.raw[slice(*view.raw_span(bit.start, bit.end))].isupper()
        if not capitals and bit.word in SEQUENCE:
            continue
        at = index
        while capitals and at and bits[at - 1].sort == CARRIER:
            at -= 1
        if (at and _checked_country(bits, at)) or (capitals and after is not None and after.sort == DIGITS):
            bit.sort = SLUG


def _checked_country(bits: list[Bit], index: int) -> bool:
    """Tell whether a country and two check digits stand right before *index*."""
    before = bits[index - 1]
    if before.sort == CODE:
        return before.word[:2] in LENGTHS and len(before.word) == 4 and before.word[2:].isdigit()
    at = index - 1
    while at >= 0 and index - at <= 3 and bits[at].sort in {NUMBER, DIGITS}:
        at -= 1
    if at == index - 1 or at < 0:
        return False
    if sum(len(bit.word) for bit in bits[at + 1 : index] if bit.sort == DIGITS) > 2:
        return False
    if bits[at].word in LENGTHS:
        return bits[at].word not in _COMMON or bits[at].sort == LETTER
    return at > 0 and len(bits[at].word) == 1 and bits[at - 1].word + bits[at].word in LENGTHS


# --- chains ----------------------------------------------------------------------------------------


def chains(bits: Sequence[Bit]) -> list[Chain]:
    """Return the chains of *bits*, in order."""
    out: list[Chain] = []
    values: list[Bit] = []
    gaps: list[Gap] = []
    first = last = -1
    for index, bit in enumerate(bits):
        if bit.sort not in VALUES:
            continue
        if values:
            between = bits[last + 1 : index]
            soft = len(between) <= _SOFT and all(other.sort in {CARRIER, CASE} for other in between)
            if not soft:
                out.append(Chain(tuple(values), tuple(gaps), first, last))
                values, gaps, first = [], [], -1
            elif between or not _joined(bits[last]):
                pause = any(other.word in PAUSES for other in between)
                parted = any(not _joined(other) for other in bits[last:index])
                if any(other.sort == CARRIER for other in between) or parted:
                    gaps.append(Gap(len(between), pause, parted))
        if first < 0:
            first = index
        values.append(bit)
        last = index
    if values:
        out.append(Chain(tuple(values), tuple(gaps), first, last))
    return out


def remark(bits: Sequence[Bit], left: Chain, right: Chain) -> bool:
    """Tell whether a short sentence of its own stands between two chains: "sorry, the light is bad here"."""
    between = bits[left.last + 1 : right.first]
    if not between or len(between) > 9 or any(bit.sort == AMOUNT for bit in between):
        return False
    if _joined(bits[left.last]):
        return False
    at = len(between) - 1
    while at >= 0 and between[at].sort in {CARRIER, CASE}:
        at -= 1
    return at < 0 or not all(_joined(bit) for bit in between[at:])


def merged(left: Chain, right: Chain) -> Chain:
    """Return two chains with a remark between them as one."""
    gap = Gap(right.first - left.last - 1, True, True)
    return Chain((*left.bits, *right.bits), (*left.gaps, gap, *right.gaps), left.first, right.last)
