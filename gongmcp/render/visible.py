"""What an operator sees instead of a character that a screen would act on or swallow.

Text that came from calls, files or arguments is data. Control, bidirectional and invisible characters
in it are drawn as visible glyphs wherever an operator looks (the CLI's text mode and the TUI), and
escaped where the text is JSON. One set of characters, so that no door forgets one.
"""

from __future__ import annotations

import re
from typing import Final

UNSAFE: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: cursor moves, colours, window titles
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, Hangul and Khmer fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidirectional controls
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"  # fillers, variation selectors (not emoji style), byte order mark
    "\ud800-\udfff"  # lone surrogates: no encoding takes them
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand and musical format controls
    "\U000e0000-\U000e0fff"  # tags and further variation selectors: a whole hidden message fits in them
    "]"
)
"""One character that a terminal acts on, that reorders its neighbours or that nobody can see."""


def visible(text: str, *, allowed: str = "") -> str:
    """Return *text* with each control or invisible character drawn as a visible glyph.

    ESC becomes ``␛``, a right-to-left override ``‹U+202E›``. Characters in *allowed* (usually a
    newline) are kept. The result is safe to draw on a terminal; drawing it twice changes nothing.
    """
    return UNSAFE.sub(lambda match: match.group() if match.group() in allowed else _glyph(match), text)


def escaped(json_text: str) -> str:
    """Return *json_text* with the same characters as JSON escapes; parsing it gives the same object.

    Line breaks are kept: in valid JSON they stand between values only.
    """
    return UNSAFE.sub(_escape, json_text)


def _glyph(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\u2039U+{code:04X}\u203a"


def _escape(match: re.Match[str]) -> str:
    if match.group() == "\n":
        return "\n"
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
