"""The one query language of every search, for people and language models, compiled to FTS5.

==================  ========================================================================
``price increase``  words: all must occur in the segment; ``AND`` between them changes nothing
``"free cash"``     a phrase; so is a word with marks inside: ``don't``, ``e-mail``, ``foo:bar``
``a OR b``          either of the words or phrases beside it; chains, and binds closer than AND
``-word``           not this word or phrase; ``NOT word`` behind another word is the same
``price*``          words that begin so: three letters at least, or one CJK character
==================  ========================================================================

Nothing typed is an error of the language: what is no operator here is searched as words, and the
notes say so. Only folded words reach FTS5, each inside a quoted string, so that no character of the
text can be syntax there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gongmcp.errors import ToolFault
from gongmcp.exposure.clean import INVISIBLE
from gongmcp.store.unicode61 import located_words, words

MAX_QUERY_CHARS = 512
MIN_PREFIX_LETTERS = 3

_EXAMPLE = 'Give at least one word, for example: pricing OR discount, or "free cash flow".'
_QUOTES = '"“”„‟＂'
_WORD = re.compile(rf"[^\s(){_QUOTES}]+")
_HAN_OR_KANA = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9d"
                          "\U00020000-\U0003ffff]")  # fmt: skip
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")

_NOTHING = "The text has no letter, digit or other searchable character, so nothing can match."
_QUOTE_ALONE = "A quotation mark without a partner was ignored."
_ONLY_EXCLUSIONS = "Only exclusions were given, so they were searched as words."
_OR_EXCLUSION = "OR beside an exclusion was read as AND."
_OR_BINDS = "OR joins only the words or phrases beside it; AND and parentheses do not change that."
_MINUS_GROUP = "An exclusion takes one word or phrase; -( ) was searched as words."
_STAR_IN_QUOTES = "A * inside quotation marks was ignored; write it behind the closing mark."
_SIGNS = "Signs without a letter or digit were left out."
_CJK_RUN = "A run of Chinese or Japanese characters is one word: it is found whole, or by its beginning with * (東京*)."


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase as folded words; with *prefix* the last one matches by its beginning."""

    tokens: tuple[str, ...]
    prefix: bool = False

    def __str__(self) -> str:
        text = " ".join(self.tokens)
        return (f'"{text}"' if len(self.tokens) > 1 else text) + ("*" if self.prefix else "")

    @property
    def fts(self) -> str:
        """The term in FTS5's syntax."""
        return f'"{" ".join(self.tokens)}"' + (" *" if self.prefix else "")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A compiled query.

    Attributes:
        fts: the FTS5 expression; None when the text holds nothing searchable (it finds nothing).
        groups: every group must occur in the segment; a group occurs when any of its terms does.
        excluded: none of these terms may occur.
        notes: what was read differently than it may have been meant, one sentence each.
        understood: the query as it was read, in the same language; empty when *fts* is None.
    """

    fts: str | None
    groups: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    notes: tuple[str, ...] = ()
    understood: str = ""

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms that can match, group by group."""
        return tuple(term for group in self.groups for term in group)

    @property
    def by_beginning(self) -> bool:
        """True when a term, wanted or excluded, matches words by their beginning."""
        return any(term.prefix for term in (*self.terms, *self.excluded))


@dataclass(frozen=True, slots=True)
class _Item:
    """One piece of the text: a term, with *minus* when a dash stood before it; or an operator word.

    *inside* numbers the innermost parentheses around it, 0 outside of any.
    """

    term: Term
    inside: int
    minus: bool = False
    operator: str = ""


def compile_query(text: str) -> SearchQuery:
    """Read *text* as a search.

    Raises ``ToolFault`` (``invalid_argument``) when it is blank, longer than 512 characters or holds
    NUL; every other text has a meaning.
    """
    if "\0" in text:
        raise ToolFault("invalid_argument", "The search text holds a NUL character.", _EXAMPLE)
    if len(text) > MAX_QUERY_CHARS:
        raise ToolFault(
            "invalid_argument",
            f"The search text has {len(text)} characters; at most {MAX_QUERY_CHARS} are allowed.",
            "Search for the few words that matter.",
        )
    text = _clean(text)
    if not text.strip():
        raise ToolFault("invalid_argument", "The search text is blank.", _EXAMPLE)
    notes: list[str] = []
    items = _settle_operators(_split(text, notes), notes)
    groups, excluded = _combine(items, notes)
    if not groups:
        return SearchQuery(None, notes=tuple(dict.fromkeys([*notes, _NOTHING])))
    for term in (*excluded, *(term for group in groups for term in group)):
        if not term.prefix and any(_HAN_OR_KANA.search(token) for token in term.tokens):
            notes.append(_CJK_RUN)
    return SearchQuery(
        fts=_fts(groups, excluded),
        groups=groups,
        excluded=excluded,
        notes=tuple(dict.fromkeys(notes)),
        understood=_plain(groups, excluded),
    )


def of_groups(groups: Sequence[Sequence[Term]], excluded: Sequence[Term] = ()) -> SearchQuery:
    """Return the query of *groups* of alternatives (one at least) without any of the terms *excluded*."""
    made = tuple(tuple(group) for group in groups)
    return SearchQuery(
        fts=_fts(made, excluded),
        groups=made,
        excluded=tuple(excluded),
        understood=_plain(made, excluded),
    )


def _clean(text: str) -> str:
    """Drop what masking drops from the indexed text, and compose accents: pasted text matches what it shows."""
    return unicodedata.normalize("NFC", INVISIBLE.sub("", text))


