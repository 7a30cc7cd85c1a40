"""Who asked what, what was withheld by which rule, what was slow, what was refused: an audit log in figures."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from gongmcp.audit.record import AuditRecord

SLOWEST: Final = 10


@dataclass(frozen=True, slots=True, order=True)
class Reader:
    """Who asked: the label of the token ('' = none), the client as it names itself, the transport."""

    token: str
    client: str
    transport: str

    @classmethod
    def of(cls, record: AuditRecord) -> Reader:
        """Return who sent the request of *record*."""
        return cls(record.token, record.client, record.transport)

    def as_json(self) -> dict[str, str]:
        """Return the form of the reports."""
        return {"token": self.token, "client": self.client, "transport": self.transport}


@dataclass(slots=True)
class Asked:
    """What one reader asked of one tool (or another thing: *name*), in figures; *calls* are different ones."""

    requests: int = 0
    refused: int = 0
    rows: int = 0
    bytes: int = 0
    segments: int = 0
    calls: set[str] = field(default_factory=set)

    def add(self, record: AuditRecord) -> None:
        """Count *record*."""
        self.requests += record.count
        self.refused += record.count if record.refused else 0
        self.rows += record.rows
        self.bytes += record.bytes
        self.segments += sum(call.segments for call in record.calls)
        self.calls |= {call.call for call in record.calls}

    def as_json(self) -> dict[str, int]:
        """Return the form of the report."""
        return {
            "requests": self.requests,
            "refused": self.refused,
            "rows": self.rows,
            "bytes": self.bytes,
            "segments": self.segments,
            "calls": len(self.calls),
        }


@dataclass(slots=True)
class Report:
    """The figures of a log. *withheld* counts things by rule, *withheld_in* the answers that it was in."""

    first: str = ""
    last: str = ""
    total: Asked = field(default_factory=Asked)
    asked: dict[tuple[Reader, str], Asked] = field(default_factory=dict)
    withheld: Counter[str] = field(default_factory=Counter)
    withheld_in: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, Reader, str]] = field(default_factory=Counter)
    policies: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: list[AuditRecord] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the form of ``gongctl audit report --json``."""
        return {
            "first": self.first,
            "last": self.last,
            "total": self.total.as_json(),
            "asked": [
                reader.as_json() | {"name": name} | asked.as_json()
                for (reader, name), asked in sorted(
                    self.asked.items(), key=lambda item: (-item[1].requests, item[0][1], item[0][0])
                )
            ],
            "withheld": [
                {"rule": rule, "things": count, "answers": self.withheld_in[rule]}
                for rule, count in sorted(self.withheld.items(), key=lambda item: (-item[1], item[0]))
            ],
            "refused": [
                {"outcome": outcome} | reader.as_json() | {"name": name, "requests": count}
                for (outcome, reader, name), count in sorted(self.refused.items(), key=lambda item: (-item[1], item[0]))
            ],
            "policies": [
                {"policy": policy, "preset": preset, "requests": count}
                for (policy, preset), count in sorted(self.policies.items(), key=lambda item: (-item[1], item[0]))
            ],
            "slowest": [
                {"time": record.time, "ms": record.ms}
                | Reader.of(record).as_json()
                | {"name": name_of(record), "outcome": record.outcome, "rows": record.rows}
                for record in self.slowest
            ],
        }


def report(records: Iterable[AuditRecord]) -> Report:
    """Return the figures of *records*."""
    out = Report()
    slow: list[tuple[float, int, AuditRecord]] = []
    for number, record in enumerate(records):
        out.first = min(out.first or record.time, record.time)
        out.last = max(out.last, record.time)
        out.total.add(record)
        reader, name = Reader.of(record), name_of(record)
        out.asked.setdefault((reader, name), Asked()).add(record)
        out.withheld.update(record.withheld)
        out.withheld_in.update(record.withheld.keys())
        if record.refused:
            out.refused[record.outcome, reader, name] += record.count
        if record.policy:
            out.policies[record.policy, record.preset] += record.count
        if record.method:
            # The number keeps records of the same time apart: they have no order of their own.
            item = (record.ms, -number, record)
            if len(slow) < SLOWEST:
                heapq.heappush(slow, item)
            else:
                heapq.heappushpop(slow, item)
    out.slowest = [record for _, _, record in sorted(slow, key=lambda item: item[:2], reverse=True)]
    return out


def name_of(record: AuditRecord) -> str:
    """Return what was asked for as reports name it: the tool alone, anything else with its method."""
    if record.method == "tools/call":
        return record.tool or "(unknown tool)"
    if not record.method:
        return "(HTTP door)"
    return f"{record.method} {record.tool}".rstrip()
