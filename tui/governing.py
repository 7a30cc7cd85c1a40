"""The settings that decide which calls exist for agents and how much of one may leave: value, layer, place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gongmcp.effective import effective
from gongmcp.settings import SETTINGS, ServerSettings

_KEYS = (
    "governance.list",
    "policy.mask_participants",
    "policy.min_cell",
    "evidence.per_answer",
    "evidence.segments",
    "evidence.percent",
)
_PRIVATE = "scope.private_calls"


@dataclass(frozen=True, slots=True)
class Governing:
    """One setting: *name* is its key in the settings file, *layer* is default, file, env or flag, *origin* the place
    that gave it, *overrides* are the weaker places that give it too."""

    name: str
    value: str
    layer: str
    origin: str
    overrides: tuple[str, ...] = ()


def governing(settings: ServerSettings) -> list[Governing]:
    """Return the list, masking, small cells and evidence, then of the scope what is set and the private calls.

    Settings that were made without layers (``gongctl demo``) are all of the layer default.
    """
    layers = {setting.name: settings.sources.get(setting.name, "default") for setting in SETTINGS}
    found = {item.key: item for item in effective(replace(settings, sources=layers))}
    scope = [key for key, item in found.items() if key.startswith("scope.") and (key == _PRIVATE or item.is_set)]
    return [
        Governing(key, _words(found[key].value), found[key].source, found[key].origin, found[key].overrides)
        for key in (*_KEYS, *scope)
    ]


def _words(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def in_short(settings: Sequence[Governing]) -> list[Governing]:
    """Return *settings* as one line has room for: evidence and scope are one item each."""
    by = {item.name: item for item in settings}
    evidence = [by[f"evidence.{name}"] for name in ("per_answer", "segments", "percent")]
    per_answer, segments, percent = (item.value for item in evidence)
    scope = [item for item in settings if item.name.startswith("scope.")]
    cell = by["policy.min_cell"]
    return [
        _joined("evidence", f"{per_answer} an answer, max({segments}, {percent}%) a session", evidence),
        _joined("min_cell", "off" if cell.value == "1" else cell.value, [cell]),
        _joined("mask_participants", by["policy.mask_participants"].value, [by["policy.mask_participants"]]),
        _joined("scope", ", ".join(_in_short(item) for item in scope), scope),
        _joined("list", by["governance.list"].value, [by["governance.list"]]),
    ]


def _in_short(item: Governing) -> str:
    count = item.value.count(", ") + 1
    return f"{item.name.removeprefix('scope.')} {item.value if count == 1 else f'{count} values'}"


def _joined(name: str, value: str, items: Sequence[Governing]) -> Governing:
    """Return one setting for *items*; of their layers it names those that are no default, if there are any."""
    layers = list(dict.fromkeys(item.layer for item in items if item.layer != "default"))
    return Governing(name, value, " and ".join(layers) or "default", "")
