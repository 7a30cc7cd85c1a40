"""The guard over the answers of vCon tools: names in the keys of tags too, and counts of what is left of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gongmcp.governance.guard import Guard

LISTS: Final = ("items", "vcons", "results")
"""The lists of an answer; one of them is counted in ``count``, of the answer or of its ``page``."""

_KEYED_BY_DATA: Final = frozenset({"tags", "tags_by_key", "counts_per_value"})
"""Columns whose keys are tags. Other keys are ours, and a customer may have the name of one."""


def guarded(guard: Guard, body: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return *body* without what names a restricted customer; counts and ids of a page are those of what is left.

    What an answer repeats of the arguments *given* stays: its absence would tell who is on the list.
    """
    echo = _repeated(body, given)
    looked_at = {name: value for name, value in body.items() if name not in echo}
    clean = _without_keys(guard, guard.without(looked_at), by_data=False)
    left: dict[str, Any] = {
        name: body[name] if name in echo else clean[name] for name in body if name in echo or name in clean
    }
    if isinstance(item := body.get("item"), Mapping) and isinstance(left.get("item"), dict):
        left["item"] |= {name: item[name] for name in _repeated(item, given)}
    for name in LISTS:
        if isinstance(body.get(name), list) and len(left[name]) < len(body[name]):
            _count_anew(left, body[name], left[name])
    return left


def _repeated(body: Mapping[str, Any], given: Mapping[str, Any]) -> set[str]:
    found = {name for name, value in body.items() if isinstance(value, str) and value == given.get(name)}
    if "tags_searched" in body:
        found.add("tags_searched")
    if body.get("exists") is False and "value" in body:
        found.add("value")  # the caller's own default
    return found


def _without_keys(guard: Guard, value: Any, *, by_data: bool) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _without_keys(guard, item, by_data=key in _KEYED_BY_DATA or (by_data and isinstance(item, Mapping)))
            for key, item in value.items()
            if not (by_data and guard.names(key))
        }
    if isinstance(value, list):
        return [_without_keys(guard, item, by_data=False) for item in value]
    return value


def _count_anew(left: dict[str, Any], before: list[Any], after: list[Any]) -> None:
    gone = len(before) - len(after)
    page = left.get("page")
    for holder in (left, page):
        if isinstance(holder, dict) and isinstance(holder.get("count"), int):
            holder["count"] = max(0, holder["count"] - gone)
    kept = {item.get("uuid") for item in after if isinstance(item, Mapping)}
    named = {item.get("uuid") for item in before if isinstance(item, Mapping)} - kept
    if isinstance(left.get("vcon_uuids"), list):
        left["vcon_uuids"] = [uuid for uuid in left["vcon_uuids"] if uuid not in named]
