"""Stop words: words of a language that say nothing about a subject. They belong to no industry."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def stop_words(language: str | None = None) -> frozenset[str]:
    """Return the stop words of *language* (a code such as ``en`` or ``eng``); those of all languages without one, and
    for a language that has no list."""
    import tomllib

    lists = tomllib.loads((files("gongmcp.data") / "stop_words.toml").read_text(encoding="utf-8"))
    chosen = [entry for entry in lists.values() if language is None or language.lower() in entry["codes"]]
    return frozenset(word for entry in chosen or lists.values() for word in entry["words"].split())
