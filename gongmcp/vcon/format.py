"""The format itself: a JSON Schema of vCons as this program reads and writes them, and examples that keep to it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

VERSION: Final = "0.4.0"
SCHEMA_ID: Final = "https://gongctl.test/schemas/vcon-0.4.0.json"

_TEXT: Final = {"type": "string"}
_INDEX: Final = {"type": "integer", "minimum": 0}
_NAMES: Final = {"type": "array", "items": _TEXT}
_ENCODING: Final = {"type": "string", "enum": ["none", "base64url", "json"]}
_CONTENT: Final[dict[str, Any]] = {
    "mediatype": _TEXT,
    "filename": _TEXT,
    "body": {},
    "encoding": _ENCODING,
    "url": {"type": "string", "format": "uri"},
    "content_hash": {},
}


def _record(properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties)} | ({"required": list(required)} if required else {})


PARTY: Final = _record(
    dict.fromkeys(("name", "tel", "mailto", "sip", "stir", "did", "validation", "uuid", "role"), _TEXT)
)
DIALOG: Final = _record(
    {
        "type": {"type": "string", "enum": ["recording", "text", "transfer", "incomplete", "recording-set"]},
        "start": {"type": "string", "format": "date-time"},
        "duration": {"type": "number", "minimum": 0},
        "parties": {},
        "originator": _INDEX,
        **_CONTENT,
        "disposition": _TEXT,
        "session_id": {},
        "party_history": {"type": "array"},
        "application": _TEXT,
        "message_id": _TEXT,
    },
    ("type", "start"),
)
ANALYSIS: Final = _record(
    {"type": _TEXT, "vendor": _TEXT, "dialog": {}, "product": _TEXT, "schema": _TEXT, **_CONTENT}, ("type", "vendor")
)
ATTACHMENT: Final = _record(
    {
        "purpose": _TEXT,
        "type": _TEXT,
        "start": {"type": "string", "format": "date-time"},
        "party": _INDEX,
        "dialog": _INDEX,
        **_CONTENT,
    }
)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of a vCon; keys that it does not name are allowed."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_ID,
        "title": "vCon",
        **_record(
            {
                "vcon": {"type": "string", "description": "Version of the syntax; deprecated."},
                "uuid": {"type": "string", "format": "uuid"},
                "created_at": {"type": "string", "format": "date-time"},
                "updated_at": {"type": "string", "format": "date-time"},
                "subject": _TEXT,
                "extensions": _NAMES,
                "critical": _NAMES,
                "redacted": {"type": "object"},
                "amended": {"type": "object"},
                "parties": {"type": "array", "items": PARTY},
                "dialog": {"type": "array", "items": DIALOG},
                "analysis": {"type": "array", "items": ANALYSIS},
                "attachments": {"type": "array", "items": ATTACHMENT},
            },
            ("uuid", "created_at"),
        ),
    }


def typescript() -> str:
    """Return the same as TypeScript interfaces."""
    parts = {"Party": PARTY, "Dialog": DIALOG, "Analysis": ANALYSIS, "Attachment": ATTACHMENT, "VCon": json_schema()}
    return "\n\n".join(_interface(name, schema, parts) for name, schema in parts.items())


def _interface(name: str, schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    lines = [
        f"  {key}{'' if key in required else '?'}: {_typed(rule, parts)};" for key, rule in schema["properties"].items()
    ]
    return "\n".join([f"export interface {name} {{", *lines, "  [key: string]: unknown;", "}"])


def _typed(rule: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    if "enum" in rule:
        return " | ".join(json.dumps(option) for option in rule["enum"])
    if rule.get("type") == "array":
        named = next((name for name, schema in parts.items() if schema is rule.get("items")), None)
        return f"{named or _typed(rule.get('items', {}), parts)}[]"
    return {
        "string": "string",
        "integer": "number",
        "number": "number",
        "object": "Record<string, unknown>",
    }.get(rule.get("type", ""), "unknown")


def openapi() -> dict[str, Any]:
    """Return the same as a component of OpenAPI 3.1."""
    schema = {key: value for key, value in json_schema().items() if not key.startswith("$")}
    return {
        "openapi": "3.1.0",
        "info": {"title": "vCon", "version": VERSION},
        "components": {"schemas": {"VCon": schema}},
    }


# --- examples ------------------------------------------------------------------------------------------------

_START: Final = "2026-01-15T09:00:00Z"
_AGENT: Final = {"name": "Agent Adams", "mailto": "agent@example.com", "tel": "+15550100"}
_CALLER: Final = {"name": "Caller Clark", "mailto": "caller@example.org", "tel": "+15550101"}


def _hash(data: bytes) -> str:
    return "sha512-" + base64.urlsafe_b64encode(hashlib.sha512(data).digest()).decode().rstrip("=")


def _base(number: int, subject: str, parties: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "vcon": VERSION,
        "uuid": f"0190a1b2-c3d4-8e5f-8a6b-00000000000{number}",
        "created_at": "2026-01-15T10:00:00Z",
        "subject": subject,
        "parties": parties,
    }


def _recording(mediatype: str, url: str) -> dict[str, Any]:
    return {
        "type": "recording",
        "start": _START,
        "duration": 300,
        "parties": [0, 1],
        "mediatype": mediatype,
        "url": url,
        "content_hash": _hash(url.encode()),
    }


def _said(text: str, party: int, seconds: int) -> dict[str, Any]:
    return {
        "type": "text",
        "start": f"2026-01-15T09:00:{seconds:02}Z",
        "parties": [0, 1],
        "originator": party,
        "mediatype": "text/plain",
        "encoding": "none",
        "body": text,
    }


def _analysis(kind: str, body: str) -> dict[str, Any]:
    return {"type": kind, "vendor": "example", "dialog": 0, "mediatype": "text/plain", "encoding": "none", "body": body}


def _attachment(purpose: str, mediatype: str, encoding: str, body: str) -> dict[str, Any]:
    return {
        "purpose": purpose,
        "start": _START,
        "party": 0,
        "dialog": 0,
        "mediatype": mediatype,
        "encoding": encoding,
        "body": body,
    }


def _tags() -> dict[str, Any]:
    return _attachment("tags", "application/json", "json", '["department:support","priority:high"]')


def _pdf() -> dict[str, Any]:
    body = base64.urlsafe_b64encode(b"%PDF-1.4 example").decode().rstrip("=")
    return _attachment("invoice", "application/pdf", "base64url", body) | {"filename": "invoice.pdf"}


def examples() -> dict[str, dict[str, Any]]:
    """Return the examples by name."""
    call = _base(2, "A call about an invoice", [_AGENT, _CALLER])
    call["dialog"] = [_recording("audio/x-wav", "https://media.example.com/call.wav")]
    call["analysis"] = [
        _analysis("transcript", "Hello, I have a question about an invoice."),
        _analysis("summary", "The caller asks about an invoice."),
        _analysis("sentiment", "neutral"),
    ]
    call["attachments"] = [_tags()]
    chat = _base(3, "A chat about a delivery", [_AGENT, _CALLER])
    chat["dialog"] = [_said("Where is my parcel?", 1, 0), _said("It comes tomorrow.", 0, 20)]
    mail = _base(4, "A letter about an offer", [_AGENT, _CALLER])
    mail["dialog"] = [
        {
            **_said("Please find the offer attached.", 0, 0),
            "mediatype": "message/rfc822",
            "message_id": "<1@example.com>",
        }
    ]
    mail["attachments"] = [_pdf()]
    video = _base(5, "A meeting", [_AGENT, _CALLER, {"name": "Guest Green", "mailto": "guest@example.net"}])
    video["dialog"] = [
        _recording("video/mp4", "https://media.example.com/meeting.mp4")
        | {"parties": [0, 1, 2], "application": "example"}
    ]
    video["analysis"] = [_analysis("transcript", "Welcome to the meeting.")]
    full = _base(6, "Everything at once", [_AGENT, _CALLER])
    full["dialog"] = [*call["dialog"], _said("Thank you.", 1, 30)]
    full["analysis"] = call["analysis"][:2]
    full["attachments"] = [_tags(), _pdf()]
    return {
        "minimal": _base(1, "A conversation", [{"name": "Agent Adams"}]),
        "phone_call": call,
        "chat": chat,
        "email": mail,
        "video": video,
        "full_featured": full,
    }
