"""Invented vCons for the tests of ``gongctl.vcon``."""

from __future__ import annotations

import json
from typing import Any

UUID = "0190b4e3-95aa-8d00-8a59-1d2f3c4b5a69"
OTHER = "0190b4e3-95aa-8d00-8a59-1d2f3c4b5a70"


def plain(**changes: Any) -> dict[str, Any]:
    """Return a valid vCon of two parties: a chat, a summary, a transcript, tags; *changes* replace top fields."""
    vcon = {
        "vcon": "0.4.0",
        "uuid": UUID,
        "created_at": "2026-03-01T10:00:00Z",
        "subject": "Late delivery",
        "parties": [
            {"name": "Ann Example", "mailto": "ann@example.com", "role": "customer"},
            {"name": "Bo Sample", "tel": "+1-555-0100"},
        ],
        "dialog": [
            {
                "type": "text",
                "start": "2026-03-01T09:00:00Z",
                "parties": [0, 1],
                "mediatype": "text/plain",
                "encoding": "none",
                "body": "My parcel never arrived. Write to ann@example.com please.",
            },
            {
                "type": "recording",
                "start": "2026-03-01T09:05:00Z",
                "duration": 60,
                "parties": [0, 1],
                "originator": 1,
                "mediatype": "audio/x-wav",
                "encoding": "base64url",
                "body": "UklGRg",
            },
        ],
        "analysis": [
            {
                "type": "summary",
                "dialog": [0, 1],
                "vendor": "Example",
                "mediatype": "text/plain",
                "encoding": "none",
                "body": "A parcel of Wunderbar Logistics is late.",
            },
            {
                "type": "transcript",
                "dialog": 1,
                "vendor": "Example",
                "encoding": "json",
                "body": json.dumps(
                    {
                        "segments": [
                            {"start": 1.5, "end": 3, "speaker": 1, "text": "We will refund the invoice."},
                            {"start": 3, "end": 4.25, "speaker": 0, "text": "Thank you kindly."},
                        ]
                    }
                ),
            },
        ],
        "attachments": [
            {
                "purpose": "tags",
                "start": "2026-03-01T10:00:00Z",
                "party": 0,
                "dialog": 0,
                "encoding": "json",
                "body": '["department:support","link:https://example.com/a:b"]',
            }
        ],
    }
    return vcon | changes


def strange() -> dict[str, Any]:
    """Return a valid vCon with all that a foreign program may put into one: unknown keys, transfers, other bodies."""
    return plain(
        uuid=OTHER,
        updated_at="2026-03-02T10:00:00.123Z",
        extensions=["acme"],
        critical=["gong"],
        group=[],
        acme_rating=4.50,
        parties=[
            {"name": "Ann Example", "acme": {"vip": True}, "uuid": UUID},
            {},
            {"name": "anonymous"},
            {"did": "did:example:123", "stir": "a.b.c"},
        ],
        dialog=[
            {
                "type": "text",
                "start": "2026-03-01T10:00:00+01:00",
                "parties": 0,
                "encoding": "none",
                "body": "123",
                "session_id": {"local": "a", "remote": "b"},
                "party_history": [{"party": 0, "time": "2026-03-01T09:00:00Z", "event": "join"}],
            },
            {
                "type": "transfer",
                "start": "2026-03-01T09:30:00Z",
                "transferee": 0,
                "transferor": 2,
                "transfer_target": 3,
            },
            {"type": "incomplete", "start": "2026-03-01T09:40:00Z", "parties": [0, 3], "disposition": "busy"},
            {"type": "text", "start": "2026-03-01T09:50:00Z"},
        ],
        attachments=[
            {
                "purpose": "contract",
                "start": "2026-03-01T09:00:00Z",
                "party": 0,
                "dialog": 0,
                "url": "https://example.com/contract.pdf",
                "content_hash": "sha512-" + "A" * 86,
                "filename": "Contract of Ann Example.pdf",
            }
        ],
    )
