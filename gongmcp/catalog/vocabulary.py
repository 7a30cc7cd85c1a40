"""Arguments and vocabularies that several tool families share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from gongmcp.catalog.arguments import IsoDate
from gongmcp.catalog.declaration import Arguments
from gongmcp.errors import ToolFault
from gongmcp.store.calls import CallFilter

Bucket = Literal[
    "outbound_prospecting",
    "active_sales_pipeline",
    "late_stage_sales",
    "closed_won_lost_review",
    "renewal",
    "upsell_expansion",
    "customer_success_account",
    "partner",
    "unknown",
]
"""Builtin lifecycle buckets, in the order in which they are listed."""

Scope = Literal["External", "Internal", "Unknown"]
TranscriptStatus = Literal["present", "missing", "any"]
LifecycleSource = Annotated[
    Literal["auto", "builtin", "profile"],
    msgspec.Meta(description="Which lifecycle: the business profile's or the builtin one; auto takes the active one."),
]

FromDate = IsoDate | None
ToDate = IsoDate | None

DATES = (("from_date", "Give from_date."), ("to_date", "Give to_date."))
FACT_REFINEMENTS = (
    *DATES,
    ("lifecycle_bucket", "Give a lifecycle_bucket."),
    ("scope", "Give a scope, system or direction."),
)
"""(argument, sentence) pairs for tools with the fact filters."""


def call_filter(args: Arguments, **more: Any) -> CallFilter:
    """Return the filter that the fact-filter arguments of *args* ask for; *more* overrides.

    Raises ``ToolFault`` for a CRM object id without its type where the caller passes
    ``needs_object_type=True``.
    """
    names = ("from_date", "to_date", "lifecycle_bucket", "scope", "system", "direction", "crm_object_type")
    values = {name: getattr(args, name, None) for name in (*names, "crm_object_id")}
    status = getattr(args, "transcript_status", None)
    values["transcript_status"] = None if status == "any" else status
    return CallFilter(**{**values, **more})


def builtin_source(source: str) -> str:
    """Return the lifecycle source that answers; a profile that does not exist is refused."""
    if source == "profile":
        raise ToolFault("profile_missing", "No business profile is active.")
    return "builtin"
