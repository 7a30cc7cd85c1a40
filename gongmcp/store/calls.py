"""Calls: the filters that every call and evidence tool shares, and the queries over call facts."""

from __future__ import annotations

import datetime as dt
import sqlite3
from dataclasses import dataclass
from typing import Any

from gongmcp.exposure.text import MaskedText, parse_spans
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import INDEX_BITS, TIE_BITS

_MAX_SECOND = (1 << 32) - 1


def day_start(day: str) -> int:
    """Return the lowest ``call_no`` of the UTC day *day* (YYYY-MM-DD)."""
    second = int(dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC).timestamp())
    return min(max(second, 0), _MAX_SECOND) << TIE_BITS


def day_end(day: str) -> int:
    """Return the highest ``call_no`` that a call of the UTC day *day* can have."""
    second = int(dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC).timestamp()) + 86_399
    return ((min(max(second, 0), _MAX_SECOND) + 1) << TIE_BITS) - 1


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls: every condition is ANDed; None = no condition.

    Dates are inclusive UTC days (YYYY-MM-DD). *lifecycle_bucket* is one of the profile *profile_no*, a builtin
    one where that is None. *transcript_status* is ``present`` or ``missing``.
    *crm_object_id* is an object id or an object's alias. *industry*, *opportunity_stage* and *account_query*
    are parts of the text of the call's account or opportunity, any case: of the one that its facts are read
    from, so that what a row shows is what was looked for. *speaker_role* chooses segments, not calls.
    """

    from_date: str | None = None
    to_date: str | None = None
    lifecycle_bucket: str | None = None
    profile_no: int | None = None
    scope: str | None = None
    system: str | None = None
    direction: str | None = None
    transcript_status: str | None = None
    crm_object_type: str | None = None
    crm_object_id: str | None = None
    call_no: int | None = None
    industry: str | None = None
    opportunity_stage: str | None = None
    account_query: str | None = None
    speaker_role: str | None = None

    def call_range(self) -> tuple[int, int]:
        """Return the lowest and highest ``call_no`` that dates and call allow."""
        if self.call_no is not None:
            return self.call_no, self.call_no
        low = day_start(self.from_date) if self.from_date else 0
        high = day_end(self.to_date) if self.to_date else (_MAX_SECOND << TIE_BITS) | ((1 << TIE_BITS) - 1)
        return low, high

    def segment_range(self) -> tuple[int, int]:
        """Return the lowest and highest segment rowid that dates and call allow."""
        low, high = self.call_range()
        return low << INDEX_BITS, ((high + 1) << INDEX_BITS) - 1

    @property
    def on_facts(self) -> bool:
        """True when a condition besides the rowid range needs ``call_facts``."""
        return bool(self.conditions("c")[0])

    def conditions(self, alias: str) -> tuple[list[str], dict[str, Any]]:
        """Return the conditions on facts, without the range: SQL over table *alias*, and parameters."""
        where, parameters = self._conditions(alias)
        if self.lifecycle_bucket is not None:
            parameters["lifecycle_bucket"] = self.lifecycle_bucket
            if self.profile_no is None:
                where.append(f"{alias}.lifecycle_bucket = :lifecycle_bucket")
            else:
                parameters["profile_no"] = self.profile_no
                where.append(
                    "EXISTS (SELECT 1 FROM profile_facts p WHERE p.profile_no = :profile_no"
                    f" AND p.call_no = {alias}.call_no AND p.bucket = :lifecycle_bucket)"
                )
        return where, parameters

    def _conditions(self, alias: str) -> tuple[list[str], dict[str, Any]]:
        where: list[str] = []
        parameters: dict[str, Any] = {}
        for column in ("scope", "system", "direction"):
            value = getattr(self, column)
            if value is not None:
                where.append(f"{alias}.{column} = :{column}")
                parameters[column] = value
        for column, part in (("account_industry", self.industry), ("opportunity_stage", self.opportunity_stage)):
            if part is not None:
                where.append(f"instr(lower({alias}.{column}), :{column}) > 0")
                parameters[column] = part.lower()
        if self.account_query is not None:
            where.append(
                f"EXISTS (SELECT 1 FROM crm_objects a WHERE a.object_no = {alias}.account_no"
                " AND instr(lower(a.name), :account_query) > 0)"
            )
            parameters["account_query"] = self.account_query.lower()
        if self.transcript_status is not None:
            where.append(f"{alias}.transcript_present = :transcript_present")
            parameters["transcript_present"] = int(self.transcript_status == "present")
        if self.crm_object_type is not None or self.crm_object_id is not None:
            inner = [f"o.call_no = {alias}.call_no"]
            if self.crm_object_type is not None:
                inner.append("o.object_type = :crm_object_type")
                parameters["crm_object_type"] = self.crm_object_type
            if self.crm_object_id is not None:
                inner.append("(o.object_id = :crm_object_id OR o.object_ref = :crm_object_id)")
                parameters["crm_object_id"] = self.crm_object_id
            where.append(f"EXISTS (SELECT 1 FROM crm_objects o WHERE {' AND '.join(inner)})")
        return where, parameters

    def select(self, alias: str) -> Selection:
        """Return how the calls are read from ``call_facts`` as *alias*; under a profile its facts are table ``p``.

        A profile's facts lead, so that the calls of a bucket come by number from their own index.
        """
        low, high = self.call_range()
        if self.profile_no is None:
            where, parameters = self.conditions(alias)
            source, number = f"call_facts {alias}", f"{alias}.call_no"
        else:
            where, parameters = self._conditions(alias)
            source = f"profile_facts p CROSS JOIN call_facts {alias} ON {alias}.call_no = p.call_no"
            number = "p.call_no"
            where = ["p.profile_no = :profile_no", *where]
            parameters["profile_no"] = self.profile_no
            if self.lifecycle_bucket is not None:
                where = ["p.bucket = :lifecycle_bucket", *where]
                parameters["lifecycle_bucket"] = self.lifecycle_bucket
        condition = " AND ".join([f"{number} BETWEEN :call_low AND :call_high", *where])
        return Selection(source, number, condition, {"call_low": low, "call_high": high, **parameters})


@dataclass(frozen=True, slots=True)
class Selection:
    """Which calls, in SQL: the FROM clause, the column of the call's number, the WHERE clause, its parameters
    (``call_low`` and ``call_high`` among them)."""

    source: str
    number: str
    where: str
    parameters: dict[str, Any]


CallRecord = sqlite3.Row
"""A row of ``call_facts`` or ``crm_objects``, read by column name."""


@dataclass(frozen=True, slots=True)
class CallPage:
    """Rows of ``call_facts``, newest first; *more* is True only when further rows exist."""

    rows: list[CallRecord]
    more: bool


def search_calls(
    store: ReadStore, wanted: CallFilter, limit: int, before: int | None = None, *, columns: str = ""
) -> CallPage:
    """Return at most *limit* calls that *wanted* describes, by descending start, older than *before*.

    *columns* are SQL columns to read besides those of ``call_facts`` (table ``c``).
    """
    calls = wanted.select("c")
    if before is not None:
        calls.parameters["call_high"] = min(calls.parameters["call_high"], before - 1)
    rows = store.rows(
        f"SELECT c.*{', ' if columns else ''}{columns} FROM {calls.source} WHERE {calls.where}"
        f" ORDER BY {calls.number} DESC LIMIT :fetch",
        {**calls.parameters, "fetch": limit + 1},
    )
    return CallPage(rows[:limit], len(rows) > limit)


def find_call(store: ReadStore, name: str, *, by_id: bool = True) -> CallRecord | None:
    """Return the call whose alias (or, *by_id*, whose id) is *name*, None when no such call is visible."""
    where = "call_id = :name OR call_ref = :name" if by_id else "call_ref = :name"
    return store.one(f"SELECT * FROM call_facts WHERE {where}", {"name": name})


def calls_in_range(store: ReadStore, wanted: CallFilter) -> int:
    """Return how many calls lie in the dates of *wanted*."""
    if wanted.from_date is None and wanted.to_date is None:
        return store.total("calls")
    low, high = wanted.call_range()
    row = store.one("SELECT count(*) FROM call_facts WHERE call_no BETWEEN :low AND :high", {"low": low, "high": high})
    return int(row[0]) if row else 0


def crm_objects(store: ReadStore, call_no: int, limit: int) -> list[CallRecord]:
    """Return the CRM objects attached to a call, in the order in which Gong delivered them."""
    return store.rows(
        "SELECT * FROM crm_objects WHERE call_no = :call_no ORDER BY position LIMIT :limit",
        {"call_no": call_no, "limit": limit},
    )


def objects_of_type(store: ReadStore, call_no: int, object_type: str, object_id: str | None) -> list[CallRecord]:
    """Return the CRM objects of *object_type* on a call; only the one of *object_id* (an id or alias) if given."""
    return store.rows(
        "SELECT * FROM crm_objects WHERE call_no = :call_no AND object_type = :object_type"
        " AND (:object_id IS NULL OR object_id = :object_id OR object_ref = :object_id) ORDER BY position",
        {"call_no": call_no, "object_type": object_type, "object_id": object_id},
    )


def field_names(store: ReadStore, object_no: int, limit: int) -> list[str]:
    """Return the names of a CRM object's fields, by name."""
    rows = store.rows(
        "SELECT field_name FROM crm_values WHERE object_no = :object_no ORDER BY field_name LIMIT :limit",
        {"object_no": object_no, "limit": limit},
    )
    return [row[0] for row in rows]


def masked(row: CallRecord, column: str, spans: str | None = None) -> MaskedText:
    """Return a text column with its spans (in column *spans*, by default ``<column>_spans``)."""
    return MaskedText(row[column], parse_spans(row[spans or f"{column}_spans"]))


def title_of(row: CallRecord) -> MaskedText:
    """Return the title of a call."""
    return masked(row, "title")


def transcript_status(row: CallRecord) -> str:
    """Return ``present`` or ``missing``."""
    return "present" if row["transcript_present"] else "missing"
