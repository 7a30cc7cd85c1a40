"""A small cache in which every text of every kind is unique, so that a leak names its column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CALL_IDS = ("9100000000000000001", "9100000000000000002", "9100000000000000003")

PLANTED: dict[str, str] = {
    "call_id": "910000000000000000",
    "call_title": "CANARYTITLE",
    "call_url": "CANARYURL",
    "meeting_url": "CANARYMEETING",
    "client_unique_id": "CANARYCLIENT",
    "custom_data": "CANARYCUSTOM",
    "party_name": "CANARYPARTYNAME",
    "party_email": "canaryparty",
    "party_title": "CANARYJOB",
    "party_phone": "202-555-0187",
    "party_id": "92000000000000000",
    "speaker_id": "93000000000000000",
    "user_id": "94000000000000000",
    "account_id": "CANARYACCID",
    "account_name": "CANARYACCNAME",
    "account_website": "canaryweb",
    "opportunity_id": "CANARYOPPID",
    "opportunity_name": "CANARYOPPNAME",
    "crm_value": "CANARYVALUE",
    "amount": "7654321",
    "brief": "CANARYBRIEF",
    "key_point": "CANARYKEYPOINT",
    "comment": "CANARYCOMMENT",
    "tracker_phrase": "CANARYPHRASE",
    "user_name": "CANARYUSER",
    "user_email": "canaryuser",
    "answer_text": "CANARYANSWER",
    "spoken_email": "canaryspoken",
    "spoken_phone": "555-0199",
}
"""Values that the default policy shows nowhere, by the column they stand in."""

SHOWN: dict[str, str] = {
    "sentence": "CANARYSENTENCE",
    "system": "CANARYSYSTEM",
    "industry": "CANARYINDUSTRY",
    "stage": "CANARYSTAGE",
    "field_name": "CANARYFIELD",
    "object_type": "CANARYTYPE",
}
"""Values that a tool's declaration shows: the tests must find them, or they look in the wrong place."""


def write_files(folder: Path) -> list[Path]:
    """Write the planted calls in the shape of Gong's API answers; returns the files."""
    calls = [_call(number) for number in range(len(CALL_IDS))]
    transcripts = [_transcript(number) for number in range(len(CALL_IDS) - 1)]
    users = [
        {
            "id": f"94000000000000000{n}",
            "emailAddress": f"canaryuser{n}@example.com",
            "firstName": f"CANARYUSER{n}",
            "lastName": "Person",
            "title": "Rep",
        }
        for n in range(2)
    ]
    answered = [
        {
            "answeredScorecardId": f"95000000000000000{n}",
            "scorecardId": "960000000000000001",
            "scorecardName": "Quality",
            "callId": CALL_IDS[n],
            "reviewedUserId": "940000000000000000",
            "reviewMethod": "MANUAL",
            "reviewTime": "2026-03-01T10:00:00Z",
            "answers": [{"questionId": "1", "isOverall": True, "score": 4, "answerText": f"CANARYANSWER{n}"}],
        }
        for n in range(2)
    ]
    files = {
        "calls.json": {"calls": calls},
        "transcripts.json": {"callTranscripts": transcripts},
        "users.json": {"users": users},
        "activity.json": {"answeredScorecards": answered},
    }
    out = []
    for name, content in files.items():
        path = folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        out.append(path)
    return out


def _call(n: int) -> dict[str, Any]:
    return {
        "metaData": {
            "id": CALL_IDS[n],
            "url": f"https://app.gong.io/call?id=CANARYURL{n}",
            "title": f"CANARYTITLE{n} weekly",
            "started": f"2026-0{n + 2}-03T10:00:00Z",
            "duration": 1800 + n,
            "primaryUserId": "940000000000000000",
            "direction": "Conference",
            "system": "CANARYSYSTEM",
            "scope": "External",
            "language": "eng",
            "workspaceId": "970000000000000001",
            "clientUniqueId": f"CANARYCLIENT{n}",
            "customData": f"CANARYCUSTOM{n}",
            "meetingUrl": f"https://meet.example/CANARYMEETING{n}",
            "isPrivate": False,
        },
        "context": [
            {
                "system": "Salesforce",
                "objects": [
                    {
                        "objectType": "Account",
                        "objectId": f"CANARYACCID{n}",
                        "fields": [
                            {"name": "Name", "value": f"CANARYACCNAME{n}"},
                            {"name": "Website", "value": f"https://canaryweb{n}.example"},
                            {"name": "Industry", "value": "CANARYINDUSTRY"},
                            {"name": "CANARYFIELD__c", "value": f"CANARYVALUE{n}"},
                        ],
                    },
                    {
                        "objectType": "Opportunity",
                        "objectId": f"CANARYOPPID{n}",
                        "fields": [
                            {"name": "Name", "value": f"CANARYOPPNAME{n}"},
                            {"name": "StageName", "value": "CANARYSTAGE"},
                            {"name": "Amount", "value": 7654321},
                        ],
                    },
                    {
                        "objectType": "CANARYTYPE",
                        "objectId": f"CANARYOTHERID{n}",
                        "fields": [{"name": "Notes", "value": f"CANARYVALUE{n} note"}],
                    },
                ],
            }
        ],
        "parties": [
            {
                "id": f"92000000000000000{n}{p}",
                "emailAddress": f"canaryparty{n}{p}@example.com",
                "name": f"CANARYPARTYNAME{n}{p}",
                "title": f"CANARYJOB{n}{p}",
                "speakerId": f"93000000000000000{n}{p}",
                "userId": "940000000000000000" if p == 0 else None,
                "affiliation": "Internal" if p == 0 else "External",
                "phoneNumber": "+1 202-555-0187",
            }
            for p in range(2)
        ],
        "content": {
            "brief": f"CANARYBRIEF{n}",
            "keyPoints": [{"text": f"CANARYKEYPOINT{n}"}],
            "trackers": [{"id": "1", "name": "T", "count": 1, "phrases": [{"phrase": f"CANARYPHRASE{n}", "count": 1}]}],
        },
        "collaboration": {"publicComments": [{"id": "1", "comment": f"CANARYCOMMENT{n}"}]},
    }


def _transcript(n: int) -> dict[str, Any]:
    sentences = [
        f"CANARYSENTENCE number {n} about pricing.",
        f"Write to canaryspoken{n}@example.com or call (202) 555-0199 about pricing.",
    ]
    return {
        "callId": CALL_IDS[n],
        "transcript": [
            {
                "speakerId": f"93000000000000000{n}{p}",
                "topic": None,
                "sentences": [
                    {"start": 1000 * (10 * p + i), "end": 1000 * (10 * p + i) + 900, "text": text}
                    for i, text in enumerate(sentences)
                ],
            }
            for p in range(2)
        ],
    }
