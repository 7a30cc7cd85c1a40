"""What a password is made of when it is said: words, signs, numbers, letters and how they are written.

``runs`` reads a sentence into rows of such parts. A row knows how much it has besides words (``weight``), for a word by
itself tells nothing: who reads a password out says signs, numbers and capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from gongmcp.exposure.detect.dictation_words import CASES, NUMBERS, ORDER, SPELLING
from gongmcp.exposure.detect.spoken import AT_PHRASES, FILLERS, SIGN_WORDS, any_of, phrases, words

_SURE_SIGNS: Final = phrases(
    "exclamation mark, exclamation point, question mark, hash sign, hashtag, pound sign, asterisk, dollar sign, "
    "percent sign, ampersand, caret, at sign, underscore, under score, equals sign, plus sign, "
    "ausrufezeichen, fragezeichen, sternchen, raute, rautezeichen, prozentzeichen, dollarzeichen, unterstrich, "
    "bindestrich, at-zeichen, klammeraffe, gleichheitszeichen, pluszeichen, und-zeichen, "
    "point d'exclamation, point d'interrogation, etoile, asterisque, diese, tiret, tiret bas, tiret du huit, "
    "tiret du six, esperluette, arobase, underscore, "
    "signo de exclamacion, signo de admiracion, signo de interrogacion, interrogacion, asterisco, almohadilla, guion, "
    "guion bajo, guion medio, signo de dolar, signo de porcentaje, arroba, cierra exclamacion"
)
"""What is said for a sign and for nothing else."""
_SIGNS: Final = (
    SIGN_WORDS.keys()
    | AT_PHRASES
    | _SURE_SIGNS
    | phrases(
        "bang, hash, star, dollar, percent, stern, prozent, paragraf, pour cent, pourcent, exclamacion, admiracion, "
        "numeral, dolar, porcentaje, por ciento, gato, et commercial, space, leerzeichen"
    )
) - {"at"}
_PERCENT: Final = phrases("percent, prozent, pour cent, pourcent, por ciento")
_LETTER: Final = rf"(?:{any_of(word for word in SPELLING if word)}|[a-z])(?![a-z0-9'@!#$%&*_=+])"
_CASED: Final = (
    rf"(?:{any_of(CASES - words('letra lettre letter buchstabe upper lower case cap'))}|upper case|lower case|big"
    r"|grosse[mnrs]?|kleine[mnrs]?)(?![a-z])"
)
_ALONE: Final = r"(?:(?:upper ?case|lower ?case|all caps|mayuscula|minuscula|majuscule|minuscule)(?![a-z]))"
_ARTICLES: Final = r"(?:(?:with|mit|avec|con|la|le|un|una|une|ein|einem|a|the|all|letra|lettre|letter|buchstabe) ){0,3}"
_CASE: Final = rf"{_ARTICLES}(?:{_CASED} {_LETTER}|(?!a (?:big|small|capital|upper|lower)){_LETTER} {_CASED}|{_ALONE})"
_NUMBERS: Final = NUMBERS | words("y et und mil mille thousand tausend")
_NUMBER: Final = rf"(?:[0-9]+|{any_of(_NUMBERS)}|[a-z]+(?:zig|ssig|hundert)[a-z]*|[a-z]+cient[oa]s)"
_SOUND: Final = (
    rf"(?:{any_of(FILLERS | ORDER)}|let me see|hold on|hang on|wait|one sec(?:ond)?|(?:un |one |ein(?:en)? )?moment[o]?"
    r"|warten(?: sie)?|warte|a ver|voyons|attendez|espere|espera|perdon|pardon|sorry|mal sehen|after that|et apres"
    r"|seguido de|suivi de|gefolgt von|followed by|by|von)"
)
_SAYING: Final = (
    r"(?:(?:a|the|ein|un|le|el) )?(?:big|huge|grosses|grand|gran|major|real)"
    r" (?:question mark|fragezeichen|point d'\w+|interrogante)"
)
_PART: Final = re.compile(
    rf"[ ,.;:?¿¡()\"'-]*(?:(?P<saying>{_SAYING})"
    rf"|(?P<sign>{any_of(_SIGNS)}(?![a-z])|(?<=\s)[!#$%&*@+=_/?](?![0-9a-z]))"
    rf"|(?P<case>{_CASE})(?![a-z])"
    rf"|(?P<sound>{_SOUND})(?![a-z'])|(?P<number>{_NUMBER})(?![a-z0-9!#$%&*@_'])|(?P<letter>{_LETTER})"
    rf"|(?P<word>[a-z0-9!#$%&*@+=](?:[a-z0-9!#$%&*@_+='-]|\.(?=[a-z0-9]))*))"
)
MORE: Final = (
    rf"(?:[0-9!#$%&*@+=_]|[a-z][.-][a-z]|\b(?:{any_of(_SIGNS | CASES | NUMBERS)}|big|[a-z]+zig|[a-z]+cient[oa]s)\b)"
)
"""What there is at least besides words, for a quick look."""
_VAGUE: Final = words("one un une una uno ein eine o oh once e y et und et dos six dix")
"""Numbers that mean something else unless more is said."""
NO_WORD: Final = words(
    "required needed optional same below above attached wrong right correct case sensitive invalid there here missing "
    "protected empty blank unknown not still also just only always never going supposed reset changed expired stored "
    "saved too very really what which when where how that this it in on for to from your my our the a an at least "
    "between about over under more less simple easy pretty laugh don't fine good important secure strong weak and is "
    "are was be has have had with as you we they them can will would should must please then put type enter use using "
    "set because but or if so yeah yes okay ok sure policy policies manager managers characters character letters "
    "digits numbers spell login admin user username account changes change need needs it's that's all of "
    "erforderlich notig optional gleich falsch richtig ungultig unten oben leer unbekannt nicht auch noch immer nur "
    "sehr was wie wo wenn dass das der die den dem des ein eine einen mein ihr unser zu mindestens abgelaufen "
    "gespeichert ganz einfach lachen leicht sicher wichtig gut und ist sind war mit auf als von vom fur bei sie ich "
    "wir man geben tippen nehmen setzen gesetzt machen muss mussen soll kann bitte dann ja genau zeichen buchstaben "
    "buchstabiere ein gebe habe hab haben sache thema richtlinie richtlinien nutzer benutzer "
    "necessaire facultatif pareil meme faux bon incorrect dessous dessus vide inconnu dans avec pour pas aussi "
    "toujours trop tres que qui quand ou comment le la les l un une mon ma votre notre expire enregistre simple facile "
    "riez est c'est sera etait et en au aux du des sur par vous nous on mettez tapez entrez ecrivez faut oui doit "
    "big small huge capital grosses grosser grosse kleines grand grande gran gros pequena "
    "caracteres lettres chiffres changerez changer il elle ce cette comme sont "
    "necesario obligatorio opcional mismo misma incorrecto incorrecta abajo arriba vacio para desde no tambien siempre "
    "muy que cuando donde como el los las una mi tu su nuestra nuestro caducada guardada facil sencilla rias es "
    "era sera son y en con por de del al pones pon pongo escribe escribes usa usan sigue siendo si vale deletreo "
    "letras numeros te se lo me hay tiene debe"
)
_SYMBOL: Final = re.compile(r"[0-9!#$%&*@+=_]|[a-z.][-.][a-z]")
_LEAST: Final = 3
_CODED: Final = 6
"""Shorter, what has digits and letters may be a name: 5G."""
_FIRST_WORDS: Final = 2


@dataclass(slots=True)
class Run:
    """A row of parts: their places, and what they are besides words."""

    start: int
    end: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    words: int = 0
    letters: int = 0
    numbers: int = 0
    signs: int = 0
    sure: int = 0
    coded: int = 0
    amount: bool = False
    """Whether it has a number of percents."""
    first: str = ""
    last: str = ""
    """The kinds of the first and the last part, sounds aside."""

    @property
    def weight(self) -> int:
        """How much more it has than words; numbers alone are no more than a pair."""
        return self.signs + 2 * (self.sure + self.coded) + min(self.numbers, 2) + self.letters

    @property
    def counted(self) -> bool:
        """Whether it has nothing but numbers besides words."""
        return not (self.signs or self.sure or self.letters or self.coded)

    def joined(self, other: Run) -> Run:
        """Return this with what stands in a sentence behind it."""
        return Run(
            self.start, other.end, self.places + other.places, self.words + other.words, self.letters + other.letters,
            self.numbers + other.numbers, self.signs + other.signs, self.sure + other.sure, self.coded + other.coded,
            self.amount or other.amount, self.first, other.last,
        )  # fmt: skip


def runs(text: str, start: int, end: int) -> Iterator[Run]:
    """Yield the rows of parts in one sentence, ``text[start:end]``."""
    run = Run(start)
    at = start
    while at < end:
        part = _PART.match(text, at, end)
        if part is None:
            at += 1
            continue
        at = part.end()
        kind = part.lastgroup or ""
        first, last = part.span(kind)
        if kind == "sound":
            continue
        if not _take(run, kind, part[kind], first, last):
            if run.places:
                yield run
            run = Run(first)
            if not _take(run, kind, part[kind], first, last):
                run = Run(last)
    if run.places:
        yield run


def _take(run: Run, kind: str, said: str, start: int, end: int) -> bool:
    """Add a part to *run*; False when it cannot be of it."""
    if kind == "saying":
        return False
    if kind == "word":
        if said.strip("'-") in NO_WORD or (end - start < _LEAST and not _SYMBOL.search(said)):
            return False
        if run.last not in {"", "sign", "case"} and not (run.last == "word" and run.words < _FIRST_WORDS):
            return False
        symbol = _SYMBOL.search(said) is not None
        run.coded += symbol and end - start >= _CODED
        run.numbers += symbol and end - start < _CODED
        run.words += 1
    elif kind == "sign":
        sure = said in _SURE_SIGNS or not said[0].isalpha() or (run.last == "word" and run.sure + run.signs > 0)
        run.amount = run.amount or (run.last == "number" and said in _PERCENT)
        run.sure += sure
        run.signs += not sure
    elif kind == "case":
        run.sure += 1
    elif kind == "letter":
        run.letters += 1
    else:
        run.numbers += said not in _VAGUE or run.numbers > 0
    if not run.places:
        run.start, run.first = start, kind
    run.places.append((start, end))
    run.end = end
    run.last = kind
    return True
