"""The moment that an answer about a corpus speaks of."""

from __future__ import annotations

from gongmcp.vcon.scope import Scope
from gongmcp.vcon.when import text_of


def timestamp(scope: Scope) -> str | None:
    """Return the moment that an answer speaks of: that of the newest vCon in a store, that of the model in a cache."""
    if scope.as_of:
        return scope.as_of
    row = scope.store.one("SELECT max(created_ms) FROM vcons")
    return text_of(int(row[0])) if row is not None and row[0] is not None else None
