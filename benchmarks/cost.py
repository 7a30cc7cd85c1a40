"""What one call costs: SQLite VM steps, counted by the progress handler, and milliseconds by the clock."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.cases import Case
from gongmcp.exposure.policy import Policy
from gongmcp.handler import Outcome, ToolHandler
from gongmcp.store.connection import MEASURED_STEPS, StorePool

LEAST_STEPS: Final = 300
"""About what a search of the full-text index takes that finds one row."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Steps and *work*: the matches that the answer ranked or, without ranking, the rows that it holds.

    A search looks at 2,000 matches at most, so a word with 300 matches in a small cache and 3,000 in a
    large one costs more in the latter, however well it is indexed; *work* says how much more it had to do.
    """

    steps: int
    work: int

    def growth_from(self, smaller: Cost) -> float:
        """Return how often more steps this took than *smaller*."""
        return self.steps / max(smaller.steps, 1)

    def growth_beyond_work(self, smaller: Cost) -> float:
        """Return how often more steps this took than *smaller* beyond having more to answer with.

        A small cache may have nothing to look at, not even a call that passes the filter; it counts as
        ``LEAST_STEPS`` then, which is what it takes to find anything.
        """
        return self.steps / max(smaller.steps, LEAST_STEPS) / max(1.0, self.work / smaller.work)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of several calls by the *clock* and of the *processor*, each sorted.

    The processor's say what the clock would on a machine that does nothing else.
    """

    clock: list[float]
    processor: list[float]

    @property
    def p50(self) -> float:
        """Median by the clock."""
        return self.clock[len(self.clock) // 2]

    @property
    def p95(self) -> float:
        """By the clock: one call of twenty takes longer."""
        return self.clock[min(len(self.clock) - 1, int(len(self.clock) * 0.95))]

    @property
    def cpu(self) -> float:
        """Median of the processor's time."""
        return self.processor[len(self.processor) // 2]


class Bench:
    """A handler over one cache, of the default policy unless one is given, whose calls can be measured."""

    def __init__(self, pool: StorePool, handler: ToolHandler | None = None) -> None:
        self.pool = pool
        self.handler = handler or ToolHandler(Policy(), pool)

    def cost(self, case: Case) -> Cost:
        """Run *case* and count its steps, in tens.

        Raises:
            AssertionError: it was not answered.
        """
        counted = 0

        def count() -> None:
            nonlocal counted
            counted += MEASURED_STEPS

        self.pool.on_steps = count
        try:
            structured = answered(self.handler.call(case.tool, case.arguments), case)
        finally:
            self.pool.on_steps = None
        return Cost(counted, max(1, structured.get("ranked_over", structured.get("returned", 1))))

    def times(self, case: Case, repeat: int, *, warming: int = 2) -> Times:
        """Return how long *repeat* calls took, after *warming* more to warm up."""
        clock, processor = [], []
        for _ in range(repeat + warming):
            started, cpu = time.perf_counter(), time.process_time()
            answered(self.handler.call(case.tool, case.arguments), case)
            processor.append((time.process_time() - cpu) * 1000)
            clock.append((time.perf_counter() - started) * 1000)
        return Times(sorted(clock[warming:]), sorted(processor[warming:]))


def answered(outcome: Outcome, case: Case) -> Mapping[str, Any]:
    """Return the structured answer, which must be one."""
    structured = outcome.answer.structured
    if structured is None or structured["status"] != "ok":
        raise AssertionError(f"{case.name} was not answered: {outcome.answer.text[:300]}")
    return structured
