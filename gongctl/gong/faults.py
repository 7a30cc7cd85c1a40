"""What can go wrong between here and Gong, as one sentence and what to do about it.

No message holds a credential, a cursor or a value of the data; what Gong itself said is quoted, cut short.
"""

from __future__ import annotations

from typing import Final

from gongmcp.errors import Exit, StartupRefusal

_QUOTED: Final = 200
"""Characters of Gong's own words that a message repeats."""


class GongFault(StartupRefusal):
    """Gong did not answer with what was asked for. *status* is of HTTP, 0 without an answer; *request_id* Gong's."""

    def __init__(
        self, message: str, hint: str = "", exit_code: Exit = Exit.FAILED, *, status: int = 0, request_id: str = ""
    ) -> None:
        named = f"{message} (request id {request_id})" if request_id else message
        super().__init__(f"{named}." if not named.endswith(".") else named, hint, exit_code)
        self.status = status
        self.request_id = request_id


class AccessDenied(GongFault):
    """401 or 403: the credentials are wrong, or lack the *scope* of the endpoint."""

    scope: str = ""


class BadRequest(GongFault):
    """400: Gong does not take the request. With a cursor in it: the cursor may have expired."""


class NotGong(GongFault):
    """An answer that is none of Gong's API: the base URL is wrong, or something between answers for it."""


class QuotaExhausted(GongFault):
    """Nothing more may be asked today, or for longer than a run waits."""


class NoAnswer(GongFault):
    """Errors of Gong's side, or no connection, in every attempt."""


class CursorStuck(GongFault):
    """Paging does not advance: the same cursor came back."""


def said(errors: object) -> str:
    """Return what Gong said in *errors* (its array of texts), quoted and cut; '' when it said nothing."""
    if not isinstance(errors, list):
        return ""
    text = "; ".join(item for item in errors if isinstance(item, str))
    text = " ".join(text.split())
    if not text:
        return ""
    return f': "{text[:_QUOTED]}{"..." if len(text) > _QUOTED else ""}"'
