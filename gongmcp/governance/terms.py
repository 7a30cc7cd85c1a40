"""What one term of the restricted list looks for: the forms of a name, a domain, a piece of an address, an id.

A term becomes one or more *targets*. A ``Phrase`` is a pattern over the canonical line of a text
(``gongmcp.governance.text``); a ``Fragment`` is sought inside e-mail addresses. Each target has *anchors*:
whatever text it is found in, ``index_words`` of that text holds one of them. So a text without an anchor
need not be looked at, and a changed list needs only the calls whose index holds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise, product
from typing import Final

from gongmcp.governance.text import (
    GRAM,
    LONGEST_SPELT,
    SOFT,
    TOKEN,
    grams,
    shapes,
    soft_parts,
    unspaced,
    weak,
)
from gongmcp.governance.words import (
    CONNECTORS,
    GENERIC_WORDS,
    JOINED_CONNECTORS,
    LEGAL_FORMS,
    LEGAL_FORMS_OF_EAST_ASIA,
    LEGAL_IN_CAPITALS,
    SAID_CONNECTORS,
    SAME_FORM,
    STOP_WORDS,
    TAILS,
)

RULES: Final = 1
"""Number of the rules of matching; part of a list's digest, so that verdicts under other rules are made anew."""

MOST_WORDS: Final = 12
_MOST_CONNECTORS: Final = 3
_MOST_COMMON: Final = 6
_SHORTEST_ID: Final = 4
_LONG_NAME: Final = 4  # letters from which a name may be run together with other words


class Kind(Enum):
    """What a term is, named as the key of the YAML file that holds it."""

    NAME = "name"
    ALIAS = "aliases"
    DOMAIN = "domains"
    EMAIL_FRAGMENT = "email_fragments"
    CRM_OBJECT_ID = "crm_object_ids"


