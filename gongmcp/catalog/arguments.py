"""Argument types shared by the tools, and the schema-directed pre-pass that validates arguments.

Language models slip in known ways; the pre-pass forgives those (``"5"`` or ``10.0`` for an integer,
``"true"``, a JSON array in a string, ``null`` for an omitted optional, surrounding blanks, the case
of an enumeration) and is strict about everything else: unknown names, fractions, numbers for ids,
blank required text. Error texts name arguments and ranges, never the value that was sent.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from gongmcp.catalog.filters import refuse_withheld
from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import MAX_CURSOR
from gongmcp.exposure.fields import Field, Filters

if TYPE_CHECKING:
    from gongmcp.catalog.declaration import Arguments, Tool
    from gongmcp.exposure.policy import Policy

MAX_TEXT = 512
"""Longest string argument, in characters."""

MAX_ARGUMENT_BYTES = 64 * 1024
"""Largest argument object, in bytes of JSON."""


@dataclass(frozen=True, slots=True)
class LimitMark:
    """Marks the ``limit`` argument: ceiling, default and hard cap come from LimitPolicy at run time."""


@dataclass(frozen=True, slots=True)
class DimensionMark:
    """Marks an argument that names a dimension: its enumeration holds the dimensions policy shows.

    With *analysis* those of the analysis tools are among them.
    """

    analysis: bool = False


@dataclass(frozen=True, slots=True)
class OperationMark:
    """Marks an argument that names an operation: its enumeration holds those of the tool *facade* (None = of all) that
    policy allows."""

    facade: str | None


AnyObject = dict[str, Any]
"""An object whose members are checked by whoever it is handed on to."""

SearchText = Annotated[
    str,
    Filters(Field.SNIPPET),
    msgspec.Meta(
        min_length=1,
        max_length=MAX_TEXT,
        description='Words (all must occur in one segment), "a phrase", OR, -word, prefix*.',
    ),
]
IsoDate = Annotated[
    str,
    Filters(Field.TIME),
    msgspec.Meta(extra_json_schema={"format": "date"}, description="UTC day, YYYY-MM-DD, inclusive."),
]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
Limit = Annotated[int | None, LimitMark()]
Cursor = (
    Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CURSOR, description="next_cursor of the page before.")]
    | None
)
CallRef = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class ValidArguments:
    """Arguments that passed: the typed model, their plain form (without ``limit`` and ``cursor``),
    the effective row limit and, where it was lowered to the ceiling, what was requested."""

    model: Arguments
    plain: dict[str, Any]
    limit: int
    requested: int | None
    cursor: str | None


def validate(tool: Tool, policy: Policy, schema: Mapping[str, Any], arguments: Any) -> ValidArguments:
    """Check *arguments* against the published *schema* of *tool* and return them typed.

    Raises ``ToolFault("invalid_argument", …)`` naming the argument, what is allowed and, for an
    unknown name, the nearest valid one; ``refused_by_policy`` for an argument that looks for withheld values.
    """
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise ToolFault("invalid_argument", "Arguments must be an object.")
    given = {key: value for key, value in arguments.items() if key != "_meta"}
    properties: dict[str, Any] = schema["properties"]
    refuse_withheld(tool, policy, given, flags_known=False)
    for name in given:
        if name not in properties:
            raise unknown_argument(name, list(properties))
    _check_size(given)
    plain: dict[str, Any] = {}
    for name, rule in properties.items():
        if name not in given or given[name] is None:
            continue
        if name == "limit" and tool.cap is not None:
            plain[name] = _integer(name, given[name], _limit_range(tool, policy))
            continue
        value = _coerce(name, given[name], rule, required=name in schema.get("required", ()))
        if value is not None:
            plain[name] = value
    missing = [name for name in schema.get("required", ()) if name not in plain]
    if missing:
        raise ToolFault("invalid_argument", f"Missing required argument: {', '.join(missing)}.")
    refuse_withheld(tool, policy, plain)
    start, end = plain.get("from_date"), plain.get("to_date")
    if start and end and start > end:
        raise ToolFault("invalid_argument", "from_date is later than to_date.")
    limit, requested = _effective_limit(tool, policy, plain)
    model = msgspec.convert(plain, tool.arguments)
    cursor = plain.pop("cursor", None)
    plain.pop("limit", None)
    return ValidArguments(model, plain, limit, requested, cursor)


def unknown_argument(name: Any, valid: list[str]) -> ToolFault:
    """Return the fault for an argument called *name* where only those of *valid* exist; it names the nearest."""
    shown = re.sub(r"[^\w.-]", "?", str(name))[:40]
    near = difflib.get_close_matches(shown, valid, 1, 0.5)
    contained = [candidate for candidate in valid if shown and candidate.startswith(shown)]
    nearest = (near or contained or [""])[0]
    hint = f"Did you mean {nearest}? " if nearest else ""
    names = ", ".join(valid) or "none"
    return ToolFault("invalid_argument", f"Unknown argument {shown!r}.", f"{hint}Valid arguments: {names}.")


def _check_size(given: dict[str, Any]) -> None:
    try:
        size = len(json.dumps(given, ensure_ascii=False).encode())
    except (UnicodeEncodeError, ValueError, TypeError, RecursionError):
        raise ToolFault("invalid_argument", "The arguments hold text that is not valid Unicode or JSON.") from None
    if size > MAX_ARGUMENT_BYTES:
        raise ToolFault("invalid_argument", f"The arguments are larger than {MAX_ARGUMENT_BYTES} bytes.")


def _limit_range(tool: Tool, policy: Policy) -> dict[str, Any]:
    assert tool.cap is not None
    limits = policy.limits.limits(tool.cap)
    return {"minimum": 1, "maximum": limits.hard, "served": limits.ceiling}


def _effective_limit(tool: Tool, policy: Policy, plain: dict[str, Any]) -> tuple[int, int | None]:
    if tool.cap is None:
        return 0, None
    limits = policy.limits.limits(tool.cap)
    asked = plain.get("limit")
    if asked is None:
        return limits.default, None
    return (limits.ceiling, asked) if asked > limits.ceiling else (asked, None)


def _coerce(name: str, value: Any, rule: Mapping[str, Any], *, required: bool) -> Any:
    kind = rule["type"]
    if kind == "string":
        return _string(name, value, rule, required=required)
    if kind == "integer":
        return _integer(name, value, rule)
    if kind == "number":
        return _number(name, value, rule)
    if kind == "boolean":
        return _boolean(name, value)
    if kind == "object":
        return checked_object(name, value, rule)
    return _array(name, value, rule)


def _string(name: str, value: Any, rule: Mapping[str, Any], *, required: bool) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str):
        wants = "pass ids as strings" if name.endswith(("_id", "_ref")) else "it must be a string"
        raise ToolFault("invalid_argument", f"{name} has the wrong type.", f"{name}: {wants}.")
    if "\x00" in value:
        raise ToolFault("invalid_argument", f"{name} contains a NUL character.")
    try:
        value.encode()  # an array in a string is parsed late: half a surrogate pair may come out of it
    except UnicodeEncodeError:
        raise ToolFault("invalid_argument", f"{name} is not valid Unicode.") from None
    text = value.strip()
    if not text:
        if required:
            raise ToolFault("invalid_argument", f"{name} must not be blank.")
        return None
    if len(text) > rule.get("maxLength", MAX_TEXT):
        raise ToolFault("invalid_argument", f"{name} is longer than {rule.get('maxLength', MAX_TEXT)} characters.")
    if "enum" in rule:
        for option in rule["enum"]:
            if option.casefold() == text.casefold():
                return str(option)
        raise ToolFault("invalid_argument", f"{name} is not one of the allowed values.", _options(name, rule["enum"]))
    if rule.get("format") == "date":
        try:
            if len(text) != 10 or not text.isascii():
                raise ValueError
            dt.date.fromisoformat(text)
        except ValueError:
            raise ToolFault("invalid_argument", f"{name} must be a date YYYY-MM-DD.") from None
    return text


def _options(name: str, options: list[str]) -> str:
    return f"{name} is one of: {', '.join(options)}."


def _integer(name: str, value: Any, rule: Mapping[str, Any]) -> int:
    low, high = rule.get("minimum"), rule.get("maximum")
    between = f"{name} must be a whole number" + (f" from {low} to {high}." if high is not None else ".")
    if rule.get("served", high) != high:
        between += f" Above {rule['served']} it is served as {rule['served']}."
    number: int | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, int):
        number = value
    elif isinstance(value, float):
        number = int(value) if math.isfinite(value) and value.is_integer() else None
    elif isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
        number = int(value)
    if number is None:
        raise ToolFault("invalid_argument", f"{name} is no whole number.", between)
    if (low is not None and number < low) or (high is not None and number > high):
        raise ToolFault("invalid_argument", f"{name} is not in the allowed range.", between)
    return number


def _number(name: str, value: Any, rule: Mapping[str, Any]) -> float:
    number: float | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, int | float) or (
        isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", value.strip())
    ):
        number = float(value)
    low, high = rule.get("minimum", -math.inf), rule.get("maximum", math.inf)
    if number is None or not math.isfinite(number) or not low <= number <= high:
        raise ToolFault("invalid_argument", f"{name} must be a number from {low} to {high}.")
    return number


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise ToolFault("invalid_argument", f"{name} must be true or false.")


def checked_object(name: str, value: Any, rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object whose members follow *rule*; an argument inside it is named by its path.

    A rule without properties takes any. Raises ``ToolFault("invalid_argument")``.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, Mapping):
        raise ToolFault("invalid_argument", f"{name} must be an object.")
    if "properties" not in rule:
        return dict(value)
    properties: dict[str, Any] = rule["properties"]
    paths = {f"{name}.{key}": key for key in properties}
    for key in value:
        if key not in properties:
            raise unknown_argument(f"{name}.{key}", list(paths))
    required = rule.get("required", ())
    out = {
        key: found
        for path, key in paths.items()
        if value.get(key) is not None
        and (found := _coerce(path, value[key], properties[key], required=key in required)) is not None
    }
    missing = [f"{name}.{key}" for key in required if key not in out]
    if missing:
        raise ToolFault("invalid_argument", f"Missing required argument: {', '.join(missing)}.")
    start, end = out.get("from_date"), out.get("to_date")
    if start and end and start > end:
        raise ToolFault("invalid_argument", f"{name}.from_date is later than {name}.to_date.")
    return out


def _array(name: str, value: Any, rule: Mapping[str, Any]) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, list):
        raise ToolFault("invalid_argument", f"{name} must be an array.")
    if len(value) > rule.get("maxItems", 100):
        raise ToolFault("invalid_argument", f"{name} holds more than {rule.get('maxItems', 100)} items.")
    items = [_coerce(f"{name} item", item, rule["items"], required=True) for item in value]
    if len(items) < rule.get("minItems", 0):
        raise ToolFault("invalid_argument", f"{name} must hold at least {rule['minItems']} items.")
    return items
