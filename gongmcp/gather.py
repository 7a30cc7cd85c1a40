"""Gathering the rows of an answer: disclosed, looked at by the guard, inside the evidence budget, refilled.

A row that may not be sent is passed over and the next one takes its place, so that no page is short because
something was withheld, and nothing in the answer (not the numbers of its calls) tells that a row is missing.

A call that has its share of an answer is passed over as well; its further rows wait for a later page. The cursor
remembers them (``exposure.cursor.Position``): the next page begins with what waits and then goes on where this one
ended, so that every row comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from gongmcp.catalog.declaration import Rows, Tool
from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import MAX_HELD, HeldBack, Key, Position
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.evidence import AnswerBudget, Evidence
from gongmcp.exposure.ledger import Entry, Ledger, Place
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells

if TYPE_CHECKING:
    from gongmcp.governance.guard import Guard

MAX_REFILLS = 25
"""Further pages that are read to fill one; then the answer is short and its cursor goes on."""

REFILL_ROWS = 200
"""Least rows of such a page: small ones would end inside the rows of one call that are passed over."""

EVIDENCE_RULE = "evidence.session"
ANSWER_RULE = "evidence.per_answer"
_REASONS = {
    EVIDENCE_RULE: "One session sees a share of a call's transcript.",
    ANSWER_RULE: "One answer holds a few segments of one call.",
}
GUARD_RULE = "governance.guard"
LOCK_RULE = "approval.lock"

Ask = Callable[[Key | None, int], Rows[Any]]
"""Reads so many rows behind a key; 0 = all that there are."""

Review = Callable[[Row, Place], Row | None]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Rows of the call number *call* that were matched and not sent: they wait for a later page, or, *used_up*, the
    session may not see them."""

    call: int
    count: int
    used_up: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What is to be told behind a row of an answer, if that is its last: where the next page begins (None for a tool
    without a cursor), and which rows were passed over until there."""

    position: Position | None = None
    passed_over: tuple[PassedOver, ...] = ()

    def told(self, disclosure: Disclosure) -> list[dict[str, Any]]:
        """Return how an answer names the calls of which rows were passed over."""
        cells = SmallCells(disclosure.policy.min_cell)
        return [
            {"call_group": disclosure.group(item.call), "more_in_call": cells.count(item.count)}
            | ({"status": "evidence_budget_exhausted"} if item.used_up else {})
            for item in self.passed_over
        ]

    def note(self, ledger: Ledger) -> None:
        """Note in *ledger* how many rows were passed over."""
        for item in self.passed_over:
            rule = EVIDENCE_RULE if item.used_up else ANSWER_RULE
            ledger.add(Entry("capped", "row", rule, ("results",), count=item.count), _REASONS[rule])


@dataclass(slots=True)
class Gathered:
    """Rows ready to be bounded: *rows* as they leave, each with what it shows of a transcript (None = nothing), the
    alias of the call that it tells of ('' = of none; it may be one that does not leave) and the standing *behind* it.
    *more* is True when further rows follow; *cut_by* says what ended the page."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[Evidence | None] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    behind: list[Standing] = field(default_factory=list)
    end: Standing = field(default_factory=Standing)
    more: bool = False
    cut_by: str = "limit"
    notes: Any = None
    searched: dict[str, Any] = field(default_factory=dict)

    def standing(self, count: int) -> Standing:
        """Return the standing when only the first *count* rows are sent."""
        if count == len(self.rows):
            return self.end
        return self.behind[count - 1] if count else Standing()


