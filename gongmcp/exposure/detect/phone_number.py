"""Phone numbers, written and spoken, in international, North American and national forms.

Groups of digits are cheap to find and mostly are no phone numbers: amounts, years, ranges, ids. So a
group of digits is masked only for a reason: a country code that fits, the shape and validity of a
North American number, a trunk prefix and validity somewhere, or a word before it that announces a
phone number. Validity is asked of the ``phonenumbers`` library, loaded when the first candidate comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import DIGITS, REPEATS, TENS, any_of

MIN_DIGITS: Final = 7
MAX_DIGITS: Final = 15
_MAX_GROUPS: Final = MAX_DIGITS
_CUE_WINDOW: Final = 60

# One leading class of characters, so that the search skips quickly to where a number can begin.
_RUN: Final = re.compile(
    r"[+(0-9](?:(?<=\+)[ ]?\(?[0-9]+|(?<=\()[0-9]+|(?<=[0-9])[0-9]*)(?:[ .,()/\n-]{1,4}[0-9]+)*\)?"
)
_GROUP: Final = re.compile(r"\d+")
_EXTENSION: Final = re.compile(r"[ ,]{0,2}(?:x|ext\.?|extension|durchwahl)[ ]?\d{1,6}(?![\w])")
_DATE: Final = re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d(?!\d)|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2}(?!\d)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d$")
_MONEY: Final = re.compile(r"[$€£¥₹#=@]\s?$")
_UNIT: Final = re.compile(
    r"\s?(?:%|percent|per cent|million|billion|trillion|thousand|hundred|basis|bps|dollar|euro|pound|yen|peso|share"
    r"|unit|store|people|employee|customer|year|month|week|day|hour|minute|square|barrel|ton|mile|meter|[kmb]\b|mn\b|bn\b)"
)
_URL: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S*$")

_STRONG: Final = (
    r"telepho|telefo|\btel\b|\bphone|\bfax\b|\bmobile?\b|\bmobil|\bmovil|\bhandy|\bcell\b|\bcelular|\bcellulare"
    r"|\bportable\b|\btelemovel|\bdial|\bdirect line\b|\bhot ?line\b|\blandline\b|\bwhats ?app\b|\bdurchwahl"
    r"|\brufnummer|\berreich|\b(?:call|text|ring|reach)(?:ing)? (?:me|us|him|her|them|back|in)\b"
    r"|\bcall(?:s|ed)? (?:from|on)\b|\bappel|\bjoindre\b|\bllam|\bchiam|\bligue\b"
    r"|\b(?:my|his|her|your|our|their|direct|callback|contact|office|home|work|toll.free) number\b"
)
_WEAK: Final = r"\bnumber\b|\bnummer\b|\bnumero\b"
_OTHER: Final = (
    r"\bcode\b|\bpass ?code|\bpin\b|\bpassword|\bid\b|\baccount\b|\border\b|\binvoice|\bticket\b|\bcase\b"
    r"|\breference\b|\bref\b|\bconfirmation\b|\bserial\b|\bmodel\b|\bpo\b|\bsku\b|\bversion\b|\bzip\b|\bcard\b"
    r"|\bkonto|\brechnung|\bbestell|\bcommande\b|\bfacture\b|\bpedido\b|\bfactura\b|\bkunden"
)
_CUE: Final = re.compile(
    rf"(?P<strong>{_STRONG})|(?P<weak>{_WEAK})|(?P<other>(?:{_OTHER})(?: (?:number|nummer|numero|no))?)"
)

# Countries whose numbers are recognised without a country code when they start with a trunk prefix
# or an area code in parentheses.
_REGIONS: Final = (
    *("GB", "DE", "FR", "IT", "ES", "NL", "BE", "CH", "AT", "IE", "SE", "PT"),
    *("PL", "AU", "NZ", "JP", "IN", "BR", "ZA", "KR", "CN", "IL", "TR"),
)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Some groups of digits in a row: their digits, lengths, and what stands between and before them."""

    digits: str
    lengths: tuple[int, ...]
    gaps: tuple[str, ...]
    plus: bool
    bracket: bool
    attached: bool  # a letter stands directly before or after
    whole: bool  # no more digits follow or stand before but after a comma or in another sentence


