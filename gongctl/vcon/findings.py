"""What is found out about a vCon: a stable code, the place, a sentence without any value of the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: *path* is a JSON pointer into the vCon ('' = the whole)."""

    code: str
    path: str
    message: str
    severity: Severity = "error"

    def as_dict(self) -> dict[str, str]:
        """Return it as JSON has it."""
        return {"code": self.code, "path": self.path, "message": self.message, "severity": self.severity}


class VconRefused(Exception):
    """A vCon, or an edit of one, cannot be taken.

    *code* is one of the codes of findings or ``VC_NOT_FOUND``, ``VC_CONFLICT``, ``VC_CONFIRM``, ``VC_ARGUMENT``;
    *findings* are what is wrong with the vCon, if that is why.
    """

    def __init__(self, code: str, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.findings = tuple(findings)


def pointer(*steps: Any) -> str:
    """Return the JSON pointer (RFC 6901) of *steps*."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return those of *findings* that are errors."""
    return [finding for finding in findings if finding.severity == "error"]
