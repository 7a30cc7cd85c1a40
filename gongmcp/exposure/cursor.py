"""Cursors: a page's last keyset key, sealed so that it tells nothing and fits one question only.

AES-SIV (RFC 5297) encrypts the key and binds it to tool, arguments, policy and read-model
generation; being deterministic, it keeps an answer a pure function of its inputs.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from gongmcp.errors import ToolFault


class CursorSealer:
    """Seals and opens cursors with a key derived from the cache's secret."""

    def __init__(self, secret: bytes) -> None:
        self._key = hashlib.blake2b(secret, digest_size=64, person=b"gongmcp.cursor").digest()

    def seal(self, key: tuple[Any, ...], binding: dict[str, Any]) -> str:
        """Return the opaque cursor for *key*, bound to *binding*."""
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # loaded only when a page is cut

        plain = json.dumps(key, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(AESSIV(self._key).encrypt(plain, [_canonical(binding)])).decode().rstrip("=")

    def open(self, cursor: str, binding: dict[str, Any]) -> tuple[Any, ...]:
        """Return the key that ``seal`` was given; raises ``ToolFault("invalid_cursor")`` for any other text."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        try:
            sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
            return tuple(json.loads(AESSIV(self._key).decrypt(sealed, [_canonical(binding)])))
        except (InvalidTag, ValueError):
            raise ToolFault("invalid_cursor", "The cursor does not belong to this call.") from None


def _canonical(binding: dict[str, Any]) -> bytes:
    return json.dumps(binding, sort_keys=True, separators=(",", ":")).encode()
