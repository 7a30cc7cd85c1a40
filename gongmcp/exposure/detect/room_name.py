"""Names of rooms: words that hyphens join, written or said, behind the host of a room or the words for one.

"meet dot example dot org slash north dash weekly", "the Jitsi room is called north hyphen weekly", "enter room code
north-weekly". A hyphen that was said is sure; a written one is many a word's, so what opens it must be a host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import HYPHENS, any_of

_LABEL: Final = (
    r"(?:meet(?:ing)?|video|visio|calls?|conf(?:erence)?|konferenz|rooms?|raum|salas?|salles?|live|jitsi|bbb|vc)"
)
_DOT: Final = r"(?:\.| \. *|\. +| (?:dot|punkt|point|punto) )"
_TOP: Final = r"(?:com|org|net|io|de|fr|es|eu|test|example|us|co|info|si|me)"
_HOST: Final = (
    rf"(?<![\w@.-])(?:{_LABEL}{_DOT}[0-9a-z]+(?: *- *[0-9a-z]+){{0,3}}(?:{_DOT}[0-9a-z-]+)?{_DOT}{_TOP}"
    rf"|(?:[0-9a-z-]+{_DOT})?where ?by{_DOT}com|meet{_DOT}jit{_DOT}si)(?![\w-])"
)
_PART: Final = (
    r"(?:[0-9]+(?![0-9a-z])(?:[ ,]+[0-9]+(?![0-9a-z]))*|[a-z](?![0-9a-z])(?: +[a-z](?![0-9a-z]))*"
    r"|(?=[0-9]*[a-z])[0-9a-z]{2,}(?![0-9a-z]))"
)
_JOINED: Final = rf"{_PART}(?: *[-_] *(?:\. *- *)?{_PART}){{1,20}}"
"""A dot between hyphens is the word "point"."""
_NAME: Final = re.compile(rf"(?<![\w.@-])(?P<name>{_JOINED})(?![\w@%])")
_BEFORE: Final = re.compile(
    rf"(?<![\w.@-])(?P<name>{_JOINED}),? (?:on|at|in|bei|auf|sur|en|dans|after|nach|hinter|apres|detras de|despues de)"
    rf"(?: (?:the|our|der|dem|unserem|le|la|notre|el|nuestro))? (?:{_HOST}|where ?by|jitsi)(?![\w-])"
)
"""A name before the service that has the room."""
_PATH: Final = re.compile(rf"{_HOST},? */ *(?:[a-z]+ */ *)?(?={_PART} *-)")
_BROADCAST: Final = re.compile(r"(?:live|video)\b")
"""Hosts that hold more than rooms."""
_BARE_HOST: Final = re.compile(_HOST)
_CUE: Final = re.compile(
    r"(?<![\w-])(?:(?:(?:meet|jitsi|whereby|webex|zoom|meeting|video|personal|usual)[ -]?)?(?:rooms?|raum|salle|sala)"
    r"(?:[ -]?(?:codes?|names?|id))?|raum-?(?:codes?|namens?)|(?:google )?meet|jitsi|where ?by)"
    r"(?:'s)?(?![\w-])"
    rf"|{_HOST},?(?: (?:and|und|et|y))? (?:then|dann|puis|luego)\b"
)
_GAP: Final = re.compile(r"[^.?!\n]{1,60}")
_ONWARDS: Final = re.compile(
    r"[.,!?]*\s+(?:[a-z']{1,9},?[ ]){0,4}(?P<sign>-) *(?P<part>[0-9]+(?:[ ,]+[0-9]+)*|[0-9a-z]{3,12})(?![\w@%])"
)
_NAMED: Final = re.compile(r"code|name|jitsi|where")
_ARITHMETIC: Final = frozenset({"mi", "me", "mo"})
"""How the words for a hyphen begin that are said for less, too: minus, menos, moins."""
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_FEW, _SHORT = 2, 4
_NEAR, _BESIDE = 200, 12
_VOWELS: Final = frozenset("aeiouy")
_PAGE: Final = re.compile(
    r"how-|getting-|about-|terms|privacy|.*-(?:guide|policy|page|us|started|service|center|centre)"
)

PATTERN: Final = (
    r"[0-9a-z]-[0-9a-z-]+,? [a-z ]{2,20} (?:where ?by|jitsi)|"
    r"\bgoogle meet\b[^.\n]{0,30}\b(?:type|enter|put|tipp\w*|geben|tapez|entrez|mettez|tecle\w*|escrib\w*|pon\w*|met\w*"
    r"|code|codigo)\b|"
    rf"\b(?:rooms?|raum\w*|salle|sala|meet|jitsi|where ?by)\b[^.?!\n]{{1,60}}\b{any_of(HYPHENS)}\b"
    r"|\b(?:room|raum|sala|salle)[ -]?(?:codes?|name)\b|\b(?:code|codigo|nom|nombre) (?:de (?:la )?)?(?:salle|sala)\b"
    rf"|\b{_LABEL}\.[0-9a-z.-]+/(?:[a-z]+/)?[0-9a-z]+-"
    rf"|\b{_TOP},? (?:slash|schragstrich|barre|barra)\b[^.?!\n]{{1,40}}\b{any_of(HYPHENS)}\b"
)
"""What a text with the name of a room holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each name, in no order; some may overlap."""
    text = view.written.text
    for path in _PATH.finditer(text):
        name = _NAME.match(text, path.end())
        if name is None:
            continue
        written = not _BROADCAST.match(path.group()) and not _PAGE.match(name["name"])
        if written or _said(view, name) or _no_word(name["name"]):
            yield path.start(), view.written.end(name.end())
            yield from _onwards(view, name.end())
    for name in _BEFORE.finditer(text):
        if _said(view, name) or _no_word(name["name"]):
            yield name.start("name"), view.written.end(name.end("name"))
    hosts = [host.end() for host in _BARE_HOST.finditer(text)]
    for cue in _CUE.finditer(text):
        gap = _GAP.match(text, cue.end())
        name = _NAME.search(text, cue.end(), gap.end()) if gap else None
        if gap is None or name is None:
            continue
        name = _NAME.match(text, name.start()) or name
        hosted = any(0 <= name.start() - host < _NEAR for host in hosts)
        if (
            _said(view, name, certain=not _NAMED.search(cue.group()))
            or (hosted and name.start() - cue.end() < _FEW * 6)
            or _no_word(name["name"])
        ):
            yield name.start(), view.written.end(name.end())
            yield from _onwards(view, name.end())


def _said(view: View, name: re.Match[str], *, certain: bool = False) -> bool:
    """Tell whether a hyphen of a name was said; *certain*: in a word that is said for little else."""
    signs = [view.text[at : at + 2] for at in range(name.start(), name.end()) if name.string[at] == "-"]
    return any(sign[0] != "-" and not (certain and sign in _ARITHMETIC) for sign in signs)


def _no_word(name: str) -> bool:
    """Tell whether the last part of a name is a number, or letters without a vowel."""
    parts = re.split(r"[-_]", name)
    last = parts[-1].strip()
    if _YEAR.fullmatch(last) or len(last) + len(parts) <= _SHORT or (len(parts) == _FEW and not last.isalpha()):
        return False
    return any(map(str.isdigit, last)) or _VOWELS.isdisjoint(last)


def _onwards(view: View, at: int) -> Iterator[tuple[int, int]]:
    """Yield what a name goes on with in the next sentence: "and after that, dash, forty two"."""
    more = _ONWARDS.match(view.written.text, at)
    if more and view.text[more.start("sign")] != "-":
        yield more.start("part"), view.written.end(more.end("part"))
