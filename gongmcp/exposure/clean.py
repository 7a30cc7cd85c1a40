"""Invisible characters: which ones are taken out of text that people wrote or said."""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, fillers, joiners
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero-width, separators, bidirectional, BOM
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
    "\U000e0000-\U000e007f"  # Unicode tags
    "\ud800-\udfff"  # lone surrogates
    "]"
)
"""One character that is shown by no renderer, reorders text, or drives a terminal."""


def clean(text: str) -> tuple[str, int]:
    """Return *text* without invisible characters, and how many were taken out."""
    if text.isascii() and text.isprintable():
        return text, 0
    return INVISIBLE.subn("", text)
