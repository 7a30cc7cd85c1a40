"""Meeting links with codes, and the codes themselves: written, spoken, split over sentences.

A link is one to a known meeting service with a path, or any link with a secret in its query. A code (meeting
id, passcode, PIN) is masked behind the words that announce it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from gongmcp.exposure.detect import link_path, passcode, room_link, room_name, share_link
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import words

_DOT: Final = r"(?:\s*\.\s*|\s+(?:dot|punkt|point|punto|period)\s+)"
_SUB: Final = rf"(?:[0-9a-z-]+{_DOT}|[a-z]{{2}}[\s]*[0-9][0-9\s]*web{_DOT})?"
_HOSTS: Final = (
    rf"{_SUB}zoom(?:gov)?{_DOT}(?:us|u s|com)|meet{_DOT}google{_DOT}com|teams{_DOT}(?:microsoft|live){_DOT}(?:com|us)"
    rf"|{_SUB}{_SUB}web\s?ex{_DOT}com|{_SUB}go\s?to\s?meeting{_DOT}com|{_SUB}go\s?to\s?webinar{_DOT}com"
    rf"|meet{_DOT}goto{_DOT}com"
    rf"|go\s?to\s?meet{_DOT}me|{_SUB}where\s?by{_DOT}com|{_SUB}jit\s?si{_DOT}(?:si|org)|meet{_DOT}jit{_DOT}si"
    rf"|{_SUB}blue\s?jeans{_DOT}com"
    rf"|join{_DOT}skype{_DOT}com|meet{_DOT}lync{_DOT}com|(?:app{_DOT})?chime{_DOT}aws|(?:meet|v"
    rf"|video){_DOT}ring\s?central{_DOT}com"
    rf"|8x8{_DOT}vc|join{_DOT}me|uber\s?conference{_DOT}com|(?:video{_DOT})?dialpad{_DOT}com|{_SUB}livestorm{_DOT}co"
    rf"|facetime{_DOT}apple{_DOT}com|teams{_DOT}events{_DOT}data{_DOT}microsoft{_DOT}com"
    rf"|{_SUB}big\s?blue\s?button{_DOT}org"
    rf"|lifesizecloud{_DOT}com|call{_DOT}lifesizecloud{_DOT}com|{_SUB}starleaf{_DOT}com|{_SUB}pexip{_DOT}me"
    rf"|meet{_DOT}zoho{_DOT}(?:com|eu)|g{_DOT}co\s*/\s*meet"
)
_OPEN: Final = re.compile(r"[\s,]*/")
_OPEN_END: Final = re.compile(r"(?:[^\S\n]*[/?=&_-])+")


def _spelt(host: str) -> str:
    """Return a pattern for *host* spelt letter by letter."""
    return r"\s*".join({".": r"\.", "o": "[o0]"}.get(char, char) for char in host)


_SPELT_HOST: Final = re.compile(
    rf"(?<![0-9a-z@.-])(?:{_spelt('zoom.us')}|{_spelt('zoom.com')}|{_spelt('meet.google.com')}"
    rf"|{_spelt('teams.microsoft.com')}|{_spelt('teams.live.com')}|(?:(?:[0-9a-z][^\S\n]+){{0,20}}[0-9a-z-]+\s*\.\s*)?{_spelt('webex.com')})(?![0-9a-z-])"
)
_SCHEME: Final = r"(?:https?(?:\s*:\s*)?(?:\s*/){0,2}\s*)?(?:www\s*\.\s*)?"
_HOST: Final = re.compile(rf"(?<![0-9a-z@.-]){_SCHEME}(?:{_HOSTS})(?![0-9a-z-])")

_URL: Final = re.compile(r"https?://[^\s<>\"'`{}|\\^]+")
_SECRET_QUERY: Final = re.compile(
    r"[?&#](?:pwd|pass(?:word|code)?|pin|tk|token|access_token|auth(?:key|token)?|api_?key|key|code|sig|signature"
    r"|secret|p"
    r"|mtid|invite|share)=[^&\s]{4,}"
)
_NO_CODE: Final = words(
    "pricing download downloads about support help blog solutions products features contact legal terms privacy "
    "signup "
    "signin login careers en us de fr es home index html docs company news events resources"
)

# --- codes -----------------------------------------------------------------------------------------

_MEETING: Final = (
    r"(?:meeting|webinar|conference|conf|zoom|teams|webex|besprechungs?|meetings?|konferenz|sitzungs?"
    r"|videokonferenz|termin"
    r"|reunion|la reunion|sala|bridge|event|session|personal meeting|google meet|gotomeeting|call|raum|room|salle)"
)
_CODE_NOUN: Final = (
    r"(?:ids?|i d|codes?|number|pin|passcode|pass code|password|key|kennung|kennnummer|nummer|nr|numero"
    r"|passwort|kennwort|kenncode|pmi)"
)
_CODE_CUE: Final = re.compile(
    rf"(?<![0-9a-z])(?:"
    rf"(?P<meeting>{_MEETING}[ -]?{_CODE_NOUN}"
    r"|(?:id|identifiant|identificador|codigo|code|numero|contrasena|mot de passe|clave|pin) (?:de|de la|du|der"
    r"|des|para la) "
    r"(?:reunion|conference|conferencia|sala|videoconference|videoconferencia|meeting|salle|llamada|webinaire"
    r"|webinar|zoom|teams|webex))"
    r"|(?P<code>pass ?codes?|pass-codes?|access codes?|access-codes?|participant (?:codes?|pin|id)|guest codes?"
    r"|host (?:key|pin|code)|dial[ -]?in (?:codes?|pin|id)"
    r"|(?:conference|audio|phone|entry|join|joining|security|attendee) (?:codes?|pins?)|kenncodes?"
    r"|zugangs-?codes?|einwahl-?codes?|einwahl-?pins?"
    r"|teilnehmer-?(?:codes?|pins?|id)|zugriffscodes?|konferenz-?(?:codes?|pins?)|zutrittscodes?"
    r"|codes? d[' ]?acces|codes? secrets?|codes? (?:du )?participant"
    r"|codes? confidentiels?|codes? de connexion|codigos? de acceso|claves? de acceso|codigos? de participante"
    r"|codigos? secretos?"
    r"|codigos? de entrada|pin[ -]?(?:codes?|nummer|number|de acceso)|(?:codes?|codigos?|numero) pin"
    r"|meeting[ -]?passwor[dt]|pins?|geheimzahl)"
    r")(?![0-9a-z])"
)
_PASSWORD_CUE: Final = re.compile(
    r"\b(?:(?P<meeting>\b\B)|passwords?|passwort|kennwort|mot de passe|contrasena|clave|code|codigo)\b"
)
_MEETING_NEAR: Final = re.compile(
    r"zoom\b|teams\b|webex|google meet|meet\.google|(?:meeting|reunion|besprechungs|konferenz"
    r"|webinar)[ -]?(?:ids?|number|nummer)"
    r"|(?:id|numero|identifiant) (?:de|de la|du) (?:reunion|conference|meeting)"
)
_NEAR: Final = 120
_CODE_LEAD: Final = re.compile(
    r"[\s.,;:=#()\"'`-]*(?:(?:is|it's|its|are|ist|lautet|lauten|est|c'est|c|es|sera|will|be|the|following|das|der"
    r"|die|le|la|el|number|nummer"
    r"|numero|no|nr|num|code|then|um|uh|er|ah|ahm|euh|eh|este|here|hier|voici|aqui|again|nochmal|for|fur|pour"
    r"|para|this|diese|dieses|cette|esta"
    r"|meeting|call|reunion|conference|konferenz|besprechung|sitzung|webinar|webinaire|conferencia|sala|salle|llamada|visio"
    r"|videokonferenz|videoconferencia|audioconferencia|audioconference|today|would|enter|reads|and|und|et|y|followed|by|ok|okay|please|bitte|wie"
    r"|folgt|suivant|siguiente|tiene|that|zoom)\b[\s.,;:=#\"'`-]*)*"
)
_CODE: Final = re.compile(
    r"(?P<spelt>(?<![0-9a-z])(?:[0-9]+|[a-z](?![0-9a-z'])|(?=[a-z0-9]*[0-9])[a-z0-9]{2,16}(?![0-9a-z]))"
    r"(?:[\s.,/–-]*(?:(?<![a-z])[0-9]+|(?<![0-9a-z])[a-z](?![0-9a-z'])"
    r"|(?<![0-9a-z])(?=[a-z0-9]*[0-9])[a-z0-9]{2,16}))*)(?![a-z%])\s*(?P<end>#|(?:pound|hash|raute|diese"
    r"|almohadilla)\b)?"
)
_UNIT: Final = re.compile(
    r"\s?(?:%|percent|prozent|million|milli|billion|thousand|dollar|euro|pound|hour|minute|people|stunde|personen"
    r"|personas)"
)
_YEARS: Final = re.compile(r"(?:19|20)[0-9]{2}")
_ROOM_HOST: Final = (
    r"\b(?:meet[ -]?codes?|codes? (?:de )?meet|codigo de meet)\b"
    r"|\b(?:meet|video|conf|konferenz|visio|rooms?|raum|salas?|salles?|live|webinar|join|call)"
    r"(?:\.[a-z0-9.-]+\.(?:com|org|net|test|example|io|de|fr|es|eu)\b| (?:dot|punkt|point"
    r"|punto) [a-z0-9-]+ (?:dot|punkt|point|punto) )"
)
PATTERN: Final = (
    r"\b(?:zoom|teams|meet|web ?ex|go ?to ?(?:meet(?:ing)?|webinar)|goto|where ?by|jitsi|jit|blue ?jeans|skype|lync|g"
    r"|chime|ring ?central|8x8|join|"
    r"uber ?conference|dialpad|facetime|livestorm|zoho|pexip|starleaf|lifesizecloud)(?:gov)?(?:\s*\.\s*|\s+(?:dot"
    r"|punkt|point|punto|period)\s+)"
    r"(?:us\b|u s\b|com|google|microsoft|live|goto|jit|si\b|org|skype|lync|aws|ring|vc\b|me\b|co\b|events|eu\b"
    r"|zoho|apple|zoom|pexip)"
    r"|(?:where ?by|jitsi)[ -]?(?:room|raum)|(?:salle|sala|raum|room) (?:de )?(?:whereby|jitsi)\b|\bwebcast\.[a-z]"
    r"|https?://[^\s]*[?&#][a-z_]+=|\b(?:z o o m|m e e t|t e a m s|w e b e x)\b|"
    r"\b(?:pass ?-?codes?|access[ -]codes?|pins?|geheimzahl|[a-z]*-?(?:kenn|zugangs|einwahl|zugriffs|zutritts"
    r"|teilnehmer|konferenz)-?(?:codes?|pins?|ids?)|"
    r"codes? (?:d[' ]?acces|secrets?|participant|du participant|confidentiels?|de connexion|pin)|codigos? (?:de"
    r"|secretos?|pin)|claves? de|"
    r"(?:participant|guest|host|dial[ -]?in|conference|audio|phone|entry|join|joining|security"
    r"|attendee) (?:codes?|pins?|ids?|keys?))\b|"
    rf"\b{_MEETING}[ -]?{_CODE_NOUN}\b|\b(?:id|identifiant|identificador|codigo|code|numero|contrasena"
    rf"|mot de passe|clave) (?:de|du|der|para) "
    rf"|{room_link.PATTERN}|{share_link.PATTERN}|{passcode.PATTERN}|{room_name.PATTERN}|{_ROOM_HOST}"
)
"""What a text with a link or code holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each link and code, in order of their start; some may overlap."""
    links = [*_links(view), *room_link.find(view), *room_name.find(view), *share_link.find(view)]
    yield from sorted([*links, *_codes(view, links), *passcode.find(view)])


def _links(view: View) -> Iterator[tuple[int, int]]:
    text = view.text
    for url in _URL.finditer(text):
        end = link_path.stripped(text, url.start(), url.end())
        if _SECRET_QUERY.search(text, url.start(), end):
            yield url.start(), end
    written = view.written
    at = 0
    for host in _HOST.finditer(written.text):
        if host.start() < at:
            continue
        end = link_path.end(written.text, host.end())
        if end > host.end() and _has_code(written.text, host.group(), host.end(), end):
            at = written.end(end)
            yield host.start(), at


def hosts(view: View) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each host of a meeting service with a path, as far as its line goes, and what is there."""
    written = view.written
    at = 0
    rooms = room_link.hosts(written.text)
    for host in sorted(
        [*_HOST.finditer(written.text), *_SPELT_HOST.finditer(written.text), *rooms], key=lambda found: found.start()
    ):
        line = written.text.find("\n", host.end())
        text = written.text if line < 0 else written.text[:line]
        if host.start() < at or not _OPEN.match(text, host.end()):
            continue
        at = link_path.end(text, host.end())
        if tail := _OPEN_END.match(text, at):
            at = tail.end()
        yield host.start(), written.end(at), text[host.start() : at]


