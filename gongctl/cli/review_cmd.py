"""``gongctl review``: the queue of a preset's tools, riskiest first; on a terminal, the screens to approve them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.completion import preset_names, tool_names
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import counted, emit_json, emit_text, fail, heading, note, paragraph, table
from gongctl.cli.policy_options import EPILOG, resolve, shows_ids, takes_policy
from gongctl.cli.restricted import sensitive
from gongctl.cli.screens import AccessTokens, Ascii, Port, Web, interactive, open_review, reviewing_of, show_in_browser
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.approval.reviewing import CacheReviewing
    from gongmcp.settings import ServerSettings
    from tui.reviewing import QueueItem, SampleRun

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("review", cls=LightCommand, epilog=EPILOG)
@sensitive("call ids and speaker ids", case="under provenance raw", when=shows_ids)
@takes_policy
def review(
    flags: Mapping[str, Any],
    name: Annotated[
        str | None, typer.Argument(metavar="TOOL", help="Begin with this tool.", autocompletion=tool_names)
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Review the tools of a preset.", autocompletion=preset_names),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the queue as JSON.")] = False,
    as_table: Annotated[bool, typer.Option("--text", help="Print the queue, also on a terminal.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
    ascii: Ascii = False,  # noqa: A002
    web: Web = False,
    port: Port = 0,
    access_tokens: AccessTokens = None,
) -> None:
    """Review the tools of a preset, riskiest exposure first, and approve them into the lock (--lock FILE).

    On a terminal it opens the screens. Without one it prints the queue, with TOOL also the samples of that tool, and
    writes nothing: scripts approve with gongctl mcp approve.
    """
    from gongmcp.catalog.registry import canonical

    if not db:
        fail("To review tools takes a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if preset is not None and {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    if as_json and as_table:
        fail("--text and --json exclude each other.", "", Exit.USAGE)
    settings = resolve({**flags, **({} if preset is None else {"tool_preset": preset})})
    config = Path(flags["config"]) if "config" in flags else None
    tool = None if name is None else canonical(name)
    reviewing = reviewing_of(settings, Path(db), config, tool or "")
    if web:
        reviewing.queue(settings.policy.preset or "")  # a refusal is told here, not on a page
        show_in_browser(port)
    elif as_json or as_table or not interactive():
        _print(reviewing, settings, tool, as_json=as_json)
    else:
        open_review(reviewing, settings, Path(db), config, tool or "", ascii=ascii, access_tokens=access_tokens)


def _print(reviewing: CacheReviewing, settings: ServerSettings, tool: str | None, *, as_json: bool) -> None:
    preset = settings.policy.preset or ""
    items = [item for item in reviewing.queue(preset) if tool is None or item.tool == tool]
    if tool is not None and not items:
        fail(
            f"No tool of the name {tool!r} is offered here.", "gongctl review --text lists those that are.", Exit.USAGE
        )
    runs = [] if tool is None else reviewing.samples(preset, tool, lambda done, total: None, lambda: False)
    if as_json:
        emit_json(
            {
                "preset": preset or None,
                "lock": str(reviewing.lock_path),
                "queue": [_queued(item) for item in items],
                "samples": [_sampled(run) for run in runs],
            }
        )
        return
    table(["stands", "tool", "risk", "why", "tokens"], [_row(item) for item in items])
    for item in items:
        for sentence in item.drift:
            note(f"{item.tool}: {sentence}")
    if runs:
        _print_runs(runs)
    emit_text("")
    waiting = sum(item.standing.name in ("OPEN", "DRIFTED") for item in items)
    if waiting:
        wait = f"{waiting} of {counted(len(items), 'tool')} {'waits' if waiting == 1 else 'wait'} for a decision"
        paragraph(f"{wait}: take it on a terminal, or with gongctl mcp approve and the same flags.")
    else:
        paragraph("No tool waits for a decision.")


def _row(item: QueueItem) -> list[str]:
    reasons = "; ".join(item.reasons)
    return [item.standing.name.lower(), item.tool, str(item.risk), reasons, str(item.definition_tokens)]


def _print_runs(runs: Sequence[SampleRun]) -> None:
    emit_text("")
    heading("Samples, worst case first")
    table(
        ["set", "arguments", "bytes", "tokens", "withheld", "gates"],
        [_line(run) for run in runs],
    )


def _line(run: SampleRun) -> list[str]:
    from gongctl.cli.output import json_text
    from gongmcp.preview.model import Lens

    made = run.preview
    if made is None:
        return [run.set_name, run.why, "", "", "", ""]
    size = made.sizes[Lens.WIRE]
    closed = ", ".join(gate.name for gate in made.gates if not gate.passed)
    return [
        run.set_name,
        json_text(dict(run.arguments), compact=True),
        f"{size.bytes:,}",
        f"{size.tokens_low:,}-{size.tokens_high:,}",
        f"{len(made.outcome.ledger.entries):,}",
        f"closed: {closed}" if closed else "all pass",
    ]


def _queued(item: QueueItem) -> dict[str, Any]:
    return {
        "tool": item.tool,
        "standing": item.standing.name.lower(),
        "risk": item.risk,
        "reasons": list(item.reasons),
        "definition_tokens_estimate": item.definition_tokens,
        "drift": list(item.drift),
    }


def _sampled(run: SampleRun) -> dict[str, Any]:
    from gongmcp.preview.model import Lens

    made = run.preview
    found: dict[str, Any] = {"set": run.set_name, "arguments": dict(run.arguments), "why": run.why, "run": None}
    if made is not None:
        size = made.sizes[Lens.WIRE]
        found["run"] = {
            "status": made.outcome.code,
            "bytes": size.bytes,
            "tokens_estimate": [size.tokens_low, size.tokens_high],
            "withheld": len(made.outcome.ledger.entries),
            "digest": made.digest,
            "gates": [{"name": gate.name, "passed": gate.passed, "detail": gate.detail} for gate in made.gates],
        }
    return found
