"""Masking the names of a call's own parties (``--mask-participants``), in what was said and written of that call.

A party's names are the parts of its name and of its e-mail address's local part. They are found whole, in any case and
with or without diacritics, and taken out as ``{redacted:person-N}``: N is the party's number in the call, so that the
same person has the same mark all over it; a name that two parties share is ``{redacted:person}``. Found are full names
in any order, with initials or particles between, first and last names alone, possessives, and ``J. Last``.

A name that is also an ordinary word (Will, Grant, May) is taken for one only beside another part of the name, or with a
capital letter inside a sentence. Part of a company's name stays: account names, the domains of the parties' addresses
and the companies in their job titles say which companies there are. Common short forms of given names (Robert, Bob)
count with a capital letter alone, as ordinary words do; Müller is Mueller too. Other nicknames are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from gongmcp.exposure.detect.fold import View, fold
from gongmcp.exposure.detect.ordinary_words import ORDINARY_WORDS
from gongmcp.exposure.given_names import other_given_names, other_spellings
from gongmcp.exposure.text import CONTROL, MaskedText, Span, apply_spans


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSON: Final = "person"
"""The kind of the marks, which a number may follow."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_APOSTROPHES: Final = "'\u2018\u2019\u02bc`\u00b4"
_PIECES: Final = re.compile(rf"[^\W\d_]+(?:[{_APOSTROPHES}-][^\W\d_]+)*")
_UNSPACED: Final = re.compile(r"[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")  # scripts that put no blanks between words
_TITLES: Final = _set("mr mrs ms miss dr prof sir jr sr ii iii phd md mba cpa cfa esq herr frau")
_PARTICLES: Final = _set(
    "de da di do du del della der den des dos la le les el al bin ibn ben van von zu zur ten ter te und y e"
)
_MAILBOXES: Final = _set(
    "admin billing contact events finance hello help info investor investors ir legal mail marketing noreply "
    "office ops press relations sales service support team"
)
_NO_NAMES: Final = _set(
    "analyst attendee caller conference female guest host male moderator operator participant phone representative "
    "room speaker unidentified unknown user"
)
"""What a party is called of whom no name is known."""

_OPENINGS: Final = _set(
    "can early fine good in just last long more my nice ok one or say see so still true well yes you"
)
"""Words that may stand before a comma where a sentence begins, unlike a name there."""

_DATES: Final = frozenset({"april", "may", "june", "july", "august"})
_BEFORE_DATES: Final = _set("in of since until by last next this early late mid through to from and")
_LEGAL: Final = _set(
    "inc incorporated corp corporation co company companies ltd limited llc plc gmbh ag sa bv group holdings the"
)
_COMPANY_IN_TITLE: Final = re.compile(r"(?:,| at | with )\s*([^,]+)$", re.IGNORECASE)
_GAP: Final = re.compile(
    rf"(?!\.\s*\n)[\s.,_{_APOSTROPHES}-]{{1,3}}(?:(?:{'|'.join(sorted(_PARTICLES))}|[^\W\d_]\.?)[\s.]{{1,2}}){{0,3}}"
)
_INITIALS: Final = re.compile(r"(?<![^\W_])((?:[^\W\d_](?:\. ?| )){1,3})$")
_HONORIFIC: Final = re.compile(r"(?<![^\W_])(?:mr|mrs|ms|miss|dr|prof|herr|frau)\.?\s$")
_SENTENCE_END: Final = re.compile(r"(?:^|[.?!\n:;\u2026\"\u201c(]|--)\s*$")
_MIN_PART: Final = 2
_MIN_MAIL_PART: Final = 3
_MIN_JOINED: Final = 6
_MIN_PLURAL: Final = 4


@dataclass(frozen=True, slots=True)
class _Find:
    """Parts of one name, side by side in the folded text; *parties* are the numbers of those who carry them all."""

    start: int
    end: int
    keys: tuple[str, ...]
    parties: frozenset[int]


