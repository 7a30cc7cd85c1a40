"""An outcome for the operator: what the agent receives, what was withheld and why, how large it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gongctl.cli.output import emit_text, heading, paragraph, table

if TYPE_CHECKING:
    from gongmcp.handler import Outcome

_ACTIONS = {
    "omitted": "left out",
    "redacted": "masked",
    "removed": "characters removed",
    "cut": "shortened",
    "capped": "rows held back",
}


def explain_object(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form of *outcome*: result, text, is_error, disclosure and size.

    A tool error has no result; what it says is then under ``error`` too.
    """
    answer = outcome.answer
    explained: dict[str, Any] = {
        "result": answer.structured,
        "text": answer.text,
        "is_error": answer.is_error,
        "disclosure": outcome.ledger.as_dict(),
        "size": {"bytes": outcome.bytes, "tokens_estimate": outcome.tokens},
    }
    if answer.error is not None:
        explained["error"] = answer.error
    return explained


def explain_text(outcome: Outcome, outside: str = "") -> None:
    """Print *outcome* for people, in three parts; *outside* says which calls governance took from every answer."""
    heading("What the agent receives")
    emit_text(outcome.answer.text, allowed="\n\t")
    emit_text("")
    heading("What was withheld and why")
    withheld_table(outcome)
    if outside:
        paragraph(outside)
    emit_text("")
    heading("Size")
    paragraph(size_line(outcome))


def withheld_table(outcome: Outcome) -> None:
    """Print one line for each thing withheld: how many, what, what was done, why, by which rule."""
    rows = outcome.ledger.summary()
    if not rows:
        emit_text("Nothing.")
        return
    table(
        ["count", "what", "done", "why", "rule"],
        [
            [
                f"{row['count']:,}" + ("+" if row["action"] == "capped" else ""),  # nobody counts rows not read
                str(row["kind"]).replace("_", " "),
                _ACTIONS.get(row["action"], row["action"]),
                row["reason"],
                row["rule"],
            ]
            for row in rows
        ],
    )


def size_line(outcome: Outcome) -> str:
    """Return the size of the answer in words, its estimator named."""
    from gongmcp.render.size import ESTIMATOR

    rows = f"{outcome.rows:,} row{'' if outcome.rows == 1 else 's'}, "
    return f"{rows}{outcome.bytes:,} bytes on the wire, about {outcome.tokens:,} tokens. Estimator: {ESTIMATOR}."
