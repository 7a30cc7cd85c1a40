"""Comparing a question with the vectors of a cohort's calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gongmcp.errors import ToolFault
from gongmcp.semantic.model import MODEL
from gongmcp.semantic.quantised import Question
from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import first_segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MOST_BYTES: Final = 1_000_000_000
"""Vectors that one question may read."""

_NEW: Final = 64
"""How many times what is kept may gather before the farthest is let go."""


@dataclass(frozen=True, slots=True)
class Near:
    """A window (rowids of its *first* and *last* segment) and its likeness, a whole number (``quantised.STEPS``)."""

    likeness: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Extent:
    """What there is to compare with: windows, and calls of the cohort that have a transcript and no vectors."""

    windows: int
    calls: int
    calls_without: int


def extent(store: ReadStore, calls: CallFilter) -> Extent:
    """Return how much a scan of *calls* would look at."""
    chosen = calls.select("c")
    row = store.one(
        "SELECT count(*) AS calls, coalesce(sum(v.call_no IS NULL), 0) AS without,"
        " coalesce(sum(v.window_count), 0) AS windows"
        f" FROM {chosen.source} LEFT JOIN segment_vectors v ON v.call_no = {chosen.number} AND v.model = :model"
        f" WHERE {chosen.where} AND c.segment_count > 0",
        {**chosen.parameters, "model": MODEL},
    )
    assert row is not None  # an aggregate without GROUP BY has one row
    return Extent(int(row["windows"]), int(row["calls"]), int(row["without"]))


def nearest(store: ReadStore, vector: NDArray[np.float32], calls: CallFilter, keep: int) -> list[Near]:
    """Return the *keep* windows of *calls* that are nearest to *vector*, equal ones newest first.

    How much that reads is for the caller to look at before (``extent``, ``refuse_too_much``).
    """
    chosen = calls.select("c")
    question = Question(vector)
    kept = Nearest(keep)
    rows = store.stream(
        f"SELECT {chosen.number} AS number, v.windows, v.scales, v.vectors"
        f" FROM {chosen.source} CROSS JOIN segment_vectors v ON v.call_no = {chosen.number}"
        f" WHERE {chosen.where} AND v.model = :model",
        {**chosen.parameters, "model": MODEL},
    )
    for row in rows:
        kept.add(first_segment(row["number"]), row["windows"], question.likeness(row["vectors"], row["scales"]))
    return kept.best()


def refuse_too_much(size: int) -> None:
    """Refuse to read *size* bytes of vectors if that is more than one question may.

    Raises:
        ToolFault: it is (``invalid_argument``).
    """
    if size > MOST_BYTES:
        raise ToolFault(
            "invalid_argument",
            "The calls that this asks about have more than 1 GB of vectors, more than one search by meaning reads.",
            "Narrow them: dates, lifecycle, scope, system or a cohort filter; or use mode=keyword.",
        )


class Nearest:
    """The nearest windows of those that were added."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._parts: list[tuple[Numbers, Numbers, Numbers]] = []
        self._held = 0
        self._least: int | None = None

    def add(self, base: int, places: bytes, likeness: Numbers) -> None:
        """Add windows at *places* (as stored), counted from the rowid *base*."""
        import numpy as np

        span = np.frombuffer(places, dtype="<u4").reshape(-1, 2).astype(np.int64) + base
        first, last = span[:, 0], span[:, 1]
        if self._least is not None:
            near = likeness >= self._least
            likeness, first, last = likeness[near], first[near], last[near]
        self._parts.append((likeness, first, last))
        self._held += len(likeness)
        if self._held > self._keep * _NEW:
            self._let_go()

    def best(self) -> list[Near]:
        """Return the nearest, best first."""
        if not self._parts:
            return []
        self._let_go()
        likeness, first, last = self._parts[0]
        found: dict[int, Near] = {}
        for item in zip(likeness.tolist(), first.tolist(), last.tolist(), strict=True):
            found.setdefault(item[1], Near(*item))  # a long text has several windows
        return list(found.values())

    def _let_go(self) -> None:
        import numpy as np

        likeness, first, last = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        order = np.lexsort((-first, -likeness))[: self._keep]
        self._parts = [(likeness[order], first[order], last[order])]
        self._held = len(order)
        if self._held == self._keep:
            self._least = int(likeness[order[-1]])
