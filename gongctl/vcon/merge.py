"""Changing the top of a vCon: which fields may be changed, and the three ways of bringing given ones in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from gongctl.vcon import Vcon
from gongctl.vcon.findings import VconRefused

Strategy = Literal["replace", "merge", "append"]
STRATEGIES: Final[tuple[Strategy, ...]] = ("replace", "merge", "append")

IMMUTABLE: Final = frozenset({"uuid", "created_at", "vcon"})
ARRAYS: Final = frozenset({"parties", "dialog", "analysis", "attachments"})
CHANGEABLE: Final = ("subject", "extensions", "critical", "redacted", "amended")
"""Fields of the core format that an update may set; ``replace`` clears those that are not given."""

_KEPT_BY_REPLACE: Final = IMMUTABLE | ARRAYS | {"updated_at"}


def updated(vcon: Vcon, updates: Mapping[str, Any], strategy: Strategy = "merge") -> Vcon:
    """Return *vcon* with *updates* brought in.

    ``replace``: given fields overwrite, ``CHANGEABLE`` ones that are not given are cleared. ``merge``: given fields
    overwrite, lists are united in order without doubles, objects are merged key by key, null clears. ``append``: lists
    are put behind the ones that are there, a text counts only where there was none. Fields of extensions, which the
    core format does not know, are taken the same way and cleared by null alone.

    Raises:
        VconRefused: there is nothing to change, or a field is not to be changed here.
    """
    _check(updates, strategy)
    out = dict(vcon)
    if strategy == "replace":
        for name in CHANGEABLE:
            out.pop(name, None)
    for name, value in updates.items():
        if value is None:
            out.pop(name, None)
        elif strategy == "replace" or name not in out:
            out[name] = value
        elif strategy == "merge":
            out[name] = _merged(out[name], value)
        else:
            out[name] = _appended(out[name], value)
    return out


def _check(updates: Mapping[str, Any], strategy: str) -> None:
    if strategy not in STRATEGIES:
        raise VconRefused("VC_ARGUMENT", f"merge_strategy is one of {', '.join(STRATEGIES)}")
    if not updates:
        raise VconRefused("VC_ARGUMENT", "updates holds nothing to change")
    for name in updates:
        if name in ARRAYS:
            raise VconRefused("VC_IMMUTABLE", f"{name} is not changed by an update; add, update or remove an element")
        if name in _KEPT_BY_REPLACE:
            raise VconRefused("VC_IMMUTABLE", f"{name} cannot be changed")


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *(item for place, item in enumerate(new) if item not in old and item not in new[:place])]
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **new}
    return new


def _appended(old: Any, new: Any) -> Any:
    if isinstance(old, list):
        return [*old, *(new if isinstance(new, list) else [new])]
    if isinstance(old, dict) and isinstance(new, dict):
        return {**new, **old}
    return old if old not in ("", None) else new
