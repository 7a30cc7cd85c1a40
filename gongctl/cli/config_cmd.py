"""``gongctl config``: the settings that apply and where each came from; what a settings file may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from gongctl.cli.lazy import LazyGroup, LightCommand
from gongctl.cli.output import emit_json, emit_text, table
from gongctl.cli.policy_options import EPILOG, open_handler, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive

app = typer.Typer(
    cls=LazyGroup,
    help="Show the settings that apply, and what a settings file may hold.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.command("show", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def show(
    flags: Mapping[str, Any],
    every: Annotated[bool, typer.Option("--effective", help="Every setting, also those nobody set.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print settings with their value and where it came from: file and line, variable, flag or default.

    Without --effective only those that file, environment or flags have a say in.
    """
    from gongmcp.effective import effective

    settings = resolve(flags)
    listed = [one for one in effective(settings) if every or one.is_set]
    tools = [tool.name for tool in open_handler(settings).tools()]
    if as_json:
        emit_json(
            {
                "settings": [one.as_dict() for one in listed],
                "tools": tools,
                "policy_digest": settings.policy.digest(),
            }
        )
        return
    if listed:
        table(
            ["setting", "value", "from", "instead of", "note"],
            [[one.key, _shown(one.value), one.origin, ", ".join(one.overrides), one.note] for one in listed],
        )
    else:
        emit_text("Nothing is set; every setting has its default. --effective lists them.")
    emit_text("")
    emit_text(f"{len(tools)} tools are offered. Policy {settings.policy.digest()}.")


@app.command("schema", cls=LightCommand)
@not_sensitive
def schema(as_json: Annotated[bool, typer.Option("--json", help="Print JSON (the default).")] = False) -> None:
    """Print the JSON Schema of the settings file, for editors and checks."""
    from gongmcp.settings_file import file_schema

    emit_json(file_schema())


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {', '.join(names)}" for name, names in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(value) or "–"
    return f"{value:g}" if isinstance(value, float) else str(value)
