"""A Gong call as a vCon: everything that Gong delivered of it, for the operator's own eyes.

Where a thing of Gong's has no place in the format it stands as JSON in an attachment or analysis. ``gong_raw`` holds
the payloads as they are, with their hash: the one way back that loses nothing. The order of everything is fixed, so
that the same call gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gongctl.ingest.decode import canonical
from gongctl.vcon import SYNTAX, Vcon
from gongctl.vcon.bodies import content_hash, json_body
from gongctl.vcon.placeholders import ANONYMOUS
from gongctl.vcon.tags import tags_attachment
from gongctl.vcon.times import rfc3339
from gongctl.vcon.transcripts import OWN_SCHEMA, TRANSCRIPT

VENDOR: Final = "Gong"
RAW: Final = "gong_raw"
METADATA: Final = "gong_call_metadata"
PARTIES: Final = "gong_parties"
CRM: Final = "crm_context"
COMMENTS: Final = "gong_comments"

_TAGS: Final = {
    "gong_call_id": "id",
    "gong_direction": "direction",
    "gong_language": "language",
    "gong_scope": "scope",
    "gong_system": "system",
    "gong_workspace_id": "workspaceId",
}
_MEDIA: Final = {"Audio": "audio/mpeg", "Video": "video/mp4"}
"""The form in which Gong hands out a recording of each kind; other programs want one on every recording."""
_PARTY_KEYS: Final = ("id", "userId", "speakerId", "affiliation", "title", "methods", "context")
_REPORTS: Final = (("callOutcome", "call_outcome"), ("highlights", "highlights"), ("keyPoints", "key_points"),
                   ("outline", "outline"))  # fmt: skip
_LISTS: Final = (("structure", "structure"), ("topics", "topics"), ("trackers", "trackers"))
OWN_TYPES: Final = frozenset(
    {
        "summary",
        TRANSCRIPT,
        "action_items",
        "interaction_stats",
        "report",
        "scorecard",
        "structure",
        "topics",
        "trackers",
    }
)
"""Types of the analyses that are written here."""
OWN_PRODUCTS: Final = frozenset(
    {"brief", TRANSCRIPT, "action_items", "interaction_stats", "answered_scorecards", "structure", "topics", "trackers"}
    | {product for _, product in _REPORTS}
)
"""Their products."""


def vcon_of_call(
    call: Mapping[str, Any],
    transcript: Mapping[str, Any] | None,
    answered: Sequence[Mapping[str, Any]],
    *,
    uuid: str,
    created_at: str,
    raw: bool = True,
    text_dialogs: bool = False,
    comments: bool = False,
) -> Vcon:
    """Return the vCon of a stored call with its *transcript* and the scorecards *answered* for it.

    *created_at* is the time of its import. *raw* adds the payloads as they are; *text_dialogs* makes a dialog of each
    turn instead of a transcript analysis; *comments* adds what people wrote beside the call.
    """
    meta = call.get("metaData")
    meta = meta if isinstance(meta, Mapping) else {}
    people = [party for party in call.get("parties") or () if isinstance(party, Mapping)]
    start = rfc3339(meta.get("started")) or rfc3339(meta.get("scheduled")) or created_at
    vcon: Vcon = {"vcon": SYNTAX, "uuid": uuid, "created_at": created_at}
    if isinstance(meta.get("title"), str) and meta["title"]:
        vcon["subject"] = meta["title"]
    vcon["parties"] = [_party(party) for party in people]
    speakers = _speakers(people)
    recording = _recording(meta, people, start)
    turns = list(_monologues(transcript))
    if text_dialogs and turns:
        vcon["dialog"] = [recording, *_text_dialogs(turns, speakers, start)]
    else:
        vcon["dialog"] = [recording]
    said = [] if text_dialogs else turns
    vcon["analysis"] = list(_analyses(call, answered, said, speakers, meta))
    vcon["attachments"] = list(_attachments(call, meta, people, start, comments=comments))
    if raw:
        payloads = {"call": call, "transcript": transcript, "answered_scorecards": list(answered)}
        body = canonical(payloads).decode()
        vcon["attachments"].append(
            _attachment(RAW, start, {"encoding": "json", "body": body, "content_hash": content_hash(body.encode())})
        )
    vcon["attachments"].append(tags_attachment(_tags(meta, bool(turns)), start))
    return vcon


def _party(party: Mapping[str, Any]) -> dict[str, str]:
    out = {}
    for key, source in (("name", "name"), ("mailto", "emailAddress"), ("tel", "phoneNumber")):
        value = party.get(source)
        if isinstance(value, str) and value.strip() and (key != "mailto" or "@" in value):
            out[key] = value.strip()
    return out or {"name": ANONYMOUS}  # an empty party would be a placeholder


def _speakers(people: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for index, party in enumerate(people):
        speaker = party.get("speakerId")
        if isinstance(speaker, str) and speaker:
            found.setdefault(speaker, index)
    return found


def _recording(meta: Mapping[str, Any], people: Sequence[Mapping[str, Any]], start: str) -> dict[str, Any]:
    dialog: dict[str, Any] = {"type": "recording", "start": start}
    duration = meta.get("duration")
    if isinstance(duration, int | float) and not isinstance(duration, bool) and duration >= 0:
        dialog["duration"] = duration
    if people:
        dialog["parties"] = list(range(len(people)))
    owner = meta.get("primaryUserId")
    index = next((i for i, party in enumerate(people) if owner and party.get("userId") == owner), 0)
    if index and meta.get("direction") in ("Outbound", "Conference"):
        dialog["originator"] = index
    if meta.get("media") in ("Audio", "Video"):
        dialog["mediatype"] = _MEDIA[meta["media"]]
    if isinstance(meta.get("system"), str) and meta["system"]:
        dialog["application"] = meta["system"]
    return dialog


_Turn = tuple[str, str, list[Mapping[str, Any]]]
"""Speaker id, topic, sentences."""


def _monologues(transcript: Mapping[str, Any] | None) -> Iterator[_Turn]:
    monologues = transcript.get("transcript") if transcript is not None else None
    for monologue in monologues if isinstance(monologues, list) else ():
        if not isinstance(monologue, Mapping):
            continue
        said = [item for item in monologue.get("sentences") or () if isinstance(item, Mapping) and item.get("text")]
        if said:
            yield str(monologue.get("speakerId") or ""), str(monologue.get("topic") or ""), said


def _text_dialogs(turns: Sequence[_Turn], speakers: Mapping[str, int], start: str) -> Iterator[dict[str, Any]]:
    for speaker, _, said in turns:
        dialog: dict[str, Any] = {
            "type": "text",
            "start": _later(start, int(said[0]["start"])),
            "duration": round((max(int(item["end"]) for item in said) - int(said[0]["start"])) / 1000, 3),
        }
        if speaker in speakers:
            dialog["parties"] = [speakers[speaker]]
        text = " ".join(str(item["text"]) for item in said)
        yield {**dialog, "mediatype": "text/plain", "encoding": "none", "body": text}


def _later(start: str, offset_ms: int) -> str:
    import datetime as dt

    moment = dt.datetime.fromisoformat(start.replace("z", "Z")) + dt.timedelta(milliseconds=offset_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _analyses(
    call: Mapping[str, Any],
    answered: Sequence[Mapping[str, Any]],
    turns: Sequence[_Turn],
    speakers: Mapping[str, int],
    meta: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    content = call.get("content")
    content = content if isinstance(content, Mapping) else {}
    brief = content.get("brief")
    if isinstance(brief, str) and brief.strip():
        yield {
            **_analysis("summary", "brief"),
            "mediatype": "text/plain",
            "encoding": "none",
            "body": brief,
        }
    if turns:
        segments = [
            {
                "i": index,
                **({"party": speakers[speaker]} if speaker in speakers else {}),
                "speaker_id": speaker,
                **({"topic": topic} if topic else {}),
                "start_ms": item.get("start"),
                "end_ms": item.get("end"),
                "text": item["text"],
            }
            for index, (speaker, topic, item) in enumerate(
                (speaker, topic, item) for speaker, topic, said in turns for item in said
            )
        ]
        yield {
            **_analysis(TRANSCRIPT, "transcript"),
            "schema": OWN_SCHEMA,
            "mediatype": "application/json",
            **json_body({"language": meta.get("language"), "segments": segments}),
        }
    points = content.get("pointsOfInterest")
    items = points.get("actionItems") if isinstance(points, Mapping) else None
    interaction = call.get("interaction")
    rest: list[tuple[str, str, Any]] = [
        ("action_items", "action_items", items),
        ("interaction_stats", "interaction_stats", interaction),
        *(("report", product, content.get(key)) for key, product in _REPORTS),
        ("scorecard", "answered_scorecards", list(answered)),
        *((kind, kind, content.get(key)) for key, kind in _LISTS),
    ]
    for kind, product, value in rest:
        if value not in (None, [], {}, ""):
            yield {**_analysis(kind, product), "mediatype": "application/json", **json_body(value)}


def _analysis(kind: str, product: str) -> dict[str, Any]:
    return {"type": kind, "dialog": 0, "vendor": VENDOR, "product": product}


def _attachments(
    call: Mapping[str, Any],
    meta: Mapping[str, Any],
    people: Sequence[Mapping[str, Any]],
    start: str,
    *,
    comments: bool,
) -> Iterator[dict[str, Any]]:
    context = call.get("context")
    systems: dict[str, list[Any]] = {}
    for part in context if isinstance(context, list) else ():
        if isinstance(part, Mapping):
            systems.setdefault(str(part.get("system") or ""), []).extend(part.get("objects") or ())
    for system, objects in sorted(systems.items()):
        yield _attachment(CRM, start, json_body({"system": system, "objects": objects}))
    yield _attachment(METADATA, start, json_body(dict(meta)))
    spoken = call.get("collaboration")
    if comments and spoken:
        yield _attachment(COMMENTS, start, json_body(spoken))
    if people:
        known = [
            {"index": index, **{key: party[key] for key in _PARTY_KEYS if party.get(key) not in (None, [], "")}}
            for index, party in enumerate(people)
        ]
        yield _attachment(PARTIES, start, json_body(known))


def _attachment(purpose: str, start: str, body: Mapping[str, Any]) -> dict[str, Any]:
    return {"purpose": purpose, "start": start, "party": 0, "dialog": 0, "mediatype": "application/json", **body}


def _tags(meta: Mapping[str, Any], spoken: bool) -> dict[str, str]:
    tags = {key: value for key, source in _TAGS.items() if isinstance(value := meta.get(source), str) and value}
    return tags if spoken else {**tags, TRANSCRIPT: "missing"}
