"""E-mail addresses whose mailbox and domain are said in different sentences.

``email_address`` needs both beside the sign. Here the domain stands alone ("and then at example dot com", "the
domain is ...") and the mailbox is what the sentence before ended with, over a question whether it was heard; or
the domain comes first ("we are all on example dot com, and I am ...").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect import email_address
from gongmcp.exposure.detect.dictation import CARRIER, CASE, CODE, DIGITS, LETTER, NUMBER, Bit
from gongmcp.exposure.detect.dictation_words import CARRIERS, PAUSES, SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import AT_SIGNS, DOTS, HYPHENS, UNDERSCORES, any_of

SIGN: Final = re.compile(
    rf"(?P<sure>@|[\[({{]\s?at\s?[\])}}]|\b(?:{any_of(AT_SIGNS)}|at[ -](?:sign|symbol|zeichen))\b)"
    rf"|(?P<plain>\bat\b)(?=\s[^\n]{{1,60}}?(?:\.[a-z]|\s(?:{any_of(DOTS)})\b))"
)
_OPENING: Final = re.compile(rf"(?:^|[.,;:!?\n])(?:\s*[a-z']{{1,10}}[\s,]){{0,5}}\s?(?:{SIGN.pattern})")
CUE: Final = re.compile(
    r"mail|\baddress\b|adresse|correo|courriel|direccion|\bsend|\bwrit|\bspell|\bcopy\b|\bcc\b|schick|schreib|notier"
    r"|\bkopie\b|buchstabier|privat|kollege|envoy|ecri|epell|\bnotez|copie|\bperso|collegue|mand|escrib|apunt|anot"
    r"|deletre|copia|companero|colleague|personal|first (?:part|half)|starts|erster? (?:teil|halfte)|vorne|beginnt"
    r"|premiere|commence|primera|empieza|\bso (?:that|it)'s\b|das (?:ist|ware)|alors c'est|\bes\b|\bping\b|\breach\b"
)
_DOMAIN_IS: Final = re.compile(
    r"\b(?:domain|domane|domaine|dominio|host|server|firma|company)[ ,]{1,2}(?:is|ist|lautet|heisst|est|c'est|es"
    r"|seria)\s"
    r"(?P<domain>[^\n]{4,90}?)(?=[.,;!?]*(?:\n|$|\s(?:und|and|et|y)\s))"
)
_ALL_ON: Final = re.compile(
    r"\b(?:we're|we are|everybody is|everyone is|everybody's|everyone's|all of us are|todo el mundo esta|wir sind"
    r"|alle sind|on est|nous sommes|tout le monde est|estamos"
    r"|todos estan|todos estamos|estamos todos)\s(?:all\s|alle\s|tous\s|toutes\s|todos\s)?(?:on|at|under|unter|bei"
    r"|chez|sur|en|in)\s"
    r"(?P<domain>[^\n]{4,90}?)[.,;!]*(?:\n|\s)(?:and|und|et|y|so|also|donc)?\s?(?:moi\s)?"
    r"(?:i'm|i am|mine is|ich bin|meine ist|bin ich|je suis|c'est|yo soy|soy|la mia es|el mio es)\s(?:dort\s|da\s"
    r"|alli\s|ahi\s)?"
    r"(?P<mailbox>[^\n]{2,140}?)(?:\s(?:there|dort|da|la-bas|la|alli|ahi))?(?=[.!?]*(?:\n|$))"
)
PATTERN: Final = (
    r"\b(?:domain|domane|domaine|dominio)[ ,]|[a-z0-9-]\.[a-z]{2,10}[.,]?\n[^\n]{0,25}\b(?:i'm|i am|ich|suis|soy)\b"
)
"""What a text with one holds that ``email_address.PATTERN`` does not know."""
_CLOSED: Final = re.compile(r"\s*(?:[.,;:!?\n]|$)")
_WEBSITE: Final = re.compile(r"\.[a-z]{2,}$")
_PAGE: Final = re.compile(r"^(?:web)?(?:sites?|seiten?|pages?|blog|deck|portals?|shop|[0-9]+(?:\.[0-9]+)?)$")
_CUE_WINDOW: Final = 60
_SKIPPED: Final = 2
_PARTICLES: Final = frozenset({"down", "auf"})  # what ends "write lena down", "schreiben Sie lena auf"
_LINKS: Final = frozenset({"et", "y", "und"})
_LONGEST: Final = 40


def likely(text: str) -> bool:
    """Tell whether the folded *text* holds the sign of an address near the head of a sentence."""
    return any(pattern.search(text) for pattern in (_OPENING, _DOMAIN_IS, _ALL_ON))


def find(view: View, bits: Sequence[Bit], finds: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of each address, in no order; some may overlap each other or *finds*."""
    starts = [bit.start for bit in bits]
    signs = [sign for sign in SIGN.finditer(view.text) if _opens_sentence(bits, bisect_left(starts, sign.start()))]
    named, first = list(_DOMAIN_IS.finditer(view.text)), list(_ALL_ON.finditer(view.text))
    text = email_address.prepared(view) if signs or named or first else ""
    for sign in signs:
        yield from _headless(view, text, bits, starts, sign)
    for start, _, kind in finds:
        if kind == "email":
            yield from _begun_before(view, bits, starts, start)
    for domain in named:
        before = _mailbox_before(view, bits, bisect_left(starts, domain.start()))
        if before is None or not _is_domain(text, *domain.span("domain")):
            continue
        if CUE.search(view.text, max(0, before[0] - _CUE_WINDOW), before[0]):
            yield before
            yield from _begun_before(view, bits, starts, before[0])
            yield domain.span("domain")
    for both in first:
        if _is_domain(text, *both.span("domain")):
            yield both.span("domain")
            yield both.span("mailbox")


