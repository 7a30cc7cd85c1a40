"""Compare what a cache keeps (counters, counts in rows, the full-text index) with a plain recount.

For tests, and for an operator who distrusts a file: it reads every served row. A difference means a
fault of the writer or a damaged file; building the read model anew mends either.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Final

from gongctl.cache.serving import RAW_TOTALS, CounterKey
from gongmcp.store.schema import INDEX_BITS, TIE_BITS

_ORPHANS: Final = {
    "segments without a call": f"""
        SELECT count(*) FROM segments
        WHERE NOT EXISTS (SELECT 1 FROM call_facts WHERE call_no = segment_no >> {INDEX_BITS})""",
    "parties without a call": "SELECT count(*) FROM parties WHERE call_no NOT IN (SELECT call_no FROM call_facts)",
    "CRM objects without a call": """
        SELECT count(*) FROM crm_objects WHERE call_no NOT IN (SELECT call_no FROM call_facts)""",
    "CRM values without an object": """
        SELECT count(*) FROM crm_values WHERE object_no NOT IN (SELECT object_no FROM crm_objects)""",
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
    "calls with another number of parties": """
        SELECT count(*) FROM call_facts AS c
        WHERE (c.parties_count, c.external_parties) <> (
          SELECT count(*), coalesce(sum(affiliation = 'external'), 0) FROM parties AS p
          WHERE p.call_no = c.call_no AND p.matched = 1)""",
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
)


def recount(connection: sqlite3.Connection) -> list[str]:
    """Return what does not agree, one sentence each without any text of the data; empty = all is well.

    The index check needs a connection that may write, though nothing is changed.
    """
    faults = [f"{count} {what}" for what, sql in _ORPHANS.items() if (count := connection.execute(sql).fetchone()[0])]
    faults += _counter_faults(connection)
    try:
        # rank = 1: compare with the text of the rows as well, not only within the index.
        connection.execute("INSERT INTO segments_fts (segments_fts, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        faults.append(f"the full-text index differs from the segments ({error})")
    return faults


def _counter_faults(connection: sqlite3.Connection) -> list[str]:
    true: Counter[CounterKey] = Counter()
    for sql in _RECOUNTS:
        for counter, key, detail, value in connection.execute(sql):
            true[counter, key, detail] = value or 0
    tallies = dict(connection.execute("SELECT name, value FROM tallies"))
    for tally, name in RAW_TOTALS.items():
        true["total", name, ""] = tallies.get(tally, 0)
    kept = {
        (counter, key, detail): value
        for counter, key, detail, value in connection.execute("SELECT counter, key, detail, value FROM counters")
    }
    faults = [
        f"counter {key[0]} is {kept.get(key, 0)} where {value} were counted"
        for key, value in true.items()
        if kept.get(key, 0) != value
    ]
    faults += [f"counter {key[0]} is kept for something that is not there" for key in kept if not true[key]]
    return faults
