"""Files that a path may go on to, offered while it is typed."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from gongmcp.render.visible import UNSAFE

MOST = 500
"""Paths that are offered at most."""

YAML = frozenset({".yaml", ".yml"})


def candidates(typed: str, suffixes: Collection[str] = YAML) -> list[str]:
    """Return the paths that begin with *typed*: files with one of *suffixes*, then folders, which end in a slash.

    ``~`` stays as it was typed. Left out are hidden entries unless their dot was typed, names with characters that
    cannot be seen, for no field can hold those, and everything in a folder that cannot be read.
    """
    folder, beginning = os.path.split(typed)
    prefix = typed[: len(typed) - len(beginning)]
    files, folders = [], []
    try:
        with os.scandir(Path(folder).expanduser()) as entries:
            for entry in entries:
                name = entry.name
                if not name.startswith(beginning) or (name.startswith(".") and not beginning.startswith(".")):
                    continue
                if UNSAFE.search(name):
                    continue
                if entry.is_dir():
                    folders.append(f"{prefix}{name}/")
                elif Path(name).suffix.lower() in suffixes:
                    files.append(prefix + name)
    except (OSError, RuntimeError, ValueError):  # no such folder, no permission, no such user, a null byte
        return []
    return [*sorted(files, key=str.casefold), *sorted(folders, key=str.casefold)][:MOST]
