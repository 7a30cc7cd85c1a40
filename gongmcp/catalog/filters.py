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
    """Return what each argument of *model* declares to look for, by name; arguments that declare none are absent."""
    hints = get_type_hints(model, include_extras=True)
    found = {field.name: tuple(_marks(hints[field.name])) for field in msgspec.structs.fields(model)}
    return {name: marks for name, marks in found.items() if marks}


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


def refuse_withheld(tool: Tool, policy: Policy, arguments: Mapping[str, Any]) -> None:
    """Raise ``ToolFault("refused_by_policy")`` where *arguments* look for what would not be shown, or where *tool*
    cannot be asked at all without looking for it. None stands for an argument that was not given."""
    given = {name: value for name, value in arguments.items() if value is not None}
    always = withheld_arguments(tool, policy)
    required = {field.name for field in msgspec.structs.fields(tool.arguments) if field.required}
    for name, marks in filters_of(tool.arguments).items():
        if name in always and (name in given or name in required):
            raise _refusal(name, always[name])
        for mark in marks if name in given else ():
            decision = decide(_column(mark), policy, given)
            if not decision.shown:
                raise _refusal(name, decision)


def _column(mark: Filters) -> Expose:
    return Expose(mark.field, opt_in=mark.needs)


def _refusal(name: str, decision: Decision) -> ToolFault:
    return ToolFault(
        "refused_by_policy",
        f"{name} looks for a value that is not shown under these arguments and policy: {decision.field.title}.",
        decision.reason,
    )
