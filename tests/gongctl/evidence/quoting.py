"""True quotations of the bundled sample, and the same doctored: made by a seed, in every form of quotation marks."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gongmcp.store.schema import INDEX_BITS

MARKS = ('"{}"', "\u201c{}\u201d", "\u201e{}\u201c", "\u00ab {} \u00bb", "\u2018{}\u2019", "> {}")
DOCTORED = ("word", "number", "negation", "order", "splice")
_PLAIN = re.compile(r"[A-Za-z0-9 ,.%$'{}:_-]+")
_WORD = re.compile(r"[A-Za-z]{4,}")


@dataclass(frozen=True)
class Written:
    """A paragraph that quotes: its text, what was quoted, what was done to it."""

    paragraph: str
    quote: str
    what: str


def sentences(db: Path) -> list[tuple[int, int, str]]:
    """Return (segment, speaker, masked text) of everything that is served."""
    connection = sqlite3.connect(db)
    rows = connection.execute("SELECT segment_no, speaker_no, text FROM segments ORDER BY segment_no").fetchall()
    connection.close()
    return [row for row in rows if _PLAIN.fullmatch(row[2])]


def true_quotes(db: Path, seed: int, count: int) -> list[Written]:
    """Return *count* paragraphs that quote what was said, each in its own way."""
    rnd = random.Random(seed)
    said = sentences(db)
    long = [at for at, row in enumerate(said) if len(row[2].split()) >= 8]
    masked = [at for at in long if "{redacted:" in said[at][2]]
    out = []
    while len(out) < count:
        at = rnd.choice(masked if masked and len(out) % 20 == 0 else long)
        what, quote = rnd.choice(list(_ways(said, at, rnd)))
        out.append(Written(_paragraph(quote, rnd), quote, what))
    return out


def doctored_quotes(db: Path, seed: int, count: int) -> list[Written]:
    """Return *count* paragraphs whose quotations were changed, in turn in each of the ways of ``DOCTORED``."""
    rnd = random.Random(seed)
    said = sentences(db)
    everything = " ".join(row[2].casefold() for row in said)
    long = [row[2] for row in said if 8 <= len(row[2].split()) <= 40]
    out: list[Written] = []
    while len(out) < count:
        what = DOCTORED[len(out) % len(DOCTORED)]
        quote = _doctored(what, long, rnd)
        if quote is not None and quote.casefold() not in everything:
            out.append(Written(_paragraph(quote, rnd), quote, what))
    return out


def _ways(said: list[tuple[int, int, str]], at: int, rnd: random.Random) -> Iterator[tuple[str, str]]:
    number, speaker, text = said[at]
    words = text.split()
    yield "whole", text
    first = rnd.randrange(0, len(words) - 5)
    yield "part", " ".join(words[first : first + rnd.randrange(5, len(words) - first + 1)]).rstrip(",")
    yield "capital", text[0].upper() + text[1:].rstrip(".")
    if len(words) >= 12:
        yield "ellipsis", " ".join(words[:4]) + rnd.choice([" ... ", " \u2026 ", " [...] "]) + " ".join(words[-4:])
    if at + 1 < len(said):
        then, same, more = said[at + 1]
        if then == number + 1 and same == speaker and then >> INDEX_BITS == number >> INDEX_BITS:
            yield "two sentences", f"{text} {more}"


def _doctored(what: str, long: list[str], rnd: random.Random) -> str | None:
    text = rnd.choice(long)
    words = text.split()
    if what == "word":
        at = rnd.choice([i for i, word in enumerate(words) if _WORD.fullmatch(word)] or [-1])
        return (
            None if at < 0 else " ".join([*words[:at], rnd.choice(["nearly", "pricing", "churned"]), *words[at + 1 :]])
        )
    if what == "number":
        found = list(re.finditer(r"(?<![\w.,{:])\d+(?![\w,])", text))
        if not found:
            return None
        one = rnd.choice(found)
        return text[: one.start()] + str(int(one[0]) + rnd.randrange(1, 9)) + text[one.end() :]
    if what == "negation":
        found = list(re.finditer(r"\b(is|are|was|were|will|have|has|can|do)\b(?! not)(?!')", text))
        if " not " in text:
            return text.replace(" not ", " ", 1)
        if not found:
            return None
        one = rnd.choice(found)
        return f"{text[: one.end()]} not{text[one.end() :]}"
    if what == "order":
        at = rnd.randrange(0, len(words) - 2)
        words[at], words[at + 1] = words[at + 1], words[at]
        swapped = " ".join(words)
        return None if swapped.casefold().split() == text.casefold().split() else swapped
    other = rnd.choice(long).split()
    return " ".join([*words[: max(4, len(words) // 2)], *other[-max(4, len(other) // 2) :]])


def _paragraph(quote: str, rnd: random.Random) -> str:
    mark = rnd.choice(MARKS)
    if "'" in quote and mark.startswith("\u2018"):
        mark = MARKS[1]
    if rnd.random() < 0.3:
        quote = quote.replace("'", "\u2019")
    broken = quote
    if rnd.random() < 0.3:
        words = quote.split()
        half = len(words) // 2
        broken = " ".join(words[:half]) + ("\n> " if mark.startswith(">") else "\n") + " ".join(words[half:])
    if mark.startswith(">"):
        return mark.format(broken)
    return f"On this call somebody said {mark.format(broken)}, which matters."
