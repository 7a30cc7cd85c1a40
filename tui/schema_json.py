"""Arguments that only JSON can hold: what they must look like, in short, and what is wrong with a value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from gongmcp.render.visible import visible

_DEEPEST: Final = 3
_MOST: Final = 6
"""Members and arms that are named; more are three dots."""
_LONGEST: Final = 200

_TYPES: Final = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null"}


def signature(rule: Any, depth: int = 0) -> str:
    """Return the shape that *rule* asks for: ``[{name*: text, size: number}]``; '' where it asks for none.

    Members with a star are required. Nested and long shapes are cut with three dots.
    """
    if not isinstance(rule, Mapping) or depth > _DEEPEST:
        return "…" if depth else ""
    for word in ("anyOf", "oneOf"):
        arms = rule.get(word)
        if isinstance(arms, list) and arms:
            told = [signature(arm, depth + 1) or "anything" for arm in arms[:_MOST]]
            return " | ".join(dict.fromkeys([*told, *(["…"] if len(arms) > _MOST else [])]))
    if "const" in rule:
        return repr(rule["const"])[:_LONGEST]
    kind, properties = rule.get("type"), rule.get("properties")
    if isinstance(properties, Mapping) and properties:
        required = rule.get("required")
        needed = required if isinstance(required, list) else []
        members = [
            f"{name}{'*' if name in needed else ''}: {signature(item, depth + 1) or 'anything'}"
            for name, item in list(properties.items())[:_MOST]
        ]
        return "{" + ", ".join([*members, *(["…"] if len(properties) > _MOST else [])]) + "}"
    if kind == "array":
        return f"[{signature(rule.get('items', {}), depth + 1) or 'anything'}]"
    if kind == "object":
        return "{…}"
    if isinstance(kind, list):
        return " | ".join(_TYPES.get(str(item), str(item)) for item in kind)
    return _TYPES.get(str(kind), str(kind)) if kind is not None else ""


def problem_of(rule: Any, value: Any) -> str:
    """Return where *value* is not what *rule* asks for; '' where it is, and where the rule cannot be judged here.

    Patterns are left to the handler: one that takes for ever would stop the screen. Nothing is fetched.
    """
    if not isinstance(rule, Mapping):
        return ""
    try:
        error = next(iter(_validator()(dict(rule), registry=_registry()).iter_errors(value)), None)
    except Exception:  # noqa: BLE001 - a rule that is no schema, or points elsewhere: the handler judges
        return ""
    if error is None:
        return ""
    place = "/" + "/".join(str(part) for part in error.absolute_path)
    message = str(error.message)
    told = message if len(message) <= _LONGEST else f"does not pass {error.validator}"
    return visible(told if place == "/" else f"{place}: {told}")


@lru_cache(maxsize=1)
def _validator() -> Any:
    from jsonschema import Draft202012Validator, validators  # loads slowly, and few forms need it

    def passed(*_: Any) -> None:
        return None

    extend: Any = validators.extend
    return extend(Draft202012Validator, {"pattern": passed, "patternProperties": passed})


@lru_cache(maxsize=1)
def _registry() -> Any:
    """Return a registry that knows no other document and asks nobody for one."""
    from referencing import Registry

    return Registry()
