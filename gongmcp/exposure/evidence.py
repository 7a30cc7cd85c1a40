"""The evidence budget: how much of one call's transcript one answer and one client session may see.

Snippets of many searches would add up to the transcript. So an answer holds a few segments of one call, and a
session (one stdio process) a small share of it, by segments and by their text, so that nobody asks for the longest
ones; what is past that is refused for that call alone. A segment that was seen before costs nothing again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gongmcp.exposure.policy import EvidenceLimits


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a row shows of the transcript of the call *call_ref*.

    *segments* maps the index of each segment to the characters of its text, whatever part of it is shown; the call
    has *segment_count* segments of *text_chars* characters together.
    """

    call_ref: str
    segments: Mapping[int, int]
    segment_count: int
    text_chars: int


class Session(Protocol):
    """What one client session has seen, by call; a process, or a token and day. Thread-safe."""

    def seen(self, call_ref: str) -> dict[int, int]:
        """Return the segments of a call that the session has seen, with the characters of each."""

    def spend(self, shown: Sequence[Evidence], basis: Mapping[str, int]) -> bool:
        """Count what is about to be sent, all of it or nothing.

        *basis* says of how many seen segments of each call the budget was judged. False, and nothing is counted, when
        another call of the session has been shown more of one of them since: then two calls at once would add up.
        """


class EvidenceSession:
    """The session of one process; a preview uses a fresh one."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[int, int]] = {}
        self._lock = threading.Lock()

    def seen(self, call_ref: str) -> dict[int, int]:
        """Return what was seen of a call; see ``Session``."""
        with self._lock:
            return dict(self._seen.get(call_ref, ()))

    def spend(self, shown: Sequence[Evidence], basis: Mapping[str, int]) -> bool:
        """Count what is about to be sent; see ``Session``."""
        with self._lock:
            if any(len(self._seen.get(item.call_ref, ())) != basis[item.call_ref] for item in shown):
                return False
            for item in shown:
                self._seen.setdefault(item.call_ref, {}).update(item.segments)
        return True


@dataclass(slots=True)
class AnswerBudget:
    """The budget while one answer is put together.

    *more* counts, by call, rows that the session may not see.
    """

    limits: EvidenceLimits
    session: Session
    more: dict[str, int] = field(default_factory=dict)
    _seen: dict[str, dict[int, int]] = field(default_factory=dict)
    _answer: dict[str, dict[int, int]] = field(default_factory=dict)

    def fits(self, item: Evidence) -> bool:
        """Tell whether the session may see *item*; if not it is counted in ``more``."""
        if item.call_ref not in self._seen:
            self._seen[item.call_ref] = self.session.seen(item.call_ref)
        already = self._seen[item.call_ref] | self._answer.get(item.call_ref, {})
        if item.segments.keys() <= already.keys():
            return True
        together = {**already, **item.segments}
        segments, characters = self.limits.budget(item.segment_count, item.text_chars)
        if len(together) <= segments and (not already or sum(together.values()) <= characters):
            return True
        self.more[item.call_ref] = self.more.get(item.call_ref, 0) + 1
        return False

    def has_room(self, item: Evidence) -> bool:
        """Tell whether this answer has room for *item*; if not its call has its share of it."""
        held = self._answer.get(item.call_ref, {})
        return not held or len({**held, **item.segments}) <= self.limits.per_answer

    def take(self, item: Evidence) -> None:
        """Put *item* into the answer."""
        self._answer.setdefault(item.call_ref, {}).update(item.segments)

    def basis(self) -> dict[str, int]:
        """Return of how many segments of each call that was looked at the session had seen."""
        return {call_ref: len(seen) for call_ref, seen in self._seen.items()}
