"""``gongctl tui``: the operator's preview over one cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.operations import CacheOperations
from gongctl.cli.output import fail
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, shows_ids, takes_policy
from gongctl.cli.restricted import is_blocking, sensitive
from gongctl.cli.screens import AccessTokens, Ascii, Port, Web, interactive, open_review, reviewing_of, show_in_browser
from gongmcp.errors import Exit
from gongmcp.settings import ServerSettings

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


def open_preview(
    settings: ServerSettings,
    db: Path,
    config: Path | None = None,
    *,
    ascii: bool = False,  # noqa: A002
    access_tokens: Path | None = None,
) -> None:
    """Run the preview over the cache at *db* until the operator leaves it; *config* is the settings file.

    *ascii* draws no lines, bars and arrows, but letters in their place; *access_tokens* is the file of tokens that may
    be changed.

    Raises:
        StartupRefusal: the file is no usable cache.
    """
    handler = open_handler(settings, db)  # before Textual: a refusal needs no screen
    from gongctl.cli.token_operations import token_file
    from tui.app import PreflightApp

    blocked = is_blocking()
    operations = CacheOperations(db, settings, config=config, restricted=blocked)
    tokens = token_file(access_tokens, settings)
    PreflightApp(handler, operations, settings=settings, restricted=blocked, tokens=tokens, ascii=ascii).run()


@app.command("tui", epilog=EPILOG)
@sensitive("call ids and speaker ids", case="under provenance raw", when=shows_ids)
@takes_policy
def tui(
    flags: Mapping[str, Any],
    db: Annotated[
        Path | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
    ascii: Ascii = False,  # noqa: A002
    web: Web = False,
    port: Port = 0,
    access_tokens: AccessTokens = None,
) -> None:
    """Preview on screen, for any tool, what an agent would receive and what is withheld and why.

    The policy flags are those of gongmcp; what is shown is what an agent of that server would get. It opens with the
    review of the tools; with --lock FILE it shows what a server under that lock serves.
    """
    if db is None:
        fail("The preview needs a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if web:
        open_handler(resolve(flags), db)  # a refusal is told here, not on a page
        show_in_browser(port)
        return
    if not interactive():
        fail(
            "The preview needs a terminal.",
            "Without one, gongctl mcp call NAME --db PATH --explain --text prints the same.",
            Exit.USAGE,
        )
    config = Path(flags["config"]) if "config" in flags else None
    settings = resolve(flags)
    if settings.lock is not None:  # what a server under the lock serves is looked at, not reviewed
        open_preview(settings, db, config, ascii=ascii, access_tokens=access_tokens)
    else:
        reviewing = reviewing_of(settings, db, config)
        open_review(reviewing, settings, db, config, ascii=ascii, access_tokens=access_tokens)