def find(view: View, *, announced: bool = False) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each number, in order.

    *announced*: the text stands in a place for phone numbers (a CRM field of that name).
    """
    text = view.text
    yield from _written(text, announced)
    yield from _spoken(text, announced)


# --- written ---------------------------------------------------------------------------------------


def _written(text: str, announced: bool) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(text):
        if run.end() - run.start() >= MIN_DIGITS and not _in_url(text, run.start()):
            for groups in _untied(text, list(_GROUP.finditer(text, run.start(), run.end()))):
                yield from _windows(text, run, groups, announced)


def _untied(text: str, groups: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Part *groups* at commas without a blank: those stand between thousands, not within a phone number."""
    first = 0
    for index in range(1, len(groups)):
        if text[groups[index].start() - 1] == ",":
            yield groups[first:index]
            first = index
    yield groups[first:]


def _windows(text: str, run: re.Match[str], groups: list[re.Match[str]], announced: bool) -> Iterator[tuple[int, int]]:
    first = 0
    lengths = [group.end() - group.start() for group in groups]
    while first < len(groups):
        for last in range(min(len(groups), first + _MAX_GROUPS), first, -1):
            if not MIN_DIGITS <= sum(lengths[first:last]) <= MAX_DIGITS:
                continue
            whole = _apart(text, groups, first) and _apart(text, groups, last)
            found = _accept(text, run, groups[first:last], announced, whole)
            if found is not None:
                yield found
                first = last - 1
                break
        first += 1


def _apart(text: str, groups: list[re.Match[str]], index: int) -> bool:
    """Tell whether more than a blank or a sign parts the group at *index* from the one before it."""
    if index in {0, len(groups)}:
        return True
    gap = text[groups[index - 1].end() : groups[index].start()]
    return "," in gap or "\n" in gap or ". " in gap


def _accept(
    text: str, run: re.Match[str], groups: list[re.Match[str]], announced: bool, whole: bool
) -> tuple[int, int] | None:
    digits = "".join(group.group() for group in groups)
    start, end = groups[0].start(), groups[-1].end()
    gaps = tuple(text[left.end() : right.start()] for left, right in pairwise(groups))
    bracket = start > 0 and text[start - 1] == "("
    start -= bracket
    plus = groups[0].start() - run.start() <= 3 and run.group().startswith("+")
    if plus:
        start = run.start()
    if bracket and ")" not in "".join(gaps) and text.startswith(")", end):
        end += 1
    shape = _Groups(
        digits,
        tuple(len(group.group()) for group in groups),
        gaps,
        plus,
        bracket,
        _letter(text, start - 1) or _letter(text, end),
        whole,
    )
    if not _is_number(text, start, end, shape, announced):
        return None
    extension = _EXTENSION.match(text, end)
    return start, extension.end() if extension else end


def _is_number(text: str, start: int, end: int, shape: _Groups, announced: bool) -> bool:
    if shape.plus:
        return _possible(shape.digits)
    if shape.digits.startswith(("00", "011")) and len(shape.digits) >= 10:
        return _possible(shape.digits.removeprefix("011").removeprefix("00"))
    if _MONEY.search(text, max(0, start - 2), start) or _DATE.match(text, start):
        return False
    if _north_american(shape):
        return len(shape.lengths) > 1 or announced or _cue(text, start) != "other"
    if shape.attached or _decimal(shape) or _UNIT.match(text, end):
        return False
    trunk = (shape.digits[0] == "0" and len(shape.lengths) > 1) or (shape.bracket and ")" in "".join(shape.gaps))
    if trunk and shape.whole and len(shape.digits) >= 9 and not _years(shape) and _valid_somewhere(shape.digits):
        return True
    return _announced(text, start, shape, announced)


