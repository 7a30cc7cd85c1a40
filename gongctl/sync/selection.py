"""What is asked of Gong about a call: presets, and the parts that make them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.errors import Exit, StartupRefusal

PARTS: Final = ("context", "parties", "content", "highlights", "interaction", "comments")
"""Context: CRM objects with their fields. Content: topics, trackers, brief, outline, key points, outcome."""

PRESETS: Final[dict[str, frozenset[str]]] = {
    "minimal": frozenset(),
    "business": frozenset({"context", "parties"}),
    "all": frozenset(PARTS),
}
"""Parts by preset; the metadata of a call (title, times, ids) comes with each."""

_CONTENT: Final = (
    *("structure", "topics", "trackers", "trackerOccurrences", "pointsOfInterest", "brief", "outline"),
    *("callOutcome", "keyPoints"),
)
_INTERACTION: Final = ("speakers", "video", "personInteractionStats", "questions")


@dataclass(frozen=True, slots=True)
class Selection:
    """The parts of a call that are asked for."""

    parts: frozenset[str] = frozenset()

    @property
    def is_sensitive(self) -> bool:
        """Whether more than metadata is asked for: what restricted mode blocks."""
        return bool(self.parts)

    def selector(self) -> dict[str, Any] | None:
        """Return the request's ``contentSelector``; None where metadata is enough."""
        if not self.parts:
            return None
        exposed: dict[str, Any] = {}
        if "parties" in self.parts:
            exposed["parties"] = True
        content = dict.fromkeys(_CONTENT, True) if "content" in self.parts else {}
        if "highlights" in self.parts:
            content["highlights"] = True
        if content:
            exposed["content"] = content
        if "interaction" in self.parts:
            exposed["interaction"] = dict.fromkeys(_INTERACTION, True)
        if "comments" in self.parts:
            exposed["collaboration"] = {"publicComments": True}
        selector: dict[str, Any] = {"context": "Extended"} if "context" in self.parts else {}
        return selector | ({"exposedFields": exposed} if exposed else {})

    def __str__(self) -> str:
        return "+".join(part for part in PARTS if part in self.parts) or "metadata"


def selection(preset: str, include: Iterable[str] = ()) -> Selection:
    """Return the parts of *preset* with those of *include*.

    Raises:
        StartupRefusal: a name is unknown.
    """
    if preset not in PRESETS:
        raise StartupRefusal("The preset is unknown.", f"Presets: {', '.join(PRESETS)}.", Exit.USAGE)
    parts = set(PRESETS[preset])
    for part in include:
        if part not in PARTS:
            raise StartupRefusal("A part to include is unknown.", f"Parts: {', '.join(PARTS)}.", Exit.USAGE)
        parts.add(part)
    return Selection(frozenset(parts))
