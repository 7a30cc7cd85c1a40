"""What the verdicts of a cache say: calls per rule of the scope, and what the restricted list took. Reports only.

Verdicts are made by ``gongctl cache warm``. A call has one: the restricted list comes before the scope, so that a
private call which names a restricted customer counts under the list.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gongctl.governance.calls import payloads_of
from gongctl.governance.judge import SOURCES, Judge
from gongctl.governance.verdicts import LIST_RULE
from gongmcp.governance.restricted import LISTS, Entry, RestrictedList
from gongmcp.governance.scope import FACTS, FROM_DATE, PRIVATE, TO_DATE, Scope
from gongmcp.store.model import ModelRules

_WAITING: Final = """
SELECT count(*) FROM raw_calls AS c
WHERE EXISTS (SELECT 1 FROM dirty_calls AS d WHERE d.call_id = c.call_id)
   OR EXISTS (SELECT 1 FROM rejudge AS r WHERE r.call_id = c.call_id)
"""
_UNJUDGED: Final = """
SELECT count(*) FROM raw_calls AS c WHERE NOT EXISTS (SELECT 1 FROM verdicts AS v WHERE v.call_id = c.call_id)
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the verdicts are those of the settings and of the list that were given.

    *calls* are imported; of them *unjudged* have no verdict yet (they are absent for agents) and *stale* are to be
    looked at again, because they or the list have changed. *settings_in_force* and *list_in_force* tell whether the
    read model was warmed by the given settings and by the given list, *complete* whether its first build is done.
    """

    calls: int
    unjudged: int
    stale: int
    settings_in_force: bool
    list_in_force: bool
    complete: bool

    @property
    def current(self) -> bool:
        """Whether the verdicts can be relied on."""
        return self.complete and self.settings_in_force and self.list_in_force and not (self.unjudged or self.stale)

    def reason(self) -> str:
        """Return why they cannot, in one sentence; '' when they can."""
        if not self.complete:
            return "The calls have not all been judged yet."
        if not self.settings_in_force:
            return "The calls were judged under other settings than those given."
        if not self.list_in_force:
            return "The calls were judged by another list than the one given."
        if self.unjudged or self.stale:
            waiting = max(self.unjudged, self.stale)
            are = "call is" if waiting == 1 else "calls are"
            return f"{waiting:,} {are} to be judged: new, or changed."
        return ""

    def as_json(self) -> dict[str, Any]:
        """Return the form of the reports."""
        return {
            "current": self.current,
            "reason": self.reason(),
            "unjudged_calls": self.unjudged,
            "stale_calls": self.stale,
            "settings_in_force": self.settings_in_force,
            "list_in_force": self.list_in_force,
            "complete": self.complete,
        }


def standing(connection: sqlite3.Connection, rules: ModelRules) -> Standing:
    """Return how far the verdicts of a cache are those of *rules*."""
    row = connection.execute("SELECT digest, base, complete FROM read_model WHERE id = 1").fetchone()
    digest, base, complete = row if row is not None else ("", "", 0)
    calls = int(connection.execute("SELECT count(*) FROM raw_calls").fetchone()[0])
    return Standing(
        calls,
        int(connection.execute(_UNJUDGED).fetchone()[0]),
        int(connection.execute(_WAITING).fetchone()[0]),
        row is None or base == rules.base,
        row is None or base != rules.base or digest == rules.digest,
        bool(complete),
    )


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """Calls by what decided over them: *served*, left out *by_rule* of the scope, *restricted* by the list."""

    standing: Standing
    served: int
    by_rule: Mapping[str, int]
    restricted: int

    @property
    def not_served(self) -> int:
        """Calls that do not exist for agents, those without a verdict among them."""
        return self.standing.calls - self.served


def scope_report(connection: sqlite3.Connection, rules: ModelRules) -> ScopeReport:
    """Count the verdicts of a cache; every rule that the scope of *rules* has is named, also when it took nothing."""
    counts = dict.fromkeys(rules_of(rules.scope), 0)
    served = restricted = 0
    for rule, count in connection.execute(
        """SELECT v.rule, count(*) FROM verdicts AS v JOIN raw_calls AS c ON c.call_id = v.call_id GROUP BY v.rule"""
    ):
        if not rule:
            served = count
        elif rule.startswith(LIST_RULE):
            restricted += count
        else:
            counts[rule] = count
    return ScopeReport(standing(connection, rules), served, counts, restricted)


def rules_of(scope: Scope) -> dict[str, str]:
    """Return the rules of *scope* in the order in which they are asked, and what each demands in words."""
    found = {} if scope.private_calls else {PRIVATE: "calls that Gong marks as private are left out"}
    for key, values in scope.allow:
        found[f"scope.{key}"] = f"{FACTS[key]} must be one of: {', '.join(sorted(values))}"
    for key, values in scope.deny:
        found[f"scope.deny_{key}"] = f"{FACTS[key]} must be none of: {', '.join(sorted(values))}"
    if scope.from_date:
        found[FROM_DATE] = f"calls before {scope.from_date} are left out"
    if scope.to_date:
        found[TO_DATE] = f"calls after {scope.to_date} are left out"
    return found


@dataclass(slots=True)
class EntryCount:
    """One customer of the list: *calls* that name it, and how many of them in each source."""

    entry: Entry
    calls: int = 0
    sources: Counter[str] = field(default_factory=Counter)

    def as_json(self, *, names: bool) -> dict[str, Any]:
        """Return the form of the report; without *names* it holds the customer's place in the list alone."""
        named = {"name": self.entry.name} if names else {}
        return {
            "list": self.entry.list,
            "customer": self.entry.index,
            "line": self.entry.line,
            **named,
            "calls": self.calls,
            "sources": {source: self.sources[source] for source in SOURCES if self.sources[source]},
        }


