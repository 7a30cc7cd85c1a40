"""Meeting ids and passcodes behind the words that announce them, and what a meeting link goes on with.

``meeting_link`` reads both where they stand in one piece. Here a code is followed over pauses and sentence ends
("the passcode, one moment, ..."), and a link over the words for what comes next ("after the slash it's ...").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect.dictation import (
    AMOUNT,
    CARRIER,
    CASE,
    CODE,
    DIGITS,
    LETTER,
    NUMBER,
    SIGN,
    SLUG,
    VALUES,
    WORD,
    Bit,
)
from gongmcp.exposure.detect.dictation_words import SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import words

_EXPLICIT: Final = (
    r"pass ?-?codes?|kenncodes?|\w*zugangs-?codes?|\w*zugriffs-?codes?|einwahl-?codes?|teilnehmer-?(?:codes?|pins?"
    r"|ids?)"
    r"|codes? d[' ]?acces|codes? secrets?|codes? confidentiels?|codes? de connexion|codigos? de (?:acceso|entrada)"
    r"|claves? de (?:acceso|anfitrion)|codigos? secretos?|access[ -]codes?|entry codes?|dial-?in (?:codes?|pins?)"
    r"|host keys?|cles? d[' ]?hote|\w*host-?schlussel"
    r"|meeting[ -]?(?:passwor[dt]s?|kennwort|pins?|ids?|numbers?|nummer)|(?:konferenz|besprechungs|sitzungs|webex"
    r"|zoom|teams"
    r"|webinar)[ -](?:meeting[ -])?(?:ids?|nummer|number|code|pin|kennung)|konferenznummer"
    r"|(?:ids?|identifiants?|identificador(?:es)?|numero|code|codigo|clave|contrasena) (?:de |du |der |de la |del )"
    r"(?:reunion|conference|conferencia|sala|salle|videoconference|videoconferencia|meeting|zoom|teams|webex)"
)
_GENERIC: Final = (
    r"pass ?-?words?|passwort|kennwort|kennung|mot de passe|contrasena|clave|codes?|codigo|pins?|ids?|identifiant"
    r"|identificador"
    r"|pwd|geheimzahl|nips?"
)
_CUE: Final = re.compile(rf"(?<![0-9a-z_-])(?:(?P<explicit>{_EXPLICIT})|(?P<generic>{_GENERIC}))(?:'s)?(?![0-9a-z_])")
_MEETING: Final = re.compile(
    r"\b(?:meetings?|meeting-\w+|webinar\w*|zoom|teams|webex|whereby|gotomeeting|meet|konferenz\w*|besprechung\w*"
    r"|videokonferenz|reunion|conference|conferencia|visio|sala|salle|raum|videoconferencia|link|enlace|lien|join"
    r"|treten|beitreten|einwahlen|wahlen sie sich ein|dial in|dial-in|rejoin\w*|connectez|conect\w+|entra|entre"
    r"|pass ?codes?|kenncode|code d'acces|codigo de acceso|pound|hash key|raute|punch in|sesion|session|besprechung)\b"
)
_NAMES: Final = words(
    "zoom teams webex google meet meeting gotomeeting reunion conference conferencia de la del du der des fur furs zum "
    "zur para entrar unirse conectarse acceder pour rejoindre entrer join joining get into beitreten in "
    "zur for our the sala salle number nummer numero code codigo id will would enter asks reads following wie folgt"
)
"""What may stand between the word for a code and the code, beside carriers."""
_UNITS: Final = words(
    "character characters digit digits letter letters sign signs minutes hours days weeks times zeichen ziffern "
    "stellen "
    "buchstaben minuten stunden tage mal caracteres chiffres lettres signes heures jours fois cifras digitos letras "
    "minutos horas dias veces"
)
"""What a number counts: "the passcode policy is eight characters" names no code."""
_NEAR: Final = 220
_BEHIND: Final = 120
_MOST: Final = 8
_LEAST: Final = 3
_UNKNOWN: Final = 2
"""How many words of any sort may stand between a passcode and the words that announce it and nothing else."""
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_LETTERS: Final = re.compile(r"[a-z]{2,4}-[a-z]{3,4}(?:-[a-z]{3})?(?![0-9a-z-])")
_TAIL_SIGNS: Final = frozenset("-_./?=&+")


def codes(view: View, bits: Sequence[Bit], links: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the place of each code behind the words for one; *links* are the places of those that were found."""
    text = view.text
    starts = [bit.start for bit in bits]
    for cue in _CUE.finditer(text):
        linked = any(start - _BEHIND < cue.start() < end + _NEAR for start, end in links)
        if (cue["explicit"] or linked) and (named := _named(view, bits, bisect_left(starts, cue.end()))):
            yield named
            continue
        if cue["generic"] and not _MEETING.search(text, max(0, cue.start() - _NEAR), cue.end() + _BEHIND):
            continue
        first = _first(view, bits, bisect_left(starts, cue.end()), _UNKNOWN if cue["explicit"] else 0)
        if first < 0:
            continue
        last = _last(bits, first)
        if _is_code(view, bits[first : last + 1]):
            yield bits[first].start, view.written.end(bits[last].end)


