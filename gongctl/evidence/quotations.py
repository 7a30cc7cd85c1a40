"""Where a text quotes: pairs of quotation marks of any kind, and blocks that stand as quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gongctl.evidence.documents import Block
from gongctl.evidence.words import words_of

_PAIRS: Final = {
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
}
_NO_GUILLEMETS: Final = str.maketrans(dict.fromkeys("\u00ab\u00bb", " "))
_SINGLE_WORDS: Final = 4
"""So many words at least stand between single marks that quote; fewer are apostrophes more often than not."""

_STRAIGHT: Final = re.compile(r'(?<![\w"])"(?=\S)')
_SINGLE: Final = re.compile(
    "(?<!\\w)(?:\u2018(?P<curly>[^\u2018]+?)\u2019|'(?=\\w)(?P<straight>[^']*(?:\\b'\\b[^']*)*[\\w.,!?\u2026])')(?!\\w)"
)
_OPENERS: Final = {
    "opening": re.compile(f"[{re.escape(''.join(_PAIRS))}]"),
    "straight": _STRAIGHT,
    "single": _SINGLE,
}
_ELLIPSIS: Final = re.compile(r"[\[(]\s*(?:\.{2,}|\u2026)\s*[\])]|\.(?:\s?\.){2,}|\u2026")
_ATTRIBUTION: Final = re.compile(r"^\s*(?:\u2014|\u2013|--)\s.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """What stands between marks: *text* without them, the *line* that it begins on.

    *is_open*: the closing mark is missing, and it goes to the end of its paragraph.
    """

    text: str
    line: int
    is_open: bool = False

    def parts(self) -> list[str]:
        """Return what stands between its ellipses."""
        return [part for part in _ELLIPSIS.split(self.text) if words_of(part)]


def quotations_of(blocks: Iterable[Block], shortest: int = 1) -> Iterator[Quotation]:
    """Yield what *blocks* quote, in order. A block that stands as a quotation is one, unless it has marks of its own
    with *shortest* words at least; guillemets in it are the marks that a tool puts around what was searched for."""
    for block in blocks:
        if not block.is_quoted:
            yield from _marked(block)
            continue
        plain = block.text.translate(_NO_GUILLEMETS)
        inner = [item for item in _marked(Block(plain, block.line)) if len(words_of(item.text)) >= shortest]
        text = _ATTRIBUTION.sub("", block.text)
        if inner:
            yield from inner
        elif words_of(text):
            yield Quotation(" ".join(text.split()), block.line)


def _marked(block: Block) -> Iterator[Quotation]:
    text, marks = block.text, _Marks(block.text)
    at, line, counted = 0, block.line, 0
    while at < len(text):
        start, quote, end = marks.next(at)
        if quote is None:
            return
        line, counted = line + text.count("\n", counted, start), start
        if words_of(quote):
            yield Quotation(" ".join(quote.split()), line, is_open=end > len(text))
        at = end


class _Marks:
    """Finds the quotations of *text* in order. What was found ahead is kept, so that a text is gone through once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ahead: dict[str, re.Match[str] | None] = {}

    def next(self, at: int) -> tuple[int, str | None, int]:
        """Return where the next quotation from *at* on begins, its text, and where to go on (behind the end when it is
        not closed)."""
        text = self._text
        found = [self._first(name, at) for name in ("opening", "straight", "single")]
        begins = [item.start() for item in found if item is not None]
        if not begins:
            return 0, None, len(text)
        start, single = min(begins), found[2]
        if single is not None and start == single.start():
            return start, single["curly"] or single["straight"], single.end()
        end = _end(text, start)
        if end < 0:
            return start, text[start + 1 :], len(text) + 1
        return start, text[start + 1 : end], end + 1

    def _first(self, name: str, at: int) -> re.Match[str] | None:
        if name in self._ahead:
            known = self._ahead[name]
            if known is None or known.start() >= at:
                return known
        found = _OPENERS[name].search(self._text, at)
        while name == "single" and found and len(words_of(found[0])) < _SINGLE_WORDS:
            found = _SINGLE.search(self._text, found.start() + 1)
        self._ahead[name] = found
        return found


def _end(text: str, start: int) -> int:
    """Return where the quotation that opens at *start* closes, -1 where it does not; pairs of the same marks inside it
    are part of it."""
    opener = text[start]
    closers = _PAIRS.get(opener, '"')
    depth = 0
    for at in range(start + 1, len(text)):
        if text[at] in closers:
            if not depth:
                return at
            depth -= 1
        elif text[at] == opener:
            depth += 1
    return -1
