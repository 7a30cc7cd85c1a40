"""Policy: every setting that decides what may leave, and its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gongmcp.catalog.limits import LimitPolicy
from gongmcp.exposure.fields import SWITCHES, Field, Provenance
from gongmcp.governance.scope import Scope

DEFAULT_RESPONSE_BYTES = 48 * 1024
MIN_RESPONSE_BYTES = 16 * 1024
"""Smallest budget: one row of the widest tool always fits."""

MAX_RESPONSE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """How much of one call's transcript may leave, in segments.

    *per_answer* in one answer; in one client session *segments*, or *percent* of the call's segments where that
    is more. So snippets do not add up to a transcript.
    """

    per_answer: int = 12
    segments: int = 20
    percent: int = 10

    def budget(self, segment_count: int, text_chars: int) -> tuple[int, int]:
        """Return how many segments, and characters of them together, one session may see of a call.

        The call has *segment_count* segments of *text_chars* characters. Characters are those of as many segments of
        mean length.
        """
        segments = max(self.segments, segment_count * self.percent // 100)
        return segments, text_chars * segments // max(segment_count, 1)


@dataclass(frozen=True, slots=True)
class Policy:
    """The active exposure policy; immutable, so that a preview and an answer see the same one.

    *tools* holds the allowed canonical tool names (None = the whole catalogue); *preset_switches*
    are those of *switches* that only the preset turned on; *max_response_bytes* bounds text and
    structure of one answer together. *min_cell* is the smallest count that is told apart (1 = every one);
    *mask_participants* is whether the model that is served masks the names of each call's own parties. *scope* is
    what a token leaves of the calls that are served, None = all of them.
    """

    provenance: Provenance = Provenance.REDACTED
    switches: frozenset[str] = frozenset()
    limits: LimitPolicy = field(default_factory=LimitPolicy)
    max_response_bytes: int = DEFAULT_RESPONSE_BYTES
    tools: frozenset[str] | None = None
    preset: str | None = None
    preset_switches: frozenset[str] = frozenset()
    min_cell: int = 1
    mask_participants: bool = False
    evidence: EvidenceLimits = field(default_factory=EvidenceLimits)
    scope: Scope | None = None

    def digest(self) -> str:
        """Return a short digest of everything that decides what an answer holds."""
        content: dict[str, Any] = {
            "provenance": self.provenance.value,
            "switches": sorted(self.switches),
            "limits": self.limits.as_dict(),
            "max_response_bytes": self.max_response_bytes,
            "tools": None if self.tools is None else sorted(self.tools),
            "min_cell": self.min_cell,
            "mask_participants": self.mask_participants,
            "evidence": [self.evidence.per_answer, self.evidence.segments, self.evidence.percent],
        }
        if self.scope is not None:
            content["scope"] = self.scope.canonical()
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def hides(self, fields: Iterable[Field]) -> bool:
        """True when a switch withholds one of the classes *fields*."""
        return any(field in SWITCHES[switch] for switch in self.switches for field in fields)
