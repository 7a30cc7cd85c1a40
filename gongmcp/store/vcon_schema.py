"""The tables of vCons: the same in a cache and in a vCon store, which are told apart by ``application_id``.

A *store* (``gongctl vcon``) holds vCons as they are: ``raw_vcons`` has each one verbatim, and the tables below are
written with it in one transaction. In a *cache* the tables below belong to the serving read model: ``gongctl cache
warm`` writes them, with masked text, for the vCons whose call is served; names, addresses, numbers, file names and
URLs of a vCon are blank there, there are no texts of parties and attachments and none of unusual analyses, and the
server cannot read ``raw_vcons``.

Row numbers. ``vcon_no`` is a running number that a vCon keeps; a part's number is ``vcon_no << 20 | running number
in the vCon``, so that the parts of a vCon are one range. Numbers never leave the process.

An element that was taken out leaves a placeholder, so that the indexes of the others hold: ``placeholder`` is 1 for
it, and ``vcon_removals`` says who removed it, when and why.
"""

from __future__ import annotations

from typing import Final

VCON_APPLICATION_ID: Final = 0x56434F4E
"""``PRAGMA application_id`` of a vCon store: the bytes of "VCON"."""

PART_BITS: Final = 20
MAX_PARTS: Final = 1 << PART_BITS
"""Texts, parties or other parts that one vCon can hold."""

RAW_VCON_TABLES: Final = frozenset({"raw_vcons", "vcon_removals"})
"""Tables of vCons that the server may not read in a cache; in a store they are read as the others are."""

VCON_TABLES: Final = (
    *("vcons", "vcon_parties", "vcon_dialogs", "vcon_analyses", "vcon_attachments", "vcon_tags", "vcon_accounts"),
    *("vcon_texts", "vcon_vectors"),
)
"""Tables that are written of a vCon, besides ``raw_vcons``; each has a column ``vcon_no``."""

VCON_INDEXES: Final = ("vcons_fts", "vcon_parties_fts", "vcon_texts_fts")
"""Full-text indexes over them."""


def first_part(vcon_no: int) -> int:
    """Return the lowest number of a part of *vcon_no*."""
    return vcon_no << PART_BITS


def last_part(vcon_no: int) -> int:
    """Return the highest number that a part of *vcon_no* can have."""
    return ((vcon_no + 1) << PART_BITS) - 1


RAW_VCON_DDL: Final = """
-- vCons verbatim (zlib-compressed JSON, keys in their order), unknown keys included; of a signed one the JWS as given
CREATE TABLE raw_vcons (
  uuid TEXT PRIMARY KEY,            -- in lower case
  call_id TEXT,                     -- of the call that stands for it in a cache; null in a store
  payload BLOB NOT NULL, digest BLOB NOT NULL,
  imported_at TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
CREATE INDEX raw_vcons_call ON raw_vcons (call_id) WHERE call_id IS NOT NULL;
-- placeholders: who took an element out of an array; the element itself is gone
CREATE TABLE vcon_removals (
  uuid TEXT NOT NULL, part TEXT NOT NULL,  -- party, dialog
  idx INTEGER NOT NULL, removed_at TEXT NOT NULL, removed_by TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (uuid, part, idx)) STRICT, WITHOUT ROWID;
"""

