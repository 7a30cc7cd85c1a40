"""The active business profile as the server reads it, and whether its facts may be served.

``gongctl`` imports, activates and warms profiles; nothing here or anywhere in this package writes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from gongmcp.errors import ToolFault
from gongmcp.store.connection import ReadStore
from gongmcp.store.freshness import WARM_COMMAND

CLASSIFIER_VERSION: Final = 1
"""Raised whenever the same profile would put the same call elsewhere: facts made by another one are not served."""

CacheStatus = Literal["not_applicable", "missing", "stale", "fresh"]


def normal_name(text: str) -> str:
    """Return a name of a profile as it is kept and compared: trimmed, lower case, hyphens and blanks as ``_``."""
    return re.sub(r"[-\s]", "_", text.strip().lower())


@dataclass(frozen=True, slots=True)
class BusinessProfile:
    """The active profile. Each concept is an object with ``name`` and, by kind, ``label``, ``description``,
    ``object``, ``object_types``, ``field_names``, ``groupable``, ``signals``, ``aliases``."""

    profile_no: int
    profile_id: str
    name: str
    version: int
    canonical_sha256: str
    imported_at: str
    document: dict[str, Any]

    def concepts(self, kind: str) -> list[dict[str, Any]]:
        """Return the concepts of *kind*: ``object``, ``field``, ``methodology``, or ``lifecycle`` for buckets."""
        key = "lifecycle_buckets" if kind == "lifecycle" else f"{kind}_concepts"
        return list(self.document.get(key, ()))

    def buckets(self) -> list[str]:
        """Return the names of the lifecycle buckets in the order in which they are tried."""
        return [bucket["name"] for bucket in self.concepts("lifecycle")]

    def groupable(self) -> list[str]:
        """Return the names of the field concepts by which calls may be counted."""
        return [concept["name"] for concept in self.concepts("field") if concept.get("groupable")]

    @property
    def unavailable(self) -> list[str]:
        """Names of the usual concepts that the profile lacks."""
        return list(self.document.get("unavailable_concepts", ()))

    def mapped_fields(self) -> set[tuple[str, str]]:
        """Return (object type, field name) of every field that a concept covers."""
        types: dict[str | None, Sequence[str]] = {
            concept["name"]: concept.get("object_types", ()) for concept in self.concepts("object")
        }
        covered = {
            (object_type, name)
            for concept in self.concepts("field")
            for object_type in types.get(concept.get("object"), ())
            for name in concept.get("field_names", ())
        }
        return covered | {
            (object_type, reference["name"])
            for concept in self.concepts("methodology")
            for reference in concept.get("fields", ())
            for object_type in types.get(reference.get("object"), ())
        }


def active_profile(store: ReadStore) -> BusinessProfile | None:
    """Return the active profile, None when none is imported."""
    row = store.one("SELECT * FROM active_profile WHERE id = 1")
    if row is None:
        return None
    return BusinessProfile(
        row["profile_no"],
        row["profile_id"],
        row["name"],
        row["version"],
        row["canonical_sha256"],
        row["imported_at"],
        json.loads(row["document"]),
    )


def require_profile(store: ReadStore) -> BusinessProfile:
    """Return the active profile; raises ``ToolFault("profile_missing")`` when none is imported."""
    profile = active_profile(store)
    if profile is None:
        raise ToolFault("profile_missing", "No business profile is active.")
    return profile


def has_facts(store: ReadStore, profile: BusinessProfile) -> bool:
    """Tell whether every served call has facts of *profile*, of its present meaning.

    They are as old as the read model, which says by itself whether newer data waits.
    """
    row = store.one(
        "SELECT canonical_sha256, classifier, complete FROM profile_models WHERE profile_no = :profile_no",
        {"profile_no": profile.profile_no},
    )
    return (
        row is not None
        and row["canonical_sha256"] == profile.canonical_sha256
        and row["classifier"] == CLASSIFIER_VERSION
        and bool(row["complete"])
    )


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether profile-aware tools can answer: *status* in a word, *detail* in a sentence, *next* a command."""

    status: Literal["not_configured", "needs_action", "partial", "ready"]
    cache_status: CacheStatus
    detail: str
    next: str
    unavailable_concepts: tuple[str, ...] = ()


def readiness(store: ReadStore, *, stale: bool) -> Readiness:
    """Return the readiness of the active profile; *stale*: the read model lacks newer data."""
    profile = active_profile(store)
    if profile is None:
        return Readiness(
            "not_configured",
            "not_applicable",
            "No business profile is active; the builtin lifecycle answers.",
            "gongctl profile discover --db DB, then validate and import",
        )
    lacking = tuple(profile.unavailable)
    if not has_facts(store, profile):
        return Readiness(
            "needs_action",
            "missing",
            "The cache holds no complete facts of the active profile.",
            WARM_COMMAND,
            lacking,
        )
    if stale:
        return Readiness(
            "needs_action",
            "stale",
            "Data was imported after the facts were made.",
            WARM_COMMAND,
            lacking,
        )
    if lacking or profile.document.get("warnings"):
        return Readiness(
            "partial", "fresh", "The profile was imported with warnings, or lacks usual concepts.", "", lacking
        )
    return Readiness("ready", "fresh", "The facts of the active profile are up to date.", "")
