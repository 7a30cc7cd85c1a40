"""Tell what a JSON object is from its keys: a page of Gong's public API, or one record of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongctl.ingest.records import Kind

CONTAINERS: Final[Mapping[str, Kind]] = {
    "calls": "call",
    "callTranscripts": "transcript",
    "users": "user",
    "workspaces": "workspace",
    "keywordTrackers": "tracker",
    "scorecards": "scorecard",
    "answeredScorecards": "answered_scorecard",
    "integrations": "crm_integration",
}
"""The key of a page that holds its records, and what they are."""

CRM_SCHEMA_KEY: Final = "objectTypeToSelectedFields"
"""The one answer whose records are the members of an object: one a type of CRM object."""

_PAGE_ONLY: Final = frozenset({"requestId", "records"})
_FLAT_CALL: Final = frozenset({"started", "scheduled", "duration", "direction", "primaryUserId", "meetingUrl"})
_USER: Final = frozenset({"emailAddress", "firstName", "lastName", "managerId", "trustedEmailAddress"})
_WORKSPACE: Final = frozenset({"id", "name", "description"})


def container_of(value: Mapping[str, Any]) -> str | None:
    """Return the key under which *value*, a page, holds its records; None when it is no page.

    A page may hold null instead of an empty array.
    """
    for key in CONTAINERS:
        if key in value and (value[key] is None or isinstance(value[key], list)):
            return key
    return None


def is_empty_page(value: Mapping[str, Any]) -> bool:
    """Tell whether *value* is an answer with nothing in it (no container, only the page's own keys)."""
    return bool(value) and value.keys() <= _PAGE_ONLY


def is_error_answer(value: Mapping[str, Any]) -> bool:
    """Tell whether *value* is an error answer of the API that was saved like data."""
    return isinstance(value.get("errors"), list) and value.keys() <= {"requestId", "errors"}


def kind_of(value: Mapping[str, Any]) -> Kind | None:
    """Return the kind of the single record *value*, None when its keys fit none."""
    keys = value.keys()
    if "metaData" in keys:
        return "call"
    if "callId" in keys and "transcript" in keys:
        return "transcript"
    if "answeredScorecardId" in keys:
        return "answered_scorecard"
    if "scorecardId" in keys:
        return "scorecard"
    if "trackerId" in keys:
        return "tracker"
    if "integrationId" in keys and CRM_SCHEMA_KEY not in keys:
        return "crm_integration"
    if keys & _FLAT_CALL:
        return "call"
    if keys & _USER:
        return "user"
    if "id" in keys and "name" in keys and keys <= _WORKSPACE:
        return "workspace"
    return None
