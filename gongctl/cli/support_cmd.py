"""``gongctl support``: what may be sent to somebody who helps. The work is in ``gongctl.support``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, json_text, table
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive

app = typer.Typer(
    help="What may be sent to somebody who helps.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def group() -> None:
    """What may be sent to somebody who helps."""


@app.command("bundle", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def bundle(
    flags: Mapping[str, Any],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new or empty folder for the files.")],
    db: Annotated[
        Path | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to tell of.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write files that tell how this installation is: versions, settings, counts, checks. Nothing of customers.

    manifest.json says what is in them and what is not. Read them before you send them.
    """
    from gongctl.doctor.cache_checks import look_at
    from gongctl.doctor.client_checks import clients
    from gongctl.doctor.machine import clock, environment
    from gongctl.support.bundle import NOT_IN, write_bundle

    settings = resolve(flags)
    findings = [*environment(os.environ), *clock(os.environ), *clients(os.environ)]
    if db is not None:
        findings += look_at(db, settings.model_rules())
    files = write_bundle(out, db, settings, findings, _tools(flags))
    if as_json:
        emit_json(
            {
                "out": str(out),
                "contains_customer_data": False,
                "files": [{"file": f.name, "file_bytes": f.file_bytes, "sha256": f.sha256} for f in files],
                "not_in": list(NOT_IN),
            }
        )
        return
    table(("file", "bytes"), [(f.name, f"{f.file_bytes:,}") for f in files])
    emit_text("\nNot in it:")
    for item in NOT_IN:
        emit_text(f"  {item}")
    emit_text(f"\nWritten to {out}, readable by you alone. Read the files before you send them.")


def _tools(flags: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the names of the tools that are offered, with what their definitions cost a model."""
    from gongmcp.render.size import estimate_tokens

    told = []
    for tool in open_handler(resolve(flags)).tools():
        form = json_text({"description": tool.description, "inputSchema": tool.input_schema}, compact=True)
        told.append({"name": tool.name, "tokens_estimate": estimate_tokens(form)})
    return told
