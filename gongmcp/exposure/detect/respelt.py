"""Remarks on what is being dictated, and words that are spelt again: "marlo, M A R L O", "kiel, like the city".

``reading`` leaves both out of a text, so that the detectors of addresses read what is left as if nothing had been
said in between. The remark goes with the address that stands around it; a spelling goes with its word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from gongmcp.exposure.detect.addressed import TOP
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import AT_SIGNS, DOTS, JOINTS, LETTER_NAMES, any_of, words

Place = tuple[int, int]

_SPELT: Final = words("as in wie like comme como de for")
_FOR: Final = rf" (?:as in|{any_of(_SPELT - {'as', 'in'})})(?: (?:en|in|dans))? [a-z]+"
_LETTER: Final = rf"(?:[a-z]|{any_of(LETTER_NAMES)})(?![\w'])(?:{_FOR})?"
_LETTERS: Final = re.compile(rf"(?<![\w'-])(?:{_LETTER}[ ,.-]{{1,3}}){{1,24}}{_LETTER}(?![\w'-])")
_HELP: Final = re.compile(_FOR)
_NAME: Final = re.compile(any_of(LETTER_NAMES))
_LED: Final = re.compile(
    r"(?P<word>[\w.@-]*\w)[ ,.:\n]{1,3}(?:(?:that's|that is|it's|so|spelt|spelled|written|just|also|das ist|geschrieben"
    r"|nur|donc|c'est|soit|juste|o sea|que es|es decir|es|and|und|et|y|like|as in|wie|comme|como)[ ,:]{1,2}){0,3}$"
)
"""The word before its spelling."""
_TOLD_AGAIN: Final = re.compile(
    r"[ ,.;:\n]{1,3}(?:(?:that's|that is|it's|so|i mean|spelt|spelled|written|das ist|also|geschrieben"
    r"|ich buchstabiere|donc|ca s'ecrit|c'est|soit|j'epelle|se escribe|o sea|es decir|le deletreo|es"
    r"|and|und|et|y)[ ,:]{1,2}){1,3}"
)
"""What leads from an address to its spelling: "..., also k wie kaufmann e wie emil"."""
_BEHIND: Final = re.compile(r"[ ,.:\n]{1,3}(?:[a-z']{1,6}[ ,]{1,2}){0,2}?(?P<word>\w{3,})\b")
_REACH: Final = 60
_LEAST: Final = 2
_LEAST_PART: Final = 3

_JOINED: Final = any_of(JOINTS - {"plus", "_", "-", "+"})
_TAIL: Final = rf"at the (?:end|start|beginning|front|back)|(?:with|mit|avec|con) (?:an?|einem|un) {_JOINED}"
_SIGN: Final = rf"(?:at(?! the (?:end|start|beginning|front|back)\b)|{any_of(AT_SIGNS | DOTS | JOINTS)}|@)"
_PLAIN: Final = rf"(?!{_SIGN}(?![\w']))[\w'-]+"
_ARTICLE: Final = r"(?:an?|the|one|two|ein|eine[mnr]?|de[rmn]|das|die|zwei|une?|les?|la|deux|el|los|dos|[0-9])"
_LIKENESS: Final = r"(?:(?:just|exactly|so|genau|ganz|tout|tal|written|geschrieben) )?(?:as in|like|as|wie|comme|como)"
_WITH: Final = (
    r"(?:(?:also|so|donc|o sea|spelt|spelled|written|but|aber|mais|pero) )?(?:with|without|mit|ohne|avec|sans|con|sin)"
)
_LABEL: Final = (
    r"(?:in|im|en|aux?|not?|kein|pas|just|nur|juste|solo|all|alles|tout|todo|double|doppel|doble|capital"
    r"|lower|upper|gross(?:es)?|klein(?:es)?|majuscules?|minuscules?|mayusculas?|minusculas?)"
)
_CLAUSE: Final = re.compile(
    rf",\s(?:(?:{_LIKENESS}|{_WITH}|{_LABEL})\s(?:{_ARTICLE}\s)?[\w'-]+"
    rf"|(?:(?:also|so|donc|o sea)\s)?{_ARTICLE}(?:\s{_PLAIN}|'[\w-]+)|l'[\w-]+"
    rf"|letters|digits|ziffern|buchstaben|chiffres|lettres|letras|cifras)"
    rf"(?:\s(?:{_TAIL}|{_PLAIN})){{0,7}}(?=[,.;!?\n]|$|\s{_SIGN}\s)"
)
"""A remark that a comma parts from what it is about."""
_BARE: Final = re.compile(
    rf"(?P<word>\b\w{{2,}})(?P<remark>\s(?:(?P=word)\s)?(?:{_LIKENESS}(?:\s{_PLAIN}){{1,4}}"
    rf"|{_WITH}(?:\s{_ARTICLE})?"
    rf"\s(?:[a-z]{{1,2}}|{any_of(LETTER_NAMES)}|accents?|acentos?|trema|umlaut|dieresis|{_JOINED})"
    rf"(?:\s(?:{_TAIL}|(?!at\b)[a-z]{{3,}}))?))(?=,?\s{_SIGN}\s)"
)
"""A remark that nothing parts from it, before the next sign."""
_SENTENCE: Final = re.compile(
    rf"\n(?P<word>[a-z-]{{2,}} )?(?:{_LIKENESS}|{_WITH}|{_LABEL}|(?:the|das|le|la|el) (?:word|wort|mot|palabra),?)"
    rf"(?P<rest>,?\s(?:{_PLAIN})){{1,8}}[.!]*(?=\n)"
)
"""A sentence that is but a remark; it may begin with the word that it is about."""
_AND: Final = r"(?:and|und|et|y)"
_THEN: Final = rf",? (?:{_AND} )?(?:then|dann|danach|puis|pis|ensuite|apres|luego|despues)"
_SURE: Final = rf"(?:(?:the )?at sign|(?:das )?at[ -]zeichen|{any_of(AT_SIGNS | DOTS)}|{_JOINED})"
_LINK: Final = re.compile(
    rf"{_THEN}(?: (?:an?|the|eine?n?|das|de[nr]|die|une?|le|la|el))?(?= {_SURE} )|{_THEN} l'(?={_SURE} )"
    rf"|(?<=\n)(?:an?|eine?n?|une?) (?={_SURE})"
    rf"|(?<=\b[a-z]), {_AND}(?= (?:{any_of(AT_SIGNS)}|at) [a-z0-9-]+ {any_of(DOTS)} )"
)
"""What leads to a sign that is told as a thing: "then a dot", "puis l'arobase"."""
_LINKED: Final = re.compile(rf"\b{_SURE}(?P<then>,? (?:{_AND} )?(?:then|dann|puis|pis|ensuite|luego|et|y))(?= [a-z])")
_NEXT: Final = rf"(?:(?:{_AND}|yeah|yes|ja|oui|si|so|also|ok|okay) )?(?:(?:then|dann|puis|pis|ensuite|luego|despues) )?"
_DOMAIN: Final = rf"(?:[a-z0-9-]+ ){{1,16}}{any_of(DOTS)} {TOP}(?![\w-])|[a-z0-9][a-z0-9.-]*\.{TOP}(?![\w.-])"
_GOES_ON: Final = re.compile(
    rf"(?<=[a-z0-9] )(?:{any_of(DOTS)}|{_JOINED})(?P<joint>[.,]?\n{_NEXT})(?=[a-z0-9-]+[.,]?(?:\n| {_SIGN} ))"
    rf"|\b(?:at|{any_of(AT_SIGNS)}) [a-z0-9-]+(?P<label>[.,]?\n{_NEXT})(?={any_of(DOTS)} {_DOMAIN})"
    rf"|\b(?:at|{any_of(AT_SIGNS)})(?P<sign>[.,]?\n[^\n]{{1,25}}\n{_NEXT})(?={_DOMAIN})"
)
"""An address that goes on in the next sentence: "petra dot. Then kessler.", "at north. Dot brenner dot test."."""
_WAIT: Final = any_of(
    {"a ver", "espera", "espere", "un momento", "momento", "moment", "warte", "warten sie", "mal sehen", "attendez"}
    | {"attends", "voyons", "voyons voir", "un instant", "wait", "hold on", "let me see", "let's see", "einen moment"}
)
_WAITS: Final = re.compile(
    rf"(?<=[a-z0-9])(?P<before>,? {_WAIT},?)(?= (?:{any_of(AT_SIGNS)}|at) {_DOMAIN})"
    rf"|\b(?:{any_of(AT_SIGNS)}|at)(?P<behind>,? {_WAIT},?)(?= {_DOMAIN})"
)
"""A pause that is said beside the sign: "quiroga a ver arroba ..."."""
_AGAIN: Final = re.compile(
    rf"(?P<word>\b[a-z][\w'-]+(?: (?:{any_of(DOTS)}|{_JOINED}) \w+)*)"
    rf"(?P<again>(?: {_WITH} [\w']+(?: [\w']+)?)?, (?:(?:so|also|donc|o sea|entonces) )?(?P=word))(?= {_SIGN} )"
)
"""A mailbox said twice: "danna with two n's, danna at ..."."""
_COMMA: Final = re.compile(rf",(?=\s(?:{_SIGN}(?![\w'])|@))")
"""The comma that closes a remark before a sign."""
_ANY: Final = re.compile(rf"\b(?:{any_of(DOTS)})\s[a-z]|@|\b{any_of(AT_SIGNS)}\b|\b(?:{any_of(DOTS)}|{_JOINED})[.,]?\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text without its remarks and spellings: its *view*, and the way back to the text they were left out of."""

    view: View
    kept: Sequence[Place]
    at: Sequence[int]  # where each piece of *kept* stands in the view

    def back(self, start: int, end: int) -> Place:
        """Return the place of ``view.text[start:end]`` in the whole text, with what was left out of it."""
        return self._whole(start), self._whole(end - 1) + 1

    def _whole(self, index: int) -> int:
        piece = bisect_right(self.at, index) - 1
        return self.kept[piece][0] + index - self.at[piece]


