"""International bank account numbers, written and spoken: length per country and ISO 7064 check digits.

With the word IBAN before it, a number of the right country and length is masked even when its check
digits are wrong, for one letter may be misheard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gongmcp.exposure.detect import account_parts
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import FILLERS, NATO, any_of, words

LENGTHS: Final[dict[str, int]] = {
    "ad": 24, "ae": 23, "al": 28, "at": 20, "az": 28, "ba": 20, "be": 16, "bg": 22, "bh": 22, "bi": 27, "br": 29,
    "by": 28, "ch": 21, "cr": 22, "cy": 28, "cz": 24, "de": 22, "dj": 27, "dk": 18, "do": 28, "ee": 20, "eg": 29,
    "es": 24, "fi": 18, "fk": 18, "fo": 18, "fr": 27, "gb": 22, "ge": 22, "gi": 23, "gl": 18, "gr": 27, "gt": 28,
    "hn": 28, "hr": 21, "hu": 28, "ie": 22, "il": 23, "iq": 23, "is": 26, "it": 27, "jo": 30, "kw": 30, "kz": 20,
    "lb": 28, "lc": 32, "li": 21, "lt": 20, "lu": 20, "lv": 21, "ly": 25, "mc": 27, "md": 24, "me": 22, "mk": 19,
    "mn": 20, "mr": 27, "mt": 31, "mu": 30, "ni": 28, "nl": 18, "no": 15, "om": 23, "pk": 24, "pl": 28, "ps": 29,
    "pt": 25, "qa": 29, "ro": 24, "rs": 22, "ru": 33, "sa": 24, "sc": 31, "sd": 18, "se": 24, "si": 19, "sk": 24,
    "sm": 27, "so": 23, "st": 25, "sv": 28, "tl": 23, "tn": 24, "tr": 26, "ua": 29, "va": 22, "vg": 24, "xk": 20,
    "yt": 27,
}  # fmt: skip
"""Country -> characters of its account numbers, country and check digits included."""

_GAP: Final = r"[\s.,:;–-]*"
_START: Final = re.compile(
    rf"(?<![0-9a-z_])(?P<first>[a-z0]){_GAP}(?P<second>[a-z0]){_GAP}(?P<check>[0-9]{_GAP}[0-9])(?=[0-9a-z\s.,:;–-])"
)
_NEXT: Final = re.compile(rf"{_GAP}(?P<part>[0-9a-z]+)")
_CUE: Final = re.compile(r"\biban\b|\bi b a n\b")
_CUE_WINDOW: Final = 80
_MISHEARD: Final = 3

_BREAK: Final = r"[ .,\n-]{0,3}"
_JOINT: Final = any_of(FILLERS | words("and und et y then dann puis luego despues now jetzt"))
_NAME: Final = rf"(?:[a-z],? (?:as in|for|as|like|wie|comme|de|como|como en) [a-z]+|{any_of(NATO)})"
PATTERN: Final = (
    rf"\b{any_of(LENGTHS)}{_BREAK}[0-9]{_BREAK}[0-9]{_BREAK}(?:[a-z]{_BREAK}){{0,5}}[0-9](?:{_BREAK}[0-9]){{5}}"
    r"|\b(?:ro|kz)[ -]?[0-9]{2}[ -]?[0-9a-z]{4}[ -]?[0-9a-z]{4}"
    r"|\b[a-z][ .-]{1,2}[a-z][ .,-]{1,3}[0-9][ .-]{0,2}[0-9]\b"
    rf"|\b(?:{any_of(LENGTHS)}|[a-z] [a-z])(?:[ ,.]{{1,4}}{_JOINT}){{1,2}}[ ,.]{{1,4}}[0-9]{{2}}"
    rf"|\b{_NAME}[ ,.-]{{1,3}}{_NAME}[ ,.-]{{1,3}}[0-9]"
    rf"|\b{any_of(LENGTHS)}[0-9]{{2}}[0-9a-z]{{11,30}}\b|\biban\b|\bi b a n\b"
)
"""What a text with a written number holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each number, or of each of its pieces, in order, without overlaps."""
    whole = list(_whole(view))
    parts = [
        part for part in account_parts.find(view, LENGTHS) if not any(s < part[1] and part[0] < e for s, e in whole)
    ]
    yield from sorted(whole + parts)


def _whole(view: View) -> Iterator[tuple[int, int]]:
    written = view.written
    at = 0
    for start in _START.finditer(written.text):
        if start.start() < at:
            continue
        end = _end(view, start)
        if end:
            at = written.end(end)
            yield start.start(), at


def _end(view: View, start: re.Match[str]) -> int:
    """Return where the number that begins at *start* ends; 0 when there is none."""
    country = (start["first"] + start["second"]).replace("0", "o")
    length = LENGTHS.get(country)
    if length is None:
        return 0
    text = view.written.text
    cue = _CUE.search(view.text, max(0, start.start() - _CUE_WINDOW), start.start()) is not None
    found = country + "".join(filter(str.isdigit, start["check"]))
    end = start.end()
    while len(found) < length:
        part = _NEXT.match(text, end)
        if part is None or len(found) + len(part["part"]) > length:
            # A word misheard or read together with the next one: near enough behind the word IBAN.
            return end if cue and len(found) >= length - _MISHEARD else 0
        # A word of letters alone belongs to it only if it was spelt or written in capitals.
        if part["part"].isalpha() and len(part["part"]) > 1 and not _capitals(view, *part.span("part")):
            return 0
        found += part["part"]
        end = part.end()
    if end < len(text) and (text[end].isalnum() or text[end] == "_"):
        return 0
    if valid(found) or valid(country + found[2:].replace("o", "0")):
        return end
    return end if cue else 0


def _capitals(view: View, start: int, end: int) -> bool:
    return end - start == 4 or (end - start <= 6 and view.raw_char(start).isupper())


def valid(number: str) -> bool:
    """Tell whether the check digits of *number* (lower case, no blanks) are right."""
    turned = number[4:] + number[:4]
    if not turned.isascii():
        return False  # letters of other scripts have no value
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1
