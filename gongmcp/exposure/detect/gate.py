"""The quick look: tells in one pass whether a text can hold anything that is masked, and where.

Nearly every sentence holds nothing, so this decides how fast masking is. RE2 runs all the patterns at once,
in time linear in the text. It may say yes too often, never no where a detector would find something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Protocol

from gongmcp.exposure.detect import (
    addressed,
    broken_email,
    coded_pieces,
    dictation,
    email_address,
    gathered,
    iban,
    intents,
    meeting_link,
    payment_card,
    phone_number,
    secret_key,
    spelt_code,
)
from gongmcp.exposure.detect.numerals import REPEATS, number_words
from gongmcp.exposure.detect.spoken import FILLERS, any_of, words


class Set(Protocol):
    """What is used of RE2's set of patterns, which brings no types."""

    def Add(self, pattern: str) -> int: ...
    def Compile(self) -> None: ...
    def Match(self, text: str) -> list[int]: ...


class Pattern(Protocol):
    """What is used of a compiled pattern of RE2, which brings no types."""

    def search(self, text: str) -> re.Match[str] | None: ...
    def finditer(self, text: str) -> Iterator[re.Match[str]]: ...


_BETWEEN: Final = r"[ ,.;:()\n/_–-]{1,5}"
_AMONG: Final = words(
    "and then und dann et puis y luego plus dash hyphen strich tiret guion slash code space alors okay ok voila hein "
    "donc entonces"
)
_JOINING: Final = words("and und et y then dann also like")
_NOT_ALONE: Final = words("e en on")  # numbers in one language, all too common words in another
_NONE: Final[frozenset[str]] = frozenset()
_PIECE: Final = 20_000
_OVERLAP: Final = 400
_MEMORY: Final = 256 << 20


_GATHERED: Final = frozenset({"announced", "piece"})
_CHECKED: Final = {"spelt": spelt_code.first, "coded": coded_pieces.first}
"""Signs that a pattern sees too often: what tells where the first of them is one."""
_APART: Final = 4
"""So many lines apart pieces are gathered."""
_BEFORE, _BEHIND = 2, 9
"""So many lines before and behind what announces them are looked at."""
_ENOUGH: Final = 7
"""Fewer digits are nothing."""
_IN_AMOUNT: Final = frozenset("$€£.,")
_UNIT: Final = re.compile(
    r"[ -](?:%|million|billion|percent|basis|bps|years?|months?|days?|weeks?|hours?|minutes?|stores?|people|employees"
    r"|countries|states|customers|cents|points|to [0-9]|plus\b)"
)
SPEECH: Final = frozenset({"email", "key", "link", "said", "mixed", "told", "gathered", "spelt", "coded"})
"""The signs of something said, which must be written down before the detectors can read it."""


def signs_in(text: str) -> frozenset[str]:
    """Return which kinds the folded *text* may hold, with ``said`` and ``mixed`` for numbers in words."""
    found = _together().Match(text)
    if not found:
        return _NONE
    signs = frozenset(_NAMES[index] for index in found)
    for name, first in _CHECKED.items():
        if name in signs and first(text, _places(name, text)) < 0:
            signs -= {name}
    if _GATHERED.isdisjoint(signs):
        return signs
    return signs - _GATHERED | {"gathered"} if signs >= _GATHERED and _first_gathered(text) >= 0 else signs - _GATHERED


def first_sign(text: str, at: int = 0, signs: frozenset[str] | None = None) -> int:
    """Return where in the folded *text*, from *at* on, something begins that a detector may find; -1 for nowhere.

    *signs*: what ``signs_in`` saw in the whole text, when that is known.
    """
    first = at
    while at < len(text):
        # RE2 encodes what it is given, each time: a long text goes in pieces.
        found = _anywhere().search(text[at : at + _PIECE])
        if found is not None:
            return _first_before(text, first, at + found.start(), signs)
        if at + _PIECE >= len(text):
            break
        at += _PIECE - _OVERLAP
    return _first_before(text, first, -1, signs)


def _first_before(text: str, first: int, end: int, signs: frozenset[str] | None) -> int:
    """Return where the first sign that is no plain pattern begins from *first* to before *end*; or else *end*."""
    part = text[first:] if end < 0 else text[first:end]
    for name, first_of in _CHECKED.items():
        at = first_of(part, _places(name, part)) if signs is None or name in signs else -1
        if at >= 0:
            part, end = part[:at], first + at
    if signs is not None and "gathered" not in signs:
        return end
    before = _first_gathered(text, first, None if end < 0 else end)
    return end if before < 0 else before