def reading(view: View) -> Reading | None:
    """Return *view* without remarks and spellings; None when it has none, or no sign of an address."""
    text = view.text
    if not _ANY.search(text):
        return None
    dropped = sorted([*_remarks(text), *(gap for _, _, gap in _twins(text) if gap)])
    if not dropped:
        return None
    kept: list[Place] = []
    floor = 0
    for start, end in dropped:
        if start > floor:
            kept.append((floor, start))
        floor = max(floor, end)
    if floor < len(text):
        kept.append((floor, len(text)))
    raw = "".join(view.raw[slice(*view.raw_span(*place))] for place in kept)
    bare = View(raw)
    lengths = [end - start for start, end in kept]
    if len(bare.text) != sum(lengths):
        return None  # a raw character that folds to more than one was cut
    return Reading(bare, kept, [0, *accumulate(lengths[:-1])])


def beside(text: str, finds: Sequence[Place]) -> Iterator[Place]:
    """Yield each spelling of a word that *finds* hold, and each word whose spelling they hold."""
    for _, end in finds:
        told = _TOLD_AGAIN.match(text, end)
        if told and (run := _LETTERS.match(text, told.end())) and len(_HELP.findall(run.group())) > _LEAST:
            yield run.span()
    for word, letters, _ in _twins(text) if finds else ():
        for here, other in ((word, letters), (letters, word)):
            if any(start < here[1] and here[0] < end for start, end in finds):
                yield other


