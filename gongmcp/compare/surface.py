"""Two lists of tools compared: what was added, removed, loosened and tightened, and exactly how.

*Loosened* is whatever lets an agent ask for more or receive more than before; *tightened* is the
opposite; what has no direction (words that a model reads, a preset's name) is *reworded*. A change
whose direction cannot be told counts as loosened: whoever relies on the comparison looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gongmcp.catalog.declaration import Level

LOOSENED = "loosened"
TIGHTENED = "tightened"
REWORDED = "reworded"

_LEVELS = [level.value for level in Level]
_UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")
_LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_SAFE_HINTS = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
_WIDER = {("integer", "number")}
_WORDS = frozenset({"description", "title", "examples"})
_COMPARED = frozenset(
    {"type", "properties", "items", "required", "enum", "additionalProperties", *_UPPER_BOUNDS, *_LOWER_BOUNDS}
)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: *where* in the tool (``inputSchema.limit.maximum``), which way, the values (None = absent)."""

    where: str
    direction: str
    saved: Any
    now: Any

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"where": self.where, "direction": self.direction, "saved": self.saved, "now": self.now}


@dataclass(frozen=True, slots=True)
class SurfaceDiff:
    """Names of added and removed tools, and the changes of each tool that is in both lists."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[Change, ...]]

    @property
    def looser(self) -> bool:
        """True when an agent could ask for or receive more than before: a new tool, or a loosened one."""
        return bool(self.added) or any(
            change.direction == LOOSENED for changes in self.changed.values() for change in changes
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "looser": self.looser,
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [
                {"name": name, "changes": [change.as_dict() for change in changes]}
                for name, changes in self.changed.items()
            ],
        }


def compare_surfaces(saved: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> SurfaceDiff:
    """Compare two lists of tools as ``ToolInfo.info()`` (or MCP's ``tools/list``) gives them."""
    before, after = {tool["name"]: tool for tool in saved}, {tool["name"]: tool for tool in now}
    changed = {name: tuple(_tool(before[name], after[name])) for name in after if name in before}
    return SurfaceDiff(
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        {name: changes for name, changes in changed.items() if changes},
    )


def _tool(saved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    for key in ("inputSchema", "outputSchema"):
        yield from _schema(key, saved.get(key) or {}, now.get(key) or {}, output=key == "outputSchema")
    yield from _limits(saved, now)
    yield from _annotations(saved.get("annotations") or {}, now.get("annotations") or {})
    if _both(saved, now, "exposure") and saved["exposure"] != now["exposure"]:
        old, new = saved["exposure"], now["exposure"]
        lower = old in _LEVELS and new in _LEVELS and _LEVELS.index(new) < _LEVELS.index(old)
        yield Change("exposure", TIGHTENED if lower else LOOSENED, old, new)
    for key in ("title", "description", "schema_version", "presets", "aliases"):
        if _both(saved, now, key) and saved[key] != now[key]:
            yield Change(key, REWORDED, saved[key], now[key])


def _both(saved: Mapping[str, Any], now: Mapping[str, Any], key: str) -> bool:
    # MCP's own list lacks what only our commands print; that is no difference of the tool.
    return key in saved and key in now


def _limits(saved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    if not _both(saved, now, "limits"):
        return
    old, new = saved["limits"] or {}, now["limits"] or {}
    for name in dict.fromkeys([*old, *new]):
        yield from _bound(f"limits.{name}", old.get(name), new.get(name), higher=LOOSENED)


def _bound(where: str, old: Any, new: Any, *, higher: str) -> Iterator[Change]:
    """Compare a bound; *higher* is what raising it means. Without a bound anything goes."""
    if old == new:
        return
    if new is None:
        direction = LOOSENED
    elif old is None:
        direction = TIGHTENED
    else:
        direction = higher if new > old else _opposite(higher)
    yield Change(where, direction, old, new)


def _opposite(direction: str) -> str:
    return TIGHTENED if direction == LOOSENED else LOOSENED


def _annotations(saved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    for name in dict.fromkeys([*saved, *now]):
        old, new = saved.get(name), now.get(name)
        if old == new:
            continue
        if name in _SAFE_HINTS:
            direction = TIGHTENED if new is _SAFE_HINTS[name] else LOOSENED
        else:
            direction = REWORDED
        yield Change(f"annotations.{name}", direction, old, new)


def _schema(where: str, saved: Mapping[str, Any], now: Mapping[str, Any], *, output: bool) -> Iterator[Change]:
    """Compare two schemas of the plain dialect (no references, alternatives or lists of types)."""
    if saved.get("type") != now.get("type"):
        old, new = saved.get("type"), now.get("type")
        yield Change(f"{where}.type", TIGHTENED if (new, old) in _WIDER else LOOSENED, old, new)
        return
    yield from _enum(where, saved, now)
    for key in _UPPER_BOUNDS:
        yield from _bound(f"{where}.{key}", saved.get(key), now.get(key), higher=LOOSENED)
    for key in _LOWER_BOUNDS:
        yield from _bound(f"{where}.{key}", saved.get(key), now.get(key), higher=TIGHTENED)
    yield from _properties(where, saved, now, output=output)
    if saved.get("additionalProperties", True) != now.get("additionalProperties", True):
        closed = now.get("additionalProperties", True) is False
        yield Change(
            f"{where}.additionalProperties",
            TIGHTENED if closed else LOOSENED,
            saved.get("additionalProperties"),
            now.get("additionalProperties"),
        )
    if "items" in saved or "items" in now:
        yield from _schema(f"{where}[]", saved.get("items") or {}, now.get("items") or {}, output=output)
    for key in dict.fromkeys([*saved, *now]):
        if key not in _COMPARED and saved.get(key) != now.get(key):
            yield Change(f"{where}.{key}", _other(key, saved, now), saved.get(key), now.get(key))


def _other(key: str, saved: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if key in _WORDS:
        return REWORDED
    if key == "default" and now.get(key) is not True:
        # What an argument is when it is left out; only an opt-in that became the rule shows more.
        return TIGHTENED if saved.get(key) is True else REWORDED
    return TIGHTENED if key not in saved else LOOSENED


def _enum(where: str, saved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    old, new = saved.get("enum"), now.get("enum")
    if old is None and new is None:
        return
    if old is None or new is None:
        yield Change(f"{where}.enum", TIGHTENED if old is None else LOOSENED, old, new)
        return
    if gone := [value for value in old if value not in new]:
        yield Change(f"{where}.enum", TIGHTENED, gone, None)
    if fresh := [value for value in new if value not in old]:
        yield Change(f"{where}.enum", LOOSENED, None, fresh)


def _properties(where: str, saved: Mapping[str, Any], now: Mapping[str, Any], *, output: bool) -> Iterator[Change]:
    old, new = saved.get("properties") or {}, now.get("properties") or {}
    required_before, required_now = saved.get("required") or [], now.get("required") or []
    for name in old:
        if name not in new:
            yield Change(f"{where}.{name}", TIGHTENED, _kind(old[name]), None)
    for name, schema in new.items():
        if name not in old:
            must = not output and name in required_now
            yield Change(f"{where}.{name}", TIGHTENED if must else LOOSENED, None, _kind(schema))
            continue
        yield from _schema(f"{where}.{name}", old[name], schema, output=output)
        if (name in required_before) != (name in required_now):
            must = name in required_now
            # That an answer always holds a column is a promise; that a call must give an argument, a barrier.
            direction = (LOOSENED if must else TIGHTENED) if output else (TIGHTENED if must else LOOSENED)
            yield Change(f"{where}.{name}.required", direction, not must, must)


def _kind(schema: Mapping[str, Any]) -> str:
    if schema.get("type") == "array":
        return f"array of {_kind(schema.get('items') or {})}"
    return str(schema.get("type", "anything"))
