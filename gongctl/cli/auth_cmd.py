"""``gongctl auth``: the keys and credentials of other services."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from gongctl.cli.lazy import LazyGroup, LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note, table
from gongctl.cli.output_file import refuse_overwriting, write_whole
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

app = typer.Typer(
    cls=LazyGroup,
    help="Credentials of Gong's API, and what the server needs to know other services by.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Credentials of Gong's API, and what the server needs to know other services by."""


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


BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Where Gong's API is, in place of GONG_BASE_URL.")
]


@app.command("check")
@not_sensitive
def check_key(
    base_url: BaseUrl = None, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Ask Gong what the key may do: one small request for each endpoint that sync reads.

    Exit code 1 when one is refused.
    """
    import asyncio

    from gongctl.gong.check import check
    from gongctl.gong.credentials import find_credentials
    from gongctl.gong.pace import Pace, Quota
    from gongctl.gong.retry import Patience

    credentials = find_credentials(base_url=base_url)
    pace = Pace(credentials.account, Quota.of(os.environ))
    found = asyncio.run(check(credentials, pace, Patience(attempts=3)))
    if as_json:
        emit_json(
            {
                "base_url": credentials.base_url,
                "scheme": credentials.scheme,
                "source": credentials.source,
                "endpoints": [
                    {
                        "endpoint": item.endpoint,
                        "scope": item.scope,
                        "allowed": item.allowed,
                        "request_id": item.request_id,
                        "message": item.message,
                    }
                    for item in found
                ],
                "requests_today": pace.used().requests,
                "requests_per_day": pace.daily,
            }
        )
    else:
        emit_text(f"{credentials.scheme} credentials from {credentials.source}, {credentials.base_url}.\n")
        table(
            ("endpoint", "scope", "may it", "request id"),
            [(item.endpoint, item.scope, "yes" if item.allowed else "no", item.request_id) for item in found],
        )
        for item in found:
            if item.message:
                note(item.message)
    if not all(item.allowed for item in found):
        raise SystemExit(int(Exit.FAILED))


@app.command("login")
@not_sensitive
def login(
    bearer: Annotated[bool, typer.Option("--bearer", help="An access token of OAuth instead of a key.")] = False,
    base_url: BaseUrl = None,
    stdin: Annotated[
        bool,
        typer.Option("--stdin", help="Read from standard input: the key and its secret, or the token, a line each."),
    ] = False,
) -> None:
    """Keep the credentials of Gong's API in the system's keyring. They are asked for and not shown."""
    from gongctl.gong.credentials import BASE_URL, KEY, KEY_SECRET, TOKEN, given_credentials, keep_in_keyring

    names = (TOKEN,) if bearer else (KEY, KEY_SECRET)
    credentials = given_credentials({name: _asked(name, stdin) for name in names}, base_url or BASE_URL)
    keep_in_keyring(credentials)
    emit_text(f"Kept in the keyring: {credentials.scheme} credentials for {credentials.base_url}.")
    note("Next: gongctl auth check")


def _asked(name: str, from_stdin: bool) -> str:
    import getpass
    import sys

    if from_stdin:
        return sys.stdin.readline().strip()
    if not sys.stdin.isatty():
        fail("There is no terminal to ask for the credentials.", "Give them with --stdin.", Exit.USAGE)
    return getpass.getpass(f"{name}: ").strip()


@app.command("logout")
@not_sensitive
def logout() -> None:
    """Remove the credentials of Gong's API from the system's keyring."""
    from gongctl.gong.credentials import forget_in_keyring

    emit_text("Removed from the keyring." if forget_in_keyring() else "The keyring holds no credentials of gongctl.")
