"""What a look at one thing found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

Status = Literal["ok", "warn", "fail", "skip"]
STATUSES: Final[tuple[Status, ...]] = ("ok", "warn", "fail", "skip")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: the *area*, the *check*, its *status*, what was found and what to do about it.

    *message* holds figures, paths and names of settings, never text of calls.
    """

    area: str
    check: str
    status: Status
    message: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl doctor --json`` prints."""
        return asdict(self)