def gather(
    tool: Tool,
    ask: Ask,
    start: Position | None,
    limit: int,
    disclosure: Disclosure,
    guard: Guard | None,
    budget: AnswerBudget,
    review: Review | None = None,
) -> Gathered:
    """Read pages by *ask*, from *start* on, until *limit* rows may be sent; 0 = all that there are.

    *review* leaves out of each row what was not approved, or the row.

    Raises:
        ToolFault: ``evidence_budget_exhausted`` when every row found is of calls that the session has seen enough of.
    """
    disclosure.name_withheld(tool.row)
    page = _Page(limit, disclosure, guard, budget, review, start)
    out = page.out
    rows = max(limit, REFILL_ROWS) if limit and page.waiting else limit
    for refill in range(MAX_REFILLS + 1):
        result = ask(page.key, rows)
        if refill == 0:
            out.notes, out.searched = result.notes, result.searched
        took = page.take(result)
        if took is _Took.ENDED or (took is _Took.ALL and (not result.more or not result.keys)):
            break
        if page.is_full():
            out.more = True
            break
        rows = max(limit, REFILL_ROWS) if limit else 0
    else:
        out.more = True
    page.end()
    if not out.rows and budget.more and not out.more:
        cells = SmallCells(disclosure.policy.min_cell)
        more = cells.count(sum(budget.more.values()))
        raise ToolFault(
            "evidence_budget_exhausted",
            f"As much of {_calls(cells.count(len(budget.more)))} was shown as one client may see; "
            f"{more} more matching rows are there.",
            "Ask about other calls: a search that finds others answers.",
        )
    return out


class _Took(Enum):
    """How a page took what was read: *all* of it, up to where the page *ended*, or it *goes on* elsewhere."""

    ALL = "all"
    ENDED = "ended"
    GOES_ON = "goes on"


