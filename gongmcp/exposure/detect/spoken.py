"""How addresses and numbers are said: the words for their signs and digits, folded (``fold``).

English, German, French, Spanish, Italian, Portuguese, Dutch, and the Polish and Russian word for ``@``.
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


AT_SIGNS: Final = words("arroba arobase arobas chiocciola klammeraffe apenstaartje apestaartje małpa собака")
"""Words that are said for ``@`` and for little else."""

DOTS: Final = words("dot punkt punto point ponto punt period kropka точка")
"""Words for the dot in an address."""

JOINTS: Final = words(
    "underscore dash hyphen minus plus unterstrich bindestrich strich tiret souligné guion guión trattino hífen "
    "sublinhado"
)
"""Words for the other signs that join the parts of an address."""

DIGITS: Final[dict[str, str]] = {
    word: digit
    for digit, names in {
        "0": "zero oh o nought null nul zéro cero",
        "1": "one eins un uno um een",
        "2": "two zwei zwo deux dos dois duas twee",
        "3": "three drei trois tres tre três drie",
        "4": "four vier quatre cuatro quattro quatro",
        "5": "five fünf fuenf cinq cinco cinque vijf",
        "6": "six sechs seis sei zes meia",
        "7": "seven sieben sept siete sette sete zeven",
        "8": "eight acht huit ocho otto oito",
        "9": "nine neun neuf nueve nove negen",
    }.items()
    for word in words(names)
}
"""The words of single digits."""

TENS: Final[dict[str, str]] = {
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
}
"""English words for two digits; one that ends in 0 takes a following digit in (fifty five)."""

REPEATS: Final = {"double": 2, "triple": 3}
"""Words that repeat the digit after them."""


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of *words*, longest first, that tries each first letter only once."""
    heads: list[str] = []
    for head, group in groupby(sorted(words), key=lambda word: word[:1]):
        tails = {word[1:] for word in group}
        rest = any_of(tails - {""}) if tails - {""} else ""
        heads.append(re.escape(head) + (f"(?:{rest})?" if "" in tails and rest else rest))
    return f"(?:{'|'.join(heads)})" if len(heads) > 1 else heads[0]
