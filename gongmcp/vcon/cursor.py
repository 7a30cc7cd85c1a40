"""Cursors of vCon tools: sealed, and good for one question only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import CursorSealer, Position
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.scope import Scope

_FREE: Final = frozenset({"cursor", "limit", "max_response_bytes", "include"})
"""Arguments that may be others on the next page."""


def binding(scope: Scope, tool: str, arguments: Mapping[str, Any], *, ranked: bool) -> dict[str, Any]:
    """Return what a cursor belongs to. *ranked* = its order depends on the whole corpus, so on one state of it."""
    kept = {name: value for name, value in arguments.items() if name not in _FREE}
    bound = {"tool": tool, "arguments": kept, "policy": scope.policy.digest(), "verbatim": scope.verbatim}
    return bound | ({"generation": scope.generation} if ranked else {})


def sealed(scope: Scope, key: tuple[Any, ...], bound: dict[str, Any]) -> str:
    """Return the cursor behind the row of *key*."""
    return CursorSealer(scope.secret).seal(Position(key), bound)


def opened(scope: Scope, cursor: str | None, bound: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return the key in *cursor*, None without one.

    Raises:
        VconFault: ``INVALID_CURSOR``: it belongs to another question, or to none.
    """
    if not cursor:
        return None
    try:
        return CursorSealer(scope.secret).open(cursor, bound).after
    except ToolFault:
        raise VconFault(
            "INVALID_CURSOR",
            "The cursor belongs to another query, another policy or an older state; start again without it.",
        ) from None
