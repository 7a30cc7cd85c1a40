"""``gongctl mcp replay``: recorded requests under another policy. The work is in ``gongctl.audit.replay``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.audit_cmd import Log, Since, open_log, tell_passed_over
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, heading, json_text, note, table
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongctl.cli.restricted import sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.audit.replay import Figures, Replay, Replayed
    from gongmcp.exposure.evidence import EvidenceSession
    from gongmcp.handler import ToolHandler

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

_SKIPPED = {
    "unknown_tool": "they named no tool that there is",
    "no_arguments": "their arguments were not kept (--audit-arguments)",
    "other_key": "their arguments are sealed with another key",
    "later_page": "they are pages behind a cursor, which belongs to the policy that made it",
}


@app.command("replay", cls=LightCommand, epilog=EPILOG)
@sensitive("the arguments of agents", case="with --show-arguments", when=lambda values: values["show_arguments"])
@takes_policy
def replay_log(
    flags: Mapping[str, Any],
    log: Log,
    key: Annotated[
        Path, typer.Option("--key", metavar="KEYFILE", help="The key that the server kept the arguments with.")
    ],
    since: Since = None,
    show_arguments: Annotated[bool, typer.Option("--show-arguments", help="Also print what the agents asked.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Run recorded requests again under another policy, and print what would change: rows, bytes, what is withheld.

    The policy is that of the flags, as for gongmcp: a preset, switches, a lock. No value is printed.
    """
    from gongctl.audit.replay import replay
    from gongmcp.audit.sealing import read_key_file

    if not db:
        fail("A replay needs a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    seal = read_key_file(key)
    settings = resolve(flags)
    open_handler(settings, Path(db))  # refuses what would not be served before anything is read

    def make(session: EvidenceSession) -> ToolHandler:
        from gongmcp.handler import build_handler

        return build_handler(settings, Path(db), session=session)

    found = open_log(log, since)
    replayed = replay(found, seal, make)
    tell_passed_over(found)
    for reason, count in sorted(replayed.skipped.items()):
        note(f"Requests left out: {count:,}; {_SKIPPED[reason]}.")
    if as_json:
        emit_json(replayed.as_json(arguments=show_arguments))
    else:
        _print(replayed, show_arguments=show_arguments)


def _print(replayed: Replay, *, show_arguments: bool) -> None:
    figures = replayed.as_json(arguments=False)
    if not replayed.requests:
        emit_text("Nothing was replayed.")
        return
    emit_text(
        f"{figures['replayed']:,} requests under policy {replayed.policy}: {figures['changed']:,} would be answered "
        f"otherwise. Rows {figures['rows']['then']:,} to {figures['rows']['now']:,}, bytes "
        f"{figures['bytes']['then']:,} to {figures['bytes']['now']:,}."
    )
    if figures["other_data"]:
        note(f"The cache has changed since {figures['other_data']:,} of them: a difference may come from the data.")
    rules = [(rule, both) for rule, both in figures["withheld"].items() if both["then"] != both["now"]]
    if rules:
        emit_text("")
        heading("Withheld by rule")
        table(["rule", "then", "now"], [[rule, f"{both['then']:,}", f"{both['now']:,}"] for rule, both in rules])
    if replayed.changed:
        emit_text("")
        heading("Requests")
        header = ["time", "token", "tool", "outcome", "rows", "bytes", "withheld"]
        table(
            [*header, "arguments"] if show_arguments else header,
            [_row(one, show_arguments=show_arguments) for one in replayed.changed],
        )


def _row(one: Replayed, *, show_arguments: bool) -> list[str]:
    def both(of: Any) -> str:
        then, now = of(one.then), of(one.now)
        return str(then) if then == now else f"{then} → {now}"

    def withheld(figures: Figures) -> int:
        return sum(figures.withheld.values())

    row = [one.time, one.reader.token or "–", one.tool, both(lambda f: f.outcome)]
    row += [both(lambda f: f.rows), both(lambda f: f.bytes), both(withheld)]
    return [*row, json_text(one.arguments, compact=True)] if show_arguments else row
