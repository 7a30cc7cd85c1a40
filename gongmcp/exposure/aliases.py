"""Stable keyed aliases: how an answer names a call, a speaker or a CRM object without its id.

Each is the keyed BLAKE2b of the id under the cache's secret (``meta.secret``), so that an alias is the
same after every restart and rebuild of one cache, says nothing without the secret, and differs between
caches. Each kind of alias has its own domain: the same id as a call and as an object gives two aliases.
"""

from __future__ import annotations

import hashlib
from typing import Final

from gongmcp.store.schema import TIE_BITS

_BYTES: Final = 8  # 16 hexadecimal digits


def _keyed(secret: bytes, domain: bytes, *parts: str) -> bytes:
    # The length in front of each part keeps ("a", "bc") and ("ab", "c") apart.
    message = b"".join(
        b"%d:%b" % (len(data), data) for data in (part.encode("utf-8", "surrogatepass") for part in parts)
    )
    return hashlib.blake2b(message, key=secret, digest_size=_BYTES, person=domain).digest()


def call_ref(secret: bytes, call_id: str) -> str:
    """Return ``call_`` and 16 hexadecimal digits. *secret* has at most 64 bytes."""
    return "call_" + _keyed(secret, b"gongctl-call", call_id).hex()


def speaker_ref(secret: bytes, call_id: str, speaker_id: str) -> str:
    """Return ``speaker_`` and 16 hexadecimal digits: a speaker within one call, not across calls."""
    return "speaker_" + _keyed(secret, b"gongctl-speaker", call_id, speaker_id).hex()


def object_ref(secret: bytes, object_type: str, object_id: str) -> str:
    """Return ``crm_`` and 16 hexadecimal digits: the same object has the same alias in every call."""
    return "crm_" + _keyed(secret, b"gongctl-object", object_type, object_id).hex()


def email_key(secret: bytes, address: str) -> str:
    """Return 16 hexadecimal digits that stand for an e-mail *address* in lower case, to filter by; they leave by no
    tool."""
    return _keyed(secret, b"gongctl-email", address).hex()


def user_ref(secret: bytes, user_id: str) -> str:
    """Return 16 hexadecimal digits that stand for a Gong user, to count people by; they leave by no tool."""
    return _keyed(secret, b"gongctl-user", user_id).hex()


def tie_breaker(secret: bytes, call_id: str) -> int:
    """Return the preferred number (12 bits) of a call among those that started in the same second.

    Keyed, so that the order of calls within a second tells nothing of their ids.
    """
    return int.from_bytes(_keyed(secret, b"gongctl-tie", call_id), "big") & ((1 << TIE_BITS) - 1)
