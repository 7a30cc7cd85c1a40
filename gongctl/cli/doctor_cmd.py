"""``gongctl doctor``: look over an installation. The work is in ``gongctl.doctor``."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, table
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gongctl.doctor.findings import Finding

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("doctor", cls=LightCommand)
@not_sensitive
def doctor(
    db: Annotated[
        Path | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to look at.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="The server's settings file, as for cache warm.")
    ] = None,
    restricted: Annotated[
        Path | None, typer.Option("--ai-governance-config", metavar="FILE", help="The restricted list in force.")
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every page of the cache and start the servers of all clients.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="End with 1 for warnings too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look at environment, permissions, schema, freshness, indexes, disk, clock and clients, and say what to do.

    Changes nothing. Exit code 1 when something failed.
    """
    from gongctl.doctor.findings import STATUSES

    found = list(_findings(db, config, restricted, deep=deep))
    counts = Counter(finding.status for finding in found)
    failed = bool(counts["fail"] or (strict and counts["warn"]))
    if as_json:
        emit_json(
            {
                "healthy": not failed,
                "counts": {status: counts[status] for status in STATUSES},
                "findings": [finding.as_json() for finding in found],
            }
        )
    else:
        table(("", "area", "check", "found"), [(f.status, f.area, f.check, f.message) for f in found])
        todo = [finding for finding in found if finding.status in ("warn", "fail") and finding.remedy]
        if todo:
            emit_text("\nWhat to do:")
        for finding in todo:
            emit_text(f"  {finding.area}, {finding.check}: {finding.remedy}")
        emit_text("\n" + ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status]) + ".")
    if failed:
        raise SystemExit(int(Exit.FAILED))


def _findings(db: Path | None, config: Path | None, restricted: Path | None, *, deep: bool) -> Iterator[Finding]:
    from gongctl.cli.cache_cmd import model_policy
    from gongctl.doctor.cache_checks import look_at
    from gongctl.doctor.client_checks import clients
    from gongctl.doctor.findings import Finding
    from gongctl.doctor.machine import clock, environment
    from gongmcp.errors import StartupRefusal
    from gongmcp.store.model import ModelRules

    yield from environment(os.environ)
    yield from clock(os.environ)
    rules = ModelRules()
    try:
        rules = model_policy(config, restricted).settings.model_rules()
    except StartupRefusal as refusal:
        yield Finding("environment", "policy", "fail", refusal.message, refusal.hint)
    if db is None:
        yield Finding("cache", "file", "skip", "No cache was named.", "Give --db PATH or set GONGCTL_DB.")
    else:
        yield from look_at(db, rules, deep=deep)
    yield from clients(os.environ, start=deep)
