"""``gongctl evidence``: hold what was written against what was said. The work is in ``gongctl.evidence``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, heading, note, paragraph
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongctl.cli.restricted import sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.evidence.check import EvidenceReport, Finding

app = typer.Typer(
    help="Hold what was written about calls against what was said.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def evidence() -> None:
    """Hold what was written about calls against what was said."""


@app.command("check", cls=LightCommand, epilog=EPILOG)
@sensitive("what was said on calls and who said it")
@takes_policy
def check(
    flags: Mapping[str, Any],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Markdown, text or .docx.")],
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to look in.")],
    shortest: Annotated[
        int, typer.Option("--min-words", min=1, max=50, help="Quotations of fewer words are not looked up.")
    ] = 3,
    text: Annotated[bool, typer.Option("--text", help="Print for people instead of JSON.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (the default).")] = False,
) -> None:
    """Look up every quotation of FILE in the transcripts: verbatim, altered or not found, where and by whom.

    It says too whether the policy lets an agent see the words. Ends with 6 when a quotation is altered or was not
    found, with 4 when the cache is not ready.
    """
    from gongctl.evidence.check import check_files

    if text and as_json:
        fail("--text and --json exclude each other.", "JSON is the default.", Exit.USAGE)
    handler = open_handler(resolve(flags), db)
    if not handler.has_model():
        fail(
            "The cache has no complete read model for this policy.",
            "Run gongctl cache warm with the same settings.",
            Exit.CACHE,
        )
    report = check_files(files, db, handler, shortest=shortest)
    if text:
        _print(report)
    else:
        emit_json(report.as_json())
    if report.unsearched and report.count("not_found"):
        note(
            f"{counted(report.unsearched, 'transcript')} outside the policy could not be looked in; "
            "gongctl cache warm --operator-model makes them findable for this command."
        )
    raise SystemExit(int(Exit.OK if report.holds else Exit.LEAK))


def _print(report: EvidenceReport) -> None:
    for finding in report.findings:
        if finding.verdict != "short":
            _print_one(finding)
    altered, missing, short = (report.count(name) for name in ("altered", "not_found", "short"))
    heading(
        f"{counted(len(report.findings), 'quotation')}: {report.count('verbatim'):,} verbatim, {altered:,} altered, "
        f"{missing:,} not found, {short:,} too short to tell."
    )


def _print_one(finding: Finding) -> None:
    opened = " (not closed)" if finding.quotation.is_open else ""
    heading(f"{finding.file}:{finding.quotation.line}: {finding.verdict.replace('_', ' ').upper()}{opened}")
    paragraph(finding.quotation.text, indent="  > ")
    for place in (finding.place, finding.elsewhere):
        if place is not None:
            emit_text(f"  {place.speaker}, {place.call_date} at {place.at}, call {place.call_id} ({place.call_ref})")
    if finding.how:
        emit_text(f"  {finding.how}")
    for change in finding.changes:
        said, written = change.said or "nothing", change.written or "nothing"
        emit_text(f"  said: {said}\n  written: {written}")
    if finding.allowed is not None:
        emit_text("  the policy shows it" if finding.allowed else f"  not allowed: {finding.why}")
    emit_text("")