@dataclass(slots=True)
class Participants:
    """The parties of one call, ready to be found in its texts."""

    carriers: dict[str, set[int]] = field(default_factory=dict)
    initials: dict[int, set[str]] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    pattern: re.Pattern[str] | None = None
    companies: re.Pattern[str] | None = None
    accounts: re.Pattern[str] | None = None

    @classmethod
    def of(cls, parties: object, accounts: Iterable[str] = ()) -> Participants | None:
        """Return the *parties* of a call as Gong gives them; None when none has a name. *accounts* are the names of
        its accounts, inside which nothing is masked."""
        people = [party for party in parties if isinstance(party, Mapping)] if isinstance(parties, list) else []
        found = cls()
        patterns: dict[str, str] = {}
        numbers: dict[str, int] = {}
        own: set[str] = set()
        short: set[str] = set()
        for position, person in enumerate(people, 1):
            name, address = _text(person.get("name")), _text(person.get("emailAddress"))
            number = numbers.setdefault(fold(name), position) if name else position
            for key, pattern in _parts(name, address):
                patterns[key] = pattern
                found.carriers.setdefault(key, set()).add(number)
                own.add(key)
            for other in _others(name, address):
                patterns.setdefault(other.key, other.pattern)
                found.carriers.setdefault(other.key, set()).add(number)
                found.bases.setdefault(other.key, other.base)
                short |= {other.key} if other.short else set()
            found.initials.setdefault(number, set()).update(piece[0] for piece in _pieces(name))
        if not patterns:
            return None
        found.short = short - own
        found.pattern = _words(patterns.values())
        found.companies = _phrases(company for person in people for company in _companies(person))
        found.accounts = _phrases(accounts)
        return found

    def add(self, sentences: Sequence[str], spans: list[list[Span]] | None) -> list[list[Span]] | None:
        """Return *spans* (of each of *sentences*, one monologue; None = none) with those of names among them.

        What is masked as another kind stays so; invisible characters inside a name go with it.
        """
        plain = all(map(str.isprintable, sentences))
        names = self._find(View("\n".join(sentences), ordinary=plain), alone=False)
        if not names:
            return spans
        divided = list(_divided(names, sentences))
        merged = [_merged(ours, theirs) for ours, theirs in zip(divided, spans or [[] for _ in sentences], strict=True)]
        return merged if any(merged) else spans

    def add_to(self, raw: str, text: MaskedText, *, person: bool = False) -> MaskedText:
        """Return *text*, which is *raw* masked, with the names masked too.

        *person* says that it is a value of a contact, lead or user: then a name counts whatever word it is.
        """
        names = self._find(View(raw, ordinary=raw.isprintable()), alone=person)
        return apply_spans(raw, _merged(names, text.spans)) if names else text

    def _find(self, view: View, *, alone: bool) -> list[Span]:
        text = view.text
        found = list(self._joined(text))
        if not found:
            return []
        accounts = _places(self.accounts, text)
        companies = _places(self.companies, text)
        spans = []
        for find in found:
            addressed = _HONORIFIC.search(text, max(0, find.start - 6), find.start) is not None
            one = len(find.keys) == 1
            if not addressed and (_inside(find, accounts) or (one and _inside(find, companies))):
                continue
            find = self._with_initials(view, find)
            if not alone and not addressed and not self._is_name(view, find):
                continue
            start, end = view.raw_span(find.start, find.end)
            kind = f"{PERSON}-{min(find.parties)}" if len(find.parties) == 1 else PERSON
            spans.append(Span(kind, start, end - start))
        return spans

    def _joined(self, text: str) -> Iterator[_Find]:
        """Yield what the pattern finds; neighbours that one party carries as one find."""
        assert self.pattern is not None
        last: _Find | None = None
        for match in self.pattern.finditer(text):
            key = self._key(match.group())
            find = _Find(match.start(), match.end(), (key,), frozenset(self.carriers[key]))
            if last is not None:
                shared = last.parties & find.parties
                again = self._base(key) in map(self._base, last.keys)
                if shared and not again and _GAP.fullmatch(text, last.end, find.start):
                    last = _Find(last.start, find.end, (*last.keys, key), shared)
                    continue
                yield last
            last = find
        if last is not None:
            yield last

    def _base(self, key: str) -> str:
        """Return the part of a name that *key* is another form of."""
        return self.bases.get(key, key)

    def _key(self, matched: str) -> str:
        key = "".join(_LETTERS.findall(matched))
        return key if key in self.carriers else key[:-1]  # a possessive without its apostrophe

    def _with_initials(self, view: View, find: _Find) -> _Find:
        before = _INITIALS.search(view.text, max(0, find.start - 9), find.start)
        if before is None:
            return find
        letters = _LETTERS.findall(before.group(1))
        known = {number for number in find.parties if letters[0] in self.initials.get(number, ())}
        word = len(letters) == 1 and "." not in before.group(1) and letters[0] in ("a", "i")  # "I", "a": words
        if not known or word or not view.raw_char(before.start(1)).isupper():
            return find
        return _Find(before.start(1), find.end, (*find.keys, before.group(1)), frozenset(known))

    def _is_name(self, view: View, find: _Find) -> bool:
        """Tell whether what was found is a name here and no ordinary word."""
        words = _LETTERS.findall(view.text[find.start : find.end])
        if len(words) > 1:
            return not ORDINARY_WORDS.issuperset(words) or view.raw_char(find.start).isupper()
        key = find.keys[0]
        if key not in self.short and key not in ORDINARY_WORDS and (len(key) > _MIN_PART or _UNSPACED.search(key)):
            return True
        if not view.raw_char(find.start).isupper():
            return False
        if key not in ORDINARY_WORDS and len(key) > _MIN_PART:
            return True
        before = view.text[max(0, find.start - 20) : find.start]
        if _SENTENCE_END.search(before):
            return key not in _OPENINGS and key not in _DATES and view.text[find.end : find.end + 1] in (",", ".", "?")
        if key in _DATES:
            words = _LETTERS.findall(before)
            dated = re.match(r"[\s,]*\d", view.text[find.end : find.end + 4]) is not None
            return not dated and (not words or words[-1] not in _BEFORE_DATES)
        return True


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _pieces(name: str) -> list[str]:
    """Return the folded words of a person's *name* that are of them alone, initials included."""
    pieces = [piece for piece in _PIECES.findall(fold(name)) if piece not in _TITLES and piece not in _NO_NAMES]
    return [piece for place, piece in enumerate(pieces) if not place or piece not in _PARTICLES]  # Ben, but Ben ben Ali