def _first(view: View, bits: Sequence[Bit], at: int, unknown: int) -> int:
    """Return the bit that a code begins with, behind no more than *unknown* words of any sort; -1 for none near."""
    for index in range(at, min(len(bits), at + _MOST)):
        bit = bits[index]
        if bit.sort in VALUES or (bit.sort == WORD and _odd(view, bit)):
            return index
        unknown -= not (bit.sort in {CARRIER, CASE} or bit.word in _NAMES)
        if bit.sort == AMOUNT or unknown < 0:
            return -1
    return -1


def _named(view: View, bits: Sequence[Bit], at: int) -> tuple[int, int] | None:
    """Return the place of a code that is a word and a number: "koala, then one seven"."""
    first = at
    while first < len(bits) and first - at < _MOST and (
        bits[first].sort in {CARRIER, CASE} or bits[first].word in _NAMES | SEQUENCE
    ):  # fmt: skip
        first += 1
    if first == len(bits) or bits[first].sort != WORD or len(bits[first].word) < _LEAST:
        return None
    number = first + 1
    while number < len(bits) and number - first <= _UNKNOWN and bits[number].sort == CARRIER:
        number += 1
    last = number
    while last < len(bits) and bits[last].sort in {NUMBER, DIGITS} and not _YEAR.fullmatch(bits[last].word):
        last += 1
    if last == number or (last < len(bits) and bits[last].word in _UNITS):
        return None
    return bits[first].start, view.written.end(bits[last - 1].end)


def _last(bits: Sequence[Bit], first: int) -> int:
    """Return the bit that a code ends with: more of it may follow behind carriers, in this sentence and the next."""
    last = first
    index = first + 1
    while index < len(bits):
        bit = bits[index]
        if bit.sort in VALUES:
            last = index
        elif index - last > _MOST or bit.sort not in {CARRIER, CASE}:
            break
        index += 1
    return last


def _is_code(view: View, code: Sequence[Bit]) -> bool:
    values = [bit for bit in code if bit.sort in VALUES]
    if not values:
        return True  # one odd word
    written = view.written.numbers
    digits = sum(map(str.isdigit, written[code[0].start : view.written.end(code[-1].end)]))
    letters = sum(bit.sort == LETTER for bit in values)
    if all(_YEAR.fullmatch(bit.word) for bit in values):
        return False
    if any(bit.sort == CODE for bit in values):
        return sum(len(bit.word) for bit in values) >= _LEAST
    return digits + letters >= (_LEAST if digits else 4)


def _odd(view: View, bit: Bit) -> bool:
    """Tell whether a word has capitals as no word has: ``mKcFoV``, ``QWXZ``."""
    raw = view.raw[slice(*view.raw_span(bit.start, bit.end))]
    return len(raw) >= 4 and raw.isalpha() and any(char.isupper() for char in raw[1:])


def tails(view: View, bits: Sequence[Bit], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what the links that end at *ends* go on with."""
    starts = [bit.start for bit in bits]
    for end in ends:
        at = bisect_left(starts, end)
        if at == 0:
            continue
        first = _tail_start(view, bits, at)
        if first >= 0:
            last, stop = _tail_end(view, bits, first)
            if last >= first:
                yield bits[first].start, stop


def _tail_start(view: View, bits: Sequence[Bit], at: int) -> int:
    parted = bits[at - 1].stop or bits[at - 1].line or bits[at - 1].comma
    for index in range(at, min(len(bits), at + _MOST)):
        bit = bits[index]
        if parted or index > at:
            if bit.sort in VALUES - {SIGN, SLUG} or (bit.sign in _TAIL_SIGNS and bit.sign and index + 1 < len(bits)):
                return index if not _slash(bits, index) else -1
            if _LETTERS.match(view.text, bit.start):
                return index
        if bit.sort not in {CARRIER, CASE} or bit.sign == "@":
            return -1
    return -1


def _slash(bits: Sequence[Bit], index: int) -> bool:
    return bits[index].sign == "/" and bits[index + 1].sort == CARRIER


def _tail_end(view: View, bits: Sequence[Bit], first: int) -> tuple[int, int]:
    """Return the last bit of a tail and where it ends: signs, the word behind each, and values."""
    last, stop = -1, 0
    index = first
    while index < len(bits):
        bit = bits[index]
        letters = _LETTERS.match(view.text, bit.start) if index == first else None
        if letters:
            stop = letters.end()
            while index < len(bits) and bits[index].start < stop:
                last = index
                index += 1
            continue
        if bit.sign and bit.sign in _TAIL_SIGNS:
            after = bits[index + 1] if index + 1 < len(bits) else None
            if after is None or bit.stop or bit.line or after.sort == AMOUNT:
                break
            if not after.sign and after.sort in {WORD, CARRIER, SLUG}:
                last, stop = index + 1, after.end
                index += 2
                continue
        elif bit.sort in VALUES:
            last, stop = index, view.written.end(bit.end)
        elif bit.sort != CASE or last < 0:
            break
        if bits[last].line and index == last and not _goes_on(bits, index + 1):
            break
        index += 1
    return last, stop


def _goes_on(bits: Sequence[Bit], index: int) -> bool:
    return index < len(bits) and bits[index].sort in {NUMBER, DIGITS, LETTER, CODE}
