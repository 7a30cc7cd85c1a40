"""How a text is read when names are looked for in it: its views, its words, its canonical line.

A reader sees the same name through escapes, width, accents, look-alike letters and characters that are not
seen at all. A *view* is the text with one way of undoing these; most texts have one view, which is the text
itself. Of a view there are

- its *words*: what an index of words holds for the text (``index_words``);
- its *canonical line*: the tokens in lower case, one sign between each two, on which patterns are matched;
- the way back: where a stretch of the canonical line stands in the text as it was given.

A *token* is a longest run of letters and digits. In scripts that are written without blanks (Chinese, Japanese,
Korean, Thai and their like) each character is a token. ``&`` and ``+`` are tokens too. Inside a token, a change
of case (``AcmeRenewal``) or from letters to digits (``Acme2024``) is a *soft* boundary.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from gongmcp.exposure.clean import INVISIBLE
from gongmcp.exposure.detect.fold import fold
from gongmcp.governance.words import SAID_CONNECTORS, STOP_WORDS

SOFT: Final = "·"
"""The soft boundary in a canonical line."""

LONGEST_SPELT: Final = 12
"""A word of at most this many letters is also known when its letters are said one by one."""

GRAM: Final = 3
"""Length of the pieces of e-mail addresses that an index of words holds."""

_MOST_PARTS: Final = 6  # a token with more soft boundaries is an id or a digest, not words run together
_MOST_ROUNDS: Final = 3  # JSON inside JSON inside JSON

# ---------------------------------------------------------------------------------------------- folding

_SMALL_CAPITALS: Final = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡɩꞵ"
_AS_LATIN: Final = "abcdefghijklmnoprstuvwyzagib"
_ALIKE: Final = {  # letters of other scripts, beyond those of gongmcp.exposure.detect.fold
    **dict(zip("ԱՕՏՍԼօսոհցզ", "uosulounhgq", strict=True)),
    **dict(zip("ᎪᏴᏟᎠᎬᏀᎻᏆᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "abcdeghijklmprstvwz", strict=True)),
    **dict(zip("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "bpdtgkjczfmnlsrvhwxyaeiou", strict=True)),
}
_SIGNS: Final = {
    **dict.fromkeys("’‘ʼ＇`´ʹ′‛ʻ", "'"),
    **dict.fromkeys("™℠", " "),  # else a name and its mark would become one word
    **dict.fromkeys("–—―", " "),  # a dash between words; the hyphens are left to fold()
    **dict.fromkeys("﹠⅋", "&"),
    **dict(zip(_SMALL_CAPITALS, _AS_LATIN, strict=True)),
}
_OTHER_SCRIPTS: Final = re.compile("[\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\u1f00-\u1fff\ua4d0-\ua4ff]")


class _Shape(dict[int, str]):
    """Code point -> its folded form with the case kept; filled as it is asked.

    *alike*: letters of other scripts become the Latin ones that they look like, else they stay what they
    are. *spaced*: a character that is not seen parts words, else it is nothing.
    """

    def __init__(self, alike: bool, spaced: bool) -> None:
        super().__init__()
        self._alike = alike
        self._hidden = " " if spaced else ""

    def __missing__(self, code: int) -> str:
        shape = self[code] = self._shape(chr(code))
        return shape

    def _shape(self, char: str) -> str:
        if char in _SIGNS:
            return _SIGNS[char]
        if unicodedata.category(char) == "Mc":
            return ""
        if _OTHER_SCRIPTS.match(char):
            folded = _alike(char) if self._alike else _bare(char)
        else:
            folded = fold(fold(char))  # twice: a capital may become a letter that is folded itself
            if not folded and INVISIBLE.match(char):
                return self._hidden
        upper = folded.upper() if char.isupper() or char.istitle() else folded
        return upper if len(upper) == len(folded) else folded


def _bare(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in {"Mn", "Me", "Mc"})


def _alike(char: str) -> str:
    """Return the Latin letter that *char* looks like in either case, else the letter in lower case."""
    for form in (char, char.lower(), char.upper()):
        folded = _ALIKE.get(form) or fold(form)
        if folded.isascii():
            return folded
    return fold(_bare(char))


_SHAPES: Final = {(alike, spaced): _Shape(alike, spaced) for alike in (True, False) for spaced in (True, False)}

# ---------------------------------------------------------------------------------------------- escapes

_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}"
    r"|\\[nrtbf\"'/\\]"
    r"|(?:%[0-9a-fA-F]{2})+"
    r"|&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});"
)
_LETTER_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    if escape[0] == "%":
        return bytes.fromhex(escape.replace("%", "")).decode("utf-8", "replace")
    if escape[0] == "&":
        return html.unescape(escape)
    if escape[1] == "u":
        units = bytes.fromhex(escape.replace("\\u", ""))
        return units.decode("utf-16-be", "replace")
    if escape[1] == "x":
        return chr(int(escape[2:4], 16))
    return _LETTER_ESCAPES.get(escape[1], escape[1])


def _spans(text: str) -> list[tuple[int, int]]:
    """Return, for each character of the unescaped *text*, where it stands in *text*."""
    spans: list[tuple[int, int]] = []
    end = 0
    for found in _ESCAPE.finditer(text):
        spans += ((place, place + 1) for place in range(end, found.start()))
        spans += (found.span() for _ in _unescaped(found))
        end = found.end()
    spans += ((place, place + 1) for place in range(end, len(text)))
    return spans


# ----------------------------------------------------------------------------------------------- tokens

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
TOKEN: Final = re.compile(rf"[^\W_{_UNSPACED}]+|[{_UNSPACED}&+]")
_ASCII_TOKEN: Final = re.compile(r"[a-z0-9]+|[&+]")
_UNSPACED_CHAR: Final = re.compile(f"[{_UNSPACED}]")
_SOFT_BOUNDARY: Final = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
)
_MAY_BE_SOFT: Final = re.compile(r"[A-Z][A-Z][a-z]|[a-z][A-Z]|\d[^\W\d_]|[^\W\d_]\d")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\]{},;:\"'|\\/=?&]+")
_BETWEEN: Final = " \t\r\n()[]{}<>"


def unspaced(token: str) -> bool:
    """Tell whether *token* is a character of a script that puts no blanks between words."""
    return len(token) == 1 and not token.isascii() and _UNSPACED_CHAR.match(token) is not None


def weak(token: str) -> bool:
    """Tell whether *token* is so short or so common that the words around it must be known as well."""
    return len(token) <= 2 or token in STOP_WORDS


def soft_parts(token: str) -> list[str]:
    """Return *token* (with its case) cut at its soft boundaries; whole when it has none or too many."""
    parts = _SOFT_BOUNDARY.split(token)
    return parts if len(parts) <= _MOST_PARTS else [token]


def addresses(shaped: str) -> Iterator[tuple[int, str]]:
    """Yield what looks like an e-mail address in *shaped*, in lower case, with where it begins."""
    for found in _ADDRESS.finditer(shaped):
        if "@" in found.group():
            yield found.start(), found.group().lower()


def grams(text: str) -> set[str]:
    """Return the words that an index holds for an e-mail address *text*."""
    return {f"@{text[place : place + GRAM]}" for place in range(len(text) - GRAM + 1)}


class View:
    """One way of reading a text. ``shaped`` is the folded text with its case kept."""

    __slots__ = ("_back", "_layers", "_shape", "shaped")

    def __init__(self, layers: tuple[str, ...], shape: _Shape | None) -> None:
        """*layers*: the text as given, then unescaped once, twice and so on; the last one is read."""
        self._layers = layers
        self._shape = shape
        self.shaped = layers[-1] if shape is None else layers[-1].translate(shape)
        self._back: list[int] | None = None

    def words(self) -> set[str]:
        """Return what an index of words holds for this view."""
        shaped = self.shaped
        ascii_only = shaped.isascii()
        tokens = (_ASCII_TOKEN if ascii_only else TOKEN).findall(shaped.lower())
        words = set(tokens)
        if _MAY_BE_SOFT.search(shaped):
            words |= soft_words(shaped)
        if not _OFTEN_SINGLE.isdisjoint(words) or not ascii_only:
            words |= spelt_words(tokens)
        if not _JOINTS.isdisjoint(words):
            words |= _joint_words(tokens)
        if not ascii_only and _UNSPACED_CHAR.search(shaped):
            words |= {first + second for first, second in pairwise(tokens) if unspaced(first) and unspaced(second)}
        if "@" in shaped:
            for _, address in addresses(shaped):
                words |= grams(address)
        return words

    def canonical(self) -> tuple[str, list[int]]:
        """Return the canonical line, and for each of its characters the place in ``shaped``."""
        shaped = self.shaped
        pieces: list[str] = []
        places: list[int] = []
        end = 0
        for found in TOKEN.finditer(shaped):
            token = found.group()
            if pieces:
                # "&" stands between blanks, so that patterns need to know one form of it only.
                sign = " " if token in "&+" or pieces[-1] in "&+" else _sign(shaped[end : found.start()])
                pieces.append(sign)
                places.append(end)
            place = found.start()
            parts = soft_parts(token)
            for number, part in enumerate(parts):
                if number:
                    places.append(place)
                places += range(place, place + len(part))
                place += len(part)
            pieces.append(SOFT.join(parts).lower())
            end = found.end()
        return "".join(pieces), places

    def read_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``shaped[start:end]`` stands in the last layer, with the unseen characters at its end."""
        if self._shape is None:
            return start, end
        text, shape = self._layers[-1], self._shape
        if self._back is None:
            self._back = [place for place, char in enumerate(text) for _ in shape[ord(char)]]
        first, last = self._back[start], self._back[end - 1] + 1
        while last < len(text) and not shape[ord(text[last])]:
            last += 1
        return first, last

    def read(self, start: int, end: int) -> str:
        """Return the characters behind ``shaped[start:end]`` as the last layer has them."""
        first, last = self.read_span(start, end)
        return self._layers[-1][first:last]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``shaped[start:end]`` stands in the text as it was given."""
        first, last = self.read_span(start, end)
        for layer in reversed(self._layers[:-1]):
            spans = _spans(layer)
            first, last = spans[first][0], spans[last - 1][1]
        return first, last


def _sign(gap: str) -> str:
    if gap in {"'", "-", "@", "/", "."}:
        return gap
    return "." if gap.strip(_BETWEEN) == "." else " "


_OFTEN_SINGLE: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_JOINTS: Final = SAID_CONNECTORS | {"&", "+"}


def soft_words(shaped: str) -> set[str]:
    """Return the parts of the tokens of *shaped* that have soft boundaries, alone and put together."""
    words: set[str] = set()
    for token in TOKEN.findall(shaped):
        if len(token) == 1 or (token.islower() and token.isalpha()):
            continue
        parts = soft_parts(token)
        if len(parts) > 1:
            lower = [part.lower() for part in parts]
            words |= {"".join(lower[a:b]) for a in range(len(lower)) for b in range(a + 1, len(lower) + 1)}
    return words


def spelt_words(tokens: list[str]) -> set[str]:
    """Return what letters that stand one by one in *tokens* spell."""
    words: set[str] = set()
    run = ""
    for token in [*tokens, ""]:
        if len(token) == 1 and token not in "&+" and not unspaced(token):
            run += token
            continue
        if len(run) > 1:
            words |= {run[a:b] for a in range(len(run)) for b in range(a + 2, min(a + LONGEST_SPELT, len(run)) + 1)}
        run = ""
    return words


def _joint_words(tokens: list[str]) -> set[str]:
    """Return ``at&t`` for ``at and t``: what makes a name of weak words rare enough to be looked up."""
    words: set[str] = set()
    left = ""
    for place, token in enumerate(tokens[:-1]):
        if token in _JOINTS:
            right = tokens[place + 1]
            if left and weak(left) and weak(right):
                words.add(f"{left}&{right}")
        if token not in "&+":
            left = token
    return words


def plain(text: str) -> bool:
    """Tell whether *text* has one view, which is the text itself."""
    return (
        text.isascii()
        and "\\" not in text
        and "%" not in text
        and "&" not in text
        and "`" not in text
        and (text.isprintable() or INVISIBLE.search(text) is None)
    )


def views(text: str) -> Iterator[View]:
    """Yield the views of *text*: at least one, and each other one only where it can differ."""
    layers: tuple[str, ...] = (text,)
    for round_ in range(_MOST_ROUNDS + 1):
        read = layers[-1]
        yield from _readings(layers, read)
        if round_ == _MOST_ROUNDS or not ("\\" in read or "%" in read or "&" in read):
            return
        unescaped = _ESCAPE.sub(_unescaped, read)
        if unescaped == read:
            return
        layers += (unescaped,)


def _readings(layers: tuple[str, ...], read: str) -> Iterator[View]:
    hidden = not read.isprintable() and INVISIBLE.search(read) is not None
    if read.isascii() and not hidden and "`" not in read:
        yield View(layers, None)
        return
    for alike in (True, False) if _OTHER_SCRIPTS.search(read) else (True,):
        for spaced in (False, True) if hidden else (False,):
            yield View(layers, _SHAPES[alike, spaced])


def index_words(text: str) -> set[str]:
    """Return the words that an index holds for *text*.

    Whatever ``Matcher`` finds in *text*, at least one of its ``anchor_words`` is among them. Beside the
    tokens these are: parts of tokens that are run together, letters said one by one as one word, weak
    words around a connector (``at&t``), pairs of characters of scripts without blanks, and pieces of
    e-mail addresses (``@acm``).
    """
    words: set[str] = set()
    for view in views(text):
        words |= view.words()
    return words


def normalise(text: str) -> tuple[str, ...]:
    """Return the tokens of *text* under its first view of the last unescaping, in lower case."""
    *_, last = ("", *_unescapings(text))
    return tuple(TOKEN.findall(last.translate(_SHAPES[True, False]).lower()))


def _unescapings(text: str) -> Iterator[str]:
    for _ in range(_MOST_ROUNDS + 1):
        yield text
        text = _ESCAPE.sub(_unescaped, text)


def shapes(text: str) -> list[str]:
    """Return *text* folded with its case kept, in each of its readings; for the terms of the list."""
    return list(dict.fromkeys(text.translate(_SHAPES[alike, False]) for alike in (True, False)))
