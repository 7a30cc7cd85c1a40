"""Make a decoded object of a known kind the record that is stored: ids as text, times as milliseconds.

Only what the cache relies on is checked. Everything else of Gong's payload is kept as delivered: unknown
keys, nulls, and the values of CRM fields, whatever their type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from gongctl.ingest.decode import canonical
from gongctl.ingest.kinds import CRM_SCHEMA_KEY
from gongctl.ingest.records import BadRecord, Kind, Place, Record
from gongmcp.store.schema import MAX_SEGMENTS

_ID_KEYS: Final = frozenset(
    {
        "id", "callId", "userId", "speakerId", "speakerID", "primaryUserId", "workspaceId", "clientUniqueId",
        "calendarEventId", "objectId", "trackerId", "scorecardId", "answeredScorecardId", "questionId",
        "questionRevisionId", "reviewedUserId", "reviewerUserId", "editorUserId", "updaterUserId",
        "creatorUserId", "managerId", "commenterUserId", "inReplyTo", "integrationId",
    }
)  # fmt: skip
"""Keys of Gong's API that hold an id: a JSON string or a 64-bit integer, depending on the endpoint."""

_OPAQUE_KEYS: Final = frozenset({"fields", "customData"})
"""Keys whose content is the customer's own: nothing in there is an id of ours."""

_OWN_ID: Final[dict[Kind, str]] = {
    "user": "id",
    "workspace": "id",
    "tracker": "trackerId",
    "scorecard": "scorecardId",
    "answered_scorecard": "answeredScorecardId",
    "crm_integration": "integrationId",
}

_MAX_ID: Final = 256
_MAX_MS: Final = 400 * 24 * 3600 * 1000
"""No call lasts longer; a bigger number is no time in milliseconds from its start."""
_WHOLE: Final = re.compile(r"\s*-?[0-9]{1,18}\s*")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")


def records_of(kind: Kind, value: dict[str, Any], place: Place) -> Iterator[Record]:
    """Yield the records that *value* is: one, or one a CRM object type for a CRM schema.

    Raises:
        BadRecord: it cannot be stored; the message is the reason.
    """
    try:
        if kind == "crm_schema":
            yield from _crm_schema(value, place)
        elif kind == "call":
            yield _call(value, place)
        elif kind == "transcript":
            yield _transcript(value, place)
        else:
            _ids_to_text(value)
            record_id = _required_id(value, _OWN_ID[kind], _OWN_ID[kind])
            yield Record(kind, record_id, value, canonical(value), place)
    except RecursionError as error:
        raise BadRecord("it is nested too deeply") from error


def _call(value: dict[str, Any], place: Place) -> Record:
    if "metaData" in value:
        payload = value
        if not isinstance(payload["metaData"], dict):
            raise BadRecord('a call without an id ("metaData" is no object)')
    else:  # GET /v2/calls delivers the fields of metaData directly
        payload = {"metaData": value}
    # Signed links to the recording: they die after eight hours and differ in every answer, so that each
    # import would see a changed call.
    payload.pop("media", None)
    _ids_to_text(payload)
    call_id = _required_id(payload["metaData"], "id", "metaData.id")
    for key in ("context", "parties"):
        if not isinstance(payload.get(key, []), list | None):
            raise BadRecord(f'"{key}" is no array')
    return Record("call", call_id, payload, canonical(payload), place)


