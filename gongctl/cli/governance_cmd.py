"""``gongctl governance``: what scope and restricted list take from agents, and why. The work is in
``gongctl.governance``."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.cache_cmd import Config, Db, Json, Masked, ModelPolicy, interruptible, model_policy
from gongctl.cli.copied import noted
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, heading, json_text, note, paragraph, table
from gongctl.cli.output_file import refuse_overwriting, write_whole
from gongctl.cli.policy_options import EPILOG
from gongctl.cli.restricted import not_sensitive, sensitive
from gongctl.cli.verify_cmd import verify_policy
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from gongctl.governance.census import Census
    from gongctl.governance.explain import CallExplanation
    from gongctl.governance.export import ExportReport
    from gongctl.governance.report import Audit, Standing
    from gongmcp.governance.restricted import RestrictedList

app = typer.Typer(
    help="Keep the calls of restricted customers, and calls outside the scope, from agents.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.command("verify", cls=LightCommand, epilog=EPILOG)(verify_policy)

ListFile = Annotated[
    Path,
    typer.Option(
        "--ai-governance-config",
        metavar="FILE",
        envvar="GONGMCP_AI_GOVERNANCE_CONFIG",
        help="YAML file of restricted customers, as for gongmcp.",
    ),
]
Call = Annotated[str, typer.Argument(metavar="CALL", help="Its id or its alias (call_...).")]
NoNames = Annotated[bool, typer.Option("--no-names", help="Leave every name out.")]


@contextmanager
def _reading(db: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache for reading and refuse one of a schema that knows no verdicts yet."""
    from gongctl.cache.connection import reading
    from gongctl.cache.migrations import version_of
    from gongmcp.store.schema import SCHEMA_VERSION

    with reading(db) as connection:
        if version_of(connection) < SCHEMA_VERSION:
            raise StartupRefusal(
                f"The cache {db} has an older schema.",
                f"Run: gongctl cache init --db {shlex.quote(str(db))}",
                Exit.CACHE,
            )
        yield connection


def _warm_command(db: Path, policy: ModelPolicy, masked: str | None = None) -> str:
    flags = "".join(f" {flag} {shlex.quote(str(file))}" for flag, file in policy.files.items() if file is not None)
    masking = f" --mask-participants {shlex.quote(masked)}" if masked is not None else ""
    return f"gongctl cache warm --db {shlex.quote(str(db))}{flags}{masking}"


def _list_of(policy: ModelPolicy) -> RestrictedList:
    restricted = policy.settings.restricted
    assert restricted is not None  # the option is required
    return restricted


def _tell_standing(standing: Standing, following: list[str]) -> None:
    if not standing.current:
        note(standing.reason())
        for command in following:
            note(f"Next: {command}")


@app.command("scope")
@not_sensitive
def scope_of_cache(
    db: Db,
    call: Annotated[
        str | None, typer.Argument(metavar="[CALL]", help="Say why this call is served or not: its id or alias.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what each rule demands; with CALL, the reason for that call.")
    ] = False,
    config: Config = None,
    restricted: Annotated[
        Path | None,
        typer.Option("--ai-governance-config", metavar="FILE", help="The restricted list in force, if there is one."),
    ] = None,
    mask_participants: Masked = None,
    as_json: Json = False,
) -> None:
    """Count calls by rule of the scope.

    Printed are the calls that each rule leaves out, and those that are served.

    A call that the restricted list suppresses counts there, whatever the scope says. Nothing is judged anew.
    """
    from gongctl.governance.explain import explain_call
    from gongctl.governance.report import rules_of, scope_report

    policy = model_policy(config, restricted, mask_participants)
    rules = policy.settings.model_rules()
    with _reading(db) as connection:
        found = scope_report(connection, rules)
        explained = explain_call(connection, call, rules, None) if call is not None else None
    says = rules_of(rules.scope)
    following = [] if found.standing.current else [_warm_command(db, policy, mask_participants)]
    if as_json:
        emit_json(
            {
                "db": str(db),
                "calls": found.standing.calls,
                "served": found.served,
                "not_served": found.not_served,
                "by_rule": [
                    {"rule": rule, "says": says.get(rule), "calls": count} for rule, count in found.by_rule.items()
                ],
                "restricted_list": found.restricted,
                "standing": found.standing.as_json(),
                "call": None if explained is None else _scope_json(explained),
                "next": following,
            }
        )
        return
    if explained is not None:
        _print_scope_of(explained)
        emit_text("")
    rows = [(rule, f"{count:,}", says.get(rule, "of other settings")) for rule, count in found.by_rule.items()]
    rows.append(("restricted list", f"{found.restricted:,}", "a customer of the list is named"))
    if found.standing.unjudged:
        rows.append(("not judged yet", f"{found.standing.unjudged:,}", "absent until the next warm"))
    table(("rule", "calls", "what it demands") if explain else ("rule", "calls"), rows if explain else _two(rows))
    emit_text(
        f"\nServed: {found.served:,} of {counted(found.standing.calls, 'call')}; not served: {found.not_served:,}."
    )
    _tell_standing(found.standing, following)


