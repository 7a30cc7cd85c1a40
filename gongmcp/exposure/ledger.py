"""The ledger: what an answer withheld, by which rule, where and how many. Never a value.

It exists for the operator's doors alone (CLI ``--explain`` and the TUI); no MCP type can hold it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str | int, ...]
"""Path in the structured answer, for example ``("results", 0, "call_id")``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing withheld or cut.

    Attributes:
        action: ``omitted`` (field), ``redacted`` (span), ``removed`` (invisible characters),
            ``cut`` (text shortened), ``capped`` (rows), ``rounded`` (counts), ``merged`` (groups).
        kind: field class or span kind.
        rule: id of the deciding rule, for example ``provenance.redacted``.
        place: where in the structured answer.
        start, length: in characters of the raw text for spans; for cuts the characters left out
            before and after; 0 otherwise.
        count: how many things (rows, characters) it stands for.
    """

    action: str
    kind: str
    rule: str
    place: Place
    start: int = 0
    length: int = 0
    count: int = 1


@dataclass(slots=True)
class Ledger:
    """Entries in order of place, and the reason of each rule in words."""

    entries: list[Entry] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, entry: Entry, reason: str) -> None:
        """Record *entry*; *reason* says in one sentence why its rule applies."""
        self.entries.append(entry)
        self.reasons.setdefault(entry.rule, reason)

    def summary(self) -> list[dict[str, Any]]:
        """Return one row per (action, kind, rule) with its total count and reason, most first."""
        totals: Counter[tuple[str, str, str]] = Counter()
        for entry in self.entries:
            totals[entry.action, entry.kind, entry.rule] += entry.count
        return [
            {"action": action, "kind": kind, "rule": rule, "count": count, "reason": self.reasons[rule]}
            for (action, kind, rule), count in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
        ]

    def by_rule(self) -> dict[str, int]:
        """Return how many things each rule withheld or cut, by rule in order."""
        totals: Counter[str] = Counter()
        for entry in self.entries:
            totals[entry.rule] += entry.count
        return dict(sorted(totals.items()))

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``gongctl mcp call --explain`` prints under ``disclosure``."""
        return {
            "withheld": self.summary(),
            "entries": [
                {
                    "action": e.action,
                    "kind": e.kind,
                    "rule": e.rule,
                    "place": "/" + "/".join(str(part) for part in e.place),
                    "start": e.start,
                    "length": e.length,
                    "count": e.count,
                }
                for e in self.entries
            ],
        }
