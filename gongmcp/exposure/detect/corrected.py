"""Digits that take back the end of what was found: "..., sorry, I mean, four eight one nine"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect.fold import View

Find = tuple[int, int, str]

_KINDS: Final = frozenset({"link", "iban", "card", "phone"})
_TAKEN_BACK: Final = (
    r"(?:(?:ach|oh|ah|non|no|nein|nee|ay)[, ]+)?(?:quatsch|falsch|korrektur|ich korrigiere|ich meine|verzeihung"
    r"|entschuldigung|ich hab(?:e)? mich vertan|pardon|je corrige|je me (?:suis )?trompee?|je voulais dire|plutot"
    r"|je me reprends|perdon|quiero decir|corrijo|digo|me he equivocado|me equivoque|mejor dicho|correction"
    r"|correct that|sorry|i mean|scratch that|my mistake|make that|no wait|wrong)"
)
_MORE: Final = re.compile(
    rf"[\s,.…–-]{{1,24}}{_TAKEN_BACK}(?:[, ]+{_TAKEN_BACK}){{0,2}}[\s,.:…-]+"
    r"(?P<more>[0-9](?:[ ,-]{0,20}[0-9])+)(?![\w%])"
)


def find(view: View, finds: Sequence[Find]) -> Iterator[Find]:
    """Yield what is said instead of the end of one of *finds*, with its kind."""
    text = view.written.text
    for _, end, kind in finds:
        more = _MORE.match(text, end) if kind in _KINDS else None
        if more:
            yield more.start("more"), view.written.end(more.end("more")), kind