def _is_domain(text: str, start: int, end: int) -> bool:
    """Tell whether the whole of a piece is a domain, written, said or spelt."""
    domain = email_address.Domain(text, start)
    return domain.read() and domain.top_level and domain.end >= end


def _headless(
    view: View, text: str, bits: Sequence[Bit], starts: Sequence[int], sign: re.Match[str]
) -> Iterator[tuple[int, int]]:
    at = bisect_left(starts, sign.start())
    domain = email_address.Domain(text, sign.end(), sure=sign["sure"] is not None)
    if not domain.read() or not domain.top_level:
        return
    pieces = _pieces_before(view, bits, _sentence_start(bits, at))
    closed = _CLOSED.match(view.text, view.written.end(domain.end)) is not None
    website = any(email_address.ends_domain(view.text[start:end].rpartition(".")[2]) for start, end in pieces)
    if pieces and (sign["sure"] or (closed and not website)):
        yield from pieces
        yield sign.start(), view.written.end(domain.end)
        return
    before = _mailbox_before(view, bits, _sentence_start(bits, at))
    if before is None:
        return
    mailbox = view.text[slice(*before)]
    cue = CUE.search(view.text, max(0, before[0] - _CUE_WINDOW), before[0])
    if not sign["sure"] and not domain.said and _PAGE.search(mailbox):
        return  # "... on our site. The rest is at example.com."
    if sign["sure"] or (closed and (cue or not (mailbox.isalpha() or _WEBSITE.search(mailbox)))):
        yield before
        yield sign.start(), view.written.end(domain.end)


def _begun_before(view: View, bits: Sequence[Bit], starts: Sequence[int], start: int) -> Iterator[tuple[int, int]]:
    """Yield the beginning of an address that the sentence before ended in: "it's moreau." and ".elodie@..."."""
    at = bisect_right(starts, start) - 1
    while at + 1 < len(bits) and bits[at].sort == CARRIER and (bits[at].stop or bits[at].line):
        at += 1  # the answer between two pieces was taken for the mailbox
    if at + 1 < len(bits) and bits[at].word in SEQUENCE and bits[at + 1].sign in {"_", "-", ".", "+"}:
        at += 1  # "then dot whitlock"
        if email_address.ends_domain(bits[min(at + 1, len(bits) - 1)].word):
            return  # "Then dot net took over."
    while at > 0 and bits[at - 1].sign in {"_", "-", "."} and bits[at - 1].end == bits[at].start:
        at -= 1
    if at < 1 or not _opens_sentence(bits, at):
        return
    head = _sentence_start(bits, at)
    last = _last_before(bits, head)
    if last is None:
        return
    signed = view.text[start - 1] in "._-+" or view.text[start] in "._-+" or bits[at].sign in {".", "_", "-", "+"}
    if signed or bits[last].sign in {".", "_", "-", "+"}:
        before = _mailbox_before(view, bits, head)
        if before:
            yield before


_SOUNDS: Final = re.compile(
    r",?\s(?:just |exactly |genau |so |tout |tal )?(?:(?:as|like|how) it (?:sounds|is)"
    r"|wie man(?:'s| es)? (?:spricht|hort|schreibt)"
    r"|wie gesprochen|comme (?:ca |cela )?(?:se|il se|on le) prononce|(?:cual|como) suena)[.,!]*$"
)
TOKEN: Final = re.compile(
    r"(?<![^\s,(])(?=[^\s]*[a-z])(?:[._+-][a-z0-9][a-z0-9._+-]*[a-z0-9]|[a-z0-9-]+(?:[._+]+[a-z0-9-]+)+|[a-z]{2,}[0-9]{1,4})"
    r"(?=[.,!?;:]*(?:\s|$))"
)
_SAID_TOKEN: Final = re.compile(
    rf"(?<![^\s,(])(?:{any_of(DOTS | UNDERSCORES | HYPHENS)})\s[a-z0-9][a-z0-9 -]{{1,50}}?(?=[.,!?]*(?:\n|$))"
)
_LAST_WORD: Final = re.compile(r"(?<![^\s,])[a-z][a-z-]+(?=[.,!?]*\s*$)")
_FARTHEST: Final = 5
_REMARK: Final = 7


