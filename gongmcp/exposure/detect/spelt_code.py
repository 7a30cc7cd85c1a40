"""Codes that are spelt: letters and digits said one by one, in turn, as keys are and words and amounts are not.

Nothing needs to announce them. The letters may be said as names ("Zoé, cinq, Kléber"), by their own names ("ele, cu"),
with the case before or behind, and over the sentences of one who tells their order ("Luego ka, cero, nueve"). What
people otherwise say so stays: quarters, products, lists, postcodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import intents, numerals, pieces
from gongmcp.exposure.detect.dictation import AMOUNT, CODE, DIGITS, PLAIN_NUMBERS, WORD, Bit
from gongmcp.exposure.detect.dictation_words import CASES, DOUBTFUL, NUMBERS, ORDER, PAUSES, SEQUENCE, SPELLING
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import FILLERS, HYPHENS, UNDERSCORES, any_of, words

Find = tuple[int, int, str]

_SHORT_NAMES: Final[dict[str, str]] = {"be": "b", "ce": "c", "de": "d", "te": "t", "ve": "v", "pe": "p", "ge": "g"}
"""Names of letters that mostly are other words."""
_OTHER_WORDS: Final = _SHORT_NAMES.keys() | words("a e i o u y")
_MAYBE_NUMBERS: Final = words("oh o un une una uno ein eine e y")
_LIKELY: Final = words("dos tres six sept dix acht one ten once seize")
"""Numbers that mean something else but beside a letter."""
_LARGE: Final = words("hundred hundert cent cents ciento cien mil mille tausend thousand")
_SIGNS: Final = frozenset("-_/.+=")
_SOFT: Final = PAUSES | FILLERS | words("then dann denn puis pis luego despues and und et y also no nein non")
_MOST_SOFT: Final = 5
_LEAD, _TAIL = 7, 4
_SKIPPED: Final = 1
_FEW: Final = 2
_LEAST: Final = 6
_LEAST_REST: Final = 3
"""So many letters and digits at least are left over without what is ordinary."""
_TURNS: Final = 3
_KINDS: Final = 3
"""So many letters at least differ in what nothing announces."""
_CITIES: Final = words(
    "aachen berlin chemnitz cottbus düsseldorf essen frankfurt goslar hamburg jena köln leipzig münchen nürnberg "
    "offenbach potsdam rostock tübingen unna wuppertal xanten zwickau alicante barcelona burgos cádiz dinamarca "
    "españa francia gerona granada huelva italia jaén lérida lugo madrid málaga navarra oviedo parís pamplona roma "
    "sevilla soria tarragona teruel toledo valencia vizcaya washington zaragoza zamora india quebec lima"
)
_ORDINARY: Final = re.compile(
    r"[a-z]2[a-z]|[qh][1-4](?:(?:fy|cy)?(?:19|20)?\d\d)?|(?:fy|cy)\d{2,4}|covid19|[2-6][gd]|[48]k|co2|h2o|s3|ec2|i[3579]"
    r"|[abc][0-9]{1,2}(?=$|[abc][0-9])"
)
_STEP: Final = 3
_FIRST_POINTS: Final = frozenset("abc")
_POINTS: Final = re.compile(r"(?:[a-z]\d{0,2})+")
_LETTERS: Final = re.compile(r"[a-z]+")
_POSTCODE: Final = re.compile(r"[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}")
_NUMBERED: Final = re.compile(
    rf"{intents.OTHER.pattern}|\b(?:part|model|item|article|batch|stock) (?:number|name)|\bteile?nummer|\bmodell?\w*"
    r"|\b(?:numero|referencia|reference) d\w+ (?:pieza|piece|produit|producto|articulo|article)|\bmodelos?\b"
    r"|\bmodeles?\b"
)
_PLACE: Final = re.compile(
    r"post(?:al|code|leitzahl)|\bzip\b|\bplaca\b|\bplates?\b|kennzeichen|matricula|immatricul|\bcodigo postal\b"
    r"|\bvitamin\w*|\bbolt\b|\bformula\b"
)
_CUE: Final = re.compile(
    rf"{intents.KEY.pattern}|\bkeys?\b|\bcodes?\b|\bcodigo\b|\bclaves?\b|\bcles?\b|\bhexa?\w*|\blicen[cs]\w+|\blizenz\w*"
    r"|\bserial\b|\bhash\b|\bsecret\w*|\bpass\w*|\bkennwort\b"
)
_CUE_WINDOW: Final = 120
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ATOMS: Final = (NUMBERS | SPELLING.keys() | _SHORT_NAMES.keys()) - _LARGE
_BETWEEN: Final = (
    CASES
    | FILLERS
    | {word for said in HYPHENS | UNDERSCORES for word in said.split()}
    | words("as in for wie comme como")
)


_BEFORE, _BEHIND = 60, 80
_NEAR: Final = 300
_IN_A_ROW: Final = 4
"""So many atoms in a row are being spelt."""


def pattern() -> str:
    """Return what a text with a spelt code holds, for the quick look: a letter beside a digit (see ``first``)."""
    number = rf"(?:{any_of(word for word in PLAIN_NUMBERS if word not in (DOUBTFUL | _LARGE) - _LIKELY)}|[0-9])"
    name = any_of(word for word in SPELLING if len(word) > 2 or word in {"cu", "ka"})
    after = (
        rf"(?:majuscule|minuscule|mayuscula|minuscula|[b-z] (?:as in|for|wie|comme|como|de) [a-z]+)[ ,]{{1,2}}{number}"
    )
    letter = rf"(?:[b-hj-z]|{name})"
    return rf"(?:^|[ \n-])(?:{letter}[ ,.-]{{1,3}}{number}|{number}[ ,.-]{{1,3}}{letter}|{after})(?:[ ,.!?\n-]|$)"


def first(text: str, places: Iterable[tuple[int, int]]) -> int:
    """Return where the first of *places* begins around which so many atoms stand in a row, or a few around some; -1."""
    few = (-1, -1)
    for start, end in places:
        row = _longest(text[max(0, start - _BEFORE) : end + _BEHIND])
        near = few[0] >= 0 and start - few[0] < _NEAR and "\n" in text[few[0] : start]
        again = row > 1 and near and text[start:end].split() != text[few[0] : few[1]].split()
        if row >= _IN_A_ROW or again:
            return few[0] if near else start
        if row > 1:
            few = (start, end)
    return -1


def _longest(text: str) -> int:
    longest = row = 0
    for word in _WORD.findall(text):
        if word in _ATOMS or len(word) == 1 or (word.isdigit() and len(word) < len("0000")):
            row += 1
            longest = max(longest, row)
        elif word not in _BETWEEN:
            row = 0
    return longest


@dataclass(slots=True)
class _Run:
    """One row of atoms within a sentence, and what the union of them is made of."""

    first: int
    last: int
    text: str = ""
    sure: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    singles: int = 0
    cased: bool = False
    signed: bool = False

    def joined(self, other: _Run) -> _Run:
        return _Run(
            self.first, other.last, self.text + other.text, self.sure | other.sure, self.letters | other.letters,
            self.names + other.names, self.singles + other.singles, self.cased or other.cased,
            self.signed or other.signed,
        )  # fmt: skip


def find(view: View, bits: Sequence[Bit], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each piece of each spelt code; none touches what *finds* know to be of another kind than a key."""
    others = [(start, end) for start, end, kind in finds if kind not in {"key", "phone"}]
    rows: list[list[tuple[_Run, bool, bool]]] = [[]]
    silent = 0
    for first, stop in pieces.sentences(bits):
        runs = [run for run in _runs(view, bits, first, stop) if not _touched(bits, run, others)]
        for run in runs:
            if _is_code(view, bits, run):
                yield bits[run.first].start, view.written.end(bits[run.last].end), "key"
        alone = len(runs) == 1 and _alone(bits, runs[0], first, stop)
        if alone:
            ordered = any(bit.word in ORDER for bit in bits[first:stop])
            rows[-1].append((runs[0], ordered, stop - first == runs[0].last - runs[0].first + 1))
            silent = 0
        elif rows[-1]:
            silent += 1
            if silent > _SKIPPED or runs:
                rows.append([])
                silent = 0
    for row in rows:
        yield from _in_sentences(view, bits, row)


