"""What the operator can do about approval from the TUI. ``gongctl`` passes it in; each call is run in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from gongmcp.handler import Outcome
from gongmcp.preview.model import Preview


class Standing(Enum):
    """How a tool of the queue stands; the value is the sign in the list."""

    OPEN = "··"
    APPROVED = "OK"
    EXEMPT = "ex"
    DROPPED = "--"
    DRIFTED = "!!"


@dataclass(frozen=True, slots=True)
class SampleRun:
    """One member of a sample set, run. *set_name* is ``latest``, ``largest``, ``most_external``, ``missing_fields``,
    ``non_english``, ``pinned``, ``example``; *preview* is None for a set without a member, and *why* says so."""

    set_name: str
    arguments: Mapping[str, Any]
    preview: Preview | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A tool of the review queue: its *standing*, the *risk* it is sorted by (higher first) with *reasons* in words,
    what its definition costs in estimated tokens, and what drifted since it was approved."""

    tool: str
    standing: Standing
    risk: int
    reasons: tuple[str, ...]
    definition_tokens: int
    drift: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LockChange:
    """What writing the lock would change: a unified diff of the file, as text, and the tools in it."""

    path: str
    diff: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevealedValue:
    """One withheld value, for one look. Never kept, copied or logged."""

    value: str
    kind: str


@dataclass(frozen=True, slots=True)
class CoverageDay:
    """Calls and transcripts of one day (ISO date, UTC) in the cache."""

    day: str
    calls: int
    transcripts: int


@dataclass(frozen=True, slots=True)
class EntityCount:
    """One kind of record in the cache: rows, and when it was last imported ('' = never)."""

    entity: str
    rows: int
    last_import: str


@dataclass(frozen=True, slots=True)
class CacheView:
    """The cache as the operator sees it: *state* of the read model, coverage by day, counts by kind of record."""

    path: str
    state: str
    reason: str
    next: str
    days: tuple[CoverageDay, ...]
    entities: tuple[EntityCount, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One run or decision: no body of an answer is kept. *at* is UTC."""

    at: str
    tool: str
    arguments: Mapping[str, Any]
    preset: str
    digest: str
    bytes: int
    withheld: int
    status: str
    decision: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """Something that can be written from a review: ``settings``, ``claude-desktop``, ``claude-code``, ``cursor``,
    ``vscode``, ``codex``, ``record`` (Markdown)."""

    name: str
    title: str


class Reviewing(Protocol):
    """Approval, samples, reveal, cache and history on one cache. ``gongctl`` implements it."""

    def queue(self, preset: str) -> Sequence[QueueItem]:
        """Return the tools of *preset* ('' = those of the settings), riskiest exposure first, with their standing
        against the lock file and, where this review has decided, the decision."""
        ...

    def samples(
        self, preset: str, tool: str, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> Sequence[SampleRun]:
        """Run the sample sets of *tool* under *preset* ('' = the tools of the settings), worst case first."""
        ...

    def decide(self, tool: str, standing: Standing, samples: Sequence[Mapping[str, Any]]) -> None:
        """Take a decision into the draft of this review and into the history; nothing else is written."""
        ...

    def undo(self) -> str:
        """Take back the last decision of the draft and return the tool's name; '' when there is none."""
        ...

    def change(self) -> LockChange:
        """Return what writing the lock would change."""
        ...

    def write(self, by: str) -> str:
        """Write lock and review record, and return one sentence on what was written."""
        ...

    def approved_run(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what the lock holds of the approved run of these arguments (shown, withheld, status); else None."""
        ...

    def reveal(self, preview: Preview, span: int) -> RevealedValue | None:
        """Return the value behind span number *span*, None where there is none; raises ``StartupRefusal`` when
        revealing is off. Writes the operator's audit line, without the value."""
        ...

    def ungoverned(self, tool: str, arguments: Mapping[str, Any]) -> Outcome | None:
        """Run the same call over the operator's model; None when there is no such model."""
        ...

    def cache(self) -> CacheView:
        """Return coverage and state of the cache. Kept counters: quick."""
        ...

    def history(self, limit: int) -> Sequence[HistoryItem]:
        """Return the newest runs and decisions of this operator, newest first."""
        ...

    def remember(self, item: HistoryItem) -> None:
        """Keep one run in the history."""
        ...

    def pin(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Add these arguments to the pinned samples of *tool*."""
        ...

    def exports(self) -> Sequence[ExportTarget]:
        """Return what can be exported."""
        ...

    def export(self, target: str) -> tuple[str, str]:
        """Return (suggested file name, content) of an export; the caller writes or copies it."""
        ...
