"""E-mail addresses whose mailbox and domain stand sentences apart, with any words before the domain and between them.

``broken_email`` knows the words that may stand there. Here they may be any, for the mailbox was announced ("my address
is ...") or has the form of one, and the domain stands alone: with the sign, or without it where mail was spoken of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect import broken_email, email_address, pieces
from gongmcp.exposure.detect.dictation import DIGITS, LETTER, NUMBER, WORD, Bit
from gongmcp.exposure.detect.dictation_words import SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import DOTS, any_of

TOP: Final = r"(?:com|org|net|io|co|eu|de|at|ch|fr|be|es|mx|ar|uk|ie|edu|info|test|example)"
DOMAIN: Final = re.compile(
    rf"(?<![\w@.-])(?:[a-z0-9] )*[a-z0-9-]+(?:(?:\.| (?:{any_of(DOTS)}) )[a-z0-9-]+)*(?:\.| (?:{any_of(DOTS)}) ){TOP}"
    r"(?![\w-]|\.\w)"
)
_END: Final = re.compile(r"\.[a-z]|\s(?:dot|punkt|punto|point|period)\s")
MAIL: Final = re.compile(
    r"\be?-?mails?\b|\b\w*mail(?:-?ad\w+)?\b|\baddress\b|\w*adresse\b|\bcorreos?\b|\bcourriel|\bdireccion\b|\bpostfach\b"
    r"|\bboite\b|\bbuzon\b|\bmailbox\b|\binbox\b"
)
_PAGE: Final = re.compile(r"\b(?:web\w*|sites?|seiten?|pages?|blog|portal|shop|www|url|pagina|link|lien|enlace)\b")
PATTERN: Final = (
    rf"(?:mail|\baddress\b|adresse\b|\bcorreo\b|\bcourriel|\bdireccion\b)[^\n]*\n(?:[^\n]*\n)?(?:[^\n]*\n)?[^\n]*"
    rf"(?:\.| dot | punkt | point | punto ){TOP}\b"
)
"""What a text with a domain alone holds, for the quick look."""
_LOOKS: Final = frozenset({"look", "looking", "looked", "visit", "find", "go", "see"})
"""What stands before "at" and a website."""
_MARK: Final = "{redacted:"
_LEAD: Final = 7
_FARTHEST: Final = 5
_SILENT: Final = 12
_SPELT: Final = 3


def likely(text: str) -> bool:
    """Tell whether the folded *text* holds a domain behind a line that speaks of mail."""
    end = _END.search(text)
    mail = MAIL.search(text) if end else None
    return mail is not None and DOMAIN.search(text, text.find("\n", mail.end())) is not None


def find(view: View, bits: Sequence[Bit], finds: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of each address, in no order; some may overlap each other or *finds*."""
    if not _END.search(view.text):
        return
    sentences = list(pieces.sentences(bits))
    starts = [bits[first].start for first, _ in sentences]
    for start, end, sign in _domains(view):
        at = bisect_right(starts, start) - 1
        if at < 1 or _headed(view, finds, start, end):
            continue
        first, stop = sentences[at]
        lead = [bit for bit in bits[first:stop] if bit.end <= start]
        if len(lead) > _LEAD or (not sign and _PAGE.search(view.text, starts[at], start)):
            continue
        if view.text.startswith("at ", start) and lead and lead[-1].word in _LOOKS:
            continue
        boxes = _boxes_before(view, bits, sentences[:at], sign=sign)
        if boxes and not any(_MARK in view.text[slice(*box)] for box in boxes):
            yield from boxes
            yield start, end


def signed_domains(view: View) -> Iterator[tuple[int, int, bool]]:
    """Yield the place of each domain with its sign, and whether the sign is a sure one."""
    for start, end, sign in _domains(view):
        if sign:
            yield start, end, sign == "sure"


def _domains(view: View) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each domain, with the sign before it if there is one, and how sure that is."""
    signs = list(broken_email.SIGN.finditer(view.text))
    text = email_address.prepared(view) if signs else ""
    taken = []
    for sign in signs:
        domain = email_address.Domain(text, sign.end(), sure=sign["sure"] is not None)
        if domain.read() and domain.top_level:
            taken.append((sign.start(), view.written.end(domain.end)))
            yield (*taken[-1], "sure" if sign["sure"] or domain.said else "at")
    for bare in DOMAIN.finditer(view.text):
        if not any(start < bare.end() and bare.start() < end for start, end in taken):
            yield (*bare.span(), "")


def _headed(view: View, finds: Sequence[tuple[int, int, str]], start: int, end: int) -> bool:
    """Tell whether a domain was found with a mailbox right before it."""
    for first, last, kind in finds:
        if first < end and start < last and kind != "email":
            return True
        if kind == "email" and first < start < last:
            box = view.text[first:start]
            return not box.strip(" ,.;:\n").isalpha() or box[-1:].isalnum()
    return False


def _boxes_before(
    view: View, bits: Sequence[Bit], sentences: Sequence[tuple[int, int]], *, sign: str
) -> list[tuple[int, int]]:
    """Return the pieces of the mailbox in the nearest of the *sentences* that announces it; none without one."""
    boxes: list[tuple[int, int]] = []
    for back, (first, stop) in enumerate(reversed(sentences)):
        if back == _FARTHEST:
            break
        start, end = bits[first].start, bits[stop - 1].end
        here = list(_boxes(view, bits, first, stop))
        boxes += here
        told = sign == "sure" or MAIL.search(view.text, start, end) or (sign and not _site(view, here))
        if broken_email.CUE.search(view.text, start, end) and told:
            if not here and sign == "sure":
                last = broken_email.mailbox_at(view, bits, stop - 1)
                return [*boxes, last] if last else []
            return boxes
        if not here and stop - first > _SILENT:
            return []
    return boxes if sign == "sure" else []


def _site(view: View, boxes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether none of *boxes* is but a website."""
    return all(email_address.ends_domain(view.text[start:end].rpartition(".")[2]) for start, end in boxes)


def _boxes(view: View, bits: Sequence[Bit], first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield what ends a clause and has the form of a mailbox, or of a part of one."""
    for index in range(first, stop):
        bit = bits[index]
        if not (bit.comma or bit.stop or bit.line or index + 1 == stop):
            continue
        place = broken_email.mailbox_at(view, bits, index)
        if place is None:
            continue
        inside = [other for other in bits[first : index + 1] if other.end > place[0] and other.start < place[1]]
        if _like_one(view, inside, place):
            yield place


def _like_one(view: View, inside: Sequence[Bit], place: tuple[int, int]) -> bool:
    if any(bit.sign and bit.sign in "._-+" for bit in inside) and len(inside) > 1:
        return True
    if sum(bit.sort == LETTER for bit in inside) >= _SPELT:
        return True
    names = any(bit.sort == WORD and bit.word not in SEQUENCE for bit in inside)
    if names and len(inside) > 1 and inside[-1].sort in {NUMBER, DIGITS}:
        return True
    return broken_email.TOKEN.search(view.text, *place) is not None
