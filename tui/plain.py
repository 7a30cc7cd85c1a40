"""Plain signs for terminals that have no others: lines, bars and arrows become letters of code page 1252.

A filter over what is drawn, so that no widget is forgotten, Textual's own included. What is copied or written is not
touched by it. Data that holds such a sign is drawn with its stand-in too.
"""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


def _table() -> dict[int, str]:
    signs = dict.fromkeys(range(0x2190, 0x2200), ">")
    signs |= dict.fromkeys(range(0x2400, 0x2427), "¤")  # control characters, already drawn as glyphs
    signs |= dict.fromkeys(range(0x2500, 0x2580), "+")
    signs |= dict.fromkeys(range(0x2580, 0x25A0), "#")
    signs |= dict.fromkeys(range(0x25A0, 0x2600), "*")
    signs |= dict.fromkeys(range(0x2800, 0x2900), "*") | {0x2800: " "}  # plots
    for stand_in, those in {
        "-": "─┄┅┈┉╌╍╴╶╸╺═",
        "|": "│┃┆┇┊┋╎╏║▏▎▍▕▐▌",
        "_": "▁▂▃",
        "^": "↑▲△▴",
        "v": "↓▼▽▾",
        "<": "←◀◁◂≤",
        ">": "≥▶▷▸",
        "=": "≈━",
        "o": "●○◯",
    }.items():
        signs |= dict.fromkeys(map(ord, those), stand_in)
    return signs


SIGNS: Final = _table()


class PlainSigns(LineFilter):
    """Draws stand-ins of one cell each, so that nothing moves."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return *segments* with the stand-ins."""
        return [Segment(segment.text.translate(SIGNS), segment.style, segment.control) for segment in segments]
