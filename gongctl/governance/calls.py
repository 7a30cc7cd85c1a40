"""Finding a call by what an operator has of it, and reading its payloads: also calls that are not served."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gongctl.cache.deriver import decode_payload, texts_of_vcon
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.aliases import call_ref


@dataclass(frozen=True, slots=True)
class CallPayloads:
    """The payloads of one call, decoded; *answered* has the texts of its vCons too, for whoever judges it."""

    call_id: str
    call: dict[str, Any]
    transcript: dict[str, Any] | None
    answered: Sequence[dict[str, Any]]
    imported_at: str


def secret_of(connection: sqlite3.Connection) -> bytes:
    """Return the secret that keys the aliases and the verdicts of a cache."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
    if row is None:
        raise StartupRefusal("The cache is damaged: it holds no secret.", "", Exit.CACHE)
    return bytes.fromhex(row[0])


def find_call(connection: sqlite3.Connection, reference: str) -> str:
    """Return the id of the imported call that *reference* names: an id or an alias, also of a call not served.

    Raises:
        StartupRefusal: the cache has no such call.
    """
    found = connection.execute(
        """SELECT call_id FROM raw_calls
           WHERE call_id = ? OR call_id = (SELECT call_id FROM call_facts WHERE call_ref = ?)""",
        (reference, reference),
    ).fetchone()
    if found is not None:
        return str(found[0])
    if reference.startswith("call_"):
        # The alias of a call that is not served stands nowhere: it is made of each id.
        secret = secret_of(connection)
        for (call_id,) in connection.execute("SELECT call_id FROM raw_calls"):
            if call_ref(secret, call_id) == reference:
                return str(call_id)
    raise StartupRefusal("The cache has no such call.", "Give a call id, or an alias (call_...).", Exit.USAGE)


def payloads_of(connection: sqlite3.Connection, call_id: str) -> CallPayloads:
    """Return the payloads of the imported call *call_id*."""
    call, imported_at, transcript = connection.execute(
        """SELECT c.payload, c.imported_at, t.payload FROM raw_calls AS c
           LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id WHERE c.call_id = ?""",
        (call_id,),
    ).fetchone()
    answered = connection.execute("SELECT payload FROM raw_records WHERE call_id = ? ORDER BY record_id", (call_id,))
    return CallPayloads(
        call_id,
        decode_payload(call),
        None if transcript is None else decode_payload(transcript),
        [
            *(decode_payload(payload) for (payload,) in answered),
            *(texts_of_vcon(row[2]) for row in vcons_of(connection, call_id)),
        ],
        imported_at,
    )


def holds_vcons(connection: sqlite3.Connection) -> bool:
    """Tell whether the cache has a place for vCons; one of an older schema has none."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'raw_vcons'").fetchone() is not None


def vcons_of(connection: sqlite3.Connection, call_id: str) -> list[tuple[str, str, bytes, bytes, str]]:
    """Return (uuid, call_id, payload, digest, imported_at) of the stored vCons that a call stands for."""
    if not holds_vcons(connection):
        return []
    return connection.execute(
        "SELECT uuid, call_id, payload, digest, imported_at FROM raw_vcons WHERE call_id = ? ORDER BY uuid", (call_id,)
    ).fetchall()
