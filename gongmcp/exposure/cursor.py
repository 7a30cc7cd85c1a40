"""Cursors: where a page continues, sealed so that it tells nothing and fits one question only.

AES-SIV (RFC 5297) encrypts it and binds it to tool, arguments, policy and read-model
generation; being deterministic, it keeps an answer a pure function of its inputs.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from gongmcp.errors import ToolFault

Key = tuple[Any, ...]
"""Strings and numbers by which a tool finds the row behind which a page continues."""

MAX_HELD: Final = 32
"""Most calls of which one cursor remembers rows that wait, so that it stays short (below ``MAX_CURSOR``)."""

MAX_CURSOR: Final = 2048
"""Most characters of a cursor."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Rows of the call number *call* that wait for a later page: all of its rows behind the key *behind*, of which
    *count* were looked at."""

    call: int
    behind: Key
    count: int


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page continues: behind *after*, and before that with the rows that were *held* back.

    *held* is in the order of the keys ``behind``, all of which lie before *after*.
    """

    after: Key
    held: tuple[HeldBack, ...] = ()

    def plain(self) -> list[Any]:
        """Return the position as lists of strings and numbers."""
        return [self.after, *((item.call, item.behind, item.count) for item in self.held)]

    @classmethod
    def of(cls, plain: Sequence[Any]) -> Position:
        """Return the position that ``plain`` gave."""
        after, *held = plain
        return cls(tuple(after), tuple(HeldBack(call, tuple(behind), count) for call, behind, count in held))


class CursorSealer:
    """Seals and opens cursors with a key derived from the cache's secret."""

    def __init__(self, secret: bytes) -> None:
        self._key = hashlib.blake2b(secret, digest_size=64, person=b"gongmcp.cursor").digest()

    def seal(self, position: Position, binding: dict[str, Any]) -> str:
        """Return the opaque cursor for *position*, bound to *binding*."""
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # loaded only when a page is cut

        plain = msgspec.msgpack.encode(position.plain())
        return base64.urlsafe_b64encode(AESSIV(self._key).encrypt(plain, [_canonical(binding)])).decode().rstrip("=")

    def open(self, cursor: str, binding: dict[str, Any]) -> Position:
        """Return the position that ``seal`` was given; raises ``ToolFault("invalid_cursor")`` for any other text."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        try:
            sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
            plain = AESSIV(self._key).decrypt(sealed, [_canonical(binding)])
            return Position.of(msgspec.msgpack.decode(plain))
        except (InvalidTag, ValueError, TypeError, msgspec.DecodeError):  # the last three: of an older program
            raise ToolFault("invalid_cursor", "The cursor does not belong to this call.") from None


def _canonical(binding: dict[str, Any]) -> bytes:
    return json.dumps(binding, sort_keys=True, separators=(",", ":")).encode()
