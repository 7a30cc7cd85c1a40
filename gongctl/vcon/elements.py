"""Adding, replacing and removing elements of a vCon's arrays, so that no reference comes to point at another element.

A party or dialog that is removed leaves a placeholder in its slot; an analysis or attachment goes, and those behind
it move up, with the references of analyses to attachments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from gongctl.vcon import Vcon
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.placeholders import dialog_placeholder, party_placeholder

Part = Literal["party", "dialog", "analysis", "attachment"]
PARTS: Final[tuple[Part, ...]] = ("party", "dialog", "analysis", "attachment")
ARRAY: Final[Mapping[Part, str]] = {
    "party": "parties",
    "dialog": "dialog",
    "analysis": "analysis",
    "attachment": "attachments",
}
"""The array that holds a part."""

KEEPS_SLOT: Final = frozenset({"party", "dialog"})


def added(vcon: Vcon, part: Part, element: Mapping[str, Any]) -> tuple[Vcon, int]:
    """Return *vcon* with *element* behind the others of its kind, and its index."""
    elements = [*(vcon.get(ARRAY[part]) or ()), dict(element)]
    return {**vcon, ARRAY[part]: elements}, len(elements) - 1


def replaced(vcon: Vcon, part: Part, index: int, element: Mapping[str, Any]) -> Vcon:
    """Return *vcon* with *element* in the place of the one at *index*; what is not given is gone.

    Raises:
        VconRefused: there is no such index.
    """
    elements = list(vcon.get(ARRAY[part]) or ())
    check_index(part, index, len(elements))
    elements[index] = dict(element)
    return {**vcon, ARRAY[part]: elements}


def removed(vcon: Vcon, part: Part, index: int, *, anonymize: bool = False) -> Vcon:
    """Return *vcon* without the element at *index*; *anonymize* leaves an anonymous party instead of an empty one.

    Raises:
        VconRefused: there is no such index.
    """
    elements = list(vcon.get(ARRAY[part]) or ())
    check_index(part, index, len(elements))
    if part == "party":
        elements[index] = party_placeholder(anonymize=anonymize)
    elif part == "dialog":
        elements[index] = dialog_placeholder(elements[index])
    else:
        del elements[index]
    out = {**vcon, ARRAY[part]: elements}
    if part == "attachment":
        analyses = vcon.get("analysis")
        if isinstance(analyses, list):
            out["analysis"] = [_moved_up(item, index) for item in analyses]
    return out


def check_index(part: Part, index: object, count: int) -> None:
    """Refuse an *index* that is none of *count* elements.

    Raises:
        VconRefused: it is no whole number, negative, or too large.
    """
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise VconRefused("VC_INDEX_RANGE", f"there is no {part} {index!r}; the vCon has {count} of them, from 0")


def _moved_up(analysis: Any, gone: int) -> Any:
    """Return *analysis* with its references to attachments behind *gone* moved up, and those to it left out."""
    if not isinstance(analysis, dict) or "attachment" not in analysis:
        return analysis
    said = analysis["attachment"]
    kept = [
        index - 1 if isinstance(index, int) and index > gone else index
        for index in (said if isinstance(said, list) else [said])
        if index != gone
    ]
    out = dict(analysis)
    if isinstance(said, list):
        out["attachment"] = kept
    elif kept:
        out["attachment"] = kept[0]
    else:
        del out["attachment"]
    return out
