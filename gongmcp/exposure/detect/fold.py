"""The folded view of a text: what the detectors read instead of it, and the way back.

Folding undoes what hides an address from a pattern but not from a reader: case, width and other
compatibility forms, diacritics, look-alike letters of other scripts, digits of any script, dashes and
dots of any kind, and characters that are not seen at all. It is used to find things, never to show
them: every find is mapped back to characters of the raw text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from gongmcp.exposure.clean import INVISIBLE

if TYPE_CHECKING:
    from gongmcp.exposure.detect.written import Written

# Letters that look like a Latin one, each above its likeness. Capitals are looked up before lower
# case, because some are alike only as capitals (Cyrillic Н and н).
_CYRILLIC: Final = "АВЕКМНОРСТУХІЈЅЗЬаеорсухіјѕһԁԛԝүӏвкмтнгп"
_AS_LATIN: Final = "abekmhopctyxijszbaeopcyxijshdqwylbkmthrn"
_GREEK: Final = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχγω"
_GREEK_AS_LATIN: Final = "abezhikmnoptyxabeikvoptuxyw"
_OTHER: Final = {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
_DOTS: Final = "·•∙‧⋅。｡․‥…"  # a raised dot or bullet between groups of digits, an ideographic full stop

_LOOKS_LIKE: Final[dict[str, str]] = {
    **dict(zip(_CYRILLIC, _AS_LATIN, strict=True)),
    **dict(zip(_GREEK, _GREEK_AS_LATIN, strict=True)),
    **_OTHER,
    **dict.fromkeys(_DOTS, "."),
    "−": "-",
}


class _Folding(dict[int, str]):
    """Code point -> what stands for it in the folded view ('' = nothing); filled as it is asked."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    if char == "\n":
        return "\n"
    if char.isspace():
        return " "
    if char in _LOOKS_LIKE:
        return _LOOKS_LIKE[char]
    category = unicodedata.category(char)
    if INVISIBLE.match(char) or category in {"Cc", "Cf", "Cs", "Mn", "Me"}:
        return ""
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Pd":
        return "-"
    bare = "".join(part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn")
    if not bare.isascii():
        # Not a Latin letter: keep it composed (one Hangul syllable stays one character).
        bare = unicodedata.normalize("NFKC", char)
    return "".join(_LOOKS_LIKE.get(part, part.lower()) for part in bare)


BLOT: Final = "\x00"
"""Stands in the folded view for what was found before; folding itself yields no such character."""

_FOLDING: Final = _Folding()
_NOT_ASCII: Final = re.compile("[^\x00-\x7f]")
_FEW: Final = 8


def fold(text: str) -> str:
    """Return the folded form of *text* alone; for words in the detectors' tables."""
    return text.translate(_FOLDING)


class View:
    """A raw text with its folded form ``text``; ``raw_span`` maps a find back.

    Line feeds in the folded form are the sentence boundaries of a monologue (or line breaks). ``spoken`` tells
    whether there may be speech to write down.
    """

    __slots__ = ("_base", "_places", "_whole", "_written", "raw", "same", "spoken", "text")

    def __init__(self, raw: str, *, ordinary: bool = False) -> None:
        """*ordinary* promises that *raw* holds no control character but line feeds."""
        self.raw = raw
        self.text, self.same = _folded(raw, ordinary)
        self._places: list[int] | None = None
        self._written: Written | None = None
        self._whole = self
        self.spoken = True
        self._base = 0

    def part(self, start: int, end: int) -> View:
        """Return the view of ``text[start:end]`` alone; its spans are of the same raw text."""
        part = View.__new__(View)
        part.raw, part.same, part.text = self.raw, self.same, self.text[start:end]
        part._places = part._written = None
        part.spoken = True
        part._whole, part._base = self._whole, self._base + start
        return part

    @property
    def written(self) -> Written:
        """The folded text with speech written down in its place."""
        if self._written is None:
            from gongmcp.exposure.detect.written import Written  # its tables are made of folded words

            self._written = Written(self.text, spoken=self.spoken)
        return self._written

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw offsets of ``text[start:end]``, with the unseen characters that cling to its end."""
        if self._whole is not self:
            return self._whole.raw_span(start + self._base, end + self._base)
        if self.same:
            return start, end
        if self._places is None:
            self._places = [index for index, char in enumerate(self.raw) for _ in _FOLDING[ord(char)]]
        first, last = self._places[start], self._places[end - 1] + 1
        while last < len(self.raw) and not _FOLDING[ord(self.raw[last])]:
            last += 1
        return first, last

    def take_out(self, spans: Iterable[tuple[int, int]]) -> None:
        """Blot out *spans* of ``text``, for what was found there is no more to be found."""
        for start, end in spans:
            self.text = self.text[:start] + BLOT * (end - start) + self.text[end:]
        self._written = None

    def raw_char(self, index: int) -> str:
        """Return the raw character behind ``text[index]``, for instance to see its case."""
        return self.raw[self.raw_span(index, index + 1)[0]]


def _folded(raw: str, ordinary: bool) -> tuple[str, bool]:
    """Return the folded text, and whether each of its characters stands where it stands in *raw*."""
    if ordinary:
        if raw.isascii():
            return raw.lower(), True
        # Most text that is not ASCII holds a few accents, dots and currency signs: five times as fast.
        special = set(_NOT_ASCII.findall(raw))
        if len(special) <= _FEW and all(len(_FOLDING[ord(char)]) == 1 for char in special):
            text = raw
            for char in special:
                text = text.replace(char, _FOLDING[ord(char)])
            return text.lower(), True
    return raw.translate(_FOLDING), False