@lru_cache(maxsize=8192)
def _parts(name: str, address: str) -> tuple[tuple[str, str], ...]:
    """Return (letters, pattern) of each part by which a party is named."""
    found: dict[str, str] = {}

    def add(words: Sequence[str], least: int) -> None:
        key = "".join("".join(_LETTERS.findall(word)) for word in words)
        if len(key) >= least and key not in found:
            found[key] = _pattern(key, words)

    pieces = _pieces(name) if "@" not in name else []
    for piece in pieces:
        words = _LETTERS.findall(piece)
        add(words, _MIN_PART)
        for word in words if len(words) > 1 else ():
            add((word,), _MIN_MAIL_PART)
    if len(pieces) > 1:
        first, last = _LETTERS.findall(pieces[0]), _LETTERS.findall(pieces[-1])
        add((first[0][0] + "".join(last),), _MIN_JOINED)
        add((*first, *last), _MIN_JOINED)
    local = fold((address or (name if "@" in name else "")).partition("@")[0].partition("+")[0])
    words = [word for word in _LETTERS.findall(local) if word not in _PARTICLES]
    for word in words:
        if word not in _MAILBOXES and word not in _NO_NAMES:
            add((word,), _MIN_MAIL_PART)
    if len(words) > 1 and _MAILBOXES.isdisjoint(words):
        add(words, _MIN_JOINED)
    return tuple(found.items())


@dataclass(frozen=True, slots=True)
class _Other:
    """What a person may be called or spelt besides the *base*, which is a part of the name; *short*: a short form."""

    key: str
    pattern: str
    base: str
    short: bool


