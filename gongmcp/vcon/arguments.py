"""Arguments of vCon tools, checked against the published schema.

Language models' slips are forgiven (``"5"`` for a number, ``"true"``, JSON in a text, null for what is left out, the
case of a choice); unknown names, fractions, wrong types and blanks are refused. No value is quoted.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from gongmcp.vcon.faults import VconFault

MAX_BYTES: Final = 2 * 1024 * 1024
"""Largest arguments of one call, in bytes of JSON."""

_MAX_TEXT: Final = 512
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def checked(schema: Mapping[str, Any], given: Any) -> dict[str, Any]:
    """Return *given* as *schema* wants it, with defaults filled in.

    Raises:
        VconFault: ``INVALID_ARGUMENT``, naming the argument and what is allowed.
    """
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise _bad("", "Arguments must be an object.")
    plain = {key: value for key, value in given.items() if key != "_meta"}
    try:
        size = len(json.dumps(plain, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, TypeError, RecursionError):
        raise _bad("", "The arguments hold text that is not valid Unicode or JSON.") from None
    if size > MAX_BYTES:
        raise _bad("", f"The arguments are larger than {MAX_BYTES} bytes.")
    return _object("", plain, schema)


def _bad(name: str, message: str, **details: Any) -> VconFault:
    return VconFault("INVALID_ARGUMENT", message, **({"argument": name} if name else {}), **details)


def _object(path: str, given: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    out: dict[str, Any] = {}
    for key, value in given.items():
        place = f"{path}.{key}" if path else key
        if key in properties:
            continue
        if others is False:
            raise _unknown(place, [f"{path}.{name}" if path else name for name in properties])
        if not key or "\x00" in key:
            raise _bad(path, f"{path or 'A name'} holds an empty name.")
        out[key] = value if others is True else _value(f"{path} value", _as_text(value, others), others)
    for key, rule in properties.items():
        place = f"{path}.{key}" if path else key
        if given.get(key) is not None:
            out[key] = _value(place, given[key], rule)
        elif "default" in rule:
            out[key] = rule["default"]
    missing = [f"{path}.{key}" if path else key for key in schema.get("required", ()) if key not in out]
    if missing:
        raise _bad(missing[0], f"Missing required argument: {', '.join(missing)}.")
    if len(given) < schema.get("minProperties", 0):
        raise _bad(path, f"{path} must be a non-empty object.")
    return out


def _unknown(place: str, valid: list[str]) -> VconFault:
    shown = re.sub(r"[^\w.-]", "?", place)[:60]
    near = difflib.get_close_matches(shown, valid, 1, 0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    return _bad(shown, f"Unknown argument {shown}.{hint}", valid_arguments=valid)


def _value(name: str, value: Any, rule: Mapping[str, Any]) -> Any:
    check = {
        "string": _string,
        "integer": _integer,
        "number": _number,
        "boolean": _boolean,
        "array": _array,
        "object": _nested,
    }.get(rule.get("type", ""))
    return value if check is None else check(name, value, rule)


def _as_text(value: Any, rule: Mapping[str, Any]) -> Any:
    """Return a number or a truth value of a map of texts as the text that stands for it."""
    if rule.get("type") != "string" or not isinstance(value, bool | int | float):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else f"{value}"


def _string(name: str, value: Any, rule: Mapping[str, Any]) -> str:
    if not isinstance(value, str):
        raise _bad(name, f"{name} must be a string.")
    if "\x00" in value:
        raise _bad(name, f"{name} contains a NUL character.")
    limit = rule.get("maxLength", _MAX_TEXT)
    text = value if limit > _MAX_TEXT else value.strip()
    if len(text) < rule.get("minLength", 0):
        raise _bad(name, f"{name} must not be blank.")
    if len(text) > limit:
        raise _bad(name, f"{name} is longer than {limit} characters.")
    if "enum" in rule:
        for option in rule["enum"]:
            if option.casefold() == text.casefold():
                return str(option)
        raise _bad(name, f"{name} is not one of the allowed values.", valid_values=list(rule["enum"]))
    if rule.get("format") == "uuid":
        if not _UUID.fullmatch(text):
            raise _bad(name, f"{name} is no UUID.")
        return text.lower()
    return text


def _range(name: str, rule: Mapping[str, Any], what: str) -> VconFault:
    low, high = rule.get("minimum"), rule.get("maximum")
    between = f" from {low} to {high}" if high is not None else f" of at least {low}" if low is not None else ""
    return _bad(name, f"{name} must be {what}{between}.")


def _integer(name: str, value: Any, rule: Mapping[str, Any]) -> int:
    number: int | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, int):
        number = value
    elif (isinstance(value, float) and math.isfinite(value) and value.is_integer()) or (
        isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip())
    ):
        number = int(value)
    if number is None or not rule.get("minimum", -math.inf) <= number <= rule.get("maximum", math.inf):
        raise _range(name, rule, "a whole number")
    return number


def _number(name: str, value: Any, rule: Mapping[str, Any]) -> float:
    number: float | None = None
    if (isinstance(value, int | float) and not isinstance(value, bool)) or (
        isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", value.strip())
    ):
        number = float(value)
    if (
        number is None
        or not math.isfinite(number)
        or not rule.get("minimum", -math.inf) <= number <= rule.get("maximum", math.inf)
    ):
        raise _range(name, rule, "a number")
    return number


def _boolean(name: str, value: Any, _rule: Mapping[str, Any]) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _bad(name, f"{name} must be true or false.")


def _parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value


def _array(name: str, value: Any, rule: Mapping[str, Any]) -> list[Any]:
    items = _parsed(value)
    if not isinstance(items, list):
        raise _bad(name, f"{name} must be an array.")
    if not rule.get("minItems", 0) <= len(items) <= rule.get("maxItems", 10_000):
        low, high = rule.get("minItems", 0), rule.get("maxItems", 10_000)
        raise _bad(name, f"{name} must have from {low} to {high} items.")
    inner = rule.get("items")
    if inner is None:
        return items
    if "enum" in inner:
        wrong = [item for item in items if item not in inner["enum"]]
        if wrong:
            shown = [re.sub(r"[^\w.-]", "?", str(item))[:40] for item in wrong]
            raise _bad(name, f"{name} holds an unknown value.", invalid_values=shown, valid_values=list(inner["enum"]))
        return list(dict.fromkeys(items))
    return [_value(f"{name} item", item, inner) for item in items]


def _nested(name: str, value: Any, rule: Mapping[str, Any]) -> dict[str, Any]:
    found = _parsed(value)
    if not isinstance(found, Mapping):
        raise _bad(name, f"{name} must be an object.")
    return _object(name, found, rule)
