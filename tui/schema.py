"""From a tool's JSON Schema to the fields of its form, and from what was typed to arguments.

A schema that this module does not understand whole is not guessed at: that field, or all arguments,
get a JSON editor. Unset, default and set stay three different things: a field left empty is not sent.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from gongmcp.render.visible import UNSAFE, escaped
from tui.ports import RowLimits
from tui.schema_json import problem_of, signature


class Kind(Enum):
    """Which control a field gets."""

    TEXT = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    BOOLEAN = "yes or no"
    CHOICE = "one of a list"
    LIST = "list, one item a line"
    JSON = "JSON"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One argument of a tool.

    Attributes:
        default: the default as JSON text; None when the schema names none.
        choices: allowed values as JSON texts, for ``Kind.CHOICE``.
        low, high: range of a number, length of a text, number of items of a list.
        served: values above it are served as this one (the configured ceiling of ``limit``).
        item: what each line of a list must be.
        path: the names that lead to it: more than one for a member of an object, which has a row of its own.
        within: whether the object around it must be given.
        rule: for ``Kind.JSON``, what the schema asks of the value.
    """

    name: str
    kind: Kind
    required: bool = False
    description: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    served: int | None = None
    pattern: str | None = None
    format: str | None = None
    item: FieldSpec | None = None
    path: tuple[str, ...] = ()
    within: bool = True
    rule: Any = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """What its draft is kept by."""
        return "\x1f".join(self.path) if self.path else self.name


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a draft means: a value, nothing (unset), or a problem; *note* is a remark on a good value."""

    value: Any = None
    is_set: bool = False
    problem: str = ""
    note: str = ""


MANY: Final = 25
"""Choices from which on they are typed and completed, not picked from a list."""

_HARMLESS: Final = {"title", "description", "examples", "default", "$comment", "deprecated", "readOnly", "writeOnly"}
_KNOWN: Final[dict[str, tuple[Kind, frozenset[str]]]] = {
    "string": (Kind.TEXT, frozenset({"type", "minLength", "maxLength", "pattern", "format", "enum", "const"})),
    "integer": (Kind.INTEGER, frozenset({"type", "minimum", "maximum", "enum", "const"})),
    "number": (Kind.NUMBER, frozenset({"type", "minimum", "maximum", "enum", "const"})),
    "boolean": (Kind.BOOLEAN, frozenset({"type", "const", "enum"})),
    "array": (Kind.LIST, frozenset({"type", "items", "minItems", "maxItems", "uniqueItems"})),
}
_DEEPEST: Final = 4
_MOST_MEMBERS: Final = 24
"""Objects within objects, and members of one, up to which each member has a row of its own."""
_ROOT: Final = {"type", "properties", "required", "additionalProperties", "$schema", "$id"} | _HARMLESS


def read_form(schema: Mapping[str, Any], limits: RowLimits | None = None) -> tuple[FieldSpec, ...] | None:
    """Return the fields of *schema* in order, or None when only a JSON editor can hold its arguments.

    *limits* of the tool tell what an omitted or too large ``limit`` becomes.
    """
    properties = schema.get("properties", {})
    if schema.get("type") != "object" or not isinstance(properties, Mapping) or set(schema) - _ROOT:
        return None
    required = schema.get("required", ())
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, Sequence) else set()
    fields = [
        row for name, rule in properties.items() for row in _rows(str(name), rule, str(name) in needed, (str(name),))
    ]
    if needed - {field.path[0] for field in fields}:
        return None
    return tuple(_with_limits(field, limits) for field in fields)


def _rows(name: str, rule: Any, required: bool, path: tuple[str, ...]) -> list[FieldSpec]:
    """Return the rows of one argument: a row for each member of an object that is told whole, else one row."""
    inner = _members(rule) if len(path) < _DEEPEST else None
    if inner is None:
        return [replace(_field(name, rule, required), path=path)]
    needed = {item for item in rule.get("required", ()) if isinstance(item, str)}
    rows = []
    for member, item in inner.items():
        for row in _rows(f"{name}.{member}", item, str(member) in needed, (*path, str(member))):
            rows.append(replace(row, within=row.within and required))
    return rows


def _members(rule: Any) -> Mapping[str, Any] | None:
    """Return the members of an object schema that rows can stand for; None when only JSON holds it."""
    if not isinstance(rule, Mapping) or rule.get("type") != "object" or set(rule) - _ROOT or "default" in rule:
        return None
    properties, required = rule.get("properties"), rule.get("required", [])
    if not isinstance(properties, Mapping) or not 0 < len(properties) <= _MOST_MEMBERS:
        return None
    if not isinstance(required, list) or {item for item in required if isinstance(item, str)} - set(properties):
        return None
    return properties


def assemble(fields: Sequence[FieldSpec], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that *values*, by key of their field, stand for; an object without members is not sent."""
    out: dict[str, Any] = {}
    for row in fields:
        if row.key in values:
            here = out
            for part in row.path[:-1]:
                here = here.setdefault(part, {})
            here[row.path[-1] if row.path else row.name] = values[row.key]
    return out


