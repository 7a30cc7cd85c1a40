"""The endpoints that are read, with the scope that a key needs and the key of the answer that holds the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint. *may_be_404*: it answers 404 where there is nothing; *paged*: it may give a cursor.

    *probe* is a body or query that asks for next to nothing, to see whether a key may ask at all.
    """

    method: Literal["GET", "POST"]
    path: str
    scope: str
    container: str
    may_be_404: bool = False
    paged: bool = True
    probe: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


_MINUTE: Final = (("fromDateTime", "2015-01-01T00:00:00Z"), ("toDateTime", "2015-01-01T00:01:00Z"))
"""A window without calls: before anybody used the API."""
_DAY: Final = (("reviewFromDate", "2015-01-01"), ("reviewToDate", "2015-01-02"))

CALLS: Final = Endpoint(
    "POST",
    "/v2/calls/extensive",
    "api:calls:read:extensive",
    "calls",
    may_be_404=True,
    probe=(("filter", dict(_MINUTE)),),
)
TRANSCRIPTS: Final = Endpoint(
    "POST",
    "/v2/calls/transcript",
    "api:calls:read:transcript",
    "callTranscripts",
    may_be_404=True,
    probe=(("filter", dict(_MINUTE)),),
)
USERS: Final = Endpoint("GET", "/v2/users", "api:users:read", "users")
WORKSPACES: Final = Endpoint("GET", "/v2/workspaces", "api:workspaces:read", "workspaces", paged=False)
TRACKERS: Final = Endpoint("GET", "/v2/settings/trackers", "api:settings:trackers:read", "keywordTrackers", paged=False)
SCORECARDS: Final = Endpoint(
    "GET", "/v2/settings/scorecards", "api:settings:scorecards:read", "scorecards", paged=False
)
ANSWERED: Final = Endpoint(
    "POST",
    "/v2/stats/activity/scorecards",
    "api:stats:scorecards",
    "answeredScorecards",
    may_be_404=True,
    probe=(("filter", dict(_DAY)),),
)
INTEGRATIONS: Final = Endpoint("GET", "/v2/crm/integrations", "api:crm:integrations:read", "integrations", paged=False)
CRM_SCHEMA: Final = Endpoint(
    "GET", "/v2/crm/entity-schema", "api:crm:schema", "objectTypeToSelectedFields", paged=False
)

PROBED: Final = (CALLS, TRANSCRIPTS, USERS, WORKSPACES, TRACKERS, SCORECARDS, ANSWERED, INTEGRATIONS)
"""What ``gongctl auth check`` tries. The CRM schema needs the id of an integration first."""
