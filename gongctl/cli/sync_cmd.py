"""``gongctl sync``: Gong's API -> cache. Parsing of arguments and printing; the work is in ``gongctl.sync``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gongctl.cli.output import emit_json, fail, note
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.gong.pace import Quota
    from gongctl.sync.config import AnyStep, RunConfig

app = typer.Typer(
    help="Fill the cache from Gong's API, incrementally; what was stopped goes on with the next run.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

_STORED: Final = "calls as they are"

Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file; made when it is missing.")]
OwnDb = Annotated[
    Path | None, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file, in place of the one that the file names.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Where Gong's API is, in place of GONG_BASE_URL.")
]
Governance = Annotated[
    Path | None,
    typer.Option(
        "--governance-config",
        metavar="FILE",
        help="YAML file of restricted customers: their calls are not stored, only a keyed digest of the id.",
    ),
]
Private = Annotated[
    str,
    typer.Option(
        "--private-calls",
        metavar="skip|metadata|all",
        help="Of calls marked as private: store nothing, no transcript, or everything.",
    ),
]
MaxPages = Annotated[
    int | None, typer.Option("--max-pages", min=1, help="Stop after so many pages; exit code 1 when there is more.")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="TIME", help="2025-01-31, a moment with offset, -365d, -36h. Needed once."),
]
To = Annotated[str, typer.Option("--to", metavar="TIME", help="The same, or now, today; exclusive.")]
Again = Annotated[bool, typer.Option("--again", help="List what is settled again, too.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _more_than_metadata(values: Mapping[str, Any]) -> bool:
    return values.get("preset") != "minimal" or bool(values.get("include"))


@app.command("calls")
@sensitive(_STORED, case="more than metadata is asked for", when=_more_than_metadata)
def calls(
    db: Db,
    preset: Annotated[
        str, typer.Option("--preset", metavar="minimal|business|all", help="What is asked for of each call.")
    ],
    from_time: From = None,
    to_time: To = "now",
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include",
            metavar="PART",
            help="Ask for this too: context, parties, content, highlights, interaction, comments.",
        ),
    ] = None,
    look_back: Annotated[
        str, typer.Option("--look-back", metavar="SPAN", help="Calls appear late: so much is always listed again.")
    ] = "3d",
    window: Annotated[str, typer.Option("--window", metavar="SPAN", help="What is listed at a time.")] = "30d",
    workspace: Annotated[str, typer.Option("--workspace", metavar="ID", help="Calls of this workspace alone.")] = "",
    private_calls: Private = "metadata",
    max_pages: MaxPages = None,
    again: Again = False,
    reconcile: Annotated[
        bool, typer.Option("--reconcile", help="List all of the time, and take out calls that Gong has no more.")
    ] = False,
    max_gone: Annotated[
        int | None,
        typer.Option("--max-gone", min=0, help="So many calls may be taken out (default: 10, or 5 of 100)."),
    ] = None,
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """List calls by the time at which they began, and store them.

    Each page is stored with how far the listing is: stop it at any moment, and run it again. Later runs read what is
    not settled yet: the look-back, and windows that were begun.
    """
    from gongctl.sync.config import CallsStep

    step = CallsStep(
        preset=_one_of(preset, ("minimal", "business", "all"), "--preset"),
        include=tuple(
            _one_of(part, ("context", "parties", "content", "highlights", "interaction", "comments"), "--include")
            for part in include or ()
        ),
        from_=from_time,
        to=to_time,
        look_back=look_back,
        window=window,
        workspace=workspace,
        max_pages=max_pages,
        reconcile=reconcile,
        max_gone=max_gone,
    )
    _run_one(db, step, private_calls, governance_config, base_url, again=again, as_json=as_json)


@app.command("transcripts")
@sensitive("transcripts as they are")
def transcripts(
    db: Db,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Ask for so many calls at most.")] = None,
    private_calls: Private = "metadata",
    max_pages: MaxPages = None,
    again: Annotated[bool, typer.Option("--again", help="Ask for those that were given up, or not due, too.")] = False,
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Ask for the transcripts of calls that have none, the longest waiting first.

    One that is not there is asked for again later and later, and given up after five weeks.
    """
    from gongctl.sync.config import TranscriptsStep

    step = TranscriptsStep(limit=limit, max_pages=max_pages)
    _run_one(db, step, private_calls, governance_config, base_url, again=again, as_json=as_json)