def _has_code(text: str, host: str, start: int, end: int) -> bool:
    path = text[start:end].strip(" /,.")
    first = re.split(r"[^0-9a-z]+", path, maxsplit=1)[0]
    if not path or path in _NO_CODE or (first in _NO_CODE and not any(char.isdigit() for char in path)):
        return False
    if "where" in host or "jit" in host or "join" in host or "gotomeet" in host or "zoom" not in host:
        return len(path) >= 3
    return any(char.isdigit() for char in path) or "/" in path or "=" in path


def _codes(view: View, links: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    written = view.written
    text = written.text
    for cue in chain(_CODE_CUE.finditer(view.text), _password_cues(view.text, links)):
        lead = _CODE_LEAD.match(text, cue.end())
        at = lead.end() if lead else cue.end()
        code = _CODE.match(text, at)
        if code is None:
            continue
        start, end = code.span("spelt")
        token = text[start:end]
        digits = sum(char.isdigit() for char in token)
        letters = sum(char.isalpha() for char in token)
        if digits + letters < (3 if digits else 4) or digits + letters > 24 or _UNIT.match(text, end):
            continue
        if (not digits and (letters < 4 or (not written.said(start, end) and " " not in token))) or not _near(
            view, cue, token
        ):
            continue
        yield start, max(written.end(end), code.end("end"))


def _password_cues(text: str, links: Sequence[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """Yield the words for a password that follow a meeting's link or number, or stand right before a link."""
    for cue in _PASSWORD_CUE.finditer(text):
        beside = any(start - _NEAR // 2 < cue.start() < end + _NEAR for start, end in links)
        if beside or _MEETING_NEAR.search(text, max(0, cue.start() - _NEAR), cue.start()):
            yield cue


def _near(view: View, cue: re.Match[str], token: str) -> bool:
    """Tell whether the cue speaks of a code: ``pin`` alone does so in capitals or with four digits behind it."""
    if cue.group() in {"pin", "pins"}:
        capital = view.raw_char(cue.start()).isupper()
        return sum(char.isdigit() for char in token) >= 4 and (capital or not _YEARS.fullmatch(token.strip()))
    if cue["meeting"] and cue.group().split()[-1] in {"number", "numero", "nummer"}:
        return sum(char.isdigit() for char in token) >= 4 and not _YEARS.fullmatch(token.strip())
    return True
