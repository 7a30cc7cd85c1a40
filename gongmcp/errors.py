"""The closed list of error codes, shared by every door (MCP, CLI, TUI).

An error tells what was wrong, where, and what to do next. It never carries a value that
policy withholds, SQL, a path or a stack trace. ``docs/errors.md`` is generated from ``ERRORS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """Process exit codes, one table for every command."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    CACHE = 4
    DRIFT = 5
    LEAK = 6
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One row of the closed list: what it means, whether a retry can help, what to do, the exit code."""

    code: str
    meaning: str
    retryable: bool
    next: str
    exit: Exit


ERRORS: dict[str, ErrorCode] = {
    row.code: row
    for row in (
        ErrorCode(
            "invalid_argument",
            "An argument is missing, unknown, of the wrong type or outside its range.",
            False,
            "Correct the named argument and call again.",
            Exit.USAGE,
        ),
        ErrorCode(
            "invalid_cursor",
            "The cursor belongs to other arguments, another policy or an older state of the cache.",
            False,
            "Call again without the cursor.",
            Exit.USAGE,
        ),
        ErrorCode(
            "refused_by_policy",
            "The operator's policy does not allow this request.",
            False,
            "Ask the operator, or use a request that the hint names.",
            Exit.REFUSED,
        ),
        ErrorCode(
            "cache_not_ready",
            "The cache holds no serving read model for the active policy.",
            True,
            "The operator runs: gongctl cache warm --db PATH.",
            Exit.CACHE,
        ),
        ErrorCode(
            "profile_cache_stale",
            "The facts in the cache belong to another business profile than the active one.",
            True,
            "The operator runs: gongctl cache warm --db PATH.",
            Exit.CACHE,
        ),
        ErrorCode(
            "profile_missing",
            "The request needs a business profile and none is active.",
            False,
            "The operator imports one; until then use lifecycle_source=builtin.",
            Exit.FAILED,
        ),
        ErrorCode(
            "semantic_unavailable",
            "Search by meaning is not set up: the extra is not installed, or the calls have no vectors.",
            False,
            "Use mode=keyword; the operator runs: pip install 'gongctl[semantic]', then gongctl cache warm --semantic.",
            Exit.FAILED,
        ),
        ErrorCode(
            "evidence_budget_exhausted",
            "The client session has seen as much of these calls' transcripts as the policy allows.",
            False,
            "Ask about other calls; the operator may raise the evidence budget knowingly.",
            Exit.REFUSED,
        ),
        ErrorCode(
            "audit_unavailable",
            "The audit log cannot be written, and nothing leaves that it does not tell of.",
            True,
            "The operator mends the audit file; the log on stderr says what is wrong with it.",
            Exit.FAILED,
        ),
        ErrorCode(
            "internal_error",
            "Something unexpected happened; the log on stderr has the details under the reference.",
            True,
            "Give the reference to the operator.",
            Exit.FAILED,
        ),
    )
}


class ToolFault(Exception):
    """A tool error (``isError``): the request was invalid or unsafe, or the cache is not ready.

    *code* is a key of ``ERRORS``; *message* is one sentence without a withheld value; *hint* says
    what to do; *repair*, where there is one, says the same as an object. Raised by validation, gates
    and tools; turned into an ``Answer`` by the handler.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = ERRORS[code].code
        self.message = message
        self.hint = hint or ERRORS[code].next
        self.repair: dict[str, Any] | None = None


class Unavailable(Exception):
    """A recoverable snag (deadline, database busy): a normal result with ``status: unavailable``."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class UnknownTool(Exception):
    """The name does not exist or is not allowed; the two are told apart by nobody (-32602)."""


class UnknownResource(Exception):
    """The address names no resource, one that is not allowed, or nothing that was found; the three are told
    apart by nobody (-32602)."""


class UnknownPrompt(Exception):
    """The name of a prompt does not exist or is not allowed; the two are told apart by nobody (-32602)."""


class StartupRefusal(Exception):
    """The command refuses to start: one sentence, a hint, an exit code (usage or cache).

    *name* says which one it is, where it is one of the server's own (``gongmcp.refusals``).
    """

    def __init__(self, message: str, hint: str = "", exit_code: Exit = Exit.USAGE, name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
        self.name = name
