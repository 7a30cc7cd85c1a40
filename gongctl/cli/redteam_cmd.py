"""``gongctl redteam``: an adversary against the server. The work is in ``gongctl.governance.redteam``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.completion import preset_names
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note, table
from gongctl.cli.policy_options import EPILOG, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.governance.redteam import RedteamReport

app = typer.Typer(
    help="Play an adversary against the server.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.command(cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def redteam(
    flags: Mapping[str, Any],
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Whose tools are attacked.", autocompletion=preset_names)
    ],
    db: Annotated[
        Path | None,
        typer.Option("--db", metavar="PATH", help="Plant the secrets in a copy of this cache, not in an empty one."),
    ] = None,
    budget: Annotated[int, typer.Option("--budget", min=110, max=1_000_000, help="Tries in all.")] = 2000,
    text: Annotated[bool, typer.Option("--text", help="Print for people instead of JSON.")] = False,
) -> None:
    """Attack the real stdio server under a preset, and report what was won and which rule should have stopped it.

    Secrets are planted in a copy of the cache, which is removed again. The report holds no value. Ends with 6 when an
    attack won.
    """
    from gongctl.governance.redteam import redteam as play

    if {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    given = {**flags, "tool_preset": preset}
    settings = resolve(given)
    if settings.restricted is None:
        note("No restricted list is given: the planted customer is the only one.")
    report = play(given, settings, db, budget=budget)
    if text:
        _print(report)
    else:
        emit_json(report.as_json())
    raise SystemExit(int(Exit.LEAK if report.wins else Exit.OK))


def _print(report: RedteamReport) -> None:
    emit_text(
        f"Preset {report.preset}; {report.restricted_names} restricted names; looked for: {', '.join(report.secrets)}."
    )
    table(
        ("attack", "tries", "seconds", "won", "what it saw"),
        [
            (item.attack, f"{item.tries:,}", f"{item.seconds:.1f}", str(len(item.won)), item.skipped or item.note)
            for item in report.attacks
        ],
    )
    for item in report.attacks:
        for what in item.won:
            emit_text(f"{item.attack} won: {what}. Should stop it: {item.rule}.")
    if not report.wins:
        emit_text("Nothing was won.")
