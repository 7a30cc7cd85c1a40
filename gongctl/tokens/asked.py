"""What an operator asks of a token's calls: from options to the words of a ``[scope]`` table, and back into text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gongmcp.errors import StartupRefusal
from gongmcp.governance.scope import FACTS


def scope_of(asked: Mapping[str, Any], denied: Sequence[str]) -> dict[str, Any] | None:
    """Return the scope that is asked for by key, and what is *denied* (``languages=eng``); None when nothing is.

    Raises:
        StartupRefusal: a thing denied is not of the form, or of no known key.
    """
    scope = {key: value for key, value in asked.items() if value}
    for item in denied:
        key, sign, value = item.partition("=")
        if not sign:
            raise StartupRefusal("What is denied must be KEY=VALUE.", f"Keys: {', '.join(FACTS)}.")
        if key.strip() not in FACTS:
            raise StartupRefusal("What is denied has a key that is not known.", f"Keys: {', '.join(FACTS)}.")
        scope.setdefault(f"deny_{key.strip()}", []).append(value)
    return scope or None


def in_words(scope: Mapping[str, Any]) -> str:
    """Return a scope as one short text."""
    return ", ".join(
        f"{key} {value if isinstance(value, str) else ' or '.join(map(str, value))}" for key, value in scope.items()
    )