def _remarks(text: str) -> Iterator[Place]:
    for clause in _CLAUSE.finditer(text):
        yield clause.start(), clause.end() + (_COMMA.match(text, clause.end()) is not None)
    for bare in _BARE.finditer(text):
        yield bare.start("remark"), bare.end() + (_COMMA.match(text, bare.end()) is not None)
    for link in _LINK.finditer(text):
        yield link.start() + link.group().endswith("'"), link.end()  # "puis l'arobase": the blank stays
    for linked in _LINKED.finditer(text):
        yield linked.span("then")
    for more in _GOES_ON.finditer(text):
        yield more.start(more.lastgroup or 0), more.end() - 1  # a blank, or the end of the line, stays
    for wait in _WAITS.finditer(text):
        yield wait.span(wait.lastgroup or 0)
    for again in _AGAIN.finditer(text):
        yield again.span("again")
    for sentence in _SENTENCE.finditer(text):
        word = (sentence["word"] or "").strip()
        if not word or word in text[max(0, sentence.start() - _REACH) : sentence.start()]:
            yield sentence.span()


def _twins(text: str) -> Iterator[tuple[Place, Place, Place | None]]:
    """Yield each word with its spelling, and what to leave out to read it once."""
    for run in _LETTERS.finditer(text):
        spelt = _HELP.sub("", run.group())
        letters = "".join(re.findall("[a-z]", _NAME.sub(lambda name: LETTER_NAMES[name.group()], spelt)))
        led = _LED.search(text, max(0, run.start() - _REACH), run.start())
        if led and any(_same(label, letters) for label in re.split(r"[.@_-]", led["word"])):
            yield led.span("word"), run.span(), (led.end("word"), run.end())
            continue
        after = _BEHIND.match(text, run.end())
        if after and _same(after["word"], letters):
            yield after.span("word"), run.span(), (run.start(), after.start("word"))
            continue
        again = re.compile(rf"\b{letters}\b").search(text, run.end(), run.end() + _REACH)
        if again and len(letters) > _LEAST_PART:
            yield again.span(), run.span(), None


def _same(word: str, letters: str) -> bool:
    """Tell whether *letters* spell *word*, or the beginning or end of it."""
    if len(letters) < _LEAST_PART:
        return len(letters) == _LEAST and word == letters
    return word.startswith(letters) or word.endswith(letters)
