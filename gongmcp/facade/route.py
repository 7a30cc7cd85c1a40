"""One call of the facade: the operation, its arguments with their path, the tool that answers, the answer around it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from gongmcp.cancel import Cancel
from gongmcp.catalog.arguments import checked_object, validate
from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.filters import refuse_withheld
from gongmcp.catalog.operations import DISCOVER, LIMITATIONS, OPERATIONS, STATUS, Operation, offered
from gongmcp.errors import ToolFault
from gongmcp.exposure.ledger import Entry, Ledger, Place
from gongmcp.facade.repair import no_operation, repairable
from gongmcp.render.answer import Answer
from gongmcp.render.size import estimate_tokens
from gongmcp.render.wire import result_bytes

if TYPE_CHECKING:
    from gongmcp.handler import Outcome, ToolHandler

ENVELOPE: Final = 1024
"""Bytes kept free of what another tool may answer with, for what the facade puts around it."""

_LIFTED: Final = ("status", "as_of", "freshness", "message", "hint")
"""What an answer says of itself, told once, outside of ``result``."""


@dataclass(slots=True)
class Told:
    """What becomes of a call of the facade: *result* as it leaves, and for the operator what the parts withheld."""

    result: dict[str, Any]
    text: str
    routed: str | None = None
    rows: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    shown: dict[str, frozenset[int]] = field(default_factory=dict)
    model: Any = None

    def take(self, outcome: Outcome, moved: Mapping[str, Place]) -> None:
        """Take over what *outcome* withheld and showed; *moved* says where the lists of its answer went."""
        for entry in outcome.ledger.entries:
            place = moved.get(str(entry.place[0]) if entry.place else "", moved.get("", ("result",)))
            rest = entry.place[1:] if entry.place and str(entry.place[0]) in moved else entry.place
            self.ledger.add(replace(entry, place=(*place, *rest)), outcome.ledger.reasons[entry.rule])
        for call, segments in outcome.shown.items():
            self.shown[call] = self.shown.get(call, frozenset()) | segments
        self.rows += outcome.rows
        self.model = outcome.model or self.model


def move_rows(ledger: Ledger, old: str, new: str, numbers: Mapping[int, int]) -> None:
    """Give the entries of the rows of the list *old* their places in the list *new*; rows that have none are gone."""
    kept: list[Entry] = []
    for entry in ledger.entries:
        place = entry.place
        if place[:2] != ("result", old) or len(place) < 3:
            kept.append(entry)
        elif int(place[2]) in numbers:
            kept.append(replace(entry, place=("result", new, numbers[int(place[2])], *place[3:])))
    ledger.entries = kept


def run_facade(handler: ToolHandler, tool: Tool, arguments: Mapping[str, Any] | None, cancel: Cancel | None) -> Outcome:
    """Run a call of *tool*, which is of the facade, and return its outcome.

    *handler* answers what it hands on. Raises ``ToolFault`` as the tool that answers would.
    """
    from gongmcp.handler import Outcome

    started = time.monotonic()
    told = _told(handler, tool, arguments, cancel)
    answer = Answer(told.text, told.result)
    payload = result_bytes(answer)
    return Outcome(
        answer=answer,
        ledger=told.ledger,
        rows=told.rows,
        bytes=len(payload),
        tokens=estimate_tokens(payload.decode()),
        milliseconds=(time.monotonic() - started) * 1000,
        shown=told.shown,
        model=told.model,
    )


def _told(handler: ToolHandler, tool: Tool, arguments: Mapping[str, Any] | None, cancel: Cancel | None) -> Told:
    schema = handler.tool(tool.name).input_schema
    names = [operation.name for operation in offered(handler.policy, handler.served(), tool.name)]
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    if tool.name not in (STATUS, DISCOVER, LIMITATIONS) and (fault := no_operation(given, tool.name, names)):
        raise fault
    stray = given.keys() - {"operation", "arguments", "_meta", *schema["properties"]}
    if stray and "arguments" in schema["properties"]:
        error = {"code": "invalid_argument", "message": f"Beside operation stands {len(stray)} unknown argument(s)."}
        error["hint"] = f"Put what the operation takes inside arguments; {DISCOVER} describes it."
        raise repairable(error, given.get("operation") if given.get("operation") in names else None, None, ())
    plain = validate(tool, handler.policy, schema, arguments).plain
    if tool.name == DISCOVER:
        from gongmcp.facade.capabilities import capabilities

        return capabilities(handler, plain.get("operation"), full=plain.get("full", False))
    chosen = OPERATIONS[plain.get("operation") or names[0]]
    handed = plain.get("arguments") or {}
    if chosen.parts:
        from gongmcp.facade.packs import pack

        return pack(handler, chosen, handed, cancel)
    return _handed_on(handler, tool, chosen, handed, cancel)


def _handed_on(
    handler: ToolHandler, tool: Tool, operation: Operation, given: dict[str, Any], cancel: Cancel | None
) -> Told:
    routed = handler.served()[operation.routes]
    schema = free_arguments(operation, handler.tool(routed.name).input_schema)
    checked = with_paths(handler, routed, schema, given, operation.name) | dict(operation.fixed)
    outcome = handler.behind(ENVELOPE).call(routed.name, checked, cancel)
    answer = asked(outcome, operation, given, routed)
    told = Told({}, "", routed.name)
    told.take(outcome, {"": ("result",)})
    told.result = wrapped(operation, answer, routed.name)
    told.text = f"{operation.name}, answered by {routed.name}.\n{outcome.answer.text}"
    return told


def free_arguments(operation: Operation, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema*, of the tool that answers *operation*, without the arguments that the operation sets."""
    fixed = dict(operation.fixed)
    return {**schema, "properties": {name: rule for name, rule in schema["properties"].items() if name not in fixed}}


def with_paths(
    handler: ToolHandler, tool: Tool, schema: Mapping[str, Any], given: Mapping[str, Any], operation: str
) -> dict[str, Any]:
    """Return *given* checked against *schema*, the one of *tool*; arguments are named by their path.

    Raises ``RepairableFault``.
    """
    try:
        refuse_withheld(tool, handler.policy, given, flags_known=False)
        return checked_object("arguments", given, {**schema, "properties": _with_hard_limit(handler, tool, schema)})
    except ToolFault as fault:
        error = {"code": fault.code, "message": fault.message, "hint": fault.hint}
        raise repairable(error, operation, given, tool.examples) from None


def _with_hard_limit(handler: ToolHandler, tool: Tool, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of *schema*; a limit between ceiling and hard cap is lowered by the tool, not refused."""
    properties = dict(schema["properties"])
    limits = tool.limits(handler.policy)
    if limits is not None and "limit" in properties:
        properties["limit"] = {**properties["limit"], "maximum": limits.hard, "served": limits.ceiling}
    return properties


def asked(outcome: Outcome, operation: Operation, given: Mapping[str, Any], tool: Tool) -> dict[str, Any]:
    """Return the structured answer of *outcome*.

    Raises ``RepairableFault`` where it is an error.
    """
    if outcome.answer.structured is None:
        raise repairable(outcome.answer.error or {}, operation.name, given, tool.examples)
    return outcome.answer.structured


def wrapped(operation: Operation, answer: Mapping[str, Any], routed: str | None) -> dict[str, Any]:
    """Return *answer* as the facade gives it: what it says of itself outside, the rest under ``result``."""
    head = {name: answer[name] for name in _LIFTED if name in answer}
    own = {"operation": operation.name} | ({"routed_tool": routed} if routed else {})
    return {**head, **own, "result": {name: value for name, value in answer.items() if name not in _LIFTED}}
