"""A store of synthetic vCons for the tests of the tools over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gongctl.vcon.store import VconStore

FIRST = "0190a1b2-c3d4-8e5f-8a6b-000000000001"


def uuid_of(number: int) -> str:
    """Return the uuid of the vCon *number*, from 1."""
    return f"0190a1b2-c3d4-8e5f-8a6b-{number:012d}"


def vcon(number: int) -> dict[str, Any]:
    """Return one of a corpus: every second one is about an invoice, every third a bad experience."""
    tags = [f"department:{'support' if number % 2 else 'sales'}"]
    tags += ["portal:negative_experience"] if number % 3 == 0 else []
    month = 1 + number % 6
    return {
        "vcon": "0.4.0",
        "uuid": uuid_of(number),
        "created_at": f"2026-{month:02d}-15T10:{number % 60:02d}:00Z",
        "subject": f"Conversation {number} about {'an invoice' if number % 2 else 'a delivery'}",
        "parties": [
            {"name": "Agent Adams", "mailto": "agent@example.com", "role": "agent"},
            {"name": f"Caller {number}", "tel": f"+1555010{number % 10}", "mailto": f"c{number}@example.org"},
        ],
        "dialog": [
            {
                "type": "text",
                "start": f"2026-{month:02d}-15T09:00:00Z",
                "duration": 60,
                "parties": [0, 1],
                "originator": 1,
                "mediatype": "text/plain",
                "encoding": "none",
                "body": f"I need a refund for order {number}, please." if number % 2 else "Where is my parcel?",
            }
        ],
        "analysis": [
            {
                "type": "summary",
                "vendor": "example",
                "dialog": 0,
                "mediatype": "text/plain",
                "encoding": "none",
                "body": f"The caller of conversation {number} asks for help.",
            },
            {"type": "sentiment", "vendor": "example", "dialog": 0, "encoding": "none", "body": "neutral"},
        ],
        "attachments": [
            _attachment("tags", json.dumps(tags)),
            _attachment("strolid_dealer", json.dumps({"id": 7 + number % 2, "name": f"Dealer {number % 2}"})),
        ],
    }


def _attachment(purpose: str, body: str) -> dict[str, Any]:
    return {
        "purpose": purpose,
        "start": "2026-01-15T09:00:00Z",
        "party": 0,
        "dialog": 0,
        "mediatype": "application/json",
        "encoding": "json",
        "body": body,
    }


def make_store(path: Path, count: int) -> Path:
    """Make a store with vCons 1 to *count*."""
    with VconStore.open(path, create=True) as store, store.transaction() as generation:
        for number in range(1, count + 1):
            store.put(vcon(number), generation)
    return path
