"""The one way in which text that came from data enters a widget.

Tool names, titles, descriptions, schemas, arguments, answers, errors: all of it is data. Passed to a
widget as a plain string it would be read as markup (``[REDACTED]`` vanishes, ``[@click=…]`` becomes an
action) and raw escape characters would reach the terminal. ``literal`` does neither: it draws control,
bidirectional and invisible characters as glyphs and wraps the rest in ``Content``, which is never parsed.
"""

from __future__ import annotations

from rich.text import Text
from textual.content import Content

from gongmcp.render.visible import visible

__all__ = ["literal", "literal_block", "literal_text", "visible"]


def literal(text: str, style: str = "") -> Content:
    """Return *text* as one line of content in *style*; line breaks are drawn as glyphs too."""
    return Content.styled(visible(text), style)


def literal_block(text: str, style: str = "") -> Content:
    """Return *text* as content that keeps its line breaks."""
    return Content.styled(visible(text, allowed="\n"), style)


def literal_text(text: str) -> Text:
    """Return *text* for the widgets that take Rich text only (``Select``)."""
    return Text(visible(text), end="")