def _split(text: str, notes: list[str]) -> list[_Item]:
    """Cut *text* into terms and operator words; pieces without anything searchable are left out."""
    items: list[_Item] = []
    at = 0
    fresh = True  # a piece may begin here: at the start, behind a blank, a parenthesis or a phrase
    opened = 0
    inside = [0]
    while at < len(text):
        if text[at] == "(":
            opened += 1
            inside.append(opened)
        elif text[at] == ")":
            inside = inside[:-1] or [0]  # one without a partner closes nothing
        if text[at].isspace() or text[at] in "()":
            at, fresh = at + 1, True
            continue
        minus = False
        if fresh and text[at] == "-" and at + 1 < len(text):
            after = text[at + 1]
            if after == "(":
                notes.append(_MINUS_GROUP)
            minus = not after.isspace() and after not in "-()"
            at += minus
        if text[at] in _QUOTES:
            close = next((n for n in range(at + 1, len(text)) if text[n] in _QUOTES), -1) if fresh else -1
            if close < 0:
                notes.append(_QUOTE_ALONE)
                at += 1
                continue
            body, at = text[at + 1 : close], close + 1
            star = text.startswith("*", at)
            at, fresh = at + star, True
            if body.rstrip().endswith("*"):
                notes.append(_STAR_IN_QUOTES)
            piece, tokens = body, words(body)
        else:
            match = _WORD.match(text, at)
            assert match is not None  # neither blank, parenthesis nor quotation mark
            piece, at, fresh = match.group(), match.end(), False
            if piece in ("AND", "OR", "NOT") and not minus:
                items.append(_Item(Term((piece.lower(),)), inside[-1], operator=piece))
                continue
            located = located_words(piece)
            tokens = [folded for _, _, folded in located]
            star = bool(located) and piece.startswith("*", located[-1][1])
        if tokens:
            items.append(_Item(_term(tokens, star, notes), inside[-1], minus))
        elif any(unicodedata.category(character).startswith("S") for character in piece):
            notes.append(_SIGNS)
    return items


def _term(tokens: Sequence[str], star: bool, notes: list[str]) -> Term:
    last = tokens[-1]
    if star and len(last) < MIN_PREFIX_LETTERS and not (_HAN_OR_KANA.search(last) or _HANGUL.search(last)):
        notes.append(
            f"{last}* is too short for a beginning (three letters, or one CJK character) and was searched as a word."
        )
        star = False
    return Term(tuple(tokens), star)


def _settle_operators(items: list[_Item], notes: list[str]) -> list[_Item]:
    """Keep the operators that stand between two words; the others are words themselves."""
    out: list[_Item] = []
    for number, item in enumerate(items):
        if item.operator:
            rest = items[number + 1 :]
            if rest and item.operator != "NOT" and rest[0].operator == "NOT":
                rest = rest[1:]  # AND NOT, OR NOT: the exclusion's word is the one behind NOT
            before = bool(out) and (not out[-1].operator or item.operator == "NOT")
            if not (before and rest and not rest[0].operator):
                notes.append(f"{item.operator} without a word on both sides was searched as a word.")
                item = _Item(item.term, item.inside)
        out.append(item)
    if _or_may_surprise(out):
        notes.append(_OR_BINDS)
    return out


def _or_may_surprise(items: Sequence[_Item]) -> bool:
    """True when OR stands beside AND, or beside parentheses around more than alternatives."""
    if not any(item.operator == "OR" for item in items):
        return False
    if any(item.operator == "AND" and item.inside == 0 for item in items) and any(
        item.operator == "OR" and item.inside == 0 for item in items
    ):
        return True
    return any(
        a.inside and a.inside == b.inside and (a.operator in ("AND", "NOT") or not (a.operator or b.operator))
        for a, b in pairwise(items)
    )


def _combine(items: list[_Item], notes: list[str]) -> tuple[tuple[tuple[Term, ...], ...], tuple[Term, ...]]:
    """Return the groups of alternatives, and the excluded terms."""
    groups: list[list[Term]] = []
    excluded: list[Term] = []
    joined = negated = False  # an OR, a NOT stands before the next term
    after_exclusion = False
    for item in items:
        if item.operator:
            joined = joined or item.operator == "OR"
            negated = negated or item.operator == "NOT"
            continue
        exclude = negated or item.minus
        if joined and (exclude or after_exclusion):
            notes.append(_OR_EXCLUSION)
        if exclude:
            excluded.append(item.term)
        elif joined and not after_exclusion:
            groups[-1].append(item.term)
        else:
            groups.append([item.term])
        joined = negated = False
        after_exclusion = exclude
    if excluded and not groups:
        notes.append(_ONLY_EXCLUSIONS)
        groups, excluded = [[term] for term in excluded], []
    return (
        tuple(dict.fromkeys(tuple(dict.fromkeys(group)) for group in groups)),
        tuple(dict.fromkeys(excluded)),
    )


def _fts(groups: Sequence[Sequence[Term]], excluded: Sequence[Term]) -> str:
    wanted = " AND ".join("(" + " OR ".join(term.fts for term in group) + ")" for group in groups)
    if not excluded:
        return wanted
    return f"({wanted}) NOT ({' OR '.join(term.fts for term in excluded)})"


def _plain(groups: Sequence[Sequence[Term]], excluded: Sequence[Term]) -> str:
    either = [" OR ".join(map(str, group)) for group in groups]
    if len(groups) > 1 or excluded:
        either = [f"({text})" if " OR " in text else text for text in either]
    return " AND ".join(either) + "".join(f" NOT {term}" for term in excluded)
