"""How people say numbers, letters and signs in four languages: the other way round than the detectors read them."""

from __future__ import annotations

DIGITS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "de": ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"],
    "fr": ["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"],
    "es": ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"],
}

_TEENS = {
    "en": "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "de": "zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
    "es": "diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}

SIGNS = {
    "en": {"@": "at", ".": "dot", "-": "dash", "_": "underscore", "/": "slash", "+": "plus"},
    "de": {"@": "at", ".": "punkt", "-": "bindestrich", "_": "unterstrich", "/": "schrägstrich", "+": "plus"},
    "fr": {"@": "arobase", ".": "point", "-": "tiret", "_": "tiret du bas", "/": "slash", "+": "plus"},
    "es": {"@": "arroba", ".": "punto", "-": "guion", "_": "guion bajo", "/": "barra", "+": "más"},
}

FILLERS = {"en": "um", "de": "äh", "fr": "euh", "es": "eh"}

LANGUAGES = tuple(DIGITS)


def one_by_one(text: str, language: str) -> list[str]:
    """Return the words for *text*, digit by digit and letter by letter."""
    said: list[str] = []
    for char in text:
        if char.isdigit():
            said.append(DIGITS[language][int(char)])
        elif char in SIGNS[language]:
            said.append(SIGNS[language][char])
        elif not char.isspace():
            said.append(char)
    return said


def pair(number: int, language: str) -> str:
    """Return the words for a number of two digits."""
    tens, unit = divmod(number, 10)
    if tens == 1:
        return _TEENS[language].split()[unit]
    one = DIGITS[language][unit]
    if language == "fr":
        return _french_pair(tens, unit)
    ten = _TENS[language].split()[tens - 2]
    if not unit:
        return ten
    if language == "en":
        return f"{ten}-{one}"
    if language == "de":
        return f"{'ein' if unit == 1 else one}und{ten}"
    if tens == 2:
        return "veinti" + {2: "dós", 3: "trés", 6: "séis"}.get(unit, one)
    return f"{ten} y {one}"


def _french_pair(tens: int, unit: int) -> str:
    names = _TENS["fr"].split()
    base = {7: "soixante", 8: "quatre-vingt", 9: "quatre-vingt"}.get(tens) or names[tens - 2]
    if tens in {7, 9}:
        teen = _TEENS["fr"].split()[unit]
        return f"{base} et {teen}" if (tens, unit) == (7, 1) else f"{base}-{teen}"
    if not unit:
        return "quatre-vingts" if tens == 8 else base
    if unit == 1 and tens != 8:
        return f"{base} et un"
    return f"{base}-{DIGITS['fr'][unit]}"


def in_pairs(digits: str, language: str) -> list[str]:
    """Return the words for *digits*, two at a time; pairs that begin with 0 digit by digit."""
    said: list[str] = []
    for at in range(0, len(digits), 2):
        two = digits[at : at + 2]
        said += one_by_one(two, language) if len(two) == 1 or two[0] == "0" else [pair(int(two), language)]
    return said


def parted(words: list[str], parts: int) -> list[str]:
    """Return *words* as so many sentences."""
    size = -(-len(words) // parts)
    return [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
