"""Text as the words that decide whether a quotation is verbatim: case, marks and typography do not count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(
    r"""\{redacted:[a-z_]+\}            # the mark of something masked
      | (?<![^\W_])[-\u2212](?=\d)      # a minus
      | \d+(?:[.,:]\d+)*                # a number with its points
      | [^\W\d_]+(?:['\u2019\u02bc][^\W\d_]+)*
      | [$\u20ac\u00a3\u00a5%]""",
    re.VERBOSE,
)
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2212": "-"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word: *key* is what is compared, *text* how it is written, *start* and *end* its place in the text."""

    key: str
    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Return the words of *text* in order. Numbers, signs of money and per cent, a minus and marks are words too."""
    return [Word(_key(found[0]), found[0], *found.span()) for found in _WORD.finditer(text)]


def phrase_of(words: Sequence[Word]) -> str:
    """Return *words* as a phrase for the full-text index, '' when none of them is indexed."""
    plain = (re.sub(r"[\W_]+", " ", word.text.removeprefix("{")).strip() for word in words)
    text = " ".join(filter(None, plain))
    return f'"{text}"' if text else ""


def is_mark(word: Word) -> bool:
    """Tell whether *word* stands for something that was masked."""
    return word.key.startswith("{")


def _key(text: str) -> str:
    if text.isascii() and text.isalpha():
        return text.lower()  # nearly all words, without what the others need
    if text.startswith("{"):
        return text
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    # 1,200 and 1200 are one number; 3,5 and 3.5 are not known to be.
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", folded)
