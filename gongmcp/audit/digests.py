"""Keyed digests of the audit log: what it says in place of calls and arguments.

They are BLAKE2b under the cache's secret (``meta.secret``), in domains of their own: the alias of a call that an
agent may have seen (``call_ref``) and its digest in the log have nothing in common without the secret. The operator,
who has the cache, makes the same digest of the call that is asked about.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

_BYTES: Final = 8
_CACHE_BYTES: Final = 4


class AuditDigests:
    """The digests under one cache's *secret* (at most 64 bytes)."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.cache = self._keyed(b"gongctl-audit-k", b"", _CACHE_BYTES)
        """Tells logs of different caches apart."""

    def call(self, call_ref: str) -> str:
        """Return the digest of the call with the alias *call_ref*: 16 hexadecimal digits."""
        return self._keyed(b"gongctl-audit-c", call_ref.encode(), _BYTES)

    def arguments(self, canonical: bytes) -> str:
        """Return the digest of arguments in their ``canonical`` form: 16 hexadecimal digits."""
        return self._keyed(b"gongctl-audit-a", canonical, _BYTES)

    def _keyed(self, domain: bytes, message: bytes, size: int) -> str:
        return hashlib.blake2b(message, key=self._secret, digest_size=size, person=domain).hexdigest()


def canonical(arguments: Mapping[str, Any] | None) -> bytes:
    """Return *arguments* as JSON in one form, whatever the order in which the client wrote them."""
    try:
        return json.dumps(arguments or {}, sort_keys=True, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):  # nothing that came as JSON; it is refused by validation
        return b"?"
