"""The policy flags, shared by every command that opens the handler.

They are the flags of ``gongmcp`` itself, made from the same list, under the same environment
variables, so that a dry run and the server can be given the same words. A command takes them with
``@takes_policy`` and receives what was passed as ``flags``, by setting name; a flag that was left
out is not in it, and the environment or the settings file decides. ``ServerSettings.resolve`` reads,
checks and refuses; nothing is interpreted here.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gongctl.cli.completion import preset_names
from gongctl.cli.output import debugging
from gongmcp.catalog.limits import Cap
from gongmcp.exposure.fields import Provenance
from gongmcp.settings import POLICY_SETTINGS, ServerSettings

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler

_CEILINGS: Final = frozenset(cap.flag for cap in Cap)

_CEILING_LINES: Final = "\n".join(f"  {setting.flag} N" for setting in POLICY_SETTINGS if setting.flag in _CEILINGS)

EPILOG: Final = (
    # \b keeps the lines of a paragraph as they are.
    f"\b\nRow ceilings:\n{_CEILING_LINES}\n\nEvery policy flag has an environment variable, the same as for gongmcp."
)
"""What a command with policy flags says at the end of its help: eleven ceilings alike need no sentence each."""


def takes_policy(command: Callable[..., None]) -> Callable[..., None]:
    """Give *command* the policy flags; it receives those that were passed as ``flags``.

    In what Typer sees, the parameter ``flags`` of *command* is replaced by ``--config`` and one option
    per setting; ``flags["config"]`` is the name of the settings file.
    """
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "flags"]
    config = typer.Option("--config", metavar="FILE", help="Settings as TOML; environment and flags are stronger.")
    options = {"config": config} | {
        setting.name: typer.Option(
            setting.flag,
            metavar="VALUE",
            help=setting.help,
            hidden=setting.flag in _CEILINGS,
            show_default=False,
            autocompletion=preset_names if setting.name == "tool_preset" else None,
        )
        for setting in POLICY_SETTINGS
    }
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, option])
        for name, option in options.items()
    ]

    @functools.wraps(command)
    def taken(**values: Any) -> None:
        passed = {name: values.pop(name) for name in options}
        command(flags={name: value for name, value in passed.items() if value is not None}, **values)

    seen = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + added
    taken.__signature__ = inspect.Signature(seen)  # type: ignore[attr-defined]
    taken.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
    return taken


def resolve(flags: Mapping[str, Any]) -> ServerSettings:
    """Return the settings that *flags*, this process's environment and the settings file make.

    Raises:
        StartupRefusal: as ``gongmcp`` would refuse to start.
    """
    if "config" not in flags:
        return ServerSettings.resolve(flags, os.environ)
    from gongmcp.settings_file import read_settings_file

    return ServerSettings.resolve(flags, os.environ, read_settings_file(Path(flags["config"])))


def shows_ids(values: Mapping[str, Any]) -> bool:
    """Tell whether a command with these *values* shows ids of calls and speakers: under provenance ``raw``."""
    known = ("config", *(setting.name for setting in POLICY_SETTINGS))
    settings = resolve({name: values[name] for name in known if values.get(name) is not None})
    return settings.policy.provenance is Provenance.RAW


def asks_for_names(values: Mapping[str, Any]) -> bool:
    """Tell whether a dry run shows ids, titles or names: under provenance ``raw``, or by an ``include_`` argument.

    Arguments that stand in a file or come from standard input are not read for it: they count as asking.
    """
    given = [str(values.get("args") or ""), *map(str, values.get("settings") or ()), str(values.get("batch") or "")]
    from_elsewhere = given[0].startswith(("@", "-")) or bool(given[-1])
    return from_elsewhere or any("include_" in text for text in given) or shows_ids(values)


def open_handler(settings: ServerSettings, db: Path | None = None) -> ToolHandler:
    """Return the handler under *settings* over the cache *db*; without one it can only list tools.

    What the handler logs (an unexpected exception in full) is shown with ``GONGCTL_DEBUG=1`` alone.

    Raises:
        StartupRefusal: the file is no usable cache.
    """
    import logging

    from gongmcp.handler import build_handler

    log = logging.getLogger("gongmcp")
    if not debugging() and not log.handlers:
        log.addHandler(logging.NullHandler())  # without any handler, logging itself prints to stderr
    return build_handler(settings, db)
