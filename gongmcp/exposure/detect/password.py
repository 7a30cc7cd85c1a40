"""Passwords that are made of words: "the password is harbor, capital H, three oh five, exclamation mark".

A word by itself tells nothing, so it needs both: what says that a password comes, and what passwords have besides
words. That is a sign, a number or a capital that is told, in the same sentence or in the one that goes on with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gongmcp.exposure.detect.dictation_words import CASES, NUMBERS
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import AT_PHRASES, FILLERS, SIGN_WORDS, any_of, phrases, words

_NAME: Final = (
    r"(?:pass ?words?|pass ?phrases?|passwort|kennwort|mots? de passe|contrasena|clave|pwd"
    r"|(?:wi-?fi|wlan|w-lan)(?:-?(?:passwort|schlussel|password|key))?)"
)
_OF: Final = (
    r"(?: (?:for|of|fur|furs|zum|im|de|del|du|des|pour|para)(?: [a-z'-]+){1,4}"
    r"| [a-z]{3,10}(?=,? (?:is|ist|es|c'est|est)\b))?"
)
_IS: Final = (
    r"(?:\s*[:=]|,? (?:is|was|reads|would be|ist|lautet|ware|heisst|war|c'est|est|sera|etait|es|sera|seria|era)(?: now"
    r"| jetzt| ahora| maintenant)?)"
)
_CUE: Final = re.compile(rf"\b{_NAME}{_OF}{_IS}(?=\s)|\b{_NAME}'s(?=\s)")
_AS: Final = re.compile(
    r"\b(?:with|using|mit|avec|con|use|enter|type|tippen sie|tapez|mettez|escribe|pon)\s(?P<value>[^\n]{3,90}?),? "
    rf"(?:as (?:your|the|a)|als(?: ihr| das)?|comme|en(?: tant que)?|como(?: la| tu)?) {_NAME}\b"
)
_SIGNS: Final = (
    SIGN_WORDS.keys()
    | AT_PHRASES
    | phrases(
        "exclamation mark, exclamation point, bang, question mark, hash, hash sign, pound sign, asterisk, star, "
        "dollar, "
        "dollar sign, percent, percent sign, ampersand, caret, ausrufezeichen, fragezeichen, sternchen, stern, raute, "
        "prozent, prozentzeichen, dollarzeichen, paragraf, point d'exclamation, point d'interrogation, etoile, "
        "asterisque, diese, pour cent, pourcent, signo de exclamacion, exclamacion, admiracion, signo de admiracion, "
        "interrogacion, signo de interrogacion, asterisco, almohadilla, numeral, signo de dolar, dolar, porcentaje, "
        "por ciento, signo de porcentaje, gato"
    )
) - {"at"}
_CASED: Final = rf"(?:{any_of(CASES)}|grosse[mnrs]?|kleine[mnrs]?)"
_ARTICLES: Final = r"(?:(?:with|mit|avec|con|la|le|un|una|une|ein|einem|a|the|all) ){0,3}"
_CASE: Final = rf"(?:{_ARTICLES}{_CASED}(?: [a-z](?![a-z']))?|{_ARTICLES}[a-z] {_CASED})"
_NUMBER: Final = rf"(?:[0-9]+|{any_of(NUMBERS | {'y', 'et', 'und'})}|[a-z]+(?:zig|hundert)[a-z]*|[a-z]+cient[oa]s)"
_SOUND: Final = (
    rf"(?:{any_of(FILLERS)}|let me see|hold on|hang on|one sec(?:ond)?|moment|a ver|voyons|attendez|mal sehen)"
)
_PART: Final = re.compile(
    rf"[ ,.;:-]*(?:(?P<sign>{any_of(_SIGNS)}|[!?#$%&*@+=_/])(?![a-z])|(?P<case>{_CASE})(?![a-z])"
    rf"|(?P<number>{_NUMBER})(?![a-z])|(?P<sound>{_SOUND})(?![a-z])|(?P<word>[a-z](?:[a-z0-9!?#$%&*@_'-]|\.(?=[a-z0-9]))*))"
)
_GOES_ON: Final = re.compile(
    r"\n(?:(?:and |und |et |y )?(?:then|next|after that|dann|danach|ensuite|puis|apres|luego|despues|y despues)[ ,]+)?"
)
_NO_WORD: Final = words(
    "required needed optional same below above attached wrong right correct case sensitive invalid there here missing "
    "protected empty blank unknown not still also just only always never going supposed reset changed expired stored "
    "saved too very really what which when where how that this it in on for to from your my our the a an at least "
    "between about over under more less "
    "erforderlich notig optional gleich falsch richtig ungultig unten oben leer unbekannt nicht auch noch immer nur "
    "sehr was wie wo wenn dass das der die ein eine mein ihr unser zu mindestens abgelaufen gespeichert "
    "necessaire facultatif pareil meme faux bon incorrect dessous dessus vide inconnu dans avec pour pas aussi "
    "toujours trop tres que qui quand ou comment le la les un une mon votre notre expire enregistre "
    "necesario obligatorio opcional mismo misma incorrecto incorrecta abajo arriba vacio para desde no tambien siempre "
    "muy que cuando donde como el la los las un una mi su nuestra nuestro caducada guardada"
)
_CLOSED: Final = re.compile(r"\s*(?:$|[.,;:!?\n]|(?:and|und|et|y|in|as|als|comme|como|en|please|bitte)\b)")
_MOST: Final = 14
_LEAST: Final = 3


@dataclass(slots=True)
class _Told:
    """A password as far as it was read: the places of its parts, and whether it has more than words."""

    places: list[tuple[int, int]]
    end: int
    more: bool = False
    counted: bool = False  # all that it has more is a number
    signed: bool = False


PATTERN: Final = (
    rf"\b{_NAME}(?:'s\b|[^\n]{{0,45}}(?:[:=]|\b(?:is|was|reads|be|ist|lautet|ware|heisst|war|c'est|est|sera|es|seria)\b))"
    rf"|\b(?:as|als|comme|en|como) (?:[a-z]{{1,5}} )?{_NAME}\b"
)
"""What a text with such a password holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield each part of each password, in no order; the words between the parts of one stay."""
    text = view.text
    for cue in _CUE.finditer(text):
        told = _read(text, cue.end())
        if told is not None:
            yield from told.places
    for found in _AS.finditer(text):
        told = _read(text, found.start("value"), found.end("value"))
        if told is not None and told.end == found.end("value"):
            yield from told.places


def _read(text: str, at: int, stop: int = -1) -> _Told | None:
    """Read a password that begins at *at*, or behind sounds there; None when a word alone, or none, stands there."""
    told = _Told([], at)
    stop = len(text) if stop < 0 else stop
    for _ in range(_MOST):
        part = _PART.match(text, told.end, stop) if told.end < stop else None
        if part is None or "\n" in part.group() or not _take(text, told, part):
            onward = _GOES_ON.match(text, _line_end(text, told.end)) if told.places else None
            ahead = _PART.match(text, onward.end(), stop) if onward is not None else None
            if ahead is None or not (ahead["sign"] or ahead["number"]):
                break
            assert onward is not None
            told.end, told.signed = onward.end(), True
    if not told.more or (told.counted and not _CLOSED.match(text, told.end)):
        return None  # "is fine, five bars"
    return told


def _line_end(text: str, at: int) -> int:
    """Return where the line ends when nothing but signs stand before its end; else *at*."""
    end = at
    while end < len(text) and text[end] in " .,;!?":
        end += 1
    return end


def _take(text: str, told: _Told, part: re.Match[str]) -> bool:
    """Add a part to what was *told*; False when it cannot be of it."""
    kind = part.lastgroup or ""
    start, end = part.span(kind)
    if kind == "word":
        written = re.search(r"[0-9!#$%&*@_.-]", part["word"].rstrip("!?.")) is not None
        first = not told.places
        if not (first or told.signed) or part["word"] in _NO_WORD or end - start < _LEAST:
            return False
        told.counted = told.counted and not written
        told.more = told.more or written
    elif kind in {"sign", "number", "case"}:
        if not told.places:
            return False
        told.counted = kind == "number" and (told.counted or not told.more)
        told.more = True
    told.end = end
    told.signed = kind == "sign"
    if kind != "sound":
        if told.places and text[told.places[-1][1] : start].strip(" ") == "":
            told.places[-1] = (told.places[-1][0], end)
        else:
            told.places.append((start, end))
    return True