def _pieces_before(view: View, bits: Sequence[Bit], head: int) -> list[tuple[int, int]]:
    """Return the pieces of the mailbox in the sentences before *head*: the nearest that looks like one.

    A piece that begins with a sign (".lena", "dot lena") goes on from the sentence before it, be that a bare name.
    """
    pieces: list[tuple[int, int]] = []
    for _ in range(_FARTHEST):
        if head == 0:
            break
        first = _sentence_start(bits, head - 1)
        start, end = bits[first].start, bits[head - 1].end
        sounds = _SOUNDS.search(view.text, start, end)
        said = sounds.start() if sounds else end
        tokens = [*TOKEN.finditer(view.text, start, said)]
        plain = all(bit.word in SEQUENCE or bit.sort in {CARRIER, CASE} for bit in bits[first:head])
        if not tokens and (found := _SAID_TOKEN.search(view.text, start, said)):
            before = bits[first : bisect_left([bit.start for bit in bits[first:head]], found.start()) + first]
            tokens = [found] if all(bit.word in SEQUENCE for bit in before) else []
        if tokens:
            pieces.append(tokens[-1].span())
            if tokens[-1].re is TOKEN and view.text[tokens[-1].start()] not in "._+-":
                break
        elif not plain and (pieces or sounds):
            if (name := _LAST_WORD.search(view.text, start, said)) and name.group() not in SEQUENCE:
                pieces.append(name.span())
                break
        elif not plain and not (
            head - first <= _REMARK and any(bit.word in PAUSES or bit.word in CARRIERS for bit in bits[first:head])
        ):
            break
        head = first
    return pieces


def _sentence_start(bits: Sequence[Bit], at: int) -> int:
    while at > 0 and not (bits[at - 1].stop or bits[at - 1].line):
        at -= 1
    return at


def _opens_sentence(bits: Sequence[Bit], at: int) -> bool:
    """Tell whether nothing but carriers stands before *at* in its sentence, or a remark that ends in a comma."""
    head = bits[_sentence_start(bits, at) : at]
    if all(bit.sort in {CARRIER, CASE} or bit.word in SEQUENCE for bit in head):
        return True
    start = at - len(head)
    hanging = start > 0 and not bits[start - 1].stop
    return head[-1].comma and (hanging or any(bit.word in PAUSES for bit in head))


def _last_before(bits: Sequence[Bit], head: int) -> int | None:
    """Return the last word of the sentence before *head*; a question whether it was heard is passed over."""
    for _ in range(_SKIPPED + 1):
        if head == 0:
            return None
        first = _sentence_start(bits, head - 1)
        if not all(bit.sort in {CARRIER, CASE} for bit in bits[first:head]):
            return head - 1
        head = first
    return None


def _mailbox_before(view: View, bits: Sequence[Bit], head: int) -> tuple[int, int] | None:
    """Return the place of the mailbox that the sentence before *head* ends with."""
    last = _last_before(bits, head)
    if last is not None and bits[last].word in _PARTICLES and last > _sentence_start(bits, last):
        last -= 1
    return None if last is None else mailbox_at(view, bits, last)


def mailbox_at(view: View, bits: Sequence[Bit], last: int) -> tuple[int, int] | None:
    """Return the place of the mailbox whose last word is *last*."""
    first = last
    while first > 0 and last - first < _LONGEST and _joined(view, bits, first, last):
        first -= 1
    while first < last and _leads_in(bits[first], bits[first + 1]):
        first += 1
    start, end = bits[first].start, view.written.end(bits[last].end)
    if (end - start < 2 and bits[last].sort != LETTER) or "{redacted:" in view.text[start:end]:
        return None
    return start, end


def _leads_in(bit: Bit, following: Bit) -> bool:
    """Tell whether the first word of what was read is none of the mailbox: what a sign joins to the next one is."""
    if bit.sort == CASE:
        return True
    return bit.sort == CARRIER and not bit.sign and not (len(bit.word) == 1 and following.sign in {".", "_", "-"})


def _joined(view: View, bits: Sequence[Bit], first: int, last: int) -> bool:
    """Tell whether the word before *first* belongs to the mailbox that is read from its end."""
    before, here = bits[first - 1], bits[first]
    if before.stop or before.line:
        return False
    if " " not in view.text[before.end : here.start]:
        return True
    spelt = here.sort == LETTER
    if here.sort == NUMBER and before.word in _LINKS and first > 1 and bits[first - 2].sort == NUMBER:
        return True  # "trente et un"
    if here.word in _LINKS and before.sort == NUMBER and first < last and bits[first + 1].sort == NUMBER:
        return True
    if before.comma:
        return spelt and before.sort == LETTER
    if before.sign or here.sign:
        return before.sign != "@"
    if CASE in {before.sort, here.sort}:
        return spelt or before.sort == LETTER or here.sort == CASE
    values = {LETTER, NUMBER, DIGITS, CODE}
    if before.sort in values and here.sort in values:
        return True
    if here.sort in {NUMBER, DIGITS} or (len(here.word) == 1 and first == last):
        return before.sort != CARRIER
    return len(before.word) == 1 and before.word.isalpha() and before.word not in {"a", "y", "e", "o", "i"}
