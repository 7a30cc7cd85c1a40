"""E-mail addresses told part by part, a sentence each, with the words that people have for the parts.

"The first part is ...", "before the at sign it's ...", "then the surname, ..., with a V", "after the at sign ...", "and
it ends in dot ...": the domain is the anchor, what opens the telling stands some sentences before it, and in each
sentence between them what is told goes, and the remarks on it stay. Beside an address that was found, what was told of
it before goes too: the letter spelt with a name, the surname.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.exposure.detect import addressed, broken_email, pieces
from gongmcp.exposure.detect.dictation import DIGITS, LETTER, NUMBER, Bit
from gongmcp.exposure.detect.dictation_words import ORDER, SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import AT_SIGNS, DOTS, any_of, words

_SIGN: Final = (
    rf"(?:l'|the |dem |den |das |la |el |le |der )?(?:{any_of(AT_SIGNS | words('klammeraffen affenschwanzes'))}"
    r"|at(?:[ -](?:sign|symbol|zeichen))?(?![\w-])|@)"
)
_AFTER: Final = re.compile(
    rf"\b(?:after|behind|following|past|hinter|hinterm|nach|nachm|danach|derriere|apres|tras|despues de|despues del"
    rf"|detras de|detras del|right of|rechts vom|a droite de) ?{_SIGN}"
)
_DOMAIN_CUE: Final = re.compile(
    r"\b(?:(?:the )?domains?|domane|domaine|dominio|right of (?:it|that)|(?:behind|after|past) (?:it|that)|rechts davon"
    r"|dahinter|derriere|detras|despues|a droite|a la derecha"
    r"|(?:the )?(?:bit|part|half|rest) (?:after|behind)|(?:der )?teil (?:danach|dahinter))"
    r"(?:'s|,| is| ist| est| es| lautet| kommt| va)?(?=\s)"
)
"""What a domain without its sign is told with."""
_SIGNED: Final = re.compile(
    r"arrob|arobas|klammeraff|affensch|at[ -](?:sign|symbol|zeichen)|em at\b|m at\b|the at\b|l'at\b|el at\b"
)
_AHEAD: Final = re.compile(
    rf"\b(?:before|in front of|ahead of|vor|vorm|davor|avant|devant|antes de|antes del|delante de|delante del|left of"
    rf"|links vom|a gauche de) ?{_SIGN}"
)
_OPENING: Final = re.compile(
    r"\b(?:first|front|left|local|erster?n?|vordere[rn]?|premiere|primera|inicial) (?:part|half|bit|piece|chunk|teil"
    r"|halfte|partie|moitie|parte|mitad)\b|\b(?:starts?|begins?|beginnt|fangt|anfang|commence|debut|empieza|comienza|arranca"
    r"|principio)\b|\bvorne?\b|\bvorderer?\b|\buser ?names?\b|\busuario\b|\butilisateur\b|\bbenutzer\w*|\blogin\b"
    r"|\bmailbox\b|\balias\b|\bpostfach\b|\bbuzon\b|\be?-?mail\w*\b|\badresse?n?\b|\baddress\b|\bcorreo\b|\bcourriel\b"
    r"|\bdireccion\b"
    r"|\bspell\w*|\bbuchstabier\w*|\bepel\w*|\bdeletre\w*|\bwrite\b|\bschreib\w*|\becri\w*|\bescrib\w*|\btype\b|\btippen\b"
    r"|\btapez\b|\bnotez\b|\bnotier\w*|\bapunt\w*|\banot\w*|\bgot a pen\b|\bprimero\b|\bzuerst\b|\bzunachst\b"
    r"|\bd'abord\b|\bmettez\b|\bpon(?:ga|gan|es)?\b"
)
_ENDING: Final = re.compile(
    rf"(?:^|(?<=[\s,']))(?:{any_of(DOTS)}) (?:[a-z]{{2,12}}|[a-z](?: [a-z]){{1,3}})"
    r"(?=[.,!?]*(?:$|\s(?:[a-z']+[ .,!?]*){0,3}$))"
)
_LEADS: Final = SEQUENCE | ORDER | words(
    "name names surname nachname vorname familienname nom prenom apellido apellidos nombre pila company firma empresa "
    "societe domain domane domaine dominio written spelt said called heisst steht stehen sollte seria serait ware "
    "lautet comes come came goes kommt vient viene va sie vous usted ustedes mal bitte please would should just only "
    "nur solo so okay ok well pues bon ben mail email e-mail address adresse correo courriel direccion user username "
    "usuario login s'appelle se llama llama word wort mot palabra i je ich yo j'ai we on nous"
)  # fmt: skip
"""What may stand before a part in its sentence."""
_REMARKS: Final = words(
    "ausgeschrieben klein gross kleingeschrieben lowercase uppercase minuscule minuscules minuscula minusculas "
    "majuscule mayuscula mayusculas attache pegado junto zusammen lower upper small"
)
"""What a remark on a part, and no part, begins with."""
_COPULAS: Final = words("is are ist sind est sont es son that's c'est das")
_TAKES_BACK: Final = words("with mit con avec sans ohne sin without")
_FARTHEST: Final = 4
_MOST_WORDS, _MOST_TOLD = 12, 18
"""A sentence with a part has no more words, and the one that opens the telling no more than that."""
_MOST_LEAD, _MOST_WITH_SIGN = 6, 4
_NAMED: Final = re.compile(
    r"\b(?:(?:first|last|family|second|middle|sur)[ -]?(?:names?|initials?)|initial(?:e|es)?|surname|nachname|vorname"
    r"|familienname|nom de famille|nom|prenom|apellidos?|nombre)(?:'s|,| is| ist| est| es|:)? (?P<name>[a-z-]+)"
)
_HELPED: Final = re.compile(r"\b(?P<letter>[a-z]),? (?:as in|for|like|wie|comme|como|de) (?P=letter)[a-z]+\b")
_REACH: Final = 90
_MARK: Final = "{redacted:"


@dataclass(frozen=True, slots=True)
class _Sentence:
    first: int
    stop: int
    start: int
    end: int


def likely(text: str) -> bool:
    """Tell whether the folded *text* speaks of what stands behind the sign of an address."""
    return _SIGNED.search(text) is not None and (_AFTER.search(text) or _AHEAD.search(text)) is not None


def find(view: View, bits: Sequence[Bit], finds: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of each address, in no order; some may overlap each other or *finds*."""
    for start, end, kind in finds:
        if kind == "email":
            yield from _told_before(view.text, start, end)
    sentences = [
        _Sentence(first, stop, bits[first].start, bits[stop - 1].end) for first, stop in pieces.sentences(bits)
    ]
    named = _DOMAIN_CUE.search(view.text)
    opened = any(cue.search(view.text) for cue in (_OPENING, _AHEAD, _HELPED))
    if len(sentences) < 2 or not (likely(view.text) or (opened and (named or broken_email.likely(view.text)))):
        return
    signed = list(addressed.signed_domains(view))
    for at, sentence in enumerate(sentences[1:], 1):
        domain, sure = _domain(view, bits, sentence, signed)
        if not domain:
            continue
        parts = _parts(view, bits, sentences[:at], sure=sure)
        if parts and not any(_MARK in view.text[start:end] for start, end in parts):
            yield from parts
            yield from domain
            if at + 1 < len(sentences):
                yield from _ending(view, sentences[at + 1])


