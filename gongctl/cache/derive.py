"""From the raw payloads of one call to the rows that are served of it. Pure: no database, no clock.

Everything that leaves here as free text is masked (``gongmcp.exposure.masking``); ids, dates and numbers
are typed fields and are not.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from gongctl.cache.crm_context import CrmObject, as_text, crm_objects, is_phone_field
from gongctl.cache.highlights import HighlightRow, highlights_of
from gongctl.cache.lifecycle import LifecycleRules, chosen_account, chosen_opportunity, classify, priority_score
from gongctl.cache.profile_facts import KeptProfile, ProfileFacts, call_fields, facts_of, traits_of
from gongmcp.exposure.aliases import call_ref, email_key, object_ref, speaker_ref, tie_breaker, user_ref
from gongmcp.exposure.clean import clean
from gongmcp.exposure.masking import find_spans, mask
from gongmcp.exposure.participants import Participants
from gongmcp.exposure.text import MaskedText, apply_spans, format_spans
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import MAX_SEGMENTS

if TYPE_CHECKING:
    from gongctl.vcon.project import Projection

MAX_SECOND: Final = (1 << 32) - 1
_MILLISECOND_EPOCHS: Final = 100_000_000_000  # a bigger number of seconds would be the year 5138
_SCOPES: Final = {"external": "External", "internal": "Internal"}
_PEOPLE: Final = frozenset({"contact", "lead", "user"})
_AFFILIATIONS: Final = frozenset({"internal", "external"})
_DURATIONS: Final = ((60, "under_1m"), (300, "1_5m"), (900, "5_15m"), (1800, "15_30m"), (2700, "30_45m"))

SegmentRow = tuple[int, int, int, int, str, str | None]
"""Segment index, speaker_no, start_ms, end_ms, masked text, spans."""


@dataclass(frozen=True, slots=True)
class PartyRow:
    """One party of a call, or (*matched* 0) a speaker of its transcript who is none."""

    party_no: int
    speaker_id: str
    speaker_ref: str
    affiliation: str
    job_title: str
    matched: int
    email_key: str = ""


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """One CRM object; *values* are (field name, masked value, spans), '' = blank."""

    position: int
    object_type: str
    kind: str
    object_id: str
    object_ref: str
    name: str
    name_spans: str | None
    values: tuple[tuple[str, str, str | None], ...]

    @property
    def populated(self) -> int:
        """How many fields are not blank."""
        return sum(1 for _, value, _ in self.values if value)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answered scorecard of a call, without any answer's text."""

    answered_id: str
    scorecard_id: str
    scorecard_name: str
    review_method: str
    review_time: str
    reviewed_user: str
    overall_score: float | None
    answer_score_sum: float
    answer_score_count: int


@dataclass(frozen=True, slots=True)
class ServingCall:
    """All that is served of one call, but for its number.

    *second* is its start (UTC, seconds since 1970, 0..2^32-1) and *tie* the number it prefers among the
    calls of that second; *facts* holds the columns of ``call_facts`` except numbers; *account* and
    *opportunity* are the positions of the objects that they were read from; *profiles* are its facts under the
    business profiles of which facts are kept; *highlights* are what the AI wrote of it; *vcons*
    are the rows of the vCons that it stands for.
    """

    call_id: str
    second: int
    tie: int
    facts: Mapping[str, str | int | None]
    parties: tuple[PartyRow, ...]
    objects: tuple[ObjectRow, ...]
    segments: tuple[SegmentRow, ...]
    answers: tuple[AnswerRow, ...]
    account: int | None
    opportunity: int | None
    profiles: tuple[ProfileFacts, ...] = ()
    highlights: tuple[HighlightRow, ...] = ()
    vcons: tuple[Projection, ...] = ()


