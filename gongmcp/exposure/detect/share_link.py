"""Links that open something to whoever has them: shared files and folders, recordings, invitations, bookings.

A service is known by its host; behind it stands a token. On any other host a token is known by its form alone: letters
and digits in turn, or capitals within, as no page's name has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import link_path
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import words

_SERVICES: Final = (
    r"(?:(?:docs|drive|calendar|forms|photos(?:\.app)?)\.google\.com|forms\.gle|goo\.gl|photos\.app\.goo\.gl"
    r"|(?:[a-z0-9-]+\.)?(?:dropbox|sharepoint|wetransfer|loom|vimeo|box|figma|miro|calendly|doodle|slack|streamyard"
    r"|discord|notion|airtable|typeform|mural|hightail|icloud|pcloud|sendgb|swisstransfer|transfernow|clickmeeting"
    r"|freeconferencecall|vidyard|panopto|wistia|kaltura|hubspot|surveymonkey|eventbrite|dialpad|ringcentral|brevo)\.com"
    r"|1drv\.ms|onedrive\.live\.com|(?:[a-z0-9-]+\.)?(?:gong|daily|around|whereby|gather|tldv|fathom|grain|otter|fireflies)"
    r"\.(?:io|co|com|town|video|ai)"
    r"|discord\.gg|we\.tl|mega\.nz|riverside\.fm|chat\.whatsapp\.com|notion\.so|aka\.ms|edudip\.com|cal\.com"
    r"|outlook\.office(?:365)?\.com|web\.microsoftstream\.com|(?:book(?:ings?)?|schedule|termine?|rdv|agenda|citas?)\.[a-z0-9.-]+\.(?:com|org|net|io|de|fr|es|test|example))"
)
_LINK: Final = re.compile(
    rf"(?<![\w@.-])(?:https?://)?(?:www\.)?(?:(?P<service>{_SERVICES})|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{{2,12}})"
    r"(?=[/?#])"
)
_STEP: Final = re.compile(r"[^/?&#=!]+")
_NAMED: Final = re.compile(r"(?:clickmeeting|freeconferencecall|dialpad|brevo|whereby)\.")
"""Services whose rooms have names."""
_GROUPS: Final = re.compile(r"[0-9a-z]{3,4}(?:-[0-9a-z]{3,4}){2,3}")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){1,3}[0-9a-f]{12}")
_PUBLIC: Final = words(
    "pricing download downloads about support help blog solutions products features contact legal terms privacy signup "
    "signin login careers home index docs company news events resources templates customers enterprise"
)
_LEAST, _LEAST_ANYWHERE = 7, 12
_LONG: Final = 15
_TURNS, _TURNS_ANYWHERE = 1, 4

PATTERN: Final = rf"\b{_SERVICES}/|\.[a-z]{{2,12}}/[^\s]*[0-9][a-z]+[0-9]|\.[a-z]{{2,12}}/[^\s]*[0-9a-z]{{15}}"
"""What a text with such a link holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each link that holds a token."""
    at = 0
    for link in _LINK.finditer(view.text):
        if link.start() < at:
            continue
        at = end = link_path.tight_end(view.text, link.end())
        if _opens(view, link, end):
            yield link.start(), end


def _opens(view: View, link: re.Match[str], end: int) -> bool:
    service = link["service"]
    steps = [step.span() for step in _STEP.finditer(view.text, link.end(), end)]
    if not steps:
        return False
    if service and _NAMED.search(service):
        return view.text[slice(*steps[0])] not in _PUBLIC
    return any(_is_token(view, *span, known=service is not None) for span in steps)


def _is_token(view: View, start: int, end: int, *, known: bool) -> bool:
    """Tell whether a step of a path, or a value of a query, is a token: on a *known* service sooner."""
    text = view.text[start:end]
    if _UUID.fullmatch(text) or (known and _GROUPS.fullmatch(text)):
        return True
    if known and text.isdigit() and len(text) >= _LEAST:
        return True
    bare = "".join(filter(str.isalnum, text))
    if len(bare) < (_LEAST if known else _LEAST_ANYWHERE):
        return False
    raw = view.raw[slice(*view.raw_span(start, end))]
    turns = sum(left.isdigit() != right.isdigit() for left, right in pairwise(bare))
    humps = sum(left.islower() and right.isupper() for left, right in pairwise(raw))
    worded = all(part.isalpha() or part.isdigit() for part in re.split(r"[-_.]", text) if part)
    if known:
        return (turns > _TURNS and not worded) or humps > 0 or (len(text) >= _LONG and worded and text.isalpha())
    return not worded and (turns >= _TURNS_ANYWHERE or (humps > 1 and turns > _TURNS))
