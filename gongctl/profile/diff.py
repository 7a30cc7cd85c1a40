"""What differs between two profiles, section by section. Evidence is a note of discovery and is not compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gongctl.profile.model import (
    Bucket,
    FieldConcept,
    MethodologyConcept,
    ObjectAlias,
    Profile,
)

Part = ObjectAlias | FieldConcept | Bucket | MethodologyConcept
Change = tuple[str, dict[str, Any], dict[str, Any]]
"""(name, what it said, what it says): the keys that differ."""


@dataclass(frozen=True, slots=True)
class SectionDiff:
    """Names *added* to and *removed* from a section of a profile, and the entries that were *changed*."""

    section: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[Change, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl profile diff --json`` prints."""
        return {
            "section": self.section,
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [{"name": name, "before": before, "after": after} for name, before, after in self.changed],
        }


def diff(before: Profile, after: Profile) -> list[SectionDiff]:
    """Return the sections that differ: ``profile`` (version, name), ``objects``, ``fields``, ``lifecycle`` and
    ``methodology``. The entry ``(sequence)`` of the lifecycle is the order in which the buckets are tried."""
    head = _change("(head)", _head(before), _head(after))
    sections = [
        SectionDiff("profile", changed=(head,) if head else ()),
        _section("objects", before.objects, after.objects),
        _section("fields", before.fields, after.fields),
        _lifecycle(before, after),
        _section("methodology", before.methodology, after.methodology),
    ]
    return [item for item in sections if item.added or item.removed or item.changed]


def _head(profile: Profile) -> dict[str, Any]:
    return {"version": profile.version, "name": profile.name}


def _lifecycle(before: Profile, after: Profile) -> SectionDiff:
    section = _section("lifecycle", before.lifecycle, after.lifecycle)
    kept = {bucket.name for bucket in before.lifecycle} & {bucket.name for bucket in after.lifecycle}
    sequences = [[bucket.name for bucket in profile.ordered_buckets()] for profile in (before, after)]
    # A bucket that came or went is told already: only those that both have can change places.
    if [name for name in sequences[0] if name in kept] == [name for name in sequences[1] if name in kept]:
        return section
    moved = ("(sequence)", {"buckets": sequences[0]}, {"buckets": sequences[1]})
    return SectionDiff(section.section, section.added, section.removed, (*section.changed, moved))


def _section(name: str, before: Iterable[Part], after: Iterable[Part]) -> SectionDiff:
    old, new = ({item.name: _plain(item) for item in parts} for parts in (before, after))
    changes = (_change(key, old[key], new[key]) for key in old if key in new)
    return SectionDiff(
        name,
        added=tuple(key for key in new if key not in old),
        removed=tuple(key for key in old if key not in new),
        changed=tuple(change for change in changes if change is not None),
    )


def _plain(part: Part) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(part))  # tuples as lists, as in JSON
    value.pop("evidence", None)
    return value


def _change(name: str, before: dict[str, Any], after: dict[str, Any]) -> Change | None:
    keys = [key for key in before if before[key] != after[key]]
    if not keys:
        return None
    return name, {key: before[key] for key in keys}, {key: after[key] for key in keys}
