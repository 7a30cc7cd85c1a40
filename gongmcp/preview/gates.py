"""The gates before approval: each one computed from what an agent would get, with what was found and what to change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gongmcp.catalog.declaration import Tool
from gongmcp.exposure.fields import Field
from gongmcp.exposure.ledger import Ledger, Place
from gongmcp.exposure.policy import Policy
from gongmcp.handler import Outcome
from gongmcp.preview.lens import told_apart
from gongmcp.preview.model import Gate
from gongmcp.preview.places import Places
from gongmcp.preview.residual import residual
from gongmcp.preview.values import values
from gongmcp.render.answer import Answer
from gongmcp.render.visible import visible

ARGUMENTS, ANSWER, SCHEMA, CHANNELS, RESIDUAL = "arguments", "answer", "schema", "channels", "residual"
CAP, FRESH, WITHHELD, WIRE = "cap", "fresh", "withheld", "wire"

NAMES: Final = (ARGUMENTS, ANSWER, SCHEMA, CHANNELS, RESIDUAL, CAP, FRESH, WITHHELD, WIRE)
"""Every gate, in the order in which they are looked at."""

_OWN: Final = frozenset({Field.ECHO, Field.EMAIL})
"""Classes in which an address may stand: the caller's own words, and what was asked for as one."""
_NAMED: Final = 5


def gates(
    tool: Tool,
    arguments: Mapping[str, Any],
    policy: Policy,
    outcome: Outcome,
    wire: bytes,
    in_text: Places,
    output_schema: Mapping[str, Any],
    freshness: Mapping[str, Any],
) -> tuple[Gate, ...]:
    """Return every gate for one call of *tool* under *policy*."""
    answer = outcome.answer
    return (
        _arguments(answer),
        _answer(answer),
        _schema(answer, output_schema),
        _channels(tool, answer, in_text),
        _residual(tool, answer, arguments),
        _cap(policy, wire),
        _fresh(freshness),
        _withheld(answer, outcome.ledger, in_text),
        _wire(outcome, wire),
    )


def _gate(name: str, faults: Sequence[str], good: str, change: str) -> Gate:
    if not faults:
        return Gate(name, True, good)
    more = f" and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
    return Gate(name, False, visible(f"{'; '.join(faults[:_NAMED])}{more}. {change}"))


def _arguments(answer: Answer) -> Gate:
    error = answer.error or {}
    faults = [str(error["message"]).rstrip(".")] if error.get("code") == "invalid_argument" else []
    return _gate(ARGUMENTS, faults, "The arguments are valid.", str(error.get("hint", "")) or "Correct them.")


def _answer(answer: Answer) -> Gate:
    faults, change = [], "Try again when the cache is not being written."
    if answer.error is not None and answer.error["code"] != "invalid_argument":
        faults, change = [str(answer.error["message"]).rstrip(".")], str(answer.error["hint"])
    elif answer.structured is not None and answer.structured["status"] == "unavailable":
        faults = [str(answer.structured.get("message", "")).rstrip(".")]
    return _gate(ANSWER, faults, "The tool answered.", change)


def _schema(answer: Answer, schema: Mapping[str, Any]) -> Gate:
    good = "The result is what the output schema says."
    if answer.structured is None:
        return Gate(SCHEMA, True, "An error has no structure.")
    from jsonschema import Draft202012Validator  # the server never validates, and does not pay for it

    sample = _one_of_a_kind(answer.structured, schema)
    faults = [
        f"/{'/'.join(map(str, error.absolute_path))}: {error.validator}"
        for error in Draft202012Validator(schema).iter_errors(sample)
    ]
    return _gate(SCHEMA, faults, good, "The tool's declaration and its answer differ: do not approve it.")


