"""What an answer discloses in structure: which members it has, and what is withheld by which rule. No value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.handler import Outcome


@dataclass(frozen=True, slots=True)
class Structure:
    """*status* of the answer or the code of its error; *shown* paths, an item of a list as ``[]``; *withheld* as
    ``action kind rule``. Both sorted."""

    status: str
    shown: tuple[str, ...]
    withheld: tuple[str, ...]


def structure(outcome: Outcome) -> Structure:
    """Return the structure of *outcome*."""
    return Structure(
        outcome.code,
        tuple(sorted(set(_paths(outcome.answer.structured or {}, "")))),
        tuple(sorted({f"{entry.action} {entry.kind} {entry.rule}" for entry in outcome.ledger.entries})),
    )


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _paths(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        yield path
        for item in value:
            if isinstance(item, Mapping | list):
                yield from _paths(item, f"{path}[]")
    else:
        yield path
