"""vCons as the operator looks at them, and edits them: what ``gongctl`` passes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tui.ports import ToolInfo


@dataclass(frozen=True, slots=True)
class VconLine:
    """A vCon in a list. *placeholders* are slots of elements that were taken out."""

    uuid: str
    subject: str
    created_at: str
    started_at: str
    form: str
    parties: int
    dialogs: int
    analyses: int
    attachments: int
    placeholders: int


@dataclass(frozen=True, slots=True)
class VconPage:
    """A page of a list, newest first: *total* counts all pages, *after* goes on to the next one ('' = the last)."""

    lines: tuple[VconLine, ...]
    total: int
    after: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element of one of a vCon's arrays.

    Attributes:
        index: its place, from 0.
        cells: what a list shows of it, one text for each column of its pane.
        lines: all that there is to read in it, decoded.
        removed: why only a placeholder stands there; '' = the element is there.
        span: where it begins and ends in the conversation, each a share from 0 to 1; None = that is not known.
    """

    index: int
    cells: tuple[str, ...]
    lines: tuple[str, ...]
    removed: str = ""
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class VconFinding:
    """What the validation found at *path*, a JSON pointer ('' = the whole vCon); *severity* is error or warning."""

    severity: str
    code: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class VconView:
    """One vCon. Cells of *parties*: name, address, role; of *dialogs*: begins, lasts, type, who, text; of *analyses*:
    type, vendor, product, bytes, text; of *attachments*: purpose, media type, bytes, text."""

    line: VconLine
    version: str
    updated_at: str
    parties: tuple[Element, ...]
    dialogs: tuple[Element, ...]
    analyses: tuple[Element, ...]
    attachments: tuple[Element, ...]
    tags: tuple[tuple[str, str], ...]
    findings: tuple[VconFinding, ...]


@dataclass(frozen=True, slots=True)
class VconDifference:
    """One difference at *path*, a JSON pointer: *before* and *after* as lines of JSON, none where nothing is there."""

    kind: Literal["added", "removed", "changed"]
    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VconChange:
    """What a write tool would change (*applied* False), or did. *moment* is that of the vCon which was looked at."""

    tool: str
    uuid: str
    applied: bool
    moment: str
    differences: tuple[VconDifference, ...]
    findings: tuple[VconFinding, ...]


class ChangeRefused(Exception):
    """A write tool will not do it: *message* says why, *findings* what would be wrong with the vCon."""

    def __init__(self, code: str, message: str, findings: Sequence[VconFinding] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.findings = tuple(findings)


class Vcons(Protocol):
    """The vCons of one file. Each method blocks and is run in a thread."""

    @property
    def name(self) -> str:
        """The name of the file."""
        ...

    def page(self, words: str, after: str) -> VconPage:
        """Return a page of the vCons that *words* find (a part of the subject, an address, a uuid; '' = all)."""
        ...

    def vcon(self, uuid: str) -> VconView | None:
        """Return one vCon, None when it is gone."""
        ...

    def tools(self) -> Sequence[ToolInfo]:
        """Return the tools that write; none where nothing may be changed."""
        ...

    def preview(self, tool: str, arguments: Mapping[str, Any]) -> VconChange:
        """Return what *tool* would change; writes nothing. Raises ``ChangeRefused``."""
        ...

    def apply(self, tool: str, arguments: Mapping[str, Any], previewed: VconChange) -> VconChange:
        """Change it. Raises ``ChangeRefused``, also when the vCon is no longer the one of *previewed*."""
        ...
