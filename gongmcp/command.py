"""Parsing of the ``gongmcp`` command line, and what it starts."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gongmcp import __version__
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.settings import SETTINGS, ServerSettings


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise StartupRefusal(message[:1].upper() + message[1:] + ".", "See gongmcp --help.")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; every policy flag comes from ``SETTINGS``."""
    out = _Parser(
        prog="gongmcp",
        description="Read-only MCP server over a local cache of Gong calls (stdio).",
        epilog="Set-up of clients: docs/mcp-server.md. Tools and schemas: gongctl mcp tools.",
        allow_abbrev=False,
    )
    out.add_argument("--version", action="version", version=f"gongmcp {__version__}")
    out.add_argument("--db", type=Path, metavar="PATH", help="The cache file (required).")
    for setting in SETTINGS:
        out.add_argument(setting.flag, dest=setting.name, metavar="VALUE", help=f"{setting.help} [{setting.env}]")
    return out


def run(argv: Sequence[str]) -> int:
    """Serve until the client leaves; returns the exit code. A refusal is one sentence and a hint on stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="gongmcp: %(levelname)s %(message)s")
    try:
        options = parser().parse_args(list(argv))
        if options.db is None:
            raise StartupRefusal("No cache is given.", "Start with: gongmcp --db PATH.")
        settings = ServerSettings.resolve(
            {setting.name: getattr(options, setting.name) for setting in SETTINGS}, os.environ
        )
        return _serve(settings, options.db)
    except StartupRefusal as refusal:
        print(f"gongmcp: {refusal.message}", file=sys.stderr)
        if refusal.hint:
            print(f"hint: {refusal.hint}", file=sys.stderr)
        return int(refusal.exit_code)
    except SystemExit as stop:  # --help and --version
        return int(stop.code or Exit.OK) if not isinstance(stop.code, str) else int(Exit.USAGE)


def _serve(settings: ServerSettings, db: Path) -> int:
    from gongmcp.handler import build_handler
    from gongmcp.protocol.stdio import serve_stdio
    from gongmcp.render.surface import surface_note

    handler = build_handler(settings, db)
    note = surface_note(handler, settings)
    if note:
        print(f"gongmcp: {note}", file=sys.stderr)
    return serve_stdio(lambda: handler)