class Unusable(Exception):
    """The term cannot be looked for; the message says why, and holds no part of the term."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern over the canonical line of a text.

    *exact* and *any_case*, when one of them is not empty, are what the characters found must be: as they
    are, or in lower case.
    """

    pattern: str = field(repr=False)
    anchors: frozenset[str] = field(repr=False)
    exact: frozenset[str] = field(default=frozenset(), repr=False)
    any_case: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text that is sought inside e-mail addresses, folded."""

    text: str = field(repr=False)
    anchors: frozenset[str] = field(repr=False)


Target = Phrase | Fragment


@dataclass(frozen=True, slots=True)
class Term:
    """One name, alias, domain, fragment or id, with what it looks for. Its ``repr`` holds none of it.

    *warning* says why it may find too much or too little, else it is empty.
    """

    kind: Kind
    text: str = field(repr=False)
    targets: tuple[Target, ...] = field(repr=False)
    warning: str = ""

    @classmethod
    def of(cls, kind: Kind, text: str) -> Term:
        """Return the term for *text*. Raises ``Unusable``."""
        if kind is Kind.DOMAIN:
            return cls(kind, text, _domain(text), _domain_warning(text))
        if kind is Kind.EMAIL_FRAGMENT:
            return cls(kind, text, _fragment(text))
        if kind is Kind.CRM_OBJECT_ID:
            return cls(kind, text, _object_id(text))
        return cls(kind, text, *_name(text))

    def identity(self) -> frozenset[str]:
        """Return what the term looks for, as text: equal for two terms that find the same."""
        return frozenset(_identity(target) for target in self.targets)


def _identity(target: Target) -> str:
    if isinstance(target, Fragment):
        return f"fragment\0{target.text}"
    return "\0".join(("phrase", target.pattern, *sorted(target.exact), *sorted(target.any_case)))


# ------------------------------------------------------------------------------------------------ names

_GAP: Final = rf"(?: \+ |[^\w&+{SOFT}])"
_LETTER_GAP: Final = rf"[^\w&+{SOFT}']"
_MAY_GAP: Final = r"(?: \+ |[^\w&+])?"
_MAY_CLOSE_GAP: Final = r"[^\w&+]?"
_SAID: Final = "|".join(sorted(SAID_CONNECTORS))
_JOINED: Final = "|".join(JOINED_CONNECTORS)
_TAILS: Final = "|".join(TAILS)
# The "t" of "isn't" begins no name; the "Acme" of "d'Acme" does.
_NO_CONTRACTION: Final = r"(?!(?<=')(?:t|s|d|m|ll|re|ve)(?!\w))"
_LEFT: Final = {True: rf"(?<![\w{SOFT}]){_NO_CONTRACTION}", False: rf"(?<!\w){_NO_CONTRACTION}"}
_RIGHT: Final = {True: rf"(?![\w{SOFT}])", False: r"(?!\w)"}
_UMLAUTS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa"}
)


def _name(text: str) -> tuple[tuple[Target, ...], str]:
    for form in LEGAL_FORMS_OF_EAST_ASIA:
        bare = text.strip().removeprefix(form).removesuffix(form)
        text = bare if bare.strip() else text
    readings = [shape for spelling in dict.fromkeys((text, text.translate(_UMLAUTS))) for shape in shapes(spelling)]
    forms: dict[tuple[str, ...], None] = {}
    warning = ""
    for reading in readings:
        words = TOKEN.findall(reading)
        core = _core(words)
        warning = warning or _name_warning(core)
        for spelling in _spellings(core):
            forms[tuple(_tokens(spelling))] = None
    return tuple(_phrase(form) for form in forms), warning


def _core(words: list[str]) -> list[str]:
    """Return the words that a text must hold for the name to be in it. Raises ``Unusable``."""
    words = _without_edges(words)
    _check(words)
    cores = [words]
    while (shorter := _without_legal_form(cores[-1])) is not None:
        cores.append(shorter)
    if words[0].lower() == "the":
        cores += [core[1:] for core in cores if len(core) > 1]
        cores.sort(key=len, reverse=True)
    for core in reversed(cores):
        if not _says_nothing(core) and not (len(core) == 1 and core[0].lower() in GENERIC_WORDS and len(words) > 1):
            return core
    return words


def _without_edges(words: list[str]) -> list[str]:
    start, end = 0, len(words)
    while start < end and words[start] in "&+":
        start += 1
    while end > start and words[end - 1] in "&+":
        end -= 1
    return words[start:end]


def _without_legal_form(words: list[str]) -> list[str] | None:
    """Return *words* without the last legal form, ``None`` when there is none or nothing would be left."""
    cut = 0
    last = words[-1]
    if last.lower() in LEGAL_FORMS and (
        last.lower() not in LEGAL_IN_CAPITALS or last.isupper() or last in {"SpA", "eV"}
    ):
        cut = 1
    elif [word.lower() for word in words[-4:]] == ["sp", "z", "o", "o"]:
        cut = 4
    else:
        for length in (4, 3, 2):
            tail = words[-length:]
            if all(len(word) == 1 for word in tail) and "".join(tail).lower() in LEGAL_FORMS:
                cut = length
                break
    rest = words[: len(words) - cut]
    if not cut or not rest:
        return None
    if rest[-1].lower() == "de" and len(rest) > 1:  # S.A. de C.V.
        rest = rest[:-1]
    rest = rest[:-1] if rest[-1].lower() in {"&", "+", "and", "und", "et"} else rest
    return rest or None


def _check(words: list[str]) -> None:
    letters = [word.lower() for word in words if word not in "&+"]
    if not letters:
        raise Unusable("it has no letter and no digit")
    if len("".join(letters)) == 1:
        raise Unusable("it is a single character")
    if len(words) > MOST_WORDS:
        raise Unusable(f"it has more than {MOST_WORDS} words")
    if sum(_connects(words, place) for place in range(len(words))) > _MOST_CONNECTORS:
        raise Unusable(f"it has more than {_MOST_CONNECTORS} connectors such as &")
    spelt_form = (
        all(len(word) == 1 for word in words) and len(words) == len(letters) and "".join(letters) in LEGAL_FORMS
    )
    if spelt_form or all(word in LEGAL_FORMS for word in letters):
        raise Unusable("it is a legal form without a name")
    if all(word in STOP_WORDS for word in letters):
        raise Unusable("it is made of words that are in every text")
    if len(letters) == 2 and all(word in STOP_WORDS or word in LEGAL_FORMS for word in letters):
        raise Unusable("it is made of a legal form and a word that is in every text")


def _says_nothing(words: list[str]) -> bool:
    try:
        _check(words)
    except Unusable:
        return True
    return False


def _name_warning(core: list[str]) -> str:
    letters = "".join(core)
    if len(letters) <= 2:
        return "it is very short: every text that holds it as a word counts"
    if len(core) == 1 and letters.lower() in GENERIC_WORDS:
        return "it is an ordinary word: every text that holds it counts"
    if letters.isdigit():
        return "it is a number: every text that holds it counts"
    if _without_legal_form(core) is not None:
        return "too little is left without its legal form: it is found only together with it"
    return ""


def _spellings(core: list[str]) -> list[list[str]]:
    """Return *core*, also with the other spellings of the legal form that it needs."""
    for same in SAME_FORM:
        if len(core) > 1 and core[-1].lower() in same:
            return [[*core[:-1], form] for form in sorted(same)]
    return [core]


def _connects(words: list[str], place: int) -> bool:
    if words[place] in "&+":
        return True
    if not 0 < place < len(words) - 1 or words[place].lower() not in CONNECTORS:
        return False
    # Beside another connector it is a word of the name.
    return not any(word in "&+" or word.lower() in CONNECTORS for word in (words[place - 1], words[place + 1]))


def _tokens(words: list[str]) -> list[str]:
    """Return the tokens of a name in lower case, a connector as ``&``, cut where it may be cut in a text."""
    tokens: list[str] = []
    for place, word in enumerate(words):
        if _connects(words, place):
            if tokens and tokens[-1] != "&":
                tokens.append("&")
            continue
        parts = [part.lower() for part in soft_parts(word)]
        tokens += [word.lower()] if all(part in STOP_WORDS for part in parts) else parts
    while tokens[-1] == "&":
        tokens.pop()
    return tokens


def _common(token: str) -> bool:
    return weak(token) or token in LEGAL_FORMS or unspaced(token)


def _phrase(tokens: tuple[str, ...]) -> Phrase:
    names = [token for token in tokens if token != "&"]
    letters = "".join(names)
    rare = [place for place, token in enumerate(tokens) if token != "&" and not _common(token)]
    hard = len(letters) < _LONG_NAME or not rare
    # Two words that together are a common one ("in", "to") must be seen apart; common ones stand close.
    gap = _GAP if letters in STOP_WORDS else _MAY_GAP if rare else _MAY_CLOSE_GAP
    pattern = [_LEFT[hard]]
    for place, token in enumerate(tokens):
        if token == "&":
            pattern.append(_connector(tokens, place))
            continue
        if place and tokens[place - 1] != "&":
            pattern.append(gap)
        pattern.append(_word(token))
    tails = TAILS if not hard and tokens[-1].isascii() and tokens[-1].isalpha() else ()
    if tails:
        pattern.append(f"(?:{_TAILS})?")
    pattern.append(_RIGHT[hard])
    if rare:
        anchors = _anchors_around(tokens, max(rare, key=lambda place: len(tokens[place])), tails)
    else:
        anchors = _anchors_of_common(tokens)
    return Phrase("".join(pattern), frozenset(anchors))


def _possessive(token: str) -> bool:
    """Tell whether the ``s`` at the end of *token* may follow an apostrophe in a text: ``McDonalds``."""
    return len(token) > _LONG_NAME and token.endswith("s") and not _common(token)


def _word(token: str) -> str:
    """Return the pattern of one token: run together with nothing inside it, or its letters one by one."""
    letters = [re.escape(letter) for letter in token]
    whole = f"{SOFT}?".join(letters)
    if _possessive(token):
        whole = f"{SOFT}?".join(letters[:-1]) + rf"(?:{SOFT}?s|'s(?![\w{SOFT}]))"
    if not 2 <= len(token) <= LONGEST_SPELT:
        return whole
    return rf"(?:{whole}|(?<![\w{SOFT}]){_LETTER_GAP.join(letters)}(?![\w{SOFT}]))"


def _droppable(tokens: tuple[str, ...], place: int) -> bool:
    """Tell whether the connector at *place* may be missing in a text: ``Johnson Johnson``, but not ``at t``."""
    return min(len(tokens[place - 1]), len(tokens[place + 1])) > 2 and any(not weak(token) for token in tokens)


def _connector(tokens: tuple[str, ...], place: int) -> str:
    ways = [r"(?: [&+])+ ", f"{_GAP}(?:{_SAID}){_GAP}", f"{SOFT}?(?:{_JOINED}){SOFT}?"]
    if _droppable(tokens, place):
        ways.append(_MAY_GAP)
    return f"(?:{'|'.join(ways)})"


def _glue(tokens: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Return what may stand for the connector at *place* when it is written together with its neighbours."""
    return (*JOINED_CONNECTORS, "") if _droppable(tokens, place) else JOINED_CONNECTORS


