"""What reading files yields: records that can be stored, and what had to be left out, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal[
    "call",
    "transcript",
    "user",
    "workspace",
    "tracker",
    "scorecard",
    "answered_scorecard",
    "crm_integration",
    "crm_schema",
    "vcon",
]

KINDS: Final[tuple[Kind, ...]] = (
    "call",
    "transcript",
    "user",
    "workspace",
    "tracker",
    "scorecard",
    "answered_scorecard",
    "crm_integration",
    "crm_schema",
)
"""Every kind of record of Gong's, in the order in which reports list them. A vCon comes with the records that are made
of it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the file, the line (of JSON lines), the page and the item of an array, from 1."""

    path: str
    line: int | None = None
    page: int | None = None
    item: int | None = None

    def __str__(self) -> str:
        text = self.path if self.line is None else f"{self.path}:{self.line}"
        if self.page is not None:
            text += f" page {self.page}"
        if self.item is not None:
            text += f" item {self.item}"
        return text


@dataclass(frozen=True, slots=True)
class Record:
    """One record ready to be stored.

    *payload* is what Gong delivered with its ids made text; *canonical* is the same as JSON with sorted
    keys, so that equal content has equal bytes; *segments* counts the sentences of a transcript.
    """

    kind: Kind
    record_id: str
    payload: dict[str, Any]
    canonical: bytes
    place: Place
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that could not be read or stored. *reason* is a sentence without any value of the data."""

    place: Place
    reason: str
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file in a folder that is no JSON and does not claim to be (a README, a picture); or a *part* of a file."""

    path: str
    reason: str
    part: bool = False


class BadRecord(Exception):
    """A record cannot be taken; the message is the reason, without any value of the data."""
