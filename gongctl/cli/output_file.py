"""Files that a command writes beside what it prints: whole or not at all, and never over what it reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from gongmcp.errors import Exit, StartupRefusal

_SQLITE: Final = b"SQLite format 3\x00"


def refuse_overwriting(path: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse to write *path* where it is one of the *inputs* of the command, or a cache.

    Raises:
        StartupRefusal: writing would lose the one or the other.
    """
    hint = "Name another file."
    try:
        for item in inputs:
            if item is not None and path.exists() and item.exists() and path.samefile(item):
                raise StartupRefusal(f"{path} is read by this command and would be overwritten.", hint, Exit.USAGE)
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(_SQLITE)) == _SQLITE:
                    raise StartupRefusal(f"{path} is a database and would be overwritten.", hint, Exit.USAGE)
        elif path.exists():
            raise StartupRefusal(f"{path} is no regular file.", hint, Exit.USAGE)
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be written: {error.strerror}.", hint, Exit.FAILED) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write *data* to *path* in one step, readable by the owner alone; a link there is replaced, not followed.

    Raises:
        StartupRefusal: it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise StartupRefusal(
            f"{path} cannot be written: {error.strerror}.", "Name another file.", Exit.FAILED
        ) from error
