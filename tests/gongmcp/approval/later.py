"""What arrives after an approval: a language, a kind of personal data, a CRM field and a CRM type that are new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOREIGN, SPOKEN, FIELD = "9300000000000000001", "9300000000000000002", "9300000000000000003"
"""Ids of the calls: in a new language, with a card number, with a new field and type."""

WORDS = {FOREIGN: "zyxsprache", SPOKEN: "zyxcard", FIELD: "zyxfield"}
"""A word that is said on each call alone."""

NEW_FIELD, NEW_TYPE = "ZyxRisk__c", "ZyxAsset"
NEW_KIND, NEW_LANGUAGE = "card", "deu"


def write_later(folder: Path) -> Path:
    """Write the calls and their transcripts; returns the folder."""
    folder.mkdir(exist_ok=True)
    calls = [_call(FOREIGN, NEW_LANGUAGE), _call(SPOKEN, "eng"), _call(FIELD, "eng", new=True)]
    spoken = {
        FOREIGN: "Das ist ein zyxsprache Satz.",
        SPOKEN: "The zyxcard is 4111 1111 1111 1111 and not another one.",
        FIELD: "A zyxfield sentence about revenue.",
    }
    transcripts = [
        {
            "callId": call,
            "transcript": [{"speakerId": "1", "topic": None, "sentences": [{"start": 0, "end": 900, "text": text}]}],
        }
        for call, text in spoken.items()
    ]
    (folder / "calls.json").write_text(json.dumps({"calls": calls}), encoding="utf-8")
    (folder / "transcripts.json").write_text(json.dumps({"callTranscripts": transcripts}), encoding="utf-8")
    return folder


def _call(number: str, language: str, *, new: bool = False) -> dict[str, Any]:
    fields = [{"name": "Name", "value": "Example Ltd"}, {"name": "Type", "value": "Customer"}]
    objects = [{"objectType": "Account", "objectId": f"A{number}", "fields": fields}]
    if new:
        fields.append({"name": NEW_FIELD, "value": "zyxvalue"})
        objects.append({"objectType": NEW_TYPE, "objectId": "Z1", "fields": [{"name": "ZyxName", "value": "zyxasset"}]})
    return {
        "metaData": {
            "id": number,
            "title": f"A call with {WORDS[number]}",
            "started": f"2026-06-0{number[-1]}T10:00:00Z",
            "duration": 600,
            "scope": "External",
            "system": "Zoom",
            "direction": "Conference",
            "language": language,
            "isPrivate": False,
        },
        "context": [{"system": "Salesforce", "objects": objects}],
        "parties": [{"id": "1", "speakerId": "1", "affiliation": "External", "name": "Sam Example"}],
    }
