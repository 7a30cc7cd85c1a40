"""CRM tools: what CRM context the cache holds; counts and names, values only where a tool says so."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from gongmcp.catalog.arguments import Cursor
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import crm as store

Count = Annotated[int, shown(Field.COUNT)]


class TypeList(Arguments):
    """Arguments of ``list_crm_object_types``."""

    cursor: Cursor = None


class ObjectType(Row):
    """One CRM object type and how much of it is attached to calls."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    object_count: Count
    call_count: Count | None
    field_count: Count
    populated_field_count: Count
    distinct_object_id_count: Count


@tool(
    "list_crm_object_types",
    title="CRM object types",
    description="List the CRM object types attached to calls, with counts of objects, calls and fields. "
    "Use it before filtering by crm_object_type. No object id, name or value.",
    arguments=TypeList,
    row=ObjectType,
    level=Level.AGGREGATE,
    cursor=True,
    presets=("analyst-core", "analyst-business-core", "analyst"),
)
def list_crm_object_types(args: TypeList, scope: CallScope) -> Rows[ObjectType]:
    """Read the kept counters per object type, most objects first."""
    found = map(asdict, store.object_types(scope.store))
    sums = ("fields", "populated_fields", "distinct_object_ids")
    rows = [
        ObjectType(
            object_type=item["object_type"],
            object_count=item["objects"],
            call_count=item["calls"],
            field_count=item["fields"],
            populated_field_count=item["populated_fields"],
            distinct_object_id_count=item["distinct_object_ids"],
        )
        for item in scope.cells.groups(found, "object_type", ("objects", "calls"), add=sums)
    ]
    return Rows.page(rows, scope)
