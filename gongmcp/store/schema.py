"""The cache's schema: the contract between the writers (``gongctl.cache``) and this server.

Two halves in one SQLite file:

* the *raw* half keeps Gong's payloads as delivered (zlib-compressed JSON). Only ``gongctl`` reads it;
  the server's authorizer denies every column named in ``RAW_TABLES``;
* the *serving read model* is derived from it by ``gongctl cache warm`` per call: masked text, facts,
  aliases, counters. It is all that ``gongmcp`` can see.

Row numbers. ``call_no`` is ``start second (32 bits) << 12 | tie-breaker (12 bits)`` and a segment's
rowid is ``call_no << 19 | segment index``: rowids are ordered by call start and contiguous within a
call, so that one call, a date window or a month is one rowid range of the table and of its full-text
index. Row numbers never leave the process.
"""

from __future__ import annotations

from typing import Final

from gongmcp.store.vcon_schema import RAW_VCON_DDL, RAW_VCON_TABLES, VCON_DDL

APPLICATION_ID: Final = 0x474F4E47
"""``PRAGMA application_id`` of a gongctl cache: the bytes of "GONG"."""

SCHEMA_VERSION: Final = 3
"""``PRAGMA user_version``: number of applied migrations."""

TIE_BITS: Final = 12
INDEX_BITS: Final = 19
MAX_SEGMENTS: Final = 1 << INDEX_BITS
"""Segments one call can hold; an import rejects a longer transcript."""


def first_segment(call_no: int) -> int:
    """Return the lowest segment rowid that belongs to *call_no*."""
    return call_no << INDEX_BITS


def last_segment(call_no: int) -> int:
    """Return the highest segment rowid that can belong to *call_no*."""
    return ((call_no + 1) << INDEX_BITS) - 1


RAW_TABLES: Final = frozenset(
    (
        *("raw_calls", "raw_transcripts", "raw_records", "dirty_calls", "tallies", "profiles"),
        *("verdicts", "list_terms", "rejudge", "judged_calls", "judged_words", "judged_words_data"),
        *("judged_words_idx", "judged_words_docsize", "judged_words_config"),
        *("tombstones", "sync_coverage", "sync_windows", "sync_transcripts", "sync_runs", "sync_requests"),
        *RAW_VCON_TABLES,
    )
)
"""Tables that the read-only server may not read at all."""

