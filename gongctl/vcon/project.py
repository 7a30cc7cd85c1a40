"""From a vCon to the rows that are read of it (``gongmcp.store.vcon_schema``). Pure: no database, no clock.

A store gets them as they are. For a cache's read model ``Masking`` takes out what the masking of transcripts takes
out, and blanks what names people or files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

import msgspec

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import NoBody, encoding_of, json_of, plain_text, size_of
from gongctl.vcon.forms import Form
from gongctl.vcon.legacy import modernised
from gongctl.vcon.placeholders import ANONYMOUS, is_placeholder
from gongctl.vcon.tags import is_tags, tags_of
from gongctl.vcon.times import milliseconds, month_of
from gongctl.vcon.transcripts import TRANSCRIPT, Segment, segments_of
from gongctl.vcon.validate import SUPPORTED
from gongmcp.exposure.text import MaskedText, format_spans
from gongmcp.store.vcon_names import bare_address, bare_number, domain_of, folded
from gongmcp.store.vcon_schema import MAX_PARTS

_MAX_LABEL: Final = 256
_MAX_SECONDS: Final = 400 * 24 * 3600
_NONE_MS: Final = 0
_RAW: Final = "gong_raw"
"""Purpose of an attachment that holds what the other parts say already: not searched."""
_OWN_PURPOSES: Final = frozenset(
    {_RAW, "gong_call_metadata", "gong_parties", "gong_comments", "crm_context", "gongctl_export"}
)
_IDENTIFYING_TAGS: Final = frozenset({"gong_call_id", "gong_call_ref", "gong_workspace_id"})
_SERVED_ANALYSES: Final = frozenset(
    {"summary", TRANSCRIPT, "translation", "report", "sentiment", "topics", "keywords", "action_items"}
)
"""Types of analyses whose text a cache serves: not scorecards, named entities and whatever else there may be."""


class TooLarge(Exception):
    """A vCon has more parts than can be numbered."""


@dataclass(frozen=True, slots=True)
class TextRow:
    """One text to be searched; columns of ``vcon_texts``."""

    unit: str
    idx: int
    position: int
    party: int | None
    start_ms: int | None
    end_ms: int | None
    text: str
    spans: str | None


@dataclass(slots=True)
class Projection:
    """The rows of one vCon, without numbers; each a mapping of columns."""

    header: dict[str, Any]
    parties: list[dict[str, Any]] = field(default_factory=list)
    dialogs: list[dict[str, Any]] = field(default_factory=list)
    analyses: list[dict[str, Any]] = field(default_factory=list)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, dict[str, str]] = field(default_factory=dict)
    texts: list[TextRow] = field(default_factory=list)


class Plain:
    """What a store keeps: texts as they are."""

    named: bool = True
    """Whether names, addresses, numbers, files and URLs are kept, and texts beside what was said and its analyses."""

    def together(self, texts: Sequence[str]) -> list[MaskedText]:
        """Return *texts*, said by one person one after another."""
        return [MaskedText(text) for text in texts]

    def one(self, text: str) -> MaskedText:
        """Return a text that stands alone."""
        return MaskedText(text)


def project(
    vcon: Vcon,
    *,
    form: Form = "plain",
    call_id: str = "",
    imported_at: str = "",
    masking: Plain | None = None,
) -> Projection:
    """Return the rows of *vcon*, which is in the plain form. *imported_at* stands in for a ``created_at`` that is none.

    Raises:
        TooLarge: it has more than ``MAX_PARTS`` parts or texts.
    """
    new, _ = modernised(vcon)
    return _Projector(new, vcon, form, call_id, imported_at, masking or Plain()).run()


class _Projector:
    def __init__(self, vcon: Vcon, given: Vcon, form: Form, call_id: str, imported_at: str, masking: Plain) -> None:
        self._vcon = vcon
        self._given = given
        self._form = form
        self._call_id = call_id
        self._imported_at = imported_at
        self._masking = masking
        self._parties = _objects(vcon, "parties")
        self._dialogs = _objects(vcon, "dialog")

    def run(self) -> Projection:
        sealed = any(name not in SUPPORTED for name in _names(self._vcon.get("critical")))
        starts = [self._start_of(dialog) for dialog in self._dialogs]
        known = [start for start in starts if start is not None]
        begun = min(known, default=None)
        out = Projection(self._header(begun, starts, sealed))
        if sealed:
            return out
        subject = self._masking.one(_text(self._vcon.get("subject")))
        if subject.value:
            out.texts.append(TextRow("subject", 0, 0, None, None, None, subject.value, format_spans(subject.spans)))
        out.parties = [self._party(index, party) for index, party in enumerate(self._parties)]
        if self._masking.named:
            out.texts.extend(self._party_texts())
        out.dialogs = [self._dialog(index, item, out, begun) for index, item in enumerate(self._dialogs)]
        out.analyses = [self._analysis(index, item, out) for index, item in enumerate(_objects(self._vcon, "analysis"))]
        for index, item in enumerate(_objects(self._vcon, "attachments")):
            out.attachments.append(self._attachment(index, item, out))
            self._account(item, out)
        for key, value in self._kept_tags().items():
            out.tags[self._label(key)] = self._masking.one(value).value
        out.header["placeholder_count"] = sum(row["placeholder"] for row in (*out.parties, *out.dialogs))
        longest = max(len(out.parties), len(out.dialogs), len(out.analyses), len(out.attachments), len(out.texts))
        if longest >= MAX_PARTS:
            raise TooLarge(f"it has more than {MAX_PARTS:,} parts or texts of one kind")
        return out

    def _kept_tags(self) -> dict[str, str]:
        tags = tags_of(self._vcon)
        return tags if self._masking.named else {key: tags[key] for key in tags if key not in _IDENTIFYING_TAGS}

    def _header(self, begun: int | None, starts: Sequence[int | None], sealed: bool) -> dict[str, Any]:
        vcon = self._vcon
        created = milliseconds(vcon.get("created_at"))
        made_at = _text(vcon.get("created_at")) if created is not None else self._imported_at
        created = created if created is not None else milliseconds(self._imported_at) or _NONE_MS
        first = next((dialog for dialog, at in zip(self._dialogs, starts, strict=True) if at == begun and at), None)
        ends = [
            start + round(_seconds(dialog.get("duration")) * 1000)
            for dialog, start in zip(self._dialogs, starts, strict=True)
            if start is not None
        ]
        subject = MaskedText("") if sealed else self._masking.one(_text(vcon.get("subject")))
        return {
            "uuid": _text(vcon.get("uuid")).casefold(),
            "call_id": self._call_id,
            "form": self._form,
            "sealed": int(sealed),
            "version": self._label(_text(vcon.get("vcon"))),
            "subject": subject.value,
            "subject_spans": format_spans(subject.spans),
            "subject_key": folded(subject.value),
            "created_at": made_at,
            "created_ms": created,
            "created_month": month_of(created),
            "updated_at": _moment(vcon.get("updated_at")),
            "started_at": _moment(first.get("start")) if first is not None and not sealed else "",
            "started_ms": None if sealed else begun,
            "duration_seconds": 0.0 if sealed or begun is None else max(max(ends) - begun, 0) / 1000,
            "extensions": json.dumps([self._label(name) for name in _names(vcon.get("extensions"))]),
            "critical": json.dumps([self._label(name) for name in _names(vcon.get("critical"))]),
            "redacted": int(bool(vcon.get("redacted"))),
            "amended": int(bool(vcon.get("amended"))),
            "party_count": len(self._parties),
            "dialog_count": len(self._dialogs),
            "analysis_count": len(_objects(vcon, "analysis")),
            "attachment_count": len(_objects(vcon, "attachments")),
            "placeholder_count": 0,
            "size_bytes": len(msgspec.json.encode(self._given)),
        }

    # --- the parts ---

    def _party(self, index: int, party: Mapping[str, Any]) -> dict[str, Any]:
        given = {key: _text(party.get(key)) for key in ("name", "mailto", "tel", "sip")}
        identified = any(_text(party.get(key)) for key in ("name", "mailto", "tel", "sip", "did", "uuid"))
        kept = given if self._masking.named else dict.fromkeys(given, "")
        return {
            "idx": index,
            "placeholder": int(is_placeholder("parties", party)),
            **kept,
            "name_key": folded(kept["name"]),
            "mailto_key": bare_address(kept["mailto"]),
            "tel_key": bare_number(kept["tel"]),
            "domain": domain_of(kept["mailto"]),
            "role": self._label(_text(party.get("role"))),
            "party_type": self._label(_text(party.get("type"))),
            "has_identifier": int(identified and given["name"] != ANONYMOUS),
        }

    def _party_texts(self) -> Iterator[TextRow]:
        for index, party in enumerate(self._parties):
            words = [_text(party.get(key)) for key in ("name", "mailto", "tel", "sip", "role", "org", "dept")]
            text = " ".join(word for word in words if word)
            if text:
                yield TextRow("party", index, 0, index, None, None, text, None)

    def _dialog(self, index: int, dialog: Mapping[str, Any], out: Projection, begun: int | None) -> dict[str, Any]:
        start = self._start_of(dialog)
        texts = plain_text(dialog)
        count = 0
        if texts.strip():
            offset = None if start is None or begun is None else start - begun
            duration = dialog.get("duration")
            end = None if offset is None or duration is None else offset + round(_seconds(duration) * 1000)
            masked = self._masking.one(texts)
            speaker = speaker_of(dialog, len(self._parties))
            out.texts.append(
                TextRow("dialog", index, 0, speaker, offset, end, masked.value, format_spans(masked.spans))
            )
            count = 1
        originator = dialog.get("originator")
        return {
            "idx": index,
            "placeholder": int(is_placeholder("dialog", dialog)),
            "dialog_type": self._label(_text(dialog.get("type"))),
            "started_at": _moment(dialog.get("start")),
            "started_ms": start,
            "duration_seconds": _seconds(dialog["duration"]) if dialog.get("duration") is not None else None,
            "parties": _indexes(dialog.get("parties")),
            "originator": originator if _is_index(originator) else None,
            "disposition": self._label(_text(dialog.get("disposition"))),
            "application": self._label(_text(dialog.get("application"))),
            **self._content(dialog, text_count=count),
            "message_id": self._named(dialog.get("message_id")),
        }

    def _analysis(self, index: int, analysis: Mapping[str, Any], out: Projection) -> dict[str, Any]:
        count = self._add_texts(out, "analysis", index, analysis)
        return {
            "idx": index,
            "analysis_type": self._label(_text(analysis.get("type"))),
            "vendor": self._label(_text(analysis.get("vendor"))),
            "product": self._label(_text(analysis.get("product"))),
            "schema": self._label(_text(analysis.get("schema"))),
            "dialogs": _indexes(analysis.get("dialog")),
            **self._content(analysis, text_count=count),
        }

    def _attachment(self, index: int, item: Mapping[str, Any], out: Projection) -> dict[str, Any]:
        # What is attached may be anything: CRM values, ids, answers of scorecards. A cache serves no text of it.
        served = self._masking.named and not is_tags(item)
        count = self._add_texts(out, "attachment", index, item) if served else 0
        return {
            "idx": index,
            "purpose": self._label(_text(item.get("purpose"))),
            "legacy_type": self._label(_text(item.get("type"))),
            "started_at": _moment(item.get("start")),
            "started_ms": milliseconds(item.get("start")),
            "party": item.get("party") if _is_index(item.get("party")) else None,
            "dialog": item.get("dialog") if _is_index(item.get("dialog")) else None,
            **self._content(item, text_count=count),
        }

    def _content(self, part: Mapping[str, Any], *, text_count: int) -> dict[str, Any]:
        return {
            "mediatype": self._label(_text(part.get("mediatype"))),
            "filename": self._named(part.get("filename")),
            "url": self._named(part.get("url")),
            "encoding": self._label(encoding_of(part)),
            "body_bytes": size_of(part),
            "text_count": text_count,
        }

    def _add_texts(self, out: Projection, unit: str, index: int, part: Mapping[str, Any]) -> int:
        transcript = unit == "analysis" and part.get("type") == TRANSCRIPT
        if part.get("purpose") == _RAW or not (self._masking.named or part.get("type") in _SERVED_ANALYSES):
            return 0
        pieces = segments_of(part) if transcript else [Segment(text) for text in (plain_text(part),) if text.strip()]
        position = 0
        for turn in _turns(pieces):
            for piece, masked in zip(turn, self._masking.together([piece.text for piece in turn]), strict=True):
                party = piece.party if piece.party is not None and 0 <= piece.party < len(self._parties) else None
                spans = format_spans(masked.spans)
                out.texts.append(
                    TextRow(unit, index, position, party, piece.start_ms, piece.end_ms, masked.value, spans)
                )
                position += 1
        return position

    def _account(self, item: Mapping[str, Any], out: Projection) -> None:
        source = _text(item.get("purpose")) or _text(item.get("type"))
        if not source or source in out.accounts or is_tags(item) or source in _OWN_PURPOSES:
            return
        try:
            value = json_of(item)
        except NoBody:
            return
        if not isinstance(value, Mapping) or not (_scalar(value.get("id")) and _scalar(value.get("name"))):
            return
        team = value.get("team")
        of_team = team if isinstance(team, Mapping) else {}
        out.accounts[self._label(source)] = {
            "account_id": self._label(_scalar(value["id"])),
            "account_name": self._masking.one(_scalar(value.get("name"))).value,
            "phone": self._named(_scalar(value.get("outboundPhoneNumber"))),
            "team_id": self._label(_scalar(of_team.get("id"))),
            "team_name": self._masking.one(_scalar(of_team.get("name"))).value,
        }

    # --- small ---

    def _label(self, text: str) -> str:
        return self._masking.one(text).value[:_MAX_LABEL] if text else ""

    def _named(self, value: object) -> str:
        return _text(value) if self._masking.named else ""

    @staticmethod
    def _start_of(dialog: Mapping[str, Any]) -> int | None:
        return milliseconds(dialog.get("start"))


def speaker_of(dialog: Mapping[str, Any], count: int) -> int | None:
    """Return the index of the party who said or wrote *dialog*: its originator, else its first party."""
    said = dialog.get("originator")
    if not _is_index(said):
        said = dialog.get("parties")
        while isinstance(said, list) and said:
            said = said[0]
    return said if _is_index(said) and said < count else None


def _turns(pieces: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Yield what one person says before another one does: an address may be said in several segments."""
    turn: list[Segment] = []
    for piece in pieces:
        if turn and (piece.party, piece.speaker) != (turn[-1].party, turn[-1].speaker):
            yield turn
            turn = []
        turn.append(piece)
    if turn:
        yield turn


def _objects(vcon: Vcon, array: str) -> list[Mapping[str, Any]]:
    elements = vcon.get(array)
    return [item if isinstance(item, Mapping) else {} for item in elements] if isinstance(elements, list) else []


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _scalar(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def _moment(value: object) -> str:
    """Return a time as given, '' when it is none: whatever else stands there is no time."""
    return value if isinstance(value, str) and milliseconds(value) is not None else ""


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX_SECONDS:
        return 0.0
    return float(value)


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_PARTS


def _indexes(value: object) -> str:
    """Return indexes as JSON, ``null`` when there are none: nothing but numbers, null and arrays of them."""
    return json.dumps(only_indexes(value))


def only_indexes(value: object, depth: int = 0) -> Any:
    """Return *value* with nothing but indexes, None for what is none, and arrays of them."""
    if isinstance(value, list) and depth < 2:
        return [only_indexes(item, depth + 1) for item in value]
    return value if _is_index(value) else None
