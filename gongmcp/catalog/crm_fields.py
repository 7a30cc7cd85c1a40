"""CRM field tools: which fields exist, how well they are filled, and directed value lookup."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.calls import CrmType
from gongmcp.catalog.crm_classes import classes_of, refuse_hidden
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.exposure.fields import Field, Filters, exact, never, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import crm as store
from gongmcp.store.calls import masked
from gongmcp.store.profile import require_profile

Count = Annotated[int, shown(Field.COUNT)]
Rate = Annotated[float, shown(Field.MEASURE)]
FieldName = Annotated[
    str,
    Filters(Field.CRM_TYPE),
    msgspec.Meta(min_length=1, max_length=120, description="CRM field name as list_crm_fields gives it."),
]


class FieldList(Arguments):
    """Arguments of ``list_crm_fields``."""

    object_type: CrmType
    limit: Limit = None
    cursor: Cursor = None


class FieldRow(Row):
    """One field of a CRM object type."""

    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    row_count: Count
    call_count: Count | None
    populated_count: Count
    distinct_value_count: Count


@tool(
    "list_crm_fields",
    title="CRM fields",
    description="List the fields of one CRM object type as calls carry them: label, how often present and populated, "
    "how many distinct values. Use it before search_crm_field_values. No value is shown.",
    arguments=FieldList,
    row=FieldRow,
    level=Level.METADATA,
    cap=Cap.CRM_FIELDS,
    cursor=True,
    presets=("analyst-core", "analyst-business-core", "analyst"),
)
def list_crm_fields(args: FieldList, scope: CallScope) -> Rows[FieldRow]:
    """Read the kept counters per field, most rows first."""
    rows = [
        FieldRow(
            object_type=args.object_type,
            field_name=item["field_name"],
            field_label=item["label"] or None,
            row_count=item["objects"],
            call_count=item["calls"],
            populated_count=item["populated"],
            distinct_value_count=item["distinct_values"],
        )
        for item in _told_apart(scope, store.fields(scope.store, args.object_type))
    ]
    return Rows.page(rows, scope)


def _told_apart(scope: CallScope, fields: Iterable[store.FieldCounts]) -> list[dict[str, Any]]:
    found = ({**asdict(item), "custom": item.custom} for item in fields)
    return scope.cells.groups(found, "field_name", ("objects", "calls"), add=("populated", "distinct_values"))


class ValueSearch(Arguments):
    """Arguments of ``search_crm_field_values``."""

    object_type: CrmType
    field_name: FieldName
    value_query: Annotated[
        str,
        Filters(Field.CRM_VALUE),
        msgspec.Meta(min_length=1, max_length=120, description="Part of the value, any case, as plain text."),
    ]
    limit: Limit = None
    cursor: Cursor = None
    include_call_ids: Annotated[bool, msgspec.Meta(description="Also show call ids.")] = False
    include_value_snippets: Annotated[bool, msgspec.Meta(description="Also show the value and the call title.")] = False


class ValueHit(Row):
    """One call whose CRM field contains the text; object ids and names are shown by no setting."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_value_snippets")]
    started_at: Annotated[str, shown(Field.TIME)]
    object_type: Annotated[str, shown(Field.CRM_TYPE)]
    object_id: Annotated[str, never(Field.CRM_OBJECT_ID)]
    object_name: Annotated[MaskedText, never(Field.CRM_OBJECT_NAME)]
    field_name: Annotated[str, shown(Field.CRM_TYPE)]
    field_label: Annotated[str | None, shown(Field.CRM_TYPE)]
    value_snippet: Annotated[MaskedText, opt_in(Field.CRM_VALUE, "include_value_snippets")]