def derive(
    call: Mapping[str, Any],
    transcript: Mapping[str, Any] | None,
    secret: bytes,
    imported_at: str,
    answered: Sequence[Mapping[str, Any]] = (),
    names: CrmNames | None = None,
    profiles: Sequence[KeptProfile] = (),
    *,
    mask_participants: bool = False,
) -> ServingCall:
    """Return what is served of *call* (an item of ``calls[]``, nested or flat), its *transcript* and the
    scorecards *answered* for it; *names* are what CRM systems call things, *profiles* what facts are kept of;
    *mask_participants* masks the names of the call's own parties in its title, transcript and CRM values.

    *secret* keys the aliases; *imported_at* (ISO, UTC) stands in for a start that Gong did not give.
    A transcript without a sentence counts as missing.

    Raises:
        ValueError: the call has no id, or more than ``MAX_SEGMENTS`` sentences.
    """
    nested = call.get("metaData")
    meta: Mapping[str, Any] = nested if isinstance(nested, Mapping) else call
    call_id = as_text(meta.get("id"))
    if not call_id:
        raise ValueError("a call without an id")
    if not any(key in call for key in ("parties", "context")):
        call = {**meta, **call}  # a flat call that an import put under metaData as a whole
    parties = _parties(call.get("parties"), secret, call_id)
    names = names or CrmNames.default()
    rules = LifecycleRules.of(names)
    objects = crm_objects(call, names)
    accounts = (item.get("name")[0] or item.name for item in objects if item.kind == "account")
    people = Participants.of(call.get("parties"), accounts) if mask_participants else None
    segments, speakers = _segments(transcript, parties, people, secret, call_id)
    account, opportunity = chosen_account(objects, rules), chosen_opportunity(objects, rules)
    start, started_at = _start(meta, imported_at)
    facts: dict[str, str | int | None] = {
        "call_id": call_id,
        "call_ref": call_ref(secret, call_id),
        "started_at": started_at,
        **_calendar(start),
        **_metadata(call, meta, people),
        "transcript_present": int(bool(segments)),
        "segment_count": len(segments),
        "text_chars": sum(len(text) for _, _, _, _, text, _ in segments),
        "parties_count": len(parties),
        "external_parties": sum(party.affiliation == "external" for party in parties),
        **_crm_facts(call, meta, objects, rules, account, opportunity),
    }
    return ServingCall(
        call_id,
        min(max(int(start.timestamp()), 0), MAX_SECOND),
        tie_breaker(secret, call_id),
        facts,
        speakers,
        tuple(_object_row(position, item, people, secret) for position, item in enumerate(objects)),
        segments,
        tuple(_answer(item, secret) for item in answered),
        _position(objects, account),
        _position(objects, opportunity),
        facts_of(profiles, objects, call_fields(call, meta), traits_of(facts)),
        highlights_of(call, lambda text: _masked(text, people)),
    )


def _position(objects: Sequence[CrmObject], item: CrmObject | None) -> int | None:
    return next((position for position, other in enumerate(objects) if other is item), None)


# --- time ------------------------------------------------------------------------------------------