def _north_american(shape: _Groups) -> bool:
    """Tell whether it is written like 202 555 0142, with or without 1, brackets and signs, and is valid."""
    lengths = shape.lengths
    number = shape.digits
    if len(number) == 11 and number[0] == "1":
        number = number[1:]
        lengths = lengths[1:] if lengths[0] == 1 else (lengths[0] - 1, *lengths[1:])
    if len(number) == 10 and set(lengths) == {1}:
        return _valid_north_american(number)  # digit by digit
    if len(number) != 10 or lengths not in {(3, 3, 4), (3, 7), (6, 4), (10,)}:
        return False
    if lengths in {(3, 7), (6, 4)} and not (shape.bracket or any("-" in gap for gap in shape.gaps)):
        return False
    if shape.attached and len(lengths) < 3:
        return False
    if any("/" in gap for gap in shape.gaps[1:]):
        return False
    return _valid_north_american(number)


def _announced(text: str, start: int, shape: _Groups, announced: bool) -> bool:
    """Tell whether the words before it announce a phone number, and nothing about it speaks against."""
    if announced:
        return True
    if not shape.whole or _years(shape) or any("\n" in gap or "," in gap for gap in shape.gaps):
        return False
    cue = _cue(text, start)
    return cue == "strong" or (cue == "weak" and len(shape.digits) >= 9 and len(shape.lengths) > 1)


def _cue(text: str, start: int) -> str:
    """Return what the words before *start* announce: a phone number (strong, weak), something else (other) or ''."""
    cues = [cue.lastgroup for cue in _CUE.finditer(text, max(0, start - _CUE_WINDOW), start)]
    if not cues or cues[-1] == "other":
        return cues[-1] or "" if cues else ""
    return "strong" if "strong" in cues else "weak"


def _decimal(shape: _Groups) -> bool:
    """Tell whether it is a number with a point or with points between thousands."""
    if not shape.gaps or set(shape.gaps) != {"."}:
        return False
    return len(shape.lengths) == 2 or all(length == 3 for length in shape.lengths[1:])


def _years(shape: _Groups) -> bool:
    at = 0
    for length in shape.lengths:
        if length == 4 and _YEAR.match(shape.digits[at : at + 4]) and len(shape.lengths) <= 3:
            return True
        at += length
    return False


def _letter(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index] == "_" or (text[index].isascii() and text[index].isalpha()))


def _in_url(text: str, start: int) -> bool:
    word = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    return _URL.match(text, word, start) is not None


# --- spoken ----------------------------------------------------------------------------------------

_SPOKEN: Final = frozenset(DIGITS) | frozenset(TENS) | frozenset(REPEATS)
_WORD: Final = re.compile(r"(?:[ .,;\n-]{0,4}|\.{3} ?)(?P<word>[^\W_]+)")
_PAUSES: Final = frozenset({"uh", "um", "er", "uhm", "eh", "ah", "hundred"})
_FILLERS: Final = _PAUSES | {"and", "then"}
_BEFORE: Final = re.compile(rf"(?:^|(?<=[\s(-]))(?:\d{{1,10}}|{any_of(_SPOKEN | _PAUSES)})[ ,.\n-]{{1,2}}$")
_SAID_ON: Final = rf"(?:[ ,.\n-]{{1,3}}(?:{any_of(_SPOKEN | _PAUSES)}|[0-9]+)){{3}}"
_SAID: Final = re.compile(rf"[ \n(\[{{<-]{any_of(_SPOKEN)}{_SAID_ON}")

BEGINNINGS: Final = (
    r"(?<=[0-9])(?:[ .,()/\n-]{0,3}[0-9]){6}",
    any_of(_SPOKEN) + _SAID_ON,
)
"""How a number begins, for the quick look of ``gongmcp.exposure.masking``."""


@dataclass(slots=True)
class _Said:
    """One word of a number as it is said: the digits that it stands for, and where it stands."""

    digits: str
    start: int
    end: int
    single: bool  # the word of one digit
    tens: bool = False  # a word like fifty, which takes a following digit in


