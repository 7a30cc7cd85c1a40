"""Numbers as words, folded: which digits a phrase stands for, in English, German, French, Spanish and some more.

A phrase is a tuple of words; ``quatre-vingt-dix-sept`` and ``quatre vingt dix sept`` are the same four.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from gongmcp.exposure.detect.fold import fold
from gongmcp.exposure.detect.spoken import words

Phrases = dict[tuple[str, ...], str]
"""Words -> the digits they stand for."""

LONGEST_FIGURE: Final = 600
"""Digits of the longest number that is looked at as a figure: Python can be told to make none of more than 640, and
makes none of more than 4,300."""

_UNITS: Final = {
    "en": "zero|oh|o|nought|naught|nil one two three four five six seven eight nine",
    "de": "null eins|ein|eine zwei|zwo drei vier fünf|fuenf sechs|sex sieben acht neun",
    "fr": "zéro un|une deux trois quatre cinq six sept huit neuf",
    "es": "cero uno|un|una dos tres cuatro cinco seis siete ocho nueve",
    "it": "zero uno|un due tre quattro cinque sei sette otto nove",
    "pt": "zero hum dois|duas três quatro cinco seis|meia sete oito nove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen",
}
_TEENS: Final = {
    "en": "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "de": "zehn elf zwölf|zwoelf dreizehn vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "dix onze douze treize quatorze quinze seize dix+sept|dixsept dix+huit|dixhuit dix+neuf|dixneuf",
    "es": "diez once doce trece catorce quince dieciséis|diez+y+seis diecisiete|diez+y+siete dieciocho|diez+y+ocho "
    "diecinueve|diez+y+nueve",
    "it": "dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove",
    "pt": "dez onze doze treze catorze quinze dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove",
    "nl": "tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien",
}
_TENS: Final = {
    "en": "twenty thirty forty|fourty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig|dreizig vierzig fünfzig|fuenfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante huitante|octante nonante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
LANGUAGES: Final = tuple(_UNITS)

_SPANISH_HUNDREDS: Final = (
    "cien|ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)

HUNDREDS: Final[dict[str, set[str]]] = {
    "en": {"hundred"},
    "de": {"hundert"},
    "fr": {"cent", "cents"},
    "es": {"cientos"},
    "it": {"cento"},
    "pt": set(),
    "nl": {"honderd"},
}
"""Words that put two zeros behind a digit; numbers of two digits may follow and take their place."""

THOUSANDS: Final = {
    "en": {"thousand"}, "de": {"tausend"}, "fr": {"mille"}, "es": {"mil"}, "it": {"mila"}, "pt": {"mil"},
    "nl": {"duizend"},
}  # fmt: skip

REPEATS: Final[dict[tuple[str, ...], int]] = {
    **{(fold(word),): 2 for word in ("double", "doble", "doppel", "doppelt", "doppelte", "zweimal", "dobles")},
    **{(fold(word),): 3 for word in ("triple", "treble", "dreifach", "dreimal", "triples")},
    ("quadruple",): 4, ("viermal",): 4,
    ("deux", "fois"): 2, ("trois", "fois"): 3, ("quatre", "fois"): 4, ("dos", "veces"): 2, ("tres", "veces"): 3,
    ("cuatro", "veces"): 4, ("zwei", "mal"): 2, ("drei", "mal"): 3, ("vier", "mal"): 4,
}  # fmt: skip
"""Words that repeat the digit after them."""

LINKS: Final = {
    "en": {"and", "then"}, "de": {"und", "dann"}, "fr": {"et", "puis"}, "es": {"y", "luego"}, "it": {"e", "poi"},
    "pt": {"e"}, "nl": {"en"},
}  # fmt: skip
"""Words that link the parts of a number, or one number said after the other."""

UNCERTAIN: Final = words(
    "o oh nil ein eine un une una uno on en e y sex meia een sei six sept once cent mil seize nul dos tres "
    "dix ten "
    "one ones acht tre due"
)
"""Words of numbers that by themselves mostly mean something else, in this language or another."""


def _variants(cell: str) -> list[tuple[str, ...]]:
    return [tuple(variant.split("+")) for variant in fold(cell).split("|")]


@cache
def below_a_hundred(language: str) -> Phrases:
    """Return the phrases of 0 to 99; those below ten give one digit."""
    units = [_variants(cell) for cell in _UNITS[language].split()]
    teens = [_variants(cell) for cell in _TEENS[language].split()]
    out: Phrases = {variant: str(unit) for unit, variants in enumerate(units) for variant in variants}
    out |= {variant: str(10 + unit) for unit, variants in enumerate(teens) for variant in variants}
    for tens, cell in enumerate(_TENS[language].split(), start=2):
        for variant in _variants(cell):
            out[variant] = f"{tens}0"
            for unit in range(1, 10):
                for said in units[unit]:
                    for phrase in _joined(language, variant, said):
                        out[phrase] = f"{tens}{unit}"
    if language == "fr":
        out |= _french(units, teens)
    return out


def _joined(language: str, tens: tuple[str, ...], unit: tuple[str, ...]) -> list[tuple[str, ...]]:
    ten, one = tens[0], unit[0]
    match language:
        case "de":
            return [(f"{one}und{ten}",), (one, "und", ten), (f"{one}und", ten)]
        case "nl":
            return [(f"{one}en{ten}",)]
        case "fr":
            return [(ten, one), (ten, "et", one)]
        case "es":
            short = [(f"veinti{one}",), (f"veinti{one[:-1]}",)] if ten == "veinte" else []
            return [(ten, "y", one), (f"{ten}i{one}",), *short]
        case "it":
            return [(f"{ten}{one}",), (f"{ten[:-1]}{one}",)]
        case "pt":
            return [(ten, "e", one)]
        case _:
            return [(ten, one), (f"{ten}{one}",)]


def _french(units: list[list[tuple[str, ...]]], teens: list[list[tuple[str, ...]]]) -> Phrases:
    out: Phrases = {}
    after_ten = [variant for variants in teens for variant in variants]
    numbers = [str(unit) for unit, variants in enumerate(teens) for _ in variants]
    for eighty in (("quatre", "vingt"), ("quatre", "vingts")):
        out[eighty] = "80"
        for unit in range(1, 10):
            out |= {(*eighty, *said): f"8{unit}" for said in units[unit]}
        out |= {(*eighty, *said): f"9{digit}" for said, digit in zip(after_ten, numbers, strict=True)}
    for said, digit in zip(after_ten, numbers, strict=True):
        out[("soixante", *said)] = f"7{digit}"
        out[("soixante", "et", *said)] = f"7{digit}"
    return out


@cache
def phrases_of(language: str) -> Phrases:
    """Return every phrase that is read as one piece: 0 to 99, and hundreds that are one word."""
    out = dict(below_a_hundred(language))
    units = [_variants(cell) for cell in _UNITS[language].split()]
    small = below_a_hundred(language)
    if language == "de":
        hundred = "hundert"
        heads = [("", "1")] + [(said[0], str(unit)) for unit in range(1, 10) for said in units[unit]]
        for head, digit in heads:
            out[(f"{head}{hundred}",)] = f"{digit}00"
            for phrase, digits in small.items():
                if len(phrase) == 1 and digits != "0":
                    out[(f"{head}{hundred}{phrase[0]}",)] = f"{digit}{digits:0>2}"
                    out[(f"{head}{hundred}und{phrase[0]}",)] = f"{digit}{digits:0>2}"
        out |= {(f"{head}tausend",): f"{digit}000" for head, digit in heads}
    if language == "es":
        for hundreds, cell in enumerate(_SPANISH_HUNDREDS.split(), start=1):
            out |= dict.fromkeys(_variants(cell), f"{hundreds}00")
    if language == "fr":
        out[("cent",)] = "100"
    return out


@cache
def number_words() -> frozenset[str]:
    """Return each word that begins a number below a hundred in any language."""
    return frozenset(phrase[0] for language in LANGUAGES for phrase in below_a_hundred(language))
