"""``gongctl cache purge``: take calls out of a cache for good. The work is in ``gongctl.purge``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, json_text, note
from gongctl.cli.output_file import refuse_overwriting, write_whole
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.purge.certificate import Certificate
    from gongctl.purge.policy import PurgePolicy
    from gongctl.purge.select import Criteria

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("purge", cls=LightCommand)
@not_sensitive
def purge_calls(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file.")],
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="DATE", help="Calls that began before this day (UTC).")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="YAML of a retention policy: age, legal hold, approval."),
    ] = None,
    calls: Annotated[
        list[str] | None, typer.Option("--call", metavar="ID", help="A call, by id or alias. May be repeated.")
    ] = None,
    participants: Annotated[
        list[str] | None,
        typer.Option("--participant", metavar="EMAIL", help="Calls that this person took part in. May be repeated."),
    ] = None,
    accounts: Annotated[
        list[str] | None,
        typer.Option("--account", metavar="NAME", help="Calls with a CRM account of this name. May be repeated."),
    ] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Remove them. Without it: say what would go.")] = False,
    audit_logs: Annotated[
        list[Path] | None,
        typer.Option(
            "--audit-log", metavar="FILE", help="Clear arguments kept for replay that showed them. May be repeated."
        ),
    ] = None,
    certificate_file: Annotated[
        Path | None, typer.Option("--certificate", metavar="FILE", help="Write the certificate there as JSON too.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Remove calls with everything that hangs on them, give the bytes back, and keep them out from now on.

    A dry run unless --confirm is given. Sync and import do not store a purged call again. Exit code 1 when
    something of them may still be in the file: run the same command again.
    """
    from gongctl.cli.cache_cmd import interruptible
    from gongctl.cli.progress import items_progress
    from gongctl.purge.policy import read_policy
    from gongctl.purge.run import plan, purge

    if certificate_file is not None:
        refuse_overwriting(certificate_file, (db, config, *(audit_logs or ())))
    policy = read_policy(config) if config is not None else None
    criteria = _criteria(older_than, policy, calls, participants, accounts)
    if confirm:
        with interruptible() as stop, items_progress("Purging") as progress:
            certificate = purge(db, criteria, policy, audit_logs=audit_logs or (), progress=progress, should_stop=stop)
    else:
        certificate = plan(db, criteria, policy, audit_logs=audit_logs or ())
    if certificate_file is not None:
        write_whole(certificate_file, (json_text(certificate.as_json()) + "\n").encode())
    if as_json:
        emit_json(certificate.as_json())
    else:
        emit_text("\n".join(certificate.lines()))
    _end(certificate)


def _criteria(
    older_than: str | None,
    policy: PurgePolicy | None,
    calls: list[str] | None,
    participants: list[str] | None,
    accounts: list[str] | None,
) -> Criteria:
    import datetime as dt

    from gongctl.cache.clock import utc_now
    from gongctl.purge.policy import parse_date
    from gongctl.purge.select import Criteria

    today = dt.date.fromisoformat(utc_now()[:10])
    cutoff = parse_date(older_than) if older_than is not None else None
    configured = policy.cutoff(today) if policy is not None else None
    if cutoff is not None and configured is not None:
        fail("--older-than and the file's older_than exclude each other.", "Leave one of them out.", Exit.USAGE)
    named = [kind for kind, given in (("call", calls), ("participant", participants), ("account", accounts)) if given]
    if len(named) > 1 or (named and cutoff is not None):
        fail(
            "Give one kind of selection: --older-than, --call, --participant or --account.",
            "Run the command once for each kind.",
            Exit.USAGE,
        )
    if named and configured is not None:
        fail(
            f"--{named[0]} and the file's older_than exclude each other.",
            "Use a file that holds legal_hold and approval alone.",
            Exit.USAGE,
        )
    given = [*(calls or ()), *(participants or ()), *(accounts or ())]
    if any(not text.strip() for text in given):
        fail(f"A --{named[0]} is blank.", "Name it, or leave the flag out.", Exit.USAGE)
    if "participant" in named and any("@" not in text for text in given):
        fail("A --participant is no e-mail address.", "Give the whole address.", Exit.USAGE)
    if named:
        return Criteria(
            "call" if calls else "participant" if participants else "account",
            calls=tuple(text.strip() for text in calls or ()),
            participants=tuple(participants or ()),
            accounts=tuple(accounts or ()),
        )
    cutoff = cutoff or configured
    if cutoff is None:
        fail(
            "There is nothing to purge by.",
            "Give --older-than DATE, --call ID, --participant EMAIL, --account NAME, or a --config with older_than.",
            Exit.USAGE,
        )
    if cutoff > today:
        fail("--older-than lies in the future: every call is older.", "Give a day that has begun.", Exit.USAGE)
    return Criteria("age", cutoff=cutoff)


def _end(certificate: Certificate) -> None:
    if not certificate.executed:
        if certificate.selection.call_ids:
            note("Nothing was changed. Run it again with --confirm to remove them.")
        return
    if certificate.interrupted:
        note(f"Interrupted: {certificate.removed.calls:,} calls are removed. Run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))
    if not certificate.clean:
        raise SystemExit(int(Exit.FAILED))