def _anchors_around(tokens: tuple[str, ...], pivot: int, tails: tuple[str, ...]) -> set[str]:
    """Return the word at *pivot*, alone and written together with what stands around it."""
    before, after = {""}, {""}
    grown = {""}
    for place in range(pivot - 1, -1, -1):
        if tokens[place] == "&":
            grown = {word + rest for word in _glue(tokens, place) for rest in grown}
        else:
            grown = {tokens[place] + rest for rest in grown}
            before |= grown
    grown = {""}
    for place in range(pivot + 1, len(tokens)):
        if tokens[place] == "&":
            grown = {rest + word for rest in grown for word in _glue(tokens, place)}
        else:
            if _possessive(tokens[place]):
                after |= {rest + tokens[place][:-1] for rest in grown}
            grown = {rest + tokens[place] for rest in grown}
            after |= grown
    ends = {rest + tail for rest in grown for tail in tails}
    joined = {tokens[pivot] + right for right in after | ends}
    if _possessive(tokens[pivot]):
        joined.add(tokens[pivot][:-1])
    return {left + right for left in before for right in joined}


def _anchors_of_common(tokens: tuple[str, ...]) -> set[str]:
    """Return anchors for a name without a rare word: the best one for each way in which it can be written."""
    for first, second in pairwise(tokens):
        if unspaced(first) and unspaced(second):
            return {first + second}
    if len(tokens) > _MOST_COMMON:
        return _anchors_around(tokens, max(range(len(tokens)), key=lambda place: len(tokens[place])), ())
    return {_best_anchor(pieces) for pieces in _ways_of_writing(tokens)}