def _spoken(text: str, announced: bool) -> Iterator[tuple[int, int]]:
    at = 0
    for hit in _SAID.finditer(text):
        if hit.start() >= at:
            run, at = _read(text, max(at, _words_before(text, hit.start() + 1)))
            yield from _number_in(text, run, announced)


def _words_before(text: str, start: int) -> int:
    """Return where the digits begin, written or said, that stand directly before a said one."""
    while before := _BEFORE.search(text, max(0, start - _CUE_WINDOW), start):
        start = before.start()
    return start


def _read(text: str, at: int) -> tuple[list[_Said], int]:
    """Read digits, said or written, from *at* on; return them and where something else begins."""
    run: list[_Said] = []
    repeat = 1
    while word := _WORD.match(text, at):
        if word["word"] in REPEATS:
            repeat = REPEATS[word["word"]]
            if not run:
                run.append(_Said("", word.start("word"), word.end(), False))
        elif run and word["word"] in _FILLERS:
            if word["word"] == "hundred" and run[-1].single:
                run[-1].digits += "00"
                run[-1].end = word.end()
        else:
            said = _said(word)
            if said is None:
                break
            if said.single and said.digits != "0" and run and run[-1].tens:
                run[-1].digits, run[-1].end, run[-1].tens = run[-1].digits[0] + said.digits, said.end, False
            else:
                said.digits *= repeat
                run.append(said)
            repeat = 1
        at = word.end()
    return run, max(at, run[-1].end if run else at)


def _said(word: re.Match[str]) -> _Said | None:
    said = word["word"]
    start, end = word.span("word")
    if said in DIGITS:
        return _Said(DIGITS[said], start, end, True)
    if said in TENS:
        return _Said(TENS[said], start, end, False, said.endswith("ty"))
    if said.isascii() and said.isdigit() and len(said) <= 10:
        return _Said(said, start, end, False)
    return None


def _number_in(text: str, run: list[_Said], announced: bool) -> Iterator[tuple[int, int]]:
    digits = "".join(said.digits for said in run)
    if len(digits) < MIN_DIGITS or not any(said.single or not said.digits.isdigit() for said in run):
        return
    cue = announced or _cue(text, run[0].start) in {"strong", "weak"}
    if not cue and _counting(run):
        return
    for first in range(len(run)):
        number = ""
        for last in range(first, len(run)):
            number += run[last].digits
            if len(number) > 11:
                break
            bare = number[1:] if len(number) == 11 and number[0] == "1" else number
            words = sum(said.single for said in run[first : last + 1])
            if len(bare) == 10 and words >= 3 and _valid_north_american(bare):
                yield run[first].start, run[last].end
                yield from _number_in(text, run[last + 1 :], announced)
                return
    singles = sum(len(said.digits) for said in run if said.single)
    if len(digits) <= MAX_DIGITS and (cue or singles >= MIN_DIGITS):
        yield run[0].start, run[-1].end


def _counting(run: list[_Said]) -> bool:
    """Tell whether somebody counts up or down."""
    numbers = [int(said.digits) for said in run if said.digits]
    return {later - earlier for earlier, later in pairwise(numbers)} in ({1}, {-1})


# --- validity --------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _possible(digits: str) -> bool:
    """Tell whether *digits* after a plus sign have a country code and a length of its numbers."""
    import phonenumbers  # costs 30 ms: only when there is a candidate

    try:
        number = phonenumbers.parse("+" + digits, None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number_with_reason(number) == phonenumbers.ValidationResult.IS_POSSIBLE


@lru_cache(maxsize=4096)
def _valid_north_american(number: str) -> bool:
    """Tell whether ten digits are a number of the North American plan."""
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse("+1" + number, None))
    except phonenumbers.NumberParseException:
        return False


@lru_cache(maxsize=4096)
def _valid_somewhere(digits: str) -> bool:
    """Tell whether *digits* are a national number of one of the known regions."""
    import phonenumbers

    for region in _REGIONS:
        try:
            if phonenumbers.is_valid_number_for_region(phonenumbers.parse(digits, region), region):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False
