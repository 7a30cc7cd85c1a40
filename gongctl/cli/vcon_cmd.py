"""``gongctl vcon``: vCons in and out of caches and stores. The work is in ``gongctl.vcon``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer

from gongctl.cli.lazy import Deferred, LazyGroup, LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, json_text, note, table, write_bytes
from gongctl.cli.policy_options import EPILOG, resolve, shows_ids, takes_policy
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from gongctl.ingest import InputFile
    from gongctl.vcon import Vcon
    from gongctl.vcon.intake import IntakeReport
    from gongctl.vcon.validate import Level, Verdict

_EDITS: Final = {
    "create": "Store a new vCon.",
    "from-template": "Store a new vCon of a template.",
    "update": "Change top-level fields of a vCon.",
    "delete": "Remove a vCon.",
    "add": "Add a party, dialog, analysis or attachment.",
    "replace": "Put another element in the place of one.",
    "remove": "Take an element out.",
    "tag": "Set a tag.",
    "untag": "Take a tag away, or all.",
}


class VconGroup(LazyGroup):
    """The commands that edit a store; loaded when one of them is run."""

    deferred: ClassVar[Mapping[str, Deferred]] = {
        name: Deferred(f"gongctl.cli.vcon_edit_cmd:{name.replace('-', '_')}_app", text) for name, text in _EDITS.items()
    } | {
        "embed": Deferred("gongctl.cli.vcon_embed_cmd:app", "Vectors of vCons, for search by meaning."),
        "serve": Deferred("gongctl.cli.vcon_serve_cmd:app", "Serve a vCon store to MCP clients."),
        "browse": Deferred("gongctl.cli.vcon_browse_cmd:app", "Look at a vCon store on screen, and edit it."),
    }


app = typer.Typer(
    cls=VconGroup,
    help="vCons (the IETF's open format): in, out, checked and edited.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Paths = Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders of files.")]
Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="A vCon store, or a cache.")]
LevelOption = Annotated[
    str, typer.Option("--level", metavar="LEVEL", help="lenient, or strict by a draft: core-02, core-03.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_LISTED: Final = 20


@app.callback()
def group() -> None:
    """vCons (the IETF's open format): in, out, checked and edited."""


@app.command("import", cls=LightCommand)
@not_sensitive
def import_vcons(
    paths: Paths,
    db: Db,
    cache: Annotated[bool, typer.Option("--cache", help="Make a cache where DB is missing, not a store.")] = False,
    level: LevelOption = "lenient",
    as_json: AsJson = False,
) -> None:
    """Read vCons into a store, or into a cache, where they are then read like calls.

    One vCon a file, JSON lines, arrays, gzip'd or not; another store. Older drafts' names are understood. Kept is
    what was given, unknown keys included. Signed ones are taken, their signature is not checked (vcon verify);
    encrypted ones and those with a critical extension are rejected. Exit code 1 when anything was.
    """
    from gongctl.vcon.store import VconStore, is_store

    chosen = _level(level)
    files = _files(paths, db)
    if is_store(db) or (not db.exists() and not cache):
        from gongctl.cli.progress import bytes_progress
        from gongctl.vcon.intake import take_in, values_of

        with VconStore.open(db, create=True) as store, bytes_progress("Importing") as progress:
            report = take_in(store, values_of(files, progress), level=chosen)
        _print_intake(report, db, as_json=as_json)
        return
    from functools import partial

    from gongctl.cli.import_cmd import import_files

    import_files(files, db, partial(_read_into_cache, level=chosen), as_json=as_json)


def _read_into_cache(files: list[InputFile], *, progress: Any, level: Level) -> Any:
    from gongctl.ingest.records import Place, Rejected, Skipped
    from gongctl.vcon.intake import values_of
    from gongctl.vcon.reading import records_of

    for item in values_of(files, progress):
        if isinstance(item, Rejected):
            yield Rejected(item.place, item.reason, "vcon")
        elif isinstance(item, Skipped):
            yield item
        else:
            place: Place = item[0]
            yield from records_of(item[1], place, level)


def _print_intake(report: IntakeReport, db: Path, *, as_json: bool) -> None:
    if as_json:
        emit_json(
            {
                "db": str(db),
                "new": report.new,
                "changed": report.changed,
                "unchanged": report.unchanged,
                "rejected_count": report.rejected_count,
                "rejected": [{"place": str(item.place), "reason": item.reason} for item in report.rejected],
                "skipped_files": [item.path for item in report.skipped],
                "warnings": dict(sorted(report.warnings.items())),
                "seconds": round(report.seconds, 4),
            }
        )
    else:
        emit_text(
            f"{counted(report.new, 'new vCon')}, {report.changed:,} changed, {report.unchanged:,} unchanged,"
            f" {report.rejected_count:,} rejected in {db}."
        )
        if report.warnings:
            table(("warning", "times"), [(code, f"{count:,}") for code, count in sorted(report.warnings.items())])
    for item in report.rejected[:_LISTED]:
        note(f"Rejected {item.place}: {item.reason}.")
    if report.rejected_count > _LISTED:
        note(f"... and {report.rejected_count - _LISTED:,} more; --json lists up to {len(report.rejected):,}.")
    if report.rejected_count:
        raise SystemExit(int(Exit.FAILED))


@app.command("export", cls=LightCommand, epilog=EPILOG)
@sensitive(
    "vCons as they are",
    case="with --unredacted, or ids under provenance raw",
    when=lambda values: values["unredacted"] or shows_ids(values),
)
@takes_policy
def export_vcons(
    flags: Mapping[str, Any],
    db: Db,
    calls: Annotated[
        list[str] | None,
        typer.Option("--call", metavar="REF", help="A call id, an alias or a vCon's uuid. May be repeated."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    from_date: Annotated[
        str | None, typer.Option("--from-date", help="Calls that began on this UTC day or later.")
    ] = None,
    to_date: Annotated[
        str | None, typer.Option("--to-date", help="Calls that began on this UTC day or before.")
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="External, Internal or Unknown.")] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="The system that recorded; vcon = imported vCons.")
    ] = None,
    direction: Annotated[str | None, typer.Option("--direction", help="As Gong spells it.")] = None,
    unredacted: Annotated[
        bool, typer.Option("--unredacted", help="All of it, raw payloads too; noted in the file.")
    ] = False,
    titles: Annotated[bool, typer.Option("--include-call-titles", help="Titles, where the policy shows them.")] = False,
    ids: Annotated[bool, typer.Option("--include-call-ids", help="Call ids (provenance raw).")] = False,
    raw: Annotated[
        bool, typer.Option("--raw/--no-raw", help="Unredacted: Gong's payloads for a lossless way back.")
    ] = True,
    text_dialogs: Annotated[
        bool, typer.Option("--text-dialogs", help="Unredacted: a text dialog for each turn.")
    ] = False,
    comments: Annotated[bool, typer.Option("--comments", help="Unredacted: comments beside the call.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write JSON lines there, not to stdout.")
    ] = None,
    losses: Annotated[
        bool, typer.Option("--losses", help="Print what a redacted export leaves out, and stop.")
    ] = False,
) -> None:
    """Write vCons, one a line: what agents may see under the policy, or with --unredacted all of it.

    A redacted one has anonymous parties, masked text, the same indexes, and points to the full one; its settings are
    those of gongmcp. With --unredacted import, export and import again lose nothing.
    """
    from gongctl.vcon.export import Options, full_vcons, redacted_vcons, served_ids
    from gongctl.vcon.redacted import LOST
    from gongctl.vcon.store import is_store
    from gongmcp.store.calls import CallFilter

    if losses:
        table(("where", "what"), LOST)
        return
    wanted = CallFilter(from_date=from_date, to_date=to_date, scope=scope, system=system, direction=direction)
    filtered = wanted != CallFilter()
    if sum((bool(calls), every, filtered)) != 1:
        fail("Say which: --call REF, --all, or a filter.", "For example: --all, or --from-date 2026-01-01.", Exit.USAGE)
    options = Options(raw=raw, text_dialogs=text_dialogs, comments=comments, titles=titles, ids=ids)
    if is_store(db) and not unredacted:
        fail(
            "A vCon store holds vCons as they are, and no read model that was masked.",
            "Give --unredacted, or import the store into a cache (gongctl import auto), warm it, and export from that.",
            Exit.USAGE,
        )
    if is_store(db) and filtered:
        fail("The filters are for calls of a cache.", "Give --all, or --call UUID.", Exit.USAGE)
    if unredacted:
        vcons = full_vcons(db, served_ids(db, wanted) if filtered else calls, options)
    else:
        settings = resolve(flags)
        vcons = redacted_vcons(db, settings.policy, settings.model_rules().digest, calls, wanted, options)
    _write(vcons, db, out)