RAW_DDL: Final = (
    RAW_VCON_DDL
    + """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- keys: secret (hex, 32 bytes), created_at, generation (raised by each writing transaction),
--       data_generation (generation of the last import that changed a row), last_import_at

CREATE TABLE raw_calls (
  call_id TEXT PRIMARY KEY, payload BLOB NOT NULL, digest BLOB NOT NULL,
  imported_at TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
-- a transcript may arrive before its call: it waits here
CREATE TABLE raw_transcripts (
  call_id TEXT PRIMARY KEY, payload BLOB NOT NULL, digest BLOB NOT NULL, segment_count INTEGER NOT NULL,
  imported_at TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
-- every other kind: user, workspace, tracker, scorecard, answered_scorecard, crm_integration, crm_schema
CREATE TABLE raw_records (
  kind TEXT NOT NULL, record_id TEXT NOT NULL, payload BLOB NOT NULL, digest BLOB NOT NULL,
  call_id TEXT,                     -- of an answered scorecard: the call it speaks of
  imported_at TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (kind, record_id)) STRICT;
CREATE INDEX raw_records_call ON raw_records (call_id) WHERE call_id IS NOT NULL;
-- calls whose read model is behind: written with the rows it concerns, removed with the warmed rows
CREATE TABLE dirty_calls (call_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- kept counts of the raw half (call, transcript, segment, user, ...), so that status is O(1)
CREATE TABLE tallies (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- every business profile that was imported, with its YAML as given (evidence values included)
CREATE TABLE profiles (
  profile_no INTEGER PRIMARY KEY,
  profile_id TEXT NOT NULL UNIQUE,  -- profile_ + profile_no
  name TEXT NOT NULL, version INTEGER NOT NULL,
  canonical_sha256 TEXT NOT NULL UNIQUE,  -- of its meaning: one row for each meaning
  source_sha256 TEXT NOT NULL, source_path TEXT NOT NULL, source TEXT NOT NULL,
  content TEXT NOT NULL,            -- JSON of gongctl.profile.model.Profile
  findings TEXT NOT NULL,           -- JSON array of the findings at its import
  imported_at TEXT NOT NULL, imported_by TEXT NOT NULL,
  activated_at TEXT NOT NULL        -- of the last activation; '' = never
) STRICT;
-- what scope and restricted list say of each call that warm looked at; no name stands here
CREATE TABLE verdicts (
  call_id TEXT PRIMARY KEY,
  suppressed INTEGER NOT NULL,      -- 1: the call does not exist for agents
  rule TEXT NOT NULL,               -- scope.private_calls, ...; list:<keyed digest of the entry>; '' = served
  source TEXT NOT NULL,             -- title, party, crm, transcript, ai, scorecard, payload; '' = none
  content BLOB NOT NULL,            -- digest of the payloads that were judged
  list TEXT NOT NULL                -- digest of the restricted list that judged; '' = none
) STRICT, WITHOUT ROWID;
CREATE INDEX verdicts_suppressed ON verdicts (rule, call_id) WHERE suppressed = 1;
-- keyed digests of what the restricted list looks for: whether another list is stricter can be told from them
CREATE TABLE list_terms (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- calls to be judged by a changed list before its digest is taken over
CREATE TABLE rejudge (call_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- which words a judged call holds (checksums of gongmcp.governance.names.index_words): a changed list looks only
-- at calls that hold a word of it. A call that is judged anew gets a new number; the old one is passed over.
CREATE TABLE judged_calls (doc_no INTEGER PRIMARY KEY, call_id TEXT NOT NULL UNIQUE) STRICT;
CREATE VIRTUAL TABLE judged_words USING fts5(words, content='', detail=none, tokenize="ascii");
-- calls that are not to be stored (again); no id stands here
CREATE TABLE tombstones (
  digest BLOB PRIMARY KEY,          -- of the call's id, keyed with meta.secret (gongctl.cache.tombstones)
  reason TEXT NOT NULL,             -- purged, restricted; gone (from Gong: such a call may come back)
  basis TEXT NOT NULL,              -- restricted: digest of the list that named the call; else ''
  at TEXT NOT NULL                  -- UTC, seconds, Z
) STRICT, WITHOUT ROWID;
-- sync. A question is what is asked of Gong apart from the window of time. Times are seconds since 1970, UTC.
-- Here: which part of the time need not be listed again; rows of a question do not overlap
CREATE TABLE sync_coverage (
  question TEXT NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,  -- to_at exclusive
  look_back INTEGER NOT NULL,       -- seconds between the end and the listing, at least
  PRIMARY KEY (question, from_at)) STRICT, WITHOUT ROWID;
-- windows that were begun and not finished; written with the rows of each page
CREATE TABLE sync_windows (
  question TEXT NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,
  listed_at INTEGER NOT NULL,       -- when page one was asked for
  cursor TEXT NOT NULL,             -- of the page to ask for next; '' = page one
  pages INTEGER NOT NULL, records INTEGER NOT NULL,
  total INTEGER,                    -- what Gong said of all its pages; null = it did not say
  changed INTEGER NOT NULL,         -- 1: total was not the same on every page
  PRIMARY KEY (question, from_at)) STRICT, WITHOUT ROWID;
-- what became of asking for the transcript of a call
CREATE TABLE sync_transcripts (
  call_id TEXT PRIMARY KEY,
  outcome TEXT NOT NULL,            -- stored, empty, pending, given_up, private
  attempts INTEGER NOT NULL, first_asked_at INTEGER NOT NULL, asked_at INTEGER NOT NULL,
  next_ask_at INTEGER NOT NULL      -- of empty and pending: not to be asked for again before
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_transcripts_outcome ON sync_transcripts (outcome, next_ask_at);
-- one row for each step that was run
CREATE TABLE sync_runs (
  run_no INTEGER PRIMARY KEY, step TEXT NOT NULL, question TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT NOT NULL,  -- '' = it has not ended, or was killed
  outcome TEXT NOT NULL,            -- running, done, partial, failed, interrupted, killed
  requests INTEGER NOT NULL, pages INTEGER NOT NULL, records INTEGER NOT NULL, changed INTEGER NOT NULL,
  reason TEXT NOT NULL              -- why it is not done; '' when it is
) STRICT;
-- the newest answers of Gong with their request ids, for questions to Gong's support
CREATE TABLE sync_requests (
  request_no INTEGER PRIMARY KEY, run_no INTEGER NOT NULL, at TEXT NOT NULL, endpoint TEXT NOT NULL,
  status INTEGER NOT NULL,          -- of HTTP; 0 = no answer
  request_id TEXT NOT NULL, milliseconds INTEGER NOT NULL) STRICT;
"""
)