def _told_before(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what was told of an address, in the sentence that it stands in, before it was said in one."""
    floor = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    address = text[start:end]
    helped = next(_HELPED.finditer(text, floor, start), None)
    if helped and helped["letter"] == next(filter(str.isalpha, address), ""):
        yield helped.start(), start
    for named in _NAMED.finditer(text, floor, start):
        if named["name"] in re.findall(r"[a-z-]+", address):
            yield named.span("name")


# --- the domain ------------------------------------------------------------------------------------


def _domain(
    view: View, bits: Sequence[Bit], sentence: _Sentence, signed: Sequence[tuple[int, int, bool]]
) -> tuple[list[tuple[int, int]], bool]:
    """Return the place of a domain that its sentence is about, and whether it is surely one of an address."""
    after = _AFTER.search(view.text, sentence.start, sentence.end)
    if after:
        return list(_content(view, bits, sentence, after.end())), True
    for start, end, sure in signed:
        if not sentence.start <= start < sentence.end:
            continue
        lead = [bit for bit in bits[sentence.first : sentence.stop] if bit.end <= start]
        led = all(pieces.follows(bit) or bit.word.removesuffix("'s") in _LEADS for bit in lead)
        if len(lead) <= (_MOST_LEAD if led or lead[-1].comma else _MOST_WITH_SIGN if sure else -1):
            return [(start, end)], sure or " " in view.text[start:end].partition(" ")[2].strip()
    named = _DOMAIN_CUE.search(view.text, sentence.start, sentence.end)
    if named and sentence.stop - sentence.first <= _MOST_WORDS:
        bare = addressed.DOMAIN.search(view.text, named.end(), sentence.end)
        if bare:
            here = list(_content(view, bits, sentence, named.end()))
            return [(min([bare.start(), *(start for start, _ in here)]), bare.end())], True
    return [], False


def _ending(view: View, sentence: _Sentence) -> Iterator[tuple[int, int]]:
    """Yield the end of a domain that the sentence behind it tells: "and it ends in dot example"."""
    found = _ENDING.search(view.text[sentence.start : sentence.end])
    if found:
        yield sentence.start + found.start(), sentence.start + found.end()


# --- the parts before it ---------------------------------------------------------------------------


def _parts(view: View, bits: Sequence[Bit], sentences: Sequence[_Sentence], *, sure: bool) -> list[tuple[int, int]]:
    """Return what the last of *sentences* tell of a mailbox, from the one that opens the telling on; or nothing."""
    parts: list[tuple[int, int]] = []
    spelt = False
    for sentence in reversed(sentences[-_FARTHEST:]):
        ahead = _AHEAD.search(view.text, sentence.start, sentence.end)
        cue = ahead or max(
            _OPENING.finditer(view.text, sentence.start, sentence.end), key=re.Match.end, default=None
        )  # fmt: skip
        if sentence.stop - sentence.first > (_MOST_TOLD if cue else _MOST_WORDS):
            return []
        here = list(_content(view, bits, sentence, cue.end() if cue else sentence.start))
        if cue and not here:
            here = list(_before(view, bits, sentence, cue.start()))
        helped = list(_HELPED.finditer(view.text, sentence.start, sentence.end))
        if not cue and len(helped) > 1:
            here = [(helped[0].start(), helped[-1].end())]
            spelt = True
        elif spelt and not cue:
            return parts
        parts += here
        if cue and parts:
            told = sure or addressed.MAIL.search(view.text, sentence.start, sentence.end)
            return parts if told else []
    return parts if spelt else []


def _before(view: View, bits: Sequence[Bit], sentence: _Sentence, end: int) -> Iterator[tuple[int, int]]:
    """Yield the part that stands before the words for it: "dana dot lopez, that's the first half"."""
    here = [bit for bit in bits[sentence.first : sentence.stop] if bit.end < end]
    first = _skipped(here, 0)
    last = first
    while last + 1 < len(here) and not (here[last].comma or here[last + 1].word in _COPULAS):
        last += 1
    if last < len(here):
        yield here[first].start, view.written.end(here[last].end)


def _content(view: View, bits: Sequence[Bit], sentence: _Sentence, at: int) -> Iterator[tuple[int, int]]:
    """Yield what a sentence tells from *at* on: a part, and the letters and digits in the remarks on it."""
    here = bits[sentence.first : sentence.stop]
    index = _skipped(here, bisect_left([bit.start for bit in here], at))
    if index == len(here) or here[index].word in _REMARKS:
        return
    last = index
    while last + 1 < len(here) and not _ends(here, last):
        last += 1
    yield here[index].start, view.written.end(here[last].end)
    rest = here[last + 1 :]
    for first, bit in enumerate(rest):
        spelt = bit.sort == LETTER and first + 1 < len(rest) and rest[first + 1].sort == LETTER
        if bit.sort in {NUMBER, DIGITS} or spelt or (first and bit.sort == rest[first - 1].sort == LETTER):
            yield bit.start, view.written.end(bit.end)


def _skipped(here: Sequence[Bit], index: int) -> int:
    """Return where what is told begins, behind the words that lead to it."""
    while index < len(here) and _leads(here, index):
        index += 1
    return index


def _leads(here: Sequence[Bit], index: int) -> bool:
    bit = here[index]
    if bit.sort in {NUMBER, DIGITS}:
        return False
    after = here[index + 1] if index + 1 < len(here) else None
    if len(bit.word) == 1 and after is not None and (after.sign or len(after.word) == 1):
        return False  # "a dot volkov", "m c k e n"
    return bit.word in _LEADS or (pieces.follows(bit) and not bit.sign)


def _ends(here: Sequence[Bit], last: int) -> bool:
    """Tell whether a part ends with the bit at *last*: a remark follows."""
    after = here[last + 1]
    if after.word in _TAKES_BACK:
        return True
    return here[last].comma and not (after.sort in {LETTER, NUMBER, DIGITS} or after.sign)
