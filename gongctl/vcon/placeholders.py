"""Placeholders: what is left of a party or dialog that was taken out, so that the indexes of the others hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ANONYMOUS: Final = "anonymous"
"""The name of a party of whom nothing is to be known."""

_DIALOG_KEYS: Final = frozenset({"type", "start"})


def is_placeholder(array: str, element: Mapping[str, Any]) -> bool:
    """Tell whether *element* of ``parties`` or ``dialog`` is a placeholder: it says nothing but what it had to keep."""
    if array == "parties":
        return not element
    return array == "dialog" and element.keys() <= _DIALOG_KEYS


def party_placeholder(*, anonymize: bool) -> dict[str, Any]:
    """Return what takes the place of a removed party."""
    return {"name": ANONYMOUS} if anonymize else {}


def dialog_placeholder(dialog: Mapping[str, Any]) -> dict[str, Any]:
    """Return what takes the place of a removed dialog: its type, and its start, without which no draft accepts it."""
    return {key: dialog[key] for key in ("type", "start") if key in dialog}
