"""What was said, written down in its place: ``double five dash zwo`` becomes ``55          -    2  ``.

Each phrase is replaced by the digits, the letter or the sign it stands for and padded with blanks, so that
offsets stay those of the folded text. The detectors of numbers then read speech and writing alike. Nothing
is decided here: a phrase written down needlessly does no harm.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import numerals
from gongmcp.exposure.detect.spoken import AT_SIGNS, FILLERS, LETTER_NAMES, NATO, SIGN_WORDS, words

_TOKEN: Final = re.compile(r"[^\W_]+")
_AS_WRITTEN: Final = re.compile(r"[^\s@]{1,64}@[^\s@]+|[a-z]+://\S+|[0-9a-z_-]+(?:\.[0-9a-z_-]+)+")
_NUMBER_GAP: Final = re.compile(r"[\s.,;:()/+_–-]*")
_SAME_GAP: Final = re.compile(r"[^\S\n]*-?[^\S\n]*")
_HYPHEN: Final = re.compile(r"-")
_LOOK_AHEAD: Final = 3

_AS_IN: Final = re.compile(
    r"\b([a-z0-9])(?P<rest>,?\s(?:as in|as|for|like|wie|wie in|comme|comme dans|de|como|como en|as in the word)"
    r"\s(?!\1\b)\1[a-z]+\b)"
)
_CASE_BEFORE: Final = re.compile(
    r"\b(?:capital|upper ?case|lower ?case|gross(?:es|er|buchstabe)?|klein(?:es|er|buchstabe)?|majuscule|minuscule"
    r"|mayuscula|minuscula|letter|letra|lettre|buchstabe)(?=\s[a-z0-9]\b)"
)
_CASE_AFTER: Final = re.compile(r"(?<=\b[a-z])\s(?:majuscule|minuscule|mayuscula|minuscula)\b")
_ARTICLES: Final = words("die der das the le la el")
"""May stand between how often a digit comes and the digit: "zweimal die Null"."""
_DECIMAL_POINTS: Final = frozenset({"point", "punto", "punkt", "period", "ponto", "punt"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One phrase that was written down: its place, and *digits* when it was a number."""

    start: int
    end: int
    digits: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the text and its place."""

    word: str
    start: int
    end: int


class Written:
    """The folded text with speech written down: ``numbers`` (numbers and letters) and ``text`` (signs too)."""

    def __init__(self, text: str, *, spoken: bool = True) -> None:
        self._source = self.numbers = self.text = text
        self._tokens: list[Token] = []
        self._pieces: list[Piece] = []
        self._places: list[tuple[int, int, str]] = []
        if spoken:
            self._write_down()
        spans = sorted((start, end) for start, end, _ in self._places)
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._pieces.sort(key=lambda piece: piece.start)
        self._piece_starts = [piece.start for piece in self._pieces]

    def _write_down(self) -> None:
        text = self._source = _without_spelling_help(self._source)
        self._tokens = _spoken_tokens(text)
        self._numbers()
        self._letters()
        self.numbers = _apply(text, self._places)
        self._signs()
        self.text = _apply(text, self._places)

    def end(self, end: int) -> int:
        """Return where what was said up to *end* ends in the folded text."""
        index = bisect_right(self._starts, end - 1) - 1
        return max(end, self._ends[index]) if index >= 0 else end

    def pieces(self, start: int, end: int) -> list[Piece]:
        """Return the numbers said within *start* and *end*."""
        return self._pieces[bisect_left(self._piece_starts, start) : bisect_left(self._piece_starts, end)]

    def said(self, start: int, end: int) -> bool:
        """Tell whether anything from *start* to *end* was said rather than written."""
        return bisect_left(self._starts, start) < bisect_left(self._starts, end)

    # --- numbers -----------------------------------------------------------------------------------

    def _numbers(self) -> None:
        tokens, at = self._tokens, 0
        words = _starters()
        ranked: tuple[str, ...] | None = None
        hyphens = False
        while at < len(tokens):
            if tokens[at].word not in words:
                at += 1
                continue
            if ranked is None:
                ranked = _ranked({token.word for token in tokens})
                hyphens = self._hyphens()
            best: list[tuple[Piece, int]] = []
            end, score = at, 0
            for language in ranked:
                pieces, stop, said = _Reader(self._source, tokens, language, hyphens).read(at)
                if said > score:
                    best, end, score = pieces, stop, said
            if score > 1 or (score == 1 and self._alone(at)):
                for piece, _ in best:
                    self._pieces.append(piece)
                    self._places.append((piece.start, piece.end, piece.digits))
                self._blank_between([piece for piece, _ in best])
            at = max(end, at + 1)

    def _hyphens(self) -> bool:
        """Tell whether the numbers are written with hyphens, so that a blank parts two of them."""
        words = _starters()
        return any(
            left.word in words and right.word in words and self._source[left.end : right.start] == "-"
            for left, right in pairwise(self._tokens)
        )

    def _alone(self, at: int) -> bool:
        """Tell whether the word of a number at *at*, with none beside it, is one."""
        if self._tokens[at].word not in numerals.UNCERTAIN:
            return True
        if self._tokens[at].word == "o":
            return False
        around = [token.word for token in self._tokens[max(0, at - 3) : at + 4]]
        letters = sum(len(word) == 1 for word in around)
        if letters > 1 or (letters and sum(word in _starters() for word in around) > 1):
            return True
        following = next((token.word for token in self._tokens[at + 1 : at + 3] if token.word not in FILLERS), "")
        before = self._tokens[at - 1].word if at else ""
        return any(
            (len(word) == 1 and word not in {"a", "i", "y", "e"})
            or word.isdigit()
            or word in SIGN_WORDS
            or word in AT_SIGNS
            or word == "at"
            for word in (before, following)
        )

    def _blank_between(self, pieces: Sequence[Piece]) -> None:
        for left, right in pairwise(pieces):
            gap = self._source[left.end : right.start]
            for word in _TOKEN.finditer(gap):
                if not word.group().isdigit():
                    self._places.append((left.end + word.start(), left.end + word.end(), ""))

    # --- letters and signs -------------------------------------------------------------------------

    def _letters(self) -> None:
        """Write down the names of letters that stand beside spelt letters or digits."""
        numbers = {piece.start for piece in self._pieces}

        def spelt(index: int) -> bool:
            if not 0 <= index < len(self._tokens):
                return False
            token = self._tokens[index]
            return (
                len(token.word) == 1 or token.word in NATO or token.word in LETTER_NAMES or token.start in numbers
                or token.word in SIGN_WORDS
            )  # fmt: skip

        for index, token in enumerate(self._tokens):
            if token.word in FILLERS and token.start not in numbers and spelt(index - 1) and spelt(index + 1):
                comma = self._source[token.end : token.end + 1] in {",", "."}
                self._places.append((token.start, token.end + comma, ""))
                continue
            letter = NATO.get(token.word) or LETTER_NAMES.get(token.word)
            end = token.end
            following = self._tokens[index + 1] if index + 1 < len(self._tokens) else None
            step = 1
            if following is not None and f"{token.word} {following.word}" in LETTER_NAMES:
                letter, end, step = LETTER_NAMES[f"{token.word} {following.word}"], following.end, 2
            if letter is not None and token.start not in numbers and (spelt(index - 1) or spelt(index + step)):
                self._places.append((token.start, end, letter))

    def _signs(self) -> None:
        tokens = self._tokens
        signs, longest = _sign_phrases()
        numbers = {piece.start for piece in self._pieces}
        taken = {start for start, _, _ in self._places}
        at = 0
        while at < len(tokens):
            step = 1
            for length in range(min(longest.get(tokens[at].word, 0), len(tokens) - at), 0, -1):
                sign = signs.get(tuple(token.word for token in tokens[at : at + length]))
                if sign is None or tokens[at].start in taken or not self._tight(at, length):
                    continue
                between = (
                    0 < at < len(tokens) - length
                    and (tokens[at - 1].word.isdigit() or tokens[at - 1].start in numbers)
                    and (tokens[at + length].word.isdigit() or tokens[at + length].start in numbers)
                )  # fmt: skip
                if not (between and tokens[at].word in _DECIMAL_POINTS):
                    self._places.append((tokens[at].start, tokens[at + length - 1].end, sign))
                step = length
                break
            at += step

    def _tight(self, at: int, length: int) -> bool:
        tokens = self._tokens
        return all(tokens[i + 1].start - tokens[i].end == 1 for i in range(at, at + length - 1))


class _Reader:
    """Reads the numbers of one language from a word on, as far as they go."""

    def __init__(self, text: str, tokens: Sequence[Token], language: str, hyphens: bool) -> None:
        self.hyphens = hyphens and language in {"en", "fr"}
        self.adds = language in {"fr", "es"}  # "cent cinq" and "doscientos cinco" are one number
        self.text = text
        self.tokens = tokens
        self.phrases, self.longest = _phrases(language)
        self.hundreds = numerals.HUNDREDS[language]
        self.thousands = numerals.THOUSANDS[language]
        self.links = numerals.LINKS[language]

    def read(self, at: int) -> tuple[list[tuple[Piece, int]], int, int]:
        """Return the pieces with their number of words, where the run ends, and how many words are of numbers."""
        pieces: list[tuple[Piece, int]] = []
        said, end, skipped = 0, at, 0
        while at < len(self.tokens) and (at == end or skipped <= _LOOK_AHEAD) and (not pieces or self._near(at)):
            word = self.tokens[at].word
            start = at
            repeat, at = self._repeat(at)
            digits, stop = self._number(at)
            if digits and (repeat == 1 or len(digits) <= 2):
                piece = Piece(self.tokens[start].start, self.tokens[stop - 1].end, digits * repeat)
                pieces.append((piece, stop - start))
                said += stop - start
                at = end = stop
                skipped = 0
            elif word.isdigit() and word.isascii() and pieces:
                at = end = start + 1
                skipped = 0
            elif (word in FILLERS or word in self.links) and pieces:
                at = start + 1
                skipped += 1
            else:
                break
        return pieces, end, said

    def _near(self, at: int) -> bool:
        """Tell whether there is a word at *at*, and no written address, which is no token, between it and the last."""
        if at >= len(self.tokens):
            return False
        return _NUMBER_GAP.fullmatch(self.text, self.tokens[at - 1].end, self.tokens[at].start) is not None

    def _repeat(self, at: int) -> tuple[int, int]:
        for length in (2, 1):
            key = tuple(token.word for token in self.tokens[at : at + length])
            times = numerals.REPEATS.get(key)
            length += times is not None and self._word(at + length) in _ARTICLES
            if times and self._near(at + length):
                digits, _ = self._number(at + length)
                if digits or self.tokens[at + length].word.isdigit():
                    return times, at + length
        return 1, at

    def _word(self, at: int) -> str:
        return self.tokens[at].word if at < len(self.tokens) else ""

    def _phrase(self, at: int) -> tuple[str, int]:
        if at >= len(self.tokens):
            return "", at
        for length in range(min(self.longest.get(self.tokens[at].word, 0), len(self.tokens) - at), 0, -1):
            digits = self.phrases.get(tuple(token.word for token in self.tokens[at : at + length]))
            if digits is not None and self._together(at, length) and not self._begins_eighty(at + length - 1, length):
                return digits, at + length
        word = self.tokens[at].word
        if word.isdigit() and len(word) == 1 and at and self.tokens[at - 1].word in {"double", "triple", "doble"}:
            return word, at + 1
        return "", at

    def _begins_eighty(self, last: int, length: int) -> bool:
        """Tell whether a phrase would take the first word of ``quatre-vingt`` away from the second."""
        if length < 2 or self.tokens[last].word != "quatre" or last + 1 >= len(self.tokens):
            return False
        if self.hyphens and self.text[self.tokens[last].end : self.tokens[last + 1].start] != "-":
            return False
        return self.tokens[last + 1].word in {"vingt", "vingts"}

    def _together(self, at: int, length: int) -> bool:
        return all(
            (_HYPHEN if self.hyphens else _SAME_GAP).fullmatch(self.text, self.tokens[i].end, self.tokens[i + 1].start)
            or (self._near(i + 1) and not self.links.isdisjoint({self.tokens[i].word, self.tokens[i + 1].word}))
            for i in range(at, at + length - 1)
        )

    def _number(self, at: int) -> tuple[str, int]:
        digits, stop = self._phrase(at)
        if not digits or stop >= len(self.tokens) or not self._near(stop):
            return digits, stop
        following = self.tokens[stop].word
        if following in self.hundreds and digits != "0" and len(digits) <= 2:
            digits, stop = digits + "00", stop + 1
        if following in self.thousands and digits != "0" and len(digits) <= 2 and following != "mil":
            return digits + "000", stop + 1
        if len(digits) in {3, 4} and digits.endswith("00"):
            link = self._word(stop) in self.links
            more, after = self._phrase(stop + link) if self._near(stop) and self._near(stop + link) else ("", stop)
            if len(more) == 2 or (len(more) == 1 and (link or (self.adds and more != "0"))):
                return digits[:-2] + f"{more:0>2}", after
        return digits, stop


def _spoken_tokens(text: str) -> list[Token]:
    """Return the words of *text* but those within a written address or link, which say nothing but themselves."""
    links = [found.span() for found in _AS_WRITTEN.finditer(text) if any(map(str.isalpha, found.group()))]
    tokens, at = [], 0
    for found in _TOKEN.finditer(text):
        while at < len(links) and links[at][1] <= found.start():
            at += 1
        if at == len(links) or found.start() < links[at][0]:
            tokens.append(Token(found.group(), *found.span()))
    return tokens


@cache
def _starters() -> frozenset[str]:
    repeats = {phrase[0] for phrase in numerals.REPEATS}
    return frozenset(phrase[0] for language in numerals.LANGUAGES for phrase in numerals.phrases_of(language)) | repeats


@cache
def _phrases(language: str) -> tuple[numerals.Phrases, dict[str, int]]:
    phrases = numerals.phrases_of(language)
    longest: dict[str, int] = {}
    for phrase in phrases:
        longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return phrases, longest


@cache
def _sign_phrases() -> tuple[dict[tuple[str, ...], str], dict[str, int]]:
    signs = {tuple(_TOKEN.findall(said)): sign for said, sign in SIGN_WORDS.items()}
    longest: dict[str, int] = {}
    for said in signs:
        longest[said[0]] = max(longest.get(said[0], 0), len(said))
    return signs, longest


_MARKERS: Final = {
    "en": words("the and is my you of to it that we for are at on our"),
    "de": words("der die das und ist meine mein ich sie wir nummer lautet bitte auf unter den"),
    "fr": words("le la les et est mon ma vous je numero nous sur des au mes c"),
    "es": words("el la los y es mi de que numero en con su por mis lo"),
    "it": words("il la e di che mio mia per numero con sono"),
    "pt": words("o a os e meu minha que numero com por nao"),
    "nl": words("de het en is mijn van ik nummer een op"),
}


def _ranked(words: set[str]) -> tuple[str, ...]:
    """Return the languages, the likeliest of a text with these *words* first."""
    return tuple(sorted(numerals.LANGUAGES, key=lambda language: -len(words & _MARKERS[language])))


def _without_spelling_help(text: str) -> str:
    """Return *text* without ``as in Bravo`` behind a letter and ``capital`` before one, blanks in their place."""
    text = _AS_IN.sub(lambda found: found[1] + " " * len(found["rest"]), text)
    text = _CASE_BEFORE.sub(lambda found: " " * len(found.group()), text)
    return _CASE_AFTER.sub(lambda found: " " * len(found.group()), text)


def _apply(text: str, places: Sequence[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, said in sorted(places):
        if start < at:
            continue
        parts += (text[at:start], said, " " * (end - start - len(said)))
        at = end
    parts.append(text[at:])
    return "".join(parts)
