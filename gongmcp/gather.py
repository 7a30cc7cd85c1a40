"""Gathering the rows of an answer: disclosed, looked at by the guard, inside the evidence budget, refilled.

A row that may not be sent is passed over and the next one takes its place, so that no page is short because
something was withheld, and nothing in the answer (not the numbers of its calls) tells that a row is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gongmcp.catalog.declaration import Rows, Tool
from gongmcp.errors import ToolFault
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.evidence import AnswerBudget, Evidence
from gongmcp.exposure.ledger import Entry, Place
from gongmcp.exposure.rows import Row

if TYPE_CHECKING:
    from gongmcp.governance.guard import Guard

MAX_REFILLS = 25
"""Further pages that are read to fill one; then the answer is short and its cursor goes on."""

REFILL_ROWS = 200
"""Least rows of such a page: small ones would end inside the rows of one call that are passed over."""

EVIDENCE_RULE = "evidence.session"
ANSWER_RULE = "evidence.per_answer"
GUARD_RULE = "governance.guard"

LOCK_RULE = "approval.lock"

Key = tuple[Any, ...]
Review = Callable[[Row, Place], Row | None]


@dataclass(slots=True)
class Gathered:
    """Rows ready to be bounded: *rows* as they leave, each with its key (none for a tool without a cursor) and
    what it shows of a transcript. *more* is True when further rows follow; *cut_by* says what ended the page."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    evidence: list[Evidence | None] = field(default_factory=list)
    more: bool = False
    cut_by: str = "limit"
    notes: Any = None
    searched: dict[str, Any] = field(default_factory=dict)
    held_back: list[dict[str, Any]] = field(default_factory=list)


def gather(
    tool: Tool,
    ask: Callable[[Key | None], Rows[Any]],
    after: Key | None,
    limit: int,
    disclosure: Disclosure,
    guard: Guard | None,
    budget: AnswerBudget,
    review: Review | None = None,
) -> Gathered:
    """Read pages by *ask* (rows behind a key) until *limit* rows may be sent; 0 = all that there are.

    *review* leaves out of each row what was not approved, or the row.

    Raises:
        ToolFault: ``evidence_budget_exhausted`` when every row found is of calls that the session has seen enough of.
    """
    out = Gathered()
    disclosure.name_withheld(tool.row)
    groups: dict[str, int] = {}
    for refill in range(MAX_REFILLS + 1):
        result = ask(after)
        if refill == 0:
            out.notes, out.searched = result.notes, result.searched
        ended = _take(out, result, limit, disclosure, guard, budget, groups, review)
        if ended:
            break
        out.more = result.more
        if not result.more or not result.keys or (limit and len(out.rows) >= limit):
            break
        after = tuple(result.keys[-1])
    if budget.more:
        _tell(out, budget, disclosure, groups)
    if not out.rows and budget.more:
        raise ToolFault(
            "evidence_budget_exhausted",
            f"As much of {_calls(len(budget.more))} was shown as one client may see; {sum(budget.more.values())} more "
            "matching rows are there.",
            "Ask about other calls: a search that finds others answers.",
        )
    return out


def _take(
    out: Gathered,
    result: Rows[Any],
    limit: int,
    disclosure: Disclosure,
    guard: Guard | None,
    budget: AnswerBudget,
    groups: dict[str, int],
    review: Review | None,
) -> bool:
    """Take what may be sent of *result*; returns True when the page ends before the end of *result*."""
    for index, row in enumerate(result.rows):
        if limit and len(out.rows) >= limit:
            out.more = True
            return True
        if review is not None:
            reviewed = review(row, ("results", len(out.rows)))
            if reviewed is None:
                disclosure.ledger.add(
                    Entry("omitted", "row", LOCK_RULE, ("results",)),
                    "A row held what appeared in the data after the approval.",
                )
                continue
            row = reviewed
        evidence = result.evidence[index] if result.evidence else None
        if evidence is not None:
            if not budget.fits(evidence):
                groups.setdefault(evidence.call_ref, _group_of(row))
                continue
            if not budget.has_room(evidence):
                _end_before(out, result, index, evidence, disclosure, row)
                return True
        mark, known = len(disclosure.ledger.entries), len(disclosure.groups)
        disclosed = disclosure.row(type(row), row, ("results", len(out.rows)))
        if guard is not None and guard.names(disclosed):
            del disclosure.ledger.entries[mark:]
            for group in list(disclosure.groups)[known:]:
                del disclosure.groups[group]
            disclosure.ledger.add(
                Entry("omitted", "row", GUARD_RULE, ("results",)), "A row named a restricted customer."
            )
            continue
        if evidence is not None:
            budget.take(evidence)
        out.rows.append(disclosed)
        out.evidence.append(evidence)
        if result.keys:
            out.keys.append(tuple(result.keys[index]))
    return False


def _end_before(
    out: Gathered, result: Rows[Any], index: int, evidence: Evidence, disclosure: Disclosure, row: Any
) -> None:
    """End the page before a row whose call has its share of this answer; the cursor goes on with it."""
    later: Sequence[Evidence | None] = result.evidence[index:]
    count = sum(item is not None and item.call_ref == evidence.call_ref for item in later)
    out.more, out.cut_by = True, "evidence"
    out.held_back.append({"call_group": disclosure.group(_group_of(row)), "more_in_call": count})
    disclosure.ledger.add(
        Entry("capped", "row", ANSWER_RULE, ("results",), count=count), "One answer holds a few segments of one call."
    )


def _tell(out: Gathered, budget: AnswerBudget, disclosure: Disclosure, groups: dict[str, int]) -> None:
    for call_ref, count in budget.more.items():
        out.held_back.append(
            {
                "call_group": disclosure.group(groups[call_ref]),
                "more_in_call": count,
                "status": "evidence_budget_exhausted",
            }
        )
        disclosure.ledger.add(
            Entry("capped", "row", EVIDENCE_RULE, ("results",), count=count),
            "One session sees a share of a call's transcript.",
        )


def _group_of(row: Any) -> int:
    return int(row.call_group)


def _calls(count: int) -> str:
    return "one call" if count == 1 else f"{count} calls"
