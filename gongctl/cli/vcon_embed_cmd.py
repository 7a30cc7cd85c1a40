"""``gongctl vcon embed``: vectors of vCons. The work is in ``gongctl.semantic``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, note, table
from gongctl.cli.restricted import sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.semantic.build import Writing

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("embed", cls=LightCommand)
@sensitive("the texts of vCons", case="with --texts", when=lambda values: values["texts"] is not None)
def embed_vcons(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="A vCon store, or a cache.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take vectors of another model from JSON lines (see --texts)."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="With --from: what made the vectors.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --from: in place of another model's vectors of the same length.")
    ] = False,
    texts: Annotated[
        Path | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="Write the texts as JSON lines; with an embedding added to each line they are what --from reads.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Give vectors to the vCons that have none, so that they are found by meaning (needs gongctl[semantic]).

    With --from FILE vectors of another model are stored beside them, for callers who send an embedding of their own.
    """
    if texts is not None and source is not None:
        fail("--texts and --from are two things.", "Give one of them.", Exit.USAGE)
    if (source is None) != (model is None) or (replace and source is None):
        fail("--from FILE, --model NAME and --replace belong together.", "", Exit.USAGE)
    if texts is not None:
        _write_texts(db, texts, as_json=as_json)
    elif source is not None:
        _take_in(db, source, str(model), replace=replace, as_json=as_json)
    else:
        _build(db, as_json=as_json)


@contextmanager
def _opened(db: Path) -> Iterator[Writing]:
    from gongctl.cache.writer import CacheWriter
    from gongctl.vcon.store import VconStore, is_store

    if is_store(db):
        with VconStore.open(db) as store:
            yield store
    else:
        with CacheWriter.open(db) as writer:
            yield writer


def _build(db: Path, *, as_json: bool) -> None:
    from gongctl.cli.cache_cmd import interruptible
    from gongctl.cli.progress import items_progress
    from gongctl.semantic.build import build_vectors, require_model

    model = require_model()
    with _opened(db) as writer, interruptible() as stop, items_progress("Vectors") as progress:
        report = build_vectors(writer, progress=progress, should_stop=stop, model=model)
    if as_json:
        emit_json(
            {
                "db": str(db),
                "finished": report.finished,
                "vcons": report.vcons,
                "calls": report.calls,
                "vectors": report.vectors,
                "bytes": report.vector_bytes,
                "seconds": round(report.seconds, 4),
            }
        )
    else:
        emit_text(f"Vectors: {report.vectors:,} for {counted(report.vcons, 'vCon')}.")
    if not report.finished:
        note("Interrupted. Run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))


def _take_in(db: Path, source: Path, model: str, *, replace: bool, as_json: bool) -> None:
    from gongctl.semantic.build import require_model
    from gongctl.semantic.imported import import_vectors

    require_model()  # what packs the vectors comes with it
    try:
        with source.open("rb") as lines, _opened(db) as writer:
            report = import_vectors(writer, lines, model, replace=replace)
    except OSError as error:
        fail(f"{source} cannot be read: {error.strerror}.", "Name another file with --from.", Exit.USAGE)
    rejected = sum(report.rejected.values())
    if as_json:
        emit_json(
            {
                "db": str(db),
                "model": report.model,
                "dimensions": report.dimensions,
                "vcons": report.vcons,
                "vectors": report.vectors,
                "rejected": dict(sorted(report.rejected.items())),
            }
        )
    else:
        emit_text(
            f"Vectors: {report.vectors:,} of {report.dimensions} numbers for {counted(report.vcons, 'vCon')}, "
            f"{rejected:,} lines rejected."
        )
        if rejected:
            table(("why", "lines"), [(why, f"{count:,}") for why, count in sorted(report.rejected.items())])
    if rejected:
        raise SystemExit(int(Exit.FAILED))


def _write_texts(db: Path, out: Path, *, as_json: bool) -> None:
    from gongctl.cli.output_file import refuse_overwriting, write_whole
    from gongctl.semantic.imported import text_lines

    refuse_overwriting(out, (db,))
    with _opened(db) as writer:
        lines = list(text_lines(writer.connection))
    write_whole(out, b"".join(lines))
    if as_json:
        emit_json({"db": str(db), "texts": len(lines), "file": str(out)})
    else:
        emit_text(f"{counted(len(lines), 'text')} in {out}.")
