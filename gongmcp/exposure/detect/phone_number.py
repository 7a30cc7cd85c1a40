"""Phone numbers, written and spoken, in international, North American and national forms.

Groups of digits are cheap to find and mostly are no phone numbers: amounts, years, ranges, ids. So a
group of digits is masked only for a reason: a country code that fits, the shape and validity of a
North American number, a trunk prefix and validity somewhere, or a word before it that announces a
phone number. Validity is asked of the ``phonenumbers`` library, loaded when the first candidate comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.numerals import LONGEST_FIGURE
from gongmcp.exposure.detect.written import Written

MIN_DIGITS: Final = 7
MAX_DIGITS: Final = 15
_LEAST_ABROAD: Final = 9
_THREE: Final = 3
_ONE_MORE: Final = re.compile(r",?\s(?:y|o|e|u|and|or|und|oder|et|ou)\s[0-9]")
_OF_SOMETHING: Final = re.compile(r"\s(?:de|of|von)\s[a-z]{3}")
_MAX_GROUPS: Final = MAX_DIGITS
_USUAL_SIZES: Final = {9, 10, 11}
_CUE_WINDOW: Final = 60

PATTERN: Final = r"[0-9](?:[^0-9a-z$€£]{0,4}[0-9]){6}"
"""What a text with a written number holds, for the quick look of ``gongmcp.exposure.masking``."""

# One leading class of characters, so that the search skips quickly to where a number can begin.
_RUN: Final = re.compile(
    r"[+(0-9](?:(?<=\+)[ ]?\(?[0-9]+|(?<=\()[0-9]+|(?<=[0-9])[0-9]*)(?:[ .,()/\n-]{1,4}[0-9]+)*\)?"
)
_GROUP: Final = re.compile(r"\d+")
_EXTENSION: Final = re.compile(
    r"[ ,]{0,2}(?:x|ext\.?|extension|durchwahl|dw\.?|nebenstelle|apparat|klappe|poste|interno|int\."
    r"|anexo)[ ]?\d{1,6}(?!\w)"
)
_DATE: Final = re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d(?!\d)|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2}(?!\d)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d$")
_MONEY: Final = re.compile(r"[$€£¥₹#=@]\s?$")
_UNIT: Final = re.compile(
    r"\s*(?:%|percent|per cent|million|billion|trillion|thousand|hundred|basis|bps|dollar|euro|pound|yen|peso|share"
    r"|unit|store|people|employee|customer|year|month|week|day|hour|minute|square|barrel|ton|mile|meter|[kmb]\b"
    r"|mn\b|bn\b)"
)
_SPANISH: Final = re.compile(r"\b(?:el|al|es|seria|siendo|son|mensaje[^.\n]{0,12},)\s$")
_GERMAN_MOBILE: Final = re.compile(r"01[567][0-9]{9}")
_SPANISH_GROUPS: Final = {(9,), (3, 3, 3), (3, 6)}
_MEXICAN_GROUPS: Final = {(2, 8), (3, 7)}
_URL: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S*$")

STRONG: Final = (
    r"telepho|telefo|\bfixe\b|\bfijo\b|\bsms\b|\bapunta|\bmarca|\bmarque|\bcomposez|\banruf|\bruf(?:en)? |\bwahl"
    r"|\bwahle\btel\b|\bphone|\bfax\b|\bmobile?\b|\bmobil|\bmovil|\bhandy|\bcell\b|\bcelular|\bcellulare"
    r"|\bportable\b|\btelemovel|\bdial|\bdirect line\b|\bhot ?line\b|\blandline\b|\bwhats ?app\b|\bdurchwahl"
    r"|\brufnummer|\berreich|\b(?:call|text|ring|reach)(?:ing)? (?:me|us|him|her|them|back|in)\b"
    r"|\bcall(?:s|ed)? (?:from|on)\b|\bappel|\bjoindre\b|\bllam|\bchiam|\bligue\b"
    r"|\bmensaje\b"
    r"|\b(?:my|his|her|your|our|their|direct|callback|contact|office|home|work|toll.free) number\b"
)
_WEAK: Final = (
    r"\bnumber\b|\bnummer\b|\bnumero\b"
    r"|\b(?:office|buro|bureau|oficina|desk|line|linie|ligne|linea)(?: is| ist| est| es)? ?:"
)
OTHER: Final = (
    r"(?<!area )\bcode\b"
    r"(?! (?:went|goes|was sent|came|gets|is sent|ging|geht|kam|wird|va|part|est|arrive|llega|llego|se)\b)"
    r"|\bpass ?code|\bpin\b|\bpassword|\bid\b|\baccount\b|\border\b|\binvoice|\bticket\b|\bcase\b"
    r"|\breference\b|\bref\b|\bconfirmation\b|\bserial\b|\bmodel\b|\bpo\b|\bsku\b|\bversion\b|\bzip\b|\bcard\b"
    r"|(?:auftrags|bestell|artikel|vorgangs|sendungs|vertrags|kunden|rechnungs|serien)-?(?:nummer|nr)\b|\bartikel\b"
    r"|\bauftrag\b|\bkonto|\brechnung|\bbestell|\bcommande\b|\bfacture\b|\bpedido\b|\bfactura\b|\bkunden"
)
_CUE: Final = re.compile(
    rf"(?P<strong>{STRONG})|(?P<weak>{_WEAK})|(?P<other>(?:{OTHER})(?: (?:number|nummer|numero|no))?)"
)

# Countries whose numbers are recognised without a country code when they start with a trunk prefix
# or an area code in parentheses.
_REGIONS: Final = (
    *("GB", "DE", "FR", "IT", "ES", "NL", "BE", "CH", "AT", "IE", "SE", "PT"),
    *("PL", "AU", "NZ", "JP", "IN", "BR", "ZA", "KR", "CN", "IL", "TR"),
    *("MX", "AR", "CL", "CO", "PE", "LU"),
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
    written = [*_written(text, announced), *_called(text), *_plus_said(text)]
    spoken = [found for found in _spoken(view, announced) if not any(s < found[1] and found[0] < e for s, e in written)]
    yield from sorted(written + spoken)


_LOCAL: Final = re.compile(
    r"(?<![\w.,$€£/+-])(?:\(?[0-9]{2,5}\)?[ /-])?[0-9]{3,4}[ -][0-9]{4}(?![\w%/-]|[.,][0-9]| (?:million|percent"
    r"|euro|dollar))"
)
_CALLED: Final = re.compile(
    r"\b(?:tried|trying|rang|diall?ed|voicemail|mailbox|contestador|buzon|messagerie"
    r"|engaged|busy signal|pick(?:s|ed)? up|answered|disconnected|hung up"
    r"|besetzt|probiert|versucht|angerufen|gewahlt|abgenommen|rangegangen|(?:geht|ging) (?:keiner|niemand)|nimmt keiner"
    r"|essaye|sonne|decroche|repondu|repond pas|occupe|compose|marque|marcado|probe|intente|contesta|contesto|contestan"
    r"|comunica|comunicando|colgo|sono)\b"
)
"""What is told of a number that was called."""


def _called(text: str) -> Iterator[tuple[int, int]]:
    """Yield each number in two or three groups in a line that tells of calling it."""
    for number in _LOCAL.finditer(text):
        line = slice(text.rfind("\n", 0, number.start()) + 1, text.find("\n", number.end()) + 1 or len(text))
        groups = _GROUP.findall(number.group())
        if _CALLED.search(text[line]) and not any(_YEAR.match(group) for group in groups):
            yield number.span()


_PLUS: Final = re.compile(r"(?<![\w-])(?:plus|mas)[ ,]+(?P<number>\(?[0-9]+(?:[ ,.()/-]{1,3}[0-9]+)*)(?![\w%])")
_THOUSANDS: Final = re.compile(r"[0-9][,.][0-9]{3}(?![0-9])")


def _plus_said(text: str) -> Iterator[tuple[int, int]]:
    """Yield each number in figures whose plus sign was said."""
    for number in _PLUS.finditer(text):
        groups = _GROUP.findall(number["number"])
        digits = "".join(groups)
        likely = len(groups) > 1 and _LEAST_ABROAD <= len(digits) <= MAX_DIGITS
        if not likely or _THOUSANDS.search(number["number"]) or _UNIT.match(text, number.end()):
            continue
        if _in_threes(number["number"], groups) and _cue(text, number.start()) not in {"strong", "weak"}:
            continue
        if possible(digits):
            yield number.start("number"), number.end()


def _in_threes(number: str, groups: Sequence[str]) -> bool:
    """Tell whether commas part threes, as between thousands that are read out: 352, 621, 000."""
    return "," in number and {len(group) for group in groups[1:]} == {_THREE}


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
    plus = run.group().startswith("+")
    while first < len(groups):
        start = groups[first].start()
        # What no number begins like need not be looked at in every length.
        open_end = (
            announced or (plus and not first) or text[start] == "0" or text[max(0, start - 1)] == "("
            or len(groups) < _MAX_GROUPS or bool(_cue(text, start))
        )  # fmt: skip
        for last in range(min(len(groups), first + _MAX_GROUPS), first, -1):
            size = sum(lengths[first:last])
            if not MIN_DIGITS <= size <= MAX_DIGITS or (not open_end and size not in _USUAL_SIZES):
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
    if not _is_number(text, start, end, shape, announced) and not (
        "\n" in gaps and _is_number(text, start, end, _joined(shape), announced)
    ):
        return None
    extension = _EXTENSION.match(text, end)
    return start, extension.end() if extension else end


def _joined(shape: _Groups) -> _Groups:
    """Return *shape* as if no sentence had ended within a group of digits."""
    lengths, gaps = [shape.lengths[0]], []
    for gap, length in zip(shape.gaps, shape.lengths[1:], strict=True):
        if gap == "\n":
            lengths[-1] += length
        else:
            gaps.append(gap)
            lengths.append(length)
    return replace(shape, lengths=tuple(lengths), gaps=tuple(gaps))


def _is_number(text: str, start: int, end: int, shape: _Groups, announced: bool) -> bool:
    if shape.plus:
        return possible(shape.digits)
    if shape.digits.startswith(("00", "011")) and len(shape.digits) >= 10:
        abroad = possible(shape.digits.removeprefix("011").removeprefix("00"))
        if abroad or shape.digits.startswith("00"):
            return abroad
    if _MONEY.search(text, max(0, start - 2), start) or _DATE.match(text, start):
        return False
    if _north_american(shape):
        return len(shape.lengths) > 1 or announced or _cue(text, start) != "other"
    if shape.attached or _UNIT.match(text, end):
        return False
    if _decimal(shape):
        return _dotted(shape) and (_cue(text, start) in {"strong", "weak"} or _spanish(text, start, shape))
    if _spanish(text, start, shape) and not _OF_SOMETHING.match(text, end):
        return True
    if shape.digits[0] == "0" and len(shape.lengths) == 1 and (
        len(shape.digits) in {10, 11} or _GERMAN_MOBILE.fullmatch(shape.digits)
    ):  # fmt: skip
        return _cue(text, start) != "other" and valid_somewhere(shape.digits)
    trunk = (shape.digits[0] == "0" and len(shape.lengths) > 1) or (shape.bracket and ")" in "".join(shape.gaps))
    if trunk and shape.whole and len(shape.digits) >= 9 and not _all_years(shape) and valid_somewhere(shape.digits):
        return True
    return _slashed(shape) or _grouped(shape) or _announced(text, start, end, shape, announced)


def _north_american(shape: _Groups) -> bool:
    """Tell whether it is written like 202 555 0142, with or without 1, brackets and signs, and is valid."""
    lengths = shape.lengths
    number = shape.digits
    if len(number) == 11 and number[0] == "1":
        number = number[1:]
        lengths = lengths[1:] if lengths[0] == 1 else (lengths[0] - 1, *lengths[1:])
    if len(number) == 10 and set(lengths) == {1}:
        return valid_north_american(number)  # digit by digit
    if len(number) != 10 or lengths not in {(3, 3, 4), (3, 7), (6, 4), (10,)}:
        return False
    if lengths == (3, 3, 4) and number[0] in "23456789" and number[3] != "0":
        signs = {gap.strip(" ()") for gap in shape.gaps}
        if shape.bracket or (signs <= {"-", "."} and len(signs) == 1 and "." not in signs):
            return True
    with_country = len(shape.lengths) == 3 and shape.lengths[0] == 1
    if (
        lengths in {(3, 7), (6, 4)}
        and not with_country
        and not (shape.bracket or any("-" in gap for gap in shape.gaps))
    ):
        return False
    if shape.attached and len(lengths) < 3:
        return False
    if any("/" in gap for gap in shape.gaps[1:]):
        return False
    return valid_north_american(number)


def _announced(text: str, start: int, end: int, shape: _Groups, announced: bool) -> bool:
    """Tell whether the words before it announce a phone number, and nothing about it speaks against."""
    if announced:
        return True
    if not shape.whole or _years(shape):
        return False
    cue = _cue(text, start)
    if any("," in gap for gap in shape.gaps):
        listed = _ONE_MORE.match(text, end) is not None  # "the 10, 20, 30 or 40"
        usual = len(shape.digits) in _USUAL_SIZES and valid_somewhere(shape.digits)
        return cue == "strong" and usual and not listed
    if cue == "weak" and len(shape.lengths) == 1 and 9 <= len(shape.digits) <= 11:
        return valid_somewhere(shape.digits)
    if any("\n" in gap for gap in shape.gaps):
        return cue == "strong" or (cue == "weak" and len(shape.digits) >= 9)
    if cue != "other" and len(shape.digits) >= MIN_DIGITS and _AFTER.match(text, end):
        return True
    return cue == "strong" or (cue == "weak" and len(shape.digits) >= 9 and len(shape.lengths) > 1)


def _grouped(shape: _Groups) -> bool:
    """Tell whether digits without a trunk prefix are grouped as a national number, and as no amount is."""
    signs = {gap.replace("\n", " ") for gap in shape.gaps}
    if shape.lengths == (5, 5) and signs <= {" ", "-"} and shape.digits[0] in "6789":
        return shape.whole
    if not shape.whole or len(shape.lengths) < 3 or len(shape.digits) not in {9, 10} or len(signs) != 1:
        return False
    if signs == {"."} and shape.lengths != (2, 4, 4) and (len(shape.lengths) < 4 or _internet_address(shape)):
        return False
    if signs <= {" ", "-", "."} and min(shape.lengths) >= 2 and not _all_years(shape):
        return max(shape.lengths) <= 4 and valid_somewhere(shape.digits)
    return False


def _slashed(shape: _Groups) -> bool:
    """Tell whether an area code stands before a slash, and a nought before or behind it: 0151/23 45 11, 555/01 36."""
    if not shape.whole or shape.gaps[:1] != ("/",) or shape.lengths[0] < 3 or len(shape.lengths) < 3:
        return False
    second = shape.digits[shape.lengths[0]]
    return set(shape.gaps[1:]) <= {" ", "-"} and max(shape.lengths[1:]) <= 4 and "0" in {second, shape.digits[0]}


def _cue(text: str, start: int) -> str:
    """Return what the words before *start* announce: a phone number (strong, weak), something else (other) or ''."""
    cues = [cue.lastgroup for cue in _CUE.finditer(text, max(0, start - _CUE_WINDOW), start)]
    if not cues or cues[-1] == "other":
        return cues[-1] or "" if cues else ""
    return "strong" if "strong" in cues else "weak"


def _decimal(shape: _Groups) -> bool:
    """Tell whether it is a number with a point or with points between thousands."""
    if not shape.gaps or set(shape.gaps) != {"."} or (shape.digits[0] == "0" and shape.lengths[0] > 1):
        return False
    return len(shape.lengths) == 2 or all(length == 3 for length in shape.lengths[1:])


def _spanish(text: str, start: int, shape: _Groups) -> bool:
    """Tell whether it is a Spanish or Mexican number behind an article or the like: "estoy en el 612345001"."""
    if not shape.whole or shape.lengths not in _SPANISH_GROUPS | _MEXICAN_GROUPS:
        return False
    spoken_of = _SPANISH.search(text, max(0, start - _CUE_WINDOW), start) is not None
    return (
        spoken_of
        and _cue(text, start) != "other"
        and (_valid_spanish(shape.digits) if shape.lengths in _SPANISH_GROUPS else valid_somewhere(shape.digits))
    )


def _dotted(shape: _Groups) -> bool:
    """Tell whether points between groups of three may be those of a national number: 655.550.141."""
    return shape.lengths == (3, 3, 3) and shape.whole and valid_somewhere(shape.digits)


def _internet_address(shape: _Groups) -> bool:
    if max(shape.lengths) > LONGEST_FIGURE:
        return False
    at, parts = 0, []
    for length in shape.lengths:
        parts.append(int(shape.digits[at : at + length]))
        at += length
    return len(parts) == 4 and max(parts) < 256


def _years(shape: _Groups) -> bool:
    at = 0
    for length in shape.lengths:
        if length == 4 and _YEAR.match(shape.digits[at : at + 4]) and len(shape.lengths) <= 3:
            return True
        at += length
    return False


def _all_years(shape: _Groups) -> bool:
    """Tell whether two groups or more are years, and so no number of a place."""
    at, years = 0, 0
    for length in shape.lengths:
        years += length == 4 and _YEAR.match(shape.digits[at : at + 4]) is not None
        at += length
    return years > 1


def _letter(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index] == "_" or (text[index].isascii() and text[index].isalpha()))


def _in_url(text: str, start: int) -> bool:
    word = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    return _URL.match(text, word, start) is not None


# --- spoken ----------------------------------------------------------------------------------------

_SAID_GAP: Final = r"(?:[\s.,;:()/_–-]*|\s(?:space|leerzeichen|espace|espacio|pause|area code|vorwahl)\s)"
_SAID_RUN: Final = re.compile(rf"(?<![0-9$€£%.,])(?:\+[\s(,.]{{0,20}})?[0-9]+(?:{_SAID_GAP}(?<![0-9])[0-9]+)*")
_SAID_EXTENSION: Final = re.compile(
    r"[\s,.]{0,12}(?:and\s)?(?:x|ext|extension|durchwahl|nebenstelle|apparat|poste|interno|anexo"
    r"|int)\b[\s.,:]*[0-9](?:[\s,-]*[0-9]){0,5}"
)
_ROUND: Final = 5
_AFTER: Final = re.compile(
    r"[\s,.]{0,12}(?:(?:that's|that is|is|was|ist|lautet|c'est|est|es|es el|son|this is)\b)?[\s,]{0,2}(?:(?:my"
    r"|our|his|her|the|your|die|der|das|meine?|unsere?|mon|ma"
    r"|notre|le|la|mi|el|nuestro|su|a|an)\s)?(?:[a-z]{2,14}\s){0,2}(?:telefon|telephon|tele|phone|mobil|movil"
    r"|cell|celular|handy|portable|fixe?\b|fax|numero"
    r"|nummer|number\b|rufnummer|durchwahl|hotline|direct line|landline|whatsapp|toll.free)"
)


@dataclass(frozen=True, slots=True)
class _Said:
    """One group of digits of a number as it is said, and where it stands."""

    digits: str
    start: int
    end: int
    single: int  # how many digits were said one by one
    said: bool


def _spoken(view: View, announced: bool) -> Iterator[tuple[int, int]]:
    written = view.written
    text = written.text
    for run in _SAID_RUN.finditer(text):
        if len(run.group()) < MIN_DIGITS or not written.said(*run.span()):
            continue
        groups = [_group(written, found) for found in _GROUP.finditer(text, run.start(), run.end())]
        plus = run.group().startswith("+")
        for start, end in _numbers_in(text, groups, plus, announced):
            first = run.start() if plus and start == groups[0].start else start
            last = written.end(end)
            extension = _SAID_EXTENSION.match(text, end)
            yield first, written.end(extension.end()) if extension else last


def _group(written: Written, found: re.Match[str]) -> _Said:
    pieces = written.pieces(*found.span())
    digits = found.group()
    single = len(digits) if pieces and (len(digits) == 1 or len(set(digits)) == 1) else 0
    return _Said(digits, found.start(), found.end(), single, bool(pieces))


def _numbers_in(text: str, groups: list[_Said], plus: bool, announced: bool) -> Iterator[tuple[int, int]]:
    digits = "".join(group.digits for group in groups)
    if len(digits) < MIN_DIGITS:
        return
    start, end = groups[0].start, groups[-1].end
    cue = "strong" if announced else _cue(text, start)
    if plus and 8 <= len(digits) <= MAX_DIGITS + 1 and not _UNIT.match(text, end):
        yield start, end
        return
    if digits.startswith(("00", "011")) and 10 <= len(digits) <= MAX_DIGITS + 3 and len(groups) > 3:
        yield start, end
        return
    announced = cue in {"strong", "weak"} or _AFTER.match(text, end) is not None
    if not announced and (_counting(groups) or _said_years(groups)):
        return
    if cue != "strong" and all(len(group.digits) > 1 and group.digits[-1] == "0" for group in groups):
        return  # "ten, twenty, forty, eighty"
    if cue == "other" and _other_is_near(text, start):
        return
    if _UNIT.match(text, end):
        return
    window = _north_american_in(groups)
    if window and window[0] == 0 and len(digits) < MAX_DIGITS and "." in text[groups[window[1]].end : end]:
        groups = groups[: window[1] + 1]  # the next sentence begins with a number of its own
        digits, end = "".join(group.digits for group in groups), groups[-1].end
    singles = sum(group.single for group in groups)
    likely = singles >= MIN_DIGITS or _national(digits, groups)
    if len(digits) <= MAX_DIGITS and all(group.said for group in groups) and (likely or announced):
        yield start, end
        return
    if window:
        first, last = window
        yield groups[first].start, groups[last].end
        yield from _numbers_in(text, groups[last + 1 :], False, False)
    elif likely or (announced and (len(groups) > 1 or cue == "strong")):
        yield start, end


def _north_american_in(groups: list[_Said]) -> tuple[int, int] | None:
    for first in range(len(groups)):
        number = ""
        for last in range(first, len(groups)):
            number += groups[last].digits
            if len(number) > 11:
                break
            bare = number[1:] if len(number) == 11 and number[0] == "1" else number
            singles = sum(group.single for group in groups[first : last + 1])
            if len(bare) == 10 and singles >= 3 and valid_north_american(bare):
                return first, last
    return None


def _national(digits: str, groups: list[_Said]) -> bool:
    """Tell whether digits said in pairs and the like are a national number."""
    if sum(group.digits.endswith("00") for group in groups) > 1 and digits[0] != "0":
        return False  # amounts in hundreds
    if not 9 <= len(digits) <= 13 or len(groups) < 4 or any(len(group.digits) > 4 for group in groups):
        return False
    if digits[0] == "0":
        return len(digits) <= 12
    return valid_somewhere(digits) or (len(digits) == 10 and len(groups) >= 5 and valid_north_american(digits))


def _counting(groups: list[_Said]) -> bool:
    """Tell whether somebody counts, or lists round numbers."""
    if any(len(group.digits) > LONGEST_FIGURE for group in groups):
        return False
    numbers = [int(group.digits) for group in groups]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    if len(groups) > 2 and len(steps) == 1 and steps != {0}:
        return True
    return all(number and number % _ROUND == 0 for number in numbers) and all(len(group.digits) > 1 for group in groups)


def _said_years(groups: list[_Said]) -> bool:
    """Tell whether they are years: nineteen ninety nine, twenty twenty one, twenty oh eight."""
    digits = "".join(group.digits for group in groups)
    years = [bool(_YEAR.match(digits[at : at + 4])) for at in range(0, len(digits), 4)]
    return years[:2] == [True, True] and not any(group.single for group in groups[:4] if group.digits != "0")


def _other_is_near(text: str, start: int) -> bool:
    cues = [cue for cue in _CUE.finditer(text, max(0, start - _CUE_WINDOW), start) if cue.lastgroup == "other"]
    return bool(cues) and len(text[cues[-1].end() : start].split()) <= 3


# --- validity --------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def possible(digits: str) -> bool:
    """Tell whether *digits* after a plus sign have a country code and a length of its numbers."""
    import phonenumbers  # costs 30 ms: only when there is a candidate

    try:
        number = phonenumbers.parse("+" + digits, None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number_with_reason(number) == phonenumbers.ValidationResult.IS_POSSIBLE


@lru_cache(maxsize=4096)
def valid_north_american(number: str) -> bool:
    """Tell whether ten digits are a number of the North American plan."""
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse("+1" + number, None))
    except phonenumbers.NumberParseException:
        return False


@lru_cache(maxsize=4096)
def _valid_spanish(digits: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse("+34" + digits, None))
    except phonenumbers.NumberParseException:
        return False


@lru_cache(maxsize=4096)
def valid_somewhere(digits: str) -> bool:
    """Tell whether *digits* are a national number of one of the known regions."""
    import phonenumbers

    for region in _REGIONS:
        try:
            if phonenumbers.is_valid_number_for_region(phonenumbers.parse(digits, region), region):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False
