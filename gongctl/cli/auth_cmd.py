"""``gongctl auth``: the keys and credentials of other services."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gongctl.cli.lazy import LazyGroup, LightCommand
from gongctl.cli.output import emit_json, emit_text, fail
from gongctl.cli.output_file import refuse_overwriting, write_whole
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

app = typer.Typer(
    cls=LazyGroup,
    help="Fetch what the server needs to know other services by.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Fetch what the server needs to know other services by."""


@app.command("jwks-refresh", cls=LightCommand)
@not_sensitive
def jwks_refresh(
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The file that gongmcp --oidc-jwks reads.")],
    issuer: Annotated[
        str | None, typer.Option("--issuer", metavar="URL", help="The issuer; its keys are found by OpenID discovery.")
    ] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="The address of the key set itself.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetch the public keys that an issuer signs tokens with, and write them to a file.

    The server opens no connection: run this by a timer, and it picks the new file up while it runs.
    """
    if (issuer is None) == (url is None):
        fail("Either --issuer or --url says where the keys are.", "", Exit.USAGE)
    from gongctl.tokens.jwks import fetch_keys

    refuse_overwriting(to, ())
    fetched = fetch_keys(issuer=issuer, url=url)
    write_whole(to, fetched.document())
    if as_json:
        emit_json({"url": fetched.url, "file": to.name, "keys": fetched.ids()})
    else:
        emit_text(f"{len(fetched.keys)} keys from {fetched.url} written to {to.name}.")
