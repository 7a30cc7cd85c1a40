"""The read model as a narrower scope leaves it: temporary views under the names of its tables.

A view stands before a table of the same name, so every query of every tool reads the rows of the calls in scope and
no others, without knowing of it. What warm counts over all calls is counted anew over those: counters are what a
cache holds that was warmed in that scope. The views belong to a connection; the file is only read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Final

from gongmcp.governance.scope import FACTS, Scope
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import INDEX_BITS

NEUTRAL: Final = frozenset(
    (
        *("meta", "read_model", "active_profile", "profile_models"),
        *("settings", "scorecards", "scorecard_questions"),
        *("crm_integrations", "crm_schema_objects", "crm_schema_fields"),
        "json_each",  # a function, asked as a table
        "sqlite_master",  # SQLite itself asks it for room when it sets up such a function
    )
)
"""Tables that say nothing of calls, the same in every scope. Any other is read through a view or not at all."""

_BY_CALL: Final = (
    *("parties", "highlights", "crm_objects", "answered_scorecards", "profile_facts", "profile_values"),
    *("segment_vectors", "call_words"),
)
_BY_PART: Final = {"segments": "segment_no", "crm_values": "value_no"}
"""Tables whose rows are numbered by call and part, and the column."""
_INDEXES: Final = ("segments_fts", "crm_values_fts")
"""Full-text indexes over them."""

VIEWS: Final = frozenset(("call_facts", *_BY_CALL, *_BY_PART, *_INDEXES, "opportunities", "counters"))
"""What is read through a view. The tables of vCons are not: a client of a narrower scope has none of their tools."""

CLOSED: Final = frozenset({"cache_words"})
"""Sums over calls that no view makes anew: a query of them fails. Tools that use them do without
(``ReadStore.is_narrowed``)."""

_SHADOWS: Final = frozenset(f"{name}_{part}" for name in _INDEXES for part in ("data", "idx", "docsize", "config"))
"""What the full-text indexes are made of; FTS5 reads it itself."""

WHOLE_CORPUS: Final = frozenset({"bm25"})
"""Functions of the full-text indexes whose result depends on rows that a view leaves out."""

_US: Final = "char(31)"
_SETTINGS_TOTALS: Final = ("users", "workspaces", "trackers", "scorecards", "crm_integrations", "crm_schemas")
"""Totals that are no sums over calls."""


def may_read(table: str | None, column: str | None, database: str | None, view: str | None) -> bool:
    """Tell whether a narrowed connection may read *column* of *table*, asked for by *view* or, None, by a query itself.

    SQLite gives the name of a common table expression in the place of a view's. Where a query wants no column, only
    that there is a row, it does not say by which view.
    """
    if not column and table in VIEWS:
        return True
    return view in VIEWS or database == "temp" or table in NEUTRAL or table in _SHADOWS


def narrow(connection: sqlite3.Connection, scope: Scope, names: CrmNames) -> None:
    """Let *connection*, which may still write to its temporary schema, see the calls of *scope* alone.

    *names* are what the CRM calls things, by which warm reads an opportunity's stage.
    """
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    for statement in _statements(scope, names):
        connection.execute(statement)


def _statements(scope: Scope, names: CrmNames) -> Iterator[str]:
    yield f"CREATE TEMP VIEW call_facts AS SELECT * FROM main.call_facts AS k WHERE {_condition(scope)}"
    of = f"EXISTS (SELECT 1 FROM main.call_facts AS k WHERE k.call_no = {{}} AND {_condition(scope)})"
    for table in _BY_CALL:
        yield f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} AS t WHERE {of.format('t.call_no')}"
    for table, number in _BY_PART.items():
        call = of.format(f"t.{number} >> {INDEX_BITS}")
        yield f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} AS t WHERE {call}"
    for index in _INDEXES:
        # The column of the index's own name is what MATCH asks.
        call = of.format(f"t.rowid >> {INDEX_BITS}")
        columns = f"t.rowid AS rowid, t.{index} AS {index}"
        yield f"CREATE TEMP VIEW {index} AS SELECT {columns} FROM main.{index} AS t WHERE {call}"
    yield f"CREATE TEMP VIEW opportunities AS {_opportunities(names)}"
    yield f"CREATE TEMP VIEW counters (counter, key, detail, value) AS {' UNION ALL '.join(_counters())}"


def _condition(scope: Scope) -> str:
    """Return what ``Scope.excludes`` leaves, in SQL over ``call_facts`` as *k*."""
    parts = ["1"]
    if not scope.private_calls:
        parts.append("k.is_private = 0")
    for lists, sign in ((scope.allow, "IN"), (scope.deny, "NOT IN")):
        for key, values in lists:
            parts.append(f"folded(k.{FACTS[key]}) {sign} ({', '.join(map(_text, sorted(values)))})")
    if scope.from_date:
        parts.append(f"k.call_date >= {_text(scope.from_date)}")
    if scope.to_date:
        parts.append(f"k.call_date <= {_text(scope.to_date)}")
    return " AND ".join(parts)


def _text(value: str) -> str:
    # A view takes no parameters.
    return "'" + value.replace("'", "''") + "'"


def _opportunities(names: CrmNames) -> str:
    """Return the query of what warm keeps of each opportunity, over the calls in scope."""
    attached = """SELECT DISTINCT t.object_type, t.object_id, t.object_ref, t.call_no FROM main.crm_objects AS t
        WHERE t.kind = 'opportunity' AND t.object_id <> ''"""

    def newest(attribute: str) -> str:
        fields = _text(json.dumps(names.fields("opportunity", attribute)))
        return f"""coalesce((
            SELECT v.value FROM main.crm_objects AS t JOIN main.crm_values AS v ON v.object_no = t.object_no
            JOIN json_each({fields}) AS n ON lower(n.value) = lower(v.field_name)
            WHERE t.object_type = g.object_type AND t.object_id = g.object_id AND t.call_no = g.latest_call_no
              AND v.value <> '' ORDER BY n.key LIMIT 1), '')"""

    return f"""SELECT g.object_type, g.object_id, g.object_ref, {newest("stage")} AS stage,
            {newest("type")} AS opportunity_type, g.call_count, g.transcript_count, g.missing_transcript_count,
            g.total_duration_seconds, g.latest_call_no
        FROM (SELECT a.object_type, a.object_id, max(a.object_ref) AS object_ref, count(*) AS call_count,
                sum(c.transcript_present) AS transcript_count,
                count(*) - sum(c.transcript_present) AS missing_transcript_count,
                sum(c.duration_seconds) AS total_duration_seconds, max(c.call_no) AS latest_call_no
              FROM ({attached}) AS a JOIN temp.call_facts AS c ON c.call_no = a.call_no
              GROUP BY a.object_type, a.object_id) AS g"""


def _counters() -> Iterator[str]:
    """Yield the query of each counter that the server reads (``gongmcp.store.schema``), over the calls in scope.

    The counter's name is a constant of its query, so that SQLite leaves out those that are not asked for; a group of
    no rows is no counter, as in the table.
    """
    kept = ", ".join(map(_text, _SETTINGS_TOTALS))
    yield f"""SELECT t.counter, t.key, t.detail, t.value FROM main.counters AS t
        WHERE t.counter = 'total' AND t.key IN ({kept})"""
    for key, value, source in (
        ("calls", "count(*)", "temp.call_facts"),
        ("transcripts", "count(*)", "temp.call_facts WHERE transcript_present"),
        ("missing_transcripts", "count(*)", "temp.call_facts WHERE NOT transcript_present"),
        ("segments", "sum(segment_count)", "temp.call_facts WHERE segment_count"),
        ("calls_with_crm", "count(DISTINCT call_no)", "temp.crm_objects"),
        ("answered_scorecards", "count(*)", "temp.answered_scorecards"),
        ("industry_calls", "count(*)", "temp.call_facts WHERE account_industry <> ''"),
        ("stage_calls", "count(*)", "temp.call_facts WHERE opportunity_stage <> ''"),
        ("classified_calls", "count(*)", "temp.call_facts WHERE lifecycle_bucket <> 'unknown'"),
        ("opportunity_calls", "count(*)", "temp.call_facts WHERE opportunity_count"),
        ("account_calls", "count(*)", "temp.call_facts WHERE account_count"),
        ("crm_objects", "count(*)", "temp.crm_objects"),
        ("crm_fields", "count(*)", "temp.crm_values"),
    ):
        # Grouped, so that a key that is not asked for is not counted first and left out afterwards.
        yield f"SELECT 'total' AS counter, '{key}' AS key, '' AS detail, {value} FROM {source} GROUP BY counter, key"
    for detail, value in (
        ("objects", "count(*)"),
        ("calls", "count(DISTINCT call_no)"),
        ("distinct_object_ids", "count(DISTINCT nullif(object_id, ''))"),
    ):
        yield f"""SELECT 'object_type', object_type, '{detail}', {value} FROM temp.crm_objects
            GROUP BY object_type HAVING {value} > 0"""
    call = f"value_no >> {INDEX_BITS}"
    for name, value, where in (
        ("crm_field", "count(*)", "1"),
        ("crm_field_calls", f"count(DISTINCT {call})", "1"),
        ("crm_field_populated", "count(*)", "value <> ''"),
        ("crm_field_chars", "sum(length(value))", "value <> ''"),
        ("crm_field_distinct", "count(DISTINCT value)", "value <> ''"),
    ):
        yield f"""SELECT '{name}', object_type, field_name, {value} FROM temp.crm_values WHERE {where}
            GROUP BY object_type, field_name"""
    yield f"""SELECT 'crm_field_length', object_type || {_US} || field_name, CAST(length(value) AS TEXT), count(*)
        FROM temp.crm_values WHERE value <> '' GROUP BY object_type, field_name, length(value)"""
    yield from _matrices()
    yield from _buckets("lifecycle", "temp.call_facts AS b", "", "b.lifecycle_bucket")
    yield from _buckets("profile", "temp.profile_facts AS b", f"b.profile_no || {_US} || ", "b.bucket")


def _matrices() -> Iterator[str]:
    """Yield the counters by group fields: of the fields that warm groups by, which the table has counters of."""
    key = f"g.object_type || {_US} || g.field_name"
    grouped = f"{key} IN (SELECT m.key FROM main.counters AS m WHERE m.counter = 'matrix_objects')"
    for name, value in (("objects", "count(*)"), ("calls", f"count(DISTINCT g.value_no >> {INDEX_BITS})")):
        yield f"""SELECT 'matrix_{name}', {key}, g.value, {value} FROM temp.crm_values AS g WHERE {grouped}
            GROUP BY {key}, g.value"""
    for name, value in (("", "count(*)"), ("_calls", f"count(DISTINCT g.value_no >> {INDEX_BITS})")):
        yield f"""SELECT 'matrix_populated{name}', {key} || {_US} || g.value, v.field_name, {value}
            FROM temp.crm_values AS g JOIN main.crm_values AS v ON v.object_no = g.object_no AND v.value <> ''
            WHERE {grouped} GROUP BY {key} || {_US} || g.value, v.field_name"""


def _buckets(prefix: str, source: str, profile: str, bucket: str) -> Iterator[str]:
    key = f"{profile}o.object_type || {_US} || {bucket}"
    objects = f"{source} JOIN main.crm_objects AS o ON o.call_no = b.call_no"
    yield f"SELECT '{prefix}_calls', {key}, '', count(DISTINCT b.call_no) FROM {objects} GROUP BY {key}"
    yield f"""SELECT '{prefix}_populated', {key}, v.field_name, count(DISTINCT b.call_no) FROM {objects}
        JOIN main.crm_values AS v ON v.object_no = o.object_no AND v.value <> '' GROUP BY {key}, v.field_name"""