@app.command("users")
@not_sensitive
def users(
    db: Db,
    max_pages: MaxPages = None,
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Read the users of Gong."""
    from gongctl.sync.config import UsersStep

    _run_one(db, UsersStep(max_pages=max_pages), "metadata", governance_config, base_url, as_json=as_json)


@app.command("workspaces")
@not_sensitive
def workspaces(db: Db, governance_config: Governance = None, base_url: BaseUrl = None, as_json: Json = False) -> None:
    """Read the workspaces."""
    from gongctl.sync.config import WorkspacesStep

    _run_one(db, WorkspacesStep(), "metadata", governance_config, base_url, as_json=as_json)


@app.command("settings")
@not_sensitive
def settings(
    db: Db,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="trackers|scorecards", help="These alone (default: both).")
    ] = None,
    workspace: Annotated[str, typer.Option("--workspace", metavar="ID", help="Trackers of this workspace alone.")] = "",
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Read the definitions of trackers and scorecards."""
    from gongctl.sync.config import SettingsStep

    known = ("trackers", "scorecards")
    kinds = tuple(_one_of(name, known, "--kind") for name in kind or known)
    _run_one(db, SettingsStep(kinds, workspace), "metadata", governance_config, base_url, as_json=as_json)


@app.command("crm")
@not_sensitive
def crm(
    db: Db,
    object_type: Annotated[
        list[str] | None,
        typer.Option("--object-type", metavar="TYPE", help="ACCOUNT, CONTACT, DEAL, LEAD (default: all)."),
    ] = None,
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Read the CRM integrations and the fields of their objects."""
    from gongctl.sync.config import CrmStep
    from gongctl.sync.listings import OBJECT_TYPES

    types = tuple(_one_of(name, OBJECT_TYPES, "--object-type") for name in object_type or OBJECT_TYPES)
    _run_one(db, CrmStep(types), "metadata", governance_config, base_url, as_json=as_json)


@app.command("scorecards")
@not_sensitive
def scorecards(
    db: Db,
    from_time: From = None,
    to_time: To = "now",
    look_back: Annotated[
        str, typer.Option("--look-back", metavar="SPAN", help="So much is always listed again.")
    ] = "7d",
    review_method: Annotated[
        str, typer.Option("--review-method", metavar="BOTH|AUTOMATIC|MANUAL", help="Which reviews.")
    ] = "BOTH",
    max_pages: MaxPages = None,
    again: Again = False,
    governance_config: Governance = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """List the answered scorecards by the day of their review."""
    from gongctl.sync.config import ScorecardsStep
    from gongctl.sync.scorecards import REVIEW_METHODS

    step = ScorecardsStep(
        from_=from_time,
        to=to_time,
        look_back=look_back,
        review_method=_one_of(review_method, REVIEW_METHODS, "--review-method"),
        max_pages=max_pages,
    )
    _run_one(db, step, "metadata", governance_config, base_url, again=again, as_json=as_json)


@app.command("status")
@sensitive("ids of calls", case="with --waiting", when=lambda values: bool(values.get("waiting")))
def status(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file.")],
    waiting: Annotated[
        int, typer.Option("--waiting", min=0, help="Name so many calls whose transcript is awaited, the oldest first.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Show what was listed, which transcripts are awaited, and how the last runs ended. Asks Gong nothing."""
    from gongctl.cli.sync_text import print_status
    from gongctl.sync.status import sync_status

    found = sync_status(db, waiting=waiting)
    if as_json:
        emit_json(found.as_json())
    else:
        print_status(found)


def _file_is_sensitive(values: Mapping[str, Any]) -> bool:
    from gongctl.sync.config import read_run_config

    return not values.get("dry_run") and read_run_config(values["config"]).is_sensitive


@app.command("run")
@sensitive(_STORED, case="a step asks for more than metadata", when=_file_is_sensitive)
def run(
    config: Annotated[Path, typer.Option("--config", metavar="FILE", help="Steps as YAML or TOML.")],
    db: OwnDb = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; ask Gong nothing.")] = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Run the steps of a file, then warm. For schedulers: exit code 0 only when everything was done."""
    from gongctl.cli.sync_running import Warming, run_and_print, setting_of
    from gongctl.gong.credentials import BASE_URL, find_credentials
    from gongctl.gong.pace import Quota
    from gongctl.sync.config import read_run_config
    from gongmcp.errors import StartupRefusal
    from gongmcp.governance.restricted import read_restricted_list

    read = read_run_config(config)
    cache = db or (Path(read.db) if read.db else None)
    if cache is None:
        fail("No cache is named.", f"Name it with --db, or with db: in {config.name}.", Exit.USAGE)
    where = base_url or read.api.base_url
    quota = Quota.of(os.environ, read.api.requests_per_second, read.api.requests_per_day)
    warming = Warming(read) if read.warm else None
    if dry_run:
        if read.governance_config:
            read_restricted_list(Path(read.governance_config))  # what refuses the run refuses its plan
        try:
            credentials = find_credentials(base_url=where)
        except StartupRefusal as refusal:  # a plan needs none
            note(f"The run itself would be refused: {refusal.message} {refusal.hint}".rstrip())
            _plan(read, cache, where or BASE_URL, quota, None, as_json=as_json)
        else:
            from gongctl.gong.pace import Pace

            used = Pace(credentials.account, quota).used().requests
            _plan(read, cache, credentials.base_url, quota, used, as_json=as_json)
        return
    setting = setting_of(cache, read.governance_config, where, quota, concurrency=read.api.concurrency)
    run_and_print(setting, read.steps, read.private_calls, warming, as_json=as_json)


def _plan(read: RunConfig, db: Path, base_url: str, quota: Quota, used: int | None, *, as_json: bool) -> None:
    from gongctl.cli.sync_text import print_plan
    from gongctl.sync.plan import plan_run

    plan = plan_run(read, db, base_url, quota, used)
    if as_json:
        emit_json(plan.as_json())
    else:
        print_plan(plan)


def _run_one(
    db: Path,
    step: AnyStep,
    private: str,
    governance: Path | None,
    base_url: str | None,
    *,
    again: bool = False,
    as_json: bool,
) -> None:
    from gongctl.cli.sync_running import run_and_print, setting_of
    from gongctl.gong.pace import Quota
    from gongctl.sync.calls import PRIVATE

    policy = _one_of(private, PRIVATE, "--private-calls")
    setting = setting_of(db, governance, base_url, Quota.of(os.environ), again=again)
    run_and_print(setting, (step,), policy, None, as_json=as_json)


def _one_of(value: str, known: tuple[str, ...], name: str) -> Any:
    """Return *value* in the form of *known*; refuse what is not in it."""
    for word in known:
        if value.strip().lower() == word.lower():
            return word
    fail(f"{name} takes one of: {', '.join(known)}.", "", Exit.USAGE)
