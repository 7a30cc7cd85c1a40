"""Arguments kept for replay: encrypted, so that the log without the key says no more than one without them.

AES-256-GCM with a random nonce. The tool and the digest of the arguments are bound to it, so that sealed arguments
cannot be moved to another line.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gongmcp.refusals import refused

KEY_BYTES: Final = 32
MAX_ARGUMENTS: Final = 64 * 1024
"""Longer arguments are not kept: validation refuses them anyway."""

_NONCE_BYTES: Final = 12
_FILE_BYTES: Final = 4096


class OtherKey(Exception):
    """The arguments were sealed with another key, or the line was changed."""


class ArgumentSeal:
    """Seals and opens arguments with one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)
        self._name = hashlib.blake2b(key, digest_size=4, person=b"gongctl-audit-s").hexdigest()

    def seal(self, arguments: bytes, tool: str, digest: str) -> str:
        """Return *arguments* sealed as text, which begins with the name of the key; ``""`` for too long ones."""
        if len(arguments) > MAX_ARGUMENTS:
            return ""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, arguments, _bound_to(tool, digest))
        return f"{self._name}.{base64.urlsafe_b64encode(sealed).decode()}"

    def open(self, sealed: str, tool: str, digest: str) -> bytes:
        """Return what was sealed.

        Raises:
            OtherKey: not with this key, or not for this line.
        """
        name, _, text = sealed.partition(".")
        if name != self._name:
            raise OtherKey
        try:
            data = base64.urlsafe_b64decode(text)
            return self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _bound_to(tool, digest))
        except (InvalidTag, ValueError):
            raise OtherKey from None


def _bound_to(tool: str, digest: str) -> bytes:
    return f"{tool} {digest}".encode()


def new_key() -> str:
    """Return a random key as it stands in a key file."""
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def read_key_file(path: Path) -> ArgumentSeal:
    """Return the seal of the key in the file at *path*.

    Raises:
        StartupRefusal: the file cannot be read, others have access to it, or it holds no key.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for its writer instead of being refused.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise refused("audit_key", file=path.name, reason="it is no regular file")
            if mode & 0o077:
                raise refused("audit_key", file=path.name, reason=f"others have access to it (mode {mode & 0o777:04o})")
            text = file.read(_FILE_BYTES).strip()
    except OSError as error:
        raise refused("audit_key", file=path.name, reason=(error.strerror or "it cannot be read").lower()) from None
    try:
        key = base64.b64decode(text, altchars=b"-_", validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise refused("audit_key", file=path.name, reason="it holds no key of 32 bytes")
    return ArgumentSeal(key)
