"""What to find in an answer: words, ``/a pattern/`` in RE2's syntax, or the path of a member (``$.results[0].title``).

RE2 does not backtrack: the time of a search grows with the text, whatever the pattern is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST_MEMORY = 4 << 20
"""Bytes that a pattern may take; a larger one is refused."""

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)"""
    r"""|\[(?P<index>[0-9]{1,18}|\*)\]"""
    r"""|\[(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\]"""
)
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Words:
    """A compiled pattern; plain words are one without any signs."""

    pattern: Any

    def spans(self, line: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield where it matches *line* from *start* on; matches of nothing are left out."""
        for match in self.pattern.finditer(line, start):
            if match.end() > match.start():
                yield match.span()


@dataclass(frozen=True, slots=True)
class Path:
    """Steps to a member: names, numbers, and ``*`` for every one."""

    steps: tuple[str | int, ...]

    def leads_to(self, place: Sequence[str | int]) -> bool:
        """Whether *place* is one that the path names."""
        return len(place) == len(self.steps) and all(
            step in (_ANY, part) for step, part in zip(self.steps, place, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Bad:
    """What was typed cannot be looked for; *problem* says why."""

    problem: str


def wanted(typed: str) -> Words | Path | Bad | None:
    """Return what is to be found; None where nothing was typed."""
    if not typed:
        return None
    if typed == "$" or typed.startswith(("$.", "$[")):
        return _path(typed)
    if typed.startswith("/") and typed.endswith("/") and len(typed) > 2:
        return _pattern(typed[1:-1])
    return _pattern(typed, plain=True)


def _path(typed: str) -> Path | Bad:
    steps: list[str | int] = []
    at = 1
    while at < len(typed):
        step = _STEP.match(typed, at)
        if step is None:
            return Bad(f"not a path from here on: {typed[at:]}   (.name, [0], ['a name'], * for every one)")
        index = step["index"]
        if index is not None:
            steps.append(_ANY if index == _ANY else int(index))
        else:
            steps.append(step["name"] if step["name"] is not None else step["quoted"])
        at = step.end()
    return Path(tuple(steps))


def _pattern(words: str, *, plain: bool = False) -> Words | Bad:
    import re2  # type: ignore[import-untyped]  # here, for only finding needs it

    options = re2.Options()
    options.literal = plain
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True  # groups are not asked for, and thousands of them would be made for every match
    options.max_mem = MOST_MEMORY
    try:
        return Words(re2.compile(words, options))
    except (re2.error, UnicodeEncodeError) as error:
        told = error.args[0] if error.args else ""
        return Bad(f"not a pattern: {told.decode(errors='replace') if isinstance(told, bytes) else told}")