def take_apart(fields: Sequence[FieldSpec], arguments: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the values of *arguments* by key of their field, or the first name that no row stands for."""
    by = {row.path: row for row in fields}
    found: dict[str, Any] = {}

    def walk(value: Mapping[str, Any], path: tuple[str, ...]) -> str | None:
        for name, item in value.items():
            here = (*path, str(name))
            if here in by:
                found[by[here].key] = item
            elif not isinstance(item, Mapping) or not item or not any(p[: len(here)] == here for p in by):
                return ".".join(here)
            elif (missing := walk(item, here)) is not None:
                return missing
        return None

    missing = walk(arguments, ())
    return found if missing is None else missing


def _with_limits(field: FieldSpec, limits: RowLimits | None) -> FieldSpec:
    if limits is None or field.name != "limit" or field.kind is not Kind.INTEGER:
        return field
    return replace(field, default=str(limits.default), high=limits.hard, served=limits.ceiling)


def _field(name: str, rule: Any, required: bool) -> FieldSpec:
    if not isinstance(rule, Mapping):
        return FieldSpec(name, Kind.JSON, required, path=(name,))
    description = rule.get("description")
    base = FieldSpec(
        name,
        Kind.JSON,
        required,
        description if isinstance(description, str) else "",
        default=_default(rule),
        path=(name,),
        rule=rule,
    )
    if (choices := _constants(rule)) is not None:
        return replace(base, kind=Kind.CHOICE, choices=choices)
    plain = _without_null(rule)
    if plain is None:
        return base
    return _typed(base, plain) or base


def _constants(rule: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the values of a union of constants, each of which may have a title; None for anything else."""
    arms = rule.get("oneOf", rule.get("anyOf"))
    if not isinstance(arms, list) or not arms or set(rule) - {"oneOf", "anyOf", "type"} - _HARMLESS:
        return None
    known = {"const", "type"} | _HARMLESS
    if not all(isinstance(arm, Mapping) and "const" in arm and not set(arm) - known for arm in arms):
        return None
    values = [arm["const"] for arm in arms]
    if not all(isinstance(value, str | int | float | bool | None) for value in values):
        return None
    return tuple(dict.fromkeys(map(to_json, values)))


def _default(rule: Mapping[str, Any]) -> str | None:
    return to_json(rule["default"]) if rule.get("default") is not None else None


def _without_null(rule: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Collapse the two usual spellings of "or null"; None for any other union."""
    types = rule.get("type")
    if isinstance(types, list):
        others = [item for item in types if item != "null"]
        return {**rule, "type": others[0]} if len(others) == 1 else None
    for word in ("anyOf", "oneOf"):
        if word not in rule:
            continue
        arms = rule[word]
        if set(rule) - {word} - _HARMLESS or not isinstance(arms, list) or len(arms) != 2:
            return None
        others = [arm for arm in arms if isinstance(arm, Mapping) and arm.get("type") != "null"]
        return {**others[0], **{k: v for k, v in rule.items() if k != word}} if len(others) == 1 else None
    return rule


def _typed(base: FieldSpec, rule: Mapping[str, Any]) -> FieldSpec | None:
    values = [rule["const"]] if "const" in rule else rule.get("enum")
    kind, words = _KNOWN.get(str(rule.get("type")), (Kind.JSON, frozenset[str]()))
    if "type" not in rule and values is not None:
        kind, words = Kind.CHOICE, frozenset({"enum", "const"})
    if kind is Kind.JSON or set(rule) - words - _HARMLESS:
        return None
    if values is not None:
        scalars = (str, int, float, bool, type(None))
        if not isinstance(values, list) or not values or not all(isinstance(v, scalars) for v in values):
            return None
        return replace(base, kind=Kind.CHOICE, choices=tuple(dict.fromkeys(map(to_json, values))))
    if kind is Kind.LIST:
        item = _field(base.name, rule.get("items", {}), True)
        if item.kind not in (Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.CHOICE):
            return None
        return replace(base, kind=kind, item=item, low=_count(rule, "minItems"), high=_count(rule, "maxItems"))
    if kind is Kind.TEXT:
        pattern, form = rule.get("pattern"), rule.get("format")
        return replace(
            base,
            kind=kind,
            low=_count(rule, "minLength"),
            high=_count(rule, "maxLength"),
            pattern=pattern if isinstance(pattern, str) else None,
            format=form if isinstance(form, str) else None,
        )
    return replace(base, kind=kind, low=_bound(rule, "minimum"), high=_bound(rule, "maximum"))


def _bound(rule: Mapping[str, Any], word: str) -> float | None:
    value = rule.get(word)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(rule: Mapping[str, Any], word: str) -> float | None:
    value = _bound(rule, word)
    return value if value is None or value >= 0 else None


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Return *value* as JSON that a person can read; what cannot be seen is escaped."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent))


def parse(field: FieldSpec, draft: str) -> Parsed:
    """Read what was typed into *field*. An empty draft is unset, never an empty value."""
    if not draft.strip() and (field.kind is not Kind.TEXT or not draft):
        return Parsed(problem="required") if field.required else Parsed()
    match field.kind:
        case Kind.TEXT:
            return _parse_text(field, draft)
        case Kind.INTEGER | Kind.NUMBER:
            return _parse_number(field, draft)
        case Kind.LIST:
            return _parse_list(field, draft)
        case Kind.CHOICE:
            typed = draft if draft in field.choices else next((c for c in field.choices if _bare(c) == draft), None)
            return Parsed(problem="not one of the allowed values") if typed is None else _parse_json(typed)
        case Kind.JSON:
            parsed = _parse_json(draft)
            problem = problem_of(field.rule, parsed.value) if parsed.is_set else ""
            return Parsed(problem=problem) if problem else parsed
        case _:
            return _parse_json(draft)


def _parse_json(draft: str) -> Parsed:
    try:
        return Parsed(json.loads(draft), is_set=True)
    except ValueError as error:
        return Parsed(problem=f"not valid JSON: {json_problem(error)}")
    except RecursionError:
        return Parsed(problem="not valid JSON: nested too deeply")


def json_problem(error: ValueError) -> str:
    """Say where and why a JSON text cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    return "a number in it is too long"


def _parse_text(field: FieldSpec, draft: str) -> Parsed:
    if field.low is not None and len(draft) < field.low:
        return Parsed(problem=f"at least {field.low:g} characters")
    if field.high is not None and len(draft) > field.high:
        return Parsed(problem=f"at most {field.high:g} characters; this has {len(draft)}")
    if not draft.strip() and field.required:
        return Parsed(problem="must not be blank")
    if field.format == "date" and not _is_date(draft.strip()):
        return Parsed(problem="a date, YYYY-MM-DD")
    if field.pattern is not None and not _matches(field.pattern, draft):
        return Parsed(problem=f"must match {field.pattern}")
    return Parsed(draft, is_set=True)


def _is_date(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None


def _matches(pattern: str, text: str) -> bool:
    """Whether *text* matches; a pattern that Python cannot read is left to the handler to judge."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def _parse_number(field: FieldSpec, draft: str) -> Parsed:
    whole = field.kind is Kind.INTEGER
    text = draft.strip()
    if whole and not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return Parsed(problem="a whole number" + _range(field))
    if not whole and not re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", text):
        return Parsed(problem="a number" + _range(field))
    value: float = int(text) if whole else float(text)
    if not math.isfinite(value):
        return Parsed(problem="a finite number")
    if (field.low is not None and value < field.low) or (field.high is not None and value > field.high):
        return Parsed(problem="a number" + _range(field))
    if field.served is not None and value > field.served:
        return Parsed(value, is_set=True, note=f"will be served as {field.served}, the configured ceiling")
    return Parsed(value, is_set=True)


def _range(field: FieldSpec) -> str:
    if field.low is not None and field.high is not None:
        return f" from {field.low:g} to {field.high:g}"
    if field.low is not None:
        return f", at least {field.low:g}"
    return f", at most {field.high:g}" if field.high is not None else ""


def _parse_list(field: FieldSpec, draft: str) -> Parsed:
    assert field.item is not None
    lines = [line for line in draft.split("\n") if line.strip()]
    if field.low is not None and len(lines) < field.low:
        return Parsed(problem=f"at least {field.low:g} items")
    if field.high is not None and len(lines) > field.high:
        return Parsed(problem=f"at most {field.high:g} items")
    values = []
    for number, line in enumerate(lines, 1):
        typed = next((c for c in field.item.choices if _bare(c) == line.strip()), line.strip())
        parsed = parse(field.item, typed)
        if parsed.problem:
            return Parsed(problem=f"line {number}: {parsed.problem}")
        values.append(parsed.value)
    return Parsed(values, is_set=True)


def _bare(choice: str) -> str:
    value = json.loads(choice)
    return value if isinstance(value, str) else choice


def shown(choice: str) -> str:
    """Return a choice or default as an operator reads it: texts without their quotes."""
    try:
        return _bare(choice)
    except ValueError:
        return choice


def hint(field: FieldSpec) -> str:
    """Return what an empty control says in the field's place: default, then range or form."""
    parts = []
    if field.default is not None:
        parts.append(shown(field.default))
    match field.kind:
        case Kind.INTEGER | Kind.NUMBER if field.low is not None and field.high is not None:
            top = field.served or field.high
            parts.append(f"{field.low:g}–{top:g}" + (f", hard cap {field.high:g}" if top != field.high else ""))
        case Kind.TEXT if field.format == "date":
            parts.append("YYYY-MM-DD")
        case Kind.LIST:
            parts.append("one item a line")
        case Kind.JSON:
            parts.append(f"JSON: {signature(field.rule)}" if signature(field.rule) else "JSON")
        case Kind.CHOICE if len(field.choices) > MANY:
            parts.append(f"one of {len(field.choices):,}; type the beginning, right arrow takes it")
    return " · ".join(parts)


def to_draft(field: FieldSpec, value: Any) -> str | None:
    """Return the draft that means *value* in *field*'s control; None when the control cannot hold it."""
    match field.kind:
        case Kind.TEXT if isinstance(value, str):
            draft = value
        case Kind.LIST if isinstance(value, list):
            draft = "\n".join(item if isinstance(item, str) else to_json(item) for item in value)
        case Kind.JSON:
            draft = to_json(value, indent=2)
        case _:
            draft = to_json(value)
    parsed = parse(field, draft)
    same = parsed.is_set and to_json(parsed.value) == to_json(value)
    return draft if same and not UNSAFE.search(draft.replace("\n", "")) else None
