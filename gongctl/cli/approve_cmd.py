"""``gongctl mcp approve``: write the lock of what an agent may be offered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.completion import preset_names, tool_names
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note, table
from gongctl.cli.output_file import refuse_overwriting
from gongctl.cli.policy_options import EPILOG, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit, StartupRefusal

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("approve", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def approve(
    flags: Mapping[str, Any],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="TOOL", help="Tools to approve.", autocompletion=tool_names)
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Approve the tools of a preset.", autocompletion=preset_names),
    ] = None,
    samples: Annotated[
        list[str] | None,
        typer.Option("--samples", metavar="FILE", help="JSON: sets of arguments by tool. May be repeated."),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who approves; else who runs this.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Run the samples of tools and write what they are, under this policy and data, into the lock (--lock FILE).

    The lock holds what this command names, and nothing of a lock that was there before. Commit it;
    gongmcp --lock FILE then serves nothing else.
    """
    from gongctl.approval.approve import approve as approved
    from gongctl.approval.approve import write_lock
    from gongctl.approval.samples import read_sample_sets
    from gongctl.cache.clock import utc_now
    from gongmcp.approval.lock import DEFAULT_NAME
    from gongmcp.catalog.presets import parse_allowlist

    if bool(names) == (preset is not None):
        fail("Give either names of tools or --preset NAME.", "gongctl mcp presets --text lists them.", Exit.USAGE)
    if not db:
        fail("To approve tools takes a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if preset is not None and {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    if "lock_mode" in flags:
        fail("--lock-mode says nothing here.", "It is for the server.", Exit.USAGE)
    settings = resolve({**flags, **({} if preset is None else {"tool_preset": preset})})
    path = settings.lock or Path(DEFAULT_NAME)
    refuse_overwriting(path, [Path(db), settings.restricted_path])
    offered = settings.policy.tools
    chosen = sorted(offered or ()) if preset is not None else sorted(parse_allowlist(names or ()))
    if offered is not None and (beyond := [name for name in chosen if name not in offered]):
        fail(f"These settings do not offer {', '.join(beyond)}.", "Choose the tools in one way.", Exit.USAGE)
    sets = read_sample_sets([Path(file) for file in samples or ()])
    if unused := sorted(sets.keys() - set(chosen)):
        fail(f"There are samples of tools that are not approved here: {', '.join(unused)}.", "", Exit.USAGE)
    before = _tools_of(path)
    lock = approved(settings, Path(db), chosen, sets, by=by or _who(), at=utc_now())
    write_lock(path, lock)
    dropped = sorted(before - lock.tools.keys())
    if as_json:
        emit_json(
            {
                "lock": str(path),
                "approved_by": lock.approved_by,
                "approved_at": lock.approved_at,
                "tools": [
                    {"name": name, "digest": tool.digest, "samples": [sample.status for sample in tool.samples]}
                    for name, tool in lock.tools.items()
                ],
                "dropped": dropped,
            }
        )
    else:
        table(
            ["tool", "samples", "their status"],
            [
                [name, str(len(tool.samples)), ", ".join(sample.status for sample in tool.samples)]
                for name, tool in lock.tools.items()
            ],
        )
        emit_text("")
        emit_text(f"Approved by {lock.approved_by}: {len(lock.tools)} tools, in {path}.")
    for name, tool in lock.tools.items():
        if not tool.samples:
            note(f"{name} has no sample here: nothing of it was run. Give some with --samples FILE.")
    if dropped:
        note(f"No longer approved: {', '.join(dropped)}.")


def _tools_of(path: Path) -> set[str]:
    """Return the tools of a lock that is there already; none when there is none that can be read."""
    from gongmcp.approval.lock import read_lock

    try:
        return set(read_lock(path).tools)
    except StartupRefusal:
        return set()


def _who() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise StartupRefusal("It is not known who runs this.", "Say who approves: --by NAME.") from None
