"""What ``gongctl cache warm`` does about the operator's model, and how it says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from gongctl.cli.restricted import is_blocking

if TYPE_CHECKING:
    from gongctl.cache.writer import CacheWriter
    from gongmcp.store.model import ModelRules

INTERRUPTED: Final = "interrupted"
SAID: Final = {
    "renewed": "The operator's model beside the cache is renewed: it holds every call, and only gongctl opens it.",
    "removed": "The operator's model beside the cache is removed.",
}
"""Sentences on what was done with it."""


def asks_for_operator_model(values: Mapping[str, Any]) -> bool:
    """Tell whether a warm with these *values* makes a model of every call."""
    return values.get("operator_model") is True


def settle_operator_model(
    writer: CacheWriter, rules: ModelRules, wanted: bool | None, should_stop: Callable[[], bool]
) -> str:
    """Make, renew or remove the operator's model; returns what was done, '' for nothing.

    *wanted* None renews one that is there, but not in restricted mode.

    Raises:
        StartupRefusal: too little disk space, or the file cannot be written.
    """
    from gongctl.cache.copies import note_copy_in
    from gongctl.cache.operator_model import operator_path, remove_operator_model, warm_operator_model
    from gongctl.cli.progress import items_progress

    path = operator_path(writer.path)
    existed = path.exists()
    if wanted is False:
        return "removed" if remove_operator_model(writer.path) else ""
    if wanted is None and (not existed or is_blocking()):
        return ""
    if not existed:
        note_copy_in(writer, "operator's model", path)
    with items_progress("Warming the operator's model") as progress:
        report = warm_operator_model(writer, rules, progress=progress, should_stop=should_stop)
    return "renewed" if report.finished else INTERRUPTED
