"""The active business profile, as the operator imported it; the server only reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from gongmcp.errors import ToolFault
from gongmcp.store.connection import ReadStore


@dataclass(frozen=True, slots=True)
class BusinessProfile:
    """The active profile. Each concept is an object with ``name`` and, by kind, ``label``, ``description``,
    ``object``, ``object_types``, ``field_names``, ``aliases``."""

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

    def mapped_fields(self) -> set[tuple[str, str]]:
        """Return (object type, field name) of every field that a concept covers."""
        types = {concept["name"]: concept.get("object_types", ()) for concept in self.concepts("object")}
        return {
            (object_type, name)
            for concept in self.concepts("field")
            for object_type in types.get(concept.get("object"), ())
            for name in concept.get("field_names", ())
        }


def require_profile(store: ReadStore) -> BusinessProfile:
    """Return the active profile; raises ``ToolFault("profile_missing")`` when none is imported."""
    row = store.one("SELECT * FROM active_profile WHERE id = 1")
    if row is None:
        raise ToolFault("profile_missing", "No business profile is active.")
    return BusinessProfile(
        row["profile_id"],
        row["name"],
        row["version"],
        row["canonical_sha256"],
        row["imported_at"],
        json.loads(row["document"]),
    )