@dataclass(slots=True)
class Audit:
    """What a restricted list takes. *suppressed* calls are absent for agents; *by_list* and *by_source* count calls,
    so that one which two lists name counts under both. *entries* are in the order of the file."""

    standing: Standing
    suppressed: int
    entries: list[EntryCount]
    by_list: Counter[str] = field(default_factory=Counter)
    by_source: Counter[str] = field(default_factory=Counter)

    @property
    def unmatched(self) -> list[EntryCount]:
        """Customers that no call names; meaningful when the verdicts are those of the list."""
        return [entry for entry in self.entries if not entry.calls]


def audit(
    connection: sqlite3.Connection,
    rules: ModelRules,
    restricted: RestrictedList,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Count who is named where in the calls that the judged list suppresses; nothing is judged or written."""
    found = Audit(standing(connection, rules), 0, [EntryCount(entry) for entry in restricted.entries])
    by_entry = {(item.entry.list, item.entry.index): item for item in found.entries}
    judge = Judge(restricted)
    ids = [
        call_id
        for (call_id,) in connection.execute(
            """SELECT v.call_id FROM verdicts AS v JOIN raw_calls AS c ON c.call_id = v.call_id
               WHERE v.suppressed = 1 AND v.rule >= ? AND v.rule < ? ORDER BY v.call_id""",
            (LIST_RULE, "list;"),
        )
    ]
    found.suppressed = len(ids)
    for done, call_id in enumerate(ids, 1):
        payloads = payloads_of(connection, call_id)
        pairs = [
            (item.entry.list, item.entry.index, item.source)
            for item in judge.find_all(payloads.call, payloads.transcript, payloads.answered)
        ]
        found.by_list.update({name for name, _, _ in pairs})
        found.by_source.update({source for _, _, source in pairs})
        for name, index, source in pairs:
            by_entry[name, index].sources[source] += 1
        for name, index in {(name, index) for name, index, _ in pairs}:
            by_entry[name, index].calls += 1
        if progress is not None:
            progress(done, len(ids))
    return found


def by_list_json(found: Audit) -> dict[str, int]:
    """Return the counts of every list that the file may hold."""
    return {name: found.by_list[name] for name in LISTS}
