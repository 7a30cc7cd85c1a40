"""Profiles in a cache: import, activation and history. Every change is one transaction.

An import stores the YAML as given, and what it means once for each meaning: a file that says the same in other
words, order or comments renews the stored text and moves nothing. Exactly one profile is active, or none yet.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from gongctl.cache.clock import utc_now
from gongctl.cache.profile_facts import KeptProfile
from gongctl.cache.writer import CacheWriter
from gongctl.profile.model import Profile
from gongctl.profile.served import served_document
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.profile import CLASSIFIER_VERSION

MIN_PREFIX: Final = 6
"""Hexadecimal digits of a hash that may stand for it, where they are unique."""

ACTIVE: Final = "active"


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """One imported profile. *activated_at* is '' when it was never active; *findings* are those at its import.

    *facts* is ``complete``, ``incomplete`` (the next warm goes on) or ``none`` (not kept).
    """

    profile_no: int
    profile_id: str
    name: str
    version: int
    canonical_sha256: str
    source_sha256: str
    source_path: str
    imported_at: str
    imported_by: str
    activated_at: str
    is_active: bool
    findings: tuple[dict[str, Any], ...]
    facts: str

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl profile history --json`` prints."""
        return {**asdict(self), "findings": list(self.findings)}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: *imported* is False when the cache knew the meaning already; *activated* is whether the
    profile became the active one just now."""

    profile: StoredProfile
    imported: bool
    activated: bool


def import_profile(
    writer: CacheWriter,
    profile: Profile,
    *,
    canonical_sha256: str,
    source: str,
    source_sha256: str,
    source_path: str,
    findings: Sequence[dict[str, Any]],
    imported_by: str,
    activate: bool,
) -> ImportReport:
    """Store a checked *profile* read from the YAML *source*, and make it the active one if *activate*.

    *findings* are its warnings as JSON objects with ``severity``, ``code`` and ``path``.
    """
    connection = writer.connection
    now = utc_now()
    with writer.transaction() as generation:
        known = connection.execute(
            "SELECT profile_no FROM profiles WHERE canonical_sha256 = ?", (canonical_sha256,)
        ).fetchone()
        values = (
            *(profile.name, profile.version, source_sha256, source_path, source),
            *(profile.to_json(), json.dumps(list(findings))),
        )
        if known is None:
            number = connection.execute("SELECT coalesce(max(profile_no), 0) + 1 FROM profiles").fetchone()[0]
            connection.execute(
                """INSERT INTO profiles (name, version, source_sha256, source_path, source, content, findings,
                     profile_no, profile_id, canonical_sha256, imported_at, imported_by, activated_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')""",
                (*values, number, f"profile_{number}", canonical_sha256, now, imported_by),
            )
        else:
            number = known[0]
            connection.execute(
                """UPDATE profiles SET name = ?, version = ?, source_sha256 = ?, source_path = ?, source = ?,
                     content = ?, findings = ? WHERE profile_no = ?""",
                (*values, number),
            )
        was_active = _active_number(connection) == number
        if activate or was_active:
            _activate(connection, number, generation, now if not was_active else None)
    return ImportReport(find(connection, f"profile_{number}"), known is None, activate and not was_active)


def activate(writer: CacheWriter, reference: str) -> StoredProfile:
    """Make the profile that *reference* names the active one, at once.

    Where its facts are still kept, it answers at once too; else the next warm makes them.

    Raises:
        StartupRefusal: no such profile, or more than one.
    """
    profile = find(writer.connection, reference)
    if not profile.is_active:
        with writer.transaction() as generation:
            _activate(writer.connection, profile.profile_no, generation, utc_now())
    return find(writer.connection, profile.profile_id)


def deactivate(writer: CacheWriter) -> None:
    """Let the builtin lifecycle answer again. The profile that was active stays, with its facts."""
    with writer.transaction():
        writer.connection.execute("DELETE FROM active_profile")


def want(writer: CacheWriter, reference: str) -> StoredProfile:
    """Have the next warm make facts of the profile that *reference* names, active or not.

    Raises:
        StartupRefusal: no such profile, or more than one.
    """
    profile = find(writer.connection, reference)
    with writer.transaction() as generation:
        _want(writer.connection, profile.profile_no, generation)
    return profile


