"""``gongctl vcon serve``. The work is in ``gongctl.vcon.serving``."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import note
from gongctl.cli.restricted import sensitive

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("serve", cls=LightCommand)
@sensitive("vCons as they are, to every client")
def serve_vcons(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="The vCon store; no cache of calls.")],
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="NAME", help="full, readonly, user, admin, minimal or public. [MCP_TOOLS_PROFILE]"
        ),
    ] = None,
    taxonomy: Annotated[
        Path | None, typer.Option("--taxonomy", metavar="FILE", help="What is known of the corpus, as YAML.")
    ] = None,
    http: Annotated[
        str | None, typer.Option("--http", metavar="HOST:PORT", help="Serve over HTTP in place of standard input.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--bearer-token-file", metavar="FILE", help="What lets clients in over HTTP.")
    ] = None,
    access_tokens: Annotated[
        Path | None,
        typer.Option("--access-tokens", metavar="FILE", help="Tokens of gongctl token mint; each may have less tools."),
    ] = None,
) -> None:
    """Serve a vCon store to MCP clients: tools that read, and, unless the profile says otherwise, tools that write.

    MCP_ENABLED_CATEGORIES, MCP_DISABLED_CATEGORIES and MCP_DISABLED_TOOLS choose further; an unknown name refuses to
    start. Over HTTP the variables of gongmcp (GONGMCP_...) hold here too.
    """
    from gongctl.vcon.serving import chosen, open_handler, serve, serve_over_http
    from gongmcp.refusals import refused
    from gongmcp.settings import ServerSettings

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="gongctl vcon: %(levelname)s %(message)s")
    choice = chosen(profile, os.environ)
    handler = open_handler(db, choice, taxonomy=taxonomy)
    names = [tool.name for tool in handler.tools()]
    writes = sum(not tool.annotations["readOnlyHint"] for tool in handler.tools())
    note(f"gongctl vcon: {len(names)} tools, {writes} of them write; vCons leave as they are.")
    if http is None:
        raise typer.Exit(serve(handler))
    handler.close()
    given = {"http": http, "bearer_token_file": token_file, "access_tokens": access_tokens}
    settings = ServerSettings.resolve(given, os.environ).http
    if settings is None:
        raise refused("http_no_address", place="--http")
    raise typer.Exit(serve_over_http(db, choice, settings, taxonomy=taxonomy))
