"""LimitPolicy: how many rows a tool may return.

Each cap family has a configured ceiling (the schema's ``maximum``), a lower default for a request
that omits ``limit``, and a hard cap in code that no setting can exceed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True)
class _Family:
    key: str
    ceiling: int
    default: int
    hard: int


class Cap(Enum):
    """The eleven cap families: (setting name, configured default, request default, hard cap), in rows."""

    SEARCH_RESULTS = _Family("search_results", 100, 20, 1000)
    CRM_FIELDS = _Family("crm_fields", 200, 50, 1000)
    LATE_STAGE_SIGNALS = _Family("late_stage_signals", 100, 25, 500)
    MISSING_TRANSCRIPTS = _Family("missing_transcripts", 500, 100, 10000)
    OPPORTUNITY_SUMMARIES = _Family("opportunity_summaries", 100, 25, 1000)
    CRM_MATRIX_CELLS = _Family("crm_matrix_cells", 200, 50, 1000)
    LIFECYCLE_RESULTS = _Family("lifecycle_results", 100, 25, 1000)
    LIFECYCLE_CRM_FIELDS = _Family("lifecycle_crm_fields", 200, 50, 1000)
    CALL_FACT_GROUPS = _Family("call_fact_groups", 200, 50, 1000)
    INVENTORY_RESULTS = _Family("inventory_results", 200, 50, 1000)
    BUSINESS_ANALYSIS_ROWS = _Family("business_analysis_rows", 100, 25, 1000)

    @property
    def env(self) -> str:
        """Environment variable that sets the ceiling, for example ``GONGMCP_MAX_SEARCH_RESULTS``."""
        return f"GONGMCP_MAX_{self.setting.upper()}"

    @property
    def flag(self) -> str:
        """Command-line flag that sets the ceiling, for example ``--max-search-results``."""
        return f"--max-{self.setting.replace('_', '-')}"

    @property
    def setting(self) -> str:
        """Name in settings files, flags and environment."""
        return {"business_analysis_rows": "business_analysis_results"}.get(self.value.key, self.value.key)


@dataclass(frozen=True, slots=True)
class Limits:
    """What applies to one tool, in rows: request *default*, configured *ceiling*, *hard* cap."""

    default: int
    ceiling: int
    hard: int


class LimitPolicy:
    """Configured ceilings by family; a family that is not named keeps its default.

    A value above the hard cap is lowered to it; a value below 1 must be refused by whoever reads
    the setting.
    """

    def __init__(self, ceilings: Mapping[Cap, int] | None = None) -> None:
        self._ceilings = dict(ceilings or {})

    def limits(self, cap: Cap) -> Limits:
        """Return the limits of *cap* under this policy."""
        family = cap.value
        ceiling = min(self._ceilings.get(cap, family.ceiling), family.hard)
        return Limits(default=min(family.default, ceiling), ceiling=ceiling, hard=family.hard)

    def as_dict(self) -> dict[str, Any]:
        """Return ``{family: {default, ceiling, hard}}`` for documents, resources and digests."""
        out: dict[str, Any] = {}
        for cap in Cap:
            limits = self.limits(cap)
            out[cap.value.key] = {"default": limits.default, "ceiling": limits.ceiling, "hard": limits.hard}
        return out
