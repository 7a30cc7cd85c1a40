"""What governance took from a dry run's answer, for ``gongctl mcp call --explain``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongctl.cli.operations import CacheOperations
from gongctl.cli.restricted import is_blocking
from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal

if TYPE_CHECKING:
    from gongmcp.handler import Outcome
    from gongmcp.settings import ServerSettings


def add_governance(
    db: Path, settings: ServerSettings, name: str, arguments: Mapping[str, Any], outcome: Outcome
) -> str:
    """Add to the ledger of *outcome* what governance took, and return a sentence when that cannot be told in full.

    Without an operator's model, and in restricted mode, only the calls that agents cannot see at all are counted.
    """
    operations = CacheOperations(db, settings, restricted=is_blocking())
    taken = operations.ungoverned(name, dict(arguments), settings.policy, outcome, Cancel())
    for entry in taken.entries:
        outcome.ledger.add(entry, taken.reasons[entry.rule])
    if taken.entries:
        return ""
    try:
        outside = operations.outside()
    except StartupRefusal:
        return ""
    if not outside:
        return ""
    return f"{outside:,} call{' of the cache is' if outside == 1 else 's of the cache are'} outside this policy."