@lru_cache(maxsize=8192)
def _others(name: str, address: str) -> tuple[_Other, ...]:
    """Return short forms of the given name, and other spellings of each word of the *name*."""
    pieces = _pieces(name) if "@" not in name else []
    if not pieces:
        return ()
    known = {key for key, _ in _parts(name, address)}
    found: dict[str, _Other] = {}
    for word in _LETTERS.findall(name):
        base = fold(word)
        for other in sorted(other_spellings(word) - known) if base in known else ():
            found.setdefault(other, _Other(other, _pattern(other, (other,)), base, short=False))
    for other in sorted(other_given_names(pieces[0]) - known):
        # Not with an s: Stevens is another name than Steven.
        found.setdefault(other, _Other(other, re.escape(other), pieces[0], short=True))
    return tuple(found.values())


def _pattern(key: str, words: Sequence[str]) -> str:
    """Return a pattern of *words* with what may stand between them, and with the s of a possessive."""
    between = rf"[{_APOSTROPHES}._\s-]?"
    plural = "s?" if len(key) >= _MIN_PLURAL and ORDINARY_WORDS.isdisjoint((key, f"{key}s")) else ""
    return between.join(map(re.escape, words)) + plural


def _words(patterns: Iterable[str]) -> re.Pattern[str]:
    """Compile *patterns* to be found as whole words, the longest first."""
    found = sorted(set(patterns), key=lambda pattern: (-len(pattern), pattern))
    by_letter: dict[str, list[str]] = {}  # twice as fast as one flat alternation
    for pattern in found:
        if not _UNSPACED.search(pattern):
            by_letter.setdefault(pattern[0], []).append(pattern[1:])
    arms = [f"{letter}(?:{'|'.join(rest)})" for letter, rest in by_letter.items()]
    # Not the don of "don't".
    spaced = [rf"(?<![^\W_])(?:{'|'.join(arms)})(?![^\W_]|[{_APOSTROPHES}]t(?![^\W_]))"] if arms else []
    return re.compile("|".join([*spaced, *(pattern for pattern in found if _UNSPACED.search(pattern))]))


def _companies(person: Mapping[str, Any]) -> Iterator[str]:
    domain = _text(person.get("emailAddress")).rpartition("@")[2]
    yield domain.partition(".")[0].replace("-", " ")
    title = _COMPANY_IN_TITLE.search(_text(person.get("title")))
    if title is not None:
        yield title.group(1)


def _phrases(names: Iterable[str]) -> re.Pattern[str] | None:
    """Compile the names of companies, without their legal form; None when there is none."""
    phrases = set()
    for name in names:
        words = re.findall(r"[^\W_]+", fold(name))
        while words and words[-1] in _LEGAL:
            words.pop()
        if words and not (len(words) == 1 and len(words[0]) < _MIN_MAIL_PART):
            phrases.add(r"[\W_]{1,3}".join(map(re.escape, words)))
    return _words(phrases) if phrases else None


def _places(pattern: re.Pattern[str] | None, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)] if pattern is not None else []


def _inside(find: _Find, places: Sequence[tuple[int, int]]) -> bool:
    return any(start <= find.start and find.end <= end for start, end in places)


def _divided(spans: Iterable[Span], sentences: Sequence[str]) -> Iterator[list[Span]]:
    """Share out *spans*, in offsets of the joined sentences, over the sentences."""
    waiting = list(spans)
    offset = 0
    for sentence in sentences:
        end = offset + len(sentence)
        here = []
        while waiting and waiting[0].start < end:
            span = waiting[0]
            start, stop = max(span.start, offset), min(span.start + span.length, end)
            if stop > start:
                here.append(Span(span.kind, start - offset, stop - start))
            if span.start + span.length > end:
                break
            waiting.pop(0)
        yield here
        offset = end + 1


def _merged(names: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """Return *others* with what of *names* they leave; an invisible character inside a name goes with it."""
    kept = [span for span in others if span.kind != CONTROL or not any(_covers(name, span) for name in names)]
    out = list(kept)
    for name in names:
        start, end = name.start, name.start + name.length
        for span in kept:
            if span.start < end and start < span.start + span.length:
                # Of a name that reaches out of another find, the part in front stays one: the rest is gone already.
                start, end = (start, span.start) if start < span.start else (span.start + span.length, end)
        if end > start:
            out.append(Span(name.kind, start, end - start))
    return sorted(out, key=lambda span: span.start)


def _covers(name: Span, span: Span) -> bool:
    return name.start <= span.start and span.start + span.length <= name.start + name.length
