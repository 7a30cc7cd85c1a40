"""A small cache of calls whose every sentence holds one common word and one of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LENGTHS = {"9200000000000000001": 400, "9200000000000000002": 60, "9200000000000000003": 6}
"""Segments of each call; the first is the newest."""

COMMON = "pricing"


def own_word(call: int, segment: int) -> str:
    """Return the word that only segment *segment* of call number *call* holds."""
    letters = "bcdfghklmn"
    return "z" + letters[call] + "".join(letters[int(digit)] + "a" for digit in f"{segment:04d}")


def write_files(folder: Path) -> list[Path]:
    """Write the calls in the shape of Gong's API answers; returns the files."""
    calls: list[dict[str, Any]] = []
    transcripts: list[dict[str, Any]] = []
    for number, (call_id, length) in enumerate(LENGTHS.items()):
        calls.append(
            {
                "metaData": {
                    "id": call_id,
                    "title": f"Long call {number}",
                    "started": f"2026-03-{20 - number:02d}T10:00:00Z",
                    "duration": 3600,
                    "scope": "External",
                    "system": "Zoom",
                    "direction": "Conference",
                    "isPrivate": False,
                },
                "parties": [{"id": f"1{number}", "speakerId": f"2{number}", "affiliation": "External"}],
                "context": [
                    {
                        "system": "Salesforce",
                        "objects": [
                            {
                                "objectType": "Account",
                                "objectId": f"ACC{number}",
                                "fields": [{"name": "Industry", "value": "Retail"}],
                            }
                        ],
                    }
                ],
            }
        )
        sentences = [
            {"start": 1000 * n, "end": 1000 * n + 900, "text": f"We spoke of {COMMON} and {own_word(number, n)} there."}
            for n in range(length)
        ]
        turns = [
            {"speakerId": f"2{number}", "topic": None, "sentences": sentences[at : at + 5]}
            for at in range(0, length, 5)
        ]
        transcripts.append({"callId": call_id, "transcript": turns})
    files = {"calls.json": {"calls": calls}, "transcripts.json": {"callTranscripts": transcripts}}
    out = []
    for name, content in files.items():
        path = folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        out.append(path)
    return out
