"""Arguments and vocabularies that several tool families share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from gongmcp.catalog.arguments import IsoDate, Text
from gongmcp.catalog.declaration import Arguments, CallScope
from gongmcp.exposure.fields import Field, Filters, shown
from gongmcp.exposure.rows import Row
from gongmcp.store.buckets import Lifecycle, lifecycle_at_hand, lifecycle_for
from gongmcp.store.calls import CallFilter

Bucket = Annotated[
    str,
    Filters(Field.CATEGORY),
    msgspec.Meta(
        min_length=1, max_length=64, description="Lifecycle bucket, a name that list_lifecycle_buckets gives."
    ),
]

Scope = Literal["External", "Internal", "Unknown"]
TranscriptStatus = Literal["present", "missing", "any"]
LifecycleSource = Annotated[
    Literal["auto", "builtin", "profile"],
    msgspec.Meta(description="Which lifecycle: the business profile's or the builtin one; auto takes the active one."),
]

Label = Annotated[Text, Filters(Field.LABEL)]
"""A business category of the data, whole: a system, a direction."""

FromDate = IsoDate | None
ToDate = IsoDate | None

DATES = (("from_date", "Give from_date."), ("to_date", "Give to_date."))
FACT_REFINEMENTS = (
    *DATES,
    ("lifecycle_bucket", "Give a lifecycle_bucket."),
    ("scope", "Give a scope, system or direction."),
)
"""(argument, sentence) pairs for tools with the fact filters."""


def call_filter(args: Arguments, lifecycle: Lifecycle, **more: Any) -> CallFilter:
    """Return the filter that the fact-filter arguments of *args* ask for; *more* overrides.

    A ``lifecycle_bucket`` is one of *lifecycle*; raises ``ToolFault("invalid_argument")`` when it has no such bucket.
    """
    names = ("from_date", "to_date", "scope", "system", "direction", "crm_object_type", "crm_object_id")
    values = {name: getattr(args, name, None) for name in names}
    status = getattr(args, "transcript_status", None)
    values["transcript_status"] = None if status == "any" else status
    asked = getattr(args, "lifecycle_bucket", None)
    if asked is not None:
        values["lifecycle_bucket"] = lifecycle.bucket(asked, "lifecycle_bucket")
        values["profile_no"] = lifecycle.profile_no
    return CallFilter(**{**values, **more})


def lifecycle_of(args: Any, scope: CallScope) -> Lifecycle:
    """Return the lifecycle for a tool with the fact filters: the bucket that it filters by is one of it, and the
    buckets that it shows are.

    Raises ``ToolFault`` where a bucket or the profile is asked for and the profile's facts are not there.
    """
    choose = lifecycle_at_hand if args.lifecycle_bucket is None else lifecycle_for
    return choose(scope.store, args.lifecycle_source)


class ProfileRef(Row):
    """Which business profile answered."""

    profile_id: Annotated[str, shown(Field.SETTING_ID)]
    name: Annotated[str, shown(Field.SETTING_NAME)]
    version: Annotated[int, shown(Field.MEASURE)]
    imported_at: Annotated[str, shown(Field.TIME)]


class LifecycleNotes(Row):
    """Which lifecycle answered: with a profile, which one and what it lacks."""

    lifecycle_source: Annotated[str | None, shown(Field.CATEGORY)]
    profile: ProfileRef | None
    unavailable_concepts: Annotated[list[str] | None, shown(Field.SETTING_NAME)]


def provenance(lifecycle: Lifecycle, *, used: bool = True) -> dict[str, Any]:
    """Return the columns of ``LifecycleNotes`` for *lifecycle*; they say nothing when it was not *used*."""
    profile = lifecycle.profile if used else None
    return {
        "lifecycle_source": lifecycle.source if used else None,
        "profile": None
        if profile is None
        else ProfileRef(
            profile_id=profile.profile_id,
            name=profile.name,
            version=profile.version,
            imported_at=profile.imported_at,
        ),
        "unavailable_concepts": None if profile is None else profile.unavailable,
    }


UNUSED: dict[str, Any] = provenance(Lifecycle(), used=False)
"""The columns of ``LifecycleNotes`` for a tool to which no lifecycle matters."""
