"""What Gong's AI wrote about a call: brief, key points, outline, outcome and highlights, as rows to serve.

Gong delivers them under ``content`` in shapes that differ by account; what is no text is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.exposure.text import MaskedText, format_spans

MAX_ITEMS: Final = 500
"""Texts that are kept of one call; more than Gong writes."""

_MAX_DEPTH: Final = 6
_TEXT_KEYS: Final = ("text", "summary", "description", "value", "title")


@dataclass(frozen=True, slots=True)
class HighlightRow:
    """One text: *kind* is brief, key_point, outline, highlight or outcome; *heading* is masked, '' without one."""

    position: int
    kind: str
    heading: str
    text: str
    text_spans: str | None


def highlights_of(call: Mapping[str, Any], masked: Callable[[str], MaskedText]) -> tuple[HighlightRow, ...]:
    """Return the AI's texts about *call* in the order brief, key points, outline, highlights, outcome."""
    content = call.get("content")
    if not isinstance(content, Mapping):
        return ()
    rows: list[HighlightRow] = []
    for kind, heading, text in _texts(content):
        if len(rows) == MAX_ITEMS:
            break
        made = masked(text)
        rows.append(HighlightRow(len(rows), kind, masked(heading).value, made.value, format_spans(made.spans)))
    return tuple(rows)


def _texts(content: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, heading, text)."""
    for kind, key in (("brief", "brief"), ("key_point", "keyPoints"), ("outline", "outline")):
        yield from _items(kind, content.get(key))
    yield from _items("highlight", content.get("highlights"))
    outcome = content.get("callOutcome")
    if isinstance(outcome, Mapping):
        outcome = outcome.get("name") or outcome.get("category")
    yield from _items("outcome", outcome)


def _items(kind: str, value: Any, heading: str = "", depth: int = 0) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, str) and value.strip():
        yield kind, heading, value.strip()
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _items(kind, item, heading, depth + 1)
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        inner = value.get("items")
        if isinstance(inner, list):
            yield from _items(kind, inner, _first_text(value, ("section", "title", "name")), depth + 1)
        else:
            yield from _items(kind, _first_text(value, _TEXT_KEYS), heading, depth + 1)


def _first_text(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((value[key].strip() for key in keys if isinstance(value.get(key), str)), "")
