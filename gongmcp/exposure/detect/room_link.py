"""Links to a room for meetings on a host that nobody knows, written or dictated.

``meeting_link`` knows the services. Here the host or its path speaks of a meeting ("video.", "/room/", "/j/"), and
behind it stands what opens the room: digits, groups of letters, a secret in the query. A code in three groups of
letters that are no words is one by itself where something speaks of a meeting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import link_path
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import FILLERS, SLASHES, any_of, words

_DOT: Final = r"(?:\.|[^\S\n]+\.[^\S\n]+|[^\S\n]+(?:dot|punkt|point|punto|period)[^\S\n]+)"
_SCHEME: Final = r"(?:https?(?:\s*:\s*)?(?:\s*/){0,2}\s*)?(?:www\s*\.\s*)?"
_HOST: Final = re.compile(
    rf"(?<![0-9a-z@._-]){_SCHEME}(?P<host>[0-9a-z-]+(?:{_DOT}[0-9a-z-]+){{0,4}}?{_DOT}[a-z]{{2,12}})(?=[\s,]*/|\?)"
)
_HOST_ROOMS: Final = words(
    "meet meeting meetings meetup video videos vc conf conference conferencing konferenz konferenzen visio sala salas "
    "salle salles salon room rooms raum raume join call calls webinar webinars webinaire live direct directo envivo "
    "vivo stream demo demos reunion reuniones videoconferencia videollamada videokonferenz besprechung besprechungen "
    "treffen unirse rejoindre talk huddle event events evento eventos aula clase klasse cours jitsi bbb webconf "
    "greenlight "
    "webmeeting webmeetings conferencias reunions besprechungen"
)
_STEPS: Final = _HOST_ROOMS | words("j w my r m e s b p gl wc webinar")
_PUBLIC: Final = words(
    "watch docs doc help blog news article articles product products ticket tickets issue issues pull wiki support kb "
    "orders order invoice invoices item items sku status archive post posts tag category user users profile tree blob "
    "commit release releases download downloads pricing careers jobs investors press media embed shop store catalog"
)
_SECRET: Final = re.compile(
    r"[?&#](?:pwd|pass(?:word|code|wort)?|pin|tk|token|access_token|auth(?:key|token)?|key|code|codigo|clave|cle|secret"
    r"|invite|mtid|id|k|t|h)=(?P<value>[^&]{2,})"
)
_LONE: Final = words("id k t h")
"""Names in a query that mostly hold no secret."""
_GROUPS: Final = re.compile(r"(?:[a-z]{3,4}-){2}[a-z]{3,4}(?:-[a-z]{3,4})?|(?:[0-9a-z]{3}-){2,3}[0-9a-z]{3}")
_ROOMS: Final = words("meet jitsi bbb webconf conf konferenz visio room rooms raum sala salle join webmeeting")
"""Hosts that hold nothing but rooms, which may have names."""
_NAME: Final = re.compile(r"[0-9a-z]+(?:[._-][0-9a-z]+)+")
_LANGUAGE: Final = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?")
_VOWELLESS: Final = re.compile(
    r"(?<![\w@./-])(?=(?:[a-z]+-){0,2}[b-df-hj-np-tv-xz]{3,4}(?![a-z]))[a-z]{3}-[a-z]{4}-[a-z]{3}(?![\w@-])"
)
_MEETING: Final = re.compile(
    r"\b(?:meet\w*|room\w*|raum\w*|salas?|salles?|link\w*|lien|enlace|konferenz\w*|conf\w*|besprechung\w*|reunion|video\w*"
    r"|webinar\w*|codes?|codigo|visio|join|beitreten|llamada|appel|call)\b"
)
_NEAR: Final = 250
_STEP: Final = re.compile(r"/[\s,]*([a-z]+)(?=[\s,]*/)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_LEAST_WRITTEN, _LEAST_SAID = 5, 3
_LEAST_MIXED: Final = 6
_SOUNDS: Final = re.compile(rf"(?<=/)(?:[\s,.]*\b{any_of(FILLERS)}\b)+[\s,.]*(?=[0-9])")

_BLANKS: Final = re.compile(r"[ ,]+")
_NO_VOWEL: Final = "[b-df-hj-np-tv-xz]"
PATTERN: Final = (
    rf"\.[a-z]+/[^\s]*(?:[0-9][0-9-]*[0-9]|[a-z]+-[a-z]+-|[?&#][a-z_]+=)"
    rf"|\.[a-z]+/(?:[a-z]+/)?[.,]?\n|\b(?:dot|punkt|point|punto|period) [a-z]+,? {any_of(SLASHES)}\b"
    rf"|\.[a-z]+[ ,]{{1,2}}{any_of(SLASHES)}\b"
    rf"|\b{any_of(_ROOMS)}\.[a-z0-9.-]+/[a-z0-9]"
    rf"|\b(?:{_NO_VOWEL}{{3}}-[a-z]{{4}}-[a-z]{{3}}|[a-z]{{3}}-(?:{_NO_VOWEL}{{4}}-[a-z]{{3}}|[a-z]{{4}}-{_NO_VOWEL}{{3}}))\b"
)
"""What a text with a room holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each link to a room, and of each code of a room, in no order."""
    written = view.written
    text = _SOUNDS.sub(lambda found: " " * len(found.group()), written.text)
    at = 0
    for host in _HOST.finditer(text):
        if host.start() < at:
            continue
        blanks = _BLANKS.match(text, host.end())
        start = blanks.end() if blanks else host.end()
        end = link_path.end(text, start)
        said = written.said(host.start(), end)
        at = end
        least = _LEAST_SAID if said else _LEAST_WRITTEN
        if end > start and (_opens(host["host"], text[start:end], least) or (not said and _named(view, host, end))):
            at = written.end(end)
            yield host.start(), at
    for code in _VOWELLESS.finditer(view.text):
        if _MEETING.search(view.text, max(0, code.start() - _NEAR), code.end() + _NEAR // 2):
            yield code.span()


def hosts(text: str) -> Iterator[re.Match[str]]:
    """Yield each host in *text*, speech written down, that speaks of a meeting or whose path does."""
    for host in _HOST.finditer(text):
        path = text[host.end() : host.end() + _NEAR // 4].partition("\n")[0]
        steps = set(_STEP.findall(path)[:2])
        if _labels(host["host"]) & _HOST_ROOMS or steps & (_STEPS - _LONE):
            yield host


def _named(view: View, host: re.Match[str], end: int) -> bool:
    """Tell whether a written path names a room: in capitals within, or with signs where a meeting is spoken of."""
    if not _labels(host["host"]) & _ROOMS:
        return False
    steps = [step for step in re.split(r"[/?&#]", view.text[host.end() : end]) if step]
    if len(steps) != 1 or steps[0] in _PUBLIC or _LANGUAGE.fullmatch(steps[0]):
        return False
    raw = view.raw[slice(*view.raw_span(host.end(), end))]
    if sum(left.islower() and right.isupper() for left, right in pairwise(raw)):
        return True
    if _NAME.fullmatch(steps[0]) and raw != raw.lower():
        return True
    near = view.text[max(0, host.start() - _NEAR // 2) : host.start()]
    return _NAME.fullmatch(steps[0]) is not None and _MEETING.search(near) is not None


def _labels(host: str) -> set[str]:
    return set(re.findall(r"[0-9a-z]+", host))


def _opens(host: str, path: str, least: int) -> bool:
    """Tell whether a path holds what opens a room: with *least* digits in a row, at the least."""
    bare = re.sub(r"[\s,]+", "", path)
    steps = [step for step in re.split(r"[/?&#]", bare.partition("?")[0]) if step]
    speaks = bool(_labels(host) & _HOST_ROOMS or _STEPS & set(steps[:-1]))
    for secret in _SECRET.finditer(bare):
        name = secret.group()[1:].partition("=")[0]
        if name not in _LONE or (speaks and any(map(str.isdigit, secret["value"]))):
            return True
    if not speaks or _PUBLIC & set(steps):
        return False
    return any(_is_room(step, least) for step in steps)


def _is_room(step: str, least: int) -> bool:
    if _GROUPS.fullmatch(step):
        return True
    digits = sum(map(str.isdigit, step))
    if step.replace("-", "").replace(".", "").isdigit():
        return digits >= least and not _YEAR.fullmatch(step)
    return digits > 1 and len(step) >= _LEAST_MIXED and not _YEAR.search(step)
