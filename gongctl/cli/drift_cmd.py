"""``gongctl mcp drift``: what differs from the lock, for people and for a check in CI."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note, table
from gongctl.cli.policy_options import EPILOG, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("drift", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def drift(
    flags: Mapping[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """List what differs from the lock (--lock FILE): tools, policy, prompts, samples and the shape of the data.

    Ends with 5 when anything does, and when the data could not be looked at.
    """
    from gongctl.approval.drift import find_drift
    from gongmcp.approval.lock import DEFAULT_NAME, read_lock

    if not db:
        fail("To look for drift takes a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    settings = resolve(flags)
    path = settings.lock or Path(DEFAULT_NAME)
    lock = read_lock(path)
    found = find_drift(settings, Path(db), lock)
    if as_json:
        emit_json(
            {
                "lock": str(path),
                "approved_by": lock.approved_by,
                "approved_at": lock.approved_at,
                "looked_at_data": found.looked_at_data,
                "drift": [one.as_dict() for one in found.drift],
            }
        )
    elif found.drift:
        table(
            ["kind", "name", "change", "detail"], [[one.kind, one.name, one.change, one.detail] for one in found.drift]
        )
    elif found.looked_at_data:
        emit_text(f"Nothing differs from what {lock.approved_by} approved on {lock.approved_at}.")
    if not found.looked_at_data:
        note("The data was not looked at: the cache holds no read model of these settings. Warm it first.")
    raise SystemExit(int(Exit.DRIFT if found.drift or not found.looked_at_data else Exit.OK))
