"""Payment card numbers, written and spoken: 13 to 19 digits with the check digit of Luhn.

Without a word that announces a card, the number must also begin and be grouped as card numbers are; with
one, a number of the right length is masked even when its check digit is wrong, for it may be misheard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gongmcp.exposure.detect.fold import View

_LENGTHS: Final = (16, 15, 14, 19, 13, 18, 17)
_RUN: Final = re.compile(r"(?<![\w$€£.,])[0-9](?:(?:[\s.,:;/–-]*)[0-9]){12,}")
_GROUP: Final = re.compile(r"[0-9]+")
_PREFIX: Final = re.compile(r"4|5[0-9]|2(?:2[2-9]|[3-6]|7[01]|720)|3[0-9]|6(?:011|4[4-9]|5|2|3|7|0)|1800|2131|9792")
_CUE: Final = re.compile(
    r"\b(?:declined|abgelehnt|refusee?|rechaz\w*"
    r"|\w*abbuch\w*|einzieh\w*|hinterlegt|on file|abos?|betrag|montant|importe|reembols\w*|rembours\w*|refund\w*"
    r"|put it on|deposit|anzahlung|acompte|anticipo|renewal|verlangerung|renouvellement|renovacion"
    r"|cards?|credit|debit|visa|master ?card|amex|american express|discover|maestro|diners|jcb|unionpay"
    r"|(?:kredit|bank|debit|giro|zahlungs|ec-)?karten?(?:nummer)?|cartes?|cb|tarjetas?|carta|cartao|plastico|pan"
    r"|charge|debit\w*|belast\w*|cargu?\w{1,3}|prelev\w*|zahl\w*|pago|pagar|paiement|payer|payment|pay)\b"
)
_CUE_AFTER: Final = re.compile(
    r"[\s,.]{0,4}(?:[a-z']{1,10}\s){0,4}(?:cards?|(?:kredit)?karte|carte|tarjeta|visa|mastercard|amex)\b"
)
_CUE_WINDOW: Final = 90
_YEARS: Final = re.compile(r"(?:(?:19|20)[0-9]{2})+")
_USUAL_GROUPS: Final = {
    (4, 4, 4, 4),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 4, 4, 3),
    (4, 4, 4, 1),
    (4, 3, 3, 3),
    (8, 8),
    (6, 13),
}

PATTERN: Final = r"[0-9](?:[^0-9a-z]{0,4}[0-9]){12}"
"""What a text with a written number holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each number, in order."""
    written = view.written
    for run in _RUN.finditer(written.text):
        groups = [group.span() for group in _GROUP.finditer(written.text, run.start(), run.end())]
        if written.text[run.end() : run.end() + 1].isalpha() or len(groups) > 400:
            continue
        plus = written.text[max(0, run.start() - 20) : run.start()].rstrip(" (,\n").endswith("+")
        cue = _CUE.search(view.text, max(0, run.start() - _CUE_WINDOW), run.start()) is not None
        cue = cue or _CUE_AFTER.match(view.text, written.end(run.end())) is not None
        first = len(groups) if plus and not cue else 0  # after a plus sign it is a phone number
        while first < len(groups):
            last = _card(written.text, groups, first, cue)
            if last:
                yield groups[first][0], written.end(groups[last - 1][1])
                first = last
            else:
                first += 1


def _card(text: str, groups: list[tuple[int, int]], first: int, cue: bool) -> int:
    """Return behind which group a number that begins with group *first* ends; 0 when none does."""
    ends = {}
    digits = ""
    for last in range(first, len(groups)):
        digits += text[slice(*groups[last])]
        if len(digits) > max(_LENGTHS):
            break
        ends[len(digits)] = (last + 1, digits)
    whole = first == 0
    for length in _LENGTHS:
        if length not in ends:
            continue
        last, digits = ends[length]
        if not _PREFIX.match(digits) or len(set(digits)) == 1 or _YEARS.fullmatch(digits):
            continue
        lengths = tuple(end - start for start, end in groups[first:last])
        alone = (whole and last == len(groups)) or last - first == 1
        if luhn(digits) and (cue or alone or lengths in _USUAL_GROUPS) and (cue or _likely(digits, lengths)):
            return last
        if cue and alone and length in {15, 16}:
            return last
    if cue and whole and 13 <= sum(end - start for start, end in groups) <= max(_LENGTHS):
        return len(groups)
    return 0


def _likely(digits: str, lengths: tuple[int, ...]) -> bool:
    """Tell whether digits that nothing announces are a card's: an unusual length in one piece is an id."""
    return len(digits) in {14, 15, 16} or len(lengths) > 3 or (len(digits) == 13 and digits[0] == "4")


def luhn(digits: str) -> bool:
    """Tell whether the last of *digits* is the check digit of the others."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + index % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def begins_like_one(digits: str) -> bool:
    """Tell whether *digits* begin as the number of a card does."""
    return _PREFIX.match(digits) is not None and len(set(digits)) > 1
