"""``gongctl policy``: committed cases of what a policy must and must not let out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gongctl.cli.lazy import LazyGroup, LightCommand
from gongctl.cli.output import emit_json, emit_text, fail
from gongctl.cli.output_file import refuse_overwriting, write_whole
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.approval.cases import Case
    from gongmcp.handler import ToolHandler

app = typer.Typer(
    cls=LazyGroup,
    help="Hold a policy to committed cases.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def policy() -> None:
    """Hold a policy to committed cases."""


@app.command("test", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def hold(
    flags: Mapping[str, Any],
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="YAML files of cases.")] = None,
    report: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Also write a report as JUnit XML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Run cases: a tool, its arguments and policy, and what the answer must hold, must not hold, has at most.

    Ends with 1 when one fails. What a case says of the policy is stronger than the flags.
    """
    from gongctl.approval.cases import read_cases
    from gongctl.approval.policy_test import junit, run_cases

    if not files:
        fail("Name the files of cases.", "docs/approval.md shows one.", Exit.USAGE)
    if not db:
        fail("The cases are run on a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    if report is not None:
        refuse_overwriting(Path(report), [Path(db), *map(Path, files)])
    cases = [case for file in files for case in read_cases(Path(file))]
    results = run_cases(cases, lambda case: _open(flags, case, Path(db)))
    if report is not None:
        write_whole(Path(report), junit(results))
    failed = sum(not result.passed for result in results)
    if as_json:
        emit_json({"passed": not failed, "cases": [result.as_dict() for result in results]})
    else:
        for result in results:
            emit_text(f"{'ok  ' if result.passed else 'FAIL'} {result.case.place} {result.case.name}")
            for failure in result.failures:
                emit_text(f"       {failure}")
        emit_text(f"{len(results) - failed} of {len(results)} cases hold.")
    raise SystemExit(int(Exit.FAILED if failed else Exit.OK))


def _open(flags: Mapping[str, Any], case: Case, db: Path) -> ToolHandler:
    given = dict(flags)
    if case.preset is not None:
        given.pop("tool_allowlist", None)
        given["tool_preset"] = case.preset
    if "tool_allowlist" in case.policy:
        given.pop("tool_preset", None)
    return open_handler(resolve({**given, **case.policy}), db)