def _one_of_a_kind(structured: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *structured* with one row of each shape: rows of the same members, types and words of a vocabulary."""
    rows = structured.get("results")
    if not isinstance(rows, list):
        return dict(structured)
    rule = schema["properties"]["results"].get("items", {})
    kinds = {_shape(row, rule): row for row in rows}
    return {**structured, "results": list(kinds.values())}


def _shape(value: Any, rule: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        of = rule.get("properties", {})
        return tuple((name, _shape(item, of.get(name, {}))) for name, item in value.items())
    if isinstance(value, list):
        return frozenset(_shape(item, rule.get("items", {})) for item in value)
    return value if "enum" in rule or value is None else type(value)


def _channels(tool: Tool, answer: Answer, in_text: Places) -> Gate:
    faults = [
        f"{_named(place)} is not told alike" if place else "text and structure show another number of masks"
        for place in told_apart(tool, answer, in_text)
    ]
    return _gate(CHANNELS, faults, "Text and structure tell the same.", "Look at it through both lenses.")


def _residual(tool: Tool, answer: Answer, arguments: Mapping[str, Any]) -> Gate:
    faults = [] if answer.structured is None else [*_left(tool, answer.structured, arguments)]
    good = "Two looks for personal data found none."
    return _gate(RESIDUAL, faults, good, "Do not approve it: withhold the field, or report what masking missed.")


def _left(tool: Tool, structured: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[str]:
    from gongmcp.exposure.masking import mask  # its patterns take long to compile

    known: dict[str, tuple[str, ...]] = {}
    for place, value, kind in values(tool, structured, arguments):
        if not isinstance(value, str) or not kind.untrusted or kind in _OWN:
            continue
        if value not in known:
            masked = (span.kind for span in mask(value).spans if not value.startswith("{redacted:"))
            known[value] = tuple(dict.fromkeys([*residual(value), *masked]))
        for left in known[value]:
            yield f"{left} in {_named(place)}"


def _cap(policy: Policy, wire: bytes) -> Gate:
    most = policy.max_response_bytes
    faults = [f"{len(wire):,} bytes, more than {most:,}"] if len(wire) > most else []
    return _gate(CAP, faults, f"{len(wire):,} of {most:,} bytes.", "Narrow the arguments, or raise the byte budget.")


def _fresh(freshness: Mapping[str, Any]) -> Gate:
    state = freshness["freshness"]
    faults = [] if state == "fresh" else [f"the read model is {state}"]
    return _gate(FRESH, faults, f"As of {freshness['as_of']}.", "Run gongctl cache warm, then run this again.")


def _withheld(answer: Answer, ledger: Ledger, in_text: Places) -> Gate:
    faults: list[str] = []
    if answer.structured is not None:
        faults = [*_betrayed(answer.structured, answer.text, ledger, in_text)]
    return _gate(WITHHELD, faults, "Nothing withheld stands in either channel.", "Do not approve it.")


def _betrayed(structured: Mapping[str, Any], text: str, ledger: Ledger, in_text: Places) -> Iterator[str]:
    masks = Counter(entry.place for entry in ledger.entries if entry.action == "redacted")
    for place, count in masks.items():
        value = _at(structured, place)
        if isinstance(value, str) and value.count("{redacted:") < count:
            yield f"a mask is missing in {_named(place)}"
    for entry in ledger.entries:
        place = entry.place
        if entry.action != "omitted" or len(place) < 2 or not isinstance(place[-1], str):
            continue
        if _at(structured, place) is not None:
            yield f"{_named(place)} stands in the structure"
        around = in_text.get(place[:-1])
        if around is not None and _column(place[-1]).search(text, around.start, around.end):
            yield f"{_named(place)} stands in the text"


def _column(name: str) -> re.Pattern[str]:
    """Return how a column begins in the text: at the start of its line or of a row, or behind another one."""
    return re.compile(rf"(?:^[0-9]+\. | · |^ *(?:- )?){name} (?!> )", re.MULTILINE)


def _wire(outcome: Outcome, wire: bytes) -> Gate:
    faults = [] if outcome.bytes == len(wire) else [f"{outcome.bytes:,} bytes were measured, {len(wire):,} are shown"]
    return _gate(WIRE, faults, "The bytes shown are those that were measured.", "Run it again.")


def _at(value: Any, place: Place) -> Any:
    """Return what stands at *place*, None where nothing does."""
    try:
        for part in place:
            value = value[part]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def _named(place: Place) -> str:
    return "/" + "/".join(map(str, place))
