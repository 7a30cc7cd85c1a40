"""An outcome for the operator: what the agent receives, what was withheld and why, how large it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gongctl.cli.output import emit_text, heading, paragraph, table

if TYPE_CHECKING:
    from gongmcp.handler import Outcome
    from gongmcp.preview.model import Preview, Size

_ACTIONS = {
    "omitted": "left out",
    "redacted": "masked",
    "removed": "characters removed",
    "cut": "shortened",
    "capped": "rows held back",
}

_LENSES = {"content": "the text", "structured": "the structure", "both": "both"}


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


def preview_text(made: Preview, outside: str = "") -> None:
    """Print *made* for people and screen readers: the panes of the review, one after the other in reading order."""
    from gongmcp.preview.lens import TOKENS_BY, disagreements

    outcome = made.outcome
    heading("What the agent receives")
    emit_text(outcome.answer.text, allowed="\n\t")
    emit_text("")
    heading("What was withheld and why")
    withheld_table(outcome, {span.rule: span.layer for span in made.spans if span.rule})
    if outside:
        paragraph(outside)
    emit_text("")
    heading("Gates")
    table(
        ["gate", "passed", "found"],
        [[gate.name, "yes" if gate.passed else "NO", gate.detail] for gate in made.gates],
    )
    apart = disagreements(made)
    if apart:
        paragraph(f"Text and structure tell {len(apart):,} things apart: what a model sees depends on its host.")
    emit_text("")
    heading("Settings in force")
    table(["setting", "value", "from"], [[item.name, item.value, item.layer] for item in made.settings])
    emit_text("")
    heading("Size")
    paragraph(size_line(outcome))
    table(
        ["a host that forwards", "bytes", "characters", "tokens"],
        [
            [
                _LENSES[lens.value],
                f"{size.bytes:,}",
                f"{size.characters:,}",
                f"{size.tokens_low:,}-{size.tokens_high:,}",
            ]
            for lens, size in made.sizes.items()
            if lens.value in _LENSES
        ],
    )
    paragraph(f"Ranges: {TOKENS_BY}.")
    fresh = made.freshness
    paragraph(f"Read model: {fresh['freshness']}, as of {fresh['as_of'] or 'never'}. Digest: {made.digest}")


def _figures(size: Size) -> list[str]:
    return [f"{size.bytes:,}", f"{size.characters:,}", f"{size.tokens_low:,}-{size.tokens_high:,}"]


def withheld_table(outcome: Outcome, layers: Mapping[str, str] | None = None) -> None:
    """Print one line for each thing withheld: how many, what, what was done, why, by which rule.

    *layers* tell by rule which layer of the settings decided; None = that is not said.
    """
    rows = outcome.ledger.summary()
    if not rows:
        emit_text("Nothing.")
        return
    table(
        ["count", "what", "done", "why", "rule", *([] if layers is None else ["from"])],
        [
            [
                f"{row['count']:,}" + ("+" if row["action"] == "capped" else ""),  # nobody counts rows not read
                str(row["kind"]).replace("_", " "),
                _ACTIONS.get(row["action"], row["action"]),
                row["reason"],
                row["rule"],
                *([] if layers is None else [layers.get(row["rule"], "")]),
            ]
            for row in rows
        ],
    )


def size_line(outcome: Outcome) -> str:
    """Return the size of the answer in words, its estimator named."""
    from gongmcp.render.size import ESTIMATOR

    rows = f"{outcome.rows:,} row{'' if outcome.rows == 1 else 's'}, "
    return f"{rows}{outcome.bytes:,} bytes on the wire, about {outcome.tokens:,} tokens. Estimator: {ESTIMATOR}."