def parse_time(value: object) -> dt.datetime | None:
    """Return a moment in UTC; None when *value* is none.

    Understood are ISO 8601 in its usual variations (``Z``, offsets, any number of fraction digits, a
    blank for the T, blanks around; without an offset it is UTC) and seconds or milliseconds since 1970 as
    a number or digits.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text.lstrip("-").replace(".", "", 1).isdecimal() and len(text) > 8:
        return _from_epoch(float(text))
    if " +" in text or " -" in text:  # 2026-01-05 09:00:00 +01:00
        text = text.replace(" +", "+").replace(" -", "-")
    try:
        moment = dt.datetime.fromisoformat(text.replace("z", "Z"))
        return moment.replace(tzinfo=moment.tzinfo or dt.UTC).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None


def _from_epoch(seconds: float) -> dt.datetime | None:
    if abs(seconds) >= _MILLISECOND_EPOCHS:
        seconds /= 1000
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _start(meta: Mapping[str, Any], imported_at: str) -> tuple[dt.datetime, str]:
    """Return when the call began, and the text that says so: as given, or ISO where a number was given."""
    for key in ("started", "scheduled"):
        moment = parse_time(meta.get(key))
        if moment is not None:
            given = meta[key]
            return moment, clean(given.strip())[0] if isinstance(given, str) and "-" in given else _iso(moment)
    moment = parse_time(imported_at) or dt.datetime.fromtimestamp(0, dt.UTC)
    return moment, _iso(moment)


def _iso(moment: dt.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _calendar(start: dt.datetime) -> dict[str, str]:
    return {
        "call_date": start.strftime("%Y-%m-%d"),
        "call_month": start.strftime("%Y-%m"),
        "call_quarter": f"{start.year:04d}-Q{(start.month + 2) // 3}",
    }


# --- metadata --------------------------------------------------------------------------------------


def _metadata(
    call: Mapping[str, Any], meta: Mapping[str, Any], people: Participants | None
) -> dict[str, str | int | None]:
    title = _masked(as_text(meta.get("title")), people)
    duration = _seconds(meta.get("duration"))
    return {
        "title": title.value,
        "title_spans": format_spans(title.spans),
        "duration_seconds": duration,
        "duration_bucket": next((name for limit, name in _DURATIONS if duration < limit), "45m_plus"),
        "system": _label(_either(call, meta, "system")),
        "direction": _label(_either(call, meta, "direction")),
        "scope": _SCOPES.get(as_text(meta.get("scope")).casefold(), "Unknown"),
        "purpose": _label(_either(call, meta, "purpose")),
        "language": _label(as_text(meta.get("language"))),
        "workspace_id": _id(meta.get("workspaceId")),
        "primary_user_id": _id(_either(call, meta, "primaryUserId")),
        "sdr_disposition": _label(_either(call, meta, "sdrDisposition")),
        "is_private": int(as_text(meta.get("isPrivate")).casefold() == "true"),
        "calendar_event_present": int(bool(as_text(meta.get("calendarEventId")))),
    }


def _masked(text: str, people: Participants | None, *, person: bool = False, phone_field: bool = False) -> MaskedText:
    masked = mask(text, phone_field=phone_field)
    return masked if people is None else people.add_to(text, masked, person=person)


def _either(call: Mapping[str, Any], meta: Mapping[str, Any], key: str) -> str:
    """Return the value of metaData, and of the call itself where metaData has none; a blank one counts."""
    value = meta.get(key)
    return as_text(call.get(key) if value is None else value)


def _label(text: str) -> str:
    """Return a business category masked: whoever may fill it in may fill in an address."""
    return mask(text).value.strip()


def _id(value: object) -> str:
    return clean(as_text(value))[0]


def _seconds(value: object) -> int:
    """Return a duration in whole seconds, 0 when *value* is none."""
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return 0
    return int(number) if math.isfinite(number) and 0 <= number <= MAX_SECOND else 0


def _milliseconds(value: object) -> int:
    if type(value) is int and value >= 0:
        return value
    return int(value) if isinstance(value, float) and math.isfinite(value) and value >= 0 else 0


# --- people and segments ---------------------------------------------------------------------------


def _parties(raw: object, secret: bytes, call_id: str) -> list[PartyRow]:
    people = [party for party in raw if isinstance(party, Mapping)] if isinstance(raw, list) else []
    return [_party(number, party, secret, call_id) for number, party in enumerate(people, 1)]


def _party(number: int, party: Mapping[str, Any], secret: bytes, call_id: str) -> PartyRow:
    speaker = _id(party.get("speakerId"))
    affiliation = as_text(party.get("affiliation")).casefold()
    return PartyRow(
        number,
        speaker,
        speaker_ref(secret, call_id, speaker) if speaker else "",
        affiliation if affiliation in _AFFILIATIONS else "unknown",
        _label(as_text(party.get("title"))),
        1,
        email_key(secret, address) if (address := as_text(party.get("emailAddress")).strip().lower()) else "",
    )


def _segments(
    transcript: Mapping[str, Any] | None,
    parties: Sequence[PartyRow],
    people: Participants | None,
    secret: bytes,
    call_id: str,
) -> tuple[tuple[SegmentRow, ...], tuple[PartyRow, ...]]:
    """Return the masked segments, and the parties with the speakers who are none of them."""
    rows: list[SegmentRow] = []
    everybody = list(parties)
    numbers: dict[str, int] = {}
    for party in parties:
        if party.speaker_id:
            numbers.setdefault(party.speaker_id, party.party_no)
    for speaker_id, sentences in _monologues(transcript):
        speaker = numbers.get(speaker_id, 0)
        if not speaker and speaker_id:
            speaker = numbers[speaker_id] = len(everybody) + 1
            reference = speaker_ref(secret, call_id, speaker_id)
            everybody.append(PartyRow(speaker, speaker_id, reference, "unknown", "", 0))
        texts = [sentence["text"] for sentence in sentences]
        spans = find_spans(texts)
        if people is not None:
            spans = people.add(texts, spans)
        index = len(rows)
        for position, sentence in enumerate(sentences):
            start = _milliseconds(sentence.get("start"))
            end = max(start, _milliseconds(sentence.get("end")))
            if spans is not None and spans[position]:
                found = spans[position]
                text = apply_spans(texts[position], found).value
                rows.append((index + position, speaker, start, end, text, format_spans(found)))
            else:
                rows.append((index + position, speaker, start, end, texts[position], None))
    if len(rows) > MAX_SEGMENTS:
        raise ValueError(f"a transcript with more than {MAX_SEGMENTS:,} sentences")
    return tuple(rows), tuple(everybody)


def _monologues(transcript: Mapping[str, Any] | None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield (speaker id or '', sentences that have a text) of each monologue."""
    monologues = transcript.get("transcript") if transcript is not None else None
    for monologue in monologues if isinstance(monologues, list) else ():
        if isinstance(monologue, Mapping):
            sentences = monologue.get("sentences")
            if isinstance(sentences, list):
                said = [s for s in sentences if isinstance(s, dict) and isinstance(s.get("text"), str)]
                yield _id(monologue.get("speakerId")), said