def _first_gathered(text: str, at: int = 0, end: int | None = None) -> int:
    """Return where the line begins in *text* from *at* on of an announcement with pieces in two lines near it; -1."""
    announced, _ = _gathered()
    part = text[at:end]
    past = 0
    while cue := announced.search(part[past:]):
        here = past + cue.start()
        start, stop = here, here
        for _ in range(_BEFORE):
            start = part.rfind("\n", 0, max(0, start - 1)) + 1
        for _ in range(_BEHIND):
            stop = part.find("\n", stop) + 1 or len(part)
        if _in_pieces(part[start:stop]):
            return at + start
        past += cue.end()
    return -1


def _in_pieces(lines: str) -> bool:
    """Tell whether pieces that are enough for a value stand in two of some lines."""
    _, piece = _gathered()
    row: list[int] = []
    enough, last = 0, 0
    for found in piece.finditer(lines):
        here = found.start()
        if (here and lines[here - 1] in _IN_AMOUNT) or _UNIT.match(lines, found.end() - 1):
            continue
        if row and lines.count("\n", last, here) > _APART:
            row, enough = [], 0
        row.append(here)
        last = here
        enough += _weight(found.group())
        if enough >= _ENOUGH and "\n" in lines[row[0] : here]:
            return True
    return False


def _weight(piece: str) -> int:
    """Return of how many letters or digits a piece may be, or what stands for enough of them."""
    if not piece[:1].isdigit() or piece[-1:].isalnum():
        return _ENOUGH // 2 + 1
    return sum(map(str.isdigit, piece))


def _places(name: str, text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in _alone(name).finditer(text))


@cache
def _alone(name: str) -> Pattern:
    import re2  # type: ignore[import-untyped]

    compiled: Pattern = re2.compile(_patterns()[name], _options())
    return compiled


@cache
def _gathered() -> tuple[Pattern, Pattern]:
    import re2

    return re2.compile(intents.QUICK, _options()), re2.compile(gathered.piece_pattern(), _options())


@cache
def _together() -> Set:
    import re2  # here, for only the writers mask: the server starts without it

    patterns = _patterns()
    together: Set = re2.Set.SearchSet(_options())
    for name in _NAMES:
        together.Add(patterns[name])
    together.Compile()
    return together


@cache
def _anywhere() -> Pattern:
    import re2

    apart = _GATHERED | _CHECKED.keys()
    compiled: Pattern = re2.compile(
        "|".join(f"(?:{pattern})" for name, pattern in _patterns().items() if name not in apart),
        _options(),
    )
    return compiled


def _options() -> object:
    import re2

    options = re2.Options()
    options.never_capture = True
    options.max_mem = _MEMORY
    return options


_NAMES: Final = (
    "email",
    "iban",
    "link",
    "card",
    "phone",
    "key",
    "said",
    "mixed",
    "told",
    "spelt",
    "coded",
    "announced",
    "piece",
)


@cache
def _patterns() -> dict[str, str]:
    return {
        "email": email_address.PATTERN,
        "iban": iban.PATTERN,
        "link": meeting_link.PATTERN,
        "card": payment_card.PATTERN,
        "phone": phone_number.PATTERN,
        "key": secret_key.PATTERN,
        "said": _said_numbers(),
        "mixed": _mixed_numbers(),
        "spelt": spelt_code.pattern(),
        "coded": coded_pieces.PATTERN,
        "announced": intents.QUICK,
        "piece": gathered.piece_pattern(),
        "told": f"{dictation.pattern()}|{broken_email.PATTERN}|{addressed.PATTERN}",
    }


def _said_numbers() -> str:
    """Return a pattern of four numbers in a row of which one at least is a word."""
    number = any_of((number_words() | {phrase[0] for phrase in REPEATS}) - _NOT_ALONE)
    word = rf"\b(?:{number}|[a-z]*hundert[a-z]*|[a-z]+cient[oa]s|cien)\b"
    either = rf"(?:{word}|[0-9]+|hundred\b|cent\b|ciento\b)"
    between = rf"(?:{_BETWEEN}(?:{any_of(FILLERS | _AMONG)}{_BETWEEN}){{0,2}})"
    return (
        rf"{word}(?:{between}{either}){{3}}|{either}{between}{word}(?:{between}{either}){{2}}"
        rf"|(?:{either}{between}){{2}}{word}{between}{either}|(?:{either}{between}){{3}}{word}"
    )


def _mixed_numbers() -> str:
    """Return a pattern of seven digits with words between some of them."""
    between = rf"{_BETWEEN}(?:{any_of((FILLERS | _AMONG) - _JOINING)}{_BETWEEN}){{1,2}}"
    return rf"[0-9][ ,-]{{0,2}}[0-9]{between}[0-9](?:(?:{between}|[ ,.\n-]{{0,3}})[0-9]){{4}}"
