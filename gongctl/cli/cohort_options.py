"""The options by which a command chooses calls; they become the ``filter`` of the analysis tools."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from gongctl.cli.output import fail
from gongmcp.errors import Exit

_OPTIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "quarter": ("--quarter", "2026-Q1", "Calls of a calendar quarter."),
    "from_date": ("--from", "DAY", "First day, YYYY-MM-DD."),
    "to_date": ("--to", "DAY", "Last day."),
    "scope": ("--scope", "SCOPE", "External, Internal or Unknown."),
    "industry": ("--industry", "TEXT", "Part of the account's industry."),
    "opportunity_stage": ("--stage", "TEXT", "Part of the opportunity's stage."),
    "lifecycle_bucket": ("--lifecycle", "BUCKET", "A lifecycle bucket."),
    "saying": ("--saying", "QUERY", "Calls that say these words."),
    "given": ("--filter", "JSON", "A whole filter, as the tools take it; the other options are added to it."),
}


def takes_cohort(command: Callable[..., None]) -> Callable[..., None]:
    """Give *command* the options that choose calls; it receives the filter as ``cohort``, empty where none was given.

    In what Typer sees, the parameter ``cohort`` of *command* is replaced by one option per condition.
    """
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "cohort"]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, typer.Option(flag, metavar=metavar, help=said, show_default=False)],
        )
        for name, (flag, metavar, said) in _OPTIONS.items()
    ]

    @functools.wraps(command)
    def taken(**values: Any) -> None:
        passed = {name: values.pop(name) for name in _OPTIONS}
        command(cohort=_filter(passed), **values)

    seen = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + added
    taken.__signature__ = inspect.Signature(seen)  # type: ignore[attr-defined]
    taken.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
    return taken


_NAMES: Final = {
    "query" if name == "saying" else name: flag for name, (flag, _, _) in _OPTIONS.items() if name != "given"
}
"""The option of each condition of a filter that has one."""


def in_options(text: str) -> str:
    """Return what a tool says of its filter in the words of the options: ``filter.quarter`` is ``--quarter``."""
    if text.startswith("filter chooses too little"):
        return "These options choose too little: the whole cache would be taken in."
    if text.startswith("Add a period, for example {"):
        from gongmcp.catalog.cohort_filter import SELECTIVE  # the tools are loaded by whoever asked one

        chosen = ", ".join(flag for name, flag in _NAMES.items() if name in SELECTIVE and name != "quarter")
        return f"Add a period (--quarter 2026-Q1, or --from and --to), or one of: {chosen}, --filter JSON."
    return re.sub(r"\bfilter\.(\w+)", lambda found: _NAMES.get(found[1], f"--filter ({found[1]})"), text)


def _filter(passed: Mapping[str, str | None]) -> dict[str, Any]:
    import json

    out: dict[str, Any] = {}
    if passed["given"] is not None:
        try:
            out = json.loads(passed["given"])
        except ValueError:
            fail("--filter is no JSON.", 'For example: --filter \'{"quarter": "2026-Q1"}\'', Exit.USAGE)
        if not isinstance(out, dict):
            fail("--filter must be a JSON object.", "", Exit.USAGE)
    named = {"query" if name == "saying" else name: value for name, value in passed.items() if name != "given"}
    return out | {name: value for name, value in named.items() if value is not None}
