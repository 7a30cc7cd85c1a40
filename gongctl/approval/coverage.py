"""The cache as an operator looks at it: state, coverage by day, rows of each kind. From kept counts and one index."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gongctl.cache.connection import reading
from gongctl.cache.status import cache_status
from gongmcp.store.model import ModelRules
from tui.reviewing import CacheView, CoverageDay, EntityCount

DAYS: Final = (
    "SELECT call_date, count(*), sum(transcript_present) FROM call_facts GROUP BY call_date ORDER BY call_date"
)


def cache_view(db: Path, rules: ModelRules, policy_files: Mapping[str, Path | None]) -> CacheView:
    """Return the state of the cache *db* under *rules*; *policy_files* are those of the commands to run next.

    Raises:
        StartupRefusal: there is no cache that can be read.
    """
    status = cache_status(db, rules=rules, policy_files=policy_files)
    last = status.last_import_at or ""
    return CacheView(
        path=shlex.quote(str(db)),
        state=status.freshness,
        reason=status.reason,
        next=" && ".join(status.next),
        days=_days(db) if status.freshness != "missing" else (),
        entities=tuple(
            EntityCount(name.replace("_", " "), rows, last if rows else "") for name, rows in status.raw.items()
        ),
        bytes=status.file_bytes,
    )


def _days(db: Path) -> tuple[CoverageDay, ...]:
    with reading(db) as connection:
        try:
            return tuple(CoverageDay(*row) for row in connection.execute(DAYS))
        except sqlite3.OperationalError:  # of an older schema; the status says what to do
            return ()
