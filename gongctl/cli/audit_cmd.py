"""``gongctl audit``: what the audit log of a server says. The work is in ``gongctl.audit``."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, heading, note, paragraph, table
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from gongctl.audit.exposure import CallExposure, Exposure, Left
    from gongctl.audit.reading import AuditLog
    from gongctl.purge.select import Criteria
    from gongmcp.audit.record import AuditRecord

app = typer.Typer(
    help="Read a server's audit log: who asked what, what was withheld, what of a call left.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Log = Annotated[Path, typer.Argument(metavar="AUDIT", help="The file that gongmcp --audit names.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="From this day or time on (UTC unless it says otherwise).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_LOOK_EVERY: Final = 0.5
_HEADERS: Final = {"transport": "by", "name": "asked for"}


def open_log(path: Path, since: str | None) -> AuditLog:
    """Return the log at *path* from *since* on; refuses a log that cannot be read and a time that is none."""
    from gongctl.audit.reading import AuditLog, moment

    return AuditLog(path, None if since is None else moment(since))


def tell_passed_over(log: AuditLog) -> None:
    """Say on stderr how many lines of *log* were no records."""
    if log.torn:
        note(
            f"Lines that are no records: {log.torn:,} (a killed server leaves the beginning of one; it answered none)."
        )
    if log.newer:
        note(f"Lines of a newer version, passed over: {log.newer:,}.")


@app.command("tail", cls=LightCommand)
@not_sensitive
def tail(
    log: Log,
    lines: Annotated[int, typer.Option("-n", "--lines", min=0, help="How many records.")] = 20,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on with what is written from now on.")] = False,
    token: Annotated[str | None, typer.Option("--token", metavar="LABEL", help="Of this token alone.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Of this tool alone.")] = None,
    refused: Annotated[bool, typer.Option("--refused", help="Requests that were refused alone.")] = False,
    since: Since = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each record as one line of JSON.")] = False,
) -> None:
    """Print the last records, oldest first."""
    from collections import deque

    found = open_log(log, since)

    def wanted(record: AuditRecord) -> bool:
        return (
            (token is None or record.token == token)
            and (tool is None or record.tool == tool)
            and (record.refused or not refused)
        )

    last = deque(filter(wanted, found), maxlen=lines)
    tell_passed_over(found)
    for record in last:
        _print_record(record, as_json=as_json)
    if follow:
        sys.stdout.flush()
        for record in filter(wanted, _following(log)):
            _print_record(record, as_json=as_json)
            sys.stdout.flush()


def _following(path: Path) -> Iterator[AuditRecord]:
    """Yield what is appended to the file at *path* from now on, through rotations."""
    import msgspec

    from gongmcp.audit.record import NewerLine, decode

    file, rest = path.open("rb"), b""
    file.seek(0, os.SEEK_END)
    while True:
        moved = _is_moved(file, path)  # asked first: nothing is written to a file that was moved aside
        piece = file.read()
        *whole, rest = (rest + piece).split(b"\n")
        for line in filter(None, whole):
            with suppress(msgspec.MsgspecError, NewerLine):
                yield decode(line)
        if moved:
            file.close()
            file, rest = path.open("rb"), b""
        elif not piece:
            time.sleep(_LOOK_EVERY)


def _is_moved(file: BinaryIO, path: Path) -> bool:
    """Tell whether another file than *file* stands at *path*."""
    try:
        return not os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False  # between two files


def _print_record(record: AuditRecord, *, as_json: bool) -> None:
    if as_json:
        import msgspec

        emit_json(msgspec.to_builtins(record), compact=True)
        return
    from gongctl.audit.report import name_of

    who = record.token or record.transport
    figures = [counted(record.rows, "row"), counted(record.bytes, "byte"), f"{record.ms:.0f} ms"]
    if record.calls:
        figures.append(counted(len(record.calls), "call"))
        figures.append(counted(sum(call.segments for call in record.calls), "segment"))
    if record.withheld:
        figures.append(f"{sum(record.withheld.values()):,} withheld")
    if not record.method:
        figures = [counted(record.count, "request")]
    parts = [record.time, who, record.client, name_of(record), record.outcome, ", ".join(figures)]
    emit_text("  ".join(part for part in parts if part))


@app.command("report", cls=LightCommand)
@not_sensitive
def report_log(log: Log, since: Since = None, as_json: Json = False) -> None:
    """Print who asked what, what was withheld by which rule, what was refused, and the slowest answers."""
    from gongctl.audit.report import report

    found = open_log(log, since)
    figures = report(found).as_json() | {"torn_lines": found.torn, "newer_lines": found.newer}
    if as_json:
        emit_json(figures)
        return
    tell_passed_over(found)
    total = figures["total"]
    if not total["requests"]:
        emit_text("No requests.")
        return
    paragraph(
        f"{counted(total['requests'], 'request')} from {figures['first']} to {figures['last']}, "
        f"{total['refused']:,} refused; {counted(total['rows'], 'row')}, {counted(total['bytes'], 'byte')}, "
        f"{counted(total['calls'], 'different call')}."
    )
    asked = ("token", "client", "transport", "name", "requests", "refused", "rows", "segments", "calls")
    _part("Who asked what", figures["asked"], asked)
    _part("Withheld by rule", figures["withheld"], ("rule", "things", "answers"))
    _part("Refused", figures["refused"], ("outcome", "token", "client", "name", "requests"))
    _part("Slowest", figures["slowest"], ("ms", "time", "token", "client", "name", "outcome"))
    _part("Policies", figures["policies"], ("policy", "preset", "requests"))


def _part(title: str, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
    if rows:
        emit_text("")
        heading(title)
        table([_HEADERS.get(name, name) for name in columns], [[_cell(row[name]) for name in columns] for row in rows])


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "–"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


@app.command("exposure", cls=LightCommand)
@sensitive("ids of calls", case="unless --no-ids", when=lambda values: not values["no_ids"])
def exposure_of(
    log: Log,
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache that was served.")],
    call: Annotated[str | None, typer.Option("--call", metavar="ID", help="A call, by id or alias.")] = None,
    account: Annotated[
        str | None, typer.Option("--account", metavar="NAME", help="Calls with a CRM account of this name.")
    ] = None,
    participant: Annotated[
        str | None, typer.Option("--participant", metavar="EMAIL", help="Calls that this person took part in.")
    ] = None,
    no_ids: Annotated[bool, typer.Option("--no-ids", help="Name calls by their aliases alone.")] = False,
    since: Since = None,
    as_json: Json = False,
) -> None:
    """Print what left of a call, of an account's calls or of a person's calls.

    When, to which token and client, by which tool, under which policy, and what share of the transcripts. The calls
    are found in the cache; the log names none.
    """
    from gongctl.audit.exposure import exposure
    from gongctl.cache.connection import reading
    from gongctl.cache.migrations import version_of
    from gongctl.governance.calls import secret_of
    from gongctl.purge.select import select
    from gongmcp.store.schema import SCHEMA_VERSION

    criteria = _criteria(call, account, participant)
    found = open_log(log, since)
    with reading(db) as connection:
        if version_of(connection) < SCHEMA_VERSION:
            raise StartupRefusal(
                f"The cache {db} has an older schema.",
                f"Run: gongctl cache init --db {shlex.quote(str(db))}",
                Exit.CACHE,
            )
        selection = select(connection, criteria)
        # A call that was purged since is known by the id that was given.
        ids = {*selection.call_ids, *selection.unknown}
        seen = exposure(found, connection, secret_of(connection), ids)
    tell_passed_over(found)
    if selection.alike:
        note(f"Calls whose account's name holds this one and is not it: {selection.alike:,}; they were not looked at.")
    if selection.unknown:
        note("The cache has no call of that id (any more): shares of its transcript are not known.")
    if seen.other_cache:
        note(f"Answers of another cache, which this one cannot resolve: {seen.other_cache:,}.")
    if as_json:
        emit_json(seen.as_json(ids=not no_ids))
    else:
        _print_exposure(seen, ids=not no_ids)


def _criteria(call: str | None, account: str | None, participant: str | None) -> Criteria:
    from gongctl.purge.select import Criteria

    if sum(value is not None for value in (call, account, participant)) != 1:
        fail("Give one of --call, --account and --participant.", "", Exit.USAGE)
    if call is not None:
        return Criteria("call", calls=(call,))
    if account is not None:
        return Criteria("account", accounts=(account,))
    return Criteria("participant", participants=(str(participant),))


def _print_exposure(seen: Exposure, *, ids: bool) -> None:
    if not seen.asked:
        emit_text("The cache has no such call, so nothing of it was looked for.")
        return
    segments = sum(len(call.all.segments) for call in seen.calls)
    paragraph(
        f"Something left of {len(seen.calls):,} of {counted(seen.asked, 'call')}, in "
        f"{counted(seen.answers, 'answer')}: {counted(segments, 'different segment')}."
    )
    for call in seen.calls:
        emit_text("")
        heading(f"{call.call_ref} ({call.call_id})" if ids else call.call_ref)
        emit_text(_left_text(call, call.all))
        for reader, left in sorted(call.readers.items(), key=lambda item: (item[1].first, item[0])):
            emit_text(f"  to {reader.token or '(no token)'}, {reader.client or '(no name)'}, {reader.transport}:")
            emit_text(f"    {_left_text(call, left)}")
        emit_text("  by " + ", ".join(f"{tool} {count:,}" for tool, count in sorted(call.tools.items())))
        policies = ", ".join(
            f"{policy}{f' ({preset})' if preset else ''} {count:,}"
            for (policy, preset), count in sorted(call.policies.items())
        )
        emit_text(f"  under policy {policies}")


def _left_text(call: CallExposure, left: Left) -> str:
    shares = call.shares(left)
    share = "" if shares["percent_of_segments"] is None else f" ({shares['percent_of_segments']:g} % of the transcript"
    if share and shares["percent_of_text"] is not None:
        share += f", {shares['percent_of_text']:g} % of its text"
    return (
        f"{counted(left.answers, 'answer')}, {left.first} to {left.last}; {shares['segments']:,} of "
        f"{shares['segments_in_all']:,} segments{share + ')' if share else ''}"
    )


@app.command("key", cls=LightCommand)
@not_sensitive
def make_key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
) -> None:
    """Make a key for gongmcp --audit-arguments. Whoever has it reads the arguments that are kept."""
    from gongmcp.audit.sealing import new_key

    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as out:
                out.write(new_key() + "\n")
        except OSError:
            file.unlink(missing_ok=True)  # no key, and the next attempt would not write over it
            raise
    except FileExistsError:
        fail(
            f"{file} exists.",
            "A key is never written over: what it sealed could not be read again.",
            Exit.USAGE,
        )
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.", "Name another file.", Exit.FAILED)
    emit_text(f"Key written to {file}. Start the server with --audit FILE --audit-arguments {file}.")
