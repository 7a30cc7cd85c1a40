"""Blocks of ``docs/errors.md``: the closed lists of error codes and of refusals to start, and the exit codes."""

from __future__ import annotations

from docgen.markdown import cell, code, codes, table
from gongmcp.errors import ERRORS, Exit
from gongmcp.refusals import REFUSALS

_MEANINGS = {
    Exit.OK: "Success. An answer `not_found` or `unavailable` is one too.",
    Exit.FAILED: "The tool or the operation reported an error.",
    Exit.USAGE: "Wrong usage, or invalid arguments or settings.",
    Exit.REFUSED: "Refused by policy.",
    Exit.CACHE: "The cache is missing, stale, damaged or of another version.",
    Exit.DRIFT: "An agent could now ask for or receive more than in the saved list (`gongctl mcp tools --diff`) or "
    "than was approved (`gongctl mcp drift`, `gongmcp --lock`).",
    Exit.LEAK: "Something left that must not: `gongctl governance verify`, `gongctl redteam`.",
    Exit.INTERRUPTED: "Interrupted with Ctrl-C.",
}


def errors() -> str:
    """Return the table of error codes."""
    rows = [
        [
            code(error.code),
            cell(error.meaning),
            "yes" if error.retryable else "no",
            cell(error.next),
            str(int(error.exit)),
        ]
        for error in ERRORS.values()
    ]
    return table(["Code", "Meaning", "Can a retry help", "What to do", "Exit code of `gongctl mcp call`"], rows)


def exit_codes() -> str:
    """Return the table of exit codes."""
    rows = [
        [str(int(exit_code)), _MEANINGS[exit_code], codes(e.code for e in ERRORS.values() if e.exit is exit_code)]
        for exit_code in Exit
    ]
    return table(["Exit code", "Meaning", "Error codes"], rows)


def refusals() -> str:
    """Return the table of refusals to start; words in braces are filled in when one is given."""
    rows = [
        [code(name), cell(refusal.message), cell(refusal.hint) or "–", str(int(refusal.exit))]
        for name, refusal in REFUSALS.items()
    ]
    return table(["Name", "Sentence", "Hint", "Exit code"], rows)
