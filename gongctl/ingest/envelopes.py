"""Lines of JSON of programs that copy Gong's data: Airbyte's and Singer's messages, and what their destinations write.

An Airbyte message carries a record under ``record.data`` and its stream's name beside it; Airbyte's raw files carry it
under ``_airbyte_data`` and the stream's name in the file's. A Singer message carries it under ``record``; Singer's
targets write it bare, with columns of their own (``_sdc_…``). What is inside is Gong's record, now and then with its id
a second time at the top.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, Literal

from gongctl.ingest.decode import decode
from gongctl.ingest.documents import numbered_lines
from gongctl.ingest.files import Source
from gongctl.ingest.kinds import kind_of
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import BadRecord, Kind, Place, Record, Rejected, Skipped
from gongctl.ingest.splitter import MAX_RECORD_BYTES, Broken

Envelope = Literal["airbyte", "airbyte_raw", "singer", "singer_rows"]

STREAMS: Final[Mapping[str, Kind]] = {
    "calls": "call",
    "extensivecalls": "call",
    "callsextensive": "call",
    "calldetails": "call",
    "transcripts": "transcript",
    "calltranscripts": "transcript",
    "callstranscript": "transcript",
    "users": "user",
    "usersextensive": "user",
    "workspaces": "workspace",
    "trackers": "tracker",
    "keywordtrackers": "tracker",
    "settingstrackers": "tracker",
    "scorecards": "scorecard",
    "settingsscorecards": "scorecard",
    "answeredscorecards": "answered_scorecard",
    "scorecardactivity": "answered_scorecard",
    "statsactivityscorecards": "answered_scorecard",
    "crmintegrations": "crm_integration",
    "integrations": "crm_integration",
}
"""Names of streams, letters and digits alone in lower case, and what their records are."""

_AIRBYTE_TYPES: Final = frozenset(
    {"RECORD", "STATE", "LOG", "SPEC", "CATALOG", "CONNECTION_STATUS", "TRACE", "CONTROL", "DESTINATION_CATALOG"}
)
_SINGER_TYPES: Final = frozenset({"RECORD", "SCHEMA", "STATE", "ACTIVATE_VERSION", "BATCH"})
_AIRBYTE_DATA: Final = "_airbyte_data"
_OWN_COLUMNS: Final = ("_airbyte_", "_ab_", "_sdc_")
_DELETED: Final = ("_ab_cdc_deleted_at", "_sdc_deleted_at")


def envelope_of(value: Mapping[str, Any]) -> Envelope | None:
    """Return whose line *value* is; None when it is neither Airbyte's nor Singer's."""
    kind = value.get("type")
    record = value.get("record")
    if kind == "RECORD" and isinstance(record, Mapping):
        return "singer" if isinstance(value.get("stream"), str) else "airbyte" if "stream" in record else None
    if kind in _SINGER_TYPES and ("stream" in value or (kind == "STATE" and "value" in value)):
        return "singer"
    if kind in _AIRBYTE_TYPES and str(kind).lower().replace("_", "") in {key.lower().replace("_", "") for key in value}:
        return "airbyte"
    if isinstance(value.get(_AIRBYTE_DATA), Mapping | str):
        return "airbyte_raw"
    if any(key.startswith("_airbyte_") for key in value):
        return "airbyte_raw"
    return "singer_rows" if any(key.startswith("_sdc_") for key in value) else None


def records_in_lines(source: Source, path: str) -> Iterator[Record | Rejected | Skipped]:
    """Yield the records of Gong in a file of such lines; *path* is the name for places.

    A stream that is none of Gong's kinds here is said once, with how many records of it were passed over.
    """
    passed: Counter[str] = Counter()
    number = 0
    try:
        for number, line in numbered_lines(source, MAX_RECORD_BYTES):
            place = Place(path, line=number)
            try:
                found = _content(decode(line), path)
            except BadRecord as error:
                yield Rejected(place, str(error))
                continue
            if found is None:
                continue
            stream, value = found
            kind = STREAMS.get(_plain(stream)) or kind_of(value)
            if kind is None:
                passed[stream] += 1
                continue
            try:
                yield from records_of(kind, _as_gong(kind, value), place)
            except BadRecord as error:
                yield Rejected(place, str(error), kind)
    except Broken as broken:
        yield Rejected(Place(path, line=number + 1), broken.reason)
    for stream, count in passed.items():
        name = re.sub(r"[^\w. -]", "?", stream)[:60] or "without a name"
        yield Skipped(
            f"{path} (stream {name}, {count:,} records)", "it is no kind of record that is known here", part=True
        )


def _content(value: Any, path: str) -> tuple[str, dict[str, Any]] | None:
    """Return the stream and the record of one line; None for a message that carries none, or a deleted record."""
    if not isinstance(value, dict):
        raise BadRecord("it is no JSON object")
    envelope = envelope_of(value)
    if envelope is None:
        raise BadRecord("it is no message of Airbyte or Singer")
    if envelope in ("airbyte", "singer"):
        if value["type"] != "RECORD":
            return None
        holder, key = (value["record"], "data") if envelope == "airbyte" else (value, "record")
        data, stream = holder.get(key), str(holder.get("stream"))
    else:
        data, stream = value.get(_AIRBYTE_DATA, value), _stream_of(path)
        if isinstance(data, str):  # some destinations write the record as text
            data = decode(data.encode())
    if not isinstance(data, dict):
        raise BadRecord("the record of the message is no JSON object")
    if any(data.get(key) or value.get(key) for key in _DELETED):
        return None
    return stream, {key: item for key, item in data.items() if not key.startswith(_OWN_COLUMNS)}


def _as_gong(kind: Kind, value: dict[str, Any]) -> dict[str, Any]:
    """Return a record as Gong delivered it: without what was copied to the top, and what was filled with null.

    A call's parts that were not asked for are absent at Gong; a table with a column for each writes null.
    """
    if kind != "call":
        return value
    meta = value.get("metaData")
    if not isinstance(meta, dict):
        return {key: item for key, item in value.items() if item is not None}
    copied = {key for key in value.keys() & meta.keys() if str(value[key]) == str(meta[key])}
    return {key: item for key, item in value.items() if item is not None and key not in copied}


def _stream_of(path: str) -> str:
    """Return the stream that a file's name tells: ``_airbyte_raw_calls.jsonl``, ``calls-20260101T000000.jsonl``."""
    name = PurePath(path).name.split(".")[0].lower()
    name = name.removeprefix("_airbyte_raw_").removeprefix("airbyte_raw_")
    return re.sub(r"[-_]?\d[\dtz_-]*$", "", name)


def _plain(stream: str) -> str:
    return re.sub(r"[^a-z0-9]", "", stream.lower()).removeprefix("gong")
