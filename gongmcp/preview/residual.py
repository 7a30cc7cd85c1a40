"""A second look for personal data in what leaves, by patterns that share nothing with the detectors of masking.

They are plain on purpose: masking knows speech, confusables and pieces; this knows the written forms that nobody
would defend if they stood in an answer. A text that is a number alone is an amount or an id, as for masking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_EMAIL: Final = re.compile(r"(?<![\w.])[\w.+'%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_DIGITS: Final = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]\d|\w)")
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)")
_PHONE: Final = re.compile(r"(?<!\w)\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,12}(?!\w)")
_NUMBER: Final = re.compile(r"\s*[-+]?\d[\d.,]*\s*")


def residual(text: str) -> Iterator[str]:
    """Yield the kinds of personal data that are written in *text* as they stand."""
    if "@" in text and _EMAIL.search(text):
        yield "email"
    if _NUMBER.fullmatch(text):
        return
    if any(_luhn(found.group()) for found in _DIGITS.finditer(text)):
        yield "card"
    if any(_mod97(found.group()) for found in _IBAN.finditer(text)):
        yield "iban"
    if "+" in text and _PHONE.search(text):
        yield "phone"


def _luhn(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _mod97(text: str) -> bool:
    plain = text.replace(" ", "")
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1
