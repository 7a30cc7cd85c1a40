"""``Answer``: what goes on the wire, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gongmcp.errors import ToolFault


@dataclass(frozen=True, slots=True)
class Answer:
    """Formatted text, typed structure, error flag of one call.

    *structured* is None for tool errors, whose ``{"code", "message", "hint"}`` is in *error*
    (sent as ``_meta["gongctl/error"]``); one of the facade has ``repair`` too, what would do instead.
    There is no room here for a ledger.
    """

    text: str
    structured: dict[str, Any] | None
    is_error: bool = False
    error: dict[str, Any] | None = None


def error_answer(fault: ToolFault) -> Answer:
    """Return what a client receives of a tool error."""
    text = " ".join(part for part in (f"{fault.code}: {fault.message}", fault.hint) if part)
    error: dict[str, Any] = {"code": fault.code, "message": fault.message, "hint": fault.hint}
    if fault.repair is not None:
        error["repair"] = fault.repair
    return Answer(text, None, is_error=True, error=error)
