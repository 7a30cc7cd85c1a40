"""What a cache serves of vCons: masked as transcripts are, with nothing that names people, files or addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import leaves, plain_text
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.forms import open_form
from gongctl.vcon.project import Plain, Projection, project
from gongctl.vcon.tags import tags_of
from gongctl.vcon.transcripts import TRANSCRIPT, segments_of
from gongmcp.exposure.masking import find_spans, mask
from gongmcp.exposure.participants import Participants
from gongmcp.exposure.text import MaskedText, apply_spans
from gongmcp.store.vcon_names import folded

_PARTS = ("parties", "dialog", "analysis", "attachments")


class Masked(Plain):
    """Masks texts, and names of *people* where they are given."""

    named = False

    def __init__(self, people: Participants | None = None) -> None:
        self._people = people

    def together(self, texts: Sequence[str]) -> list[MaskedText]:
        """Return *texts* masked; what is dictated over several of them is found."""
        spans = find_spans(texts)
        if self._people is not None:
            spans = self._people.add(texts, spans)
        if spans is None:
            return [MaskedText(text) for text in texts]
        return [apply_spans(text, found) for text, found in zip(texts, spans, strict=True)]

    def one(self, text: str) -> MaskedText:
        """Return one text masked."""
        masked = mask(text)
        return masked if self._people is None else self._people.add_to(text, masked)


def served_rows(value: Vcon, call_id: str, imported_at: str, people: object, accounts: Iterable[str]) -> Projection:
    """Return the rows that a cache serves of a stored vCon. *people* are the parties of its call whose names are to be
    masked (None = names are not masked), *accounts* names in which nothing is.

    """

    opened = open_form(value)
    found = None if people is None else Participants.of(people, accounts)
    return project(opened.vcon, form=opened.form, call_id=call_id, imported_at=imported_at, masking=Masked(found))


def texts_of(value: Vcon) -> list[str]:
    """Return every text of a vCon, decoded, for judging: nothing that could be served of it is left out.

    What one body says in several segments comes as one text too, for a name may be split over two of them.
    """
    try:
        vcon = open_form(value).vcon
    except VconRefused:
        return list(leaves(value))
    out = list(leaves({key: item for key, item in vcon.items() if key not in _PARTS}))
    for array in _PARTS:
        elements: Any = vcon.get(array)
        for element in elements if isinstance(elements, list) else ():
            if not isinstance(element, dict):
                out.extend(leaves([element]))
                continue
            out.extend(leaves({key: item for key, item in element.items() if key != "body"}))
            text = plain_text(element)
            if text:
                out.append(text)
            if element.get("type") == TRANSCRIPT:
                out.append(" ".join(segment.text for segment in segments_of(element)))
    for tag in tags_of(vcon).items():
        out.extend(tag)
    return [text for text in out if folded(text)]
