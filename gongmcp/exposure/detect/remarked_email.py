"""E-mail addresses with remarks among their parts, in one sentence: "info at haas, double a, joinery dot test".

``email_address`` knows some remarks. Here they may be any, for the sign and the end of a domain are there: what stands
between them goes whole, and so does what stands before the sign up to the words that lead to an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect import addressed, broken_email, email_address, pieces
from gongmcp.exposure.detect.dictation import LETTER, Bit
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import DOTS, any_of, words

_LEADS: Final = words(
    "is it's its ist es est c'est seria sera serait ware wird lautet an to unter sur a au zu para auf mail "
    "e-mail email "
    "mailadresse correo courriel adresse address direccion that's that'd that be das well also so yeah yes ja "
    "oui si bon "
    "bueno pues alors uh um ah eh euh schreiben schreib write escriba escribe ecrivez besten"
)
_REMARKS: Final = words("mit ohne con sin avec sans with without")
_FARTHEST: Final = 14
_JOINTS: Final = frozenset("._-+")
_ENGLISH_DOT: Final = "dot"
_SHORT_NAMES: Final = words("a es")


_TOP: Final = re.compile(addressed.TOP)
_LIKELY: Final = re.compile(rf" (?:{any_of(DOTS)}) {addressed.TOP}\b")


def likely(text: str) -> bool:
    """Tell whether the folded *text* holds the end of a domain that is said."""
    return _LIKELY.search(text) is not None


def find(view: View, bits: Sequence[Bit]) -> Iterator[tuple[int, int]]:
    """Yield the place of each address that commas part; some may overlap each other."""
    if not any(bit.sign == "@" for bit in bits):
        return
    for first, stop in pieces.sentences(bits):
        for at in range(first + 1, stop - 1):
            if (
                bits[at].sign == "@"
                and bits[at + 1].word not in email_address.NO_DOMAIN
                and (end := _end(bits, at, stop))
            ):
                start = _start(bits, first, at)
                if start < at and _is_address(view, bits, start, at, end):
                    yield bits[start].start, view.written.end(bits[end].end)


def _end(bits: Sequence[Bit], at: int, stop: int) -> int:
    """Return the last bit of the domain behind the sign at *at*; 0 for none."""
    for dot in range(at + 2, min(stop - 1, at + _FARTHEST)):
        if bits[dot].word in DOTS and bits[dot].sign == "." and _TOP.fullmatch(bits[dot + 1].word):
            return dot + 1
    return 0


def _start(bits: Sequence[Bit], first: int, at: int) -> int:
    """Return where the mailbox begins: behind the nearest words that lead to one, or with its sentence."""
    start = at
    while start > first and at - start < _FARTHEST:
        before = bits[start - 1]
        after = bits[start] if start < at else None
        spelt = after is not None and (after.sign in _JOINTS or after.sort == LETTER) and len(before.word) == 1
        if before.word in _LEADS and after is not None and not spelt:
            break
        start -= 1
    while start < at and not bits[start].sign and pieces.follows(bits[start]) and bits[start].sort != LETTER:
        start += 1
    return start


def _is_address(view: View, bits: Sequence[Bit], start: int, at: int, end: int) -> bool:
    inside = bits[start : end + 1]
    sure = bits[at].word != "at" or bits[end - 1].word != _ENGLISH_DOT
    parted = any(bit.comma for bit in inside[:-1])
    remarked = any(bit.word in _REMARKS for bit in bits[start:at])
    if not (parted or (sure and remarked)) or bits[at - 1].word in email_address.NO_MAILBOX - _SHORT_NAMES:
        return False
    if sure:
        return True
    if bits[at - 1].word in email_address.ROLES and any(bit.comma for bit in bits[at:end]):
        return True
    joined = any(bit.sign and bit.sign in _JOINTS for bit in bits[start:at])
    return joined or broken_email.CUE.search(view.text, max(0, bits[start].start - 60), bits[start].start) is not None
