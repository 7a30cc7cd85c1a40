"""``gongctl import``: files -> cache. Parsing of arguments and printing; the work is in ``ingest`` and ``cache``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gongctl.cli.output import counted, emit_json, emit_text, fail, note, table
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.cache.status import CacheStatus
    from gongctl.cache.upsert import ImportReport, KindCount
    from gongctl.ingest import InputFile, Record, Rejected, Skipped

app = typer.Typer(
    help="Read files of calls and transcripts into a cache.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

_LISTED: Final = 20
"""Rejections that are printed; ``--json`` has as many as the report keeps."""


@app.callback()
def group() -> None:
    """Read files of calls and transcripts into a cache."""


@app.command("gong")
@not_sensitive
def import_gong(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders of files.")],
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file; made when it is missing.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import answers of Gong's public API: calls, transcripts, users, trackers, scorecards, CRM.

    Whole responses, pages, arrays and JSON lines, plain or gzip'd; told by content. A second run of the
    same files changes nothing. Exit code 1 when anything was rejected; the rest is imported all the same.
    """
    from gongctl.ingest import read

    import_files(input_files(paths, db), db, read, as_json=as_json)


@app.command("auto")
@not_sensitive
def import_auto(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders of files.")],
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file; made when it is missing.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import what other programs copied of Gong, told by content: Airbyte, Singer or Meltano, the Go gongctl, vCons.

    Understood are lines of JSON of Airbyte's and Singer's messages and of their destinations, the SQLite cache of
    the Go gongctl, vCons and vCon stores, and all that import gong reads. Exit code 2 when a file is none of these and
    nothing else was there.
    """
    from collections import Counter
    from functools import partial

    from gongctl.ingest.detect import SOURCES, Origin, Unknown, read_detected, source_of
    from gongctl.ingest.files import Unreadable

    files = input_files(paths, db)
    why = ""
    for file in files:
        try:
            source_of(file)
            break
        except (Unknown, Unreadable) as error:
            why = why or f"{file.name}: {error}"
    else:
        fail(
            f"Nothing here can be imported. {why}.",
            "Give lines of JSON of Airbyte or Singer, the database of the Go gongctl, vCons, or answers of Gong's API.",
            Exit.USAGE,
        )
    found: Counter[Origin] = Counter()
    import_files(
        files,
        db,
        partial(read_detected, found=found),
        as_json=as_json,
        said=lambda: {SOURCES[origin]: count for origin, count in found.items()},
    )


def import_files(
    files: list[InputFile],
    db: Path,
    read: Callable[..., Iterable[Record | Rejected | Skipped]],
    *,
    as_json: bool,
    said: Callable[[], dict[str, int]] | None = None,
) -> None:
    """Import what *read* yields of *files* and print what became of it; *said* counts the files by where they are from.

    Raises:
        SystemExit: it was interrupted, or something was rejected.
    """
    from gongctl.cache.status import cache_status
    from gongctl.cache.upsert import ImportReport, import_records, space_needed
    from gongctl.cache.writer import CacheWriter
    from gongctl.cli.progress import bytes_progress

    packed = sum(file.size for file in files if file.path.suffix == ".gz")
    report = ImportReport()
    interrupted = False
    try:
        with CacheWriter.open(db, create=True) as writer:
            writer.require_space(space_needed(sum(file.size for file in files) - packed, packed), "This import")
            with bytes_progress("Importing") as progress:
                import_records(writer, read(files, progress=progress), report=report)
    except KeyboardInterrupt:
        interrupted = True
        if not db.exists():
            note("Interrupted before anything was imported.")
            raise SystemExit(int(Exit.INTERRUPTED)) from None
    status = cache_status(db)
    if as_json:
        origins = {} if said is None else {"sources": said()}
        emit_json(_as_json(report, status, interrupted) | origins)
    else:
        if said is not None:
            emit_text("Read: " + ", ".join(f"{name} ({count:,} files)" for name, count in said().items()) + ".\n")
        _print_summary(report, status)
    _print_rejected(report)
    if interrupted:
        note(
            f"Interrupted: {report.accepted:,} records are safely in the cache. "
            "Run the same command again to go on; what is there is passed over."
        )
        raise SystemExit(int(Exit.INTERRUPTED))
    if status.next:
        why = "does not hold this data yet" if status.freshness == "stale" else "has not been built yet"
        note(f"The read model {why}. Run: {status.next[0]}")
    if report.rejected_count:
        raise SystemExit(int(Exit.FAILED))


def input_files(paths: list[Path], db: Path | None, what: str = "Gong's API answers") -> list[InputFile]:
    """Return the files to read, which hold *what*. The cache *db* may lie in a folder of them: it is no input."""
    from gongctl.cache.writer import real_path
    from gongctl.ingest import find_files

    cache = None if db is None else real_path(db)
    sidecars = ("", "-wal", "-shm", "-journal", ".lock")
    own = set() if cache is None else {cache.with_name(cache.name + suffix) for suffix in sidecars}
    files: list[InputFile] = []
    for path in paths:
        try:
            files.extend(file for file in find_files([path]) if file.path.resolve() not in own)
        except OSError as error:
            fail(
                f"{error.filename or path} cannot be read: {error.strerror}.",
                "Name files or folders that exist.",
                Exit.USAGE,
            )
    if not files:
        fail("There is no file in the given folders.", f"Name a folder that holds {what}.", Exit.USAGE)
    return files


def _any(count: KindCount) -> bool:
    return bool(count.new or count.changed or count.unchanged or count.rejected)


def _place(item: Rejected) -> dict[str, Any]:
    place = item.place
    return {"file": place.path, "line": place.line, "page": place.page, "item": place.item}


def _as_json(report: ImportReport, status: CacheStatus, interrupted: bool) -> dict[str, Any]:
    return {
        "db": status.db,
        "interrupted": interrupted,
        "kinds": {
            kind: {
                "new": count.new,
                "changed": count.changed,
                "unchanged": count.unchanged,
                "rejected": count.rejected,
            }
            for kind, count in (*report.kinds.items(), *((("vcon", report.vcons),) if _any(report.vcons) else ()))
        },
        "kept_out": report.kept_out,
        "imported_segments": report.segments,
        "rejected_count": report.rejected_count,
        "rejected": [{**_place(item), "kind": item.kind, "reason": item.reason} for item in report.rejected],
        "skipped_files": [item.path for item in report.skipped],
        "cache": status.raw,
        "freshness": status.freshness,
        "dirty_calls": status.dirty_calls,
        "next": status.next,
        "seconds": round(report.seconds, 4),
        "parts": {name: round(seconds, 4) for name, seconds in report.parts.items()},
    }


def _print_summary(report: ImportReport, status: CacheStatus) -> None:
    rows = [
        (kind.replace("_", " "), f"{c.new:,}", f"{c.changed:,}", f"{c.unchanged:,}", f"{c.rejected:,}")
        for kind, c in report.kinds.items()
        if _any(c)
    ]
    vcons = report.vcons
    if _any(vcons):
        rows.append(("vcon", f"{vcons.new:,}", f"{vcons.changed:,}", f"{vcons.unchanged:,}", f"{vcons.rejected:,}"))
    if report.unknown_rejected:
        rows.append(("(unknown)", "0", "0", "0", f"{report.unknown_rejected:,}"))
    table(("kind", "new", "changed", "unchanged", "rejected"), rows)
    raw = status.raw
    emit_text(
        f"\nThe cache {status.db} now holds {counted(raw['calls'], 'call')}, "
        f"{counted(raw['transcripts'], 'transcript')}, {counted(raw['segments'], 'segment')}, "
        f"{counted(raw['users'], 'user')}."
    )
    if raw["waiting_transcripts"]:
        emit_text(f"{raw['waiting_transcripts']:,} transcripts wait for their calls, which are not imported yet.")
    if report.kept_out:
        emit_text(f"{report.kept_out:,} records were kept out: their calls were purged, or name a restricted customer.")
    if not report.changed:
        emit_text("Nothing has changed.")


def _print_rejected(report: ImportReport) -> None:
    for item in report.rejected[:_LISTED]:
        note(f"Rejected {item.place}: {item.reason}.")
    if report.rejected_count > _LISTED:
        note(f"... and {report.rejected_count - _LISTED:,} more; --json lists up to {len(report.rejected):,}.")
    for part in report.skipped:
        if part.part:
            note(f"Passed over {part.path}: {part.reason}.")
    files = [file for file in report.skipped if not file.part]
    if files:
        names = ", ".join(file.path for file in files[:3])
        more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
        note(f"Passed over, no JSON: {names}{more}.")
