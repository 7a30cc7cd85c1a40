"""``gongctl search``: what was said, and which calls there are, as agents are told it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from gongctl.cli.analyze_cmd import Db, Json, Limit
from gongctl.cli.cohort_options import takes_cohort
from gongctl.cli.figures import ask, cell, finish, nothing, print_rest, print_rows, print_scope
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import heading, paragraph
from gongctl.cli.policy_options import EPILOG, shows_ids, takes_policy
from gongctl.cli.restricted import sensitive

app = typer.Typer(
    help="Search what was said, and calls, as agents are told it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

_WHAT = "call ids and speaker ids"
_CASE = "under provenance raw"


@app.command("transcripts", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
@takes_cohort
def transcripts(
    flags: Mapping[str, Any],
    cohort: dict[str, Any],
    query: Annotated[str, typer.Argument(metavar="QUERY", help='Words, "a phrase", OR, -word, prefix*.')],
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="Who speaks: internal, external, external_or_unknown.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", metavar="MODE", help="keyword (default), semantic (by meaning; needs vectors) or hybrid (both)."
        ),
    ] = None,
    limit: Limit = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Find where QUERY was said: everywhere, or in the calls that the other options choose."""
    if cohort:
        tool = "search_transcripts_by_filters"
        given = {"filter": cohort, "theme_query": query, "speaker_role": role, "mode": mode, "limit": limit}
    elif role is not None:
        tool = "search_transcript_quotes_with_attribution"
        given = {"query": query, "speaker_role": role, "mode": mode, "limit": limit}
    else:
        tool, given = "search_transcript_segments", {"query": query, "mode": mode, "limit": limit}
    answer = ask(flags, db, tool, given)
    finish(answer, as_json=as_json)
    if cohort:
        print_scope(answer)
    if not answer["results"]:
        nothing("Nobody says that.")
    for row in answer["results"]:
        seconds = row["start_ms"] // 1000
        told = [
            row.get("call_ref") or f"call {row['call_group']}",
            row.get("call_date"),
            f"{seconds // 60}:{seconds % 60:02}",
        ]
        told += [row.get("speaker_role"), row.get("account_industry"), row.get("opportunity_stage")]
        if row.get("similarity") is not None:
            told.append(f"similarity {row['similarity']:.2f}")
        heading(" · ".join(cell(part) for part in told if part))
        paragraph(row["snippet"], indent="  > ")
    print_rest(answer)


@app.command("calls", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
@takes_cohort
def calls(
    flags: Mapping[str, Any], cohort: dict[str, Any], limit: Limit = None, db: Db = None, as_json: Json = False
) -> None:
    """List calls, newest first: all, or those that the other options choose."""
    if cohort:
        answer = ask(flags, db, "search_calls_by_filters", {"filter": cohort, "limit": limit})
    else:
        answer = ask(flags, db, "search_calls", {"limit": limit})
    finish(answer, as_json=as_json)
    if cohort:
        print_scope(answer)
    if not answer["results"]:
        nothing("No call.")
    columns = {
        "call_ref": "call",
        "call_date": "day",
        "started_at": "started",
        "duration_seconds": "seconds",
        "lifecycle_bucket": "lifecycle",
        "account_industry": "industry",
        "opportunity_stage": "stage",
        "transcript_status": "transcript",
    }
    print_rows(answer["results"], columns)
    print_rest(answer)
