"""Compare what a cache keeps (counters, counts in rows, the full-text index) with a plain recount.

For tests, and for an operator who distrusts a file: it reads every served row. A difference means a
fault of the writer or a damaged file; building the read model anew mends either.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import Final

from gongctl.cache import word_rows
from gongctl.cache.serving import CounterKey, value_digest
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import INDEX_BITS, TIE_BITS
from gongmcp.store.vcon_schema import VCON_INDEXES

_ORPHANS: Final = {
    "segments without a call": f"""
        SELECT count(*) FROM segments
        WHERE NOT EXISTS (SELECT 1 FROM call_facts WHERE call_no = segment_no >> {INDEX_BITS})""",
    "parties without a call": "SELECT count(*) FROM parties WHERE call_no NOT IN (SELECT call_no FROM call_facts)",
    "CRM objects without a call": """
        SELECT count(*) FROM crm_objects WHERE call_no NOT IN (SELECT call_no FROM call_facts)""",
    "CRM values without an object": """
        SELECT count(*) FROM crm_values WHERE object_no NOT IN (SELECT object_no FROM crm_objects)""",
    "answered scorecards without a call": """
        SELECT count(*) FROM answered_scorecards WHERE call_no NOT IN (SELECT call_no FROM call_facts)""",
    "texts of the AI without a call": """
        SELECT count(*) FROM highlights WHERE call_no NOT IN (SELECT call_no FROM call_facts)""",
    "vectors without a call": """
        SELECT count(*) FROM segment_vectors WHERE call_no NOT IN (SELECT call_no FROM call_facts)""",
    "vectors without a vCon": "SELECT count(*) FROM vcon_vectors WHERE vcon_no NOT IN (SELECT vcon_no FROM vcons)",
    "opportunities that differ from their calls": """
        SELECT count(*) FROM (
          SELECT object_type, object_id, count(*) AS calls, sum(transcript_present) AS present,
                 sum(duration_seconds) AS seconds, max(call_no) AS latest
          FROM (SELECT DISTINCT object_type, object_id, call_no FROM crm_objects
                WHERE kind = 'opportunity' AND object_id <> '') JOIN call_facts USING (call_no) GROUP BY 1, 2) AS t
        FULL JOIN opportunities AS o USING (object_type, object_id)
        WHERE (calls, present, calls - present, seconds, latest) IS NOT
              (o.call_count, o.transcript_count, o.missing_transcript_count, o.total_duration_seconds,
               o.latest_call_no)""",
    "segments of a speaker who is no party row": f"""
        SELECT count(*) FROM segments AS s WHERE s.speaker_no > 0 AND NOT EXISTS (
          SELECT 1 FROM parties AS p WHERE p.call_no = s.segment_no >> {INDEX_BITS} AND p.party_no = s.speaker_no)""",
    "segments whose index has a gap": f"""
        SELECT count(*) FROM (
          SELECT max(segment_no) - min(segment_no) + 1 - count(*) AS gap,
                 min(segment_no) & {(1 << INDEX_BITS) - 1} AS low
          FROM segments GROUP BY segment_no >> {INDEX_BITS}) WHERE gap <> 0 OR low <> 0""",
    "calls numbered out of their second": f"""
        SELECT count(*) FROM call_facts
        WHERE unixepoch(call_date) NOT BETWEEN (call_no >> {TIE_BITS}) - 86399 AND call_no >> {TIE_BITS}
          AND unixepoch(call_date) BETWEEN 0 AND 4294967295""",
    "objects whose field counts differ from their values": """
        SELECT count(*) FROM crm_objects AS o
        WHERE (o.field_count, o.populated_field_count) <> (
          SELECT count(*), coalesce(sum(value <> ''), 0) FROM crm_values AS v WHERE v.object_no = o.object_no)""",
    "calls with another number of segments": f"""
        SELECT count(*) FROM call_facts AS c LEFT JOIN (
          SELECT segment_no >> {INDEX_BITS} AS call_no, count(*) AS segments FROM segments GROUP BY 1) AS s
          ON s.call_no = c.call_no
        WHERE c.segment_count <> coalesce(s.segments, 0) OR c.transcript_present <> (coalesce(s.segments, 0) > 0)""",
    "calls with another length of text": f"""
        SELECT count(*) FROM call_facts AS c LEFT JOIN (
          SELECT segment_no >> {INDEX_BITS} AS call_no, sum(length(text)) AS chars FROM segments GROUP BY 1) AS s
          ON s.call_no = c.call_no
        WHERE c.text_chars <> coalesce(s.chars, 0)""",
    "calls with another number of parties": """
        SELECT count(*) FROM call_facts AS c
        WHERE (c.parties_count, c.external_parties) <> (
          SELECT count(*), coalesce(sum(affiliation = 'external'), 0) FROM parties AS p
          WHERE p.call_no = c.call_no AND p.matched = 1)""",
    "profile facts without a call or a kept profile": """
        SELECT count(*) FROM profile_facts WHERE call_no NOT IN (SELECT call_no FROM call_facts)
          OR profile_no NOT IN (SELECT profile_no FROM profile_models)""",
    "profile values without facts": """
        SELECT count(*) FROM profile_values AS v WHERE NOT EXISTS (
          SELECT 1 FROM profile_facts AS p WHERE p.profile_no = v.profile_no AND p.call_no = v.call_no)""",
    "calls without facts of a profile that is said to be complete": """
        SELECT count(*) FROM profile_models AS m, call_facts AS c WHERE m.complete = 1 AND NOT EXISTS (
          SELECT 1 FROM profile_facts AS p WHERE p.profile_no = m.profile_no AND p.call_no = c.call_no)""",
    "calls with another transcript status in a profile's facts": """
        SELECT count(*) FROM profile_facts AS p JOIN call_facts AS c USING (call_no)
        WHERE p.transcript_present <> c.transcript_present""",
    "calls with another number of accounts or opportunities": """
        SELECT count(*) FROM call_facts AS c
        WHERE (c.account_count, c.opportunity_count) <> (
          SELECT coalesce(sum(kind = 'account'), 0), coalesce(sum(kind = 'opportunity'), 0) FROM crm_objects AS o
          WHERE o.call_no = c.call_no)""",
}

_RECOUNTS: Final = (
    """SELECT 'total', 'calls', '', count(*) FROM call_facts
       UNION ALL SELECT 'total', 'transcripts', '', sum(transcript_present) FROM call_facts
       UNION ALL SELECT 'total', 'missing_transcripts', '', sum(1 - transcript_present) FROM call_facts
       UNION ALL SELECT 'total', 'industry_calls', '', sum(account_industry <> '') FROM call_facts
       UNION ALL SELECT 'total', 'stage_calls', '', sum(opportunity_stage <> '') FROM call_facts
       UNION ALL SELECT 'total', 'classified_calls', '', sum(lifecycle_bucket <> 'unknown') FROM call_facts
       UNION ALL SELECT 'total', 'opportunity_calls', '', sum(opportunity_count > 0) FROM call_facts
       UNION ALL SELECT 'total', 'account_calls', '', sum(account_count > 0) FROM call_facts
       UNION ALL SELECT 'total', 'answered_scorecards', '', count(*) FROM answered_scorecards
       UNION ALL SELECT 'total', 'segments', '', count(*) FROM segments
       UNION ALL SELECT 'total', 'calls_with_crm', '', count(DISTINCT call_no) FROM crm_objects
       UNION ALL SELECT 'total', 'crm_objects', '', count(*) FROM crm_objects
       UNION ALL SELECT 'total', 'crm_fields', '', count(*) FROM crm_values""",
    "SELECT 'object_type', object_type, 'objects', count(*) FROM crm_objects GROUP BY object_type",
    "SELECT 'object_type', object_type, 'calls', count(DISTINCT call_no) FROM crm_objects GROUP BY object_type",
    """SELECT 'object_type', object_type, 'distinct_object_ids', count(DISTINCT object_id) FROM crm_objects
       WHERE object_id <> '' GROUP BY object_type""",
    """SELECT 'object_id', object_type, object_id, count(DISTINCT call_no) FROM crm_objects
       WHERE object_id <> '' GROUP BY object_type, object_id""",
    """SELECT 'crm_field', o.object_type, v.field_name, count(*)
       FROM crm_values AS v JOIN crm_objects AS o USING (object_no) GROUP BY 2, 3""",
    """SELECT 'crm_field_populated', o.object_type, v.field_name, count(*)
       FROM crm_values AS v JOIN crm_objects AS o USING (object_no) WHERE v.value <> '' GROUP BY 2, 3""",
    f"""SELECT 'crm_field_calls', object_type, field_name, count(DISTINCT value_no >> {INDEX_BITS})
       FROM crm_values GROUP BY 2, 3""",
    """SELECT 'crm_field_chars', object_type, field_name, sum(length(value))
       FROM crm_values WHERE value <> '' GROUP BY 2, 3""",
    """SELECT 'crm_field_length', object_type || char(31) || field_name, length(value), count(*)
       FROM crm_values WHERE value <> '' GROUP BY 2, 3""",
    """SELECT 'crm_field_distinct', object_type, field_name, count(DISTINCT value)
       FROM crm_values WHERE value <> '' GROUP BY 2, 3""",
    """SELECT 'lifecycle_calls', o.object_type || char(31) || f.lifecycle_bucket, '', count(DISTINCT f.call_no)
       FROM crm_objects AS o JOIN call_facts AS f USING (call_no) GROUP BY 2""",
    f"""SELECT 'lifecycle_populated', v.object_type || char(31) || f.lifecycle_bucket, v.field_name,
              count(DISTINCT f.call_no)
       FROM crm_values AS v JOIN call_facts AS f ON f.call_no = v.value_no >> {INDEX_BITS}
       WHERE v.value <> '' GROUP BY 2, 3""",
    """SELECT 'profile_calls', p.profile_no || char(31) || o.object_type || char(31) || p.bucket, '',
              count(DISTINCT p.call_no)
       FROM crm_objects AS o JOIN profile_facts AS p USING (call_no) GROUP BY 2""",
    f"""SELECT 'profile_populated', p.profile_no || char(31) || v.object_type || char(31) || p.bucket, v.field_name,
              count(DISTINCT p.call_no)
       FROM crm_values AS v JOIN profile_facts AS p ON p.call_no = v.value_no >> {INDEX_BITS}
       WHERE v.value <> '' GROUP BY 2, 3""",
)

_SETTINGS: Final = {
    "workspaces": "SELECT count(*) FROM settings WHERE kind = 'workspace'",
    "trackers": "SELECT count(*) FROM settings WHERE kind = 'tracker'",
    "scorecards": "SELECT count(*) FROM scorecards",
    "crm_integrations": "SELECT count(*) FROM crm_integrations",
    "crm_schemas": "SELECT count(*) FROM crm_schema_objects",
}
"""Totals that count rows of the settings tables."""

_GROUPS: Final = "(SELECT * FROM crm_values WHERE field_name IN (SELECT value FROM json_each(:fields)))"
_GROUPED: Final = (
    f"""SELECT 'matrix_objects', object_type || char(31) || field_name, value, count(*) FROM {_GROUPS} GROUP BY 2, 3""",
    f"""SELECT 'matrix_calls', object_type || char(31) || field_name, value, count(DISTINCT value_no >> {INDEX_BITS})
        FROM {_GROUPS} GROUP BY 2, 3""",
    f"""SELECT 'matrix_populated', g.object_type || char(31) || g.field_name || char(31) || g.value, v.field_name,
               count(*)
        FROM {_GROUPS} AS g JOIN crm_values AS v USING (object_no) WHERE v.value <> '' GROUP BY 2, 3""",
    f"""SELECT 'matrix_populated_calls', g.object_type || char(31) || g.field_name || char(31) || g.value,
               v.field_name, count(DISTINCT v.value_no >> {INDEX_BITS})
        FROM {_GROUPS} AS g JOIN crm_values AS v USING (object_no) WHERE v.value <> '' GROUP BY 2, 3""",
)
"""Counters per value of the fields that matrices group by."""


def recount(connection: sqlite3.Connection, names: CrmNames | None = None) -> list[str]:
    """Return what does not agree, one sentence each without any text of the data; empty = all is well.

    *names* are those that the model was warmed with.

    The index check needs a connection that may write, though nothing is changed.
    """
    faults = [f"{count} {what}" for what, sql in _ORPHANS.items() if (count := connection.execute(sql).fetchone()[0])]
    faults += _counter_faults(connection, names or CrmNames.default())
    faults += word_rows.differences(connection)
    for index, of in (
        ("segments_fts", "segments"),
        ("crm_values_fts", "CRM values"),
        *((index, "vCons") for index in VCON_INDEXES),
    ):
        try:
            # rank = 1: compare with the text of the rows as well, not only within the index.
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            faults.append(f"the full-text index differs from the {of} ({error})")
    return faults


def _counter_faults(connection: sqlite3.Connection, names: CrmNames) -> list[str]:
    true: Counter[CounterKey] = Counter()
    fields = {"fields": json.dumps(names.matrix_group_fields)}
    for sql in (*_RECOUNTS, *_GROUPED):
        for counter, key, detail, value in connection.execute(sql, fields):
            true[counter, key, str(detail)] = value or 0
    for of, name, value, count in connection.execute(
        "SELECT object_type, field_name, value, count(*) FROM crm_values WHERE value <> '' GROUP BY 1, 2, 3"
    ):
        true["crm_value", f"{of}\x1f{name}", value_digest(value)] = count
    for name, sql in _SETTINGS.items():
        true["total", name, ""] = connection.execute(sql).fetchone()[0]
    kept = {
        (counter, key, detail): value
        for counter, key, detail, value in connection.execute("SELECT counter, key, detail, value FROM counters")
    }
    faults = [
        f"counter {key[0]} is {kept.get(key, 0)} where {value} were counted"
        for key, value in true.items()
        if kept.get(key, 0) != value
    ]
    true["total", "users", ""] = kept.get(("total", "users", ""), 0)  # no table of the read model holds users
    faults += [f"counter {key[0]} is kept for something that is not there" for key in kept if not true[key]]
    return faults
