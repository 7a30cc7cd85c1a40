"""Written passwords of which only the use is told: "the archive opens with ...", "user anna, pass ...", "try ...".

Their form decides, capitals, digits and signs in one token. The more the words around say, the less of it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect.fold import View

_LOCKED: Final = (
    r"(?:encrypted|password-protected|protected|locked|verschlusselt|geschutzt|chiffree?|protegee?|cifrad[oa]"
    r"|protegid[oa])"
)
_FILE: Final = r"(?:zip|rar|7z|archiv[eo]?|comprimido|keepass|truecrypt|veracrypt|container|vault|tresor)"
_WITH: Final = r"(?:with|using|mit|avec|con)"
_TRY: Final = r"(?:try|(?:probier|versuch)[a-z]*(?: mal| sie| es| mit){0,3}|essaye[zr]?(?: avec)?|prueb[ae](?: con)?)"
_USER: Final = (
    r"(?:user(?: ?name)?|login|log ?in|sftp|ftp|vpn|ssh|access|nutzer(?:name)?|benutzer(?:name)?|zugang|anmeldung"
    r"|utilisateur|identifiant|acces|connexion|usuario|acceso)"
)
_TOKEN: Final = r"[^\s\"'`<>()\[\],;/\\]{8,40}"
_END: Final = re.compile(r"[.:]+$")
_LOCKED_WITH: Final = re.compile(rf"\b{_LOCKED}\b[^\n]{{0,50}}?\b{_WITH} (?P<token>{_TOKEN})")
_FILE_WITH: Final = re.compile(rf"\b{_FILE}\b[^\n]{{0,40}}?\b{_WITH} (?P<token>{_TOKEN})")
_TRIED: Final = re.compile(rf"\b{_TRY} (?P<token>{_TOKEN})")
_USED: Final = re.compile(rf"\b{_USER}\b[^\n]{{0,48}}(?<=[ :])(?P<token>{_TOKEN})")
_GIVEN: Final = re.compile(rf"\b(?:pass|pw|mdp|kw|pwd)[ :=]+(?P<token>{_TOKEN})")
_WORDS: Final = re.compile(r"[a-z]{3,12}(?:[-_.+*][a-z]{3,12}){1,5}(?:[-_.+*]?[0-9]{1,4})?[!?]?")
_ORDINARY: Final = re.compile(
    r"(?:[a-z]+-){1,2}(?:based|in|on|to|end|factor|time|level|party|bit)|state-.*|aes.*|sha.*"
)
_SIGN: Final = re.compile(r"[!#$%^&*=?~]")
_RARE: Final = re.compile(r"[!#$%^*=?~@][0-9a-z]")
"""What joins no names of products: not "Office365+Teams"."""
_BEHIND: Final = 20
_OPENS: Final = re.compile(
    r"\b(?:open|unlock|unzip|unpack|decrypt|extract|s'ouvr|ouvr|deverrouill|dechiffr|abr[aei]|descifr|desbloque|password)"
    r"|offne|entsperr|entpack|entschlussel|passwor|kennwort"
)
_INNER: Final = re.compile(r"[^\W_][!#$%^&*+=?~@]+[^\W_]")
PATTERN: Final = (
    rf"\b{_LOCKED}\b[^\n]{{0,50}}\b{_WITH} |\b{_FILE}\b[^\n]{{0,40}}\b{_WITH} [^\s]*[0-9!#$%*?]"
    rf"|\b{_USER}\b[^\n]{{0,48}}[ :][^\s]*[0-9a-z][!#$%^&*+=?~@]+[0-9a-z]"
    rf"|\b(?:{_TRY}|pass|pw|mdp|kw|pwd)[ :=]+[^\s]*(?:[0-9][^\s]*[!#$%^&*+=?~@]|[!#$%^&*+=?~@][^\s]*[0-9]|[a-z][0-9])"
)
"""What a text with such a password holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield each password, in no order; some may overlap."""
    text = view.text
    for pattern, least in ((_LOCKED_WITH, 1), (_FILE_WITH, 2), (_GIVEN, 2), (_USED, 3), (_TRIED, 3)):
        for found in pattern.finditer(text):
            start, end = found.span("token")
            end -= len(found["token"]) - len(_END.sub("", found["token"]))
            if pattern in {_LOCKED_WITH, _FILE_WITH} and not _OPENS.search(text, found.start(), end + _BEHIND):
                continue
            if pattern is _TRIED and not _RARE.search(text, start, end):
                continue
            if strength(view, start, end) >= least:
                yield start, end


def strength(view: View, start: int, end: int) -> int:
    """Return how much a token looks like a password: 3 as nothing else does, 2 likely, 1 if one is awaited, 0 not."""
    token = view.text[start:end]
    raw = view.raw[slice(*view.raw_span(start, end))]
    if _ORDINARY.fullmatch(token) or "://" in token or (token.count("@") == 1 and "." in token):
        return 0
    digits = any(map(str.isdigit, raw))
    both = any(map(str.islower, raw)) and any(map(str.isupper, raw))
    turned = sum(not left.isupper() and right.isupper() for left, right in pairwise(raw))
    if digits and both and _INNER.search(raw):
        return 3
    if digits and both and (_SIGN.search(raw) or (turned and len(raw) > 11) or turned > 2):
        return 2
    numbered = sum(map(str.isdigit, raw)) > 1 and (both or _SIGN.search(raw) is not None)
    worded = _WORDS.fullmatch(token) is not None and (digits or token.count("-") > 1)
    return int(numbered or worded)
