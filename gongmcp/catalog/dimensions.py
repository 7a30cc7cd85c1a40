"""Business dimensions: what calls can be grouped by, and the field class of each one's values.

A dimension whose class the active policy withholds is not offered at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from gongmcp.exposure.fields import SWITCHES, Field


@dataclass(frozen=True, slots=True)
class Dimension:
    """A safe business dimension: the ``call_facts`` *column* and the *field* class of its values.

    *concept* is the field concept of a business profile that says the same, in the words of the company's CRM.
    """

    name: str
    column: str
    field: Field
    concept: str | None = None


PROFILE_CONCEPT = "profile_concept"
"""The dimension whose values are those of a field concept of the active profile, named apart."""


DIMENSIONS: dict[str, Dimension] = {
    dimension.name: dimension
    for dimension in (
        Dimension("lifecycle", "lifecycle_bucket", Field.CATEGORY),
        Dimension("scope", "scope", Field.CATEGORY),
        Dimension("system", "system", Field.LABEL),
        Dimension("direction", "direction", Field.LABEL),
        Dimension("month", "call_month", Field.TIME),
        Dimension("quarter", "call_quarter", Field.TIME),
        Dimension("duration_bucket", "duration_bucket", Field.CATEGORY),
        Dimension("transcript_status", "transcript_present", Field.CATEGORY),
        Dimension("calendar", "calendar_event_present", Field.CATEGORY),
        Dimension("language", "language", Field.LABEL),
        Dimension("purpose", "purpose", Field.LABEL),
        Dimension("industry", "account_industry", Field.LABEL, "account_industry"),
        Dimension("account_type", "account_type", Field.LABEL, "account_type"),
        Dimension("revenue_range", "account_revenue_range", Field.LABEL, "account_revenue_range"),
        Dimension("opportunity_stage", "opportunity_stage", Field.LABEL, "deal_stage"),
        Dimension("opportunity_type", "opportunity_type", Field.LABEL, "deal_type"),
        Dimension("forecast_category", "opportunity_forecast_category", Field.LABEL, "deal_forecast_category"),
        Dimension("lead_source", "opportunity_lead_source", Field.LABEL, "deal_lead_source"),
        Dimension(PROFILE_CONCEPT, "", Field.CRM_VALUE),
    )
}

ANALYSIS: dict[str, Dimension] = {
    **DIMENSIONS,
    **{
        dimension.name: dimension
        for dimension in (
            Dimension("lifecycle_confidence", "lifecycle_confidence", Field.CATEGORY),
            Dimension("sdr_disposition", "sdr_disposition", Field.LABEL),
            Dimension("persona", "", Field.PERSON_TITLE),
            Dimension("won_lost", "", Field.LABEL),
            Dimension("loss_reason", "", Field.LOSS_REASON, "loss_reason"),
        )
    },
}
"""What the analysis tools count and filter by: the dimensions, and some that only they read."""

DIMENSION_ALIASES: dict[str, str] = {
    "lifecycle_bucket": "lifecycle",
    "stage": "opportunity_stage",
    "deal_stage": "opportunity_stage",
    "deal_type": "opportunity_type",
    "account_industry": "industry",
    "account_revenue_range": "revenue_range",
    "calendar_event_status": "calendar",
    "call_month": "month",
    "primary_lead_source": "lead_source",
}
_ANALYSIS_ALIASES = {"outcome": "won_lost", "participant_title": "persona"}
"""Other names of a dimension, accepted wherever its name is and not listed twice."""


def dimension_named(name: str) -> Dimension | None:
    """Return the dimension called *name*, its name or an alias; None when there is none."""
    return ANALYSIS.get(_ANALYSIS_ALIASES.get(name, DIMENSION_ALIASES.get(name, name)))


def names_offered(switches: frozenset[str], *, analysis: bool = False) -> list[str]:
    """Return the names and aliases that an argument takes: dimensions none of *switches* withholds, or with *analysis*
    those of the analysis tools."""
    names = offered(switches, analysis=analysis)
    known = DIMENSION_ALIASES | (_ANALYSIS_ALIASES if analysis else {})
    return [*names, *(alias for alias, name in known.items() if name in names)]


def offered(switches: frozenset[str], *, analysis: bool = False) -> list[str]:
    """Return the names of the dimensions (with *analysis*: of those of the analysis tools) whose class none of the
    policy *switches* withholds."""
    hidden: set[Field] = set()
    for switch in switches:
        hidden |= SWITCHES[switch]
    of = ANALYSIS if analysis else DIMENSIONS
    return [name for name, dimension in of.items() if dimension.field not in hidden]
