"""What scope and restricted list took from an answer: the same call once more, over the operator's model.

Two answers are compared, one over what agents are served and one over every call of the cache, under the same
policy. Told are the calls whose rows are in the second one and that agents may not see, by rule, and the numbers
that would be others. No name and no text of a call is told.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongctl.cache.connection import connect, reading
from gongctl.cache.operator_model import OPERATOR_APPLICATION_ID, open_rules, operator_path
from gongctl.governance.verdicts import LIST_RULE
from gongmcp.errors import StartupRefusal, ToolFault, Unavailable, UnknownTool
from gongmcp.exposure.ledger import Entry, Ledger

if TYPE_CHECKING:
    from gongmcp.cancel import Cancel
    from gongmcp.exposure.policy import Policy
    from gongmcp.handler import Outcome, ToolHandler
    from gongmcp.settings import ServerSettings

LIST: Final = "governance.restricted_list"
FIGURES: Final = "governance.figures"
NOT_JUDGED: Final = "governance.not_served"

_TOLD_FIGURES: Final = 6
"""Numbers that differ and are told one by one; the rest is counted."""

_REASONS: Final = {
    LIST: "The same call without governance finds calls that name a restricted customer.",
    NOT_JUDGED: "The same call without governance finds calls that are not served: changed or new, not warmed yet.",
}
_SCOPE_REASON: Final = "The same call without governance finds calls that this rule of the scope leaves out."
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT")
_OWN: Final = frozenset({"limit", "limit_clamped", "returned", "next_cursor", "as_of", "freshness", "call_group"})
"""Numbers that say how an answer is cut, and not what the cache holds."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that governance changed: *name* says which, *here* what agents see, *without* what there is."""

    name: str
    here: float
    without: float


@dataclass(frozen=True, slots=True)
class Taken:
    """What governance took from one answer: calls by rule, and figures that differ."""

    calls: Mapping[str, int]
    figures: Sequence[Figure]

    def ledger(self) -> Ledger:
        """Return it as entries of a ledger, for the operator's doors."""
        out = Ledger()
        for rule, count in self.calls.items():
            out.add(Entry("omitted", "call", rule, ("results",), count=count), _REASONS.get(rule, _SCOPE_REASON))
        if self.figures:
            told = [f"{item.name} {item.here:,} of {item.without:,}" for item in self.figures[:_TOLD_FIGURES]]
            more = len(self.figures) - len(told)
            words = "; ".join(told) + (f"; and {more:,} more" if more else "")
            out.add(
                Entry("omitted", "figure", FIGURES, ("results",), count=len(self.figures)),
                f"Numbers that count no call outside this policy: {words}.",
            )
        return out


def taken_by_governance(
    db: Path,
    settings: ServerSettings,
    policy: Policy,
    tool: str,
    arguments: Mapping[str, Any],
    outcome: Outcome,
    cancel: Cancel | None = None,
) -> Taken | None:
    """Run the call of *outcome* a second time, without scope and list, and return what that changes.

    *settings* are the server's, *policy* the one that the call was made under. None when there is no operator's
    model, none of this state of the cache and these settings, and for a page behind the first.
    """
    path = operator_path(db)
    if outcome.model is None or outcome.answer.is_error or not path.exists() or arguments.get("cursor"):
        return None  # a cursor is of one model alone
    try:
        handler = ungoverned_handler(path, settings, policy)
        other = handler.call(tool, arguments, cancel)
        if other.model is None or other.answer.is_error or not _same_state(db, path):
            return None
        return Taken(_calls(db, path, outcome, other), list(_figures(outcome, other)))
    except (StartupRefusal, ToolFault, Unavailable, UnknownTool, sqlite3.Error):
        return None


def ungoverned_handler(path: Path, settings: ServerSettings, policy: Policy) -> ToolHandler:
    """Return a handler under *policy* over the operator's model at *path*: for the operator's doors alone.

    Raises:
        StartupRefusal: the file is none of this program and these settings.
    """
    from gongmcp.handler import ToolHandler
    from gongmcp.store.connection import StorePool

    pool = StorePool(path, application=OPERATOR_APPLICATION_ID)
    rules = open_rules(settings.model_rules())
    lock = None
    if settings.lock is not None:
        from gongmcp.approval.enforce import under_lock

        lock = under_lock(settings, settings.lock)  # what the lock withholds is no matter of governance
    return ToolHandler(policy, pool, tool_timeout=settings.tool_timeout, rules=rules, lock=lock)


def _same_state(db: Path, path: Path) -> bool:
    """Tell whether both models hold the same imports."""
    held = "SELECT data_generation FROM read_model WHERE id = 1"
    with reading(db) as governed, closing(connect(path, "ro", OPERATOR_APPLICATION_ID)) as other:
        return bool(governed.execute(held).fetchone() == other.execute(held).fetchone())


def _calls(db: Path, path: Path, outcome: Outcome, other: Outcome) -> dict[str, int]:
    """Count by rule the calls of *other* that the cache does not serve."""
    found: Counter[str] = Counter()
    with reading(db) as governed, closing(connect(path, "ro", OPERATOR_APPLICATION_ID)) as model:
        for call_ref in other.shown.keys() - outcome.shown.keys():
            row = model.execute("SELECT call_id FROM call_facts WHERE call_ref = ?", (call_ref,)).fetchone()
            if row is None or governed.execute("SELECT 1 FROM call_facts WHERE call_id = ?", row).fetchone():
                continue
            verdict = governed.execute("SELECT rule FROM verdicts WHERE call_id = ? AND suppressed = 1", row).fetchone()
            found[_rule(verdict[0] if verdict is not None else "")] += 1
    return dict(sorted(found.items()))


def _rule(rule: str) -> str:
    if not rule:
        return NOT_JUDGED
    return LIST if rule.startswith(LIST_RULE) else f"governance.{rule}"


def _figures(outcome: Outcome, other: Outcome) -> Iterator[Figure]:
    """Yield the numbers that differ: of the answer as a whole, and of rows that are the same but for numbers."""
    here, without = outcome.answer.structured, other.answer.structured
    if here is None or without is None:
        return
    yield from _differing("", _numbers(here), _numbers(without))
    if outcome.shown or other.shown:
        return  # rows are calls and what was said in them: they are counted as calls
    rows = {_label(row): _numbers(row) for row in here.get("results", ())}
    for row in without.get("results", ()):
        label = _label(row)
        yield from _differing(f"{label}: " if label else "", rows.get(label, {}), _numbers(row))


def _differing(where: str, here: Mapping[str, float], without: Mapping[str, float]) -> Iterator[Figure]:
    for name, number in without.items():
        if here.get(name, 0) != number:
            yield Figure(where + name, here.get(name, 0), number)


def _numbers(item: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: value
        for name, value in item.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in _OWN
    }


def _label(row: Mapping[str, Any]) -> str:
    """Return what a row of counts is about: its words, which are names of groups, without times of calls."""
    return ", ".join(value for value in row.values() if isinstance(value, str) and not _TIME.match(value))
