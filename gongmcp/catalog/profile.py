"""Business-profile tools: how the company's own CRM was mapped. They need an imported profile."""

from __future__ import annotations

from typing import Annotated, Any

from gongmcp.catalog.arguments import Cursor
from gongmcp.catalog.crm_schema import ANALYST
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.status import NoArguments
from gongmcp.exposure.fields import Field, never, shown
from gongmcp.exposure.rows import Row
from gongmcp.store.profile import readiness, require_profile

Names = Annotated[list[str], shown(Field.SETTING_NAME)]


class Profile(Row):
    """The active profile: names and counts; where it came from and who imported it leave under no setting."""

    profile_id: Annotated[str, shown(Field.SETTING_ID)]
    name: Annotated[str, shown(Field.SETTING_NAME)]
    version: Annotated[int, shown(Field.MEASURE)]
    imported_at: Annotated[str, shown(Field.TIME)]
    canonical_sha256: Annotated[str, never(Field.SETTING_ID)]
    object_concepts: Names
    field_concepts: Names
    lifecycle_buckets: Names
    methodology_concepts: Names
    warnings: Annotated[list[str], shown(Field.SETTING_TEXT)]
    unavailable_concepts: Names
    facts_status: Annotated[str, shown(Field.STATUS)]


@tool(
    "get_business_profile",
    title="Business profile",
    description="Show the active business profile: how the company maps its CRM onto lifecycle buckets and concepts, "
    "and what it lacks. Refused with what to do when no profile is imported.",
    arguments=NoArguments,
    row=Profile,
    many=False,
    level=Level.METADATA,
    presets=(*ANALYST, "analyst"),
)
def get_business_profile(args: NoArguments, scope: CallScope) -> Profile:
    """Read the active profile."""
    profile = require_profile(scope.store)

    def names(kind: str) -> list[str]:
        return [concept["name"] for concept in profile.concepts(kind)]

    return Profile(
        profile_id=profile.profile_id,
        name=profile.name,
        version=profile.version,
        imported_at=profile.imported_at,
        canonical_sha256=profile.canonical_sha256,
        object_concepts=names("object"),
        field_concepts=names("field"),
        lifecycle_buckets=names("lifecycle"),
        methodology_concepts=names("methodology"),
        warnings=list(profile.document.get("warnings", ())),
        unavailable_concepts=profile.unavailable,
        facts_status=readiness(scope.store, stale=scope.state.stale).cache_status,
    )


class ConceptList(Arguments):
    """Arguments of ``list_business_concepts``."""

    cursor: Cursor = None


class Concept(Row):
    """One concept of the active profile."""

    kind: Annotated[str, shown(Field.CATEGORY)]
    name: Annotated[str, shown(Field.SETTING_NAME)]
    label: Annotated[str | None, shown(Field.SETTING_NAME)]
    description: Annotated[str | None, shown(Field.SETTING_TEXT)]
    object: Annotated[str | None, shown(Field.SETTING_NAME)]
    object_types: Annotated[list[str] | None, shown(Field.CRM_TYPE)]
    field_names: Annotated[list[str] | None, shown(Field.CRM_TYPE)]
    groupable: Annotated[bool | None, shown(Field.STATUS)]
    aliases: Annotated[list[str] | None, shown(Field.SETTING_NAME)]


@tool(
    "list_business_concepts",
    title="Business concepts",
    description="List the concepts of the active business profile: objects, fields, lifecycle buckets, methodology, "
    "with the CRM names they stand for. Refused with what to do when no profile is imported.",
    arguments=ConceptList,
    row=Concept,
    level=Level.METADATA,
    cursor=True,
    presets=(*ANALYST, "analyst"),
)
def list_business_concepts(args: ConceptList, scope: CallScope) -> Rows[Concept]:
    """List the concepts by kind, in the profile's own order."""
    profile = require_profile(scope.store)
    kinds = ("object", "field", "lifecycle", "methodology")
    types = {item["name"]: item["object_types"] for item in profile.concepts("object")}
    return Rows.page([_concept(kind, item, types) for kind in kinds for item in profile.concepts(kind)], scope)


def _concept(kind: str, item: dict[str, Any], types: dict[str, list[str]]) -> Concept:
    return Concept(
        kind=kind,
        name=item["name"],
        label=item.get("label"),
        description=item.get("description"),
        object=item.get("object"),
        object_types=item.get("object_types") or types.get(item.get("object", "")),
        field_names=item.get("field_names"),
        groupable=item.get("groupable"),
        aliases=item.get("aliases"),
    )
