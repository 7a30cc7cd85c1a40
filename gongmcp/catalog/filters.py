"""Arguments that look for a value: accepted only where a column of the same class would be shown.

To ask whether a value is there tells as much as to show it. An argument declares with ``Filters`` what its value is
compared with; the decision is the one that columns get (``gongmcp.exposure.decisions``), from policy and arguments
alone. One that no arguments can make acceptable is not in the published schema.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from gongmcp.errors import ToolFault
from gongmcp.exposure.decisions import Decision, decide
from gongmcp.exposure.fields import Expose, Filters

if TYPE_CHECKING:
    from gongmcp.catalog.declaration import Arguments, Tool
    from gongmcp.exposure.policy import Policy


@cache
def filters_of(model: type[Arguments]) -> Mapping[str, tuple[Filters, ...]]:
    """Return what each argument of *model* declares to look for, by name; arguments that declare none are absent.

    What stands inside an argument that is an object is named by its path: ``filter.account_query``.
    """
    hints = get_type_hints(model, include_extras=True)
    found: dict[str, tuple[Filters, ...]] = {}
    for field in msgspec.structs.fields(model):
        if (inner := nested_model(hints[field.name])) is not None:
            found |= {f"{field.name}.{name}": marks for name, marks in filters_of(inner).items()}
        elif marks := tuple(_marks(hints[field.name])):
            found[field.name] = marks
    return found


def nested_model(hint: Any) -> Any:
    """Return the model of an argument that is an object, None for any other."""
    if get_origin(hint) is Annotated:
        return nested_model(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return next((model for arm in get_args(hint) if (model := nested_model(arm)) is not None), None)
    return hint if isinstance(hint, type) and issubclass(hint, msgspec.Struct) else None


def value_at(arguments: Mapping[str, Any], path: str) -> Any:
    """Return the value of the argument at *path*, None where there is none."""
    value: Any = arguments
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _marks(hint: Any) -> list[Filters]:
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return [*_marks(inner), *(mark for mark in marks if isinstance(mark, Filters))]
    if get_origin(hint) in (Union, types.UnionType, list):
        return [mark for arm in get_args(hint) for mark in _marks(arm)]
    return []


def withheld_arguments(tool: Tool, policy: Policy) -> dict[str, Decision]:
    """Return the arguments of *tool* that *policy* accepts under no other arguments, each with why."""
    found: dict[str, Decision] = {}
    for name, marks in filters_of(tool.arguments).items():
        for mark in marks:
            decision = decide(_column(mark), policy, {mark.needs: True} if mark.needs else {})
            if not decision.shown:
                found.setdefault(name, decision)
    return found


def refuse_withheld(tool: Tool, policy: Policy, arguments: Mapping[str, Any], *, flags_known: bool = True) -> None:
    """Raise ``ToolFault("refused_by_policy")`` where *arguments* look for what would not be shown, or where *tool*
    cannot be asked at all without looking for it. None stands for an argument that was not given.

    Without *flags_known* only what no flag makes acceptable is refused.
    """
    always = withheld_arguments(tool, policy)
    required = _required(tool.arguments)
    flags = {name: value for name, value in arguments.items() if value is not None}
    for name, marks in filters_of(tool.arguments).items():
        given = value_at(arguments, name) is not None
        if name in always and (given or name in required):
            raise _refusal(name, always[name])
        for mark in marks if given and flags_known else ():
            decision = decide(_column(mark), policy, flags)
            if not decision.shown:
                raise _refusal(name, decision)


@cache
def _required(model: type[msgspec.Struct]) -> frozenset[str]:
    """Return the arguments of *model* that must be given; reading its annotations anew cost a tenth of a call."""
    return frozenset(field.name for field in msgspec.structs.fields(model) if field.required)


def _column(mark: Filters) -> Expose:
    return Expose(mark.field, opt_in=mark.needs)


def _refusal(name: str, decision: Decision) -> ToolFault:
    return ToolFault(
        "refused_by_policy",
        f"{name} looks for a value that is not shown under these arguments and policy: {decision.field.title}.",
        decision.reason,
    )
