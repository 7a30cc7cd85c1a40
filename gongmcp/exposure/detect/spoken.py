"""How addresses and numbers are said: the words for signs, letters and repeats, folded (``fold``).

English, German, French, Spanish, Italian, Portuguese, Dutch, and the Polish and Russian word for ``@``.
The words of numbers are in ``numerals``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from gongmcp.exposure.detect.fold import fold


def words(text: str) -> frozenset[str]:
    """Return the words of *text*, folded."""
    return frozenset(fold(text).split())


def phrases(text: str) -> frozenset[str]:
    """Return the phrases of *text*, parted by commas and folded."""
    return frozenset(" ".join(phrase.split()) for phrase in fold(text).split(","))


AT_SIGNS: Final = words(
    "arroba arobase arrobase arobas äffchen chiocciola klammeraffe affenschwanz apenstaartje apestaartje małpa собака "
    "arobace arobasse arobaz klammeraffen"
)
"""Words that are said for ``@`` and for little else."""

AT_PHRASES: Final = phrases(
    "the at sign, the at symbol, at sign, at symbol, at zeichen, at-zeichen, das at-zeichen, a commercial, "
    "signe arobase, signo arroba, simbolo arroba, signo de arroba, simbolo de arroba, the @ sign, the @ symbol, @ "
    "sign, "
    "@ symbol, @ zeichen, @-zeichen, klammer affe, arobaze, aroba"
)
"""Phrases that are said for ``@``."""

DOTS: Final = words("dot punkt punto point ponto punt period kropka точка")
"""Words for the dot in an address."""

JOINTS: Final = words(
    "underscore dash hyphen minus plus unterstrich bindestrich strich tiret souligné guion guión trattino hífen "
    "sublinhado _ - +"
)
"""Words for the other signs that join the parts of an address."""

UNDERSCORES: Final = phrases(
    "underscore, under score, unterstrich, tiret bas, tiret du bas, trait bas, souligne, tiret du huit, tiret du "
    "8, sous tiret, tiret d'en bas, barre basse, guion de abajo, raya baja, "
    "bodenstrich, guion bajo, barra baja, "
    "subrayado, sublinhado, sottolineatura, underline, tiefstrich"
)
HYPHENS: Final = phrases(
    "dash, hyphen, minus, bindestrich, mittelstrich, strich, minuszeichen, gedankenstrich, tiret, trait d'union, "
    "trait d union, tiret du milieu, tiret du six, guion, guion medio, raya, trattino, hifen, minus sign, hyphen "
    "sign, "
    "menos, moins"
)
SLASHES: Final = phrases(
    "slash, forward slash, schragstrich, schraegstrich, slashzeichen, barre oblique, barre, barra, barra inclinada, "
    "barra diagonal, diagonal, barra oblicua"
)
PLUSES: Final = phrases("plus, plus sign, pluszeichen, signe plus, mas, signo mas, piu, mais")
COLONS: Final = phrases("colon, doppelpunkt, deux points, deux-points, dos puntos")
QUESTION_MARKS: Final = phrases(
    "question mark, fragezeichen, point d'interrogation, point d interrogation, signo de interrogacion, "
    "signo de pregunta, interrogacion"
)
EQUALS: Final = phrases(
    "equals, equal sign, equals sign, ist gleich, gleich, gleichheitszeichen, egal, egale, igual, igual a"
)
AMPERSANDS: Final = phrases("ampersand, und-zeichen, und zeichen, esperluette, et commercial")

SIGN_WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(UNDERSCORES, "_"),
    **dict.fromkeys(HYPHENS, "-"),
    **dict.fromkeys(SLASHES, "/"),
    **dict.fromkeys(PLUSES, "+"),
    **dict.fromkeys(COLONS, ":"),
    **dict.fromkeys(QUESTION_MARKS, "?"),
    **dict.fromkeys(EQUALS, "="),
    **dict.fromkeys(AMPERSANDS, "&"),
    **dict.fromkeys(DOTS, "."),
}
"""What is said for a sign -> the sign."""

FILLERS: Final = words(
    "uh um uhm er erm hm hmm mm mhm eh ah ahm äh ähm öhm hm euh heu ben bah este em emm mmm ehm also like"
)
"""Sounds that people make between the parts of a number or address."""

NATO: Final[dict[str, str]] = {
    word: word[0]
    for word in words(
        "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november "
        "oscar papa "
        "quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu"
    )
}
"""The spelling alphabet of radio."""

LETTER_NAMES: Final[dict[str, str]] = {
    "ypsilon": "y", "i griega": "y", "i grec": "y", "igrec": "y", "ye": "y", "double u": "w", "double v": "w",
    "uve doble": "w", "doble uve": "w", "doble ve": "w", "uve": "v", "zett": "z", "zed": "z", "zee": "z",
    "vau": "v", "hache": "h", "jota": "j", "equis": "x", "iks": "x", "ix": "x", "zeta": "z", "efe": "f", "ele": "l",
    "eme": "m", "ene": "n", "erre": "r", "ese": "s", "ache": "h", "jott": "j", "eszett": "ss",
}  # fmt: skip
"""Names of letters that are words by themselves."""


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of *words*, longest first, that tries each first letter only once."""
    heads: list[str] = []
    for head, group in groupby(sorted(words), key=lambda word: word[:1]):
        tails = {word[1:] for word in group}
        rest = any_of(tails - {""}) if tails - {""} else ""
        if "" in tails and rest:
            rest = f"(?:{rest})?"
        heads.append(re.escape(head) + rest)
    return f"(?:{'|'.join(heads)})" if len(heads) > 1 else heads[0]
