"""``gongctl mcp install`` and ``uninstall``: this server in a client's configuration.

The work is in ``gongctl.clients``.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note
from gongctl.cli.policy_options import EPILOG, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.clients.known import Client
    from gongctl.clients.probe import Probe

_SETTINGS: Final[dict[str, Any]] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "add_completion": False,
}
install_app = typer.Typer(**_SETTINGS)
uninstall_app = typer.Typer(**_SETTINGS)

ClientName = Annotated[
    str, typer.Option("--client", metavar="CLIENT", help="claude-desktop, claude-code, cursor, vscode or codex.")
]
ServerName = Annotated[str, typer.Option("--name", help="What the server is called in the client.")]
File = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="The client's configuration, where it is not the usual.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done and write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_SAID: Final = {
    "created": "Wrote",
    "added": "Added the server to",
    "replaced": "Changed the server in",
    "unchanged": "Nothing to change in",
    "restored": "Gave back the former bytes of",
    "removed_file": "Removed the file that installing had made:",
    "taken_out": "Took the server out of",
    "absent": "There is no such server in",
}
_WOULD: Final = _SAID | {
    "created": "Would write",
    "added": "Would add the server to",
    "replaced": "Would change the server in",
    "restored": "Would give back the former bytes of",
    "removed_file": "Would remove the file that installing had made:",
    "taken_out": "Would take the server out of",
}


@install_app.command("install", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def install_server(
    flags: Mapping[str, Any],
    client: ClientName,
    db: Annotated[
        Path | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to serve.")
    ] = None,
    name: ServerName = "gong",
    file: File = None,
    dry_run: DryRun = False,
    snippet: Annotated[bool, typer.Option("--snippet", help="Print what belongs into the file instead.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Then start what the file says and print what it offers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put this server into the configuration of an MCP client, under the policy of the given flags.

    What else stands in the file stays byte for byte, and a copy of it is kept. The command line is written out in
    full: variables of this shell as flags, files by absolute paths.
    """
    from gongctl.clients import snippets
    from gongctl.clients.command_line import server_command
    from gongctl.clients.install import install
    from gongctl.clients.known import client_named

    known = client_named(client)
    if db is None:
        fail("A server needs a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if verify and (dry_run or snippet):
        fail("--verify starts what stands in the file.", "Leave --dry-run and --snippet out.", Exit.USAGE)
    resolve(flags)  # what gongmcp would refuse is not written for a client to find out
    line = server_command(db, flags, os.environ)
    if snippet:
        emit_text(snippets.snippet(client, line, name=name).removesuffix("\n"))
        return
    if not db.exists():
        note(f"There is no cache at {db} yet.")
    done = install(known, _place(known, file), line, name=name, dry_run=dry_run)
    found = _probed(known, done.path, name) if verify else None
    if as_json:
        emit_json(
            {
                "client": client,
                "name": name,
                "file": str(done.path),
                "change": done.change,
                "dry_run": dry_run,
                "copy": str(done.copy) if done.copy is not None else None,
                "command_line": line,
                "verified": None if found is None else _probe_json(found, known, done.path, name),
            }
        )
        return
    emit_text(f"{(_WOULD if dry_run else _SAID)[done.change]} {done.path} ({known.title}).")
    emit_text(f"It starts: {shlex.join(line)}")
    if done.copy is not None and done.change == "created":
        emit_text(f"Nothing was there before; gongctl mcp uninstall --client {client} removes the file again.")
    elif done.copy is not None:
        emit_text(f"What was there before: {done.copy}; gongctl mcp uninstall --client {client} gives it back.")
    if found is not None:
        _print_probe(found, _preset_of(known, done.path, name))
    elif not dry_run and done.change != "unchanged":
        note(known.restart)


@uninstall_app.command("uninstall", cls=LightCommand)
@not_sensitive
def uninstall_server(
    client: ClientName, name: ServerName = "gong", file: File = None, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Take this server out of a client's configuration: the file has its former bytes again.

    If somebody changed the file since, only the server is taken out and the rest stays as it is.
    """
    from gongctl.clients.install import uninstall
    from gongctl.clients.known import client_named
    from gongctl.clients.snippets import check_name

    known = client_named(client)
    check_name(name)
    done = uninstall(known, _place(known, file), name=name, dry_run=dry_run)
    if as_json:
        emit_json({"client": client, "name": name, "file": str(done.path), "change": done.change, "dry_run": dry_run})
        return
    emit_text(f"{(_WOULD if dry_run else _SAID)[done.change]} {done.path} ({known.title}).")


def _place(client: Client, file: Path | None) -> Path:
    from gongctl.clients.known import own_config_path

    return file if file is not None else own_config_path(client, os.environ)


def _probed(client: Client, path: Path, name: str) -> Probe:
    """Start what the file says, as it lies on the disk now."""
    from gongctl.clients.edit import command_of
    from gongctl.clients.probe import probe

    found = command_of(client, path.read_bytes(), name)
    if found is None:
        fail(f"{path} holds no server of that name.", "Install it again.", Exit.FAILED)
    return probe(*found)


def _preset_of(client: Client, path: Path, name: str) -> str:
    """Return the preset that the written command line names; '' = none."""
    from gongctl.clients.edit import command_of
    from gongmcp.command import parser

    found = command_of(client, path.read_bytes(), name)
    line = found[0] if found is not None else []
    known, _ = parser().parse_known_args([text for text in line[1:] if text not in ("-m", "gongmcp")])
    return str(known.tool_preset or "")


def _probe_json(found: Probe, client: Client, path: Path, name: str) -> dict[str, Any]:
    return {
        "server": found.name,
        "version": found.version,
        "protocol": found.protocol,
        "preset": _preset_of(client, path, name) or None,
        "tools": list(found.tools),
        "tokens_estimate": found.tokens,
        "estimator": found.estimator,
        "seconds": round(found.seconds, 2),
    }


def _print_probe(found: Probe, preset: str) -> None:
    emit_text(
        f"Started as the client would: {found.name} {found.version}, protocol {found.protocol}, "
        f"{found.seconds:.1f} s to its list of tools."
    )
    emit_text(f"Preset: {preset or 'none on the command line'}. About {found.tokens:,} tokens of definitions.")
    emit_text(f"{len(found.tools)} tools: {', '.join(found.tools)}")
