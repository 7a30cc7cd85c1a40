"""``taxonomy.yaml``: what the operator says of a corpus. The default carries the two hints that the tools came with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from gongmcp.errors import StartupRefusal
from gongmcp.yaml_text import yaml_value

_KEYS: Final = frozenset({"dataset", "account", "signals", "tags", "sources", "recipes"})


@dataclass(frozen=True, slots=True)
class Signal:
    """A value of a tag that answers a question before any search does."""

    tag: str
    value: str
    description: str
    use: str


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """What is known of a corpus beforehand.

    *account* is the attachment purpose that names a conversation's account, *account_tag* the sparser tag for the
    same; *tags* are (key, description), *sources* (need, source), *recipes* (goal, recommendation).
    """

    dataset: str
    account: str
    account_tag: str
    signals: tuple[Signal, ...]
    tags: tuple[tuple[str, str], ...]
    sources: tuple[tuple[str, str], ...]
    recipes: tuple[tuple[str, str], ...]


@cache
def default_taxonomy() -> Taxonomy:
    """Return the taxonomy that ships with the program."""
    return _read(resources.files("gongmcp.vcon").joinpath("taxonomy.yaml").read_text(encoding="utf-8"))


def load_taxonomy(path: Path) -> Taxonomy:
    """Return the taxonomy in *path*.

    Raises:
        StartupRefusal: it cannot be read, or has a key or a form that is none.
    """
    try:
        return _read(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StartupRefusal(f"The taxonomy cannot be read: {(error.strerror or 'error').lower()}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StartupRefusal(
            "The taxonomy has not the form that is expected.", f"It is a mapping of {', '.join(sorted(_KEYS))}."
        ) from error


def _read(text: str) -> Taxonomy:
    value = yaml_value(text)
    if not isinstance(value, dict) or value.keys() - _KEYS:
        raise ValueError("unknown keys")
    account = value.get("account") or {}
    return Taxonomy(
        dataset=str(value.get("dataset", "")),
        account=str(account.get("attachment", "strolid_dealer")),
        account_tag=str(account.get("tag", "")),
        signals=tuple(
            Signal(str(item["tag"]), str(item["value"]), str(item["description"]), str(item["use"]))
            for item in value.get("signals", ())
        ),
        tags=tuple((str(item["key"]), str(item["description"])) for item in value.get("tags", ())),
        sources=tuple((str(item["need"]), str(item["source"])) for item in value.get("sources", ())),
        recipes=tuple((str(item["goal"]), str(item["recommendation"])) for item in value.get("recipes", ())),
    )
