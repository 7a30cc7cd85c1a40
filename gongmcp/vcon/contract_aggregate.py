"""``vcon_aggregate``: which groups have the highest share of vCons with given tags."""

from __future__ import annotations

from typing import Annotated, Any

from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.parameters import TAGS, filters_of, limit
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Count, Flag, Label, Measure
from gongmcp.vcon.when import DATE

Account = Annotated[str, shown(Field.ACCOUNT_NAME)]


class Group(Row, kw_only=True):
    """One group: *rate* is filtered of baseline."""

    dealer_id: Account | None = None
    dealer_name: Account | None = None
    team_id: Account | None = None
    team_name: Account | None = None
    group_value: Label | None = None
    filtered_count: Count
    baseline_count: Count
    rate: Measure


class Rollup(Row, kw_only=True):
    """Groups, the highest rate first."""

    group_by: Label
    rows: list[Group]
    vcons_total: Count
    vcons_with_group: Count | None = None
    truncated: Flag
    interval: Anything = None


class Aggregate(Row, kw_only=True):
    """Answer of ``vcon_aggregate``."""

    item: Rollup


@vcon_tool(
    "vcon_aggregate",
    title="Share of vCons by group",
    description=(
        "Server-side rollup for rate questions: which groups have the highest share of vCons with the given tags. "
        "group_by is dealer (the account attachment), tag:<key>, analysis_type, attachment_purpose, dialog_type, "
        "month, party_domain or party_role. filtered_count of baseline_count is rate."
    ),
    category="read",
    answer=Aggregate,
    contract=True,
    rate="search",
    properties={
        "group_by": {"type": "string", "minLength": 1, "maxLength": 300, "default": "dealer"},
        "tags": {**TAGS, "default": {}},
        "filters": {
            "type": "object",
            "properties": {
                name: dict(DATE) for name in ("start_date", "end_date", "conversation_from", "conversation_to")
            },
            "additionalProperties": False,
        },
        "having": {
            "type": "object",
            "properties": {"min_count": {"type": "integer", "minimum": 1, "default": 1}},
            "additionalProperties": False,
        },
        "limit": limit(20, 500),
    },
    example={"group_by": "dealer", "tags": {"portal": "negative_experience"}},
    into=READING,
)
def vcon_aggregate(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count groups of vCons and those of them that have tags."""
    asked = arguments["group_by"]
    by = "account" if asked == "dealer" else asked
    if by not in vcon_figures.GROUPS and not (by.startswith("tag:") and by != "tag:"):
        valid = ["dealer", *(name for name in vcon_figures.GROUPS if name != "account"), "tag:<key>"]
        raise VconFault("INVALID_ARGUMENT", "group_by is none of the groups.", argument="group_by", valid_values=valid)
    if by == "party_domain" and not scope.verbatim:
        raise VconFault("UNSUPPORTED_FILTER", "The policy of this server withholds addresses.", filters=["group_by"])
    filters, understood = filters_of(scope, arguments.get("filters", {}), {})
    wanted = arguments["limit"]
    cells = SmallCells(scope.policy.min_cell)
    rows = vcon_figures.groups(
        scope.store,
        by,
        tags=tuple(sorted(arguments["tags"].items())),
        filters=filters,
        min_count=cells.at_least(arguments.get("having", {}).get("min_count", 1)),
        limit=-1 if cells.active else wanted + 1,
        source=scope.taxonomy.account,
    )
    groups = [_group(by, dict(row), cells) for row in rows]
    if cells.active:  # the order of exact rates would tell more than the rates that are shown
        keys = {id(group): row["group_key"] for group, row in zip(groups, rows, strict=True)}
        groups.sort(key=lambda group: (-group.rate, -group.filtered_count, -group.baseline_count, keys[id(group)]))
    covered = None
    if by == "account":
        covered = vcon_shape.coverage(scope.store, account=scope.taxonomy.account)
    elif by.startswith("tag:"):
        covered = vcon_shape.coverage(scope.store, tag=by.removeprefix("tag:"))
    return Aggregate(
        item=Rollup(
            group_by=asked,
            rows=groups[:wanted],
            vcons_total=vcon_figures.totals(scope.store)["vcons"],
            vcons_with_group=covered,
            truncated=len(rows) > wanted,
            interval=understood or None,
        )
    )


def _group(by: str, row: dict[str, Any], cells: SmallCells) -> Group:
    filtered, baseline = cells.count(row["filtered_count"]), cells.count(row["baseline_count"])
    out = Group(filtered_count=filtered, baseline_count=baseline, rate=filtered / baseline if baseline else 0.0)
    if by == "account":
        out.dealer_id, out.dealer_name = row["group_key"], row["group_label"] or None
        out.team_id, out.team_name = row["team_id"] or None, row["team_name"] or None
    else:
        out.group_value = row["group_key"]
    return out