def _transcript(value: dict[str, Any], place: Place) -> Record:
    call_id = _required_id(value, "callId", "callId")
    value["callId"] = call_id
    monologues = value.get("transcript")
    if monologues is None:
        monologues = []
    elif not isinstance(monologues, list):
        raise BadRecord('"transcript" is no array')
    segments = 0
    last_end = 0
    kept_monologues = []
    for monologue in monologues:
        if monologue is None:
            continue
        if not isinstance(monologue, dict):
            raise BadRecord("an entry of the transcript is no object")
        speaker = monologue.get("speakerId")
        if speaker is not None and type(speaker) is not str:
            monologue["speakerId"] = _id_text(speaker, "speakerId")
        sentences = monologue.get("sentences")
        if sentences is None:
            sentences = []
        elif not isinstance(sentences, list):
            raise BadRecord('"sentences" is no array')
        silent = False
        for sentence in sentences:
            try:
                start, end, text = sentence["start"], sentence["end"], sentence["text"]
            except (KeyError, TypeError):
                start, end, text = _incomplete(sentence)
            if type(text) is not str:
                if text is not None:
                    raise BadRecord("the text of a sentence is no string")
                silent = True
                continue
            if not (type(start) is int and type(end) is int and 0 <= start <= end <= _MAX_MS):
                start = last_end if start is None else _milliseconds(start)
                end = start if end is None else max(start, _milliseconds(end))
                sentence["start"], sentence["end"] = start, end
            last_end = end
            segments += 1
        monologue["sentences"] = [s for s in sentences if s and s.get("text") is not None] if silent else sentences
        kept_monologues.append(monologue)
    if segments > MAX_SEGMENTS:
        raise BadRecord(f"the transcript has more than {MAX_SEGMENTS:,} sentences")
    value["transcript"] = kept_monologues
    return Record("transcript", call_id, value, canonical(value), place, segments)


def _incomplete(sentence: object) -> tuple[Any, Any, Any]:
    """Read a sentence that lacks a key, or is null, as one whose missing values are null."""
    if sentence is None:
        return None, None, None
    if not isinstance(sentence, dict):
        raise BadRecord("a sentence is no object")
    return sentence.get("start"), sentence.get("end"), sentence.get("text")


def _milliseconds(value: object) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        number = int(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = round(value)
    else:
        raise BadRecord("the time of a sentence is no number of milliseconds")
    if number < 0:
        raise BadRecord("the time of a sentence is negative")
    if number > _MAX_MS:
        raise BadRecord("the time of a sentence is beyond any call")
    return number


def _crm_schema(value: dict[str, Any], place: Place) -> Iterator[Record]:
    """Yield one record an object type; its id is ``integrationId:TYPE``, the first half often empty."""
    types = value[CRM_SCHEMA_KEY]
    if types is None:
        return
    if not isinstance(types, dict):
        raise BadRecord(f'"{CRM_SCHEMA_KEY}" is no object')
    integration = value.get("integrationId")
    prefix = "" if integration is None else _id_text(integration, "integrationId")
    for object_type, fields in types.items():
        if fields is not None and not isinstance(fields, list):
            raise BadRecord("the fields of a CRM object type are no array")
        payload = {"integrationId": prefix, "objectType": object_type, "fields": fields or []}
        yield Record("crm_schema", f"{prefix}:{_plain_id(object_type)}", payload, canonical(payload), place)


def _ids_to_text(node: Any) -> None:
    """Make every id below *node* text, in place, so that 7 and "7" are the same id for ever."""
    if isinstance(node, list):
        for item in node:
            if isinstance(item, dict | list):
                _ids_to_text(item)
        return
    for key, value in node.items():
        if type(value) is str or value is None:
            continue
        if key in _ID_KEYS:
            node[key] = _id_text(value, key)
        elif isinstance(value, dict | list) and key not in _OPAQUE_KEYS:
            _ids_to_text(value)


def _id_text(value: object, key: str) -> str:
    if isinstance(value, str):
        return _plain_id(value)
    if isinstance(value, bool) or not isinstance(value, int):
        what = "a number with a fraction or exponent" if isinstance(value, float) else "neither text nor a whole number"
        raise BadRecord(f'the id in "{key}" is {what}, so its exact digits are lost')
    return str(value)


def _required_id(value: dict[str, Any], key: str, name: str) -> str:
    found = value.get(key)
    text = "" if found is None else _id_text(found, key)
    if not text.strip():
        raise BadRecord(f'it has no id ("{name}" is missing or empty)')
    return _plain_id(text)


def _plain_id(text: str) -> str:
    if len(text) > _MAX_ID or _CONTROL.search(text):
        raise BadRecord("an id is longer than 256 characters or holds control characters")
    return text
