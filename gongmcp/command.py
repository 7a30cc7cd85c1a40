"""Parsing of the ``gongmcp`` command line, and what it starts."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongmcp import __version__
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.refusals import refused
from gongmcp.settings import SETTINGS, ServerSettings

if TYPE_CHECKING:
    from gongmcp.exposure.evidence import Session
    from gongmcp.handler import ToolHandler
    from gongmcp.http_settings import HttpSettings
    from gongmcp.protocol.observe import Observer
    from gongmcp.serving import Serving
    from gongmcp.settings_file import SettingsFile


_SAID = 50
"""Lines about what differs from the lock."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise refused("usage", problem=message[:1].upper() + message[1:] + ".")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; every policy flag comes from ``SETTINGS``."""
    out = _Parser(
        prog="gongmcp",
        description="Read-only MCP server over a local cache of Gong calls, on standard input or HTTP.",
        epilog="Set-up of clients: docs/mcp-server.md. Tools and schemas: gongctl mcp tools.",
        allow_abbrev=False,
    )
    out.add_argument("--version", action="version", version=f"gongmcp {__version__}")
    out.add_argument("--db", metavar="PATH", help="The cache file (required).")
    out.add_argument("--config", metavar="FILE", help="Settings as TOML; environment and flags are stronger.")
    out.add_argument("--list-tool-presets", action="store_true", help="Print the tool presets and exit.")
    out.add_argument("--json", action="store_true", help="With --list-tool-presets: print JSON.")
    for setting in SETTINGS:
        alone: dict[str, Any] = {"nargs": "?", "const": "yes"} if setting.truth else {}
        text = f"{setting.help} [{setting.env}]"
        out.add_argument(setting.flag, dest=setting.name, metavar="VALUE", help=text, **alone)
    return out


def run(argv: Sequence[str]) -> int:
    """Serve until the client leaves; returns the exit code. A refusal is one sentence and a hint on stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="gongmcp: %(levelname)s %(message)s")
    try:
        options = parser().parse_args(list(argv))
        if options.list_tool_presets:
            return _list_presets(as_json=options.json)
        if options.json:
            raise refused("usage", problem="--json goes with --list-tool-presets alone.")
        if not options.db:
            raise refused("no_cache_given")
        flags = {setting.name: getattr(options, setting.name) for setting in SETTINGS}

        def read() -> ServerSettings:
            return ServerSettings.resolve(flags, os.environ, _file(options.config))

        settings = read()
        if settings.restricted is not None and settings.policy.tools is None and settings.lock is None:
            raise refused("governance_needs_tools")
        if settings.http is not None:
            return _serve_http(settings, settings.http, Path(options.db), read)
        return _serve(settings, Path(options.db), read)
    except StartupRefusal as refusal:
        print(f"gongmcp: {refusal.message}", file=sys.stderr)
        if refusal.hint:
            print(f"hint: {refusal.hint}", file=sys.stderr)
        return int(refusal.exit_code)
    except SystemExit as stop:  # --help and --version
        return int(stop.code or Exit.OK) if not isinstance(stop.code, str) else int(Exit.USAGE)


def _file(name: str | None) -> SettingsFile | None:
    if name is None:
        return None
    from gongmcp.settings_file import read_settings_file  # a server without the flag does not pay for it

    return read_settings_file(Path(name))


def _list_presets(*, as_json: bool) -> int:
    from gongmcp.catalog.presets import PRESETS

    described = [preset.describe() for preset in PRESETS]
    text = json.dumps(described, indent=2, ensure_ascii=False) if as_json else "\n".join(map(_preset_text, described))
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader has seen enough; the interpreter's own flush at exit shall not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.OK


def _preset_text(preset: Mapping[str, Any]) -> str:
    aliases = f" (also {', '.join(preset['aliases'])})" if preset["aliases"] else ""
    lines = [f"{preset['name']}{aliases}: {preset['purpose']}", f"for {preset['recommended_for']}"]
    if preset["switches"]:
        lines.append(f"turns on {', '.join(preset['switches'])}")
    if preset["governance_compatible"]:
        lines.append("suits a governance list")
    behind = preset["tool_count"] - preset["listed_count"]
    told = f" ({preset['listed_count']} listed, the others behind them)" if behind else ""
    lines.append(f"{preset['tool_count']} tools{told}: {', '.join(preset['tools'])}")
    return "\n  ".join(lines)


def _serve(settings: ServerSettings, db: Path, reread: Callable[[], ServerSettings]) -> int:
    from gongmcp.audit.opening import open_observer
    from gongmcp.exposure.evidence import EvidenceSession
    from gongmcp.serving import Serving, reloaded

    observer = open_observer(settings.audit)
    serving = Serving(settings, db, session=EvidenceSession(), observer=observer)
    from gongmcp.protocol.stdio import serve_stdio  # the SDK; a refusal does not wait for it

    _tell_surface(serving.base, settings)
    _tell_secret(observer, serving)

    def reload() -> bool:
        done = reloaded(reread, serving)
        return done is not None and done.tighter

    if sys.stdin is not None and sys.stdin.isatty():
        print("gongmcp: waiting for an MCP client on standard input, which a client opens itself", file=sys.stderr)
        print("hint: gongctl mcp install puts this command line into a client. Ctrl-C ends it.", file=sys.stderr)
    return serve_stdio(serving.handler, reload)


def _serve_http(settings: ServerSettings, http: HttpSettings, db: Path, reread: Callable[[], ServerSettings]) -> int:
    from gongmcp.audit.opening import open_observer
    from gongmcp.protocol.http.serve import HttpServer, serve_http
    from gongmcp.serving import Serving

    if settings.policy.tools is None and settings.lock is None:
        raise refused("http_needs_tools")
    timed = replace(settings, tool_timeout=http.http_tool_timeout or settings.tool_timeout)
    told = False

    def open_serving(session: Session, observer: Observer | None) -> Serving:
        nonlocal told
        serving = Serving(timed, db, session=session, observer=observer, wait=http.wait_for_cache)
        if not told:
            _tell_surface(serving.base, settings)
            told = True
        _tell_secret(observer, serving)
        return serving

    return serve_http(HttpServer(http, open_serving, lambda: open_observer(settings.audit), reread))


def _tell_secret(observer: Observer | None, serving: Serving) -> None:
    """Let the audit log key what it says of requests that reach no read model, too."""
    from gongmcp.audit.opening import Observers

    if isinstance(observer, Observers) and (model := serving.base.model()) is not None:
        observer.know(model.secret)


def _tell_surface(handler: ToolHandler, settings: ServerSettings) -> None:
    """Say on standard error what differs from the lock, or which tools a server without one offers."""
    from gongmcp.render.surface import surface_note

    drift = handler.drift()
    for difference in drift[:_SAID]:
        print(f"gongmcp: lock: {difference}", file=sys.stderr)
    if len(drift) > _SAID:
        print(f"gongmcp: lock: and {len(drift) - _SAID} more; gongctl mcp drift lists them", file=sys.stderr)
    note = surface_note(handler, settings) if settings.lock is None else ""
    if note:
        print(f"gongmcp: {note}", file=sys.stderr)
