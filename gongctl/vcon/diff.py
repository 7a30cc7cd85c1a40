"""What is different between two vCons, as JSON pointers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gongctl.vcon.findings import pointer

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference at *path*; *before* or *after* is None where *kind* says that nothing is there."""

    kind: Literal["added", "removed", "changed"]
    path: str
    before: Any = None
    after: Any = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        out: dict[str, Any] = {"kind": self.kind, "path": self.path}
        if self.kind != "added":
            out["before"] = self.before
        if self.kind != "removed":
            out["after"] = self.after
        return out


def differences(before: Any, after: Any) -> list[Difference]:
    """Return what differs between two JSON values, by path; the order of keys does not count, that of arrays does."""
    return list(_walk(before, after, ()))


def _walk(before: Any, after: Any, path: tuple[Any, ...]) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _both(before.get(key, _NOTHING), after.get(key, _NOTHING), (*path, key))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            ours = before[index] if index < len(before) else _NOTHING
            theirs = after[index] if index < len(after) else _NOTHING
            yield from _both(ours, theirs, (*path, index))
    elif before != after or type(before) is not type(after):
        yield Difference("changed", pointer(*path), before, after)


def _both(before: Any, after: Any, path: tuple[Any, ...]) -> Iterator[Difference]:
    if before is _NOTHING:
        yield Difference("added", pointer(*path), None, after)
    elif after is _NOTHING:
        yield Difference("removed", pointer(*path), before, None)
    else:
        yield from _walk(before, after, path)
