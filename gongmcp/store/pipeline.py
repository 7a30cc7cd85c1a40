"""Queries over opportunities and how CRM fields are filled: kept tables and counters, never scans."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gongmcp.exposure.small_cells import OTHER, SmallCells
from gongmcp.store import crm
from gongmcp.store.connection import ReadStore
from gongmcp.store.crm_names import CrmNames, kind_of


@dataclass(frozen=True, slots=True)
class OpportunityPage:
    """Opportunities in order; *keys* are what a page continues behind."""

    rows: list[sqlite3.Row]
    keys: list[tuple[Any, ...]]
    more: bool


def opportunities(
    store: ReadStore, stages: Sequence[str] | None, limit: int, after: tuple[Any, ...] | None, *, gaps_only: bool
) -> OpportunityPage:
    """Return opportunities by descending number of calls without a transcript (*gaps_only*: with one at
    least), else by descending number of calls; then newest call first."""
    order = ("missing_transcript_count", "call_count") if gaps_only else ("call_count", "latest_call_no")
    third = "latest_call_no" if gaps_only else "missing_transcript_count"
    columns = (*order, third, "object_ref")
    where = ["missing_transcript_count > 0"] if gaps_only else ["1"]
    parameters: dict[str, Any] = {"fetch": limit + 1}
    if stages is not None:
        names = {f"stage{number}": stage for number, stage in enumerate(stages)}
        where.append(f"stage IN ({', '.join(f':{name}' for name in names)})")
        parameters |= names
    if after is not None:
        keys = {f"after{number}": value for number, value in enumerate(after)}
        where.append(f"({', '.join(columns)}) < ({', '.join(f':{name}' for name in keys)})")
        parameters |= keys
    ordering = ", ".join(f"o.{column} DESC" for column in columns)
    rows = store.rows(
        "SELECT o.*, c.call_ref AS latest_call_ref, c.started_at AS latest_call_at"
        " FROM opportunities o JOIN call_facts c ON c.call_no = o.latest_call_no"
        f" WHERE {' AND '.join(where)} ORDER BY {ordering} LIMIT :fetch",
        parameters,
    )
    kept = rows[:limit]
    return OpportunityPage(kept, [tuple(row[column] for column in columns) for row in kept], len(rows) > limit)


def all_opportunities(store: ReadStore, stages: Sequence[str] | None) -> list[sqlite3.Row]:
    """Return every opportunity (of *stages*, if given) without an order."""
    names = {f"stage{number}": stage for number, stage in enumerate(stages or ())}
    where = f" WHERE o.stage IN ({', '.join(f':{name}' for name in names)})" if stages is not None else ""
    return store.rows(
        "SELECT o.*, c.call_ref AS latest_call_ref, c.started_at AS latest_call_at"
        f" FROM opportunities o JOIN call_facts c ON c.call_no = o.latest_call_no{where}",
        names,
    )


@dataclass(frozen=True, slots=True)
class FieldSignal:
    """How many late and other calls have a field filled, and the rates."""

    field_name: str
    label: str
    late: int
    other: int
    late_rate: float
    other_rate: float


@dataclass(frozen=True, slots=True)
class LateStageFindings:
    """Fields by how much more often late-stage calls have them filled."""

    object_type: str
    stage_field: str
    late_values: tuple[str, ...]
    late_calls: int
    other_calls: int
    stage_counts: list[tuple[str, int]]
    signals: list[FieldSignal] = field(default_factory=list)


def late_stage(
    store: ReadStore,
    names: CrmNames,
    *,
    object_type: str | None,
    stage_field: str | None,
    late_values: Sequence[str] | None,
    proxies: bool,
    cells: SmallCells,
) -> LateStageFindings:
    """Compare field population on calls of late stages with that on others, biggest difference first.

    Without *object_type* the most frequent opportunity type of the cache is taken; without *stage_field*
    the first of the type's stage fields that calls carry. Stages that *cells* merges count as none that is late.
    """
    kind = object_type or _usual_type(store, "opportunity") or "Opportunity"
    candidates = [stage_field] if stage_field else names.stage_fields
    column = next((name for name in candidates if _group_calls(store, kind, name)), candidates[0])
    counted = _group_calls(store, kind, column)
    groups = cells.groups([{"value": value, "calls": calls} for value, calls in counted.items()], "value", ("calls",))
    stages = {row["value"]: row["calls"] for row in groups}
    wanted = {value.casefold() for value in (late_values if late_values is not None else names.late_stages)}
    late = {value for value in stages if value.casefold() in wanted}
    late_calls = sum(stages[value] for value in late)
    other_calls = sum(stages.values()) - late_calls
    skipped = set() if proxies else {name.casefold() for name in (column, *names.stage_proxies)}
    populated = _merged(_populated(store, "matrix_populated_calls", kind, column), stages)
    labels = crm.labels(store, kind)
    signals = []
    for name in sorted({name for fields in populated.values() for name in fields}):
        if name.casefold() in skipped:
            continue
        found_late = sum(populated.get(value, {}).get(name, 0) for value in late)
        found_other = sum(fields.get(name, 0) for value, fields in populated.items() if value not in late)
        if not cells.enough([{"late": found_late, "other": found_other}], "late", "other"):
            continue
        # Rounded down stage by stage, the calls can be fewer than those with the field.
        in_late, in_other = min(cells.count(found_late), late_calls), min(cells.count(found_other), other_calls)
        signals.append(
            FieldSignal(
                name,
                labels.get(name, ""),
                in_late,
                in_other,
                in_late / late_calls if late_calls else 0.0,
                in_other / other_calls if other_calls else 0.0,
            )
        )
    signals.sort(key=lambda item: (item.other_rate - item.late_rate, item.field_name))
    counts = list(stages.items()) if cells.active else sorted(stages.items(), key=lambda item: (-item[1], item[0]))
    return LateStageFindings(kind, column, tuple(sorted(late)), late_calls, other_calls, counts, signals)


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How often a field is filled among the objects of one group."""

    group_value: str
    field_name: str
    label: str
    objects: int
    calls: int | None
    populated: int