def _ways_of_writing(tokens: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the tokens that a text holds for a name, ``&`` standing for a connector written apart."""
    names = [place for place, token in enumerate(tokens) if token != "&"]
    for spelt in product((False, True), repeat=len(names)):
        if any(flag and len(tokens[place]) == 1 for flag, place in zip(spelt, names, strict=True)):
            continue
        joints: list[tuple[str, ...]] = []  # between two names: written apart (None), or the text that joins them
        for number, (left, right) in enumerate(pairwise(names)):
            apart = "&" if right - left > 1 else " "
            joined = (
                (_glue(tokens, left + 1) if right - left > 1 else ("",)) if not any(spelt[number : number + 2]) else ()
            )
            dropped = (" ",) if right - left > 1 and _droppable(tokens, left + 1) else ()
            joints.append((apart, *dropped, *joined))
        for chosen in product(*joints):
            pieces = list(tokens[names[0]]) if spelt[0] else [tokens[names[0]]]
            for joint, flag, place in zip(chosen, spelt[1:], names[1:], strict=True):
                if joint == "&":
                    pieces.append("&")
                if joint in {"&", " "}:
                    pieces += list(tokens[place]) if flag else [tokens[place]]
                else:
                    pieces[-1] += joint + tokens[place]
            yield pieces


def _best_anchor(pieces: list[str]) -> str:
    scored: list[tuple[int, int, str]] = []
    for place, piece in enumerate(pieces):
        if piece == "&":
            left, right = pieces[place - 1], pieces[place + 1]
            if weak(left) and weak(right):
                scored.append((2, 0, f"{left}&{right}"))
        else:
            scored.append((0 if piece in STOP_WORDS else 1, len(piece), piece))
    for run in _runs_of_letters(pieces):
        scored.append((1, len(run), run))
    return max(scored)[2]


def _runs_of_letters(pieces: list[str]) -> Iterator[str]:
    run = ""
    for piece in [*pieces, ""]:
        if len(piece) == 1 and piece != "&" and not unspaced(piece):
            run += piece
        else:
            if 2 <= len(run) <= LONGEST_SPELT:
                yield run
            run = ""


# ---------------------------------------------------------------------------------------------- domains

_SAID_DOT: Final = r"(?:\.| (?:dot|punkt|point|punto|ponto) )"
_SAID_HYPHEN: Final = "(?:-| (?:dash|hyphen|minus|bindestrich) | )"
_AROUND_HOST: Final = re.compile(
    r"^(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/@]*@)?(?:\*\.|www\.)*|(?::[0-9]+)?(?:[/?#].*)?\.?$"
)
_LABEL: Final = re.compile(r"[^\W_]+(?:-+[^\W_]+)*")
_SECOND_LEVEL: Final = frozenset(
    {"ac", "co", "com", "edu", "gob", "gov", "go", "gv", "ltd", "me", "ne", "net", "or", "org"}
)
_MAILBOX_HOSTS: Final = frozenset(
    {"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "icloud.com", "aol.com"}
    | {"gmx.de", "gmx.net", "web.de", "proton.me", "protonmail.com", "qq.com", "163.com", "mail.ru", "yandex.ru"}
)


def _host(text: str) -> str:
    return _AROUND_HOST.sub("", text.strip()).rstrip(".").lower()


def _domain(text: str) -> tuple[Target, ...]:
    host = _host(text)
    hosts = {host}
    try:
        hosts |= {
            host.encode("idna").decode("ascii"),
            host.encode("ascii", "ignore").decode("idna") if host.isascii() else host,
        }
    except UnicodeError:
        hosts = {host}
    shaped = sorted({shape.lower() for spelling in hosts for shape in shapes(spelling)})
    return tuple(_domain_phrase(shape.split(".")) for shape in shaped)


def _domain_phrase(labels: list[str]) -> Phrase:
    if len(labels) < 2:
        raise Unusable("it has no dot: a domain is wanted, such as example.com")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise Unusable("it is no domain such as example.com")
    if len(labels) == 2 and labels[0] in _SECOND_LEVEL and len(labels[1]) == 2:
        raise Unusable("everybody can register a name under it")
    words = [TOKEN.findall(label) for label in labels]
    pattern = [rf"(?<![\w{SOFT}-])"]
    for place, tokens in enumerate(words):
        if place:
            last_com = place == len(words) - 1 and tokens == ["com"]
            pattern.append(rf"(?:{_SAID_DOT}| )" if last_com else _SAID_DOT)
        for number, token in enumerate(tokens):
            if number:
                pattern.append(" " if unspaced(token) and unspaced(tokens[number - 1]) else _SAID_HYPHEN)
            pattern.append(f"{SOFT}?".join(map(re.escape, token)))
    pattern.append(r"(?!\w)")
    inner = [token for tokens in words[:-1] for token in tokens]
    anchor = max(inner, key=lambda token: (not weak(token), len(token)))
    if weak(anchor) and not weak(words[-1][-1]):
        anchor = words[-1][-1]
    return Phrase("".join(pattern), frozenset({anchor}))


def _domain_warning(text: str) -> str:
    return "it is a host of mailboxes for everybody" if _host(text) in _MAILBOX_HOSTS else ""


# ---------------------------------------------------------------------------- e-mail fragments and CRM ids

_NOT_IN_ADDRESS: Final = re.compile(r"[\s<>()\[\]{},;:\"'|\\/=?&]")
_IN_MOST_ADDRESSES: Final = frozenset(
    {"com", "net", "org", "mail", "email", "www", "gmail", "outlook", "info", "gmail.com"}
)


def _fragment(text: str) -> tuple[Target, ...]:
    pieces = sorted({shape.strip().lower() for shape in shapes(text)})
    for piece in pieces:
        if len(piece) < GRAM:
            raise Unusable(f"it has fewer than {GRAM} characters")
        if _NOT_IN_ADDRESS.search(piece):
            raise Unusable("it holds a character that is in no e-mail address")
        if piece.strip("@.") in _IN_MOST_ADDRESSES:
            raise Unusable("it is part of most e-mail addresses")
    return tuple(Fragment(piece, frozenset({min(grams(piece))})) for piece in pieces)


_ID: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?")
_CHECK_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"


def _object_id(text: str) -> tuple[Target, ...]:
    given = text.strip()
    if not _ID.fullmatch(given):
        raise Unusable("it holds a character that is in no object id")
    if len(given) < _SHORTEST_ID:
        raise Unusable(f"it has fewer than {_SHORTEST_ID} characters")
    if given.isalpha() and len(given) < 2 * _SHORTEST_ID:
        raise Unusable("it has no digit: a short word is no object id")
    short = _short_salesforce_id(given)
    if short is None:
        return (_id_phrase(given, exact=frozenset({given})),)
    long = short + _check_characters(short)
    return _id_phrase(short, exact=frozenset({short})), _id_phrase(long, any_case=frozenset({long.lower()}))


def _id_phrase(text: str, exact: frozenset[str] = frozenset(), any_case: frozenset[str] = frozenset()) -> Phrase:
    tokens = TOKEN.findall(text.lower())
    words = (f"{SOFT}?".join(token) for token in tokens)
    pattern = rf"(?<![\w{SOFT}]){_LETTER_GAP.join(words)}(?![\w{SOFT}])"
    return Phrase(pattern, frozenset({max(tokens, key=len)}), exact, any_case)


def _short_salesforce_id(text: str) -> str | None:
    """Return the 15 characters (whose case matters) of a Salesforce id of 15 or 18, ``None`` if it is none.

    The last three of 18 characters say which of the others are capitals, so that the case can be restored.
    """
    if not text.isalnum() or not text.isascii() or len(text) not in (15, 18) or not any(map(str.isdigit, text)):
        return None
    if len(text) == 15:
        return text
    restored = ""
    for chunk, letter in zip((text[:5], text[5:10], text[10:15]), text[15:].upper(), strict=True):
        bits = _CHECK_LETTERS.find(letter)
        for place, char in enumerate(chunk):
            capital = bits >> place & 1
            if bits < 0 or (capital and not char.isalpha()):
                return None
            restored += char.upper() if capital else char.lower()
    return restored


def _check_characters(short: str) -> str:
    chunks = (short[:5], short[5:10], short[10:])
    return "".join(_CHECK_LETTERS[sum(char.isupper() << place for place, char in enumerate(chunk))] for chunk in chunks)
