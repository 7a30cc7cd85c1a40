"""The secret that keys a cache's aliases (``call_ref``, ``speaker_ref``), and the file that can fix it.

A cache normally draws its secret at random. A secret file makes two caches give the same person the
same alias: for documentation, snapshots and comparisons.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from gongmcp.errors import StartupRefusal

SECRET_BYTES: Final = 32
MIN_FILE_BYTES: Final = 16


def new_secret() -> bytes:
    """Return a random secret of 32 bytes."""
    return secrets.token_bytes(SECRET_BYTES)


def cache_secret(material: bytes) -> bytes:
    """Return the 32-byte secret that stands for *material* of any length."""
    return hashlib.blake2b(material, digest_size=SECRET_BYTES, person=b"gongctl-secret").digest()


def read_secret_file(path: Path) -> bytes:
    """Return the material in *path* (surrounding blanks dropped), creating the file when it is missing.

    A created file holds 64 random hexadecimal digits and is readable by its owner alone.

    Raises:
        StartupRefusal: others can read the file, it is shorter than 16 bytes, or it cannot be read
            or created.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_existing(path)
    except OSError as error:
        raise StartupRefusal(f"The secret file {path} cannot be created: {error.strerror}.") from error
    text = secrets.token_hex(SECRET_BYTES).encode()
    with os.fdopen(handle, "wb") as file:
        file.write(text + b"\n")
    return text


def _read_existing(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK, opening a pipe would wait for its writer instead of being refused.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise StartupRefusal(f"The secret file {path} is not a regular file.")
            if os.name == "posix" and mode & 0o077:
                raise StartupRefusal(
                    f"The secret file {path} can be read by others (mode {mode & 0o777:04o}).",
                    f"Run: chmod 600 {path}",
                )
            material = file.read(1 << 16).strip()
    except OSError as error:
        raise StartupRefusal(f"The secret file {path} cannot be read: {error.strerror}.") from error
    if len(material) < MIN_FILE_BYTES:
        raise StartupRefusal(
            f"The secret file {path} holds {len(material)} bytes; at least {MIN_FILE_BYTES} are needed.",
            "Name a file that does not exist to have one made.",
        )
    return material