def matrix(store: ReadStore, object_type: str, group_field: str, cells: SmallCells) -> list[MatrixCell]:
    """Return every (group value, field) cell of *object_type*, most populated first; *cells* merges small groups."""
    objects = _group(store, "matrix_objects", object_type, group_field)
    calls = _group(store, "matrix_calls", object_type, group_field)
    found = [{"value": value, "objects": count, "calls": calls.get(value, 0)} for value, count in objects.items()]
    groups = {row["value"]: row for row in cells.groups(found, "value", ("objects", "calls"))}
    labels = crm.labels(store, object_type)
    populated = _merged(_populated(store, "matrix_populated", object_type, group_field), groups)
    matrix = [
        MatrixCell(value, name, labels.get(name, ""), groups[value]["objects"], groups[value]["calls"], filled)
        for value, fields in populated.items()
        for name, counted in fields.items()
        if (filled := cells.count(counted))
    ]
    return sorted(matrix, key=lambda cell: (-cell.populated, cell.group_value, cell.field_name))


@dataclass(frozen=True, slots=True)
class BucketField:
    """How many calls of two buckets have a field filled."""

    field_name: str
    label: str
    populated_a: int
    populated_b: int


def compare_buckets(
    store: ReadStore, object_type: str, bucket_a: str, bucket_b: str, profile_no: int | None = None
) -> tuple[int, int, list[BucketField]]:
    """Return calls with an object of *object_type* in either bucket, and per field how many have it filled.

    The buckets are builtin ones, or those of the profile *profile_no*.
    """
    prefix, of = ("lifecycle", "") if profile_no is None else ("profile", f"{profile_no}{crm.US}")

    def counted(counter: str, bucket: str) -> dict[str, int]:
        return crm.details(store, f"{prefix}_{counter}", f"{of}{object_type}{crm.US}{bucket}")

    calls_a, calls_b = counted("calls", bucket_a), counted("calls", bucket_b)
    filled_a, filled_b = counted("populated", bucket_a), counted("populated", bucket_b)
    labels = crm.labels(store, object_type)
    fields = [
        BucketField(name, labels.get(name, ""), filled_a.get(name, 0), filled_b.get(name, 0))
        for name in sorted({*filled_a, *filled_b})
    ]
    return calls_a.get("", 0), calls_b.get("", 0), fields


def group_fields(store: ReadStore, names: CrmNames, object_type: str) -> list[str]:
    """Return the fields of *object_type* that may group and that calls carry, in the operator's order."""
    carried = crm.details(store, "crm_field", object_type)
    return [name for name in names.matrix_group_fields if name in carried]


def _merged(populated: dict[str, dict[str, int]], groups: Collection[str]) -> dict[str, dict[str, int]]:
    """Return the counts per group as *groups* names them: those that it lacks are in ``other``, if there is one."""
    out: dict[str, Counter[str]] = {}
    for value, fields in populated.items():
        label = value if value in groups else OTHER
        if label in groups:
            out.setdefault(label, Counter()).update(fields)
    return {label: dict(fields) for label, fields in out.items()}


def _usual_type(store: ReadStore, kind: str) -> str | None:
    types: Iterable[crm.ObjectTypeCounts] = crm.object_types(store)
    return next((item.object_type for item in types if kind_of(item.object_type) == kind), None)


def _group_calls(store: ReadStore, object_type: str, group_field: str) -> dict[str, int]:
    return _group(store, "matrix_calls", object_type, group_field)


def _group(store: ReadStore, counter: str, object_type: str, group_field: str) -> dict[str, int]:
    return crm.details(store, counter, f"{object_type}{crm.US}{group_field}")


def _populated(store: ReadStore, counter: str, object_type: str, group_field: str) -> dict[str, dict[str, int]]:
    start = f"{object_type}{crm.US}{group_field}{crm.US}"
    rows = store.rows(
        "SELECT key, detail, value FROM counters WHERE counter = :counter AND key >= :low AND key < :high",
        {"counter": counter, "low": start, "high": start[:-1] + "\x20"},
    )
    out: dict[str, dict[str, int]] = {}
    for row in rows:
        out.setdefault(row["key"][len(start) :], {})[row["detail"]] = row["value"]
    return out
