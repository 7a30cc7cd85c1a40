"""UUIDs of vCons: version 8, as the format recommends; by the clock for new ones, by a keyed name for calls.

The name of a call is keyed with the secret of its cache: whoever knows ids of calls cannot tell from an export which
of them is in it, and the same call has the same uuid in every export of a cache.
"""

from __future__ import annotations

import hashlib
import os
import time
from uuid import UUID

_VERSION: int = 8


def new_uuid() -> str:
    """Return a new uuid that sorts by its time (the layout of version 7, marked as 8)."""
    moment = time.time_ns() // 1_000_000
    return _uuid(moment.to_bytes(6, "big") + os.urandom(10))


def uuid_of_call(secret: bytes, call_id: str) -> str:
    """Return the uuid of the vCon that says all of a call."""
    return _uuid(_keyed(secret, b"gongctl-vcon", call_id))


def uuid_of_redacted(secret: bytes, call_id: str, policy: str) -> str:
    """Return the uuid of the redacted vCon of a call under a policy, by the policy's digest."""
    return _uuid(_keyed(secret, b"gongctl-vcon-red", f"{policy}\0{call_id}"))


def _keyed(secret: bytes, domain: bytes, name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=secret, digest_size=16, person=domain).digest()


def _uuid(data: bytes) -> str:
    number = int.from_bytes(data, "big")
    number = number & ~(0xF << 76) | _VERSION << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=number))