def _two(rows: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    return [(rule, count) for rule, count, _ in rows]


def _scope_json(explained: CallExplanation) -> dict[str, Any]:
    return {name: value for name, value in explained.as_json().items() if name not in ("may_be_served", "mentions")}


def _print_scope_of(explained: CallExplanation) -> None:
    from gongctl.governance.explain import verdict_name

    emit_text(f"Call {explained.call_id} ({explained.call_ref}): {'served' if explained.in_model else 'not served'}.")
    if explained.scope is not None:
        emit_text(f"Scope: {explained.scope.rule}: {explained.scope.says}; here it is {explained.scope.value!r}.")
    else:
        emit_text("Scope: no rule leaves it out.")
    waiting = "; it waits to be judged again" if explained.waiting else ""
    emit_text(f"Verdict in the cache: {verdict_name(explained.verdict)}{waiting}.")


@app.command("audit")
@sensitive("the names of restricted customers", case="unless --no-names", when=lambda values: not values["no_names"])
def audit_list(
    db: Db,
    restricted: ListFile,
    config: Config = None,
    mask_participants: Masked = None,
    allow_unmatched: Annotated[
        bool, typer.Option("--allow-unmatched", help="A customer that no call names is no failure.")
    ] = False,
    no_names: NoNames = False,
    as_json: Json = False,
) -> None:
    """Report what the restricted list takes.

    Printed are calls per list, source and customer, and the customers that match nothing.

    It reports and judges nothing: the verdicts are made by gongctl cache warm. Ends with 1 when no call names a
    customer of the list, unless --allow-unmatched, and with 4 when the verdicts are not those of this list.
    """
    from gongctl.cli.progress import items_progress
    from gongctl.governance.report import audit, by_list_json

    policy = model_policy(config, restricted, mask_participants)
    listed = _list_of(policy)
    with _reading(db) as connection, items_progress("Looking") as progress:
        found = audit(connection, policy.settings.model_rules(), listed, progress)
    judged = found.standing.current
    unmatched = found.unmatched if judged else []
    following = [] if judged else [_warm_command(db, policy, mask_participants)]
    passed = judged and (allow_unmatched or not unmatched)
    if as_json:
        names = not no_names
        emit_json(
            {
                "db": str(db),
                "list_sha256": None if no_names else listed.digest,
                "passed": passed,
                "suppressed_calls": found.suppressed,
                "by_list": by_list_json(found),
                "by_source": dict(sorted(found.by_source.items())),
                "customers": [entry.as_json(names=names) for entry in found.entries],
                "unmatched": [entry.as_json(names=names) for entry in unmatched],
                "warnings": list(listed.warnings),
                "standing": found.standing.as_json(),
                "next": following,
            }
        )
    else:
        _print_audit(found, names=not no_names)
    for warning in listed.warnings:
        note(f"Warning: {warning}")
    for entry in unmatched:
        named = "" if no_names else f" ({entry.entry.name})"
        note(f"Warning: no call names {entry.entry}{named}.")
    if unmatched and not allow_unmatched:
        note("Look for a mistake in the list, or accept it with --allow-unmatched.")
    _tell_standing(found.standing, following)
    if not judged:
        raise SystemExit(int(Exit.CACHE))
    if not passed:
        raise SystemExit(int(Exit.FAILED))


def _print_audit(found: Audit, *, names: bool) -> None:
    from gongctl.governance.judge import SOURCES

    sources = [source for source in SOURCES if found.by_source[source]]
    heads = ("list", "customer", *(("name",) if names else ()), "calls", *sources)
    table(
        heads,
        [
            (
                *(item.entry.list, str(item.entry.index), *((item.entry.name,) if names else ())),
                f"{item.calls:,}",
                *(f"{item.sources[source]:,}" for source in sources),
            )
            for item in found.entries
        ],
    )
    counts = (*sorted(found.by_list.items()), *sorted(found.by_source.items()))
    if counts:
        emit_text("")
        table(("calls by list and source", ""), [(name, f"{count:,}") for name, count in counts])
    emit_text(f"\nSuppressed: {found.suppressed:,} of {counted(found.standing.calls, 'call')}.")


@app.command("explain")
@sensitive("what was said in a call, and the names of restricted customers")
def explain_one(
    db: Db,
    restricted: ListFile,
    call: Call,
    config: Config = None,
    mask_participants: Masked = None,
    as_json: Json = False,
) -> None:
    """Say why a call is not served.

    Printed are the rule of the scope, and who is named, where, and in which words.

    It quotes the call and the list: it is for the operator's eyes.
    """
    from gongctl.governance.explain import explain_call, verdict_name

    policy = model_policy(config, restricted, mask_participants)
    with _reading(db) as connection:
        found = explain_call(connection, call, policy.settings.model_rules(), policy.settings.restricted)
    if as_json:
        emit_json({"db": str(db), **found.as_json()})
        return
    _print_scope_of(found)
    if found.mentions:
        emit_text("")
        heading("Named in it")
        for mention in found.mentions:
            times = f", {mention.count} times" if mention.count > 1 else ""
            emit_text(f"{mention.entry.name}: {mention.entry}; {mention.term_kind} in {mention.source}{times}")
            paragraph(f"... {mention.before} [{mention.text}] {mention.after} ...", indent="  ")
    else:
        emit_text("Restricted list: nobody of it is named.")
    if found.may_be_served != found.in_model:
        note(f"The cache is behind: its verdict is {verdict_name(found.verdict)}.")
        note(f"Next: {_warm_command(db, policy, mask_participants)}")


@app.command("block")
@not_sensitive
def block_customer(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The customer's full name.")],
    db: Db,
    restricted: ListFile,
    aliases: Annotated[
        list[str] | None, typer.Option("--alias", metavar="NAME", help="Another name; may be repeated.")
    ] = None,
    domains: Annotated[
        list[str] | None, typer.Option("--domain", metavar="DOMAIN", help="A domain of theirs; may be repeated.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="For people; it is not interpreted.")] = "",
    config: Config = None,
    mask_participants: Masked = None,
    as_json: Json = False,
) -> None:
    """Add a customer to the list, at once.

    Their calls are taken out of the read model. A running server follows with its next call.

    The file keeps its comments and its order. Should the second step be stopped, run this again, or
    gongctl cache warm.
    """
    from gongctl.cli.progress import items_progress
    from gongctl.governance.block import Blocked, add_to_list, check_before, list_lock, tighten

    customer = Blocked(name, tuple(aliases or ()), tuple(domains or ()), reason)
    customer.terms()
    with interruptible() as stop, list_lock(restricted):
        policy = model_policy(config, restricted, mask_participants)
        with _reading(db):
            pass
        check_before(db, policy.settings.model_rules(), _list_of(policy))
        added = add_to_list(restricted, customer)
        note(f"{restricted} " + ("has one customer more." if added else "looks for all of it already."))
        policy = model_policy(config, restricted, mask_participants)
        with items_progress("Judging") as progress:
            done = tighten(
                db,
                policy.settings.model_rules(),
                _list_of(policy),
                progress=progress,
                should_stop=stop,
                waiting=lambda why: note(f"Waiting: {why}"),
            )
    following = [] if done.finished else [_warm_command(db, policy, mask_participants)]
    if as_json:
        emit_json(
            {
                "db": str(db),
                "file": str(restricted),
                "added": added,
                "finished": done.finished,
                "calls_judged": done.judged,
                "calls_taken_out": done.taken_out,
                "seconds": round(done.seconds, 4),
                "next": following,
            }
        )
    elif done.finished:
        emit_text(
            f"Taken out: {counted(done.taken_out, 'call')}, of {done.judged:,} judged, in {done.seconds:.1f} s. "
            "A running gongmcp follows with its next call."
        )
        if not done.judged and added:
            note("No cached call holds a word of that name: check the spelling if you expected some.")
    if not done.finished:
        note(done.reason)
        for command in following:
            note(f"Next: {command}")
        if stop():
            raise SystemExit(int(Exit.INTERRUPTED))


@app.command("export-filtered-db")
@sensitive("the raw payloads of the calls that stay, in a file")
def export_filtered_db(
    db: Db,
    restricted: ListFile,
    out: Annotated[Path, typer.Option("--out", metavar="NEW", help="The cache file to write.")],
    config: Config = None,
    mask_participants: Masked = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a cache that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write a new cache of what stays.

    It holds only what scope and restricted list leave, raw payloads included, and is warmed.

    Users, settings, CRM schemas and profiles that name a restricted customer are left out or reduced, and listed.
    """
    from gongctl.cli.progress import items_progress
    from gongctl.governance.export import Stopped, check_target, export_filtered

    policy = model_policy(config, restricted, mask_participants)
    check_target(db, out, list(policy.files.values()), overwrite=overwrite)
    with _reading(db):
        pass
    try:
        with interruptible() as stop, items_progress("Copying") as progress:
            found = export_filtered(
                db,
                out,
                policy.settings.model_rules(),
                _list_of(policy),
                overwrite=overwrite,
                progress=progress,
                should_stop=stop,
            )
    except Stopped:
        note("Interrupted: no file was written.")
        raise SystemExit(int(Exit.INTERRUPTED)) from None
    in_cache = noted(db, "filtered export", out)
    if as_json:
        emit_json({**_export_json(db, out, found), "noted": in_cache})
        return
    if found.left_behind:
        note(f"Removed what {found.left_behind} killed export{'s' * (found.left_behind > 1)} to this file left behind.")
    left = [(kind, reason, f"{count:,}") for (kind, reason), count in sorted(found.left.items())]
    table(("copied", ""), [(kind, f"{count:,}") for kind, count in sorted(found.copied.items())])
    if left:
        emit_text("")
        table(("left out", "why", ""), left)
    for item in found.dropped:
        note(f"{'Reduced to its meaning' if item.reduced else 'Left out'}: {item.kind} {item.record_id}")
    emit_text(f"\nWrote {out} ({found.file_bytes / 1e6:,.1f} MB), warmed for a server without a restricted list.")


def _export_json(db: Path, out: Path, found: ExportReport) -> dict[str, Any]:
    return {
        "source_db": str(db),
        "output_db": str(out),
        "copied": dict(sorted(found.copied.items())),
        "left": [
            {"kind": kind, "reason": reason, "count": count} for (kind, reason), count in sorted(found.left.items())
        ],
        "dropped": [{"kind": d.kind, "record_id": d.record_id, "reduced": d.reduced} for d in found.dropped],
        "active_profile": found.active_profile,
        "file_bytes": found.file_bytes,
        "left_behind_removed": found.left_behind,
        "sensitive_data_warning": "The file holds raw payloads: protect it like the cache that it was made of.",
    }


@app.command("census")
@sensitive("names that are said in calls", case="unless --no-names", when=lambda values: not values["no_names"])
def census_of_cache(
    db: Db,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the JSON there; a census that was stopped goes on from FILE.part."
        ),
    ] = None,
    no_names: NoNames = False,
    as_json: Json = False,
) -> None:
    """Count personal data in all segments.

    Printed are finds by kind, month, language and field, before and after masking.

    Also lists the 200 most frequent capitalised names in the served texts that no party, user or account explains.
    """
    from gongctl.cli.progress import items_progress
    from gongctl.governance.census import census

    state = None if out is None else out.with_name(f"{out.name}.part")
    for written in (out, state):
        if written is not None:
            refuse_overwriting(written, [db])
    with _reading(db):
        pass
    with interruptible() as stop, items_progress("Counting") as progress:
        found = census(db, state=state, progress=progress, should_stop=stop)
    if not found.finished:
        kept = f"run the same command again to go on from {state}." if state else "nothing is kept without --out."
        note(f"Interrupted after {counted(found.tally.calls, 'call')}: {kept}")
        raise SystemExit(int(Exit.INTERRUPTED))
    result = _census_json(db, found, names=not no_names)
    if out is not None:
        write_whole(out, (json_text(result) + "\n").encode())
        note(f"Wrote {out}.")
    if as_json:
        emit_json(result)
    elif out is None:
        _print_census(result)
    note(
        f"{counted(found.tally.segments, 'segment')} of {counted(found.tally.calls, 'call')} in {found.seconds:.1f} s "
        f"({found.rate:,.0f} a second)."
    )


def _census_json(db: Path, found: Census, *, names: bool) -> dict[str, Any]:
    tally = found.tally
    keys = sorted({cell[1:] for cell in tally.cells})
    return {
        "db": str(db),
        "calls": tally.calls,
        "served_calls": tally.served_calls,
        "segments": tally.segments,
        "served_segments": tally.served_segments,
        "cells": [
            {
                "kind": kind,
                "month": month,
                "language": language,
                "field": where,
                "before": tally.cells["before", kind, month, language, where],
                "after": tally.cells["after", kind, month, language, where],
            }
            for kind, month, language, where in keys
        ],
        "names": [{"name": name, "count": count} for name, count in tally.unexplained()] if names else None,
        "rare_names_forgotten": tally.forgotten,
        "cache_changed_meanwhile": found.changed,
        "seconds": round(found.seconds, 3),
        "segments_per_second": round(found.rate),
    }


def _print_census(result: Mapping[str, Any]) -> None:
    totals: dict[tuple[str, str], list[int]] = {}
    for cell in result["cells"]:
        total = totals.setdefault((cell["kind"], cell["field"]), [0, 0])
        total[0] += cell["before"]
        total[1] += cell["after"]
    table(
        ("kind", "field", "before masking", "after"),
        [(kind, where, f"{before:,}", f"{after:,}") for (kind, where), (before, after) in sorted(totals.items())],
    )
    if result["names"]:
        emit_text("")
        table(("name that nothing explains", "said"), [(n["name"], f"{n['count']:,}") for n in result["names"]])
