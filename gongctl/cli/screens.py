"""Options of the commands that open screens, and the screens in a browser."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from gongctl.cli.output import fail, note
from gongmcp.errors import Exit

Ascii = Annotated[
    bool,
    typer.Option("--ascii", help="Draw no lines, bars and arrows, but letters: for terminals that have no others."),
]
"""Whether the screens are drawn with plain signs."""

Web = Annotated[bool, typer.Option("--web", help="Show the screens in a browser on this machine (extra web).")]
"""Whether the screens are shown in a browser."""

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="With --web: the port; 0 is any that is free.")]
"""Port of the loopback interface on which a browser finds the screens."""

_WEB_DRIVER = "textual.drivers.web_driver:"


def interactive() -> bool:
    """Return whether somebody can look at a screen and type: at a terminal, or at a browser that serves as one."""
    if os.environ.get("TEXTUAL_DRIVER", "").startswith(_WEB_DRIVER):
        return True
    return sys.stdin.isatty() and sys.stdout.isatty()


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