@tool(
    "search_crm_field_values",
    title="Calls by CRM field value",
    description="Find calls whose given CRM field contains a text, newest first: the one directed value lookup. Needs "
    "object type, field and text. Values and titles only with include_value_snippets; object ids and names never.",
    arguments=ValueSearch,
    row=ValueHit,
    level=Level.IDENTIFIED,
    cap=Cap.SEARCH_RESULTS,
    cap_envelope=True,
    cursor=True,
    presets=(),
    refinements=(("", "Use a longer value_query."),),
)
def search_crm_field_values(args: ValueSearch, scope: CallScope) -> Rows[ValueHit]:
    """Look values up by substring, unless a switch hides what the field holds."""
    refuse_hidden(scope, classes_of(args.object_type, args.field_name, scope.names), "field_name")
    page = store.search_values(
        scope.store, args.object_type, args.field_name, args.value_query, scope.limit, scope.after
    )
    label = store.labels(scope.store, args.object_type).get(args.field_name)
    rows = [
        ValueHit(
            call_ref=row["call_ref"],
            call_id=row["call_id"],
            title=masked(row, "title"),
            started_at=row["started_at"],
            object_type=row["object_type"],
            object_id=row["object_id"],
            object_name=masked(row, "name"),
            field_name=row["field_name"],
            field_label=label,
            value_snippet=masked(row, "value"),
        )
        for row in page.rows
    ]
    return Rows(rows, page.more, [(row["value_no"],) for row in page.rows])


class UnmappedList(Arguments):
    """Arguments of ``list_unmapped_crm_fields``."""

    limit: Limit = None
    cursor: Cursor = None
    include_field_names: Annotated[bool, msgspec.Meta(description="Also show names and labels of custom fields.")] = (
        False
    )


class UnmappedField(Row):
    """One CRM field that no concept of the active profile covers."""

    object_type: Annotated[str | None, shown(Field.CRM_TYPE)]
    standard_field_name: Annotated[str | None, shown(Field.CRM_TYPE)]
    field_name: Annotated[str, opt_in(Field.CRM_TYPE, "include_field_names")]
    field_label: Annotated[str | None, opt_in(Field.CRM_TYPE, "include_field_names")]
    field_type: Annotated[str | None, shown(Field.CRM_TYPE)]
    object_count: Count
    populated_count: Count
    population_rate: Rate
    distinct_value_count: Count
    min_value_length: Annotated[int | None, exact(Field.MEASURE)]
    max_value_length: Annotated[int | None, exact(Field.MEASURE)]
    avg_value_length: Annotated[float | None, exact(Field.MEASURE)]
    sample_value: Annotated[str | None, never(Field.CRM_VALUE)]


@tool(
    "list_unmapped_crm_fields",
    title="Unmapped CRM fields",
    description="List CRM fields that the active business profile does not map, with fill rates and value lengths. "
    "Names of custom fields need include_field_names; no value is ever shown. Needs an active profile.",
    arguments=UnmappedList,
    row=UnmappedField,
    level=Level.METADATA,
    cap=Cap.INVENTORY_RESULTS,
    cursor=True,
    presets=("analyst",),
)
def list_unmapped_crm_fields(args: UnmappedList, scope: CallScope) -> Rows[UnmappedField]:
    """Compare every cached field with the active profile's concepts."""
    mapped = require_profile(scope.store).mapped_fields()
    unmapped = [item for item in store.all_fields(scope.store) if (item.object_type, item.field_name) not in mapped]
    rows = [
        UnmappedField(
            object_type=item["object_type"],
            standard_field_name=None if item["custom"] else item["field_name"],
            field_name=item["field_name"],
            field_label=item["label"] or None,
            field_type=item["field_type"] or None,
            object_count=item["objects"],
            populated_count=item["populated"],
            population_rate=item["populated"] / item["objects"] if item["objects"] else 0.0,
            distinct_value_count=item["distinct_values"],
            min_value_length=item["min_length"],
            max_value_length=item["max_length"],
            avg_value_length=item["avg_length"],
            sample_value=None,
        )
        for item in _told_apart(scope, unmapped)
    ]
    return Rows.page(rows, scope)
