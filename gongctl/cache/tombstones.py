"""Tombstones: calls that are not to be stored (again), each as a keyed digest of its id.

Every way into the raw half asks here (``gongctl.cache.upsert``), so that neither sync nor an import brings a
purged call back. A digest is keyed with the secret of the cache: without it a tombstone names no call.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from gongctl.cache.clock import utc_now

Reason = Literal["purged", "restricted", "gone"]

KEEPS_OUT: Final[frozenset[str]] = frozenset({"purged", "restricted"})
"""Reasons that keep a call out. One that was ``gone`` from Gong is stored again when Gong delivers it again."""

_PERSON: Final = b"gongctl-tomb"
_AT_ONCE: Final = 500


def call_digest(secret: bytes, call_id: str) -> bytes:
    """Return the 16 bytes that stand for *call_id* in a cache with *secret*."""
    data = call_id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, key=secret, digest_size=16, person=_PERSON).digest()


def bury(
    connection: sqlite3.Connection, secret: bytes, call_ids: Iterable[str], reason: Reason, basis: str = ""
) -> None:
    """Write a tombstone for each call; wants an open transaction.

    One that keeps out is not replaced by a weaker one. *basis* is the digest of the restricted list that named them.
    """
    now = utc_now()
    connection.executemany(
        """INSERT INTO tombstones (digest, reason, basis, at) VALUES (?, ?, ?, ?)
           ON CONFLICT (digest) DO UPDATE SET reason = excluded.reason, basis = excluded.basis, at = excluded.at
           WHERE reason = 'gone' OR (reason = 'restricted' AND excluded.reason != 'gone')""",
        [(call_digest(secret, call_id), reason, basis, now) for call_id in call_ids],
    )


def kept_out(connection: sqlite3.Connection, secret: bytes, call_ids: Sequence[str]) -> set[str]:
    """Return those of *call_ids* that must not be stored."""
    if not call_ids or connection.execute("SELECT 1 FROM tombstones LIMIT 1").fetchone() is None:
        return set()
    by_digest = {call_digest(secret, call_id): call_id for call_id in call_ids}
    found: set[str] = set()
    digests = list(by_digest)
    for start in range(0, len(digests), _AT_ONCE):
        some = digests[start : start + _AT_ONCE]
        rows = connection.execute(
            f"SELECT digest, reason FROM tombstones WHERE digest IN ({', '.join('?' * len(some))})", some
        )
        found.update(by_digest[digest] for digest, reason in rows if reason in KEEPS_OUT)
    return found


def raise_gone(connection: sqlite3.Connection, secret: bytes, call_ids: Iterable[str]) -> None:
    """Take away the tombstones of calls that were gone and are delivered again; wants an open transaction."""
    connection.executemany(
        "DELETE FROM tombstones WHERE digest = ? AND reason = 'gone'",
        [(call_digest(secret, call_id),) for call_id in call_ids],
    )
