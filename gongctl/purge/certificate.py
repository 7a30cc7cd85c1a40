"""The paper of a purge: how much went and on what grounds, what was checked, and what to delete elsewhere.

It names counts, not people: no id, title, address or name of what was removed, nor of what was asked for.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gongctl.purge.policy import Approval, PurgePolicy
from gongctl.purge.reclaim import Reclaimed
from gongctl.purge.remove import Removed
from gongctl.purge.select import Criteria, Selection
from gongmcp import __version__

ELSEWHERE: Final = (
    ("source files", "files that were imported: Gong's answers as JSON, dumps of other programs"),
    ("backups", "copies made by gongctl cache backup, and those of the disk or the machine"),
    ("exports", "caches made by gongctl governance export-filtered-db"),
    ("answers", "output of gongctl mcp call that was kept, reviews, cases of policy tests"),
    ("agents", "conversations that MCP clients keep of answers that they were given"),
    ("Gong", "the recording itself and what other programs fetched of it"),
)
"""What a purge cannot reach, and a person has to look after."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that this cache knows to have been made of it: *kind*, *path* and time."""

    kind: str
    path: str
    at: str


@dataclass(slots=True)
class Certificate:
    """What is known of one purge, planned (*executed* False) or done."""

    criteria: Criteria
    selection: Selection
    removed: Removed
    at: str
    executed: bool = False
    interrupted: bool = False
    policy: PurgePolicy | None = None
    reclaimed: Reclaimed | None = None
    tombstones: int = 0
    rows_left: int | None = None
    audit_records: int = 0
    operator_model_removed: bool = False
    profiles_quoting: list[str] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing of what was removed is left in the file, its indexes and its log."""
        if self.reclaimed is None:
            return self.executed and not self.interrupted and not self.selection.call_ids
        return self.rows_left == 0 and not self.reclaimed.left_in_log

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl cache purge --json`` prints."""
        return {
            "version": 1,
            "program": f"gongctl {__version__}",
            "at": self.at,
            "executed": self.executed,
            "interrupted": self.interrupted,
            "selection": {
                "by": self.criteria.by,
                "before": self.criteria.cutoff.isoformat() if self.criteria.cutoff else None,
                "values_given": self.criteria.values,
                "not_in_the_cache": len(self.selection.unknown),
                "calls_alike": self.selection.alike,
            },
            "policy": _policy(self.policy),
            "held": self.selection.held,
            "held_not_in_the_cache": self.selection.held_unknown,
            "removed" if self.executed else "to_remove": self.removed.as_json(),
            "months": [{"month": month, "calls": calls} for month, calls in sorted(self.selection.months.items())],
            "tombstones": self.tombstones,
            "audit_arguments": self.audit_records,
            "operator_model_removed": self.operator_model_removed,
            "checked": None
            if not self.executed
            else {
                "clean": self.clean,
                "rows_left": self.rows_left,
                "indexes_merged": self.reclaimed is not None,
                "file_written_anew": self.reclaimed is not None,
                "left_in_log": self.reclaimed.left_in_log if self.reclaimed is not None else None,
                "bytes_before": self.reclaimed.bytes_before if self.reclaimed is not None else None,
                "bytes_after": self.reclaimed.bytes_after if self.reclaimed is not None else None,
            },
            "still_here": {"profiles_quoting": self.profiles_quoting, "user_records": self.selection.users},
            "elsewhere": {
                "known_copies": [{"kind": copy.kind, "path": copy.path, "at": copy.at} for copy in self.copies],
                "to_look_for": [{"kind": kind, "what": what} for kind, what in ELSEWHERE],
            },
        }

    def lines(self) -> list[str]:
        """Return the certificate as lines of text."""
        verb = "Removed" if self.executed else "Would remove"
        out = [f"{'Certificate of purge' if self.executed else 'Plan of a purge: nothing was changed'} ({self.at})", ""]
        out.append(f"Asked for: {self._asked()}")
        if self.policy is not None:
            out += _approval_lines(self.policy)
        out.append(f"{verb}: " + _sentence(self.removed.as_json()))
        if self.selection.held:
            out.append(f"Kept by a legal hold: {self.selection.held:,} calls that match.")
        if self.selection.held_unknown:
            out.append(
                f"Legal hold: {self.selection.held_unknown:,} of its calls are not in the cache; is an id misspelt?"
            )
        if self.selection.unknown:
            out.append(
                f"Not in the cache: {len(self.selection.unknown):,} of the ids given; they are kept out as well."
            )
        if self.selection.alike:
            out.append(
                f"Not taken: {self.selection.alike:,} calls of an account whose name holds a given name and is another."
            )
        if self.audit_records:
            done = "were" if self.executed else "would be"
            out.append(f"Audit: the arguments kept of {self.audit_records:,} requests {done} cleared.")
        if self.operator_model_removed:
            done = "was removed" if self.executed else "would be removed"
            out.append(f"The operator's model beside the cache {done}; cache warm --operator-model makes it anew.")
        if self.selection.months:
            months = ", ".join(f"{month}: {calls:,}" for month, calls in sorted(self.selection.months.items()))
            out.append(f"By month: {months}")
        if self.executed:
            out += self._checked_lines()
        if self.profiles_quoting:
            out.append(
                f"Still here: business profiles that quote such CRM values as evidence: "
                f"{', '.join(self.profiles_quoting)}. Import them again without."
            )
        if self.selection.users:
            out.append(f"Still here: the records of {self.selection.users:,} users of Gong who have such an address.")
        if not self.selection.call_ids:
            return out
        out += ["", "To be deleted elsewhere, by hand:"]
        out += [f"  {copy.kind} of {copy.at}: {copy.path}" for copy in self.copies]
        out += [f"  {kind}: {what}" for kind, what in ELSEWHERE]
        return out

    def _asked(self) -> str:
        criteria = self.criteria
        if criteria.by == "age":
            return f"calls that began before {criteria.cutoff} 00:00 UTC."
        word = {"call": "call", "participant": "participant", "account": "account"}[criteria.by]
        return f"{criteria.values:,} {word}{'s' if criteria.values != 1 else ''}."

    def _checked_lines(self) -> list[str]:
        if self.reclaimed is None and self.clean:
            return []
        if self.reclaimed is None:
            return ["Not finished: indexes and free space may still hold what was removed. Run the same command again."]
        out = [
            f"Checked: {self.rows_left:,} rows speak of these calls; indexes are merged, the file was written anew: "
            f"{self.reclaimed.bytes_before / 1e6:,.1f} MB before, {self.reclaimed.bytes_after / 1e6:,.1f} MB now."
        ]
        if self.reclaimed.left_in_log:
            out.append(
                "Not finished: a reader held the write-ahead log, which may hold what was removed. "
                "Run the same command again when the server is stopped or idle."
            )
        out.append("Keyed tombstones keep sync and import from storing these calls again.")
        return out


def _policy(policy: PurgePolicy | None) -> dict[str, Any] | None:
    if policy is None:
        return None
    approval = policy.approval
    return {
        "sha256": policy.sha256,
        "reference": approval.reference,
        "approved_by": approval.approved_by,
        "approved_at": approval.approved_at.isoformat() if approval.approved_at else None,
        "data_owner": approval.data_owner,
        "backup_reference": approval.backup_reference,
        "legal_hold_reviewed": approval.legal_hold_reviewed,
    }


def _approval_lines(policy: PurgePolicy) -> list[str]:
    approval: Approval = policy.approval
    missing = approval.missing(dt.date.max)
    said = (
        f"Approved: {approval.reference}, by {approval.approved_by} on {approval.approved_at}, owner "
        f"{approval.data_owner}, backup {approval.backup_reference}, legal hold reviewed."
        if not missing
        else f"Not approved yet: {', '.join(missing)} of the file's approval."
    )
    return [f"Policy file: sha256 {policy.sha256[:16]}...", said]


def _sentence(counts: Mapping[str, int]) -> str:
    said = [f"{count:,} {name.replace('_', ' ').replace('crm', 'CRM')}" for name, count in counts.items() if count]
    return (", ".join(said) or "nothing") + "."
