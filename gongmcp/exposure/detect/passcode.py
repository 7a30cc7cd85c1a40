"""Numbers of meetings and the codes beside them, where one tells what the other is: "join with ... and the "
"password is ...".

A number in the form of a meeting's is one where a meeting is spoken of and a code is named near it; and what is named
as a code beside such a number is one, be it letters alone or a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import words

_NUMBER: Final = re.compile(
    r"(?<![\w.+$€£@/-])[2-9][0-9]{2}(?:[ .-]?[0-9]{3}[ .-]?[0-9]{3,5}|[ .-]?[0-9]{4}[ .-]?[0-9]{3,4})(?![\w%@/-]"
    r"|[.,][0-9])"
)
_CUE: Final = re.compile(
    r"(?<![0-9a-z_])(?:(?P<explicit>pass ?-?codes?|passphrases?|\w*kenncode|\w*zugangs-?code|\w*zugriffs-?code"
    r"|\w*(?:sitzungs|meeting|konferenz)-?kennwort|access codes?|host keys?"
    r"|codes? (?:d[' ]?acces|secrets?|confidentiels?)|codigos? (?:de acceso|secretos?)|claves? de (?:acceso|anfitrion)"
    r"|cles? d[' ]?hote|\w*host-?schlussel)"
    r"|pass ?-?words?|passwort|kennwort|kennung|\bpwd|mots? de passe|contrasena|clave|codigo|codes?|pins?"
    r"|nips?)(?:'s)?(?![0-9a-z_])"
)
_ONE_TAP: Final = re.compile(r"[0-9](?P<codes>,,+[*#]?[0-9]{4,12}#?(?:,+[*#]?[0-9]{3,12}#?)*)")
"""The meeting's number and code behind a phone number: "...,,934567812#,,,,*420285#"."""
_LEAD: Final = re.compile(
    r"(?P<named> (?:fur|furs|for|pour|para|de|du|del|der|zum|vom)(?: (?:the|das|la|el|le|die|den))?"
    r" (?:zoom|meeting|webinar|teams|webex|call|termin|besprechung|sitzung|reunion|sala|salle|webinaire|conference))?"
    r"(?:\s*(?:[:=,\"'-]|\b(?:is|ist|lautet|ware|est|c'est|es|sera|seria|would be|then|dann|puis|luego|the|das|der|le"
    r"|la|el)\b))*\s*"
)
_ARTICLE: Final = re.compile(r"\b(?:the|das|der|le|la|el|l)\s*$")
_WORD: Final = re.compile(r"pass|\w*kennwort|mots?|contrasena")
_TOKEN: Final = re.compile(r"[0-9a-z]{4,14}[!?$*]?(?=[.,;:!?)\"']*(?:\s|$))")
_CLOSED: Final = re.compile(r"[!?$*]?[.,;:!?)\"']*(?:\s*$|\n|(?<=[.,;:!?])\s|\s+(?:and|und|et|y|then|dann|puis)\b)")
_MEETING: Final = re.compile(
    r"\b(?:meeting|webinar|zoom|teams|webex|meet\b|konferenz|besprechung|sitzung|reunion|conference|conferencia|visio|sala\b"
    r"|salle\b|raum\b|room\b|join|einwahl|beitreten|sesion|session|videoconf|bridge\b|call id|dial[ -]?in)"
)
_EXPLICIT: Final = (
    r"(?:pass ?-?codes?|passphrases?|\w*kenncode|\w*kennwort|passwor[dt]|\w*zugangs-?code|\w*zugriffs-?code"
    r"|access codes?|codes? (?:d[' ]?acces|secrets?|confidentiels?)|mot de passe|contrasena"
    r"|codigos? (?:de acceso|secretos?)|claves?(?: de acceso)?|pin)"
)
_BESIDE_CODE: Final = re.compile(
    r"\b(?:zoom|teams|webex|meeting|webinar|reunion|besprechung|sitzung|ids?|identifiant|identificador)\b[^.?!\n0-9]{0,50}"
    rf"(?P<number>[0-9][^.?!\n]{{7,240}}?)(?<=[0-9])[^.?!\n0-9]{{1,60}}\b{_EXPLICIT}\b"
)
"""The number of a meeting, however said, with the word for its code behind it."""
_BEFORE_CODE: Final = re.compile(
    r"(?<![\w.,$€£-])(?P<number>[0-9](?:[ ,-]{0,3}[0-9]){3,9})(?![\w%])[^.?!\n0-9]{0,12}"
    r"\b(?:when|once|if|wenn|falls|sobald|quand|lorsqu\w*|si|cuando)\b[^.?!\n0-9]{0,40}"
    r"\b(?:codes?|pins?|pass ?codes?|passwor[dt]|kenncode|kennwort|clave|codigo|contrasena)\b"
)
"""A code before the words for it: "and 4021 when it asks for a code"."""
_DIAL: Final = re.compile(
    r"\b(?:einwahl\w*|dial(?:ing)?[ -]in|join|connect\w*|conecta\w*|conectese|entra|unete|connectez-vous|rejoignez)"
    r" (?:mit|with|using|con|avec|to)(?: the| der| la| el| le)? (?P<first>[0-9](?:[ ,-]{0,3}[0-9]){2,8})\.?\n"
    r"[^0-9\n]{0,20}\b(?:zoom|teams|webex|meet)\b[^0-9\n]{0,8}\n(?:[^0-9\n]{0,16} )?"
    r"(?P<second>[0-9](?:[ ,-]{0,3}[0-9]){2,8})"
)
"""A number in two sentences, with the service said between them."""
_LEAST, _MOST = 9, 24
_NO_CODE: Final = words(
    "required needed optional same below above attached wrong right correct case sensitive invalid there here missing "
    "protected empty blank unknown field policy reset manager number with from that this which when where what your "
    "erforderlich notig optional gleich gleiche falsch richtig ungultig unten oben leer unbekannt nicht auch noch gibt "
    "necessaire facultatif pareil meme faux bon incorrect dessous dessus vide inconnu dans avec pour "
    "necesario obligatorio opcional mismo misma incorrecto abajo arriba vacio para desde page slide postal area"
)
_NEAR: Final = 140
_BEHIND: Final = 90
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_VOWELS: Final = frozenset("aeiouy")
_LETTERS: Final = 4

