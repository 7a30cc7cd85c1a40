"""Keys that are read out of a screen in pieces: a token of letters and digits in each of some sentences.

Nothing announces them. What tells is their form, letters and digits in turn as no word has them, and that the
sentences say little else ("The first block is ... Then ... And it ends with ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import intents, pieces
from gongmcp.exposure.detect.dictation import Bit
from gongmcp.exposure.detect.dictation_words import ORDER
from gongmcp.exposure.detect.fold import View

Find = tuple[int, int, str]

_TURNED: Final = r"(?:[a-z][0-9]+[a-z]|[0-9][a-z]+[0-9])"
PATTERN: Final = rf"(?:^|[^0-9a-z.@/-])[0-9a-z_]*(?:[0-9a-z_]{_TURNED}|{_TURNED}[0-9a-z])"
"""What a text with a piece holds, for the quick look (see ``first``)."""
_MIXED: Final = re.compile(_TURNED)
_TOKEN: Final = re.compile(r"(?<![\w@.$€£/'-])[0-9a-z]+(?:[_-][0-9a-z]+)*_?(?![\w@/%-]|\.[a-z0-9])")
_ORDINARY: Final = re.compile(
    r"(?:[1-4][qh]|[qh][1-4])(?:(?:fy|cy)?(?:19|20)?\d\d)?|(?:fy|cy)\d{2,4}(?:[qh][1-4])?|b2b2?c?|[a-z]2[a-z]|covid-?\d*"
    r"|\d+(?:st|nd|rd|th|er|eme|k|m|bn|mm|mn|x|[kmgt]?b|[kmgt]?wh?|ml|mg|kg|km|bps|am|pm|pct|[mg]?hz|ft|sq|h\d*|min|usd|eur)"
    r"|v\d+(?:(?:alpha|beta|dev|pre|rc|a|b|p)\d*)?|\d{1,3}[a-z]\d{0,2}|[a-z]\d{1,3}|[a-z]\d[a-z]|w3c|(?:19|20)\d\ds?|mp[34]|\d+-[a-z]+|[a-z]+-\d+"
)
_PREFIX: Final = re.compile(r"(?:[sprt]k|tok|token|key|api|pat|gh[a-z]|live|test|prod|secret|akia\w*)[_-]")
_HEADS: Final = frozenset({"akia", "asia", "ghp", "glpat", "xoxb", "xoxp"})
_LEAST_TOKEN: Final = 4
_LONGEST: Final = 40
_LEAST_AFTER: Final = 6
"""Behind a key that was found a piece has so many characters at least."""
_LEAST: Final = 8
_MOST_WORDS: Final = 10
_FEW_WORDS: Final = 3
_SILENT, _MOST_SILENT = 8, 1


@dataclass(slots=True)
class _Sentence:
    start: int
    end: int
    places: list[tuple[int, int]] = field(default_factory=list)
    strong: bool = False
    found: bool = False  # holds what is known to be a key
    words: int = 0
    ordered: bool = False


def first(text: str, places: Iterable[tuple[int, int]]) -> int:
    """Return where the first of *places* begins that holds a token which is nothing ordinary; -1 for none."""
    if "\n" not in text and ". " not in text:
        return -1
    for start, end in places:
        token = _TOKEN.search(text, max(0, start - (start > 0)), end + _LONGEST)
        if token is None or not _ORDINARY.fullmatch(token.group()):
            return start
    return -1


def find(view: View, bits: Sequence[Bit], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each piece of each key; none is yielded that touches *finds* of another kind."""
    keys = [(start, end) for start, end, kind in finds if kind == "key"]
    if not keys and not _MIXED.search(view.text):
        return
    others = [(start, end) for start, end, kind in finds if kind not in {"key", "phone"}]
    row: list[_Sentence] = []
    silent = 0
    for first, stop in pieces.sentences(bits):
        here = _read(view, bits, first, stop, keys, others)
        if (here.places or here.found) and here.words <= _MOST_WORDS:
            row.append(here)
            silent = 0
            continue
        silent += 1
        if row and (silent > _MOST_SILENT or here.words > _SILENT):
            yield from _of_row(view, row)
            row = []
    yield from _of_row(view, row)


def _read(
    view: View, bits: Sequence[Bit], first: int, stop: int,
    keys: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]],
) -> _Sentence:  # fmt: skip
    here = _Sentence(bits[first].start, bits[stop - 1].end)
    here.found = any(start < here.end and here.start < end for start, end in keys)
    inside = 0
    for token in _TOKEN.finditer(view.text, here.start, here.end):
        start, end = token.span()
        if any(first < end and start < last for first, last in others):
            continue
        strong, piece = _form(view, start, end)
        if piece:
            here.places.append((start, end))
            here.strong = here.strong or strong
            inside += sum(start <= bit.start < end for bit in bits[first:stop])
    here.words = stop - first - inside
    here.ordered = any(bit.word in ORDER for bit in bits[first:stop])
    return here


def _form(view: View, start: int, end: int) -> tuple[bool, bool]:
    """Tell whether a token has the form of a key by itself, and whether it may be a piece of one."""
    token = view.text[start:end]
    if len(token) < _LEAST_TOKEN:
        return False, False
    bare = token.replace("_", "").replace("-", "")
    letters = sum(map(str.isalpha, bare))
    if len(bare) < _LEAST_TOKEN or _ORDINARY.fullmatch(token):
        return False, False
    raw = view.raw[slice(*view.raw_span(start, end))]
    mixed = sum(left.islower() and right.isupper() for left, right in pairwise(raw)) > 1
    if letters in {0, len(bare)}:
        return False, ("_" in token or mixed or bare in _HEADS) and "-" not in token
    prefixed = _PREFIX.match(token) is not None
    turns = sum(left.isdigit() != right.isdigit() for left, right in pairwise(bare))
    if "-" in token and not prefixed and raw != raw.upper():
        return False, False  # "mid-2020s", "covid-19-related"
    return prefixed or turns > 1, prefixed or turns > 1 or mixed or raw == raw.upper() or bare[:1].isdigit()


def _of_row(view: View, row: Sequence[_Sentence]) -> Iterator[Find]:
    if len(row) < 2 or intents.OTHER.search(view.text, row[0].start, row[-1].end):
        return
    sizes = [sum(end - start for start, end in sentence.places) for sentence in row]
    known = any(sentence.found for sentence in row)
    led = any(sentence.ordered for sentence in row) or all(sentence.words <= _FEW_WORDS for sentence in row)
    if not led or not (known or any(sentence.strong for sentence in row)):
        return
    if known:
        row = [sentence for sentence, size in zip(row, sizes, strict=True) if size >= _LEAST_AFTER or sentence.strong]
    elif sum(size > 0 for size in sizes) < 2 or sum(sizes) < _LEAST:
        return
    for sentence in row:
        for start, end in sentence.places:
            yield start, end, "key"
