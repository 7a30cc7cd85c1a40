"""Licence keys and recovery codes that are read in their groups: "WFZYN dash 79JRK dash GBYLH", over sentences too.

The groups are of one length and the hyphens between them are said. That, and what announces such a code, tells them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gongmcp.exposure.detect.dictation_words import SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import any_of, phrases, words

_HYPHENS: Final = phrases("dash, hyphen, bindestrich, strich, tiret, trait d'union, guion, guion medio, guion normal")
_DASH: Final = rf"(?:{any_of(_HYPHENS)}(?![a-z])|-)"
_MIXED: Final = r"(?:[0-9]+[a-z][0-9a-z]*|[a-z]+[0-9][0-9a-z]*)"
PATTERN: Final = rf"\b{_MIXED}[ ,]+(?:{any_of(_HYPHENS)})\b|\b(?:{any_of(_HYPHENS)})[ ,]+{_MIXED}(?:$|[^0-9a-z])"
"""What a text with such a code holds, for the quick look of ``gongmcp.exposure.masking``."""
_CUE: Final = re.compile(
    r"\blicen[cs]\w*|lizenz\w*|\bserial\b|\bserie\b|serien\w*|\bactivat\w*|\bactivac\w*|aktivier\w*|\brecovery\b"
    r"|\brecuper\w*|\bbackup\b|\brespaldo\b|wiederherstell\w*|\bsecours\b|\bkeys?\b|schlussel\b|\bcles?\b|\bclaves?\b"
    r"|\b(?:produit|produkt\w*|product|producto)\b"
)
_REACH: Final = 320
_TOKEN: Final = re.compile(rf"(?P<dash>{_DASH})|(?P<group>[0-9a-z]{{4,8}})(?![0-9a-z@'])|[^\s.,;:?!-]+|(?P<line>\n)")
_BETWEEN: Final = SEQUENCE | words("got that reads lee note noted d'accord vale de compris")
_LEAST: Final = 3


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield each group of each code, in no order; some may be yielded twice."""
    for cue in _CUE.finditer(view.text):
        yield from _behind(view, cue.end(), min(len(view.text), cue.end() + _REACH))


def _behind(view: View, at: int, end: int) -> Iterator[tuple[int, int]]:
    groups: list[tuple[int, int]] = []
    dashes = 0
    for token in _TOKEN.finditer(view.text, at, end):
        if token["dash"]:
            dashes += 1
        elif token["group"] and _is_group(view, token, groups):
            groups.append(token.span())
        elif groups and not token["line"] and token.group() not in _BETWEEN:
            break
    mixed = sum(not view.text[start:stop].isalpha() for start, stop in groups)
    if len(groups) >= _LEAST and mixed and dashes:
        yield from groups


def _is_group(view: View, token: re.Match[str], groups: list[tuple[int, int]]) -> bool:
    """Tell whether a token is one more of *groups*: written as they are, or the first of them."""
    group = token["group"]
    if groups and len(group) != groups[0][1] - groups[0][0]:
        return False
    raw = view.raw[slice(*view.raw_span(*token.span()))]
    if raw.isupper() or not (group.isalpha() or group.isdigit()):
        return True
    beside = view.text[max(0, token.start() - len(" guion medio ,")) : token.end() + len(", trait d'union")]
    return group not in _BETWEEN and re.search(rf"{_DASH}[ ,]+{group}|{group}[ ,]+{_DASH}", beside) is not None
