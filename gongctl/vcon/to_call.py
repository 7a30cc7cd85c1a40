"""A vCon as records in Gong's shape, so that it is read like a call: ``system`` is ``vcon``, the id ``vcon:<uuid>``.

One of ours that still has its ``gong_raw``, with the hash it was given, is restored as Gong delivered it. Of any other
one the texts of its dialogs and transcripts become the transcript, the rest what it corresponds to. The vCon itself is
kept verbatim beside it: nothing is ever made back from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gongctl.ingest.decode import canonical
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import BadRecord, Place, Record
from gongctl.vcon import Vcon
from gongctl.vcon.bodies import NoBody, bytes_of, hash_matches, hash_tokens, json_of, plain_text
from gongctl.vcon.from_call import CRM, METADATA, PARTIES, RAW
from gongctl.vcon.legacy import modernised
from gongctl.vcon.placeholders import ANONYMOUS
from gongctl.vcon.project import speaker_of
from gongctl.vcon.rows import encode
from gongctl.vcon.tags import tags_of
from gongctl.vcon.times import milliseconds, rfc3339
from gongctl.vcon.transcripts import TRANSCRIPT, Segment, segments_of

SYSTEM: Final = "vcon"
_PREFIX: Final = "vcon:"
_META_KEPT: Final = ("direction", "scope", "language", "purpose", "isPrivate", "media")
_LONG_TEXT: Final = 600


def call_id_of(uuid: str) -> str:
    """Return the id of the call that stands for the vCon *uuid*."""
    return _PREFIX + uuid.casefold()


def records_of_vcon(value: Vcon, vcon: Vcon, place: Place) -> list[Record]:
    """Return the records of *vcon* (opened; *value* is what was imported): the vCon, its call, transcript, scorecards.

    Raises:
        BadRecord: it cannot be read as a call (too many sentences, nested too deeply).
    """
    new, _ = modernised(vcon)
    uuid = str(vcon["uuid"]).casefold()
    restored = _restored(new, place)
    records = restored if restored is not None else list(_made(new, uuid, place))
    call_id = records[0].record_id
    try:
        kept = encode(value)
    except RecursionError as error:
        raise BadRecord("it is nested too deeply") from error
    return [Record("vcon", uuid, {"callId": call_id}, kept, place), *records]


# --- what was Gong's -------------------------------------------------------------------------------------


def _restored(vcon: Vcon, place: Place) -> list[Record] | None:
    """Return the records of Gong that *vcon* holds as they were; None when it holds none, or they were altered."""
    for attachment in _objects(vcon, "attachments"):
        if attachment.get("purpose") != RAW:
            continue
        try:
            payloads = json_of(attachment)
            data = bytes_of(attachment)
        except NoBody:
            return None
        if not any(hash_matches(data, token) for token in hash_tokens(attachment)) or not isinstance(payloads, dict):
            return None
        call = payloads.get("call")
        if not isinstance(call, dict):
            return None
        try:
            records = list(records_of("call", call, place))
            if isinstance(payloads.get("transcript"), dict):
                records += records_of("transcript", payloads["transcript"], place)
            for item in payloads.get("answered_scorecards") or ():
                records += records_of("answered_scorecard", item, place)
        except (BadRecord, TypeError, AttributeError):
            return None
        call_id = records[0].record_id
        of_call = all(r.record_id == call_id or r.payload.get("callId") == call_id for r in records)
        return records if of_call else None
    return None


# --- what is made ----------------------------------------------------------------------------------------


def _made(vcon: Vcon, uuid: str, place: Place) -> Iterator[Record]:
    call_id = call_id_of(uuid)
    parties = _objects(vcon, "parties")
    known = _known_parties(vcon)
    speakers = {
        str(item["speakerId"]): index for index, item in known.items() if isinstance(item.get("speakerId"), str)
    }
    call = {
        "metaData": _metadata(vcon, call_id),
        "parties": [_party(index, party, known.get(index, {})) for index, party in enumerate(parties)],
        "context": list(_context(vcon)),
        "content": {"brief": brief} if (brief := _brief(vcon)) else {},
    }
    yield from records_of("call", call, place)
    segments = _segments(vcon, len(parties), speakers)
    if segments:
        yield from records_of("transcript", {"callId": call_id, "transcript": list(_monologues(segments))}, place)


def _metadata(vcon: Vcon, call_id: str) -> dict[str, Any]:
    tags = tags_of(vcon)
    said = _attached(vcon, METADATA)
    told = said if isinstance(said, Mapping) else {}
    dialogs = _objects(vcon, "dialog")
    starts = [(at, dialog) for dialog in dialogs if (at := milliseconds(dialog.get("start"))) is not None]
    meta: dict[str, Any] = {"id": call_id, "title": vcon.get("subject") or "", "system": SYSTEM}
    for key in _META_KEPT:
        if told.get(key) is not None:
            meta[key] = told[key]
        elif f"gong_{key}" in tags:
            meta[key] = tags[f"gong_{key}"]
    if starts:
        begun, first = min(starts, key=lambda pair: pair[0])
        meta["started"] = rfc3339(first["start"])
        ends = [at + _duration_ms(dialog) for at, dialog in starts]
        meta["duration"] = max(0, max(ends) - begun) // 1000
    elif rfc3339(vcon.get("created_at")):
        meta["started"] = rfc3339(vcon["created_at"])
        meta["duration"] = 0
    return meta


def _duration_ms(dialog: Mapping[str, Any]) -> int:
    duration = dialog.get("duration")
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not 0 <= duration < 1e8:
        return 0
    return round(duration * 1000)


def _party(index: int, party: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {"id": f"p{index}", "speakerId": f"p{index}", "affiliation": "Unknown"}
    for key, source in (("name", "name"), ("emailAddress", "mailto"), ("phoneNumber", "tel")):
        value = party.get(source)
        if isinstance(value, str) and value and value != ANONYMOUS:
            out[key] = value.removeprefix("mailto:").removeprefix("tel:")
    for key in ("affiliation", "title"):
        if isinstance(known.get(key), str):
            out[key] = known[key]
    return out


def _known_parties(vcon: Vcon) -> dict[int, Mapping[str, Any]]:
    said = _attached(vcon, PARTIES)
    return {
        item["index"]: item
        for item in (said if isinstance(said, list) else ())
        if isinstance(item, Mapping) and isinstance(item.get("index"), int)
    }


def _context(vcon: Vcon) -> Iterator[dict[str, Any]]:
    for attachment in _objects(vcon, "attachments"):
        if attachment.get("purpose") != CRM:
            continue
        try:
            value = json_of(attachment)
        except NoBody:
            continue
        if isinstance(value, Mapping) and isinstance(value.get("objects"), list):
            yield {"system": str(value.get("system") or ""), "objects": value["objects"]}


def _brief(vcon: Vcon) -> str:
    """Return the newest summary: the last of them."""
    found = [plain_text(item) for item in _objects(vcon, "analysis") if item.get("type") == "summary"]
    return found[-1].strip() if found else ""


def _segments(vcon: Vcon, parties: int, speakers: Mapping[str, int]) -> list[Segment]:
    """Return all that was said and written, by time: what has none stands at the end in its own order."""
    dialogs = _objects(vcon, "dialog")
    starts = [milliseconds(dialog.get("start")) for dialog in dialogs]
    begun = min((start for start in starts if start is not None), default=None)
    found: list[Segment] = []
    for dialog, start in zip(dialogs, starts, strict=True):
        offset = None if start is None or begun is None else start - begun
        end = None if offset is None else offset + _duration_ms(dialog)
        party = speaker_of(dialog, parties)
        for text in _lines(plain_text(dialog)):
            found.append(Segment(text, party, offset, end, f"p{party}" if party is not None else ""))
    latest: dict[str, Mapping[str, Any]] = {}
    for analysis in _objects(vcon, "analysis"):
        if analysis.get("type") == TRANSCRIPT:
            latest[str(analysis.get("dialog"))] = (
                analysis  # a later transcript of the same dialog replaces the one before
            )
    for analysis in latest.values():
        first = analysis.get("dialog")
        while isinstance(first, list) and first:
            first = first[0]
        start = starts[first] if isinstance(first, int) and 0 <= first < len(starts) else None
        shift = 0 if start is None or begun is None else start - begun
        for segment in segments_of(analysis):
            party = segment.party if segment.party is not None else speakers.get(segment.speaker)
            who = f"p{party}" if party is not None and 0 <= party < parties else segment.speaker
            at = None if segment.start_ms is None else segment.start_ms + shift
            till = None if segment.end_ms is None else segment.end_ms + shift
            found.append(Segment(segment.text, party, at, till, who, segment.topic))
    last = max((segment.start_ms for segment in found if segment.start_ms is not None), default=0)
    return sorted(found, key=lambda segment: last + 1 if segment.start_ms is None else segment.start_ms)


def _lines(text: str) -> Iterator[str]:
    """Yield the pieces of a written text: its lines, and long ones by their sentences."""
    for line in text.splitlines():
        rest = line.strip()
        while len(rest) > _LONG_TEXT:
            cut = max(rest.rfind(mark, 0, _LONG_TEXT) for mark in (". ", "! ", "? ", "; "))
            cut = cut + 1 if cut > 0 else max(rest.rfind(" ", 0, _LONG_TEXT), 0) or _LONG_TEXT
            yield rest[:cut].strip()
            rest = rest[cut:].strip()
        if rest:
            yield rest


def _monologues(segments: list[Segment]) -> Iterator[dict[str, Any]]:
    turn: list[dict[str, Any]] = []
    who: tuple[str, str] | None = None
    at = 0
    for segment in segments:
        speaker = (segment.speaker, segment.topic)
        if turn and speaker != who:
            yield _monologue(who, turn)
            turn = []
        who = speaker
        at = segment.start_ms if segment.start_ms is not None else at
        end = max(at, segment.end_ms if segment.end_ms is not None else at)
        turn.append({"start": at, "end": end, "text": segment.text})
    if turn:
        yield _monologue(who, turn)


def _monologue(who: tuple[str, str] | None, sentences: list[dict[str, Any]]) -> dict[str, Any]:
    speaker, topic = who or ("", "")
    return {"speakerId": speaker, "topic": topic or None, "sentences": sentences}


def _attached(vcon: Vcon, purpose: str) -> Any:
    for attachment in _objects(vcon, "attachments"):
        if attachment.get("purpose") == purpose:
            try:
                return json_of(attachment)
            except NoBody:
                return None
    return None


def _objects(vcon: Vcon, array: str) -> list[Mapping[str, Any]]:
    elements = vcon.get(array)
    return [item if isinstance(item, Mapping) else {} for item in elements] if isinstance(elements, list) else []


def same_payloads(vcon: Vcon, call: Mapping[str, Any], transcript: Mapping[str, Any] | None) -> bool:
    """Tell whether *vcon* holds exactly the payloads *call* and *transcript* as its ``gong_raw``."""
    said = _attached(vcon, RAW)
    if not isinstance(said, Mapping):
        return False
    return canonical([said.get("call"), said.get("transcript")]) == canonical([call, transcript])