def _touched(bits: Sequence[Bit], run: _Run, others: Sequence[tuple[int, int]]) -> bool:
    start, end = bits[run.first].start, bits[run.last].end
    after = bits[run.last + 1] if run.last + 1 < len(bits) else None
    return (after is not None and after.sign == "@") or any(first < end and start < last for first, last in others)


def _alone(bits: Sequence[Bit], run: _Run, first: int, stop: int) -> bool:
    """Tell whether a run is the matter of its sentence."""
    return len(run.text) > 1 and run.first - first <= _LEAD and stop - 1 - run.last <= _TAIL


def _in_sentences(view: View, bits: Sequence[Bit], row: Sequence[tuple[_Run, bool, bool]]) -> Iterator[Find]:
    if len(row) < 2:
        return
    union = row[0][0]
    for run, _, _ in row[1:]:
        union = union.joined(run)
    led = any(ordered for _, ordered, _ in row[1:]) or all(pure for _, _, pure in row[1:])
    spelt = sum(any(map(str.isalpha, run.text)) for run, _, _ in row)
    if led and spelt > 1 and _is_code(view, bits, union):
        for run, _, _ in row:
            yield bits[run.first].start, view.written.end(bits[run.last].end), "key"


# --- runs ------------------------------------------------------------------------------------------


