"""The quick look: tells in one pass whether a text can hold anything that is masked, and where.

Nearly every sentence holds nothing, so this decides how fast masking is. RE2 runs all the patterns at once,
in time linear in the text. It may say yes too often, never no where a detector would find something.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Protocol

from gongmcp.exposure.detect import (
    broken_email,
    dictation,
    email_address,
    iban,
    meeting_link,
    payment_card,
    phone_number,
    secret_key,
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


_BETWEEN: Final = r"[ ,.;:()\n/_–-]{1,5}"
_AMONG: Final = words("and then und dann et puis y luego plus dash hyphen strich tiret guion slash code space")
_JOINING: Final = words("and und et y then dann also like")
_NOT_ALONE: Final = words("e en on")  # numbers in one language, all too common words in another
_NONE: Final[frozenset[str]] = frozenset()
_PIECE: Final = 20_000
_OVERLAP: Final = 400
_MEMORY: Final = 64 << 20


SPEECH: Final = frozenset({"email", "key", "link", "said", "mixed", "told"})
"""The signs of something said, which must be written down before the detectors can read it."""


def signs_in(text: str) -> frozenset[str]:
    """Return which kinds the folded *text* may hold, with ``said`` and ``mixed`` for numbers in words."""
    found = _together().Match(text)
    return frozenset(_NAMES[index] for index in found) if found else _NONE


def first_sign(text: str, at: int = 0) -> int:
    """Return where in the folded *text*, from *at* on, something begins that a detector may find; -1 for nowhere."""
    while at < len(text):
        # RE2 encodes what it is given, each time: a long text goes in pieces.
        found = _anywhere().search(text[at : at + _PIECE])
        if found is not None:
            return at + found.start()
        if at + _PIECE >= len(text):
            break
        at += _PIECE - _OVERLAP
    return -1


@cache
def _together() -> Set:
    import re2  # type: ignore[import-untyped]  # here, for only the writers mask: the server starts without it

    patterns = _patterns()
    together: Set = re2.Set.SearchSet(_options())
    for name in _NAMES:
        together.Add(patterns[name])
    together.Compile()
    return together


@cache
def _anywhere() -> Pattern:
    import re2

    compiled: Pattern = re2.compile("|".join(f"(?:{pattern})" for pattern in _patterns().values()), _options())
    return compiled


def _options() -> object:
    import re2

    options = re2.Options()
    options.never_capture = True
    options.max_mem = _MEMORY
    return options


_NAMES: Final = ("email", "iban", "link", "card", "phone", "key", "said", "mixed", "told")


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
        "told": f"{dictation.pattern()}|{broken_email.PATTERN}",
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
    return rf"[0-9]{{2}}{between}[0-9](?:(?:{between}|[ ,.\n-]{{0,3}})[0-9]){{4}}"
