"""``gongctl token``: access tokens for agents that come over HTTP. The work is in ``gongctl.tokens``."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.completion import preset_names
from gongctl.cli.lazy import LazyGroup, LightCommand
from gongctl.cli.output import emit_json, emit_text, note, table
from gongctl.cli.restricted import not_sensitive

if TYPE_CHECKING:
    from gongmcp.identity.access_tokens import TokenRecord

app = typer.Typer(
    cls=LazyGroup,
    help="Mint, list and revoke access tokens for agents that come over HTTP.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

File = Annotated[
    Path,
    typer.Option(
        "--file", metavar="FILE", envvar="GONGMCP_ACCESS_TOKENS", help="The file that gongmcp --access-tokens reads."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("mint", cls=LightCommand)
@not_sensitive
def mint(
    file: File,
    label: Annotated[str, typer.Option("--label", metavar="WORD", help="Who uses it; stands in logs.")],
    expires: Annotated[str, typer.Option("--expires", metavar="TIME", help="12h, 90d, 2w or never.")] = "90d",
    preset: Annotated[
        str | None,
        typer.Option("--tool-preset", metavar="NAME", help="No tool beyond these.", autocompletion=preset_names),
    ] = None,
    allowlist: Annotated[
        str | None, typer.Option("--tool-allowlist", metavar="NAMES", help="No tool beyond these (comma list).")
    ] = None,
    switches: Annotated[
        str | None, typer.Option("--policy-switches", metavar="NAMES", help="Switches to turn on for it (comma list).")
    ] = None,
    rate: Annotated[int | None, typer.Option("--rate", metavar="N", help="Requests that it may send a minute.")] = None,
    as_json: Json = False,
) -> None:
    """Make a token, print it once, and keep its salted digest in the file.

    What it may see is what the server serves, less what is given here; a token never widens it. It counts against an
    evidence budget of its own.
    """
    from gongctl.tokens.book import Wanted, period
    from gongctl.tokens.book import mint as make

    wanted = Wanted(
        label,
        period(expires),
        preset,
        None if allowlist is None else allowlist.split(","),
        () if switches is None else switches.split(","),
        rate,
    )
    record, token = make(file, wanted)
    if as_json:
        emit_json({"token": token, **_described(record)})
    else:
        emit_text(token)
        note(f"This is the only time that it is shown. Id {record.id}, {_until(record)}.")


@app.command("list", cls=LightCommand)
@not_sensitive
def listed(file: File, as_json: Json = False) -> None:
    """List the tokens of a file: label, standing, what each gets less, never a token."""
    from gongctl.tokens.book import tokens

    records = tokens(file)
    if as_json:
        emit_json({"tokens": [_described(record) for record in records]})
        return
    if not records:
        emit_text("No token was minted yet.")
        return
    table(
        ("id", "label", "standing", "until", "narrowed to", "a minute"),
        [
            (
                record.id,
                record.label,
                record.standing(time.time()),
                _time(record.expires) or "for ever",
                _narrowed(record),
                str(record.per_minute or "as the server"),
            )
            for record in records
        ],
    )


@app.command("revoke", cls=LightCommand)
@not_sensitive
def revoke(
    name: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id or label.")], file: File, as_json: Json = False
) -> None:
    """Take a token back: a running server refuses it from its next request on."""
    from gongctl.tokens.book import revoke as take_back

    record = take_back(file, name)
    if as_json:
        emit_json(_described(record))
    else:
        emit_text(f"{record.label} ({record.id}) is revoked.")


def _described(record: TokenRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "label": record.label,
        "standing": record.standing(time.time()),
        "created": _time(record.created),
        "expires": _time(record.expires),
        "revoked": _time(record.revoked),
        "tool_preset": record.preset,
        "tool_allowlist": None if record.allowlist is None else list(record.allowlist),
        "policy_switches": list(record.switches),
        "per_minute": record.per_minute,
    }


def _narrowed(record: TokenRecord) -> str:
    tools = "" if record.allowlist is None else f"{len(record.allowlist)} tools"
    return "; ".join(part for part in (record.preset or "", tools, ", ".join(record.switches)) if part) or "nothing"


def _until(record: TokenRecord) -> str:
    return "valid for ever" if record.expires is None else f"valid until {_time(record.expires)}"


def _time(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
