"""``gongctl mcp approve``: write the lock of what an agent may be offered."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.completion import preset_names, tool_names
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, note, table
from gongctl.cli.output_file import refuse_overwriting
from gongctl.cli.policy_options import EPILOG, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from gongctl.approval.approve import Renewal
    from gongmcp.approval.lock import Lock

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
    exempt: Annotated[
        list[str] | None,
        typer.Option(
            "--exempt",
            metavar="TOOL",
            help="Approve by definition and policy alone, without a sample. May be repeated.",
            autocompletion=tool_names,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="TOOL", help="No longer approve it. May be repeated.", autocompletion=tool_names
        ),
    ] = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="FILE", help="Also write the review record, in Markdown.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who approves; else who runs this.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Run the samples of tools and write what they are, under this policy and data, into the lock (--lock FILE).

    A lock that is there keeps its other tools, unless the policy is another one or the data has something new.
    Commit it; gongmcp --lock FILE then serves nothing else.
    """
    from gongctl.approval.approve import given, renew, write_lock
    from gongctl.approval.record import review_record
    from gongctl.approval.samples import read_sample_sets
    from gongctl.cache.clock import utc_now
    from gongctl.cli.output_file import write_whole
    from gongmcp.approval.lock import DEFAULT_NAME

    if names and preset is not None:
        fail("Give either names of tools or --preset NAME.", "gongctl mcp presets --text lists them.", Exit.USAGE)
    if not (names or preset is not None or exempt or drop):
        fail(
            "Give names of tools, --preset NAME, --exempt TOOL or --drop TOOL.",
            "gongctl mcp presets --text lists presets and their tools.",
            Exit.USAGE,
        )
    if not db:
        fail("To approve tools takes a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if preset is not None and {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    if "lock_mode" in flags:
        fail("--lock-mode says nothing here.", "It is for the server.", Exit.USAGE)
    settings = resolve({**flags, **({} if preset is None else {"tool_preset": preset})})
    path = settings.lock or Path(DEFAULT_NAME)
    for written in (path, *([] if record is None else [Path(record)])):
        refuse_overwriting(written, [Path(db), settings.restricted_path])
    offered = settings.policy.tools
    dropped, exempted = _named(drop), _named(exempt)
    chosen = set(offered or ()) if preset is not None else _named(names)
    if offered is not None and (beyond := sorted((chosen | exempted) - offered)):
        fail(f"These settings do not offer {', '.join(beyond)}.", "Choose the tools in one way.", Exit.USAGE)
    if both := sorted(dropped & ((exempted if preset is not None else chosen) | exempted)):
        fail(f"{', '.join(both)} cannot be approved and dropped at once.", "", Exit.USAGE)
    chosen -= exempted | dropped
    sets = read_sample_sets([Path(file) for file in samples or ()])
    if unused := sorted(sets.keys() - chosen):
        fail(f"There are samples of tools that are not approved here: {', '.join(unused)}.", "", Exit.USAGE)
    before = _lock_before(path)
    if not (chosen or exempted) and before is None:
        fail(f"There is no lock {path} to drop a tool from.", "", Exit.USAGE)
    if unknown := sorted(dropped - (set() if before is None else before.tools.keys()) - set(offered or ())):
        fail(f"The lock does not approve {', '.join(unknown)}.", "", Exit.USAGE)
    done = renew(
        settings,
        Path(db),
        chosen,
        given(sets),
        by=by or _who(),
        at=utc_now(),
        before=before,
        exempt=exempted,
        drop=dropped,
    )
    lock = done.lock
    write_lock(path, lock)
    if record is not None:
        write_whole(Path(record), review_record(lock, done.closed).encode())
    if as_json:
        emit_json(
            {
                "lock": str(path),
                "approved_by": lock.approved_by,
                "approved_at": lock.approved_at,
                "tools": [
                    {
                        "name": name,
                        "digest": tool.digest,
                        "samples": [sample.status for sample in tool.samples],
                        "exempt": tool.exempt,
                        "how": _how(name, done),
                    }
                    for name, tool in lock.tools.items()
                ],
                "dropped": sorted(done.lapsed),
            }
        )
    else:
        table(
            ["tool", "how", "samples", "their status"],
            [
                [name, _how(name, done), str(len(tool.samples)), _counted(sample.status for sample in tool.samples)]
                for name, tool in lock.tools.items()
            ],
        )
        emit_text("")
        emit_text(f"Approved by {lock.approved_by}: {counted(len(lock.tools), 'tool')}, in {path}.")
    for name, tool in lock.tools.items():
        if not tool.samples and not tool.exempt:
            note(f"{name} has no sample here: nothing of it was run. Give some with --samples FILE.")
    for name, faults in done.closed.items():
        note(f"{name}: a gate is closed. {faults[0]}")
    for reason in dict.fromkeys(done.lapsed.values()):
        gone = sorted(name for name, why in done.lapsed.items() if why == reason)
        note(f"No longer approved ({reason}): {', '.join(gone)}.")
    if lock.tools:
        same = ", with the same policy flags" if flags.keys() - {"lock"} else ""
        note(f"Next: gongmcp --db {shlex.quote(db)} --lock {shlex.quote(str(path))}{same}")


def _named(names: list[str] | None) -> set[str]:
    from gongmcp.catalog.presets import parse_allowlist

    return set(parse_allowlist(names)) if names else set()


def _how(name: str, done: Renewal) -> str:
    if done.lock.tools[name].exempt:
        return "exempt"
    if name in done.run:
        return "run"
    return "unchanged" if name in done.unchanged else "kept"


def _counted(words: Iterable[str]) -> str:
    counts = Counter(words)
    return ", ".join(word if count == 1 else f"{count} {word}" for word, count in counts.items())


def _lock_before(path: Path) -> Lock | None:
    """Return the lock that is there already; None when there is none.

    Raises:
        StartupRefusal: what is there cannot be read, so that it is not known what would be lost.
    """
    from gongmcp.approval.lock import read_lock

    return read_lock(path) if path.is_file() else None


def _who() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise StartupRefusal("It is not known who runs this.", "Say who approves: --by NAME.") from None
