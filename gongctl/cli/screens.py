"""Options of the commands that open screens, and the screens in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gongctl.cli.output import fail, note
from gongctl.cli.restricted import is_blocking
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.approval.reviewing import CacheReviewing
    from gongmcp.settings import ServerSettings

Ascii = Annotated[
    bool,
    typer.Option("--ascii", help="Draw no lines, bars and arrows, but letters: for terminals that have no others."),
]
"""Whether the screens are drawn with plain signs."""

Web = Annotated[bool, typer.Option("--web", help="Show the screens in a browser on this machine (extra web).")]
"""Whether the screens are shown in a browser."""

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="With --web: the port; 0 is any that is free.")]
"""Port of the loopback interface on which a browser finds the screens."""

AccessTokens = Annotated[
    Path | None,
    typer.Option(
        "--access-tokens",
        envvar="GONGMCP_ACCESS_TOKENS",
        metavar="FILE",
        help="Access tokens to mint and take back on screen: the file of gongctl token.",
    ),
]
"""The file of access tokens that the screens may change."""

_WEB_DRIVER = "textual.drivers.web_driver:"


def interactive() -> bool:
    """Return whether somebody can look at a screen and type: at a terminal, or at a browser that serves as one."""
    if os.environ.get("TEXTUAL_DRIVER", "").startswith(_WEB_DRIVER):
        return True
    return sys.stdin.isatty() and sys.stdout.isatty()


def reviewing_of(settings: ServerSettings, db: Path, config: Path | None, first: str = "") -> CacheReviewing:
    """Return the review of the cache *db* under *settings*; *config* is their file, *first* the tool to begin with."""
    from gongctl.approval.reviewing import CacheReviewing
    from gongctl.approval.state import ReviewState, state_folder

    state = ReviewState(state_folder())
    return CacheReviewing(db, settings, state, config=config, restricted=is_blocking(), first=first)


def open_review(
    reviewing: CacheReviewing,
    settings: ServerSettings,
    db: Path,
    config: Path | None,
    tool: str = "",
    *,
    ascii: bool,  # noqa: A002
    access_tokens: Path | None = None,
) -> None:
    """Open the screens at the queue. The lock is what is written there, so it does not bind what is on show."""
    from dataclasses import replace

    from gongctl.cli.operations import CacheOperations
    from gongctl.cli.policy_options import open_handler
    from gongctl.cli.token_operations import token_file
    from gongctl.vcon.browse import BrowsedVcons
    from tui.app import PreflightApp

    settings = replace(settings, lock=None)
    handler = open_handler(settings, db)
    blocked = is_blocking()
    operations = CacheOperations(db, settings, config=config, restricted=blocked)
    PreflightApp(
        handler,
        operations,
        settings=settings,
        restricted=blocked,
        reviewing=reviewing,
        vcons=None if blocked else BrowsedVcons(db),
        tokens=token_file(access_tokens, settings),
        tool=tool,
        ascii=ascii,
    ).run()


def show_in_browser(port: int) -> None:
    """Serve the screens of the command that runs, which each browser's page runs anew without ``--web``."""
    try:
        from gongctl.web.serve import serve
    except ImportError:
        fail("The browser needs the extra web.", "pip install 'gongctl[web]'", Exit.USAGE)

    def tell(address: str) -> None:
        note(f"Open {address} in a browser on this machine. The address is a key to it: give it to nobody.")
        note("Ctrl+C ends it.")

    serve([sys.executable, "-m", "gongctl", *_without_web(sys.argv[1:])], port, tell)


def _without_web(arguments: list[str]) -> list[str]:
    """Return *arguments* without ``--web`` and ``--port``."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument == "--web" or argument.startswith("--port="):
            skip = False
        elif argument == "--port":
            skip = True
        else:
            kept.append(argument)
    return kept