PATTERN: Final = (
    r"\b(?:zoom|teams|webex|meeting|webinar|reunion|besprechung|sitzung|ids?|identifiant|identificador)\b[^.?!\n]*"
    rf"\b{_EXPLICIT}\b|[0-9][^.?!\n0-9]{{0,12}}"
    r"\b(?:when|once|if|wenn|falls|sobald|quand|lorsqu|si|cuando)\b[^.?!\n0-9]{0,40}"
    r"\b(?:code|pin|passcode|passwor[dt]|kenncode|kennwort|clave|codigo|contrasena)"
    r"|(?:mit|with|using|con|avec) [^.\n]{3,60}\.?\n[^\n]{0,20}\b(?:zoom|teams|webex|meet)\b"
    r"|[0-9],,+[*#]?[0-9]{4}|[2-9][0-9]{2}[ .-]?[0-9]{3,4}[ .-]?[0-9]{3}"
)
"""What a text with a number holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each number and each code, in no order."""
    text = view.text
    numbers = [found.span() for found in _NUMBER.finditer(text)]
    for tap in _ONE_TAP.finditer(text):
        yield tap.start("codes"), tap.end()
    yield from _said(view)
    for cue in _CUE.finditer(text):
        near = [(start, end) for start, end in numbers if start - _BEHIND < cue.end() and cue.start() - _NEAR < end]
        meeting = _MEETING.search(text, max(0, cue.start() - _NEAR), cue.end() + _BEHIND) is not None
        if not meeting:
            continue
        token = _token(view, cue, sure=bool(near))
        if token:
            yield token
            yield from near


def _said(view: View) -> Iterator[tuple[int, int]]:
    """Yield the numbers and codes that are told by what is said around them, however they are grouped."""
    written = view.written
    for said in _BESIDE_CODE.finditer(written.text):
        if _LEAST <= sum(map(str.isdigit, said["number"])) <= _MOST:
            yield said.start("number"), written.end(said.end("number"))
    for said in _BEFORE_CODE.finditer(written.text):
        near = written.text[max(0, said.start() - _NEAR) : said.end() + _BEHIND]
        if _MEETING.search(near) and not _YEAR.fullmatch(said["number"]):
            yield said.start("number"), written.end(said.end("number"))
    for said in _DIAL.finditer(written.text):
        for part in ("first", "second"):
            yield said.start(part), written.end(said.end(part))


def _token(view: View, cue: re.Match[str], *, sure: bool) -> tuple[int, int] | None:
    """Return the place of the code behind *cue*; *sure*: the number of a meeting stands near."""
    lead = _LEAD.match(view.text, cue.end())
    token = _TOKEN.match(view.text, lead.end()) if lead and lead.end() > cue.end() else None
    if lead is None or token is None:
        return None
    code = token.group().rstrip("!?$*")
    if not (sure or cue["explicit"] or lead["named"]):
        return None
    if code.isdigit():
        return None if _YEAR.fullmatch(code) else token.span()
    if not code.isalpha():
        return token.span()
    if code in _NO_CODE:
        return None
    if _unsayable(view, *token.span()):
        return token.span()
    end = token.start() + len(code)
    if _ARTICLE.search(lead.group()):
        return None  # "the key to the meeting is the price"
    return (
        token.span()
        if (sure or (lead["named"] and _WORD.match(cue.group())))
        and len(code) > _LETTERS
        and _CLOSED.match(view.text, end)
        else None
    )


def _unsayable(view: View, start: int, end: int) -> bool:
    """Tell whether letters are no word: capitals within or all capitals, or consonants in a row as none has."""
    raw = view.raw[slice(*view.raw_span(start, end))].rstrip("!?$*")
    if any(left.islower() and right.isupper() for left, right in pairwise(raw)) or raw.isupper():
        return True
    row = longest = 0
    for char in raw.lower():
        row = 0 if char in _VOWELS else row + 1
        longest = max(longest, row)
    return longest > _LETTERS