# --- CRM -------------------------------------------------------------------------------------------


def _crm_facts(
    call: Mapping[str, Any],
    meta: Mapping[str, Any],
    objects: Sequence[CrmObject],
    rules: LifecycleRules,
    account: CrmObject | None,
    opportunity: CrmObject | None,
) -> dict[str, str | int]:
    system, direction = _either(call, meta, "system"), _either(call, meta, "direction")
    lifecycle = classify(objects, system, direction, rules)
    opportunities = sum(item.kind == "opportunity" for item in objects)
    scope = _SCOPES.get(as_text(meta.get("scope")).casefold(), "Unknown")
    return {
        "lifecycle_bucket": lifecycle.bucket,
        "lifecycle_confidence": lifecycle.confidence,
        "lifecycle_reason": lifecycle.reason,
        "lifecycle_evidence_fields": json.dumps([_crm_name(name) for name in lifecycle.evidence]),
        "priority_score": priority_score(lifecycle, scope, direction, _seconds(meta.get("duration")), opportunities),
        "account_count": sum(item.kind == "account" for item in objects),
        "opportunity_count": opportunities,
        "account_industry": _attribute(account, "industry"),
        "account_type": _attribute(account, "type"),
        "account_revenue_range": _attribute(account, "revenue_range"),
        "opportunity_stage": _attribute(opportunity, "stage"),
        "opportunity_type": _attribute(opportunity, "type"),
        "opportunity_forecast_category": _attribute(opportunity, "forecast_category"),
        "opportunity_lead_source": _attribute(opportunity, "lead_source"),
    }


def _attribute(item: CrmObject | None, name: str) -> str:
    return _label(item.get(name)[0]) if item is not None else ""


@lru_cache(maxsize=4096)
def _crm_name(text: str) -> str:
    """Return an object type or field name as it is served: masked, for people name fields after addresses too."""
    return _label(text)


def _object_row(position: int, item: CrmObject, people: Participants | None, secret: bytes) -> ObjectRow:
    person = item.kind in _PEOPLE
    name = _masked(item.name, people, person=person)
    object_type, object_id = _crm_name(item.object_type), clean(item.object_id)[0].strip()
    values: dict[str, tuple[str, str | None]] = {}
    for field, value in item.fields.items():
        masked = (
            _masked(value, people, person=person, phone_field=is_phone_field(field))
            if field not in item.typed or is_phone_field(field)
            else None
        )
        entry = (value, None) if masked is None else (masked.value, format_spans(masked.spans))
        # Two names may be one once their invisible characters and outer blanks are gone, which a caller cannot
        # ask for; a value is kept before a blank.
        key = _crm_name(field)
        if key not in values or not values[key][0]:
            values[key] = entry
    return ObjectRow(
        position,
        object_type,
        item.kind,
        object_id,
        object_ref(secret, object_type, object_id) if object_id else "",
        name.value,
        format_spans(name.spans),
        tuple((field, value, spans) for field, (value, spans) in values.items()),
    )


# --- answered scorecards ---------------------------------------------------------------------------


def _answer(item: Mapping[str, Any], secret: bytes) -> AnswerRow:
    raw = item.get("answers")
    answers = [answer for answer in raw if isinstance(answer, Mapping)] if isinstance(raw, list) else []
    scores = [(answer.get("isOverall") is True, _score(answer)) for answer in answers]
    scored = [score for _, score in scores if score]  # a score of 0 says "not scored"
    user = _id(item.get("reviewedUserId"))
    return AnswerRow(
        _id(item.get("answeredScorecardId")),
        _id(item.get("scorecardId")),
        _label(as_text(item.get("scorecardName"))),
        _label(as_text(item.get("reviewMethod"))),
        _id(item.get("reviewTime")),
        user_ref(secret, user) if user else "",
        next((score for overall, score in scores if overall and score), None),
        sum(scored),
        len(scored),
    )


def _score(answer: Mapping[str, Any]) -> float | None:
    value = answer.get("score")
    if answer.get("notApplicable") is True or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
