"""Masked text: what is left of a text after redaction, and where something was taken out.

A span names the kind, place and length of what was taken out of the *raw* text, never the value.
In the masked text it stands as ``{redacted:kind}``, a form that no Markdown or terminal renderer
eats; invisible characters (kind ``control``) leave no mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CONTROL = "control"


@dataclass(frozen=True, slots=True)
class Span:
    """One piece taken out: its *kind*, and *start* and *length* in characters of the raw text."""

    kind: str
    start: int
    length: int

    @property
    def mark(self) -> str:
        """What stands in the masked text instead."""
        return "" if self.kind == CONTROL else f"{{redacted:{self.kind}}}"


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A masked text with its spans in order of place.

    *cut_before* and *cut_after* count the characters (of the masked text) that a snippet leaves out
    at either end; *hits* are (start, end) offsets in *value* of what a query matched; *marks* are those
    of the marks of *spans* where they do not follow from the spans, as in a snippet.
    """

    value: str
    spans: tuple[Span, ...] = ()
    cut_before: int = 0
    cut_after: int = 0
    hits: tuple[tuple[int, int], ...] = ()
    marks: tuple[tuple[int, int], ...] | None = None

    def places(self) -> list[tuple[int, int, Span]]:
        """Return (start, end, span) in *value* of each mark."""
        if self.marks is None:
            return place_spans(self.spans)
        return [(start, end, span) for (start, end), span in zip(self.marks, self.spans, strict=True)]


def apply_spans(raw: str, spans: Iterable[Span]) -> MaskedText:
    """Return *raw* with each span replaced by its mark. Spans must be in order and not overlap."""
    parts: list[str] = []
    kept: list[Span] = []
    at = 0
    for span in spans:
        parts.append(raw[at : span.start])
        parts.append(span.mark)
        kept.append(span)
        at = span.start + span.length
    parts.append(raw[at:])
    return MaskedText("".join(parts), tuple(kept))


def place_spans(spans: Iterable[Span]) -> list[tuple[int, int, Span]]:
    """Return (start, end, span) of each mark in the masked text."""
    out: list[tuple[int, int, Span]] = []
    shift = 0
    for span in spans:
        start = span.start + shift
        out.append((start, start + len(span.mark), span))
        shift += len(span.mark) - span.length
    return out


def restore(masked: str, spans: Iterable[Span], values: Iterable[str]) -> str:
    """Put *values* back at the places of *spans*: the inverse of ``apply_spans``."""
    parts: list[str] = []
    at = 0
    for (start, end, _), value in zip(place_spans(spans), values, strict=True):
        parts.append(masked[at:start])
        parts.append(value)
        at = end
    parts.append(masked[at:])
    return "".join(parts)


def format_spans(spans: Iterable[Span]) -> str | None:
    """Return the column form ``kind:start:length,...``; None when there is no span."""
    return ",".join(f"{s.kind}:{s.start}:{s.length}" for s in spans) or None


def parse_spans(column: str | None) -> tuple[Span, ...]:
    """Read the column form that ``format_spans`` writes."""
    if not column:
        return ()
    out = []
    for item in column.split(","):
        kind, start, length = item.split(":")
        out.append(Span(kind, int(start), int(length)))
    return tuple(out)
