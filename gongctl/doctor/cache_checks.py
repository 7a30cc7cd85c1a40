"""Looking at a cache: who may read it, its schema and freshness, its indexes, its disk, sync and purge."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gongctl.cache.connection import reading
from gongctl.cache.derive import parse_time
from gongctl.cache.lock import lock_path
from gongctl.cache.soundness import count_faults, faults_of, index_faults
from gongctl.cache.status import CacheStatus, cache_status
from gongctl.doctor.findings import Finding
from gongctl.doctor.machine import writable
from gongctl.purge.reclaim import is_pending
from gongmcp.errors import StartupRefusal
from gongmcp.store.model import ModelRules

STALE_DAYS: Final = 7
"""Days after which an import is said to be long ago."""
_LEAST_FREE: Final = 200 << 20


def look_at(path: Path, rules: ModelRules, *, deep: bool = False) -> Iterator[Finding]:
    """Look at the cache at *path*, which agents are served by *rules*; *deep* reads every page and payload."""
    try:
        status = cache_status(path, rules=rules)
    except StartupRefusal as refusal:
        yield Finding("cache", "file", "fail", refusal.message, refusal.hint)
        return
    yield Finding(
        "cache", "file", "ok", f"{path}: {status.file_bytes / 1e6:,.1f} MB, {status.raw['calls']:,} calls imported."
    )
    yield from _permissions(path)
    yield from _sidecars(path)
    yield from _disk(path, status.file_bytes)
    if status.migration_needed:
        yield Finding(
            "cache",
            "schema",
            "fail",
            f"Its schema has version {status.schema_version}; this program works with {status.current_schema_version}.",
            status.next[0] if status.next else "gongctl cache init",
        )
        return
    yield Finding("cache", "schema", "ok", f"Schema version {status.schema_version}.")
    yield from _freshness(status)
    try:
        with reading(path) as connection:
            yield from _dates(connection, status)
            yield from _indexes(connection)
            yield from _purge(connection)
            yield from _sync(connection)
    except StartupRefusal as refusal:
        yield Finding("cache", "reading", "fail", refusal.message, refusal.hint)
        return
    if deep:
        faults = faults_of(path)
        yield _of_faults("cache", "every page and payload", faults, "Restore a copy: gongctl cache restore.")


def _permissions(path: Path) -> Iterator[Finding]:
    info, folder = path.stat(), path.resolve().parent
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        yield Finding(
            "permissions",
            "cache file",
            "warn",
            f"Other users of this machine have access to the cache (mode {mode:04o}); it holds calls unmasked.",
            f"chmod 600 {path}",
        )
    else:
        yield Finding("permissions", "cache file", "ok", f"Only its owner has access (mode {mode:04o}).")
    over = stat.S_IMODE(folder.stat().st_mode)
    if over & 0o002 and not over & stat.S_ISVTX:
        yield Finding(
            "permissions",
            "folder",
            "fail",
            f"Everybody may write into {folder} (mode {over:04o}), and so put another file in the cache's place.",
            f"chmod o-w {folder}",
        )
    elif not writable(folder):
        yield Finding(
            "permissions", "folder", "warn", f"{folder} cannot be written: the cache can be served, not changed.", ""
        )
    else:
        yield Finding("permissions", "folder", "ok", "The folder can be written by this user.")


def _sidecars(path: Path) -> Iterator[Finding]:
    """A log that is left when nobody works is a writer that was killed: the next one takes it back."""
    left = [suffix for suffix in ("-wal", "-journal") if path.with_name(path.name + suffix).exists()]
    if lock_path(path).exists():
        yield Finding("cache", "writer", "ok", "A writer is at work, or was killed; the next one finds out by itself.")
    elif left:
        yield Finding(
            "cache",
            "log",
            "warn",
            f"A log is left beside the cache ({', '.join(left)}): a writer was killed or a reader held it.",
            "gongctl cache warm takes it back; a server in a read-only folder cannot open the cache before.",
        )


def _disk(path: Path, size: int) -> Iterator[Finding]:
    free = shutil.disk_usage(path.resolve().parent).free
    said = f"{free / 1e9:,.1f} GB are free where the cache lies"
    if free < _LEAST_FREE:
        yield Finding("disk", "free space", "fail", f"{said}.", "Free some space: imports and warm would stop.")
    elif free < 2 * size:
        yield Finding(
            "disk",
            "free space",
            "warn",
            f"{said}; a purge or a new read model needs up to twice the cache.",
            "Free some space before you purge or change masking.",
        )
    else:
        yield Finding("disk", "free space", "ok", f"{said}.")


def _freshness(status: CacheStatus) -> Iterator[Finding]:
    remedy = status.next[0] if status.next else ""
    if status.freshness == "missing":
        yield Finding("freshness", "read model", "fail", f"Agents cannot be served: {status.reason}", remedy)
    elif status.freshness == "stale":
        yield Finding("freshness", "read model", "warn", status.reason, remedy)
    else:
        yield Finding("freshness", "read model", "ok", status.reason)
    if status.profile is not None and status.profile.freshness != "fresh":
        yield Finding("freshness", "business profile", "warn", status.profile.reason, remedy)


def _dates(connection: sqlite3.Connection, status: CacheStatus) -> Iterator[Finding]:
    now = dt.datetime.now(dt.UTC)
    imported = parse_time(status.last_import_at)
    if imported is None:
        yield Finding("freshness", "last import", "warn", "Nothing was imported yet.", "gongctl import, gongctl sync")
    elif imported > now + dt.timedelta(minutes=5):
        yield Finding(
            "clock",
            "last import",
            "fail",
            f"The last import is dated {status.last_import_at}, which is in the future.",
            "Compare this machine's clock with the one that imported.",
        )
    elif now - imported > dt.timedelta(days=STALE_DAYS):
        days = (now - imported).days
        yield Finding(
            "freshness",
            "last import",
            "warn",
            f"The last import was {days} days ago.",
            "Is sync scheduled? docs/scheduling.md",
        )
    else:
        yield Finding("freshness", "last import", "ok", f"The last import was at {status.last_import_at}.")
    newest = connection.execute("SELECT max(call_date) FROM call_facts").fetchone()[0]
    if newest is not None and newest > f"{now + dt.timedelta(days=400):%Y-%m-%d}":
        yield Finding(
            "clock", "newest call", "warn", f"A call is dated {newest}, more than a year ahead.", "Look at its start."
        )


def _indexes(connection: sqlite3.Connection) -> Iterator[Finding]:
    rebuild = "Build the read model anew, or restore a copy; gongctl cache verify says more."
    yield _of_faults("indexes", "full-text indexes", index_faults(connection), rebuild)
    yield _of_faults("indexes", "kept counts", count_faults(connection), rebuild)


def _of_faults(area: str, check: str, faults: list[str], remedy: str) -> Finding:
    if not faults:
        return Finding(area, check, "ok", "They agree with the rows." if area == "indexes" else "Sound.")
    more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
    return Finding(area, check, "fail", "; ".join(faults[:3]) + more + ".", remedy)


def _purge(connection: sqlite3.Connection) -> Iterator[Finding]:
    if is_pending(connection):
        yield Finding(
            "purge",
            "cleaning",
            "fail",
            "A purge was not finished: indexes and free space may hold what it removed.",
            "Run gongctl cache purge with --confirm again, with the same selection.",
        )


def _sync(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Look at how each step of sync ended last."""
    rows = connection.execute(
        """SELECT step, outcome, started_at FROM sync_runs
           WHERE run_no IN (SELECT max(run_no) FROM sync_runs GROUP BY step) ORDER BY step"""
    ).fetchall()
    for step, outcome, started_at in rows:
        good = outcome in ("done", "running")
        yield Finding(
            "sync",
            str(step),
            "ok" if good else "warn",
            f"Its last run ({started_at}): {outcome}.",
            "" if good else "gongctl sync status",
        )
