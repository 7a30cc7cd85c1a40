"""``gongctl tui``: the operator's preview over one cache, and what it may do to that cache."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.output import fail
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongmcp.errors import Exit
from gongmcp.settings import ServerSettings
from gongmcp.store.crm_names import CrmNames

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


class CacheOperations:
    """The TUI's ``Operations`` on the cache at *db*, whose CRM has *names* (None = the defaults)."""

    def __init__(self, db: Path, names: CrmNames | None = None) -> None:
        self._db = db
        self._names = names

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        """Build or renew the read model; see ``tui.operations.Operations``.

        Raises:
            StartupRefusal: the cache cannot be written.
        """
        from gongctl.cache.warm import warm
        from gongctl.cache.writer import CacheWriter

        with CacheWriter.open(self._db) as writer:
            report = warm(writer, progress=progress, should_stop=should_stop, names=self._names)
        return f"Redone: {report.redone:,} of {report.looked_at:,} calls looked at, {report.segments:,} segments."


def interactive() -> bool:
    """Return whether somebody can look at a screen and type."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_preview(settings: ServerSettings, db: Path) -> None:
    """Run the preview over the cache at *db* until the operator leaves it.

    Raises:
        StartupRefusal: the file is no usable cache.
    """
    handler = open_handler(settings, db)  # before Textual: a refusal needs no screen
    from tui.app import PreflightApp

    names = CrmNames.load(settings.crm) if settings.crm else None
    PreflightApp(handler, CacheOperations(db, names)).run()


@app.command("tui", epilog=EPILOG)
@takes_policy
def tui(
    flags: Mapping[str, Any],
    db: Annotated[
        Path | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Preview on screen, for any tool, what an agent would receive and what is withheld and why.

    The policy flags are those of gongmcp; what is shown is what an agent of that server would get.
    """
    if db is None:
        fail("The preview needs a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if not interactive():
        fail(
            "The preview needs a terminal.",
            "Without one, gongctl mcp call NAME --db PATH --explain --text prints the same.",
            Exit.USAGE,
        )
    open_preview(resolve(flags), db)