class _Page:
    """The walk of one page over the rows in the order of their keys.

    Up to *frontier* (None = beyond it) only rows that were held back before are new; a call is looked at from the
    key on behind which its rows wait. *key* is that of the last row looked at.
    """

    def __init__(
        self,
        limit: int,
        disclosure: Disclosure,
        guard: Guard | None,
        budget: AnswerBudget,
        review: Review | None,
        start: Position | None,
    ) -> None:
        self.out = Gathered()
        self._limit = limit
        self._disclosure = disclosure
        self._guard = guard
        self._budget = budget
        self._review = review
        self.waiting = list(start.held) if start is not None else []
        """What was held back before and is not reached yet."""
        self._open: dict[int, int] = {}
        """By call that waited and is looked at: how many of its rows are still to come before the frontier."""
        self._held: dict[int, HeldBack] = {}
        """What this page holds back."""
        self._used_up: dict[int, int] = {}
        self.key: Key | None = start.after if start is not None else None
        self.frontier: Key | None = None
        if start is not None and self.waiting:
            self.frontier = start.after
            self.key = self.waiting[0].behind
            self._reach(self.key)

    def is_full(self) -> bool:
        """Tell whether the page has as many rows as were asked for."""
        return bool(self._limit) and len(self.out.rows) >= self._limit

    def take(self, result: Rows[Any]) -> _Took:
        """Take what may be sent of *result*."""
        for index, row in enumerate(result.rows):
            if self.frontier is not None and not self._is_waited_for():
                self._skip_to(self.frontier)
                return _Took.GOES_ON
            key = tuple(result.keys[index]) if result.keys else None
            evidence = result.evidence[index] if result.evidence else None
            if self.frontier is None or _call_of(row) in self._open:
                if self.is_full():
                    self.out.more = True
                    return _Took.ENDED
                if not self._one(row, evidence):
                    self.out.more, self.out.cut_by = True, "evidence"
                    return _Took.ENDED
            if key is not None:
                self.key = key
                self._reach(key)
                if self.out.behind and self.out.behind[-1].position is None:
                    self.out.behind[-1] = self._standing()
        return _Took.ALL

    def _one(self, row: Row, evidence: Evidence | None) -> bool:
        """Send *row*, hold it back or leave it out; returns False when it would have to be held back and cannot."""
        ledger, groups = self._disclosure.ledger, self._disclosure.groups
        mark, known = len(ledger.entries), len(groups)
        disclosed = self._disclosed(row)
        if disclosed is None:
            return True
        if evidence is not None:
            call = _call_of(row)
            if call in self._open:
                self._open[call] -= 1
            held = self._held.get(call)
            fits = held is None and self._budget.fits(evidence)
            if not fits or not self._budget.has_room(evidence):
                del ledger.entries[mark:]
                for group in list(groups)[known:]:
                    del groups[group]
                if held is None and not fits:
                    self._used_up[call] = self._used_up.get(call, 0) + 1
                elif held is not None:
                    self._held[call] = HeldBack(call, held.behind, held.count + 1)
                elif self.key is None or (self.frontier is None and len(self._held) >= MAX_HELD):
                    return False
                else:
                    self._held[call] = HeldBack(call, self.key, 1)
                return True
            self._budget.take(evidence)
        self.out.rows.append(disclosed)
        self.out.evidence.append(evidence)
        self.out.calls.append(_alias_of(row, disclosed))
        self.out.behind.append(Standing())  # completed when the walk has passed the row
        return True

    def _disclosed(self, row: Row) -> dict[str, Any] | None:
        """Return *row* as it leaves, or None, with no trace but in the ledger, when it may not."""
        ledger, groups, place = self._disclosure.ledger, self._disclosure.groups, ("results", len(self.out.rows))
        if self._review is not None:
            reviewed = self._review(row, place)
            if reviewed is None:
                ledger.add(
                    Entry("omitted", "row", LOCK_RULE, ("results",)),
                    "A row held what appeared in the data after the approval.",
                )
                return None
            row = reviewed
        mark, known = len(ledger.entries), len(groups)
        disclosed = self._disclosure.row(type(row), row, place)
        if self._guard is None or not self._guard.names(disclosed):
            return disclosed
        del ledger.entries[mark:]
        for group in list(groups)[known:]:
            del groups[group]
        ledger.add(Entry("omitted", "row", GUARD_RULE, ("results",)), "A row named a restricted customer.")
        return None

    def _reach(self, key: Key) -> None:
        """Note that the walk stands at *key*: the rows that wait behind it come now, or the known ones end."""
        if self.frontier is None:
            return
        while self.waiting and self.waiting[0].behind == key:
            item = self.waiting.pop(0)
            self._open[item.call] = item.count
        if key == self.frontier:
            self.frontier = None
            self._open.clear()

    def _skip_to(self, frontier: Key) -> None:
        """Go on behind *frontier*: what waits before it has its share of this page, and its number is known."""
        for call, left in self._open.items():
            item = self._held.get(call)
            if item is not None:
                self._held[call] = HeldBack(call, item.behind, item.count + left)
        self._open.clear()
        self.key, self.frontier = frontier, None

    def _is_waited_for(self) -> bool:
        """Tell whether a row before the frontier may be sent on this page."""
        return bool(self.waiting) or any(left > 0 and call not in self._held for call, left in self._open.items())

    def _standing(self) -> Standing:
        passed = [PassedOver(item.call, self._known(item), False) for item in self._held.values()]
        passed += [PassedOver(call, count, True) for call, count in self._used_up.items()]
        if self.key is None:
            return Standing(None, tuple(passed))
        held = [HeldBack(item.call, item.behind, self._known(item)) for item in self._held.values()]
        if self.frontier is not None:
            held += [
                HeldBack(call, self.key, left)
                for call, left in self._open.items()
                if call not in self._held and left > 0
            ]
            held += self.waiting
        return Standing(Position(self.frontier or self.key, tuple(held)), tuple(passed))

    def _known(self, item: HeldBack) -> int:
        """Return how many rows are known to wait: those that were looked at on this page or on one before."""
        return item.count + self._open.get(item.call, 0)

    def end(self) -> None:
        """Settle what the answer says of its end."""
        self.out.end = self._standing()
        if self._held and not self.out.more:
            self.out.more, self.out.cut_by = True, "evidence"


def _alias_of(row: Row, disclosed: Mapping[str, Any]) -> str:
    # A row about an opportunity tells of a call only where it names the latest one.
    return str(getattr(row, "call_ref", "") or disclosed.get("latest_call_ref", ""))


def _call_of(row: Any) -> int:
    return int(row.call_group)


def _calls(count: int) -> str:
    return {0: "the calls", 1: "one call"}.get(count, f"{count} calls")
