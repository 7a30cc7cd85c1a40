"""``gongctl analyze``: business figures over the agents' own tools, as tables with bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NoReturn

import typer

from gongctl.cli.cohort_options import takes_cohort
from gongctl.cli.figures import ask, bar, cell, finish, nothing, print_rest, print_rows, print_scope
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_text, heading, paragraph, table
from gongctl.cli.policy_options import EPILOG, shows_ids, takes_policy
from gongctl.cli.restricted import sensitive

app = typer.Typer(
    help="Figures of calls, themes, backlog and scorecards, as agents are told them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Db = Annotated[str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer of the tool as JSON.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Rows at most.")]

_WHAT = "call ids and speaker ids"
_CASE = "under provenance raw"

_TIMES: Final = frozenset({"month", "quarter"})
"""Dimensions whose values are read in the order of time."""

_COVERED = {
    "transcript_count": "with a transcript",
    "external_call_count": "with somebody external",
    "titled_call_count": "with an external job title",
    "account_call_count": "with an account",
    "industry_call_count": "with an industry",
    "opportunity_call_count": "with an opportunity",
    "stage_call_count": "with a stage",
}


def _in_time(rows: list[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    """Return *rows* as they are, those of a dimension of time from the earliest on; which they are is the tool's."""
    return sorted(rows, key=lambda row: str(row.get("value", ""))) if by.strip().casefold() in _TIMES else rows


def _no_call() -> NoReturn:
    nothing("No call matches: choose a longer period (--from and --to), or leave an option out.")


@app.command("coverage", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
@takes_cohort
def coverage(flags: Mapping[str, Any], cohort: dict[str, Any], db: Db = None, as_json: Json = False) -> None:
    """What is known of the calls, and what they cannot show."""
    answer = ask(flags, db, "explain_analysis_limitations", {"filter": cohort} if cohort else {})
    finish(answer, as_json=as_json)
    print_scope(answer)
    known = answer["coverage"]
    calls = known["call_count"]
    heading(f"{calls:,} calls" + (f", {known['first_day']} to {known['last_day']}" if "first_day" in known else ""))
    table(
        ("calls", "", "share", ""),
        [
            [
                said,
                cell(known[name]),
                f"{known[name] / calls:.0%}" if calls else "",
                bar(known[name], calls),
            ]
            for name, said in _COVERED.items()
            if name in known
        ],
    )
    emit_text("")
    for row in answer["results"]:
        paragraph(f"! {row['code']}: {row['meaning']}")
    print_rest(answer)


@app.command("calls", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
@takes_cohort
def calls(
    flags: Mapping[str, Any],
    cohort: dict[str, Any],
    by: Annotated[str, typer.Option("--by", metavar="DIMENSION", help="What calls are counted by.")] = "industry",
    limit: Limit = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Count calls by industry, stage, month, persona or another dimension."""
    given = {"dimension": by, "filter": cohort or None, "limit": limit}
    answer = ask(flags, db, "list_dimension_counts", given)
    finish(answer, as_json=as_json)
    print_scope(answer)
    columns = {
        "value": by,
        "call_count": "calls",
        "share": "share",
        "transcript_count": "transcripts",
        "latest_day": "latest",
    }
    if not answer["results"]:
        _no_call()
    print_rows(_in_time(answer["results"], by), columns, drawn="call_count")
    print_rest(answer)


@app.command("themes", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
@takes_cohort
def themes(
    flags: Mapping[str, Any],
    cohort: dict[str, Any],
    theme: Annotated[
        str | None, typer.Argument(metavar="THEME", help="Words of a theme; without them themes are sought.")
    ] = None,
    by: Annotated[str, typer.Option("--by", metavar="DIMENSION", help="What calls are compared by.")] = "quarter",
    limit: Limit = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Compare how many calls speak of THEME; without one, find the words that set the chosen calls apart."""
    given: dict[str, Any] = {"filter": cohort or None, "limit": limit}
    if theme is None:
        answer = ask(flags, db, "discover_themes_in_cohort", given)
    else:
        answer = ask(flags, db, "summarize_themes_by_dimension", {**given, "theme_query": theme, "dimension": by})
    finish(answer, as_json=as_json)
    print_scope(answer)
    if not answer["results"]:
        nothing("No theme: choose more calls, or others.") if theme is None else _no_call()
    if theme is None:
        columns = {
            "theme": "theme",
            "call_count": "calls",
            "occurrence_count": "said",
            "log_likelihood": "log-likelihood",
            "lift": "lift",
        }
        print_rows(answer["results"], columns, drawn="call_count")
    else:
        columns = {
            "value": by,
            "call_count": "calls",
            "theme_call_count": "speak of it",
            "share": "share",
            "share_low": "at least",
            "share_high": "at most",
        }
        print_rows(_in_time(answer["results"], by), columns, drawn="share", most=1.0)
    print_rest(answer)


@app.command("backlog", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
def backlog(flags: Mapping[str, Any], limit: Limit = None, db: Db = None, as_json: Json = False) -> None:
    """Rank the calls whose transcript is missing."""
    answer = ask(flags, db, "rank_transcript_backlog", {"limit": limit})
    finish(answer, as_json=as_json)
    if not answer["results"]:
        nothing("Every call has its transcript.")
    columns = {
        "call_ref": "call",
        "started_at": "started",
        "duration_seconds": "seconds",
        "bucket": "lifecycle",
        "priority_score": "priority",
    }
    print_rows(answer["results"], columns, drawn="priority_score")
    print_rest(answer)


@app.command("scorecards", cls=LightCommand, epilog=EPILOG)
@sensitive(_WHAT, case=_CASE, when=shows_ids)
@takes_policy
def scorecards(flags: Mapping[str, Any], db: Db = None, as_json: Json = False) -> None:
    """Answered scorecards and their scores."""
    answer = ask(flags, db, "summarize_scorecard_activity", {})
    finish(answer, as_json=as_json)
    heading(
        f"{answer['total_answered_scorecards']:,} answered scorecards on {answer['distinct_calls']:,} calls, "
        f"mean overall score {cell(answer.get('average_overall_score')) or 'none'}"
    )
    for name in ("by_scorecard", "by_review_method", "by_lifecycle"):
        columns = {
            "group_value": name.removeprefix("by_").replace("_", " "),
            "answered_scorecard_count": "answered",
            "distinct_call_count": "calls",
            "average_overall_score": "overall score",
            "average_answer_score": "answer score",
        }
        if answer.get(name):
            emit_text("")
            print_rows(answer[name], columns, drawn="answered_scorecard_count")
    print_rest(answer)