def _activate(connection: sqlite3.Connection, number: int, generation: int, now: str | None) -> None:
    row = connection.execute(
        "SELECT profile_id, name, version, canonical_sha256, imported_at, content, findings FROM profiles"
        " WHERE profile_no = ?",
        (number,),
    ).fetchone()
    profile_id, name, version, digest, imported_at, content, findings = row
    warnings = [f"{item['code']} at {item['path'] or '/'}" for item in json.loads(findings)]
    document = served_document(Profile.from_json(content), warnings)
    connection.execute(
        """INSERT OR REPLACE INTO active_profile
             (id, profile_no, profile_id, name, version, canonical_sha256, imported_at, document)
           VALUES (1, ?, ?, ?, ?, ?, ?, ?)""",
        (number, profile_id, name, version, digest, imported_at, json.dumps(document, ensure_ascii=False)),
    )
    if now is not None:
        connection.execute("UPDATE profiles SET activated_at = ? WHERE profile_no = ?", (now, number))
    _want(connection, number, generation)


def _want(connection: sqlite3.Connection, number: int, generation: int) -> None:
    connection.execute(
        """INSERT INTO profile_models (profile_no, canonical_sha256, classifier, wanted, complete)
           SELECT profile_no, canonical_sha256, ?, ?, 0 FROM profiles WHERE profile_no = ?
           ON CONFLICT (profile_no) DO UPDATE SET wanted = excluded.wanted""",
        (CLASSIFIER_VERSION, generation, number),
    )


def _active_number(connection: sqlite3.Connection) -> int | None:
    row = connection.execute("SELECT profile_no FROM active_profile WHERE id = 1").fetchone()
    return None if row is None else int(row[0])


def history(connection: sqlite3.Connection) -> list[StoredProfile]:
    """Return every imported profile, the newest import first."""
    rows = connection.execute(
        """SELECT p.profile_no, p.profile_id, p.name, p.version, p.canonical_sha256, p.source_sha256, p.source_path,
                  p.imported_at, p.imported_by, p.activated_at, a.profile_no IS NOT NULL, p.findings,
                  CASE m.complete WHEN 1 THEN 'complete' WHEN 0 THEN 'incomplete' ELSE 'none' END
           FROM profiles AS p LEFT JOIN active_profile AS a ON a.profile_no = p.profile_no
           LEFT JOIN profile_models AS m ON m.profile_no = p.profile_no ORDER BY p.profile_no DESC"""
    )
    return [_stored(row) for row in rows]


def _stored(row: tuple[Any, ...]) -> StoredProfile:
    columns: dict[str, Any] = dict(zip(StoredProfile.__slots__, row, strict=True))
    columns["is_active"] = bool(columns["is_active"])
    columns["findings"] = tuple(json.loads(columns["findings"]))
    return StoredProfile(**columns)


def find(connection: sqlite3.Connection, reference: str) -> StoredProfile:
    """Return the profile that *reference* names: ``active``, an id (``profile_3``), or the beginning of a hash.

    Raises:
        StartupRefusal: no such profile, or more than one.
    """
    wanted = reference.strip().lower()
    profiles = history(connection)
    if wanted == ACTIVE:
        found = [item for item in profiles if item.is_active]
    else:
        found = [item for item in profiles if item.profile_id == wanted] or [
            item
            for item in profiles
            if len(wanted) >= MIN_PREFIX
            and any(digest.startswith(wanted) for digest in (item.canonical_sha256, item.source_sha256))
        ]
    if len(found) == 1:
        return found[0]
    if found:
        raise StartupRefusal(
            f"{reference} begins the hash of {len(found)} profiles.", "Give more digits, or an id.", Exit.USAGE
        )
    if wanted == ACTIVE:
        raise StartupRefusal(
            "No business profile is active.", "Import one: gongctl profile import FILE --db DB.", Exit.FAILED
        )
    known = ", ".join(item.profile_id for item in profiles[:10]) or "none is imported"
    raise StartupRefusal(f"The cache has no profile {reference}.", f"Profiles: {known}.", Exit.USAGE)


def source_of(connection: sqlite3.Connection, number: int) -> str:
    """Return the YAML of a stored profile as it was given."""
    return str(connection.execute("SELECT source FROM profiles WHERE profile_no = ?", (number,)).fetchone()[0])


def content_of(connection: sqlite3.Connection, number: int) -> Profile:
    """Return a stored profile."""
    row = connection.execute("SELECT content FROM profiles WHERE profile_no = ?", (number,)).fetchone()
    return Profile.from_json(row[0])


def kept_profiles(connection: sqlite3.Connection) -> tuple[KeptProfile, ...]:
    """Return the profiles of which facts are kept, by number."""
    rows = connection.execute("SELECT profile_no FROM profile_models ORDER BY profile_no").fetchall()
    return tuple(KeptProfile(number, content_of(connection, number)) for (number,) in rows)


def source_label(path: Path) -> str:
    """Return how a file is remembered: its name, without the folders that say whose machine it was."""
    return path.name
