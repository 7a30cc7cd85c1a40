"""The closed list of what goes wrong with a vCon tool, in the two shapes that its callers know."""

from __future__ import annotations

from typing import Any, Final

QUIET: Final = frozenset({"NOT_FOUND", "UNKNOWN_TOOL"})
"""Codes that say that something was looked for and is not there: no error of MCP."""

LEGACY: Final = ("VALIDATION_ERROR", "NOT_FOUND", "DATABASE_ERROR", "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED")
"""The codes of the older tools."""

_AS_LEGACY: Final = {
    "INVALID_ARGUMENT": "VALIDATION_ERROR",
    "INVALID_CURSOR": "VALIDATION_ERROR",
    "UNSUPPORTED_FILTER": "VALIDATION_ERROR",
    "RESPONSE_TOO_LARGE": "VALIDATION_ERROR",
    "CONFLICT": "VALIDATION_ERROR",
    "UNKNOWN_TOOL": "NOT_FOUND",
    "PROVIDER_UNAVAILABLE": "DATABASE_ERROR",
    "FETCH_FAILED": "DATABASE_ERROR",
    "SEARCH_FAILED": "DATABASE_ERROR",
    "AGGREGATE_FAILED": "DATABASE_ERROR",
    "SHAPE_GRAPH_FAILED": "DATABASE_ERROR",
}

CODES: Final = frozenset(_AS_LEGACY) | frozenset(LEGACY) - {"VALIDATION_ERROR"}
"""Every code that a fault may carry; the older tools show it as one of ``LEGACY`` with the code as the reason."""


class VconFault(Exception):
    """A vCon tool cannot answer. *code* is one of ``CODES``; *message* is one sentence that quotes no value of the
    data; *details* are further keys of the error."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        if code not in CODES:
            raise ValueError(code)
        self.code = code
        self.message = message
        self.details = details

    def contract(self) -> dict[str, Any]:
        """Return it as the contract tools answer it."""
        return {"ok": False, "error": {"code": self.code, "message": self.message, **self.details}}

    def legacy(self) -> dict[str, Any]:
        """Return it as the older tools answer it."""
        code = _AS_LEGACY.get(self.code, self.code)
        details = dict(self.details) | ({"reason": self.code} if code != self.code else {})
        return {"success": False, "error": self.message, "code": code} | ({"details": details} if details else {})
