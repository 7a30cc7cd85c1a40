"""Answers of tools as tables with bars, for people; as JSON it is the answer itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from gongctl.cli.cohort_options import in_options
from gongctl.cli.output import DEBUG_HINT, emit_json, emit_text, fail, literal, note, paragraph, table
from gongctl.cli.policy_options import open_handler, resolve
from gongmcp.errors import ERRORS, Exit, UnknownTool

BAR: Final = 24
"""Cells of the longest bar."""

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def ask(flags: Mapping[str, Any], db: str | None, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the structured answer of *tool* under the policy of *flags*; an error ends the command with its code.

    Raises:
        StartupRefusal: the settings or the cache cannot be used.
    """
    if not db:
        fail("Name a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    handler = open_handler(resolve(flags), Path(db))
    try:
        outcome = handler.call(tool, arguments)
    except UnknownTool:
        fail(f"This policy does not offer the tool {tool}.", "Choose another preset or allowlist.", Exit.REFUSED)
    error = outcome.answer.error
    if error is not None:
        hint = DEBUG_HINT if error["code"] == "internal_error" else str(error["hint"])
        fail(f"{error['code']}: {in_options(str(error['message']))}", in_options(hint), ERRORS[error["code"]].exit)
    answer = outcome.answer.structured or {}
    if answer.get("status") == "unavailable":
        fail(str(answer.get("message", "The cache did not answer.")), str(answer.get("hint", "")), Exit.FAILED)
    return answer


def bar(value: float, most: float) -> str:
    """Return *value* as a bar, *most* being the longest."""
    eighths = round(8 * BAR * value / most) if most > 0 else 0
    whole, rest = divmod(max(eighths, 1 if value > 0 else 0), 8)
    return "█" * whole + _EIGHTHS[rest].strip()


def print_rows(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], *, drawn: str | None = None, most: float = 0.0
) -> None:
    """Print *rows* with those of *columns* (name in the answer: heading) that any row has, and a bar of *drawn*.

    *most* is the value of the longest bar, the largest one where it is 0.
    """
    shown = {name: title for name, title in columns.items() if any(name in row for row in rows)}
    most = most or max((float(row.get(drawn) or 0) for row in rows), default=0.0) if drawn else 0.0
    table(
        [*shown.values(), *([""] if drawn else [])],
        [
            [*(cell(row.get(name)) for name in shown), *([bar(float(row.get(drawn) or 0), most)] if drawn else [])]
            for row in rows
        ],
    )


def cell(value: Any) -> str:
    """Return a value as a cell of a table; shares, which are fractions, keep their digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return " … ".join(map(cell, value))
    return str(value)


def print_scope(answer: Mapping[str, Any]) -> None:
    """Print which calls were asked about and as of when."""
    chosen = "; ".join(answer.get("normalized_filter") or ()) or "all calls"
    stale = ", stale" if answer.get("freshness") == "stale" else ""
    paragraph(f"{literal(chosen)} (as of {answer['as_of']}{stale})")


def print_rest(answer: Mapping[str, Any]) -> None:
    """Print the limitations of *answer*, that more rows exist, and what policy withheld."""
    for line in answer.get("limitations") or ():
        paragraph(f"! {line}")
    if answer.get("capped") or answer.get("truncated"):
        note("More rows exist: raise --limit, or choose fewer calls.")
    if answer.get("withheld_fields"):
        note(f"Withheld by policy: {', '.join(answer['withheld_fields'])}.")


def finish(answer: Mapping[str, Any], *, as_json: bool) -> None:
    """Print *answer* as JSON and end, where that was asked for."""
    if as_json:
        emit_json(answer)
        raise SystemExit(int(Exit.OK))


def nothing(what: str) -> NoReturn:
    """Say that there is nothing, and end well."""
    emit_text(what)
    raise SystemExit(int(Exit.OK))
