"""``Answer``: what goes on the wire, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """Formatted text, typed structure, error flag of one call.

    *structured* is None for tool errors, whose ``{"code", "message", "hint"}`` is in *error*
    (sent as ``_meta["gongctl/error"]``). There is no room here for a ledger.
    """

    text: str
    structured: dict[str, Any] | None
    is_error: bool = False
    error: dict[str, Any] | None = None
