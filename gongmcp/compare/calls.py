"""One call under several presets: what each would see of the same question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.errors import UnknownTool
from gongmcp.handler import ToolHandler


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call would give under one preset; *offered* is False where the tool does not exist there.

    *status* is that of the answer, or ``error``; *error* then is its code. *shown* are the columns that
    the answer holds, *withheld* those that policy or a flag that was not given keeps back.
    """

    preset: str
    offered: bool
    status: str = ""
    error: str = ""
    shown: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    rows: int = 0
    bytes: int = 0
    tokens: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "preset": self.preset,
            "offered": self.offered,
            "status": self.status,
            "error": self.error,
            "columns_shown": list(self.shown),
            "columns_withheld": list(self.withheld),
            "rows": self.rows,
            "bytes": self.bytes,
            "tokens_estimate": self.tokens,
        }


def seen_under(handler: ToolHandler, preset: str, name: str, arguments: Mapping[str, Any]) -> Seen:
    """Run the call as a client of a server with *preset* would, by *handler*'s cache and other settings.

    Raises ``StartupRefusal`` for an unknown preset.
    """
    under = handler.with_policy(preset=preset)
    canonical = under.policy.preset or preset
    try:
        outcome = under.call(name, arguments)
    except UnknownTool:
        return Seen(canonical, False)
    answer = outcome.answer
    structured = answer.structured or {}
    return Seen(
        canonical,
        True,
        status="error" if answer.is_error else str(structured.get("status", "")),
        error=str(answer.error["code"]) if answer.error else "",
        shown=tuple(dict.fromkeys(_columns(structured))),
        withheld=tuple(structured.get("withheld_fields", ())),
        rows=outcome.rows,
        bytes=outcome.bytes,
        tokens=outcome.tokens,
    )


def _columns(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each leaf: ``results[].snippet``."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _columns(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for item in value:
            yield from _columns(item, f"{path}[]")
    else:
        yield path
