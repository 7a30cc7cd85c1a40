"""One purge from beginning to end: plan, or remove, clean and certify."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import reading
from gongctl.cache.copies import known_copies
from gongctl.cache.crm_context import crm_objects
from gongctl.cache.deriver import decode_payload
from gongctl.cache.operator_model import operator_path, remove_operator_model
from gongctl.cache.tombstones import bury, kept_out
from gongctl.cache.writer import CacheWriter
from gongctl.governance.calls import secret_of
from gongctl.purge.certificate import Certificate, Copy
from gongctl.purge.policy import LegalHold, PurgePolicy
from gongctl.purge.reclaim import SPACE_FACTOR, is_pending, reclaim
from gongctl.purge.remove import counted, orphans, remove_calls
from gongctl.purge.select import Criteria, Selection, select
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.schema import SCHEMA_VERSION

Progress = Callable[[int, int], None]
_QUOTED: Final = 4
"""Characters from which on a CRM value in a profile's evidence is taken for a quotation."""


def plan(
    path: Path, criteria: Criteria, policy: PurgePolicy | None = None, *, audit_logs: Sequence[Path] = ()
) -> Certificate:
    """Return what a purge of the cache at *path* would remove. Changes nothing.

    Raises:
        StartupRefusal: the cache cannot be read, or is of an older schema.
    """
    with reading(path) as connection:
        _require_schema(connection, path)
        selection = select(connection, criteria, _hold(policy))
        return Certificate(
            criteria,
            selection,
            counted(connection, selection.call_ids),
            utc_now(),
            policy=policy,
            operator_model_removed=bool(selection.call_ids) and operator_path(path).exists(),
            audit_records=_arguments(secret_of(connection), selection, audit_logs, clear=False),
            profiles_quoting=_profiles_quoting(connection, selection.call_ids),
            copies=_copies(connection),
        )


def purge(
    path: Path,
    criteria: Criteria,
    policy: PurgePolicy | None = None,
    *,
    audit_logs: Sequence[Path] = (),
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Certificate:
    """Remove what *criteria* name from the cache at *path*, for good, and return the certificate.

    *audit_logs* are cleared of arguments kept for replay of requests that showed the calls. With a *policy*, its
    approval must be complete. A purge that was stopped is gone on with by the same call.

    Raises:
        StartupRefusal: approval is missing, the cache cannot be written, or the disk is too full to clean it.
    """
    if policy is not None and (missing := policy.approval.missing(_today())):
        raise StartupRefusal(
            f"Nothing was removed: the file's approval lacks {', '.join(missing)}.",
            "Complete it, then run this again; docs/operations.md shows what it holds.",
            Exit.REFUSED,
        )
    with CacheWriter.open(path) as writer:
        before = writer.path.stat().st_size
        writer.require_space(SPACE_FACTOR * before, "A purge")  # to write the file anew in the end
        selection = select(writer.connection, criteria, _hold(policy))
        certificate = Certificate(criteria, selection, counted(writer.connection, ()), utc_now(), True, policy=policy)
        certificate.profiles_quoting = _profiles_quoting(writer.connection, selection.call_ids)
        certificate.copies = _copies(writer.connection)
        # Before the calls go: afterwards nobody knows any more which records were about them.
        certificate.audit_records = _arguments(writer.secret, selection, audit_logs, clear=True)
        if selection.call_ids:
            # A model of every call lies in a file of its own; it is made anew by whoever wants it.
            certificate.operator_model_removed = remove_operator_model(writer.path)
        if selection.unknown:
            with writer.transaction():
                bury(writer.connection, writer.secret, selection.unknown, "purged")
        remove_calls(
            writer,
            selection.call_ids,
            removed=certificate.removed,
            progress=progress,
            should_stop=should_stop,
        )
        certificate.tombstones = len(
            kept_out(writer.connection, writer.secret, [*selection.call_ids, *selection.unknown])
        )
        certificate.interrupted = should_stop is not None and should_stop()
        if certificate.interrupted:
            return certificate
        if selection.call_ids or is_pending(writer.connection):
            certificate.reclaimed = reclaim(writer, before)
        certificate.rows_left = orphans(writer.connection, selection.call_ids)
    return certificate


def _arguments(secret: bytes, selection: Selection, logs: Sequence[Path], *, clear: bool) -> int:
    if not logs:
        return 0
    from gongctl.purge.audit_log import digests_of, sealed_records

    calls = digests_of(secret, (*selection.call_ids, *selection.unknown))
    return sum(sealed_records(path, calls, clear=clear) for path in logs)


def _hold(policy: PurgePolicy | None) -> LegalHold | None:
    return policy.legal_hold if policy is not None else None


def _today() -> dt.date:
    return dt.date.fromisoformat(utc_now()[:10])


def _require_schema(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version < SCHEMA_VERSION:
        raise StartupRefusal(
            f"The cache {path} has schema version {version} of {SCHEMA_VERSION}.",
            "Bring it up to date: gongctl cache init --db PATH",
            Exit.CACHE,
        )


def _copies(connection: sqlite3.Connection) -> list[Copy]:
    """Return the copies that a person has to delete; the operator's model goes with the purge."""
    known = known_copies(connection)
    return [Copy(copy.kind, copy.path, copy.at) for copy in known if copy.kind != "operator's model"]


def _profiles_quoting(connection: sqlite3.Connection, call_ids: Sequence[str]) -> list[str]:
    """Return the ids of imported profiles of which a text is also a value of a CRM object of the calls."""
    profiles = [
        (str(profile_id), quoted)
        for profile_id, content in connection.execute("SELECT profile_id, content FROM profiles ORDER BY profile_no")
        if (quoted := _evidence(json.loads(content)))
    ]
    if not profiles or not call_ids:
        return []
    values: set[str] = set()
    for call_id in call_ids:
        row = connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
        for item in crm_objects(decode_payload(row[0])) if row else ():
            values.update(value for value in (item.name, *item.fields.values()) if len(value) >= _QUOTED)
    return [profile_id for profile_id, quoted in profiles if quoted & values]


def _evidence(node: Any, *, inside: bool = False) -> set[str]:
    """Return the texts that stand anywhere below a key ``evidence``."""
    if isinstance(node, str):
        return {node} if inside else set()
    if isinstance(node, Mapping):
        return set().union(*(_evidence(item, inside=inside or key == "evidence") for key, item in node.items()))
    if isinstance(node, list):
        return set().union(*(_evidence(item, inside=inside) for item in node))
    return set()