def _runs(view: View, bits: Sequence[Bit], first: int, stop: int) -> Iterator[_Run]:
    """Yield the rows of atoms of a sentence, each from an atom to an atom."""
    row: list[tuple[int, str]] = []
    soft = 0
    for index in range(first, stop):
        kind = _sort(bits[index]) or ("named" if _named(view, bits, index, stop) else "")
        soft = soft + 1 if kind == "soft" else 0
        if not kind or soft > _MOST_SOFT:
            yield from _run(view, bits, row)
            row, soft = [], 0
        elif row or kind != "soft":
            row.append((index, kind))
    yield from _run(view, bits, row)


def _named(view: View, bits: Sequence[Bit], index: int, stop: int) -> bool:
    """Tell whether a word that nobody knows may be a name for a letter: with a capital, commas and an atom around."""
    bit, after = bits[index], bits[index + 1] if index + 1 < stop else None
    parted = (index == 0 or not _sort(bits[index - 1]) or bits[index - 1].comma) and (bit.comma or after is None)
    known = bit.sort != WORD or len(bit.word) < len("Ida") or bit.word in SEQUENCE
    return parted and not known and view.raw_char(bit.start).isupper() and (after is None or _sort(after) == "number")


def _sort(bit: Bit) -> str:
    """Return what an atom a word may be: letter, name, number, either, sign, case, soft; or ''."""
    word = bit.word
    if not word:
        return "rest"  # more of a letter's name in two words
    if bit.sort in {AMOUNT, CODE}:
        return "mixed" if len(word) < 5 and word.isalnum() and word.isascii() else ""
    if bit.sort == DIGITS:
        return "number" if word.isdigit() and len(word) < 4 else ""
    if bit.sign == "@" or word in _LARGE:
        return ""
    if word in _OTHER_WORDS or word in _MAYBE_NUMBERS:
        return "either"
    if word in NUMBERS:
        return "number"
    if len(word) == 1 and word.isalpha():
        return "letter"
    if word in SPELLING:
        return "name"
    if bit.sign in _SIGNS and bit.sign:
        return "sign"
    if word in CASES:
        return "case"
    return "soft" if word in _SOFT else ""


