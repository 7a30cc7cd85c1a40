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
from typing import Final

from gongmcp.exposure.clean import INVISIBLE
from gongmcp.exposure.detect import (
    addressed,
    announced,
    broken_email,
    email_address,
    iban,
    meeting_link,
    parted_email,
    payment_card,
    phone_number,
    remarked_email,
    respelt,
    secret_key,
)
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.gate import SPEECH, first_sign, signs_in
from gongmcp.exposure.kinds import MASKED_KINDS
from gongmcp.exposure.text import CONTROL, MaskedText, Span, apply_spans

Detector = Callable[[View], Iterator[tuple[int, int]]]
"""Yields (start, end) in the view's folded text, in order and without overlaps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of personal data: its *name* in the mark, and how it is found."""

    name: str
    find: Detector

    @property
    def title(self) -> str:
        """What it is, in words."""
        return MASKED_KINDS[self.name]


KINDS: Final = (
    Kind("link", meeting_link.find),
    Kind("key", secret_key.find),
    Kind("email", email_address.find),
    Kind("iban", iban.find),
    Kind("card", payment_card.find),
    Kind("phone", phone_number.find),
)
"""Every kind that is masked, the strongest first: what one has found, the next ones do not see."""

if tuple(kind.name for kind in KINDS) != tuple(MASKED_KINDS):
    raise RuntimeError("KINDS and MASKED_KINDS do not name the same kinds")

_REACH: Final = 400
"""How many characters before a sign, and twice as many behind it, are looked at."""
_FARTHEST: Final = 5_000
_MARGIN: Final = 60
_NUMBERS: Final = frozenset({"iban", "card", "phone"})
_DICTATED: Final = frozenset({"gathered", "told", "said", "mixed", "card", "iban", "key", "link", "spelt", "coded"})
_DICTATED_ALONE: Final = frozenset({"told"})
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
    """Return the finds in the raw text in order, without overlaps."""
    text = view.text
    signs = signs_in(text)
    if not signs:
        return []
    spans: list[Span] = []
    floor, sign = 0, first_sign(text, signs=signs) if len(text) > _REACH else 0
    while sign >= 0:
        here, floor = _finds_near(view, sign, floor, kinds)
        spans += here
        at = max(floor, sign + _REACH)
        sign = first_sign(text, at, signs) if at < len(text) else -1
    return _apart(spans)


def _finds_near(view: View, sign: int, floor: int, kinds: Sequence[Kind]) -> tuple[list[Span], int]:
    """Return the finds in the sentences around *sign*, and where the last of them ends.

    Nothing before *floor* is looked at. More sentences are taken in until no find reaches the last one.
    """
    text = view.text
    reach = _REACH
    while True:
        start = max(floor, _break_before(text, sign - reach, sign - reach - _REACH))
        end = _break_behind(text, sign + 2 * reach, sign + 3 * reach)
        part = view.part(start, end)
        signs = signs_in(part.text)
        if signs == _DICTATED_ALONE and reach == _REACH:
            # Words between pieces of a number: mostly there is no number, and the sentences around it will do.
            start = max(floor, _break_before(text, sign - reach // 2, sign - reach))
            end = _break_behind(text, sign + reach, sign + 2 * reach)
            part = view.part(start, end)
        finds = _in_part(part, kinds, signs)
        last = max((stop for _, stop, _ in finds), default=0)
        if end == len(text) or last < end - start - _MARGIN or reach > _FARTHEST:
            break
        reach *= 4
    spans = []
    for first, stop, name in finds:
        raw_start, raw_end = part.raw_span(first, stop)
        spans.append(Span(name, raw_start, raw_end - raw_start))
    return spans, max(floor, start + last)


def _break_before(text: str, at: int, least: int) -> int:
    """Return where a sentence, or else a word, begins at or before *at* but not before *least*."""
    if at <= 0:
        return 0
    least = max(0, least)
    for sign in "\n ":
        found = text.rfind(sign, least, at)
        if found >= 0:
            return found + 1
    return at


def _break_behind(text: str, at: int, most: int) -> int:
    """Return where a sentence, or else a word, ends at or behind *at* but not behind *most*."""
    if at >= len(text):
        return len(text)
    for sign in "\n ":
        found = text.find(sign, at, most)
        if found >= 0:
            return found
    return min(most, len(text))


def _in_part(part: View, kinds: Sequence[Kind], signs: frozenset[str]) -> list[tuple[int, int, str]]:
    part.spoken = not signs.isdisjoint(SPEECH)
    numbers = not signs.isdisjoint({"said", "mixed"})
    finds: list[tuple[int, int, str]] = []
    whole = part.part(0, len(part.text))
    for kind in kinds:
        likely = kind.name in signs or (numbers and kind.name in _NUMBERS)
        here = _united(kind.find(part)) if likely else []
        if here:
            part.take_out(here)
            finds += [(start, end, kind.name) for start, end in here]
    if (
        not finds
        and signs.isdisjoint(_DICTATED)
        and not (broken_email.likely(whole.text) or addressed.likely(whole.text))
        and not ("email" in signs and _told(whole))
    ):
        return []
    return _grown(sorted(finds), announced.find(whole, finds, signs))


def _told(view: View) -> bool:
    """Tell whether there may be an address that is told with remarks."""
    likely = parted_email.likely(view.text) or remarked_email.likely(view.text)
    return likely or respelt.reading(view) is not None


def _grown(finds: list[tuple[int, int, str]], dictated: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return *finds* with what was *dictated*: those that overlap as one, of the kind that was dictated."""
    grown: list[tuple[int, int, str]] = []
    for start, end, name in sorted([*finds, *dictated], key=lambda find: (find[0], -find[1])):
        if grown and start < grown[-1][1]:
            first, last, before = grown[-1]
            grown[-1] = (first, max(last, end), before if (first, last, before) in dictated else name)
        else:
            grown.append((start, end, name))
    return grown


def _united(finds: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the finds of one kind in order; those that overlap as one."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(finds):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _apart(finds: list[Span]) -> list[Span]:
    """Part finds that share a raw character which folds to more than one: the first one keeps it."""
    parted: list[Span] = []
    for find in finds:
        end = parted[-1].start + parted[-1].length if parted else 0
        if find.start >= end:
            parted.append(find)
        elif find.start + find.length > end:
            parted.append(Span(find.kind, end, find.start + find.length - end))
    return parted


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
