"""The one set of characters that an operator sees drawn instead of acted on."""

from __future__ import annotations

import json
import sys
import unicodedata

from gongmcp.render.visible import escaped, visible


def test_controls_bidi_and_tags_become_glyphs() -> None:
    assert visible("a\x1b]0;x\x07b") == "a␛]0;x␇b"
    assert visible("\u202eabc\u2069") == "‹U+202E›abc‹U+2069›"
    assert visible("\x7f\x9b\U000e0041\ud800") == "␡‹U+009B›‹U+E0041›‹U+D800›"


def test_markup_and_speech_are_left_alone() -> None:
    text = "[red]x[/] [@click=app.quit]go[/] [REDACTED] {redacted:email} <inaudible> Größe 価格 ❤\ufe0f"
    assert visible(text) == text


def test_line_breaks_are_kept_only_when_allowed() -> None:
    assert visible("a\r\nb\tc") == "a␍␊b␉c"
    assert visible("a\r\nb\tc", allowed="\n\t") == "a␍\nb\tc"


def test_nothing_that_moves_or_reorders_survives() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    left = {unicodedata.category(c) for c in visible(everything)}
    assert not left & {"Cc", "Cs", "Zl", "Zp"}
    assert all(
        unicodedata.bidirectional(c) not in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        for c in visible(everything)
    )


def test_escaped_json_parses_to_the_same_object() -> None:
    value = {"a\u202e": ["\u200b\x7f\U000e0041\ud800", "line\nbreak"]}
    text = escaped(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(text) == value
    assert visible(text, allowed="\n") == text
