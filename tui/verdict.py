"""What became of a run, in words: state, figures, and the next step where one is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gongmcp.errors import ERRORS
from gongmcp.handler import Outcome

_SLOW = 1000
"""Milliseconds from which on it is worth saying how long a call took."""


class State(Enum):
    """How a run ended; the value is the word that the operator reads."""

    OK = "OK"
    EMPTY = "EMPTY"
    WITHHELD = "ALL WITHHELD"
    NOT_FOUND = "NOT FOUND"
    UNAVAILABLE = "UNAVAILABLE"
    ERROR = "TOOL ERROR"
    CANCELLED = "CANCELLED"
    FAILED = "PREVIEW FAILED"


@dataclass(frozen=True, slots=True)
class Verdict:
    """State of a run, its figures, what happened and what to do next (each may be empty)."""

    state: State
    figures: tuple[str, ...] = ()
    message: str = ""
    next: str = ""


def judge(outcome: Outcome, budget: int) -> Verdict:
    """Say what *outcome* means; *budget* is the largest answer that policy allows, in bytes."""
    figures = _figures(outcome, budget)
    answer = outcome.answer
    if answer.is_error:
        error = answer.error or {}
        code = str(error.get("code", "unknown"))
        step = str(error.get("hint") or (ERRORS[code].next if code in ERRORS else ""))
        if code == "cache_not_ready":
            step = "Press w to warm the cache, or run: gongctl cache warm --db PATH"
        return Verdict(State.ERROR, (code, *figures), str(error.get("message", "")), step)
    structured = answer.structured or {}
    status = structured.get("status")
    if status in ("not_found", "unavailable"):
        state = State.NOT_FOUND if status == "not_found" else State.UNAVAILABLE
        return Verdict(state, figures, str(structured.get("message", "")), str(structured.get("hint", "")))
    results = structured.get("results")
    if isinstance(results, list) and not results:
        return Verdict(State.EMPTY, figures, _searched(structured), "Widen the dates or the query, then run again.")
    if _everything_withheld(results, outcome):
        return Verdict(
            State.WITHHELD,
            figures,
            f"The agent receives {_rows(outcome.rows)} without any content: policy withholds every column.",
            "Set an include_* argument, change provenance (v), or keep it so and leave the tool out.",
        )
    if structured.get("freshness") == "stale":
        return Verdict(State.OK, figures, "The cache is newer than what is served.", "Press w to warm it.")
    return Verdict(State.OK, figures)


def _everything_withheld(results: Any, outcome: Outcome) -> bool:
    if not isinstance(results, list) or not any(entry.action == "omitted" for entry in outcome.ledger.entries):
        return False
    return all(isinstance(row, Mapping) and not set(row) - {"call_group"} for row in results)


def _searched(structured: Mapping[str, Any]) -> str:
    searched = structured.get("searched")
    calls = searched.get("calls_in_range") if isinstance(searched, Mapping) else None
    if isinstance(calls, int):
        return f"Succeeded with 0 rows; {calls:,} call{'' if calls == 1 else 's'} in range of the filters."
    return "Succeeded with 0 rows."


def _figures(outcome: Outcome, budget: int) -> tuple[str, ...]:
    share = f", {100 * outcome.bytes / budget:.0f}% of {size(budget)}" if budget > 0 else ""
    structured = outcome.answer.structured or {}
    more = ", more exist" if structured.get("capped") or structured.get("truncated") else ""
    return (
        *([_rows(outcome.rows) + more] if isinstance(structured.get("results"), list) else []),
        f"{outcome.bytes:,} bytes{share}",
        f"est. {outcome.tokens:,} tokens",
        *([f"{outcome.milliseconds / 1000:.1f} s"] if outcome.milliseconds >= _SLOW else []),
    )


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """Return a number of bytes in the unit that people read: ``48 KiB``, ``1.5 MiB``."""
    for unit, step in (("MiB", 1024 * 1024), ("KiB", 1024)):
        if count >= step:
            amount = count / step
            return f"{amount:.0f} {unit}" if amount >= 10 or amount.is_integer() else f"{amount:.1f} {unit}"
    return f"{count} B"