VCON_DDL: Final = """
-- vCons (gongmcp.store.vcon_schema). Times: *_at as given; *_ms milliseconds since 1970, UTC
CREATE TABLE vcons (
  vcon_no INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  call_id TEXT NOT NULL,            -- of the call that stands for it in a cache; '' in a store
  form TEXT NOT NULL,               -- plain, signed
  sealed INTEGER NOT NULL,          -- 1: it has a critical extension that is not supported: only this row is kept
  version TEXT NOT NULL,            -- of its syntax; '' = not said
  subject TEXT NOT NULL, subject_spans TEXT,
  subject_key TEXT NOT NULL,        -- folded (gongmcp.store.vcon_names)
  created_at TEXT NOT NULL, created_ms INTEGER NOT NULL,
  created_month TEXT NOT NULL,      -- YYYY-MM in UTC
  updated_at TEXT NOT NULL,         -- '' = never
  started_at TEXT NOT NULL,         -- of its first dialog; '' = it has none with a start
  started_ms INTEGER,               -- null likewise
  duration_seconds REAL NOT NULL,   -- from the start of the first dialog to the end of the last
  extensions TEXT NOT NULL, critical TEXT NOT NULL,  -- JSON arrays of names
  redacted INTEGER NOT NULL,        -- 1: it points to a less redacted version
  amended INTEGER NOT NULL,         -- 1: it points to an earlier version
  party_count INTEGER NOT NULL, dialog_count INTEGER NOT NULL,  -- placeholders included: they are slots
  analysis_count INTEGER NOT NULL, attachment_count INTEGER NOT NULL,
  placeholder_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL       -- of its JSON
) STRICT;
CREATE INDEX vcons_created ON vcons (created_ms DESC, vcon_no DESC);
CREATE INDEX vcons_started ON vcons (started_ms DESC, vcon_no DESC);
CREATE INDEX vcons_call ON vcons (call_id) WHERE call_id <> '';
-- a part of a subject, whatever the case
CREATE VIRTUAL TABLE vcons_fts USING fts5(
  subject_key, content='vcons', content_rowid='vcon_no', tokenize="trigram");

CREATE TABLE vcon_parties (
  party_no INTEGER PRIMARY KEY,     -- vcon_no << 20 | idx
  vcon_no INTEGER NOT NULL, idx INTEGER NOT NULL,
  placeholder INTEGER NOT NULL,
  name TEXT NOT NULL, mailto TEXT NOT NULL, tel TEXT NOT NULL, sip TEXT NOT NULL,  -- as given; '' in a cache
  name_key TEXT NOT NULL,           -- folded
  mailto_key TEXT NOT NULL,         -- bare address, folded
  tel_key TEXT NOT NULL,            -- digits
  domain TEXT NOT NULL,             -- of the address
  role TEXT NOT NULL, party_type TEXT NOT NULL,
  has_identifier INTEGER NOT NULL   -- 1: it has a name, address, number, sip, did or uuid
) STRICT;
CREATE INDEX vcon_parties_vcon ON vcon_parties (vcon_no, idx);
CREATE INDEX vcon_parties_domain ON vcon_parties (domain, vcon_no);
CREATE INDEX vcon_parties_mailto ON vcon_parties (mailto_key, vcon_no);
CREATE VIRTUAL TABLE vcon_parties_fts USING fts5(
  name_key, mailto_key, tel_key, content='vcon_parties', content_rowid='party_no', tokenize="trigram");

CREATE TABLE vcon_dialogs (
  dialog_no INTEGER PRIMARY KEY, vcon_no INTEGER NOT NULL, idx INTEGER NOT NULL,
  placeholder INTEGER NOT NULL,
  dialog_type TEXT NOT NULL,        -- recording, text, transfer, incomplete, recording-set
  started_at TEXT NOT NULL, started_ms INTEGER,
  duration_seconds REAL,
  parties TEXT NOT NULL,            -- JSON as given: an index, or an array of them; 'null' = not said
  originator INTEGER,
  disposition TEXT NOT NULL, application TEXT NOT NULL, mediatype TEXT NOT NULL,
  filename TEXT NOT NULL, url TEXT NOT NULL, message_id TEXT NOT NULL,  -- '' in a cache
  encoding TEXT NOT NULL, body_bytes INTEGER NOT NULL,
  text_count INTEGER NOT NULL       -- rows of vcon_texts
) STRICT;
CREATE INDEX vcon_dialogs_vcon ON vcon_dialogs (vcon_no, idx);
CREATE INDEX vcon_dialogs_type ON vcon_dialogs (dialog_type, vcon_no);

CREATE TABLE vcon_analyses (
  analysis_no INTEGER PRIMARY KEY, vcon_no INTEGER NOT NULL, idx INTEGER NOT NULL,
  analysis_type TEXT NOT NULL, vendor TEXT NOT NULL, product TEXT NOT NULL, schema TEXT NOT NULL,
  dialogs TEXT NOT NULL,            -- JSON as given
  mediatype TEXT NOT NULL, filename TEXT NOT NULL, url TEXT NOT NULL, encoding TEXT NOT NULL,
  body_bytes INTEGER NOT NULL, text_count INTEGER NOT NULL) STRICT;
CREATE INDEX vcon_analyses_vcon ON vcon_analyses (vcon_no, idx);
CREATE INDEX vcon_analyses_type ON vcon_analyses (analysis_type, vendor, vcon_no);

CREATE TABLE vcon_attachments (
  attachment_no INTEGER PRIMARY KEY, vcon_no INTEGER NOT NULL, idx INTEGER NOT NULL,
  purpose TEXT NOT NULL,
  legacy_type TEXT NOT NULL,        -- "type", which the format does not know any more
  started_at TEXT NOT NULL, started_ms INTEGER, party INTEGER, dialog INTEGER,
  mediatype TEXT NOT NULL, filename TEXT NOT NULL, url TEXT NOT NULL, encoding TEXT NOT NULL,
  body_bytes INTEGER NOT NULL, text_count INTEGER NOT NULL) STRICT;
CREATE INDEX vcon_attachments_vcon ON vcon_attachments (vcon_no, idx);
CREATE INDEX vcon_attachments_purpose ON vcon_attachments (purpose, legacy_type, vcon_no);

-- of all tags attachments in their order; the last of equal keys counts
CREATE TABLE vcon_tags (
  vcon_no INTEGER NOT NULL, tag_key TEXT NOT NULL, tag_value TEXT NOT NULL,
  PRIMARY KEY (vcon_no, tag_key)) STRICT, WITHOUT ROWID;
CREATE INDEX vcon_tags_value ON vcon_tags (tag_key, tag_value, vcon_no);

-- the first JSON attachment of a purpose with "id" and "name" of an account: strolid_dealer and its like
CREATE TABLE vcon_accounts (
  vcon_no INTEGER NOT NULL, source TEXT NOT NULL,  -- purpose, or else type, of the attachment
  account_id TEXT NOT NULL, account_name TEXT NOT NULL, phone TEXT NOT NULL,
  team_id TEXT NOT NULL, team_name TEXT NOT NULL,
  PRIMARY KEY (vcon_no, source)) STRICT, WITHOUT ROWID;
CREATE INDEX vcon_accounts_account ON vcon_accounts (source, account_id, vcon_no);

-- what is searched: subjects, parties (in a store), texts of dialogs, decoded texts of analyses and attachments
CREATE TABLE vcon_texts (
  text_no INTEGER PRIMARY KEY,      -- vcon_no << 20 | running number
  vcon_no INTEGER NOT NULL,
  unit TEXT NOT NULL,               -- subject, party, dialog, analysis, attachment
  idx INTEGER NOT NULL,             -- of the element in its array; 0 for the subject
  position INTEGER NOT NULL,        -- of the text in the element, from 0: sentences of a transcript
  party INTEGER,                    -- who said or wrote it; null = not known
  start_ms INTEGER, end_ms INTEGER, -- from the start of the vCon's first dialog; null = not known
  text TEXT NOT NULL, spans TEXT    -- of what was masked, as in segments
) STRICT;
CREATE INDEX vcon_texts_unit ON vcon_texts (vcon_no, unit, idx, position);
CREATE VIRTUAL TABLE vcon_texts_fts USING fts5(
  text, content='vcon_texts', content_rowid='text_no', tokenize="porter unicode61 remove_diacritics 2");

-- vectors of texts (gongmcp.semantic), by what made them; they go whenever the rows of their vCon are written anew
CREATE TABLE vcon_vectors (
  vcon_no INTEGER NOT NULL,
  model TEXT NOT NULL,              -- gongmcp.semantic.model.MODEL, or the name under which they were imported
  dimensions INTEGER NOT NULL,
  window_count INTEGER NOT NULL,
  windows BLOB NOT NULL,            -- of each: running number of its first text and of its last (two uint32)
  scales BLOB NOT NULL,             -- float32 each
  vectors BLOB NOT NULL,            -- int8, one vector after the other
  PRIMARY KEY (vcon_no, model)) STRICT;
CREATE INDEX vcon_vectors_model ON vcon_vectors (model, dimensions, vcon_no, window_count);
"""
