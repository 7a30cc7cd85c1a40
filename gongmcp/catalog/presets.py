"""Presets and allowlists: which tools a server offers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from gongmcp.catalog.registry import catalog
from gongmcp.errors import StartupRefusal


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of tools; which ones is said by each tool's own declaration."""

    name: str
    purpose: str
    recommended_for: str
    aliases: tuple[str, ...] = ()

    def tools(self) -> list[str]:
        """Return the names of its tools, in catalogue order."""
        return [tool.name for tool in catalog().values() if self.name in tool.presets]


PRESETS: tuple[Preset, ...] = (
    Preset(
        "operator-smoke",
        "Five tools that show whether a cache answers: status, calls, evidence, one call, backlog.",
        "an operator who checks a new cache",
    ),
    Preset(
        "business-pilot",
        "Counts and backlog only: no call, person or quotation leaves.",
        "a first pilot with business users",
        ("strict-business-pilot",),
    ),
    Preset("all-readonly", "Every read-only tool.", "an operator's own assistant", ("all", "all-tools")),
)


def find_preset(name: str) -> Preset:
    """Return the preset called *name* (its name or an alias, any case).

    Raises ``StartupRefusal`` that lists what exists.
    """
    wanted = name.strip().lower()
    for preset in PRESETS:
        if wanted == preset.name or wanted in preset.aliases:
            return preset
    names = [preset.name for preset in PRESETS]
    near = difflib.get_close_matches(wanted, names, 1, 0.5)
    raise StartupRefusal(
        "There is no tool preset of that name.",
        (f"Did you mean {near[0]}? " if near else "") + f"Presets: {', '.join(names)}.",
    )


def parse_allowlist(text: str | Sequence[str]) -> frozenset[str]:
    """Return the tools that a comma list (or a sequence of names) allows.

    Raises ``StartupRefusal`` for an unknown name or a list without any name.
    """
    items = text.split(",") if isinstance(text, str) else list(text)
    names = [item.strip() for item in items if item.strip()]
    if not names:
        raise StartupRefusal("The tool allowlist names no tool.", f"Tools: {', '.join(catalog())}.")
    for name in names:
        if name not in catalog():
            near = difflib.get_close_matches(name, list(catalog()), 1, 0.5)
            raise StartupRefusal(
                "The tool allowlist names a tool that does not exist.",
                (f"Did you mean {near[0]}? " if near else "") + f"Tools: {', '.join(catalog())}.",
            )
    return frozenset(names)
