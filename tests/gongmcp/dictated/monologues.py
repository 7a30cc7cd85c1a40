"""Monologues in which a value is dictated in pieces, a sentence each; what must go stands in ``[[`` and ``]]``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.gongmcp.detect_speech import DIGITS, SIGNS, in_pairs, one_by_one
from tests.gongmcp.dictated.phrases import ABOUT, BACKWARDS, BETWEEN, LAST, NEXT, OPENING, SURE, WAIT
from tests.gongmcp.dictated.values import MAKERS

MANNERS = ("plain", "interrupted", "corrected", "repeated", "backwards", "unled")
_PIECE = re.compile(r"\[\[(.*?)\]\]")
_CAPITAL = {"en": "capital", "de": "groß", "fr": "majuscule", "es": "mayúscula"}


@dataclass(frozen=True, slots=True)
class Line:
    """One monologue: *what* is dictated in it and how, and its marked *text*, sentences parted by ``//``."""

    what: str
    language: str
    manner: str
    said: bool
    text: str

    @property
    def sentences(self) -> list[str]:
        return _PIECE.sub(r"\1", self.text).split(" // ")

    def kept(self, spans: Sequence[Sequence[tuple[int, int]]]) -> list[str]:
        """Return the pieces of which a letter or digit stands outside *spans* (start and end, by sentence)."""
        kept = []
        for marked, covered in zip(self.text.split(" // "), spans, strict=True):
            for index, found in enumerate(_PIECE.finditer(marked)):
                start = found.start() - 4 * index
                places = [at for at, char in enumerate(found[1], start) if char.isalnum()]
                if not all(any(first <= at < last for first, last in covered) for at in places):
                    kept.append(found[1])
        return kept


def _parts(random: Random, groups: list[str]) -> list[str]:
    """Join *groups* to two, three or four parts."""
    count = min(len(groups), random.choice((2, 2, 3, 3, 4)))
    cuts = sorted(random.sample(range(1, len(groups)), count - 1))
    return [" ".join(groups[start:end]) for start, end in zip([0, *cuts], [*cuts, len(groups)], strict=True)]


def _spoken(random: Random, part: str, language: str) -> str:
    words: list[str] = []
    spell = random.random() < 0.5
    for token in re.findall(r"[0-9]+|[A-Za-z]+|[^\sA-Za-z0-9]", part):
        if token.isdigit():
            words += in_pairs(token, language) if random.random() < 0.35 else one_by_one(token, language)
        elif token.isalpha() and len(token) > 2 and token.islower() and not spell:
            words.append(token)
        elif token.isalpha():
            for char in token:
                words += [_CAPITAL[language], char] if char.isupper() and spell else [char]
        else:
            words.append(SIGNS[language].get(token, token))
    return " ".join(words)


def _wrong(random: Random, part: str) -> str:
    return "".join(random.choice("23456789") if char.isdigit() else char for char in part)


def dictate(random: Random, what: str, language: str, manner: str, *, said: bool) -> Line:
    """Return one monologue in which a value of the kind *what* is dictated in this *manner*, *said* or written."""
    parts = _parts(random, MAKERS[what](random, language))
    if what in {"key", "link", "email"}:
        parts = [part.replace(" ", "") for part in parts]
    shown = [f"[[{_spoken(random, part, language) if said else part}]]" for part in parts]
    if manner == "backwards" and what in ABOUT:
        end, start = random.choice(BACKWARDS[language])
        text = [random.choice(ABOUT[what][language]), end.format(shown[-1]) + ".", start.format(shown[0]) + "."]
        text += [random.choice(NEXT[language]).format(piece) + "." for piece in shown[1:-1]]
        return Line(what, language, manner, said, " // ".join(map(_capital, text)))
    text = [random.choice(OPENING[what][language]).format(shown[0]) + "."]
    for index in range(1, len(shown)):
        leads = LAST if index == len(shown) - 1 and random.random() < 0.6 else NEXT
        lead = "{}" if manner == "unled" else random.choice(leads[language])
        piece = shown[index]
        if manner == "interrupted" and random.random() < 0.7:
            text.append(random.choice(BETWEEN[language]))
        if manner == "corrected" and index == 1 and any(map(str.isdigit, parts[index])) and what != "email":
            wrong = _wrong(random, parts[index])
            wrong = _spoken(random, wrong, language) if said else wrong
            piece = f"[[{wrong}]], {random.choice(WAIT[language])} {piece}"
        if manner == "repeated" and random.random() < 0.6:
            text.append(f"{shown[index - 1]}, {random.choice(SURE[language])}.")
        text.append(lead.format(piece) + ".")
    return Line(what, language, manner, said, " // ".join(map(_capital, text)))


def _capital(sentence: str) -> str:
    return sentence if sentence.startswith("[[") else sentence[0].upper() + sentence[1:]


def lines(seed: int, each: int) -> list[Line]:
    """Return *each* monologues of every kind, language and manner, said and written by turns."""
    random = Random(seed)
    return [
        dictate(random, what, language, manner, said=bool(turn % 2))
        for what in MAKERS
        for language in DIGITS
        for manner in MANNERS
        for turn in range(each)
    ]
