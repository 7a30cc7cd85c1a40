"""CRM schema and settings tools: what the connected CRM and Gong declare, not what calls carry."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.exposure.fields import Field, Filters, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import crm_schema as store

IntegrationId = Annotated[
    str,
    Filters(Field.SETTING_ID),
    msgspec.Meta(min_length=1, max_length=64, description="Id as list_crm_integrations gives it."),
]
ANALYST = ("analyst-core", "analyst-business-core")


class IntegrationList(Arguments):
    """Arguments of ``list_crm_integrations``."""

    cursor: Cursor = None


class IntegrationRow(Row):
    """One CRM integration registered with Gong."""

    integration_id: Annotated[str, shown(Field.SETTING_ID)]
    name: Annotated[MaskedText | None, shown(Field.SETTING_NAME)]
    provider: Annotated[str | None, shown(Field.LABEL)]
    updated_at: Annotated[str | None, shown(Field.TIME)]


@tool(
    "list_crm_integrations",
    title="CRM integrations",
    description="List the CRM integrations registered with Gong. An empty list is normal: native Salesforce and "
    "HubSpot links do not show up here.",
    arguments=IntegrationList,
    row=IntegrationRow,
    level=Level.METADATA,
    cursor=True,
    presets=ANALYST,
)
def list_crm_integrations(args: IntegrationList, scope: CallScope) -> Rows[IntegrationRow]:
    """List integrations by name."""
    rows = [
        IntegrationRow(
            integration_id=row["integration_id"],
            name=store.masked(row, "name") if row["name"] else None,
            provider=row["provider"] or None,
            updated_at=row["updated_at"] or None,
        )
        for row in store.integrations(scope.store)
    ]
    return Rows.page(rows, scope)


class SchemaObjectList(Arguments):
    """Arguments of ``list_cached_crm_schema_objects``."""

    integration_id: IntegrationId | None = None
    cursor: Cursor = None


class SchemaObjectRow(Row):
    """One object type of the CRM's schema."""

    integration_id: Annotated[str | None, shown(Field.SETTING_ID)]
    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    call_object_types: Annotated[list[str] | None, shown(Field.CRM_TYPE)]
    field_count: Annotated[int, shown(Field.MEASURE)]
    updated_at: Annotated[str | None, shown(Field.TIME)]


@tool(
    "list_cached_crm_schema_objects",
    title="CRM schema objects",
    description="List the object types of the connected CRM's schema, and which object types of calls they stand for. "
    "For what calls really carry use list_crm_object_types.",
    arguments=SchemaObjectList,
    row=SchemaObjectRow,
    level=Level.METADATA,
    cursor=True,
    presets=ANALYST,
)
def list_cached_crm_schema_objects(args: SchemaObjectList, scope: CallScope) -> Rows[SchemaObjectRow]:
    """List schema objects by type."""
    rows = [
        SchemaObjectRow(
            integration_id=row["integration_id"] or None,
            object_type=row["object_type"],
            call_object_types=store.call_types(scope.store, row["object_type"]) or None,
            field_count=row["field_count"],
            updated_at=row["updated_at"] or None,
        )
        for row in store.schema_objects(scope.store, args.integration_id)
    ]
    return Rows.page(rows, scope)


class SchemaFieldList(Arguments):
    """Arguments of ``list_cached_crm_schema_fields``."""

    integration_id: IntegrationId | None = None
    object_type: (
        Annotated[
            str,
            Filters(Field.CRM_TYPE),
            msgspec.Meta(min_length=1, max_length=120, description="Schema type or a call's object type."),
        ]
        | None
    ) = None
    limit: Limit = None
    cursor: Cursor = None


class SchemaFieldRow(Row):
    """One field of the CRM's schema."""

    integration_id: Annotated[str | None, shown(Field.SETTING_ID)]
    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    field_type: Annotated[str | None, shown(Field.CRM_TYPE)]
    updated_at: Annotated[str | None, shown(Field.TIME)]


@tool(
    "list_cached_crm_schema_fields",
    title="CRM schema fields",
    description="List the fields that the connected CRM's schema declares: name, label, type. No value.",
    arguments=SchemaFieldList,
    row=SchemaFieldRow,
    level=Level.METADATA,
    cap=Cap.INVENTORY_RESULTS,
    cursor=True,
    presets=ANALYST,
)
def list_cached_crm_schema_fields(args: SchemaFieldList, scope: CallScope) -> Rows[SchemaFieldRow]:
    """List schema fields by type and name."""
    rows = [
        SchemaFieldRow(
            integration_id=row["integration_id"] or None,
            object_type=row["object_type"],
            field_name=row["field_name"],
            field_label=row["field_label"] or None,
            field_type=row["field_type"] or None,
            updated_at=row["updated_at"] or None,
        )
        for row in store.schema_fields(scope.store, args.integration_id, args.object_type)
    ]
    return Rows.page(rows, scope)


class SettingList(Arguments):
    """Arguments of ``list_gong_settings``."""

    kind: Literal["trackers", "scorecards", "workspaces"] | None = None
    limit: Limit = None
    cursor: Cursor = None


class SettingRow(Row):
    """One Gong setting."""

    kind: Annotated[str, shown(Field.CATEGORY)]
    object_id: Annotated[str, shown(Field.SETTING_ID)]
    name: Annotated[MaskedText | None, shown(Field.SETTING_NAME)]
    active: Annotated[bool, shown(Field.STATUS)]
    updated_at: Annotated[str | None, shown(Field.TIME)]


@tool(
    "list_gong_settings",
    title="Gong settings",
    description="List cached Gong settings: keyword trackers, scorecards and workspaces, by kind and name.",
    arguments=SettingList,
    row=SettingRow,
    level=Level.METADATA,
    cap=Cap.INVENTORY_RESULTS,
    cursor=True,
    presets=ANALYST,
)
def list_gong_settings(args: SettingList, scope: CallScope) -> Rows[SettingRow]:
    """List settings by kind and name."""
    rows = [
        SettingRow(
            kind=row["kind"],
            object_id=row["object_id"],
            name=store.masked(row, "name") if row["name"] else None,
            active=bool(row["active"]),
            updated_at=row["updated_at"] or None,
        )
        for row in store.settings(scope.store, args.kind)
    ]
    return Rows.page(rows, scope)
