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
Values = list[str] | None


def _of_calls(name: str, metavar: str, what: str) -> Any:
    return typer.Option(f"--scope-{name}", metavar=metavar, help=f"No call but {what} (may be repeated).")


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
    from_date: Annotated[
        str | None, typer.Option("--scope-from-date", metavar="DAY", help="No call before this day (UTC).")
    ] = None,
    to_date: Annotated[
        str | None, typer.Option("--scope-to-date", metavar="DAY", help="No call after this day (UTC).")
    ] = None,
    workspaces: Annotated[Values, _of_calls("workspace", "ID", "those of this workspace")] = None,
    scopes: Annotated[Values, _of_calls("call-scope", "WORD", "External, Internal or Unknown ones")] = None,
    languages: Annotated[Values, _of_calls("language", "NAME", "those in this language, as Gong names it")] = None,
    purposes: Annotated[Values, _of_calls("purpose", "TEXT", "those with this purpose")] = None,
    primary_users: Annotated[Values, _of_calls("primary-user", "ID", "those of this user")] = None,
    lifecycle_buckets: Annotated[Values, _of_calls("lifecycle-bucket", "NAME", "those of this builtin bucket")] = None,
    denied: Annotated[
        Values,
        typer.Option(
            "--scope-deny", metavar="KEY=VALUE", help="No call with this, as languages=eng (may be repeated)."
        ),
    ] = None,
    no_private: Annotated[
        bool, typer.Option("--scope-no-private-calls", help="No private call, if the server serves them.")
    ] = False,
    vcon_profile: Annotated[
        str | None,
        typer.Option("--vcon-profile", metavar="NAME", help="No tool of gongctl vcon serve beyond this profile's."),
    ] = None,
    vcon_categories: Annotated[
        str | None,
        typer.Option("--vcon-categories", metavar="NAMES", help="No vCon tool beyond these categories (comma list)."),
    ] = None,
    rate: Annotated[int | None, typer.Option("--rate", metavar="N", help="Requests that it may send a minute.")] = None,
    as_json: Json = False,
) -> None:
    """Make a token, print it once, and keep its salted digest in the file.

    What it may see is what the server serves, less what is given here; a token never widens it. It counts against an
    evidence budget of its own. What --scope-... leaves out does not exist for it, in no answer and no count.
    """
    from gongctl.tokens.asked import scope_of
    from gongctl.tokens.book import Wanted, period
    from gongctl.tokens.book import mint as make

    wanted = Wanted(
        label,
        period(expires),
        preset,
        None if allowlist is None else allowlist.split(","),
        () if switches is None else switches.split(","),
        rate,
        scope_of(
            {
                "from_date": from_date,
                "to_date": to_date,
                "workspaces": workspaces,
                "scopes": scopes,
                "languages": languages,
                "purposes": purposes,
                "primary_users": primary_users,
                "lifecycle_buckets": lifecycle_buckets,
                "private_calls": "deny" if no_private else None,
            },
            denied or (),
        ),
        vcon_profile,
        None if vcon_categories is None else vcon_categories.split(","),
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
                narrowed_words(record),
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
        "scope": record.scope,
        "vcon_profile": record.profile,
        "vcon_categories": None if record.categories is None else list(record.categories),
        "per_minute": record.per_minute,
    }


def narrowed_words(record: TokenRecord) -> str:
    """Return what a token gets less than the server serves, in short; ``nothing`` where it gets all."""
    from gongctl.tokens.asked import in_words

    tools = "" if record.allowlist is None else f"{len(record.allowlist)} tools"
    scope = "" if record.scope is None else f"calls with {in_words(record.scope)}"
    vcons = [part for part in (record.profile, *(record.categories or ())) if part]
    vcon = f"vCon tools of {', '.join(vcons)}" if vcons else ""
    parts = (record.preset or "", tools, ", ".join(record.switches), scope, vcon)
    return "; ".join(part for part in parts if part) or "nothing"


def _until(record: TokenRecord) -> str:
    return "valid for ever" if record.expires is None else f"valid until {_time(record.expires)}"


def _time(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
