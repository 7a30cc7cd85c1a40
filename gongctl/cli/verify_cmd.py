"""``gongctl governance verify``: the command; the work is in ``gongctl.governance.verify``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.completion import preset_names
from gongctl.cli.output import counted, emit_json, emit_text, fail, heading, table
from gongctl.cli.policy_options import resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.governance.verify import VerifyReport


@not_sensitive
@takes_policy
def verify_policy(
    flags: Mapping[str, Any],
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Whose tools are run.", autocompletion=preset_names)
    ],
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")],
    sets: Annotated[int, typer.Option("--sets", min=1, max=2000, help="Drawn sets of arguments for each tool.")] = 40,
    text: Annotated[bool, typer.Option("--text", help="Print for people instead of JSON.")] = False,
) -> None:
    """Run every tool of a preset with probing arguments, and report what left that must not.

    Looked for are restricted names, suppressed calls, ids that the policy withholds and personal data. The report
    quotes nothing that it found. Ends with 6 when it found anything, with 4 when the cache is not ready.
    """
    from gongctl.governance.verify import verify
    from gongmcp.handler import build_handler

    if {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    settings = resolve({**flags, "tool_preset": preset})
    if not build_handler(settings, db).has_model():
        fail(
            "The cache has no complete read model for this policy.",
            "Run gongctl cache warm with the same settings and the same list.",
            Exit.CACHE,
        )
    report = verify(settings, db, sets=sets)
    if text:
        _print(report)
    else:
        emit_json(report.as_json())
    raise SystemExit(int(Exit.LEAK if report.hits else Exit.OK))


def _print(report: VerifyReport) -> None:
    listed = "with a restricted list" if report.governed else "without a restricted list"
    emit_text(
        f"Preset {report.preset}, policy {report.policy}, {listed}: {counted(report.calls, 'call')} of tools over "
        f"{counted(report.calls_served, 'served call')} ({report.calls_suppressed:,} outside the policy)."
    )
    table(
        ("tool", "calls", "with rows", "errors", "hits"),
        [
            (tool.tool, f"{tool.calls:,}", f"{tool.with_rows:,}", f"{tool.errors:,}", f"{tool.hits:,}")
            for tool in report.tools
        ],
    )
    emit_text("")
    if not report.hits:
        heading("Nothing left that must not.")
        return
    heading(f"{len(report.hits):,} hits:")
    table(
        ("kind", "tool", "place", "what", "asked with"),
        [(hit.kind, hit.tool, hit.place, hit.what, ", ".join(hit.arguments)) for hit in report.hits],
    )
