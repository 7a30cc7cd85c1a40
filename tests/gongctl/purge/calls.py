"""Synthetic calls in which each place holds a word of its own, so that what is left of a call can be found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongmcp.governance.restricted import RestrictedList, read_restricted_list
from gongmcp.store.model import ModelRules

SECRET = bytes(range(32))
PLACES = ("title", "party", "mail", "job", "account", "deal", "stage", "field", "spoken", "brief", "answer", "meeting")
MONTHS = ("2024-11", "2024-12", "2025-01", "2025-02")

Item = tuple[Kind, dict[str, Any]]


def word(call: int, place: str) -> str:
    """Return the word of *place* in *call*: letters only, none begins like another."""
    digest = hashlib.sha256(f"{call} {place}".encode()).hexdigest()
    return digest[:20].translate(str.maketrans("0123456789", "ghijklmnop"))


def words(calls: Iterable[int]) -> set[str]:
    """Return every word of *calls* that only they hold."""
    return {word(call, place) for call in calls for place in PLACES}


def call_id(call: int) -> str:
    """Return the id of *call*."""
    return str(7_000_000_000_000_000_000 + int(hashlib.sha256(f"{call}".encode()).hexdigest()[:14], 16))


def items(call: int) -> list[Item]:
    """Return the records of *call*: itself, its transcript, its answered scorecard. All share one opportunity."""
    number = call_id(call)
    started = f"{MONTHS[call % len(MONTHS)]}-{10 + call % 15}T10:00:00Z"
    text = f"we spoke of {word(call, 'spoken')} and the renewal price"
    return [
        (
            "call",
            {
                "metaData": {
                    "id": number,
                    "title": f"About {word(call, 'title')}",
                    "started": started,
                    "duration": 600 + call,
                    "scope": "External",
                    "meetingUrl": f"https://meet.example.com/{word(call, 'meeting')}",
                    "primaryUserId": "900",
                },
                "parties": [
                    {
                        "id": f"p{call}",
                        "speakerId": f"s{call}",
                        "name": f"Dana {word(call, 'party')}",
                        "emailAddress": f"{word(call, 'mail')}@example.com",
                        "title": f"Head of {word(call, 'job')}",
                        "affiliation": "External",
                    },
                    {"id": "host", "userId": "900", "name": "Host", "affiliation": "Internal"},
                ],
                "context": [
                    {
                        "system": "Salesforce",
                        "objects": [
                            {
                                "objectType": "Account",
                                "objectId": f"acc{call}",
                                "fields": [
                                    {"name": "Name", "value": f"Works {word(call, 'account')}"},
                                    {"name": "Industry", "value": "Retail"},
                                    {"name": "Note__c", "value": f"note {word(call, 'field')}"},
                                ],
                            },
                            {
                                "objectType": "Opportunity",
                                "objectId": f"opp{call % 3}",
                                "fields": [
                                    {"name": "Name", "value": f"Deal {word(call, 'deal')}"},
                                    {"name": "StageName", "value": f"Stage {word(call, 'stage')}"},
                                    {"name": "Type", "value": "Renewal"},
                                ],
                            },
                        ],
                    }
                ],
                "content": {"brief": f"They wish for {word(call, 'brief')}."},
            },
        ),
        (
            "transcript",
            {
                "callId": number,
                "transcript": [
                    {"speakerId": f"s{call}", "sentences": [{"start": 0, "end": 900, "text": text}] * (2 + call % 3)}
                ],
            },
        ),
        (
            "answered_scorecard",
            {
                "answeredScorecardId": str(5_000 + call),
                "scorecardId": "77",
                "scorecardName": "Discovery",
                "callId": number,
                "callStartTime": started,
                "reviewTime": started,
                "reviewedUserId": "900",
                "answers": [{"questionId": "1", "score": 3, "isOverall": True, "answerText": word(call, "answer")}],
            },
        ),
    ]


USERS: list[Item] = [
    ("user", {"id": "900", "emailAddress": "host@example.com", "emailAliases": ["h@example.org"], "firstName": "Host"}),
]


def restricted_list(folder: Path) -> RestrictedList:
    """Return a list that names no call here: so every call is judged, and its words are indexed."""
    path = folder / "list.yaml"
    path.write_text("version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Unmentioned Harbour Company\n")
    return read_restricted_list(path)


def store(path: Path, calls: Sequence[int], *more: Item) -> Any:
    """Import *calls* into the cache at *path* and return the report."""
    given = [item for call in calls for item in items(call)]
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        records = [r for kind, value in [*given, *more] for r in records_of(kind, value, Place("test"))]
        return import_records(writer, records)


def warmed(path: Path, restricted: RestrictedList | None = None) -> None:
    """Warm the cache at *path*."""
    with CacheWriter.open(path) as writer:
        rules = ModelRules(restricted=restricted.digest if restricted else "")
        warm(writer, rules=rules, restricted=restricted)
