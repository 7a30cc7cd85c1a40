"""Noting a copy of a cache that a command has just made, for the certificate of a later purge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gongctl.cli.output import note
from gongmcp.errors import StartupRefusal

if TYPE_CHECKING:
    from gongctl.cache.copies import Kind


def noted(cache: Path, kind: Kind, copy: Path) -> bool:
    """Note in *cache* that *copy* was made of it; say on stderr, and return False, where that cannot be done.

    The copy is made by then: a cache that cannot be written now is no reason to fail.
    """
    from gongctl.cache.copies import note_copy

    try:
        note_copy(cache, kind, copy)
    except StartupRefusal as refusal:
        note(f"The copy is not noted in the cache: {refusal.message}")
        return False
    return True
