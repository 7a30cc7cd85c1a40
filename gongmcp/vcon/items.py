"""vCons as answers give them: the include groups that were asked for, or a document of the older tools."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from gongmcp.exposure.clean import clean
from gongmcp.exposure.snippets import snippet
from gongmcp.exposure.text import MaskedText, parse_spans
from gongmcp.store import vcon_read
from gongmcp.store.search_query import SearchQuery
from gongmcp.vcon.scope import SPENT, Scope
from gongmcp.vcon.shapes import (
    AnalysisRow,
    AttachmentRow,
    Counts,
    Dealer,
    DialogRow,
    Document,
    Found,
    Item,
    PartyRow,
    SummaryRow,
    Team,
)

GROUPS: Final = ("core", "parties", "summary", "tags", "dealer", "counts", "dialog", "analysis", "attachments")
FETCH_DEFAULT: Final = ("core", "parties", "summary")
SEARCH_DEFAULT: Final = ("core", "summary")
LIGHTWEIGHT: Final = ("core", "summary", "dealer")

GROUP_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "core": ("vcon_version", "created_at", "updated_at", "subject", "extensions", "critical", "started_at"),
    **{name: (name,) for name in GROUPS[1:]},
}
"""Which columns of an item each group brings; ``id`` is always there."""

_PARTS: Final = ("parties", "dialog", "analysis", "attachments")
_EXCERPT: Final = 240


def items(
    scope: Scope,
    headers: Sequence[sqlite3.Row],
    groups: Collection[str],
    found: Mapping[int, Found] | None = None,
) -> list[Item]:
    """Return the vCons of *headers* with the include *groups*."""
    numbers = [int(header["vcon_no"]) for header in headers]
    tags = vcon_read.tags(scope.store, numbers) if "tags" in groups else {}
    accounts = vcon_read.accounts(scope.store, numbers, scope.taxonomy.account) if "dealer" in groups else {}
    out = []
    parts = [name for name in (*_PARTS, "summary") if name in groups]
    loaded = None if scope.verbatim else _served(scope, headers, parts)
    for header, number in zip(headers, numbers, strict=True):
        item = Item(id=header["uuid"])
        if "core" in groups:
            _core(item, header)
        if "tags" in groups:
            item.tags = {clean(key)[0]: value for key, value in tags.get(number, {}).items()}
        if "dealer" in groups and number in accounts:
            item.dealer = _dealer(accounts[number])
        if "counts" in groups:
            item.counts = counts_of(header)
        if parts and not header["sealed"]:
            held = loaded[number] if loaded is not None else _verbatim(scope, header)
            for name in parts:
                setattr(item, name, held[name])
        if found is not None:
            item.search = found.get(number)
        out.append(item)
    return out


def documents(scope: Scope, headers: Sequence[sqlite3.Row], parts: Collection[str]) -> list[Any]:
    """Return the vCons of *headers* with the arrays *parts*: of a store verbatim, else as ``Document``."""
    if scope.verbatim:
        out = []
        for header in headers:
            whole = scope.document(header["uuid"]) or {}
            sealed = bool(header["sealed"])
            out.append({key: item for key, item in whole.items() if key not in _PARTS or (key in parts and not sealed)})
        return out
    loaded = _served(scope, headers, parts)
    return [_document(header, loaded[int(header["vcon_no"])], parts) for header in headers]


def _document(header: sqlite3.Row, held: Mapping[str, Any], parts: Collection[str]) -> Document:
    row = Document(
        vcon=header["version"] or None,
        uuid=header["uuid"],
        created_at=header["created_at"],
        updated_at=header["updated_at"] or None,
        subject=_subject(header),
        extensions=json.loads(header["extensions"]) or None,
        critical=json.loads(header["critical"]) or None,
    )
    for name in parts:
        setattr(row, name, held[name])
    return row


def counts_of(header: sqlite3.Row) -> Counts:
    """Return how many parts a vCon has."""
    return Counts(
        parties=header["party_count"],
        dialog=header["dialog_count"],
        analysis=header["analysis_count"],
        attachments=header["attachment_count"],
    )


def _core(item: Item, header: sqlite3.Row) -> None:
    item.vcon_version = header["version"] or None
    item.created_at = header["created_at"]
    item.updated_at = header["updated_at"] or None
    item.started_at = header["started_at"] or None
    item.duration_seconds = header["duration_seconds"] or None
    item.subject = _subject(header)
    item.extensions = json.loads(header["extensions"])
    item.critical = json.loads(header["critical"])
    item.form = None if header["form"] == "plain" else header["form"]
    for name in ("sealed", "redacted", "amended"):
        setattr(item, name, True if header[name] else None)


def _subject(header: sqlite3.Row) -> MaskedText | None:
    text = header["subject"]
    return MaskedText(text, parse_spans(header["subject_spans"])) if text else None


def _dealer(row: sqlite3.Row) -> Dealer:
    team = Team(id=row["team_id"] or None, name=row["team_name"] or None)
    return Dealer(
        id=row["account_id"],
        name=row["account_name"] or None,
        outboundPhoneNumber=row["phone"] or None,
        team=team if team.id or team.name else None,
    )


# --- of a store ---------------------------------------------------------------------------------------------


def _verbatim(scope: Scope, header: sqlite3.Row) -> dict[str, Any]:
    whole = scope.document(header["uuid"]) or {}
    held: dict[str, Any] = {name: whole.get(name) or [] for name in _PARTS}
    held["summary"] = [
        {
            key: item[key]
            for key in ("type", "vendor", "product", "schema", "encoding", "body", "dialog")
            if item.get(key) is not None and (key != "body" or not isinstance(item[key], str) or item[key].strip())
        }
        for item in held["analysis"]
        if isinstance(item, dict) and item.get("type") == "summary"
    ]
    return held


# --- of a served cache --------------------------------------------------------------------------------------


def _served(scope: Scope, headers: Sequence[sqlite3.Row], parts: Collection[str]) -> dict[int, dict[str, Any]]:
    by_number = {int(header["vcon_no"]): header for header in headers}
    numbers = list(by_number)
    out: dict[int, dict[str, Any]] = {number: {} for number in numbers}
    if "parties" in parts:
        for number, rows in vcon_read.parties(scope.store, numbers).items():
            out[number]["parties"] = [_party(row) for row in rows]
    if "summary" in parts:
        for number, rows in vcon_read.summaries(scope.store, numbers).items():
            out[number]["summary"] = [_summary(scope, by_number[number], row) for row in rows]
    if "dialog" in parts:
        for number, rows in vcon_read.dialogs(scope.store, numbers).items():
            out[number]["dialog"] = [_dialog(scope, by_number[number], row) for row in rows]
    if "analysis" in parts:
        for number, rows in vcon_read.analyses(scope.store, numbers).items():
            out[number]["analysis"] = [_analysis(scope, by_number[number], row) for row in rows]
    if "attachments" in parts:
        for number, rows in vcon_read.attachments(scope.store, numbers).items():
            out[number]["attachments"] = [_attachment(row) for row in rows]
    return out


def _party(row: sqlite3.Row) -> PartyRow:
    return PartyRow(
        index=row["idx"],
        placeholder=True if row["placeholder"] else None,
        name=row["name"] or None,
        mailto=row["mailto"] or None,
        tel=row["tel"] or None,
        role=row["role"] or None,
        type=row["party_type"] or None,
    )


def _summary(scope: Scope, header: sqlite3.Row, row: sqlite3.Row) -> SummaryRow:
    out = SummaryRow(
        type=row["analysis_type"],
        vendor=row["vendor"],
        product=row["product"] or None,
        schema=row["schema"] or None,
        encoding=row["encoding"] or None,
        dialog=_json(row["dialogs"]),
    )
    out.body, out.body_withheld = _excerpt(scope, header, "analysis", row["idx"])
    return out


def _dialog(scope: Scope, header: sqlite3.Row, row: sqlite3.Row) -> DialogRow:
    out = DialogRow(
        index=row["idx"],
        placeholder=True if row["placeholder"] else None,
        type=row["dialog_type"] or None,
        start=row["started_at"] or None,
        duration=row["duration_seconds"],
        parties=_json(row["parties"]),
        originator=row["originator"],
        disposition=row["disposition"] or None,
        mediatype=row["mediatype"] or None,
        encoding=row["encoding"] or None,
        body_bytes=row["body_bytes"],
    )
    if row["text_count"]:
        out.excerpt, out.excerpt_withheld = _excerpt(scope, header, "dialog", row["idx"])
    return out


def _analysis(scope: Scope, header: sqlite3.Row, row: sqlite3.Row) -> AnalysisRow:
    out = AnalysisRow(
        index=row["idx"],
        type=row["analysis_type"] or None,
        vendor=row["vendor"] or None,
        product=row["product"] or None,
        schema=row["schema"] or None,
        dialog=_json(row["dialogs"]),
        mediatype=row["mediatype"] or None,
        encoding=row["encoding"] or None,
        body_bytes=row["body_bytes"],
    )
    if row["text_count"]:
        out.excerpt, out.excerpt_withheld = _excerpt(scope, header, "analysis", row["idx"])
    return out


def _attachment(row: sqlite3.Row) -> AttachmentRow:
    return AttachmentRow(
        index=row["idx"],
        type=row["legacy_type"] or None,
        purpose=row["purpose"] or None,
        start=row["started_at"] or None,
        party=row["party"],
        dialog=row["dialog"],
        mediatype=row["mediatype"] or None,
        encoding=row["encoding"] or None,
        body_bytes=row["body_bytes"],
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _excerpt(scope: Scope, header: sqlite3.Row, unit: str, idx: int) -> tuple[MaskedText | None, str | None]:
    rows = vcon_read.texts(scope.store, header["vcon_no"], unit=unit, idx=idx, limit=1)
    return excerpt(scope, header, rows[0], None) if rows else (None, None)


def excerpt(
    scope: Scope, header: sqlite3.Row, row: sqlite3.Row, query: SearchQuery | None
) -> tuple[MaskedText | None, str | None]:
    """Return a bounded piece of the text *row* of a vCon around what *query* finds, or why there is none."""
    if not scope.may_show(header, int(row["text_no"]), len(row["text"])):
        return None, SPENT
    return snippet(row["text"], parse_spans(row["spans"]), query, _EXCERPT), None
