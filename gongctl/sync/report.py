"""What a step of sync did, as it is printed and kept in the log of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from gongctl.cache.upsert import ImportReport

Outcome = Literal["running", "done", "partial", "failed", "interrupted", "killed"]
"""Partial: it stopped before the end and a further run goes on, by a limit of pages or of the quota."""


@dataclass(slots=True)
class StepReport:
    """One step. Counts hold committed work only.

    *planned* and *finished* count what the step goes through: windows, calls to ask for, or listings. *restricted*
    counts calls that name a restricted customer, *withheld* other records that do; *notes* are sentences for the
    operator. *transcripts* counts the outcomes of asking for transcripts. *ends_run*: Gong would answer a further step
    as little as this one.
    """

    step: str
    question: str = ""
    outcome: Outcome = "running"
    reason: str = ""
    hint: str = ""
    from_at: str = ""
    to_at: str = ""
    planned: int = 0
    finished: int = 0
    unit: str = "pages"
    requests: int = 0
    pages: int = 0
    stored: ImportReport = field(default_factory=ImportReport)
    restricted: int = 0
    withheld: int = 0
    gone: int = 0
    transcripts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ends_run: bool = False
    seconds: float = 0.0

    @property
    def records(self) -> int:
        """How many records were stored, or were there already."""
        return self.stored.accepted

    @property
    def changed(self) -> int:
        """How many records the cache holds now that it did not, or held otherwise."""
        return sum(count.new + count.changed for count in self.stored.kinds.values())

    @property
    def ok(self) -> bool:
        """Whether the step did all that it was to do."""
        return self.outcome == "done" and not self.stored.rejected_count

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``--json`` prints for a step."""
        counts = self.stored.kinds.values()
        return {
            "step": self.step,
            "outcome": self.outcome,
            "reason": self.reason,
            "from": self.from_at,
            "to": self.to_at,
            "unit": self.unit,
            "planned": self.planned,
            "finished": self.finished,
            "requests": self.requests,
            "pages": self.pages,
            "records": {
                "new": sum(count.new for count in counts),
                "changed": sum(count.changed for count in counts),
                "unchanged": sum(count.unchanged for count in counts),
                "rejected": self.stored.rejected_count,
                "kept_out": self.stored.kept_out,
                "restricted_calls": self.restricted,
                "restricted_records": self.withheld,
                "gone_calls": self.gone,
            },
            "transcripts": dict(self.transcripts),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }
