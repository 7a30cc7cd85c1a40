"""Masking: personal data in free text is taken out before anything is stored for serving.

``warm`` masks a whole monologue at once, so that an address which the recogniser broke over several
sentences is found, and stores the masked sentences with their spans. Nothing masked is ever indexed, so
nothing masked can be searched for, not even by its beginning.

To add a kind, write a detector over the folded view (``gongmcp.exposure.detect``), name the kind in
``gongmcp.exposure.kinds``, add a row to ``KINDS`` and raise ``MASKING_VERSION``: caches masked by another
version are then warmed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from gongmcp.exposure.clean import INVISIBLE
from gongmcp.exposure.detect import email_address, phone_number
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.kinds import MASKED_KINDS
from gongmcp.exposure.text import CONTROL, MaskedText, Span, apply_spans

Detector = Callable[[View], Iterator[tuple[int, int]]]
"""Yields (start, end) in the view's folded text, in order and without overlaps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of personal data: its *name* in the mark, and how it is found.

    The detector runs only on text that holds one of *signs* or, behind a blank, a bracket, a hyphen or
    within digits, one of the patterns *beginnings*: a folded text without either holds nothing of it.
    """

    name: str
    find: Detector
    signs: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is, in words."""
        return MASKED_KINDS[self.name]


KINDS: Final = (
    Kind("email", email_address.find, email_address.SIGNS, email_address.BEGINNINGS),
    Kind("phone", phone_number.find, (), phone_number.BEGINNINGS),
)
"""Every kind that is masked, the strongest first: where two finds overlap, the first one names it."""

if tuple(kind.name for kind in KINDS) != tuple(MASKED_KINDS):
    raise RuntimeError("KINDS and MASKED_KINDS do not name the same kinds")


@cache
def _beginning(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"[0-9 \n(\[{{<-](?:{'|'.join(patterns)})")


_SIGNS: Final = tuple(sign for kind in KINDS for sign in kind.signs)
# One pass over the text for all kinds: 3 microseconds a sentence, a third of what single looks took.
_BEGINNING: Final = _beginning(tuple(pattern for kind in KINDS for pattern in kind.beginnings))

_NUMBER: Final = re.compile(r"\s*-?\d+(?:[.,]\d+)?\s*")
_UNSEEN: Final = re.compile(f"{INVISIBLE.pattern}+")


def find_spans(sentences: Sequence[str]) -> list[list[Span]] | None:
    """Return the spans to take out of each of *sentences*, one monologue; None when there are none.

    Offsets are in characters of the raw sentence. A find that runs over a sentence end has a span in
    each sentence it touches.
    """
    joined = "\n".join(sentences)
    plain = all(map(str.isprintable, sentences))
    finds = _finds(View(joined, ordinary=plain), KINDS)
    if plain and not finds:
        return None
    spans = _divide(finds, sentences) if finds else [[] for _ in sentences]
    if not plain:
        spans = [_with_unseen(sentence, found) for sentence, found in zip(sentences, spans, strict=True)]
    return spans if any(spans) else None


def mask_sentences(sentences: Sequence[str]) -> list[MaskedText]:
    """Return each of *sentences*, the sentences of one monologue in order, masked."""
    spans = find_spans(sentences)
    if spans is None:
        return [MaskedText(sentence) for sentence in sentences]
    return [apply_spans(sentence, found) for sentence, found in zip(sentences, spans, strict=True)]


def mask(text: str, *, phone_field: bool = False) -> MaskedText:
    """Return *text* (a title, a CRM value) masked.

    A text that is one number is an amount or an id, and stays whole. *phone_field* says that it stands
    in a field for phone numbers: then it is one even without the marks of one.
    """
    if not phone_field and _NUMBER.fullmatch(text):
        return MaskedText(text)
    if not phone_field:
        return mask_sentences((text,))[0]
    plain = text.isprintable()
    kinds = tuple(replace(kind, find=_announced_phone) if kind.name == "phone" else kind for kind in KINDS)
    finds = _finds(View(text, ordinary=plain), kinds)
    return apply_spans(text, _with_unseen(text, _divide(finds, (text,))[0]))


def _announced_phone(view: View) -> Iterator[tuple[int, int]]:
    return phone_number.find(view, announced=True)


def _finds(view: View, kinds: Sequence[Kind]) -> list[Span]:
    """Return the finds in the raw text in order; overlapping ones are united under the stronger kind."""
    text = view.text
    if not any(sign in text for sign in _SIGNS) and not _BEGINNING.search(text):
        return []
    finds: list[tuple[int, int, int]] = []
    for rank, kind in enumerate(kinds):
        if not any(sign in text for sign in kind.signs) and not _beginning(kind.beginnings).search(text):
            continue
        for start, end in kind.find(view):
            raw_start, raw_end = view.raw_span(start, end)
            finds.append((raw_start, raw_end, rank))
    if not finds:
        return []
    finds.sort()
    united = [finds[0]]
    for start, end, rank in finds[1:]:
        last_start, last_end, last_rank = united[-1]
        if start < last_end:
            united[-1] = (last_start, max(end, last_end), min(rank, last_rank))
        else:
            united.append((start, end, rank))
    return [Span(kinds[rank].name, start, end - start) for start, end, rank in united]


def _divide(finds: list[Span], sentences: Sequence[str]) -> list[list[Span]]:
    """Share out *finds*, in offsets of the joined monologue, over its sentences."""
    spans: list[list[Span]] = []
    offset = 0
    pending = iter(finds)
    find = next(pending, None)
    for sentence in sentences:
        here: list[Span] = []
        end = offset + len(sentence)
        while find is not None and find.start < end:
            start = max(find.start, offset)
            stop = min(find.start + find.length, end)
            if stop > start:
                here.append(Span(find.kind, start - offset, stop - start))
            if find.start + find.length > end:
                break
            find = next(pending, None)
        spans.append(here)
        offset = end + 1
    return spans


def _with_unseen(sentence: str, found: list[Span]) -> list[Span]:
    """Add the invisible characters of *sentence* that no span covers yet."""
    spans = list(found)
    for unseen in _UNSEEN.finditer(sentence):
        start, end = unseen.span()
        for span in found:
            if span.start < end and start < span.start + span.length:
                # A find takes whole clinging characters in, so it covers the start or the end of them.
                if span.start <= start:
                    start = min(end, span.start + span.length)
                else:
                    end = max(start, span.start)
        if end > start:
            spans.append(Span(CONTROL, start, end - start))
    return sorted(spans, key=lambda span: span.start)
