"""A call or vCon of a cache as a vCon for others: what agents may see of it under a policy, and its shape.

Made of the served read model alone, so that what governance and masking take out cannot be in it; the arrays are as
long as those of the full vCon, so that an index means the same in both. Parties are anonymous. ``redacted`` points to
the full vCon, whose uuid is keyed: it tells nothing of the call's id.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gongctl.vcon import SYNTAX, Vcon
from gongctl.vcon.bodies import json_body
from gongctl.vcon.from_call import OWN_PRODUCTS, OWN_TYPES, VENDOR
from gongctl.vcon.placeholders import ANONYMOUS
from gongctl.vcon.project import only_indexes
from gongctl.vcon.tags import tags_attachment
from gongctl.vcon.times import rfc3339
from gongctl.vcon.transcripts import OWN_SCHEMA, TRANSCRIPT
from gongctl.vcon.uuids import uuid_of_redacted
from gongmcp.exposure.decisions import decide
from gongmcp.exposure.fields import Expose, Field, Provenance, in_modes, opt_in, shown
from gongmcp.exposure.policy import Policy
from gongmcp.store import vcon_read
from gongmcp.store.connection import ReadStore
from gongmcp.store.schema import first_segment, last_segment

REDACTION: Final = "gongctl"
"""``redacted.type``: what kind of redaction it is."""

EMPTIED: Final = "redacted"
"""Purpose of the slot that an attachment leaves."""
_NOTHING: Final = {"encoding": "none", "body": ""}
_SUBJECT: Final = opt_in(Field.CALL_TITLE, "include_call_titles")
_CALL_ID: Final = opt_in(Field.CALL_ID, "include_call_ids", Provenance.RAW)
_CALL_REF: Final = in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)
_MOMENT: Final = in_modes(Field.TIME, Provenance.ALIAS, Provenance.RAW)
_LABEL: Final = shown(Field.LABEL)
_SAID: Final = shown(Field.SNIPPET)
_NOWHERE: Final = "1970-01-01T00:00:00Z"
_ROLES: Final = frozenset({"agent", "customer", "supervisor", "sme", "thirdparty"})
_TYPES: Final = frozenset({"recording", "text", "transfer", "incomplete"})
_DISPOSITIONS: Final = frozenset({"no-answer", "congestion", "failed", "busy", "hung-up", "voicemail-no-message"})

LOST: Final[tuple[tuple[str, str], ...]] = (
    ("/uuid", "another one: this is another vCon"),
    ("/created_at", "of the last import that is served"),
    ("/updated_at", "left out"),
    ("/subject", "only when titles are asked for and the policy shows them; masked"),
    ("/extensions", "left out with what they add"),
    ("/critical", "left out with what they add"),
    ("/group", "left out"),
    ("/parties/*", "anonymous; a role that the format knows and nothing else"),
    ("/dialog/*/start", "under provenance redacted the day alone"),
    ("/dialog/*/body", "masked text; audio, video and files are left out"),
    ("/dialog/*/*", "left out, but for type, start, duration, parties, originator, application and disposition"),
    ("/analysis/*/body", "transcripts masked; every other body is empty, the slot stays"),
    ("/analysis/*/*", "left out, but for type, vendor, product and dialog; of a transcript the schema is ours"),
    ("/attachments/*", "an empty slot: its purpose is redacted, its body empty"),
    ("/attachments/-", "tags behind the slots: scope, direction, language and system, the call as provenance allows"),
    ("/*", "whatever else an extension put there: left out"),
    ("/redacted", "points to the full vCon"),
)
"""Where a redacted export differs from the full vCon: patterns of JSON pointers (``*`` any step, ``-`` behind the last
element), each for all that is below it, and how. ``/*`` is for keys that no other pattern names."""


class Redactor:
    """Makes redacted vCons of the served calls of one cache under one policy.

    *secret* is the cache's; *titles* and *ids* ask for what the tools give on request; *as_of* is the time of the last
    import that is served.
    """

    def __init__(
        self, store: ReadStore, policy: Policy, secret: bytes, as_of: str, *, titles: bool = False, ids: bool = False
    ) -> None:
        self._store = store
        self._policy = policy
        self._secret = secret
        self._as_of = as_of or _NOWHERE
        self._asked = {"include_call_titles": titles, "include_call_ids": ids}

    def of_call(self, facts: sqlite3.Row, full: Vcon) -> Vcon:
        """Return the redacted vCon of the served call *facts* (a row of ``call_facts``); *full* gives its shape and its
        uuid, and no text of it is taken."""
        header = vcon_read.header(self._store, str(full["uuid"]))
        if header is not None and header["call_id"] == facts["call_id"] and facts["system"] == "vcon":
            return self._of_vcon(facts, header, full)
        start = self._moment(facts["started_at"])
        out = self._top(facts, full)
        out["parties"] = self._parties(full, {})
        said = _objects(full, "dialog")
        out["dialog"] = [
            self._recording(facts, item, start) if index == 0 else _slot(item, start) for index, item in enumerate(said)
        ]
        turns = self._segments(facts["call_no"])
        analyses = [self._own_analysis(item, turns, facts) for item in _objects(full, "analysis")]
        return self._finished(out, analyses, full, facts, start)

    def _of_vcon(self, facts: sqlite3.Row, header: sqlite3.Row, full: Vcon) -> Vcon:
        number = header["vcon_no"]
        start = self._moment(header["started_at"] or facts["started_at"])
        out = self._top(facts, full)
        parties = vcon_read.parties(self._store, [number])[number]
        out["parties"] = self._parties(full, {row["idx"]: row for row in parties})
        texts = vcon_read.texts(self._store, number, unit="dialog", limit=1 << 20)
        bodies = {row["idx"]: row["text"] for row in texts if row["position"] == 0}
        rows = vcon_read.dialogs(self._store, [number])[number]
        out["dialog"] = [self._served_dialog(row, bodies.get(row["idx"]), start) for row in rows]
        analyses = []
        for row in vcon_read.analyses(self._store, [number])[number]:
            item = {"type": row["analysis_type"] or "report", "vendor": row["vendor"] or "unknown"}
            if row["product"]:
                item["product"] = row["product"]
            item |= _dialog_of(row["dialogs"])
            if row["analysis_type"] == TRANSCRIPT:
                said = vcon_read.texts(self._store, number, unit="analysis", idx=row["idx"], limit=1 << 20)
                item |= self._transcript([(t["party"], t["start_ms"], t["end_ms"], t["text"]) for t in said], facts)
            analyses.append(item)
        return self._finished(out, analyses, full, facts, start)

    # --- parts ---

    def _shows(self, expose: Expose) -> bool:
        return decide(expose, self._policy, self._asked).shown

    def _moment(self, value: str) -> str:
        moment = rfc3339(value) or _NOWHERE
        return moment if self._shows(_MOMENT) else f"{moment[:10]}T00:00:00Z"

    def _top(self, facts: sqlite3.Row, full: Vcon) -> Vcon:
        out: Vcon = {
            "vcon": SYNTAX,
            "uuid": uuid_of_redacted(self._secret, facts["call_id"], self._policy.digest() + repr(self._asked)),
            "created_at": self._as_of,
            "redacted": {"uuid": str(full["uuid"]), "type": REDACTION},
        }
        if facts["title"] and self._shows(_SUBJECT):
            out["subject"] = facts["title"]
        return out

    def _parties(self, full: Vcon, served: Mapping[int, sqlite3.Row]) -> list[dict[str, str]]:
        out = []
        for index, party in enumerate(_objects(full, "parties")):
            row = served.get(index)
            # Whatever else stands there may be a name or a title.
            known = row is not None and row["role"] in _ROLES and self._shows(_LABEL)
            role = {"role": row["role"]} if row is not None and known else {}
            out.append({"name": ANONYMOUS, **role} if party else {})
        return out

    def _recording(self, facts: sqlite3.Row, item: Mapping[str, Any], start: str) -> dict[str, Any]:
        dialog = _slot(item, start) | {"duration": facts["duration_seconds"]}
        if facts["system"] and self._shows(_LABEL):
            dialog["application"] = facts["system"]
        return dialog

    def _served_dialog(self, row: sqlite3.Row, text: str | None, start: str) -> dict[str, Any]:
        dialog: dict[str, Any] = {"type": row["dialog_type"] if row["dialog_type"] in _TYPES else "recording"}
        dialog["start"] = self._moment(row["started_at"]) if row["started_at"] else start
        if row["placeholder"]:
            return dialog
        if row["duration_seconds"] is not None:
            dialog["duration"] = row["duration_seconds"]
        dialog |= _parties_of(row["parties"])
        if row["originator"] is not None:
            dialog["originator"] = row["originator"]
        if row["disposition"] in _DISPOSITIONS:
            dialog["disposition"] = row["disposition"]
        if row["application"] and self._shows(_LABEL):
            dialog["application"] = row["application"]
        if text and self._shows(_SAID):
            dialog |= {"mediatype": "text/plain", "encoding": "none", "body": text}
        return dialog

    def _segments(self, call_no: int) -> list[tuple[int | None, int, int, str]]:
        rows = self._store.rows(
            """SELECT s.speaker_no, s.start_ms, s.end_ms, s.text, p.matched FROM segments AS s
               LEFT JOIN parties AS p ON p.call_no = :call_no AND p.party_no = s.speaker_no
               WHERE s.segment_no BETWEEN :first AND :last ORDER BY s.segment_no""",
            {"call_no": call_no, "first": first_segment(call_no), "last": last_segment(call_no)},
        )
        return [
            (row["speaker_no"] - 1 if row["matched"] else None, row["start_ms"], row["end_ms"], row["text"])
            for row in rows
        ]

    def _own_analysis(
        self, item: Mapping[str, Any], turns: Sequence[tuple[int | None, int, int, str]], facts: sqlite3.Row
    ) -> dict[str, Any]:
        """Return an analysis of ours: its type and product are words of this program, or somebody added it."""
        kind = item.get("type") if item.get("type") in OWN_TYPES else "report"
        out = {"type": kind, "dialog": 0, "vendor": VENDOR}
        if item.get("product") in OWN_PRODUCTS:
            out["product"] = item["product"]
        return out | self._transcript(turns, facts) if kind == TRANSCRIPT else out

    def _transcript(self, turns: Sequence[tuple[int | None, int | None, int | None, str]], facts: sqlite3.Row) -> Vcon:
        if not self._shows(_SAID):
            return {}
        segments = [
            {
                "i": index,
                **({} if party is None else {"party": party}),
                **({} if start is None else {"start_ms": start}),
                **({} if end is None else {"end_ms": end}),
                "text": text,
            }
            for index, (party, start, end, text) in enumerate(turns)
        ]
        language = {"language": facts["language"]} if self._shows(_LABEL) else {}
        body = json_body({**language, "segments": segments})
        return {"schema": OWN_SCHEMA, "mediatype": "application/json", **body}

    def _finished(self, out: Vcon, analyses: list[dict[str, Any]], full: Vcon, facts: sqlite3.Row, start: str) -> Vcon:
        if "analysis" in full:
            out["analysis"] = [item if "body" in item else item | _NOTHING for item in analyses]
        tags = {}
        if self._shows(_LABEL):
            known = ("direction", "language", "scope", "system")
            tags = {f"gong_{name}": facts[name] for name in known if facts[name]}
        if self._shows(_CALL_ID):
            tags["gong_call_id"] = facts["call_id"]
        if self._shows(_CALL_REF):
            tags["gong_call_ref"] = facts["call_ref"]
        # With purpose and body, for readers that look for an attachment by its purpose fail at one without.
        slot = {"purpose": EMPTIED, "start": start, "party": 0, "dialog": 0, **_NOTHING}
        out["attachments"] = [*(dict(slot) for _ in _objects(full, "attachments")), tags_attachment(tags, start)]
        return out


def _slot(item: Mapping[str, Any], start: str) -> dict[str, Any]:
    """Return what a dialog of ours keeps: nothing that people wrote."""
    out = {"type": item["type"] if item.get("type") in _TYPES else "recording", "start": start}
    for key in ("parties", "originator"):
        if (value := only_indexes(item.get(key))) is not None:
            out[key] = value
    return out


def _parties_of(column: str) -> dict[str, Any]:
    value = json.loads(column)
    return {} if value is None else {"parties": value}


def _dialog_of(column: str) -> dict[str, Any]:
    value = json.loads(column)
    return {} if value is None else {"dialog": value}


def _objects(vcon: Vcon, array: str) -> list[Mapping[str, Any]]:
    elements = vcon.get(array)
    return [item if isinstance(item, Mapping) else {} for item in elements] if isinstance(elements, list) else []
