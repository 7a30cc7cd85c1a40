"""Restricted mode: ``gongctl --restricted`` blocks every command that shows or writes data as it is.

Each command declares what it is: ``@not_sensitive``, or ``@sensitive`` with what it would give away. A blocked
command ends with exit code 3 before it does anything. ``--allow-sensitive-export``, on the command or before it,
lets it run. The list of the documents and the test that no command is left out are made from the declarations.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from gongctl.cli.output import fail
from gongmcp.errors import Exit

RESTRICTED_ENV: Final = "GONGCTL_RESTRICTED"
ALLOW_ENV: Final = "GONGCTL_ALLOW_SENSITIVE_EXPORT"
ALLOW_FLAG: Final = "--allow-sensitive-export"

_DECLARED: Final = "gongctl_declared"
_ALLOW: Final = "allow_sensitive_export"
_Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a command gives away: *what*, '' = nothing as it is; *case* says when, '' = always."""

    what: str = ""
    case: str = ""

    @property
    def is_sensitive(self) -> bool:
        """Whether restricted mode blocks it, in the *case* at least."""
        return bool(self.what)


@dataclass(frozen=True, slots=True)
class _Mode:
    restricted: bool = False
    allowed: bool = False


_OPEN: Final = _Mode()
_mode: ContextVar[_Mode] = ContextVar("gongctl_restricted", default=_OPEN)


def enter_mode(*, restricted: bool, allowed: bool) -> None:
    """Set the mode for the command that runs next."""
    _mode.set(_Mode(restricted, allowed))


def is_blocking() -> bool:
    """Tell whether what gives data away is blocked, for the parts of a command that may run all the same."""
    mode = _mode.get()
    return mode.restricted and not mode.allowed


def not_sensitive(command: _Command) -> _Command:
    """Declare that *command* shows and writes nothing but counts, settings, or what agents would see."""
    setattr(command, _DECLARED, Declaration())
    return command


def sensitive(
    what: str, *, case: str = "", when: Callable[[Mapping[str, Any]], bool] | None = None
) -> Callable[[_Command], _Command]:
    """Declare that a command gives *what* away, and block it in restricted mode.

    *when* is given the command's values by name and tells whether this run does; *case* says the same in words.
    The command receives ``--allow-sensitive-export``, which it need not know of.
    """

    def declare(command: _Command) -> _Command:
        option = typer.Option(ALLOW_FLAG, help="Run it in restricted mode too.")
        added = inspect.Parameter(
            _ALLOW, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, option]
        )

        @functools.wraps(command)
        def guarded(**values: Any) -> None:
            here = bool(values.pop(_ALLOW, False))
            mode = _mode.get()
            if mode.restricted and not (mode.allowed or here) and (when is None or when(values)):
                fail(
                    f"Restricted mode: this command gives away {what}" + (f" ({case})." if case else "."),
                    f"If it must be: {ALLOW_FLAG}, or {ALLOW_ENV}=1.",
                    Exit.REFUSED,
                )
            if here:
                enter_mode(restricted=mode.restricted, allowed=True)
            command(**values)

        own = inspect.signature(command, eval_str=True).parameters.values()
        seen = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + [added]
        guarded.__signature__ = inspect.Signature(seen)  # type: ignore[attr-defined]
        guarded.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
        setattr(guarded, _DECLARED, Declaration(what, case))
        return guarded

    return declare


def declaration(command: Any) -> Declaration | None:
    """Return what a command of Typer declares, None when it declares nothing."""
    return getattr(getattr(command, "callback", None), _DECLARED, None)


def declarations(root: Any) -> Iterator[tuple[tuple[str, ...], Declaration | None]]:
    """Yield the words of each command below *root*, which is one of Typer's, and what it declares."""
    for name, child in getattr(root, "commands", {}).items():
        loaded = child.load() if hasattr(child, "load") else child
        if hasattr(loaded, "commands"):
            for words, found in declarations(loaded):
                yield (name, *words), found
        else:
            yield (name,), declaration(loaded)