MODEL_DDL: Final = (
    VCON_DDL
    + """
CREATE TABLE read_model (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  digest TEXT NOT NULL,             -- of what decides the content: scope, restricted list, masking version
  masking_version INTEGER NOT NULL,
  generation INTEGER NOT NULL,      -- meta.generation when a batch of it was last written
  data_generation INTEGER NOT NULL, -- meta.data_generation that it fully holds
  as_of TEXT NOT NULL,              -- time of the last import that it fully holds, UTC, seconds, Z
  complete INTEGER NOT NULL,        -- 0 while its first build is under way
  base TEXT NOT NULL,               -- digest of the same without the restricted list
  restricted TEXT NOT NULL,         -- digest of the restricted list; '' = none
  tightened_from TEXT NOT NULL      -- JSON array of the digests that it differs from by a stricter list alone
) STRICT;

CREATE TABLE call_facts (
  call_no INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  call_ref TEXT NOT NULL UNIQUE,    -- call_ + 16 hex, keyed with meta.secret
  title TEXT NOT NULL, title_spans TEXT,
  started_at TEXT NOT NULL,         -- as Gong gave it (started, else scheduled, else import time)
  call_date TEXT NOT NULL,          -- YYYY-MM-DD in UTC
  call_month TEXT NOT NULL,
  call_quarter TEXT NOT NULL,       -- YYYY-Qn
  duration_seconds INTEGER NOT NULL,
  duration_bucket TEXT NOT NULL,    -- under_1m, 1_5m, 5_15m, 15_30m, 30_45m, 45m_plus
  system TEXT NOT NULL, direction TEXT NOT NULL,
  scope TEXT NOT NULL,              -- External, Internal, Unknown
  purpose TEXT NOT NULL, language TEXT NOT NULL, workspace_id TEXT NOT NULL, primary_user_id TEXT NOT NULL,
  sdr_disposition TEXT NOT NULL,
  is_private INTEGER NOT NULL, calendar_event_present INTEGER NOT NULL,
  transcript_present INTEGER NOT NULL, segment_count INTEGER NOT NULL,
  text_chars INTEGER NOT NULL,      -- characters of its masked segments
  parties_count INTEGER NOT NULL, external_parties INTEGER NOT NULL,
  lifecycle_bucket TEXT NOT NULL, lifecycle_confidence TEXT NOT NULL,  -- high, medium, low
  lifecycle_reason TEXT NOT NULL,
  lifecycle_evidence_fields TEXT NOT NULL,  -- JSON array of Object.Field names
  priority_score INTEGER NOT NULL,  -- of the transcript backlog, builtin lifecycle
  account_count INTEGER NOT NULL, opportunity_count INTEGER NOT NULL,
  account_no INTEGER NOT NULL,      -- crm_objects.object_no of the account that account_* are read from; 0 = none
  opportunity_no INTEGER NOT NULL,  -- the same for opportunity_*
  account_industry TEXT NOT NULL, account_type TEXT NOT NULL, account_revenue_range TEXT NOT NULL,
  opportunity_stage TEXT NOT NULL, opportunity_type TEXT NOT NULL, opportunity_forecast_category TEXT NOT NULL,
  opportunity_lead_source TEXT NOT NULL
) STRICT;
CREATE INDEX call_facts_backlog ON call_facts (transcript_present, priority_score DESC, call_no DESC);
-- one for each condition of the call filters: a value that few calls have, or none, is found without a walk over all
CREATE INDEX call_facts_bucket ON call_facts (lifecycle_bucket, call_no DESC);
CREATE INDEX call_facts_transcript ON call_facts (transcript_present, call_no DESC);
CREATE INDEX call_facts_scope ON call_facts (scope, call_no DESC);
CREATE INDEX call_facts_system ON call_facts (system, call_no DESC);
CREATE INDEX call_facts_direction ON call_facts (direction, call_no DESC);
-- by which an operator's sample calls are found
CREATE INDEX call_facts_language ON call_facts (language, call_no DESC);
CREATE INDEX call_facts_length ON call_facts (text_chars DESC, call_no DESC);
CREATE INDEX call_facts_external ON call_facts (external_parties DESC, call_no DESC);
CREATE INDEX call_facts_bare ON call_facts (call_no DESC) WHERE account_count = 0 AND opportunity_count = 0;
-- coverage by day
CREATE INDEX call_facts_day ON call_facts (call_date, transcript_present);

CREATE TABLE segments (
  segment_no INTEGER PRIMARY KEY,   -- call_no << 19 | segment index
  speaker_no INTEGER NOT NULL,      -- 0 = unknown, else parties.party_no of the call
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,               -- masked, normalised, without control characters
  spans TEXT                        -- kind:start:length,... in the raw sentence; null when nothing was masked
) STRICT;
CREATE VIRTUAL TABLE segments_fts USING fts5(
  text, content='segments', content_rowid='segment_no', tokenize="unicode61 remove_diacritics 2");

-- vectors of windows of what one speaker says (gongmcp.semantic), of masked text alone; written by warm --semantic for
-- the calls that have none, removed with the segments that they were made of. Numbers are little-endian
CREATE TABLE segment_vectors (
  call_no INTEGER PRIMARY KEY,
  model TEXT NOT NULL,              -- gongmcp.semantic.model.MODEL; vectors of another one are made anew
  window_count INTEGER NOT NULL,
  windows BLOB NOT NULL,            -- of each window: index of its first segment and of its last (two uint32)
  scales BLOB NOT NULL,             -- float32 each: a vector is its numbers times this
  vectors BLOB NOT NULL             -- int8, one vector after the other
) STRICT;
-- how much a search would read is known without the vectors
CREATE INDEX segment_vectors_size ON segment_vectors (call_no, model, window_count);

-- the words of masked text, counted (gongmcp.analysis.word_counts); no row for a call that says nothing
CREATE TABLE call_words (
  call_no INTEGER PRIMARY KEY,
  counts BLOB NOT NULL              -- compressed: a line for each count, the count and the words said so often
) STRICT;
-- the same over all served calls; a word that no call says any more is deleted
CREATE TABLE cache_words (
  word TEXT PRIMARY KEY, call_count INTEGER NOT NULL, occurrence_count INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE parties (
  call_no INTEGER NOT NULL, party_no INTEGER NOT NULL,
  speaker_id TEXT NOT NULL,         -- '' when the person did not speak
  speaker_ref TEXT NOT NULL,        -- speaker_ + 16 hex, keyed with meta.secret
  affiliation TEXT NOT NULL,        -- internal, external, unknown
  job_title TEXT NOT NULL,
  matched INTEGER NOT NULL,         -- 0: a transcript speaker who is no party of the call
  email_key TEXT NOT NULL,          -- keyed digest of the address, to filter by; '' = none
  PRIMARY KEY (call_no, party_no)) STRICT, WITHOUT ROWID;
CREATE INDEX parties_speaker ON parties (speaker_ref);
CREATE INDEX parties_email ON parties (email_key, call_no) WHERE email_key <> '';

-- what Gong's AI wrote about a call
CREATE TABLE highlights (
  call_no INTEGER NOT NULL, position INTEGER NOT NULL,
  kind TEXT NOT NULL,               -- brief, key_point, outline, highlight, outcome
  heading TEXT NOT NULL,            -- masked; '' = none
  text TEXT NOT NULL, text_spans TEXT,
  PRIMARY KEY (call_no, position)) STRICT, WITHOUT ROWID;

CREATE TABLE crm_objects (
  object_no INTEGER PRIMARY KEY,    -- call_no << 19 | position
  call_no INTEGER NOT NULL, position INTEGER NOT NULL,
  object_type TEXT NOT NULL,        -- as delivered: Account, Company, Opportunity, Deal, Contact, ...
  kind TEXT NOT NULL,               -- account, opportunity, contact, lead, user, other
  object_id TEXT NOT NULL, object_ref TEXT NOT NULL,
  name TEXT NOT NULL, name_spans TEXT,
  field_count INTEGER NOT NULL, populated_field_count INTEGER NOT NULL) STRICT;
CREATE INDEX crm_objects_call ON crm_objects (call_no, position);
CREATE INDEX crm_objects_id ON crm_objects (object_type, object_id, call_no);
CREATE INDEX crm_objects_type ON crm_objects (object_type, call_no);

CREATE TABLE crm_values (
  value_no INTEGER PRIMARY KEY,     -- call_no << 19 | running number in the call
  object_no INTEGER NOT NULL, object_type TEXT NOT NULL, field_name TEXT NOT NULL,
  value TEXT NOT NULL, value_spans TEXT  -- masked text; '' when empty
) STRICT;
CREATE UNIQUE INDEX crm_values_object ON crm_values (object_no, field_name);
-- finds a part of a value: rowids descend from the newest call, so that a page stops early
CREATE VIRTUAL TABLE crm_values_fts USING fts5(
  value, content='crm_values', content_rowid='value_no', tokenize="trigram", detail=full);

-- one opportunity-kind CRM object over all its calls, kept for the objects that a warmed batch touches
CREATE TABLE opportunities (
  object_type TEXT NOT NULL, object_id TEXT NOT NULL, object_ref TEXT NOT NULL,
  stage TEXT NOT NULL, opportunity_type TEXT NOT NULL,  -- as on the newest call
  call_count INTEGER NOT NULL, transcript_count INTEGER NOT NULL, missing_transcript_count INTEGER NOT NULL,
  total_duration_seconds INTEGER NOT NULL, latest_call_no INTEGER NOT NULL,
  PRIMARY KEY (object_type, object_id)) STRICT, WITHOUT ROWID;
CREATE INDEX opportunities_gaps ON opportunities (
  missing_transcript_count DESC, call_count DESC, latest_call_no DESC, object_ref DESC);
CREATE INDEX opportunities_calls ON opportunities (
  call_count DESC, latest_call_no DESC, missing_transcript_count DESC, object_ref DESC);

-- answered scorecards of served calls; answers' texts are not served at all
CREATE TABLE answered_scorecards (
  answered_id TEXT PRIMARY KEY, call_no INTEGER NOT NULL,
  scorecard_id TEXT NOT NULL, scorecard_name TEXT NOT NULL,
  review_method TEXT NOT NULL, review_time TEXT NOT NULL,
  reviewed_user TEXT NOT NULL,      -- keyed digest, to count people; '' = unknown
  overall_score REAL,               -- of the question marked overall; null when not scored
  answer_score_sum REAL NOT NULL, answer_score_count INTEGER NOT NULL) STRICT;
CREATE INDEX answered_scorecards_call ON answered_scorecards (call_no);

-- the active business profile: none until one is imported. document: JSON with the keys object_concepts,
-- field_concepts, lifecycle_buckets, methodology_concepts (lists), warnings, unavailable_concepts
CREATE TABLE active_profile (
  id INTEGER PRIMARY KEY CHECK (id = 1), profile_no INTEGER NOT NULL, profile_id TEXT NOT NULL, name TEXT NOT NULL,
  version INTEGER NOT NULL, canonical_sha256 TEXT NOT NULL, imported_at TEXT NOT NULL, document TEXT NOT NULL) STRICT;
-- profiles of which facts are kept: the active one, the one before, and what the operator asked for
CREATE TABLE profile_models (
  profile_no INTEGER PRIMARY KEY, canonical_sha256 TEXT NOT NULL,
  classifier INTEGER NOT NULL,      -- version of the rules' semantics that the facts were made with
  wanted INTEGER NOT NULL,          -- meta.generation when it was last activated or asked for: the oldest go
  complete INTEGER NOT NULL         -- 0 until every served call has its facts; they are as old as the read model
) STRICT;
CREATE TABLE profile_facts (
  profile_no INTEGER NOT NULL, call_no INTEGER NOT NULL,
  bucket TEXT NOT NULL, confidence TEXT NOT NULL, reason TEXT NOT NULL, evidence_fields TEXT NOT NULL,
  priority_score INTEGER NOT NULL, transcript_present INTEGER NOT NULL,
  account_count INTEGER NOT NULL, opportunity_count INTEGER NOT NULL,
  PRIMARY KEY (profile_no, call_no)) STRICT, WITHOUT ROWID;
CREATE INDEX profile_facts_bucket ON profile_facts (profile_no, bucket, call_no DESC);
CREATE INDEX profile_facts_backlog ON profile_facts (
  profile_no, transcript_present, priority_score DESC, call_no DESC);
-- the value that a field concept has on a call; no row where it is blank
CREATE TABLE profile_values (
  profile_no INTEGER NOT NULL, call_no INTEGER NOT NULL, concept TEXT NOT NULL, value TEXT NOT NULL,  -- masked
  PRIMARY KEY (profile_no, call_no, concept)) STRICT, WITHOUT ROWID;
CREATE INDEX profile_values_concept ON profile_values (profile_no, concept, value, call_no);

-- settings, scorecards and CRM schema: small, replaced whole when one of their raw records has changed
CREATE TABLE settings (
  kind TEXT NOT NULL, object_id TEXT NOT NULL,  -- workspace, tracker, scorecard
  name TEXT NOT NULL, name_spans TEXT, active INTEGER NOT NULL, workspace_id TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY (kind, object_id)) STRICT, WITHOUT ROWID;
CREATE TABLE scorecards (
  scorecard_id TEXT PRIMARY KEY, name TEXT NOT NULL, name_spans TEXT, active INTEGER NOT NULL,
  review_method TEXT NOT NULL, workspace_id TEXT NOT NULL, question_count INTEGER NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, cached_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE scorecard_questions (
  scorecard_id TEXT NOT NULL, position INTEGER NOT NULL, question_id TEXT NOT NULL,
  question_text TEXT NOT NULL, text_spans TEXT, question_type TEXT NOT NULL, is_overall INTEGER NOT NULL,
  min_range INTEGER, max_range INTEGER, answer_guide TEXT NOT NULL, guide_spans TEXT,
  options TEXT NOT NULL,            -- JSON array of masked texts
  PRIMARY KEY (scorecard_id, position)) STRICT, WITHOUT ROWID;
CREATE TABLE crm_integrations (
  integration_id TEXT PRIMARY KEY, name TEXT NOT NULL, name_spans TEXT, provider TEXT NOT NULL,
  updated_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE crm_schema_objects (
  integration_id TEXT NOT NULL, object_type TEXT NOT NULL, kind TEXT NOT NULL, field_count INTEGER NOT NULL,
  updated_at TEXT NOT NULL, PRIMARY KEY (integration_id, object_type)) STRICT, WITHOUT ROWID;
CREATE TABLE crm_schema_fields (
  integration_id TEXT NOT NULL, object_type TEXT NOT NULL, field_name TEXT NOT NULL, kind TEXT NOT NULL,
  field_label TEXT NOT NULL, field_type TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY (integration_id, object_type, field_name)) STRICT, WITHOUT ROWID;

-- kept counters of the read model, so that inventories never scan; a counter that falls to zero is deleted.
--   total        key: calls, transcripts, segments, missing_transcripts, calls_with_crm, crm_objects, crm_fields,
--                     industry_calls, stage_calls, classified_calls (bucket not unknown), opportunity_calls,
--                     account_calls
--   object_type  key: type as delivered; detail: objects, calls, distinct_object_ids
--   object_id    key: type; detail: object id; value: how many calls hold it (a reference count)
--   crm_field    key: type; detail: field name; value: objects that have it
--   crm_field_populated  the same, where it is not blank
--   crm_field_calls      the same; value: calls that have it
--   crm_field_chars      the same; value: characters of its values
--   crm_field_length     key: type US field (US = unit separator, 0x1f); detail: a length; value: values so long
--   crm_field_distinct   key: type; detail: field name; value: distinct values that are not blank
--   crm_value            key: type US field; detail: digest of a value; value: objects that have it
--   matrix_objects, matrix_calls             key: type US group field; detail: group value ('' = blank)
--   matrix_populated, matrix_populated_calls key: type US group field US group value; detail: field name
--   lifecycle_calls      key: type US bucket; detail: ''; value: calls of the bucket with such an object
--   lifecycle_populated  key: type US bucket; detail: field name; value: calls where it is not blank
--   profile_calls, profile_populated  the same for a profile's buckets; key: profile_no US type US bucket
CREATE TABLE counters (
  counter TEXT NOT NULL, key TEXT NOT NULL, detail TEXT NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (counter, key, detail)) STRICT, WITHOUT ROWID;
"""
)