def _run(view: View, bits: Sequence[Bit], row: list[tuple[int, str]]) -> Iterator[_Run]:
    row = [(index, _told(row, at)) for at, (index, _) in enumerate(row)]
    core = [at for at, (_, kind) in enumerate(row) if kind in {"letter", "name", "number", "mixed"}]
    if not core and len(row) > _FEW and all(_closed(bits, index) for index, _ in row):
        core = [0, len(row) - 1]  # "uno, uno, pe."
    if not core:
        return
    head, tail = core[0], core[-1]
    while head and row[head - 1][1] in {"either", "case", "sign", "named"}:
        head -= 1
    if tail + 1 < len(row) and row[tail + 1][1] in {"case", "rest"}:
        tail += 1
    while tail + 1 < len(row) and row[tail + 1][1] in {"either", "rest"} and _closed(bits, row[tail + 1][0]):
        tail += 1
    run = _Run(row[head][0], row[tail][0])
    text: list[str] = []
    for at in range(head, tail + 1):
        index, kind = row[at]
        bit = bits[index]
        if kind == "number" or (kind == "either" and bit.word in _MAYBE_NUMBERS - {"e", "y", "o"}):
            text.append(_digits(view, bits, index))
        elif kind == "mixed":
            text.append(bit.word)
            run.letters.update(filter(str.isalpha, bit.word))
        elif kind in {"letter", "name", "either", "named"}:
            letter = _SHORT_NAMES.get(bit.word) or SPELLING.get(bit.word, bit.word[:1])
            text.append(letter)
            run.letters.add(letter)
            if kind in {"letter", "name"}:
                run.sure.add(letter)
            if kind in {"name", "named"} and len(bit.word) > 3:
                run.names.append(bit.word)
            else:
                run.singles += 1
        run.cased = run.cased or kind == "case"
        run.signed = run.signed or kind == "sign"
    run.text = "".join(text)
    yield run


def _told(row: Sequence[tuple[int, str]], at: int) -> str:
    """Return the sort of an atom: what has a word for its case beside it is a letter."""
    kind = row[at][1]
    beside = {row[other][1] for other in (at - 1, at + 1) if 0 <= other < len(row)}
    return "letter" if kind == "either" and "case" in beside else kind


def _closed(bits: Sequence[Bit], index: int) -> bool:
    bit = bits[index]
    return bit.comma or bit.stop or bit.line or index + 1 == len(bits)


def _digits(view: View, bits: Sequence[Bit], index: int) -> str:
    bit = bits[index]
    if bit.word.isdigit():
        return bit.word
    if (bit.word,) in numerals.REPEATS:
        return ""
    after = bits[index + 1].start if index + 1 < len(bits) else 0
    said = view.written.numbers[bit.start : after or max(bit.end, view.written.end(bit.end))]
    return "".join(filter(str.isdigit, said)) or "1"


# --- what they are ---------------------------------------------------------------------------------


def _is_code(view: View, bits: Sequence[Bit], run: _Run) -> bool:
    text = run.text
    digits = sum(map(str.isdigit, text))
    if len(text) < _LEAST or digits < 2 or len(text) - digits < 2 or not run.sure:
        return False
    start = bits[run.first].start
    before = view.text[max(0, start - _CUE_WINDOW) : start]
    if _PLACE.search(before) or _POSTCODE.fullmatch(text):
        return False
    rest = _ORDINARY.sub("", text)
    if len(rest) < _LEAST_REST:
        return False
    turns = _turns(text)
    announced = [found.end() for found in _CUE.finditer(before)]
    other = max((found.end() for found in _NUMBERED.finditer(before)), default=-1)
    if other >= 0 and other >= max(announced, default=-1):
        return False
    if announced or run.cased or run.signed:
        return turns > 1 and len(run.letters) > 1
    if turns < _TURNS or len(run.letters) < _KINDS or not _surely(run):
        return False
    if ordinary(text):
        return False
    if run.names and not run.singles:
        plain = set(run.names) <= _CITIES
        return not plain and (re.search(r"\d\d", text) is not None or "0" in text)
    return True


def _surely(run: _Run) -> bool:
    """Tell whether enough letters are ones surely: two that mostly are other words count as one."""
    return len(run.sure) + (len(run.letters) - len(run.sure)) // 2 > 1


def ordinary(text: str) -> bool:
    """Tell whether letters and digits are points of a list ("A 1, B 2, C 3") or mostly abbreviations ("HTTP 2")."""
    return _listed(text) or _in_capitals(text)


def _listed(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    near = all(0 <= ord(after) - ord(before) <= _STEP for before, after in pairwise(letters))
    return _POINTS.fullmatch(text) is not None and near and letters[0] in _FIRST_POINTS


def _in_capitals(text: str) -> bool:
    groups = _LETTERS.findall(text)
    letters = sum(map(len, groups))
    return max(map(len, groups), default=0) >= _KINDS and letters > 2 * (len(text) - letters)


def _turns(text: str) -> int:
    return sum(left.isdigit() != right.isdigit() for left, right in pairwise(text))
