"""``gongctl demo``: the product at work on the bundled sample, on screen or as a printed story."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from gongctl.cli.explain import explain_text
from gongctl.cli.output import emit_text, heading, note, paragraph, table
from gongctl.cli.policy_options import open_handler
from gongctl.cli.restricted import not_sensitive
from gongctl.cli.screens import interactive
from gongctl.cli.tui_cmd import open_preview
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.settings import ServerSettings

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

TOOL: Final = "search_transcript_segments"
QUERY: Final = '"free cash flow"'
_MARK: Final = "sample"
"""Key in ``meta`` by which a demo's cache is known: no other cache is ever filled with the sample."""


@app.command("demo")
@not_sensitive
def demo(
    db: Annotated[
        Path | None,
        typer.Option("--db", metavar="PATH", help="Keep the cache in this file (default: a temporary one)."),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the story instead of opening the preview.")] = False,
) -> None:
    """Build a cache from ten bundled calls and show what an agent would receive of it.

    On a terminal it opens the preview; with --text, or without a terminal, it prints the same story.
    No account and no network is needed.
    """
    answered = True
    with _place(db) as path:
        note("Building a cache from the bundled sample of ten calls ...")
        build_sample(path)
        settings = ServerSettings()  # the defaults, whatever the environment sets: the story is the same everywhere
        if interactive() and not text:
            open_preview(settings, path)
        else:
            answered = _tell(settings, path)
    _next_steps(db)
    if not answered:
        raise SystemExit(int(Exit.FAILED))


@contextmanager
def _place(db: Path | None) -> Iterator[Path]:
    if db is not None:
        yield db
        return
    with tempfile.TemporaryDirectory(prefix="gongctl-demo-") as folder:
        yield Path(folder) / "sample.db"


def build_sample(path: Path) -> None:
    """Fill the cache at *path* with the bundled sample and warm it; again is harmless.

    Raises:
        StartupRefusal: the file exists and is not a cache that a demo made, or it cannot be written.
    """
    from gongctl import sample
    from gongctl.cache.connection import reading
    from gongctl.cache.upsert import import_records
    from gongctl.cache.warm import warm
    from gongctl.cache.writer import CacheWriter
    from gongctl.cli.progress import items_progress
    from gongctl.ingest import find_files, read

    if path.exists():
        with reading(path) as connection:
            known = connection.execute("SELECT 1 FROM meta WHERE key = ?", (_MARK,)).fetchone()
            filled = connection.execute("SELECT 1 FROM raw_calls LIMIT 1").fetchone()
        if filled and not known:
            raise StartupRefusal(
                f"{path} is a cache of your own; the sample is not mixed into it.",
                f"Name a new file, or look at this one: gongctl tui --db {shlex.quote(str(path))}",
                Exit.USAGE,
            )
    with CacheWriter.open(path, create=True) as writer:
        if writer.meta(_MARK) is None:
            with writer.transaction():
                writer.set_meta(_MARK, "earnings-21")
        import_records(writer, read(find_files(sample.files())))
        with items_progress("Warming") as progress:
            warm(writer, progress=progress)


def _tell(settings: ServerSettings, path: Path) -> bool:
    """Print the story: what the cache holds, one search as an agent sees it, what was withheld.

    Returns whether the search was answered.
    """
    from gongctl.cache.status import cache_status

    status = cache_status(path)
    heading("The cache")
    served = status.read_model
    paragraph(
        "Ten recorded earnings calls of Earnings-21 (Rev, CC BY-SA 4.0) in the shape of Gong's answers; "
        "ids, people's records and CRM around the real speech are invented. "
        f"What agents are served is {status.freshness}" + (f", as of {served.as_of}." if served else ".")
    )
    if served is not None:
        table(
            ["", "imported", "served to agents"],
            [
                [name, f"{status.raw[name]:,}", f"{getattr(served, name):,}"]
                for name in ("calls", "transcripts", "segments")
            ],
        )
    emit_text("")
    heading("An agent asks")
    emit_text(f"{TOOL} {{query: {QUERY}, limit: 3}}")
    emit_text("")
    outcome = open_handler(settings, path).call(TOOL, {"query": QUERY, "limit": 3})
    explain_text(outcome)
    return not outcome.answer.is_error


def _next_steps(db: Path | None) -> None:
    emit_text("")
    heading("What to try next")
    file = shlex.quote(str(db)) if db is not None else "demo.db"
    steps = [] if db is not None else [("gongctl demo --db demo.db", "keep the cache of the sample")]
    steps += [
        (f"gongctl tui --db {file}", "review on screen what each tool gives and withholds"),
        (
            f"gongctl mcp call {TOOL} --db {file} --set query=guidance --explain --text",
            "dry-run another search",
        ),
        ("gongctl mcp tools --text", "see which tools an agent is offered"),
        (f"gongmcp --db {file} --tool-preset operator-smoke", "serve five tools of it to an agent over stdio"),
        ("gongctl import gong PATH --db calls.db", "begin with calls of your own"),
    ]
    if shutil.which("gongctl") is None:
        emit_text(f'  export PATH="{Path(sys.executable).parent}:$PATH"\n      find the commands of this environment')
    for command, why in steps:
        emit_text(f"  {command}\n      {why}")
