"""The decisions of a review before they are written, and how a tool stands by them and by the lock."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gongctl.approval.approve import Renewal
from gongmcp.approval.lock import ApprovedTool, Lock
from tui.reviewing import HistoryItem, Standing


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision on a tool, with the arguments of the samples that were looked at."""

    tool: str
    standing: Standing
    samples: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class Draft:
    """The decisions of this review, oldest first; of several on one tool the last one holds."""

    decisions: list[Decision] = field(default_factory=list)

    def of(self) -> dict[str, Decision]:
        """Return the decision that holds on each tool."""
        return {decision.tool: decision for decision in self.decisions}


def who() -> str:
    """Return the user that runs this; 'unknown' where the system does not say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def signed(done: Renewal, by: str, at: str) -> Lock:
    """Return the lock of *done* with the name and time of who approves, on every tool that this approval named."""
    tools = {
        name: tool if name in done.kept else msgspec.structs.replace(tool, approved_by=by, approved_at=at)
        for name, tool in done.lock.tools.items()
    }
    return msgspec.structs.replace(done.lock, approved_by=by, approved_at=at, tools=tools)


def standing_of(approved: ApprovedTool | None, drift: Sequence[str], decision: Decision | None) -> Standing:
    """Return how a tool stands: by the draft, else by what the lock holds of it and what drifted."""
    if decision is not None:
        return decision.standing
    if approved is None:
        return Standing.OPEN
    if drift:
        return Standing.DRIFTED
    return Standing.EXEMPT if approved.exempt else Standing.APPROVED


def drift_of(approved: ApprovedTool, now: str, shared: Sequence[str]) -> list[str]:
    """Return what drifted of an approved tool: *now* is the digest of its definition, *shared* what every tool has."""
    changed = [] if approved.digest == now else ["its definition changed"]
    return [*changed, *shared]


def decided(tool: str, decision: Decision, preset: str, lock: Lock) -> HistoryItem:
    """Return the line of the history for a decision that was written."""
    approved = lock.tools.get(tool)
    return HistoryItem(
        at=lock.approved_at,
        tool=tool,
        arguments={},
        preset=preset,
        digest="" if approved is None else approved.digest,
        bytes=0,
        withheld=0,
        status="",
        decision=decision.standing.name.lower(),
        milliseconds=0.0,
    )
