"""Values to offer while somebody types: of visible calls, each query bounded in what it looks at.

A *prefix* is compared without regard to the case of ASCII letters. Lists that have no order of their own
come by value.
"""

from __future__ import annotations

from typing import Literal

from gongmcp.store.connection import ReadStore

NEWEST = 10_000
"""Calls that are looked at, newest first, for values that no index or counter holds."""

DISTINCT = 1_000
"""Distinct values of an indexed column that are looked at."""

_REF = "call_"


def _like(prefix: str) -> str:
    return prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def _texts(store: ReadStore, sql: str, prefix: str, limit: int, **more: str | int) -> list[str]:
    return [row[0] for row in store.rows(sql, {"like": _like(prefix), "limit": limit, **more})]


def object_types(store: ReadStore, prefix: str, limit: int) -> list[str]:
    """Return CRM object types of calls."""
    return _texts(
        store,
        "SELECT DISTINCT key FROM counters WHERE counter = 'object_type' AND key LIKE :like ESCAPE '\\'"
        " ORDER BY key LIMIT :limit",
        prefix,
        limit,
    )


def field_names(store: ReadStore, object_type: str | None, prefix: str, limit: int) -> list[str]:
    """Return names of CRM fields, of one *object_type* when it is given."""
    return _texts(
        store,
        "SELECT DISTINCT detail FROM counters WHERE counter = 'crm_field'"
        + (" AND key = :type" if object_type else "")
        + " AND detail LIKE :like ESCAPE '\\' ORDER BY detail LIMIT :limit",
        prefix,
        limit,
        **({"type": object_type} if object_type else {}),
    )


def schema_types(store: ReadStore, prefix: str, limit: int) -> list[str]:
    """Return object types of the CRM's schema."""
    return _texts(
        store,
        "SELECT DISTINCT object_type FROM crm_schema_objects WHERE object_type LIKE :like ESCAPE '\\'"
        " ORDER BY object_type LIMIT :limit",
        prefix,
        limit,
    )


def integrations(store: ReadStore, prefix: str, limit: int) -> list[str]:
    """Return ids of CRM integrations."""
    return _texts(
        store,
        "SELECT integration_id FROM crm_integrations WHERE integration_id LIKE :like ESCAPE '\\'"
        " ORDER BY name, integration_id LIMIT :limit",
        prefix,
        limit,
    )


def scorecards(store: ReadStore, prefix: str, limit: int) -> list[str]:
    """Return ids of scorecards, active ones first."""
    return _texts(
        store,
        "SELECT scorecard_id FROM scorecards WHERE scorecard_id LIKE :like ESCAPE '\\'"
        " ORDER BY active DESC, name, scorecard_id LIMIT :limit",
        prefix,
        limit,
    )


def call_refs(store: ReadStore, prefix: str, limit: int) -> list[str]:
    """Return aliases of calls: the newest ones, or by value when *prefix* has digits of an alias."""
    wanted = prefix.lower()
    if _REF.startswith(wanted):
        rows = store.rows("SELECT call_ref FROM call_facts ORDER BY call_no DESC LIMIT :limit", {"limit": limit})
    else:
        rows = store.rows(
            "SELECT call_ref FROM call_facts WHERE call_ref BETWEEN :low AND :high ORDER BY call_ref LIMIT :limit",
            {"low": wanted, "high": wanted + "\U0010ffff", "limit": limit},
        )
    return [row[0] for row in rows]


def indexed(store: ReadStore, column: Literal["system", "direction"], prefix: str, limit: int) -> list[str]:
    """Return values of a fact that has an index, which is jumped along from one value to the next."""
    return _texts(
        store,
        f"WITH RECURSIVE found(value) AS (SELECT min({column}) FROM call_facts UNION ALL"
        f" SELECT (SELECT min({column}) FROM call_facts WHERE {column} > found.value) FROM found"
        " WHERE found.value IS NOT NULL LIMIT :distinct)"
        " SELECT value FROM found WHERE value <> '' AND value LIKE :like ESCAPE '\\' ORDER BY value LIMIT :limit",
        prefix,
        limit,
        distinct=DISTINCT,
    )


def recent(
    store: ReadStore, column: Literal["opportunity_stage", "account_industry"], prefix: str, limit: int
) -> list[str]:
    """Return values of a fact among the newest calls, most calls first."""
    return _texts(
        store,
        f"SELECT value FROM (SELECT {column} AS value FROM call_facts ORDER BY call_no DESC LIMIT :newest)"
        " WHERE value <> '' AND value LIKE :like ESCAPE '\\' GROUP BY value ORDER BY count(*) DESC, value LIMIT :limit",
        prefix,
        limit,
        newest=NEWEST,
    )
