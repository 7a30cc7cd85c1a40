"""Arguments that several vCon tools share, and what they mean to the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import SWITCHES, Field
from gongmcp.store.search_query import SearchQuery, compile_query
from gongmcp.store.vcon_search import VconFilters
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.when import DATE, Interval, interval

DEFAULT_BYTES: Final = 250_000
MIN_BYTES: Final = 1024
MAX_LIMIT: Final = 1000

UUID: Final[dict[str, Any]] = {"type": "string", "format": "uuid", "minLength": 1, "maxLength": 64}
TEXT: Final[dict[str, Any]] = {"type": "string", "minLength": 1, "maxLength": 512}
TAGS: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": {"type": "string", "maxLength": 2048},
    "description": "Tags that must all be there, exactly: {key: value}.",
}
EMBEDDING: Final[dict[str, Any]] = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 384,
    "maxItems": 384,
    "description": "A vector of 384 numbers in place of the query.",
}
QUERY: Final[dict[str, Any]] = {
    **TEXT,
    "description": 'Words (all must occur), "a phrase", OR, -word, prefix*.',
}
BUDGET: Final[dict[str, Any]] = {
    "type": "integer",
    "minimum": MIN_BYTES,
    "default": DEFAULT_BYTES,
    "description": "Most bytes of the result; beyond it the answer is RESPONSE_TOO_LARGE, never a cut one.",
}
FILTERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "subject": {**TEXT, "description": "Part of the subject."},
        "start_date": {**DATE, "description": "When the record was made, from."},
        "end_date": {**DATE, "description": "When the record was made, to; a day counts whole."},
        "conversation_from": {**DATE, "description": "When the conversation began, from."},
        "conversation_to": {**DATE, "description": "When the conversation began, to; a day counts whole."},
        "party_name": {**TEXT, "description": "Part of a party's name."},
        "party_email": {**TEXT, "description": "Part of a party's address."},
        "party_tel": {**TEXT, "description": "Digits of a party's number."},
        "dealer_id": {**TEXT, "description": "Id of the account, exactly."},
        "dealer_name": {**TEXT, "description": "Part of the account's name."},
    },
    "additionalProperties": False,
}


def limit(default: int, maximum: int) -> dict[str, Any]:
    """Return the schema of a ``limit``."""
    return {"type": "integer", "minimum": 1, "maximum": maximum, "default": default}


def choice(*options: str, default: str | None = None) -> dict[str, Any]:
    """Return the schema of a choice."""
    return {"type": "string", "enum": list(options)} | ({"default": default} if default else {})


def switch(default: bool, description: str = "") -> dict[str, Any]:
    """Return the schema of a truth value."""
    return {"type": "boolean", "default": default} | ({"description": description} if description else {})


def filters_of(scope: Scope, given: Mapping[str, Any], tags: Mapping[str, str]) -> tuple[VconFilters, dict[str, Any]]:
    """Return the filters of a search, and the intervals as they are understood.

    Raises:
        VconFault: a filter looks for what is withheld here (``UNSUPPORTED_FILTER``), or could find nothing.
    """
    _refuse_withheld(scope, given)
    recorded = interval(given, "start_date", "end_date")
    held = interval(given, "conversation_from", "conversation_to")
    filters = VconFilters(
        subject=given.get("subject", ""),
        party_name=given.get("party_name", ""),
        party_email=given.get("party_email", ""),
        party_tel=given.get("party_tel", ""),
        created_from=recorded.start,
        created_to=recorded.end,
        started_from=held.start,
        started_to=held.end,
        tags=tuple(sorted(tags.items())),
        account_source=scope.taxonomy.account,
        account_id=given.get("dealer_id", ""),
        account_name=given.get("dealer_name", ""),
    )
    try:
        filters.where()
    except ValueError:
        raise VconFault("INVALID_ARGUMENT", "A filter holds nothing that could be looked for.") from None
    return filters, _understood(recorded, held)


def _understood(recorded: Interval, held: Interval) -> dict[str, Any]:
    found = {"recorded": recorded.as_dict(), "conversation": held.as_dict()}
    return {name: value for name, value in found.items() if value}


_LOOKS_FOR: Final[Mapping[str, Field]] = {
    "subject": Field.CALL_TITLE,
    "dealer_id": Field.ACCOUNT_NAME,
    "dealer_name": Field.ACCOUNT_NAME,
}


def _refuse_withheld(scope: Scope, given: Mapping[str, Any]) -> None:
    if scope.verbatim:
        return
    hidden = {field for switch in scope.policy.switches for field in SWITCHES[switch]}
    refused = [
        name
        for name in given
        if given[name] not in (None, "") and (name.startswith("party_") or _LOOKS_FOR.get(name) in hidden)
    ]
    if refused:
        raise VconFault(
            "UNSUPPORTED_FILTER",
            f"The policy of this server withholds what these look for: {', '.join(refused)}.",
            filters=refused,
        )


def query_of(text: str) -> SearchQuery:
    """Return the search that *text* means.

    Raises:
        VconFault: it is blank, too long, or holds nothing that could be found.
    """
    try:
        query = compile_query(text)
    except ToolFault as fault:
        raise VconFault("INVALID_ARGUMENT", fault.message, argument="query", hint=fault.hint) from None
    return query
