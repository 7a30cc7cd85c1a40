"""Recorded requests run again under another policy: what would change, in figures.

Compared is what the log says of each answer with what the handler gives now. Where the read model has changed since, a
difference may come from the data; those requests are counted. A page behind a cursor is left out: a cursor belongs to
the policy that made it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gongctl.audit.report import Reader
from gongmcp.audit.record import AuditRecord
from gongmcp.audit.sealing import ArgumentSeal, OtherKey
from gongmcp.errors import UnknownTool
from gongmcp.exposure.evidence import EvidenceSession

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler

MakeHandler = Callable[[EvidenceSession], "ToolHandler"]


@dataclass(frozen=True, slots=True)
class Figures:
    """An answer in figures; *withheld* by rule."""

    outcome: str
    rows: int = 0
    bytes: int = 0
    withheld: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the form of the report."""
        return {
            "outcome": self.outcome,
            "rows": self.rows,
            "bytes": self.bytes,
            "withheld": dict(sorted(self.withheld.items())),
        }


@dataclass(frozen=True, slots=True)
class Replayed:
    """One request, *then* and *now*. *same_data* is False when another read model answered."""

    time: str
    reader: Reader
    tool: str
    arguments: Mapping[str, Any]
    then: Figures
    now: Figures
    same_data: bool

    @property
    def changed(self) -> bool:
        """Whether anything is told apart."""
        return self.then != self.now

    def as_json(self, *, arguments: bool) -> dict[str, Any]:
        """Return the form of the report; with *arguments* also what was asked."""
        return {
            "time": self.time,
            **self.reader.as_json(),
            "tool": self.tool,
            **({"arguments": self.arguments} if arguments else {}),
            "then": self.then.as_json(),
            "now": self.now.as_json(),
            "same_data": self.same_data,
        }


@dataclass(slots=True)
class Replay:
    """What a replay found. *skipped* counts requests that were not run, by reason."""

    policy: str = ""
    requests: list[Replayed] = field(default_factory=list)
    policies: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def changed(self) -> list[Replayed]:
        """The requests whose answer would differ."""
        return [one for one in self.requests if one.changed]

    def as_json(self, *, arguments: bool) -> dict[str, Any]:
        """Return the form of ``gongctl mcp replay --json``."""
        before: Counter[str] = Counter()
        after: Counter[str] = Counter()
        for one in self.requests:
            before.update(one.then.withheld)
            after.update(one.now.withheld)
        return {
            "policy": self.policy,
            "recorded_policies": dict(sorted(self.policies.items())),
            "replayed": len(self.requests),
            "changed": len(self.changed),
            "other_data": sum(not one.same_data for one in self.requests),
            "skipped": dict(sorted(self.skipped.items())),
            "rows": {
                "then": sum(one.then.rows for one in self.requests),
                "now": sum(one.now.rows for one in self.requests),
            },
            "bytes": {
                "then": sum(one.then.bytes for one in self.requests),
                "now": sum(one.now.bytes for one in self.requests),
            },
            "withheld": {rule: {"then": before[rule], "now": after[rule]} for rule in sorted(before | after)},
            "requests": [one.as_json(arguments=arguments) for one in self.changed],
        }


def replay(records: Iterable[AuditRecord], seal: ArgumentSeal, make_handler: MakeHandler) -> Replay:
    """Run the tool calls of *records* whose arguments *seal* opens, each session in its order under one budget."""
    out = Replay()
    sessions: dict[tuple[str, str], list[tuple[int, AuditRecord, Mapping[str, Any]]]] = {}
    for number, record in enumerate(records):
        if record.method != "tools/call":
            continue
        arguments, reason = _opened(record, seal)
        if reason:
            out.skipped[reason] += 1
            continue
        # Over HTTP a token has a budget for each day, over a pipe a process has one.
        whose = (record.session, record.time[:10] if record.transport == "http" else "")
        sessions.setdefault(whose, []).append((number, record, arguments))
    found = []
    for asked in sessions.values():
        handler = make_handler(EvidenceSession())
        out.policy = handler.policy.digest()
        found += [(number, _again(handler, record, arguments)) for number, record, arguments in asked]
        out.policies.update(record.policy for _, record, _ in asked)
        handler.close()
    out.requests = [one for _, one in sorted(found, key=lambda item: item[0])]
    return out


def _opened(record: AuditRecord, seal: ArgumentSeal) -> tuple[Mapping[str, Any], str]:
    """Return the arguments of a tool call, or why it is not run."""
    if not record.tool:
        return {}, "unknown_tool"
    if not record.sealed:
        return {}, "no_arguments"
    try:
        arguments = json.loads(seal.open(record.sealed, record.tool, record.arguments))
    except (OtherKey, ValueError):
        return {}, "other_key"
    return arguments, "later_page" if "cursor" in arguments else ""


def _again(handler: ToolHandler, record: AuditRecord, arguments: Mapping[str, Any]) -> Replayed:
    now, generation = _figures(handler, record.tool, arguments)
    return Replayed(
        record.time,
        Reader.of(record),
        record.tool,
        arguments,
        Figures(record.outcome, record.rows, record.bytes, record.withheld),
        now,
        not generation or not record.generation or generation == record.generation,
    )


def _figures(handler: ToolHandler, tool: str, arguments: Mapping[str, Any]) -> tuple[Figures, int]:
    """Return the answer of now, and the read model's generation that gave it (0 = none did)."""
    try:
        outcome = handler.call(tool, arguments)
    except UnknownTool:
        return Figures("unknown_tool"), 0
    generation = outcome.model.generation if outcome.model is not None else 0
    return Figures(outcome.code, outcome.rows, outcome.bytes, outcome.ledger.by_rule()), generation
