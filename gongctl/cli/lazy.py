"""What makes ``gongctl`` start fast: commands are imported when they are run, and text is taken as text.

``--help``, shell completion and "did you mean" need a command's name and one line about it; the
module behind it (writers, Textual) is loaded by ``LazyGroup`` when it is called. Typer passes every
value through a pydantic adapter, and importing pydantic takes longer than all the rest of
``gongctl mcp tool-info``; ``LightCommand`` and ``LazyGroup`` leave that out for values which are text
already or were not given.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import typer
import typer.core
import typer.main

from gongctl.cli.output import note, quiet_broken_pipe
from gongmcp.errors import Exit


@dataclass(frozen=True, slots=True)
class Deferred:
    """Where a command lives (``package.module:attribute`` of a ``typer.Typer``) and its line of help."""

    target: str
    help: str


class _AsText:
    """Takes the place of Typer's own conversion of a parameter, and asks it for whatever is no plain text."""

    def __init__(self, parameter: Any, convert: Callable[[], Any]) -> None:
        self._many = parameter.multiple or parameter.nargs == -1
        self._text = parameter.type_descriptor.annotation in (str, list[str])
        self._convert = convert

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if self._many else None
        if self._text and not self._many and isinstance(value, str):
            return value
        if self._text and self._many and isinstance(value, tuple | list) and all(isinstance(v, str) for v in value):
            return list(value)
        return self._convert().coerce(value, param=param, ctx=ctx)


def _take_text_as_text(parameters: Sequence[Any]) -> None:
    for parameter in parameters:
        convert = getattr(parameter, "get_runtime_param", None)
        # Should a later Typer convert in another way, this does nothing and the command is merely slower.
        if convert is not None and hasattr(parameter, "type_descriptor"):
            parameter.get_runtime_param = _returning(_AsText(parameter, convert))


def _returning(converter: _AsText) -> Callable[[], _AsText]:
    return lambda: converter


class LightCommand(typer.core.TyperCommand):
    """A command whose text options cost no pydantic."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as Typer does."""
        _take_text_as_text(self.get_params(ctx))
        return super().parse_args(ctx, args)


class _Placeholder(typer.core.TyperCommand):
    """Stands for a deferred command until it is run."""

    def __init__(self, name: str, deferred: Deferred) -> None:
        super().__init__(name, help=deferred.help, callback=lambda: None)
        self.deferred = deferred

    def load(self) -> Any:
        module, _, attribute = self.deferred.target.partition(":")
        command = typer.main.get_command(getattr(importlib.import_module(module), attribute))
        command.name = self.name
        return command


class LazyGroup(typer.core.TyperGroup):
    """Base of groups with deferred commands; a subclass names them in ``deferred``, in the order of help."""

    deferred: ClassVar[Mapping[str, Deferred]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, deferred in self.deferred.items():
            self.commands[name] = _Placeholder(name, deferred)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as Typer does."""
        _take_text_as_text(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return (name, command, rest of the arguments), the command loaded; an unknown name is refused."""
        name, command, rest = super().resolve_command(ctx, args)
        if isinstance(command, _Placeholder):
            command = command.load()
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C ends with 130, a reader of the output that goes away ends it quietly.

        Both are caught here, inside Typer, which would give either its own exit code and no word.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            quiet_broken_pipe()
        except KeyboardInterrupt:
            note("\nInterrupted.")
            raise SystemExit(int(Exit.INTERRUPTED)) from None