def _write(vcons: Any, db: Path, out: Path | None) -> None:
    from gongctl.cli.output_file import refuse_overwriting, write_whole
    from gongctl.vcon.export import as_line

    if out is None:
        for vcon in vcons:
            write_bytes((as_line(vcon) + "\n").encode("utf-8", "backslashreplace"))
        return
    refuse_overwriting(out, (db,))
    lines = [as_line(vcon) for vcon in vcons]
    write_whole(out, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
    note(f"{counted(len(lines), 'vCon')} written to {out}.")


@app.command("validate", cls=LightCommand)
@not_sensitive
def validate_vcons(paths: Paths, level: LevelOption = "core-03", as_json: AsJson = False) -> None:
    """Check vCons against a draft of the IETF, or leniently. Every finding names its place; no value is printed.

    Exit code 1 when one is invalid.
    """
    from gongctl.ingest.records import Rejected, Skipped
    from gongctl.vcon.findings import VconRefused
    from gongctl.vcon.forms import open_form
    from gongctl.vcon.intake import values_of
    from gongctl.vcon.validate import validate

    chosen = _level(level)
    checked: list[tuple[str, Verdict | None, str]] = []
    for item in values_of(_files(paths, None)):
        if isinstance(item, Skipped):
            continue
        if isinstance(item, Rejected):
            checked.append((str(item.place), None, item.reason))
            continue
        where, value = str(item[0]), item[1]
        try:
            checked.append((where, validate(open_form(value).vcon, chosen), ""))
        except VconRefused as refused:
            checked.append((where, None, refused.message))
    wrong = sum(verdict is None or not verdict.valid for _, verdict, _ in checked)
    if as_json:
        emit_json(
            [
                {
                    "place": place,
                    "valid": verdict is not None and verdict.valid,
                    "level": chosen,
                    "findings": [] if verdict is None else [finding.as_dict() for finding in verdict.findings],
                    **({"reason": reason} if reason else {}),
                }
                for place, verdict, reason in checked
            ]
        )
    else:
        for place, verdict, reason in checked:
            if reason:
                emit_text(f"{place}: {reason}")
            for finding in verdict.findings if verdict is not None else ():
                emit_text(f"{place}: {finding.severity} {finding.code} {finding.path or '/'}: {finding.message}")
        emit_text(f"{counted(len(checked), 'vCon')} checked by {chosen}: {wrong:,} invalid.")
    if wrong:
        raise SystemExit(int(Exit.FAILED))


@app.command("show", cls=LightCommand)
@sensitive("a vCon as it is")
def show_vcon(
    reference: Annotated[str, typer.Argument(metavar="REF", help="A uuid; in a cache also a call id or alias.")], db: Db
) -> None:
    """Print one vCon, all of it."""
    emit_json(_one(db, reference))


@app.command("diff", cls=LightCommand)
@sensitive("what stands in vCons")
def diff_vcons(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A file, or a reference in --db.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="A file, or a reference in --db.")],
    db: Annotated[Path | None, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="A store or cache.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print what differs between two vCons, by path. Exit code 1 when something does."""
    from gongctl.vcon.diff import differences

    found = differences(_either(db, first), _either(db, second))
    if as_json:
        emit_json([item.as_dict() for item in found])
    else:
        print_differences(found)
    if found:
        raise SystemExit(int(Exit.FAILED))


def print_differences(found: list[Any]) -> None:
    """Print differences (``gongctl.vcon.diff``), one a line."""
    marks = {"added": "+", "removed": "-", "changed": "~"}
    for item in found:
        said = [json_text(value, compact=True) for value in _sides(item)]
        emit_text(f"{marks[item.kind]} {item.path or '/'}: {' -> '.join(said)}")
    if not found:
        emit_text("No difference.")


def _sides(item: Any) -> list[Any]:
    if item.kind == "changed":
        return [item.before, item.after]
    return [item.after if item.kind == "added" else item.before]


@app.command("verify", cls=LightCommand)
@not_sensitive
def verify_vcons(
    paths: Paths,
    key: Annotated[
        Path, typer.Option("--key", metavar="FILE", help="Public key: PEM, a certificate, a JWK or JWK set.")
    ],
    as_json: AsJson = False,
) -> None:
    """Check the signatures of signed vCons (JWS) with a key. Exit code 1 when one is not valid, or none is there."""
    from gongctl.ingest.records import Rejected, Skipped
    from gongctl.vcon.findings import VconRefused
    from gongctl.vcon.forms import load_key, verify
    from gongctl.vcon.intake import values_of

    try:
        public = load_key(key)
    except VconRefused as refused:
        fail(f"{key}: {refused.message}.", "Give the signer's public key.", Exit.USAGE)
    out: list[dict[str, Any]] = []
    for item in values_of(_files(paths, None)):
        if isinstance(item, Skipped):
            continue
        if isinstance(item, Rejected):
            out.append({"place": str(item.place), "valid": False, "reason": item.reason, "signatures": []})
            continue
        place, value = item
        try:
            found = verify(value if isinstance(value, dict) else {}, public)
        except VconRefused as refused:
            out.append({"place": str(place), "valid": False, "reason": refused.message, "signatures": []})
            continue
        signatures = [{"algorithm": s.algorithm, "valid": s.valid, "reason": s.reason} for s in found]
        out.append({"place": str(place), "valid": any(s.valid for s in found), "reason": "", "signatures": signatures})
    if as_json:
        emit_json(out)
    else:
        for one in out:
            why = one["reason"] or "; ".join(s["reason"] for s in one["signatures"] if s["reason"])
            emit_text(f"{one['place']}: {'valid' if one['valid'] else 'NOT VALID'}" + (f" ({why})" if why else ""))
    if not out or not all(one["valid"] for one in out):
        raise SystemExit(int(Exit.FAILED))


# --- what the commands share ---


def _level(text: str) -> Level:
    from gongctl.vcon.validate import LEVELS

    for level in LEVELS:
        if text.casefold() == level:
            return level
    fail(f"--level is one of {', '.join(LEVELS)}.", "", Exit.USAGE)


def _files(paths: list[Path], db: Path | None) -> list[InputFile]:
    from gongctl.cli.import_cmd import input_files

    return input_files(paths, db, "vCons")


def _one(db: Path, reference: str) -> Vcon:
    from gongctl.vcon.export import Options, full_vcons
    from gongctl.vcon.note import without_note

    return without_note(next(iter(full_vcons(db, [reference], Options()))))


def _either(db: Path | None, name: str) -> Any:
    """Return the vCon that *name* is: of a file, or of the store or cache."""
    path = Path(name)
    if path.is_file():
        from gongctl.ingest.records import Rejected, Skipped
        from gongctl.vcon.intake import values_of

        for item in values_of(_files([path], None)):
            if isinstance(item, Rejected | Skipped):
                raise StartupRefusal(f"{name} holds no vCon: {item.reason}.", "", Exit.USAGE)
            return item[1]
        raise StartupRefusal(f"{name} holds no vCon.", "", Exit.USAGE)
    if db is None:
        fail(f"There is no file {name}.", "Name a file, or give --db and a reference in it.", Exit.USAGE)
    return _one(db, name)
