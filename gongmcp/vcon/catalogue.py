"""Which vCon tools there are, in a fixed order, and which of them a profile offers."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from gongmcp.errors import StartupRefusal
from gongmcp.vcon.declaration import CATEGORIES, READING, Category, VconTool

_MODULES: Final = (
    *("contract_capabilities", "contract_taxonomy", "contract_search", "contract_shapes", "contract_aggregate"),
    *("contract_graph", "read_tools", "tag_tools", "format_tools", "analytics_tools", "growth_tools"),
    *("attachment_figures", "tag_figures", "content_figures", "health_figures", "database_tools", "size_tools"),
)
_FIRST: Final = ("vcon_capabilities", "vcon_taxonomy", "vcon_search", "vcon_fetch", "describe_response_shape")


@cache
def reading_tools() -> dict[str, VconTool]:
    """Return the 28 tools that read, the contract tools first."""
    for name in _MODULES:
        importlib.import_module(f"gongmcp.vcon.{name}")
    return {name: READING[name] for name in sorted(READING, key=_place)}


def _place(name: str) -> tuple[int, int, str]:
    tool = READING[name]
    first = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    return (0 if tool.contract else 1 + CATEGORIES.index(tool.category)), first, name


@dataclass(frozen=True, slots=True)
class Profile:
    """A named choice: whole categories, less the tools *without*."""

    name: str
    categories: frozenset[Category]
    purpose: str
    without: frozenset[str] = frozenset()


PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile("full", frozenset(CATEGORIES), "everything, for development"),
        Profile("readonly", frozenset({"read", "schema"}), "read-only deployments"),
        Profile("user", frozenset({"read", "write", "schema"}), "people who also write"),
        Profile("admin", frozenset({"read", "analytics", "infra", "schema"}), "dashboards of administrators"),
        Profile("minimal", frozenset({"read", "write"}), "reading and writing alone"),
        Profile(
            "public",
            frozenset({"read", "schema"}),
            "hosted public data sets",
            frozenset({"vcon_aggregate", "vcon_taxonomy"}),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tools are offered: those of *categories* less *without*. *profile* is the name that was chosen, if any."""

    categories: frozenset[Category]
    without: frozenset[str] = frozenset()
    profile: str = ""

    def narrowed(self, profile: str | None, categories: frozenset[str] | None) -> Choice:
        """Return what is left of it under *profile* and under *categories*; None takes nothing away.

        Raises:
            StartupRefusal: the profile does not exist.
        """
        left = self
        if profile is not None:
            _known("profile", [profile], list(PROFILES))
            also = PROFILES[profile]
            left = Choice(left.categories & also.categories, left.without | also.without, profile)
        if categories is not None:
            left = replace(left, categories=left.categories & categories)
        return left

    def of(self, tools: Mapping[str, VconTool]) -> dict[str, VconTool]:
        """Return those of *tools* that are offered."""
        return {
            name: tool for name, tool in tools.items() if tool.category in self.categories and name not in self.without
        }


def choose(
    tools: Iterable[str],
    *,
    profile: str = "",
    enabled: str | Sequence[str] = (),
    disabled: str | Sequence[str] = (),
    without: str | Sequence[str] = (),
) -> Choice:
    """Return what is offered: a profile is stronger than enabled categories, those than disabled ones; with nothing
    said all is offered. *without* is taken away in any case. Lists may be comma-separated texts.

    Raises:
        StartupRefusal: a name is none, or nothing is left.
    """
    on, off, gone = _names(enabled), _names(disabled), _names(without)
    _known("category", [*on, *off], CATEGORIES)
    _known("tool", gone, list(tools))
    removed = frozenset(gone)
    name = profile.strip()
    if name:
        _known("profile", [name], list(PROFILES))
        chosen = PROFILES[name]
        return Choice(chosen.categories, chosen.without | removed, name)
    kept: frozenset[Category] = frozenset(
        category for category in CATEGORIES if (category in on if on else category not in off)
    )
    if not kept:
        raise StartupRefusal("Every category of tools is disabled.", f"Categories: {', '.join(CATEGORIES)}.")
    return Choice(kept, removed)


def known_categories(given: str | Sequence[str]) -> frozenset[Category]:
    """Return *given*, a sequence or a comma list, as categories.

    Raises:
        StartupRefusal: one of them is none, or there is none.
    """
    names = _names(given)
    _known("category", names or [""], CATEGORIES)
    return frozenset(category for category in CATEGORIES if category in names)


def known_profile(name: str) -> str:
    """Return *name* of a profile.

    Raises:
        StartupRefusal: it is none.
    """
    _known("profile", [name.strip()], list(PROFILES))
    return name.strip()


def _names(given: str | Sequence[str]) -> list[str]:
    items = given.split(",") if isinstance(given, str) else given
    return [item.strip() for item in items if item.strip()]


def _known(what: str, names: Sequence[str], valid: Sequence[str]) -> None:
    for name in names:
        if name not in valid:
            near = difflib.get_close_matches(name, valid, 1, 0.5)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise StartupRefusal(f"There is no {what} of that name.", f"{hint}Names: {', '.join(valid)}.")
